use serde_json::json;
use server::cli::Options;
use server::testing::TestServer;

use crate::http::{PASSWORD, get, post, set_up_server};

#[tokio::test]
async fn everything_acknowledged_is_there_after_a_restart() {
    let server = set_up_server().await;
    let session = post("/api/admin/session", &json!({ "password": PASSWORD }))
        .send(&server)
        .await
        .cookie();
    let change = post("/api/admin/config/name", &json!({ "value": "Remembered" })).by_admin();
    assert_eq!(change.send(&server).await.status, 200);
    let keys = get("/api/admin/serverconfig")
        .by_admin()
        .send(&server)
        .await
        .json()["streamKeys"]
        .clone();
    let folder = server.stop().await;

    let server = TestServer::start_in(folder, Options::default()).await;
    assert!(server.setup_token().is_none());
    assert_eq!(
        get("/api/config").send(&server).await.json()["name"],
        "Remembered"
    );
    let config = get("/api/admin/serverconfig")
        .header("cookie", &session)
        .send(&server)
        .await
        .json();
    assert_eq!(config["streamKeys"], keys);
}

#[tokio::test]
async fn an_unfinished_setup_gets_a_new_link_at_the_next_start() {
    let server = TestServer::start().await;
    let old = server.setup_token().unwrap();
    let server = TestServer::start_in(server.stop().await, Options::default()).await;
    let new = server.setup_token().unwrap();
    assert_ne!(old, new);
    let answer = post(
        "/api/admin/setup",
        &json!({ "token": old, "password": PASSWORD }),
    )
    .send(&server)
    .await;
    assert_eq!(answer.status, 401);
}

#[tokio::test]
async fn the_data_folder_and_its_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let server = set_up_server().await;
    let data = server.folder.path().join("data");
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for entry in std::fs::read_dir(&data).unwrap() {
        let path = entry.unwrap().path();
        let wanted = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), wanted, "{}", path.display());
    }
}

#[tokio::test]
async fn no_usable_secret_is_in_the_data_folder() {
    let server = set_up_server().await;
    let cookie = post("/api/admin/session", &json!({ "password": PASSWORD }))
        .send(&server)
        .await
        .cookie();
    let cookie = cookie.split_once('=').unwrap().1.to_owned();
    let keys = json!({ "value": [{ "key": "canary-stream-key", "comment": "" }] });
    assert_eq!(
        post("/api/admin/config/streamkeys", &keys)
            .by_admin()
            .send(&server)
            .await
            .status,
        200
    );
    let guest = post("/api/chat/register", &json!({})).send(&server).await;
    let guest = guest.json()["accessToken"].as_str().unwrap().to_owned();
    let folder = server.stop().await;
    for entry in std::fs::read_dir(folder.path().join("data")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        for secret in [PASSWORD, &cookie, "canary-stream-key", &guest] {
            let found = bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes());
            assert!(!found, "{} holds {secret}", path.display());
        }
    }
}
