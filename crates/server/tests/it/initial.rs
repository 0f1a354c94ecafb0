//! Values for the first start.

use serde_json::json;
use server::cli::Options;
use server::testing::TestServer;

use crate::http::{get, post};

fn options(password: &str, key: &str) -> Options {
    Options {
        initial_admin_password: Some(password.into()),
        initial_stream_key: Some(key.into()),
        ..Options::default()
    }
}

async fn sign_in(server: &TestServer, password: &str) -> u16 {
    let body = json!({ "password": password });
    post("/api/admin/session", &body).send(server).await.status
}

#[tokio::test]
async fn initial_values_are_stored_at_the_first_start_and_ignored_at_later_ones() {
    let server = TestServer::start_with(options("the first password", "first-key")).await;
    assert_eq!(server.setup_token(), None, "nobody has to set it up");
    assert_eq!(server.stream_key(), "first-key");
    assert_eq!(sign_in(&server, "the first password").await, 200);
    let by_admin = get("/api/admin/serverconfig").basic("admin", "the first password");
    let config = by_admin.send(&server).await.json();
    assert_eq!(
        config["streamKeys"][0]["comment"],
        "given at the first start"
    );

    let folder = server.stop().await;
    let server = TestServer::start_in(folder, options("another password", "other-key")).await;
    assert_eq!(sign_in(&server, "another password").await, 401);
    assert_eq!(sign_in(&server, "the first password").await, 200);
    assert_eq!(server.stream_key(), "first-key");
    // They are not locked: the operator can change both as usual.
    let change = post(
        "/api/admin/config/streamkeys",
        &json!({ "value": [{ "key": "third-key" }] }),
    );
    let changed = change.basic("admin", "the first password").send(&server);
    assert_eq!(changed.await.status, 200);
    assert_eq!(server.stream_key(), "third-key");
}
