//! Whether the sender of an activity is proven.

use std::time::Duration;

use federation::signature::{Signer, sign};
use model::settings::table::federation::ENABLED;
use outbound::Url;
use serde_json::json;
use store::federation::{InboxCapacity, NewInboxEntry};
use testkit::eventually;

use super::stage::{ALICE, BOB, INBOX, MALLORY, Stage, US, follow, key, key_id, new_key, person};
use crate::peer::reply;

async fn is_follower(stage: &Stage, iri: &str) -> bool {
    stage.tables().follower(iri).await.unwrap().is_some()
}

// Case 30 of docs/federation-cases.md.
#[tokio::test]
async fn what_was_signed_for_another_host_or_path_has_no_effect() {
    let stage = Stage::open().await;
    let body = follow(ALICE, 1).to_string().into_bytes();
    for url in [
        "https://other.example/federation/user/live/inbox",
        "https://live.example/inbox",
    ] {
        let mut parcel = stage.signed(&follow(ALICE, 1));
        let signer = Signer {
            key: key().clone(),
            key_id: key_id(ALICE),
        };
        parcel.headers =
            sign::cavage_post(&signer, &Url::parse(url).unwrap(), &body, stage.now()).unwrap();
        stage.send_parcel(parcel).await;
        assert!(!is_follower(&stage, ALICE).await, "{url}");
    }
    // A proxy that inserts its own name changes nothing.
    let parcel = stage
        .signed(&follow(ALICE, 1))
        .header("host", "10.0.0.1:8080");
    stage
        .send_parcel(parcel.header("x-forwarded-proto", "http"))
        .await;
    assert!(is_follower(&stage, ALICE).await);
}

#[tokio::test]
async fn the_new_signatures_are_taken_like_the_old_ones() {
    let stage = Stage::open().await;
    let mut parcel = stage.signed(&follow(ALICE, 1));
    let signer = Signer {
        key: key().clone(),
        key_id: key_id(ALICE),
    };
    parcel.headers = sign::rfc9421_post(
        &signer,
        &Url::parse(INBOX).unwrap(),
        &parcel.body,
        stage.now(),
    )
    .unwrap();
    stage.send_parcel(parcel.clone()).await;
    assert!(is_follower(&stage, ALICE).await);
}

// Case 33 of docs/federation-cases.md.
#[tokio::test]
async fn a_key_that_has_changed_is_fetched_again_once() {
    let stage = Stage::open().await;
    stage.send(&follow(ALICE, 1)).await;
    let (_, note) = stage.publish("one").await;
    let mut renewed = person(ALICE);
    renewed["publicKey"]["publicKeyPem"] = json!(new_key().public_pem());
    stage.show(ALICE, &renewed);
    let like = |number: u32| json!({ "id": format!("{ALICE}#likes/{number}"), "type": "Like", "actor": ALICE, "object": note });
    let before = stage.asked(ALICE);
    let signed = stage.signed_by(&key_id(ALICE), new_key(), like(1).to_string().into_bytes());
    stage.send_parcel(signed).await;
    assert_eq!(stage.asked(ALICE), before + 1);
    assert_eq!(
        stage.event_kinds().await,
        ["FediverseFollowed", "FediverseLiked"]
    );
    // The old key again, within ten minutes: nothing is fetched.
    stage.clock.advance(Duration::from_secs(5 * 60));
    let wrong = json!({ "id": format!("{ALICE}#undo"), "type": "Undo", "actor": ALICE, "object": follow(ALICE, 1) });
    stage.send(&wrong).await;
    assert_eq!(stage.asked(ALICE), before + 1);
    assert!(is_follower(&stage, ALICE).await);
}

// Case 34 of docs/federation-cases.md.
#[tokio::test]
async fn a_key_that_is_somebody_elses_or_not_owned_up_to_proves_nothing() {
    let stage = Stage::open().await;
    // A key on one server that claims an owner on another.
    let stolen = "https://evil.example/key";
    stage.show(
        stolen,
        &json!({ "id": stolen, "owner": ALICE, "publicKeyPem": key().public_pem() }),
    );
    // A key that its owner does not list.
    let orphan = "https://remote.example/keys/1";
    stage.show(
        orphan,
        &json!({ "id": orphan, "owner": ALICE, "publicKeyPem": key().public_pem() }),
    );
    // An owner whose document comes from elsewhere.
    let borrowed = "https://remote.example/users/carol";
    stage.show(borrowed, &person("https://other.example/users/carol"));
    for key_id in [
        stolen,
        orphan,
        "https://remote.example/users/carol#main-key",
    ] {
        let body = follow(ALICE, 1).to_string().into_bytes();
        stage
            .send_parcel(stage.signed_by(key_id, key(), body))
            .await;
        assert!(!is_follower(&stage, ALICE).await, "{key_id}");
    }
    assert!(stage.events().await.is_empty());
}

// Case 35 of docs/federation-cases.md.
#[tokio::test]
async fn nobody_speaks_for_a_neighbour_on_the_same_server() {
    let stage = Stage::open().await;
    let body = follow(BOB, 1).to_string().into_bytes();
    stage
        .send_parcel(stage.signed_by(&key_id(ALICE), key(), body))
        .await;
    assert!(!is_follower(&stage, BOB).await);
    assert!(!is_follower(&stage, ALICE).await);
}

// Actor, key, id and object must be on one server: of sixteen combinations only the pure ones have an effect.
#[tokio::test]
async fn only_what_is_of_one_server_in_every_part_is_believed() {
    let stage = Stage::open().await;
    let choices = [ALICE, MALLORY];
    let mut number = 0;
    for actor in choices {
        for signer in choices {
            for named in choices {
                for written in choices {
                    number += 1;
                    let activity = json!({
                        "id": format!("{named}/creates/{number}"), "type": "Create", "actor": actor,
                        "object": {
                            "id": format!("{written}/notes/{number}"), "type": "Note", "attributedTo": actor,
                            "content": "hi", "to": [US],
                        },
                    });
                    let before = stage.events().await.len();
                    let body = activity.to_string().into_bytes();
                    stage
                        .send_parcel(stage.signed_by(&key_id(signer), key(), body))
                        .await;
                    let is_told = stage.events().await.len() > before;
                    let is_pure = [signer, named, written].iter().all(|part| *part == actor);
                    assert_eq!(is_told, is_pure, "{actor} {signer} {named} {written}");
                }
            }
        }
    }
}

// Check 15 of docs/federation-cases.md.
#[tokio::test]
async fn an_activity_without_a_name_is_taken_only_where_nobody_has_to_name_it() {
    let stage = Stage::open().await;
    stage
        .send(&json!({ "type": "Follow", "actor": ALICE, "object": US }))
        .await;
    assert!(!is_follower(&stage, ALICE).await);
}

/// Waits until the request is put back for `pause`.
pub(super) async fn is_put_back(stage: &Stage, pause: Duration) {
    let due = stage.now() + pause;
    eventually("the request is put back", || async {
        (stage.tables().next_inbox_at().await.unwrap() == Some(due)).then_some(())
    })
    .await;
}

const MINUTE: Duration = Duration::from_secs(60);

// Case 36 of docs/federation-cases.md.
#[tokio::test]
async fn a_server_that_is_down_is_asked_again_later() {
    let stage = Stage::open().await;
    stage.answer(ALICE, reply(503, "", ""));
    assert_eq!(stage.post(stage.signed(&follow(ALICE, 1))).await, 202);
    is_put_back(&stage, MINUTE).await;
    stage.clock.advance(MINUTE);
    is_put_back(&stage, 5 * MINUTE).await;
    stage.show(ALICE, &person(ALICE));
    stage.clock.advance(5 * MINUTE);
    stage.settle().await;
    assert!(is_follower(&stage, ALICE).await);
}

// Case 36 of docs/federation-cases.md.
#[tokio::test]
async fn a_server_that_stays_down_is_given_up() {
    let stage = Stage::open().await;
    stage.answer(ALICE, reply(503, "", ""));
    assert_eq!(stage.post(stage.signed(&follow(ALICE, 1))).await, 202);
    for minutes in [1, 5, 30] {
        is_put_back(&stage, minutes * MINUTE).await;
        stage.clock.advance(minutes * MINUTE);
    }
    stage.settle().await;
    assert!(!is_follower(&stage, ALICE).await);
}

#[tokio::test]
async fn an_actor_that_cannot_be_had_at_the_moment_is_asked_for_again() {
    let stage = Stage::open().await;
    // The key is cached; then the server has trouble.
    stage
        .send(&json!({ "id": format!("{ALICE}#view"), "type": "View", "actor": ALICE }))
        .await;
    stage.answer(ALICE, reply(500, "", ""));
    assert_eq!(stage.post(stage.signed(&follow(ALICE, 1))).await, 202);
    is_put_back(&stage, MINUTE).await;
    stage.show(ALICE, &person(ALICE));
    stage.clock.advance(MINUTE);
    stage.settle().await;
    assert!(is_follower(&stage, ALICE).await);
    assert_eq!(stage.event_kinds().await, ["FediverseFollowed"]);
}

// Requests answered 202 are on disk, even if the process ends while handling them.
#[tokio::test]
async fn what_was_under_way_at_the_end_is_handled_after_the_next_start() {
    let mut stage = Stage::open().await;
    stage.set(&ENABLED, json!(false)).await;
    let parcel = stage.signed(&follow(ALICE, 1));
    let headers: Vec<(&str, &str)> = parcel
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
        .collect();
    let entry = NewInboxEntry {
        key_id: key_id(ALICE),
        key_host: "remote.example".into(),
        verified_owner: None,
        target: parcel.target.clone(),
        headers: json!(headers).to_string(),
        body: parcel.body.clone(),
    };
    stage
        .tables()
        .enqueue_inbox(entry, stage.now())
        .await
        .unwrap();
    let room = InboxCapacity {
        verified: 10,
        unproven: 10,
    };
    let claimed = stage.tables().claim_inbox(room, stage.now()).await.unwrap();
    assert_eq!(claimed.len(), 1);
    stage.set(&ENABLED, json!(true)).await;
    stage.restart().await;
    stage.settle().await;
    assert!(is_follower(&stage, ALICE).await);
}
