//! What is refused before it is stored, and what is accepted.

use std::time::Duration;

use model::settings::table::federation::{
    BLOCKED_DOMAINS, ENABLED, INBOX_PER_ADDRESS, INBOX_PER_HOST,
};
use outbound::http::{HeaderMap, Method};
use serde_json::{Value, json};
use store::federation::{EnqueueResult, MAX_INBOX_BYTES, NewInboxEntry};

use super::stage::{ALICE, BOB, MALLORY, Stage, follow, key, key_id};

// Checks 1 to 3 and case 38 of docs/federation-cases.md.
#[tokio::test]
async fn what_is_no_activity_for_us_is_refused_with_its_reason() {
    let stage = Stage::open().await;
    let good = stage.signed(&follow(ALICE, 1));
    let raw = |body: &[u8]| stage.signed_by(&key_id(ALICE), key(), body.to_vec());
    let deep = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let long = vec![b' '; 1024 * 1024 + 1];
    let mut other_method = good.clone();
    other_method.method = Method::GET;
    let mut nobody = good.clone();
    nobody.username = "somebody".into();
    let mut unsigned = good.clone();
    unsigned.headers.remove("signature");
    let table = [
        (other_method, 405),
        (nobody, 404),
        (raw(&long), 413),
        (good.clone().header("content-length", "1048577"), 413),
        (good.clone().header("content-type", "text/plain"), 415),
        (good.clone().header("content-type", ""), 415),
        (unsigned, 401),
        (good.clone().header("signature", "nonsense"), 401),
        (raw(deep(33).as_bytes()), 400),
        (raw(b"[{\"type\":\"Follow\"}]"), 400),
        (raw(b"{\"type\":\"\xff\"}"), 400),
        (raw(b"{\"id\":\"a\",\"id\":\"b\"}"), 400),
        (raw(b""), 400),
    ];
    for (number, (parcel, status)) in table.into_iter().enumerate() {
        assert_eq!(stage.post(parcel).await, status, "row {number}");
    }
    assert_eq!(stage.asked_at_all(), 0);
    assert_eq!(stage.tables().inbox_depth().await.unwrap(), 0);
    for kind in [
        "application/ld+json; profile=\"x\"",
        "application/json",
        "Application/Activity+JSON;charset=utf-8",
    ] {
        assert_eq!(
            stage.post(good.clone().header("content-type", kind)).await,
            202,
            "{kind}"
        );
    }
}

// Cases 26, 29 and 31 of docs/federation-cases.md, as far as they are about answers.
#[tokio::test]
async fn a_request_that_can_be_signed_better_is_told_so() {
    let stage = Stage::open().await;
    let good = stage.signed(&follow(ALICE, 1));
    let mut changed = good.clone();
    changed.body.push(b' ');
    assert_eq!(stage.post(changed).await, 401);
    for key_id in [
        "http://remote.example/users/alice#main-key",
        "acct:alice@remote.example",
        "https://live.example/federation/user/live#main-key",
    ] {
        let parcel = stage.signed_by(key_id, key(), follow(ALICE, 1).to_string().into_bytes());
        assert_eq!(stage.post(parcel).await, 401, "{key_id}");
    }
    stage.clock.advance(Duration::from_secs(61 * 60));
    assert_eq!(stage.post(good).await, 401);
    assert_eq!(stage.asked_at_all(), 0);
}

// Cases 31 and 63 of docs/federation-cases.md.
#[tokio::test]
async fn a_blocked_server_is_refused_before_anything_is_asked_of_it() {
    let stage = Stage::open().await;
    stage.set(&BLOCKED_DOMAINS, json!(["example"])).await;
    assert_eq!(stage.post(stage.signed(&follow(ALICE, 1))).await, 403);
    stage.set(&BLOCKED_DOMAINS, json!(["mote.example"])).await;
    assert_eq!(stage.post(stage.signed(&follow(ALICE, 1))).await, 202);
    stage.settle().await;
    stage.set(&BLOCKED_DOMAINS, json!(["remote.example"])).await;
    let before = stage.asked_at_all();
    assert_eq!(stage.post(stage.signed(&follow(BOB, 1))).await, 403);
    assert_eq!(stage.asked_at_all(), before);
}

#[tokio::test]
async fn while_federation_is_off_nothing_is_taken_and_what_waits_is_kept() {
    let stage = Stage::open().await;
    stage.set(&ENABLED, json!(false)).await;
    assert_eq!(stage.post(stage.signed(&follow(ALICE, 1))).await, 405);
    let entry = waiting(&stage, ALICE);
    stage
        .tables()
        .enqueue_inbox(entry, stage.now())
        .await
        .unwrap();
    stage.set(&ENABLED, json!(true)).await;
    stage.settle().await;
}

/// A stored request.
fn waiting(stage: &Stage, actor: &str) -> NewInboxEntry {
    let parcel = stage.signed(&follow(actor, 1));
    NewInboxEntry {
        key_id: key_id(actor),
        key_host: "remote.example".into(),
        verified_owner: None,
        target: parcel.target,
        headers: "[]".into(),
        body: parcel.body,
    }
}

// Case 39 of docs/federation-cases.md.
#[tokio::test]
async fn a_farewell_of_somebody_we_never_heard_of_is_taken_without_asking_anybody() {
    let stage = Stage::open().await;
    for (kind, object) in [
        ("Delete", json!(MALLORY)),
        ("Update", json!({ "id": MALLORY, "type": "Person" })),
    ] {
        let activity = json!({ "id": format!("{MALLORY}#{kind}"), "type": kind, "actor": MALLORY, "object": object });
        assert_eq!(stage.post(stage.signed(&activity)).await, 202);
    }
    assert_eq!(stage.tables().inbox_depth().await.unwrap(), 0);
    assert_eq!(stage.asked_at_all(), 0);
}

// Case 40 of docs/federation-cases.md.
#[tokio::test]
async fn the_same_activity_has_one_effect_however_often_it_comes() {
    let stage = Stage::open().await;
    let parcel = stage.signed(&follow(ALICE, 1));
    for _ in 0..3 {
        stage.send_parcel(parcel.clone()).await;
    }
    assert_eq!(stage.queued().await.len(), 1);
    assert_eq!(stage.events().await.len(), 1);
}

// Case 40 of docs/federation-cases.md.
#[tokio::test]
async fn a_flood_from_one_address_is_slowed_down_and_others_are_not() {
    let stage = Stage::open().await;
    stage.set(&INBOX_PER_ADDRESS, json!(20)).await;
    let mut parcel = stage.signed(&follow(ALICE, 1));
    parcel.headers.remove("signature");
    for _ in 0..20 {
        assert_eq!(stage.post(parcel.clone()).await, 401);
    }
    let refused = stage.try_post(&parcel).await.unwrap_err();
    assert_eq!(refused.status().as_u16(), 429);
    let wait = refused.retry_after().unwrap();
    let mut other = parcel.clone();
    other.address = "192.0.2.8".parse().unwrap();
    assert_eq!(stage.post(other).await, 401);
    stage.clock.advance(wait);
    assert_eq!(stage.post(parcel).await, 401);
}

#[tokio::test]
async fn an_address_can_make_us_ask_for_a_few_keys_a_minute_only() {
    let stage = Stage::open().await;
    let mut statuses = Vec::new();
    for number in 0..31 {
        let actor = format!("https://other.example/users/u{number}");
        statuses.push(stage.post(stage.signed(&follow(&actor, 1))).await);
    }
    assert_eq!(statuses.iter().filter(|status| **status == 202).count(), 30);
    assert_eq!(statuses.last(), Some(&429));
}

// A key's host is charged for what it signed, not for what is claimed in its name.
#[tokio::test]
async fn what_is_forged_in_a_servers_name_does_not_use_up_its_share() {
    let stage = Stage::open().await;
    stage.set(&INBOX_PER_HOST, json!(10)).await;
    stage.send(&follow(ALICE, 1)).await;
    let forged = |number: u32| {
        let body = follow(ALICE, number).to_string().into_bytes();
        stage.signed_by(&key_id(ALICE), super::stage::new_key(), body)
    };
    for number in 2..22 {
        assert_eq!(stage.post(forged(number)).await, 202);
    }
    stage.settle().await;
    let mut taken = 0;
    for number in 30..50 {
        let unknown =
            json!({ "id": format!("{ALICE}#views/{number}"), "type": "View", "actor": ALICE });
        match stage.post(stage.signed(&unknown)).await {
            202 => taken += 1,
            status => {
                assert_eq!(status, 429);
                break;
            }
        }
    }
    // Ten, minus the follow at the start and the one check whether the key has changed.
    assert_eq!(taken, 8);
    // No other sender is held up.
    assert_eq!(stage.post(stage.signed(&follow(MALLORY, 1))).await, 202);
}

// Case 40 of docs/federation-cases.md.
#[tokio::test]
async fn a_full_queue_asks_senders_to_come_back() {
    let stage = Stage::open().await;
    // Her key is known.
    let view = json!({ "id": format!("{ALICE}#view"), "type": "View", "actor": ALICE });
    stage.send(&view).await;
    let tables = stage.tables();
    // Not due yet, so that nothing is claimed.
    let later = stage.now() + Duration::from_secs(3600);
    let piece = usize::try_from(MAX_INBOX_BYTES / 8).unwrap();
    for _ in 0..8 {
        let entry = NewInboxEntry {
            body: vec![b' '; piece],
            verified_owner: Some(ALICE.into()),
            ..waiting(&stage, ALICE)
        };
        let queued = tables.enqueue_inbox(entry, later).await.unwrap();
        assert_eq!(queued, EnqueueResult::Stored);
    }
    let refused = stage
        .try_post(&stage.signed(&follow(ALICE, 1)))
        .await
        .unwrap_err();
    assert_eq!(refused.status().as_u16(), 503);
    assert_eq!(refused.retry_after(), Some(Duration::from_secs(60)));
}

#[tokio::test]
async fn more_headers_than_are_kept_are_refused() {
    let stage = Stage::open().await;
    let mut parcel = stage.signed(&follow(ALICE, 1));
    let mut headers: HeaderMap = parcel.headers.clone();
    headers.insert("x-long", "x".repeat(17 * 1024).parse().unwrap());
    parcel.headers = headers;
    assert_eq!(stage.post(parcel).await, 400);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    // Activities of any shape cause no panic: the handlers get them as sent.
    #[test]
    fn no_shape_of_an_activity_can_do_more_than_be_read(activity in shape()) {
        let body = activity.to_string();
        if let Ok(read) = federation::wire::ReceivedActivity::parse(body.as_bytes()) {
            let _read = (read.embedded().is_some(), federation::wire::id_of(read.object()));
            federation::wire::Person::read(&read.json).ok();
            federation::wire::ParsedNote::read(&read.json);
        }
    }
}

fn shape() -> impl proptest::strategy::Strategy<Value = Value> {
    use proptest::prelude::*;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        Just(json!(ALICE)),
        Just(json!("Note")),
    ];
    let keys = prop::sample::select(vec![
        "id",
        "type",
        "actor",
        "object",
        "to",
        "cc",
        "content",
        "contentMap",
        "inReplyTo",
        "attributedTo",
        "url",
        "icon",
        "inbox",
        "endpoints",
        "attachment",
        "name",
        "published",
        "preferredUsername",
        "href",
        "mediaType",
    ]);
    leaf.prop_recursive(4, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(keys.clone(), inner, 0..6).prop_map(|map| {
                let map = map.into_iter().map(|(key, value)| (key.to_owned(), value));
                Value::Object(map.collect())
            }),
        ]
    })
}
