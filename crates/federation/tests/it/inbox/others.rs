//! Profile changes, deleted accounts, blocks, complaints, and everything else.

use serde_json::{Value, json};
use store::federation::DeliveryKind;

use super::stage::{ALICE, BOB, Stage, US, follow, person};
use crate::peer::reply;

fn act(kind: &str, actor: &str, number: u32, object: Value) -> Value {
    let mut activity =
        json!({ "id": format!("{actor}#{kind}/{number}"), "type": kind, "actor": actor });
    activity["object"] = object;
    activity
}

async fn image_of(stage: &Stage, iri: &str) -> Option<String> {
    let known = stage.tables().follower(iri).await.unwrap().unwrap();
    known.profile.image
}

async fn is_follower(stage: &Stage, iri: &str) -> bool {
    stage.tables().follower(iri).await.unwrap().is_some()
}

// Case 48 of docs/federation-cases.md.
#[tokio::test]
async fn a_person_who_has_another_face_is_shown_with_it() {
    let stage = Stage::open().await;
    stage.send(&follow(ALICE, 1)).await;
    assert!(image_of(&stage, ALICE).await.is_some());
    for (number, kind) in (1..).zip(["Service", "Group", "Note"]) {
        let mut other = person(ALICE);
        other["type"] = json!(kind);
        other["name"] = json!("Impostor");
        stage.send(&act("Update", ALICE, number, other)).await;
    }
    let known = stage.tables().follower(ALICE).await.unwrap().unwrap();
    assert_eq!(known.profile.name, "ALICE");
    let mut plain = person(ALICE);
    plain.as_object_mut().unwrap().remove("icon");
    plain["name"] = json!("Alice B");
    plain["endpoints"] = json!({ "sharedInbox": "https://remote.example/inbox" });
    stage.send(&act("Update", ALICE, 10, plain.clone())).await;
    let known = stage.tables().follower(ALICE).await.unwrap().unwrap();
    assert_eq!(
        (known.profile.image, known.profile.name.as_str()),
        (None, "Alice B")
    );
    assert_eq!(
        known.profile.shared_inbox.as_deref(),
        Some("https://remote.example/inbox")
    );
    // Only named: their server is asked.
    plain["name"] = json!("Alice C");
    stage.show(ALICE, &plain);
    stage.send(&act("Update", ALICE, 11, json!(ALICE))).await;
    let known = stage.tables().follower(ALICE).await.unwrap().unwrap();
    assert_eq!(known.profile.name, "Alice C");
    // Nobody else can send it.
    let mut theft = person(ALICE);
    theft["name"] = json!("Bob's");
    stage.send(&act("Update", BOB, 12, theft)).await;
    let known = stage.tables().follower(ALICE).await.unwrap().unwrap();
    assert_eq!(known.profile.name, "Alice C");
}

// Case 49 of docs/federation-cases.md.
#[tokio::test]
async fn an_account_that_is_gone_is_forgotten_and_one_that_is_only_lost_is_not() {
    let stage = Stage::open().await;
    for actor in [ALICE, BOB] {
        stage.send(&follow(actor, 1)).await;
    }
    // The keys are no longer cached, as after a day.
    for actor in [ALICE, BOB] {
        stage
            .clock
            .advance(std::time::Duration::from_secs(25 * 3600));
        stage.answer(actor, reply(if actor == ALICE { 410 } else { 404 }, "", ""));
        stage.send(&act("Delete", actor, 1, json!(actor))).await;
    }
    assert!(!is_follower(&stage, ALICE).await);
    assert!(is_follower(&stage, BOB).await);
}

#[tokio::test]
async fn an_account_that_says_so_itself_is_forgotten_and_nobody_can_say_it_of_others() {
    let stage = Stage::open().await;
    stage.send(&follow(ALICE, 1)).await;
    stage.send(&act("Delete", BOB, 1, json!(ALICE))).await;
    assert!(is_follower(&stage, ALICE).await);
    stage
        .send(&act(
            "Delete",
            ALICE,
            1,
            json!({ "id": ALICE, "type": "Tombstone" }),
        ))
        .await;
    assert!(!is_follower(&stage, ALICE).await);
}

// Case 54 of docs/federation-cases.md.
#[tokio::test]
async fn who_blocks_us_follows_no_longer_and_gets_nothing_more() {
    let stage = Stage::open().await;
    stage.send(&follow(ALICE, 1)).await;
    stage
        .send(&act(
            "Block",
            BOB,
            1,
            json!("https://other.example/users/carol"),
        ))
        .await;
    assert!(!stage.tables().is_blocked_by(BOB).await.unwrap());
    stage.send(&act("Block", ALICE, 1, json!(US))).await;
    assert!(!is_follower(&stage, ALICE).await);
    assert!(stage.tables().is_blocked_by(ALICE).await.unwrap());
    stage
        .send(&act("Undo", ALICE, 2, act("Block", ALICE, 1, json!(US))))
        .await;
    assert!(!stage.tables().is_blocked_by(ALICE).await.unwrap());
}

// Case 54 of docs/federation-cases.md.
#[tokio::test]
async fn what_we_do_not_know_is_taken_and_changes_nothing() {
    let stage = Stage::open().await;
    stage.send(&follow(ALICE, 1)).await;
    let queued = stage.queued().await;
    let target = json!("https://other.example/users/alice");
    let mut moved = act("Move", ALICE, 1, json!(ALICE));
    moved["target"] = target;
    stage.send(&moved).await;
    for (number, kind) in (2..).zip([
        "Add",
        "Remove",
        "Dislike",
        "View",
        "Question",
        "Travel",
        "FeatureRequest",
        "Flag",
    ]) {
        stage
            .send(&act(kind, ALICE, number, json!("https://other.example/1")))
            .await;
    }
    for (number, object) in (20..).zip([
        Value::Null,
        json!([]),
        json!(1),
        json!({}),
        json!([[]]),
        json!({ "id": 1 }),
    ]) {
        for kind in [
            "Follow",
            "Undo",
            "Like",
            "Announce",
            "Create",
            "Update",
            "Delete",
            "Accept",
            "Reject",
            "QuoteRequest",
            "Block",
            "Move",
            "Flag",
        ] {
            stage.send(&act(kind, ALICE, number, object.clone())).await;
        }
    }
    assert!(is_follower(&stage, ALICE).await);
    assert_eq!(stage.queued().await, queued);
    assert_eq!(queued, [DeliveryKind::Accept]);
    assert_eq!(stage.events().await.len(), 1);
}

#[tokio::test]
async fn a_complaint_about_us_is_kept_for_the_operator() {
    let stage = Stage::open().await;
    let (_, note) = stage.publish("one").await;
    let mut flag = act(
        "Flag",
        ALICE,
        1,
        json!([US, note, "https://other.example/1"]),
    );
    flag["content"] = json!("<b>spam</b> & more");
    stage.send(&flag).await;
    let (reports, _) = stage.tables().reports_page(0, 10).await.unwrap();
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].report.content, "spam & more");
    assert_eq!(reports[0].report.objects, [US.to_owned(), note]);
}
