//! Who follows, and who no longer does.

use model::Event;
use model::settings::table::federation::{PRIVATE, USERNAME};
use serde_json::{Value, json};
use store::federation::{DeliveryKind, FollowerFilter, FollowerState};

use super::stage::{ALICE, BOB, COMMON, MALLORY, Stage, US, follow, person};

async fn state_of(stage: &Stage, iri: &str) -> Option<FollowerState> {
    let known = stage.tables().follower(iri).await.unwrap();
    known.map(|known| known.state)
}

async fn is_follower(stage: &Stage, iri: &str) -> bool {
    state_of(stage, iri).await.is_some()
}

// Case 41 of docs/federation-cases.md.
#[tokio::test]
async fn a_follow_is_accepted_told_once_and_answered_each_time() {
    let stage = Stage::open().await;
    stage.send(&follow(ALICE, 1)).await;
    assert_eq!(state_of(&stage, ALICE).await, Some(FollowerState::Accepted));
    let accepts = stage.sent(DeliveryKind::Accept).await;
    assert_eq!(accepts.len(), 1);
    let accept = &accepts[0];
    assert!(
        accept["id"]
            .as_str()
            .unwrap()
            .starts_with("https://live.example/federation/")
    );
    assert_eq!(accept["actor"], US);
    assert_eq!(accept["to"], json!([ALICE]));
    let embedded = json!({ "id": format!("{ALICE}#follows/1"), "type": "Follow", "actor": ALICE, "object": US });
    assert_eq!(accept["object"], embedded);
    let events = stage.events().await;
    let [
        Event::FediverseFollowed {
            actor,
            is_pending: false,
        },
    ] = events.as_slice()
    else {
        panic!("{events:?}");
    };
    assert_eq!(actor.handle, "@alice@remote.example");
    assert_eq!(
        actor.image.as_deref(),
        Some("https://remote.example/users/alice.png")
    );
    // Once more: an answer, and no event.
    stage.send(&follow(ALICE, 2)).await;
    let accepts = stage.sent(DeliveryKind::Accept).await;
    assert_eq!(accepts.len(), 2);
    assert_eq!(accepts[1]["object"]["id"], format!("{ALICE}#follows/2"));
    assert_eq!(stage.events().await.len(), 1);
    let (followers, total) = stage
        .tables()
        .followers_page(FollowerFilter::Accepted, 0, 10)
        .await
        .unwrap();
    assert_eq!(total, 1);
    assert_eq!(followers[0].profile.inbox, format!("{ALICE}/inbox"));
}

// Case 42 of docs/federation-cases.md.
#[tokio::test]
async fn a_private_account_holds_a_follow_until_the_operator_has_decided() {
    let stage = Stage::open().await;
    stage.set(&PRIVATE, json!(true)).await;
    stage.send(&follow(ALICE, 1)).await;
    stage.send(&follow(BOB, 1)).await;
    assert_eq!(state_of(&stage, ALICE).await, Some(FollowerState::Pending));
    assert!(stage.queued().await.is_empty());
    let is_pending = |event: &Event| {
        matches!(
            event,
            Event::FediverseFollowed {
                is_pending: true,
                ..
            }
        )
    };
    let events = stage.events().await;
    assert_eq!(events.len(), 2);
    assert!(events.iter().all(is_pending));
    stage.federation.approve_follower(ALICE).await.unwrap();
    stage.federation.block_follower(BOB).await.unwrap();
    assert_eq!(
        stage.queued().await,
        [DeliveryKind::Accept, DeliveryKind::Reject]
    );
    assert_eq!(stage.events().await.len(), 2);
    assert_eq!(state_of(&stage, BOB).await, Some(FollowerState::Blocked));
}

// Case 43 of docs/federation-cases.md.
#[tokio::test]
async fn a_directory_waits_for_the_operator_whoever_else_is_let_in_at_once() {
    let stage = Stage::open().await;
    let marked = |actor: &str, mark: Value| {
        let mut activity = follow(actor, 1);
        activity[format!("{COMMON}#directory")] = mark;
        activity
    };
    stage.send(&marked(ALICE, json!(true))).await;
    stage.send(&marked(BOB, json!("true"))).await;
    let (requests, _) = stage
        .tables()
        .followers_page(FollowerFilter::FeatureRequests, 0, 10)
        .await
        .unwrap();
    assert_eq!(requests.len(), 2);
    assert!(stage.queued().await.is_empty());
    assert!(stage.events().await.is_empty());
    stage.stream.send_modify(|status| status.is_online = true);
    stage.federation.approve_follower(ALICE).await.unwrap();
    let accepts = stage.sent(DeliveryKind::Accept).await;
    assert_eq!(accepts[0][format!("{COMMON}#streamStatus")], "live");
    assert!(stage.events().await.is_empty());
    // Stream metadata alone does not make a directory.
    let mut talkative = follow(MALLORY, 1);
    talkative[format!("{COMMON}#streamStatus")] = json!("live");
    stage.send(&talkative).await;
    assert_eq!(
        state_of(&stage, MALLORY).await,
        Some(FollowerState::Accepted)
    );
}

// Case 44 of docs/federation-cases.md.
#[tokio::test]
async fn a_follow_of_somebody_else_or_by_somebody_blocked_changes_nothing() {
    let stage = Stage::open().await;
    let mut elsewhere = follow(ALICE, 1);
    elsewhere["object"] = json!("https://other.example/users/carol");
    stage.send(&elsewhere).await;
    assert!(!is_follower(&stage, ALICE).await);
    stage.send(&follow(BOB, 1)).await;
    stage.federation.block_follower(BOB).await.unwrap();
    let before = stage.queued().await.len();
    stage.send(&follow(BOB, 2)).await;
    assert_eq!(state_of(&stage, BOB).await, Some(FollowerState::Blocked));
    assert_eq!(stage.queued().await.len(), before);
    assert_eq!(stage.events().await.len(), 1);
}

#[tokio::test]
async fn whoever_follows_a_former_name_is_told_that_it_is_not_there_any_more() {
    let stage = Stage::open().await;
    stage.set(&USERNAME, json!("stage")).await;
    stage.federation.account().settle().await.unwrap();
    stage.send(&follow(ALICE, 1)).await;
    assert!(!is_follower(&stage, ALICE).await);
    let rejects = stage.sent(DeliveryKind::Reject).await;
    assert_eq!(rejects[0]["actor"], US);
    let mut renamed = follow(ALICE, 2);
    renamed["object"] = json!("https://live.example/federation/user/stage");
    stage.send(&renamed).await;
    assert!(is_follower(&stage, ALICE).await);
}

#[tokio::test]
async fn whoever_moves_with_the_account_keeps_following_in_whatever_order_it_is_said() {
    let stage = Stage::open().await;
    for who in [ALICE, BOB] {
        stage.send(&follow(who, 1)).await;
    }
    stage.set(&USERNAME, json!("stage")).await;
    stage.federation.account().settle().await.unwrap();
    let anew = |who: &str| {
        let mut anew = follow(who, 2);
        anew["object"] = json!("https://live.example/federation/user/stage");
        anew
    };
    let undo = |who: &str| json!({ "id": format!("{who}#undo/1"), "type": "Undo", "actor": who, "object": follow(who, 1) });
    stage.send(&anew(ALICE)).await;
    stage.send(&undo(ALICE)).await;
    stage.send(&undo(BOB)).await;
    assert!(!is_follower(&stage, BOB).await);
    stage.send(&anew(BOB)).await;
    for who in [ALICE, BOB] {
        assert!(is_follower(&stage, who).await, "{who}");
    }
}

// Case 45 of docs/federation-cases.md.
#[tokio::test]
async fn a_follow_is_taken_back_in_every_form_and_by_its_author_only() {
    let stage = Stage::open().await;
    let undo = |actor: &str, number: u32, object: Value| {
        json!({
            "id": format!("{actor}#undos/{number}"), "type": "Undo", "actor": actor, "object": object,
        })
    };
    stage.send(&follow(ALICE, 1)).await;
    stage.send(&undo(BOB, 1, follow(ALICE, 1))).await;
    stage
        .send(&undo(BOB, 2, json!(format!("{ALICE}#follows/1"))))
        .await;
    assert!(is_follower(&stage, ALICE).await);
    stage.send(&undo(ALICE, 1, follow(ALICE, 1))).await;
    assert!(!is_follower(&stage, ALICE).await);
    stage.send(&follow(ALICE, 2)).await;
    stage
        .send(&undo(ALICE, 2, json!(format!("{ALICE}#follows/2"))))
        .await;
    assert!(!is_follower(&stage, ALICE).await);
    // Without an id, as some send it.
    stage.send(&follow(ALICE, 3)).await;
    let nameless =
        json!({ "type": "Undo", "actor": ALICE, "object": { "type": "Follow", "object": US } });
    stage.send(&nameless).await;
    assert!(!is_follower(&stage, ALICE).await);
    // The Undo came before the Follow.
    stage.send(&undo(BOB, 3, follow(BOB, 9))).await;
    stage.send(&follow(BOB, 9)).await;
    assert!(!is_follower(&stage, BOB).await);
    stage.send(&follow(BOB, 10)).await;
    assert!(is_follower(&stage, BOB).await);
}

#[tokio::test]
async fn from_the_sixth_time_within_an_hour_who_begins_and_ends_is_rejected_once_an_hour() {
    let stage = Stage::open().await;
    let rejections = async || {
        let queued = stage.queued().await;
        let is_reject = |kind: &&DeliveryKind| **kind == DeliveryKind::Reject;
        queued.iter().filter(is_reject).count()
    };
    for number in 0..8 {
        stage.send(&follow(ALICE, number)).await;
        assert_eq!(is_follower(&stage, ALICE).await, number < 5, "{number}");
        assert_eq!(rejections().await, usize::from(number >= 5), "{number}");
        if number == 4 {
            // It is stored, and may be repeated.
            for again in 100..110 {
                stage.send(&follow(ALICE, again)).await;
                assert!(is_follower(&stage, ALICE).await, "{again}");
            }
        }
        let undo = json!({ "id": format!("{ALICE}#undo/{number}"), "type": "Undo", "actor": ALICE,
            "object": follow(ALICE, number) });
        stage.send(&undo).await;
    }
}

#[tokio::test]
async fn an_actor_whose_inbox_is_elsewhere_cannot_follow() {
    let stage = Stage::open().await;
    let mut strange = person(ALICE);
    strange["inbox"] = json!("https://other.example/inbox");
    stage.show(ALICE, &strange);
    stage.send(&follow(ALICE, 1)).await;
    assert!(!is_follower(&stage, ALICE).await);
    assert!(stage.queued().await.is_empty());
}
