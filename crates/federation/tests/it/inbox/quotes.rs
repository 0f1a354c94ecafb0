//! Who may quote a post.

use model::Event;
use model::settings::table::federation::{ENABLE_QUOTES, PRIVATE, USERNAME};
use serde_json::{Value, json};
use store::federation::{DeliveryKind, Effects};
use testkit::eventually;

use super::stage::{ALICE, BOB, HOUR, MALLORY, Stage, US};

fn request(actor: &str, number: u32, object: &str, instrument: Value) -> Value {
    let mut activity = json!({
        "id": format!("{actor}/quote-requests/{number}"), "type": "QuoteRequest", "actor": actor,
        "object": object,
    });
    activity["instrument"] = instrument;
    activity
}

fn quote(actor: &str, number: u32) -> Value {
    json!({ "id": format!("{actor}/quotes/{number}"), "type": "Note", "attributedTo": actor, "content": "look" })
}

/// The newest answer.
async fn answer(stage: &Stage) -> Value {
    stage.sent(DeliveryKind::Quote).await.pop().unwrap()
}

// Case 53 of docs/federation-cases.md.
#[tokio::test]
async fn a_post_of_ours_may_be_quoted_and_the_proof_can_be_fetched() {
    let stage = Stage::open().await;
    let (_, note) = stage.publish("one").await;
    stage.send(&request(ALICE, 1, &note, quote(ALICE, 1))).await;
    let accept = answer(&stage).await;
    assert_eq!(accept["type"], "Accept");
    assert_eq!(accept["actor"], US);
    assert_eq!(accept["to"], json!([ALICE]));
    assert_eq!(accept["object"]["id"], format!("{ALICE}/quote-requests/1"));
    assert_eq!(accept["object"]["instrument"], format!("{ALICE}/quotes/1"));
    let stamp = accept["result"].as_str().unwrap().to_owned();
    let stored = stage.tables().object(&stamp).await.unwrap().unwrap();
    let proof: Value = serde_json::from_str(&stored.json).unwrap();
    assert_eq!(proof["id"], stamp);
    assert_eq!(proof["type"], "QuoteAuthorization");
    assert_eq!(proof["attributedTo"], US);
    assert_eq!(proof["interactingObject"], format!("{ALICE}/quotes/1"));
    assert_eq!(proof["interactionTarget"], note);
    let events = stage.events().await;
    assert!(
        matches!(events.as_slice(), [Event::FediverseQuoted { target, url, .. }]
            if *target == note && *url == format!("{ALICE}/quotes/1")),
        "{events:?}"
    );
    // The same request again: the same authorization, and no event.
    stage
        .send(&request(
            ALICE,
            2,
            &note,
            json!(format!("{ALICE}/quotes/1")),
        ))
        .await;
    assert_eq!(answer(&stage).await["result"], stamp);
    assert_eq!(stage.events().await.len(), 1);
    // A revoked authorization stays revoked.
    let revoked = stage
        .tables()
        .revoke_quote_authorization(stamp.clone(), Effects::default(), stage.now())
        .await;
    assert!(revoked.unwrap());
    stage.send(&request(ALICE, 3, &note, quote(ALICE, 1))).await;
    assert_eq!(answer(&stage).await["type"], "Reject");
}

// Case 53 of docs/federation-cases.md.
#[tokio::test]
async fn every_other_wish_to_quote_is_refused() {
    let stage = Stage::open().await;
    let (_, note) = stage.publish("one").await;
    stage.send(&request(ALICE, 1, &note, quote(ALICE, 1))).await;
    let stamp = answer(&stage).await["result"].as_str().unwrap().to_owned();
    let others_post = quote(BOB, 1);
    let table = [
        request(
            ALICE,
            2,
            "https://live.example/federation/unknown",
            quote(ALICE, 2),
        ),
        request(ALICE, 3, &stamp, quote(ALICE, 3)),
        request(ALICE, 4, &note, quote(MALLORY, 4)),
        request(ALICE, 5, &note, json!(format!("{MALLORY}/quotes/5"))),
        request(ALICE, 6, &note, others_post),
    ];
    for (number, wish) in table.iter().enumerate() {
        stage.send(wish).await;
        let refused = answer(&stage).await;
        assert_eq!(refused["type"], "Reject", "row {number}");
        assert_eq!(refused["object"]["id"], wish["id"], "row {number}");
        assert_eq!(refused.get("result"), None);
    }
    stage.set(&ENABLE_QUOTES, json!(false)).await;
    stage.send(&request(ALICE, 8, &note, quote(ALICE, 8))).await;
    assert_eq!(answer(&stage).await["type"], "Reject");
    stage.set(&ENABLE_QUOTES, json!(true)).await;
    stage.set(&PRIVATE, json!(true)).await;
    stage.send(&request(ALICE, 9, &note, quote(ALICE, 9))).await;
    assert_eq!(answer(&stage).await["type"], "Reject");
    assert_eq!(stage.events().await.len(), 1);
}

#[tokio::test]
async fn who_asks_to_quote_again_and_again_is_answered_twenty_times_an_hour() {
    let stage = Stage::open().await;
    let (_, note) = stage.publish("one").await;
    let wish = |actor: &str, number: u32| request(actor, number, &note, quote(actor, number));
    for number in 0..23 {
        stage.send(&wish(ALICE, number)).await;
    }
    let answers = async || {
        let queued = stage.queued().await;
        let answers = queued.iter().filter(|kind| **kind == DeliveryKind::Quote);
        answers.count()
    };
    assert_eq!(answers().await, 20);
    // Others are not limited by that, and her own limit ends after an hour.
    stage.send(&wish(BOB, 1)).await;
    assert_eq!(answers().await, 21);
    stage.clock.advance(HOUR);
    stage.send(&wish(ALICE, 30)).await;
    assert_eq!(answers().await, 22);
}

#[tokio::test]
async fn who_asks_for_the_post_of_a_neighbour_takes_nothing_from_them() {
    let stage = Stage::open().await;
    let (_, note) = stage.publish("one").await;
    let hers = json!(format!("{ALICE}/quotes/1"));
    stage.send(&request(BOB, 1, &note, hers.clone())).await;
    let for_bob = answer(&stage).await["result"].clone();
    stage.send(&request(ALICE, 1, &note, quote(ALICE, 1))).await;
    let for_alice = answer(&stage).await;
    assert_eq!(for_alice["type"], "Accept");
    assert_ne!(for_alice["result"], for_bob);
    // The operator revokes one: then nobody gets another for the same post.
    let stamp = for_bob.as_str().unwrap().to_owned();
    let revoked = stage
        .tables()
        .revoke_quote_authorization(stamp, Effects::default(), stage.now())
        .await;
    assert!(revoked.unwrap());
    for actor in [BOB, ALICE] {
        stage.send(&request(actor, 2, &note, hers.clone())).await;
        assert_eq!(answer(&stage).await["type"], "Reject", "{actor}");
    }
}

#[tokio::test]
async fn a_post_of_a_former_name_is_given_to_be_quoted_by_that_name() {
    let stage = Stage::open().await;
    let (_, note) = stage.publish("one").await;
    stage.set(&USERNAME, json!("stage")).await;
    eventually("the account is renamed", || async {
        let former = stage.federation.account().former_usernames();
        (former == ["live"]).then_some(())
    })
    .await;
    stage.send(&request(ALICE, 1, &note, quote(ALICE, 1))).await;
    let accept = answer(&stage).await;
    assert_eq!(accept["type"], "Accept");
    assert_eq!(accept["actor"], US);
    let stamp = accept["result"].as_str().unwrap();
    let stored = stage.tables().object(stamp).await.unwrap().unwrap();
    let proof: Value = serde_json::from_str(&stored.json).unwrap();
    assert_eq!(proof["attributedTo"], US);
}
