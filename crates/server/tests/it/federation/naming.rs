//! Renaming the account.

use serde_json::{Value, json};
use server::testing::TestServer;
use store::federation::{DeliveryFilter, DeliveryKind};

use super::stage::{ACTOR, adjustable, ask, change, follow, read};
use crate::http::{get, post, request};

// Case 19 of docs/federation-cases.md.
#[tokio::test]
async fn a_renamed_account_is_found_under_both_names_and_tells_its_followers() {
    let server = adjustable().await;
    let stage = "https://live.example/federation/user/stage";
    follow(&server, 1).await;
    let before = read(&server, "/federation/user/live").await;
    change(&server, "federation/username", &json!("Stage")).await;
    // However much of it is left by then.
    let old = ask("/federation/user/live").send(&server).await;
    assert_eq!(old.status, 200);
    testkit::eventually("the old name is kept", async || {
        let is_kept = !server.account().former_usernames().is_empty();
        is_kept.then_some(())
    })
    .await;

    let old = read(&server, "/federation/user/live").await;
    let new = read(&server, "/federation/user/stage").await;
    assert_eq!(
        (&old["id"], &old["movedTo"]),
        (&json!(ACTOR), &json!(stage))
    );
    assert_eq!(
        old["publicKey"], before["publicKey"],
        "the same key under the same name"
    );
    assert_eq!(
        (&new["id"], &new["alsoKnownAs"]),
        (&json!(stage), &json!([ACTOR]))
    );
    assert_eq!(new["movedTo"], Value::Null);
    assert_eq!(
        new["publicKey"]["publicKeyPem"],
        before["publicKey"]["publicKeyPem"]
    );

    for name in ["live", "stage"] {
        let path = format!("/.well-known/webfinger?resource=acct:{name}@live.example");
        let found = get(&path).send(&server).await.json();
        assert_eq!(
            found["subject"],
            format!("acct:{name}@live.example"),
            "name, subject and actor lead to each other"
        );
    }
    for collection in ["outbox", "followers"] {
        let path = format!("/federation/user/live/{collection}");
        assert_eq!(
            read(&server, &path).await["id"],
            format!("{ACTOR}/{collection}")
        );
    }

    let filter = DeliveryFilter::default();
    let (queued, _) = server
        .store()
        .federation()
        .deliveries_page(filter, 0, 10)
        .await
        .unwrap();
    let moves: Vec<_> = queued
        .iter()
        .filter(|one| one.kind == DeliveryKind::Move)
        .collect();
    assert_eq!(moves.len(), 1, "{queued:?}");
    assert_eq!(moves[0].inbox, "https://remote.example/users/u1/inbox");
}

async fn confirm(server: &TestServer, name: &str) {
    let wish = json!({ "value": name, "confirmed": true });
    let asked = post("/api/admin/config/federation/username", &wish);
    let answer = asked.by_admin().send(server).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn a_name_the_account_had_is_taken_again_only_if_that_is_confirmed() {
    let server = adjustable().await;
    read(&server, "/federation/user/live").await;
    change(&server, "federation/username", &json!("stage")).await;
    server.account().settle().await.unwrap();
    for spelling in ["live", " LIVE "] {
        let wish = json!({ "value": spelling });
        let asked = post("/api/admin/config/federation/username", &wish);
        let answer = asked.by_admin().send(&server).await;
        assert_eq!(answer.status, 409, "{answer:?}");
        assert!(answer.body.contains("GoToSocial"), "{answer:?}");
        assert_eq!(answer.json()["code"], "account-name-former");
    }
    confirm(&server, "live").await;
}

#[tokio::test]
async fn a_former_name_can_be_deleted_and_is_nobody_then() {
    let server = adjustable().await;
    read(&server, "/federation/user/live").await;
    change(&server, "federation/username", &json!("stage")).await;
    server.account().settle().await.unwrap();
    let list = || get("/api/admin/federation/former-names").by_admin();
    let listed = list().send(&server).await.json();
    assert_eq!(listed[0]["name"], "live");
    let path = "/api/admin/federation/former-names/live";
    for status in [200, 404] {
        let answer = request("DELETE", path).by_admin().send(&server).await;
        assert_eq!(answer.status, status, "{answer:?}");
    }
    assert_eq!(list().send(&server).await.json(), json!([]));
    assert_eq!(ask("/federation/user/live").send(&server).await.status, 404);
    change(&server, "federation/username", &json!("live")).await;
}

#[tokio::test]
async fn a_name_that_was_taken_back_is_no_former_one() {
    let server = adjustable().await;
    let account = server.account();
    read(&server, "/federation/user/live").await;
    for (name, former) in [("stage", vec!["live"]), ("live", vec!["stage"])] {
        confirm(&server, name).await;
        account.settle().await.unwrap();
        let profile = account.profile().await.unwrap().unwrap();
        assert_eq!(profile.former_usernames, former);
    }
    let actor = read(&server, "/federation/user/live").await;
    assert_eq!(actor["movedTo"], Value::Null);
    assert_eq!(
        actor["alsoKnownAs"],
        json!(["https://live.example/federation/user/stage"])
    );
}

#[tokio::test]
async fn names_that_mean_something_else_and_addresses_with_a_path_are_refused() {
    let server = adjustable().await;
    for (path, value) in [
        ("federation/username", "inbox"),
        ("federation/username", "a.b"),
        ("serverurl", "https://live.example/stream"),
    ] {
        let request = post(
            &format!("/api/admin/config/{path}"),
            &json!({ "value": value }),
        );
        let answer = request.by_admin().send(&server).await;
        assert_eq!(answer.status, 400, "{path} {value}");
    }
}
