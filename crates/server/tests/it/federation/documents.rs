//! The actor and what it has published.

use federation::signature::PublicKey;
use serde_json::{Value, json};
use store::federation::Effects;

use super::stage::{ACTOR, adjustable, ask, change, federated, path_of, publish, read};
use crate::http::{get, server_with};

#[tokio::test]
async fn the_actor_is_a_service_with_a_key_others_can_use() {
    let server = federated(&["name=My Stream", "summary=Music & <more>"]).await;
    let actor = read(&server, "/federation/user/live").await;
    assert_eq!(
        (&actor["id"], &actor["type"]),
        (&json!(ACTOR), &json!("Service"))
    );
    assert_eq!(
        (&actor["name"], &actor["summary"]),
        (
            &json!("My Stream"),
            &json!("<p>Music &amp; &lt;more&gt;</p>")
        )
    );
    let key = &actor["publicKey"];
    assert_eq!(
        (&key["id"], &key["owner"]),
        (&json!(format!("{ACTOR}#main-key")), &json!(ACTOR))
    );
    PublicKey::from_pem(key["publicKeyPem"].as_str().unwrap()).unwrap();
    let again = read(&server, "/federation/user/live").await;
    assert_eq!(again, actor, "the key is made once");
}

#[tokio::test]
async fn the_key_survives_a_restart_and_is_sealed() {
    let server = federated(&[]).await;
    let before = read(&server, "/federation/user/live").await;
    let secret = server.store().secret("federation-identity").await.unwrap();
    assert!(secret.is_some());
    let folder = server.stop().await;
    let options = server::cli::Options {
        set: vec![
            "server_url=https://live.example".into(),
            "federation_enabled=true".into(),
        ],
        ..Default::default()
    };
    let server = server::testing::TestServer::start_in(folder, options).await;
    assert_eq!(read(&server, "/federation/user/live").await, before);
}

#[tokio::test]
async fn switching_federation_on_makes_the_key_and_a_replaced_one_can_be_taken_back() {
    let server = server_with(&["server_url=https://live.example"]).await;
    assert!(
        server
            .store()
            .secret("federation-identity")
            .await
            .unwrap()
            .is_none()
    );
    let server = adjustable().await;
    let store = server.store();
    testkit::eventually("the key is there", async || {
        store.secret("federation-identity").await.unwrap()
    })
    .await;
    let pem = async || read(&server, "/federation/user/live").await["publicKey"].clone();
    let first = pem().await;
    server.account().rotate_key(false).await.unwrap();
    let second = pem().await;
    assert_eq!(first["id"], second["id"]);
    assert_ne!(first["publicKeyPem"], second["publicKeyPem"]);
    assert!(server.account().take_back_key().await.unwrap());
    assert_eq!(pem().await, first);
    assert!(!server.account().take_back_key().await.unwrap());
}

// Case 13 of docs/federation-cases.md.
#[tokio::test]
async fn one_link_and_one_tag_are_lists_and_tags_keep_their_script() {
    let server = adjustable().await;
    let handles = json!([{ "platform": "github", "url": "https://github.example/a?b&c" }]);
    change(&server, "socialhandles", &handles).await;
    change(&server, "tags", &json!(["music"])).await;
    let actor = read(&server, "/federation/user/live").await;
    assert_eq!(actor["tag"].as_array().unwrap().len(), 1);
    let fields = actor["attachment"].as_array().unwrap();
    assert_eq!(fields.len(), 2);
    assert_eq!(fields[1]["name"], "GitHub");
    assert!(fields[1]["value"].as_str().unwrap().contains("a?b&amp;c"));
    change(&server, "tags", &json!(["C++", "日本", "<b>", "!!"])).await;
    let actor = read(&server, "/federation/user/live").await;
    let names: Vec<&str> = actor["tag"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tag| tag["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["#C", "#日本", "#b"]);
}

// Case 16 of docs/federation-cases.md.
#[tokio::test]
async fn posts_are_in_the_outbox_newest_first_and_both_their_names_resolve() {
    let server = federated(&[]).await;
    let older = publish(&server, "older", 1).await;
    let newer = publish(&server, "newer", 2).await;
    let head = read(&server, "/federation/user/live/outbox").await;
    assert_eq!(
        (&head["type"], &head["totalItems"]),
        (&json!("OrderedCollection"), &json!(2))
    );
    let page = read(&server, path_of(head["first"].as_str().unwrap())).await;
    let items = page["orderedItems"].as_array().unwrap();
    let ids: Vec<&str> = items
        .iter()
        .map(|item| item["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, [newer.create.as_str(), older.create.as_str()]);
    assert_eq!(items[0]["object"]["content"], "<p>newer</p>");
    assert_eq!(items[0]["@context"], Value::Null);
    assert!(page["@context"].is_array());
    for iri in [&older.create, &older.note] {
        let object = read(&server, path_of(iri)).await;
        assert_eq!(object["id"], **iri);
        assert_eq!(
            object["@context"][0],
            "https://www.w3.org/ns/activitystreams"
        );
    }
}

// Case 17 of docs/federation-cases.md.
#[tokio::test]
async fn a_private_account_shows_that_it_is_there_and_nothing_else() {
    let server = adjustable().await;
    super::stage::follow(&server, 1).await;
    let before = publish(&server, "for all", 1).await;
    change(&server, "federation/private", &json!(true)).await;
    let private = publish(&server, "for followers", 2).await;
    for iri in [&before.note, &before.create, &private.note] {
        assert_eq!(ask(path_of(iri)).send(&server).await.status, 404);
    }
    let outbox = read(&server, "/federation/user/live/outbox").await;
    assert_eq!(outbox["totalItems"], 0);
    let page = read(&server, "/federation/user/live/outbox?page=1").await;
    assert_eq!(
        (&page["totalItems"], &page["orderedItems"]),
        (&json!(0), &json!([]))
    );
    let followers = read(&server, "/federation/user/live/followers").await;
    assert_eq!(
        (&followers["totalItems"], &followers["first"]),
        (&json!(1), &Value::Null)
    );
    let page = read(&server, "/federation/user/live/followers?page=1").await;
    assert_eq!(page["orderedItems"], json!([]));
    let actor = read(&server, "/federation/user/live").await;
    assert_eq!(actor["manuallyApprovesFollowers"], true);
    assert_eq!(
        get("/nodeinfo/2.0").send(&server).await.json()["usage"]["localPosts"],
        0
    );
    change(&server, "federation/private", &json!(false)).await;
    assert_eq!(
        read(&server, path_of(&before.note)).await["id"],
        before.note
    );
    let kept = ask(path_of(&private.note)).send(&server).await;
    assert_eq!(kept.status, 404, "what was for followers stays theirs");
}

// Case 18 of docs/federation-cases.md.
#[tokio::test]
async fn a_deleted_post_leaves_a_tombstone() {
    let server = federated(&[]).await;
    let ids = publish(&server, "oops", 1).await;
    let at = "2026-08-18T12:00:00Z".parse().unwrap();
    let tables = server.store().federation();
    let deleted = tables
        .delete_object(ids.note.clone(), Effects::default(), at)
        .await;
    assert!(deleted.unwrap());
    let answer = ask(path_of(&ids.note)).send(&server).await;
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (410, "application/activity+json")
    );
    assert_eq!(
        answer.json(),
        json!({ "@context": "https://www.w3.org/ns/activitystreams", "id": ids.note, "type": "Tombstone",
            "deleted": "2026-08-18T12:00:00Z" })
    );
    let outbox = read(&server, "/federation/user/live/outbox").await;
    assert_eq!(outbox["totalItems"], 0);
}
