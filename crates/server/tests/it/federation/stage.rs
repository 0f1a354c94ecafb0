//! A server with federation on, and what other servers do to it.

use federation::document::note::{PostIds, operator_post};
use jiff::Timestamp;
use serde_json::{Value, json};
use server::testing::TestServer;
use store::federation::{
    Effects, FollowerProfile, FollowerState, NewFollower, NewObject, ObjectKind,
};
use testkit::eventually;

use crate::http::{Answer, Request, get, post, server_with, set_up_server};

pub(super) const ACTOR: &str = "https://live.example/federation/user/live";
pub(super) const AP: &str = "application/activity+json";

/// A server with federation on and settings chosen by the test.
pub(super) async fn federated(more: &[&str]) -> TestServer {
    let mut set = vec!["server_url=https://live.example", "federation_enabled=true"];
    set.extend(more);
    server_with(&set).await
}

/// A server with federation on whose settings can be changed.
pub(super) async fn adjustable() -> TestServer {
    let server = set_up_server().await;
    for (path, value) in [
        ("serverurl", json!("https://live.example")),
        ("federation/enable", json!(true)),
    ] {
        change(&server, path, &value).await;
    }
    server
}

pub(crate) async fn change(server: &TestServer, path: &str, value: &Value) {
    let request = post(
        &format!("/api/admin/config/{path}"),
        &json!({ "value": value }),
    );
    let answer = request.by_admin().send(server).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// A request as a server of the Fediverse sends it.
pub(super) fn ask(path: &str) -> Request {
    get(path).header("accept", AP)
}

pub(super) async fn read(server: &TestServer, path: &str) -> Value {
    let answer = ask(path).send(server).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    assert_eq!(answer.header("content-type"), AP, "{path}");
    answer.json()
}

/// The Note of the only post, once it exists.
pub(crate) async fn announced(server: &TestServer) -> Value {
    eventually("a post about the stream", async || {
        let page = read(server, "/federation/user/live/outbox?page=1").await;
        let create = page["orderedItems"].get(0)?;
        Some(create["object"].clone())
    })
    .await
}

/// The path of one of our ids.
pub(super) fn path_of(iri: &str) -> &str {
    iri.strip_prefix("https://live.example").unwrap()
}

pub(super) fn is_to_the_page(answer: &Answer) -> bool {
    answer.status == 307
        && answer.header("location") == "/"
        && answer.header("vary").contains("Accept")
        && answer.header("cache-control") == "no-store"
}

/// Makes an account follow us and be accepted; `number` selects the account and the time.
pub(super) async fn follow(server: &TestServer, number: i64) -> String {
    let iri = format!("https://remote.example/users/u{number}");
    let new = NewFollower {
        iri: iri.clone(),
        profile: FollowerProfile {
            inbox: format!("{iri}/inbox"),
            shared_inbox: None,
            username: format!("u{number}"),
            handle: format!("@u{number}@remote.example"),
            name: format!("U {number}"),
            url: None,
            image: None,
        },
        follow_id: format!("{iri}#follow"),
        follow_json: "{}".into(),
        is_directory: false,
    };
    let at = Timestamp::from_second(1_787_000_000 + number).unwrap();
    let tables = server.store().federation();
    let added = tables.add_follower(new, FollowerState::Accepted, Effects::default(), at);
    added.await.unwrap();
    iri
}

/// Publishes a post of the operator; returns the ids of Create and Note.
pub(super) async fn publish(server: &TestServer, text: &str, second: i64) -> PostIds {
    let profile = server.account().profile().await.unwrap().unwrap();
    let ids = PostIds::new(&profile.names);
    let at = Timestamp::from_second(1_787_000_000 + second).unwrap();
    let made = operator_post(&profile, &ids, at, text, None);
    let object = |iri: String, json: &Value, kind, note| NewObject {
        iri,
        json: json.to_string(),
        kind,
        note,
        is_public: !profile.is_private,
        is_live_notification: false,
        at,
    };
    let note = made.note.id.clone();
    let objects = vec![
        object(
            made.create.id,
            &made.create.json,
            ObjectKind::Create,
            Some(note.clone()),
        ),
        object(note, &made.note.json, ObjectKind::Note, None),
    ];
    let effects = Effects {
        objects,
        ..Effects::default()
    };
    server.store().federation().send(effects, at).await.unwrap();
    ids
}
