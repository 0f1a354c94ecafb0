//! Forged requests in the name of others, which must cost the others nothing.

use std::time::Duration;

use model::settings::table::federation::ENABLED;
use serde_json::{Value, json};
use store::federation::{
    EnqueueResult, FollowerState, MAX_UNPROVEN_BYTES, MAX_UNPROVEN_BYTES_PER_HOST, NewInboxEntry,
};

use super::proof::is_put_back;
use super::stage::{ALICE, BOB, MALLORY, Stage, follow, key, key_id, new_key, person};
use crate::peer::{redirect, reply};

const MINUTE: Duration = Duration::from_secs(60);

async fn is_follower(stage: &Stage, iri: &str) -> bool {
    stage.tables().follower(iri).await.unwrap().is_some()
}

fn view(actor: &str) -> Value {
    json!({ "id": format!("{actor}#view"), "type": "View", "actor": actor })
}

fn delete(actor: &str, number: u32) -> Value {
    json!({ "id": format!("{actor}#delete/{number}"), "type": "Delete", "actor": actor, "object": actor })
}

/// The stored form of a request.
fn stored(stage: &Stage, activity: &Value) -> NewInboxEntry {
    let parcel = stage.signed(activity);
    let headers = parcel.headers.iter();
    let headers = headers.map(|(name, value)| (name.as_str(), value.to_str().unwrap()));
    NewInboxEntry {
        key_id: key_id(activity["actor"].as_str().unwrap()),
        key_host: "remote.example".into(),
        verified_owner: None,
        target: parcel.target.clone(),
        headers: json!(headers.collect::<Vec<_>>()).to_string(),
        body: parcel.body.clone(),
    }
}

#[tokio::test]
async fn what_nobody_is_proven_to_have_sent_keeps_out_nobody_who_is_known() {
    let stage = Stage::open().await;
    stage.send(&view(ALICE)).await;
    // Not due yet, so that nothing is claimed.
    let later = stage.now() + 60 * MINUTE;
    for number in 0..MAX_UNPROVEN_BYTES / MAX_UNPROVEN_BYTES_PER_HOST {
        let entry = NewInboxEntry {
            key_host: format!("{number}.example"),
            body: vec![b' '; usize::try_from(MAX_UNPROVEN_BYTES_PER_HOST).unwrap()],
            ..stored(&stage, &follow(BOB, 1))
        };
        let queued = stage.tables().enqueue_inbox(entry, later).await.unwrap();
        assert_eq!(queued, EnqueueResult::Stored);
    }
    assert_eq!(stage.post(stage.signed(&follow(MALLORY, 1))).await, 503);
    assert_eq!(stage.post(stage.signed(&follow(ALICE, 1))).await, 202);
}

#[tokio::test]
async fn an_address_fills_only_a_part_of_the_room_for_the_unproven() {
    let stage = Stage::open().await;
    let large = |number: u32| {
        let mut activity = follow(&format!("https://other.example/users/u{number}"), 1);
        activity["summary"] = json!("x".repeat(1000 * 1024));
        stage.signed(&activity)
    };
    let mut statuses = Vec::new();
    for number in 0..5 {
        statuses.push(stage.post(large(number)).await);
    }
    assert_eq!(statuses, [202, 202, 202, 202, 429]);
    let mut other = large(9);
    other.address = "192.0.2.8".parse().unwrap();
    stage.settle().await;
    assert_eq!(stage.post(other).await, 202);
}

#[tokio::test]
async fn what_waits_behind_a_key_that_cannot_be_had_is_given_up_with_it() {
    let stage = Stage::open().await;
    stage.answer(ALICE, reply(503, "", ""));
    stage.set(&ENABLED, json!(false)).await;
    for number in 1..6 {
        let entry = stored(&stage, &follow(ALICE, number));
        let tables = stage.tables();
        let queued = tables.enqueue_inbox(entry, stage.now()).await;
        assert_eq!(queued.unwrap(), EnqueueResult::Stored);
    }
    stage.clock.advance(36 * MINUTE);
    stage.set(&ENABLED, json!(true)).await;
    // Nobody moves the clock: each is tried once, and none waits for half an hour behind the one before it.
    stage.settle().await;
    assert_eq!(stage.asked(ALICE), 1);
}

// Servers that require signatures from everybody answer like this while they cannot fetch our key.
#[tokio::test]
async fn a_server_that_does_not_know_who_asks_is_asked_again_later() {
    for status in [401, 403] {
        let stage = Stage::open().await;
        stage.answer(ALICE, reply(status, "", ""));
        assert_eq!(stage.post(stage.signed(&follow(ALICE, 1))).await, 202);
        is_put_back(&stage, MINUTE).await;
        stage.clock.advance(MINUTE);
        is_put_back(&stage, 5 * MINUTE).await;
        stage.show(ALICE, &person(ALICE));
        stage.clock.advance(5 * MINUTE);
        stage.settle().await;
        assert!(is_follower(&stage, ALICE).await, "{status}");
        // The same if the key is cached, and only its owner has to be fetched.
        stage.send(&view(BOB)).await;
        stage.answer(BOB, reply(status, "", ""));
        assert_eq!(stage.post(stage.signed(&follow(BOB, 1))).await, 202);
        is_put_back(&stage, MINUTE).await;
        stage.show(BOB, &person(BOB));
        stage.clock.advance(MINUTE);
        stage.settle().await;
        assert!(is_follower(&stage, BOB).await, "{status}");
    }
}

#[tokio::test]
async fn no_answer_to_a_farewell_tells_whom_we_know() {
    let stage = Stage::open().await;
    stage.send(&follow(ALICE, 1)).await;
    assert!(is_follower(&stage, ALICE).await);
    for actor in [ALICE, MALLORY] {
        let broken = stage
            .signed(&delete(actor, 0))
            .header("digest", "SHA-256=AAAA");
        assert_eq!(stage.post(broken).await, 401, "{actor}");
        let long = stage
            .signed(&delete(actor, 0))
            .header("x-long", &"x".repeat(17 * 1024));
        assert_eq!(stage.post(long).await, 400, "{actor}");
        // More than a single address may make us fetch.
        for number in 1..60 {
            let body = delete(actor, number).to_string().into_bytes();
            let forged = stage.signed_by(&key_id(actor), new_key(), body);
            assert_eq!(stage.post(forged).await, 202, "{actor} {number}");
        }
    }
    stage.settle().await;
    assert!(is_follower(&stage, ALICE).await);
}

#[tokio::test]
async fn nobody_is_gone_because_a_part_of_them_or_something_elsewhere_is() {
    let stage = Stage::open().await;
    stage.send(&follow(ALICE, 1)).await;
    let signed = |key_id: &str, number: u32| {
        let body = delete(ALICE, number).to_string().into_bytes();
        stage.signed_by(key_id, new_key(), body)
    };
    let post = format!("{ALICE}/statuses/1");
    let own_key = format!("{ALICE}/main-key");
    for part in [&post, &own_key] {
        stage.answer(part, reply(410, "", ""));
        stage.send_parcel(signed(part, 1)).await;
        assert!(is_follower(&stage, ALICE).await, "{part}");
    }
    stage.answer(ALICE, redirect("https://other.example/gone"));
    stage.answer("https://other.example/gone", reply(410, "", ""));
    stage.send_parcel(signed(&key_id(ALICE), 2)).await;
    assert!(is_follower(&stage, ALICE).await);
    // Alice herself.
    stage.answer(ALICE, reply(410, "", ""));
    stage.send_parcel(signed(&own_key, 3)).await;
    assert!(!is_follower(&stage, ALICE).await);
}

#[tokio::test]
async fn a_follow_that_is_repeated_or_tried_again_is_no_change_of_mind() {
    let stage = Stage::open().await;
    for number in 1..9 {
        stage.send(&follow(ALICE, number)).await;
    }
    let undo = json!({ "id": format!("{ALICE}#undo"), "type": "Undo", "actor": ALICE, "object": follow(ALICE, 8) });
    stage.send(&undo).await;
    assert!(!is_follower(&stage, ALICE).await);
    stage.send(&follow(ALICE, 9)).await;
    let known = stage.tables().follower(ALICE).await.unwrap().unwrap();
    assert_eq!(known.state, FollowerState::Accepted);
    // Whoever unfollows and follows again is ignored after a while.
    for number in 10..20 {
        let undo = json!({ "id": format!("{ALICE}#undo/{number}"), "type": "Undo", "actor": ALICE, "object": follow(ALICE, number - 1) });
        stage.send(&undo).await;
        stage.send(&follow(ALICE, number)).await;
    }
    assert!(!is_follower(&stage, ALICE).await);
}

// An id is text that others see.
#[tokio::test]
async fn an_id_with_signs_that_nobody_sees_is_refused() {
    let stage = Stage::open().await;
    for sign in ["\0", "\n", "\u{7f}"] {
        let mut activity = follow(ALICE, 1);
        activity["id"] = json!(format!("{ALICE}#follows/{sign}"));
        let body = activity.to_string().into_bytes();
        let parcel = stage.signed_by(&key_id(ALICE), key(), body);
        assert_eq!(stage.post(parcel).await, 400, "{sign:?}");
    }
}
