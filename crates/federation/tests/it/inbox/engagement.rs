//! Likes and boosts of our posts.

use std::time::Duration;

use model::Event;
use serde_json::{Value, json};
use store::federation::{NewObject, ObjectKind};

use super::stage::{ALICE, BOB, HOUR, MALLORY, Stage};

fn act(kind: &str, actor: &str, number: u32, object: Value) -> Value {
    let mut activity =
        json!({ "id": format!("{actor}#acts/{number}"), "type": kind, "actor": actor });
    activity["object"] = object;
    activity
}

// Case 46 of docs/federation-cases.md.
#[tokio::test]
async fn a_like_is_told_once_however_it_is_written() {
    let stage = Stage::open().await;
    let (create, note) = stage.publish("one").await;
    stage.send(&act("Like", ALICE, 1, json!(note))).await;
    stage
        .send(&act(
            "Like",
            ALICE,
            2,
            json!({ "id": note, "type": "Note" }),
        ))
        .await;
    stage.send(&act("Like", ALICE, 3, json!([note]))).await;
    // Some servers name the activity that carried the post.
    stage.send(&act("Like", BOB, 1, json!(create))).await;
    stage
        .send(&act("EmojiReact", MALLORY, 1, json!(note)))
        .await;
    let events = stage.events().await;
    assert_eq!(events.len(), 3, "{events:?}");
    let Event::FediverseLiked {
        actor,
        target,
        is_live_notification,
    } = &events[0]
    else {
        panic!("{events:?}");
    };
    assert_eq!(
        (actor.iri.as_str(), target, *is_live_notification),
        (ALICE, &note, true)
    );
    assert!(matches!(&events[1], Event::FediverseLiked { target, .. } if *target == note));
}

// Case 46 of docs/federation-cases.md.
#[tokio::test]
async fn a_boost_is_told_like_a_like_and_neither_again_after_it_was_taken_back() {
    let stage = Stage::open().await;
    let (_, note) = stage.publish("one").await;
    for kind in ["Like", "Announce"] {
        let first = act(kind, ALICE, 1, json!(note));
        let mut first = first;
        first["id"] = json!(format!("{ALICE}#{kind}/1"));
        stage.send(&first).await;
        let undo = json!({ "id": format!("{ALICE}#{kind}/undo"), "type": "Undo", "actor": ALICE, "object": first });
        stage.send(&undo).await;
        let mut again = first.clone();
        again["id"] = json!(format!("{ALICE}#{kind}/2"));
        stage.send(&again).await;
    }
    assert_eq!(
        stage.event_kinds().await,
        ["FediverseLiked", "FediverseReposted"]
    );
    let (actions, _) = stage.tables().actions_page(0, 10).await.unwrap();
    assert_eq!(actions.len(), 2);
    assert!(actions.iter().all(|action| action.undone_at.is_none()));
}

// Case 46 of docs/federation-cases.md.
#[tokio::test]
async fn only_posts_of_the_last_day_and_a_half_count() {
    let stage = Stage::open().await;
    let (_, note) = stage.publish("one").await;
    stage.clock.advance(35 * HOUR);
    stage.send(&act("Like", ALICE, 1, json!(note))).await;
    assert_eq!(stage.events().await.len(), 1);
    stage.clock.advance(2 * HOUR);
    stage.send(&act("Like", BOB, 1, json!(note))).await;
    assert_eq!(stage.events().await.len(), 1);
}

// Case 46 of docs/federation-cases.md.
#[tokio::test]
async fn what_is_no_post_of_ours_cannot_be_liked() {
    let stage = Stage::open().await;
    let offer = "https://live.example/federation/offer";
    for (iri, kind) in [
        (offer, ObjectKind::Offer),
        (
            "https://live.example/federation/stamp",
            ObjectKind::QuoteAuthorization,
        ),
    ] {
        let object = NewObject {
            iri: iri.into(),
            json: "{}".into(),
            kind,
            note: None,
            is_public: true,
            is_live_notification: false,
            at: stage.now(),
        };
        stage.tables().add_object(object).await.unwrap();
    }
    let objects = [
        json!(offer),
        json!("https://live.example/federation/stamp"),
        json!("https://live.example/federation/unknown"),
        json!("https://other.example/notes/1"),
        json!([
            "https://live.example/federation/a",
            "https://live.example/federation/b"
        ]),
        json!({ "type": "Like", "object": "x" }),
        Value::Null,
    ];
    for (number, object) in (1..).zip(objects) {
        stage
            .send(&act("Like", ALICE, number, object.clone()))
            .await;
        stage.send(&act("Announce", BOB, number, object)).await;
    }
    assert!(stage.events().await.is_empty());
}

#[tokio::test]
async fn what_every_server_says_is_in_the_log_as_it_came() {
    let stage = Stage::open().await;
    let (_, note) = stage.publish("one").await;
    let like = act("Like", ALICE, 1, json!(note));
    stage.send(&like).await;
    let unknown = act("Travel", ALICE, 2, json!(note));
    stage.send(&unknown).await;
    stage.clock.advance(Duration::from_secs(1));
    let logged = stage.store.events_after(0).await.unwrap();
    let raw: Vec<String> = logged
        .into_iter()
        .filter_map(|entry| match entry.event {
            Event::FediverseActivityReceived { json } => Some(json),
            _ => None,
        })
        .collect();
    assert_eq!(raw, [like.to_string(), unknown.to_string()]);
}
