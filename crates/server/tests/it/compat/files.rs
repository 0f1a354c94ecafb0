//! Server status and static files.

use std::fs;

use server::cli::Options;
use server::testing::TestServer;

use crate::http::{PASSWORD, get, post, set_up_server};
use crate::stream::broadcast;

#[tokio::test]
async fn status_is_online_while_somebody_broadcasts() {
    let options = Options {
        admin_password: Some(PASSWORD.into()),
        stream_key: Some("my-own-key".into()),
        ..Options::default()
    };
    let server = TestServer::start_with(options).await;
    let _client = broadcast(&server).await;
    let status = get("/api/status").send(&server).await;
    assert_eq!(
        (status.status, &status.json()["online"]),
        (200, &true.into())
    );
}

#[tokio::test]
async fn a_file_of_the_public_folder_is_served_as_long_as_it_is_there() {
    let server = set_up_server().await;
    let path = "/public/7f3a.txt";
    assert_eq!(get(path).send(&server).await.status, 404);
    let folder = server.folder.path().join("data/public");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("7f3a.txt"), "exactly this").unwrap();
    let there = get(path).send(&server).await;
    assert_eq!((there.status, there.body.as_str()), (200, "exactly this"));
    assert_eq!(there.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(there.header("x-content-type-options"), "nosniff");
    let again = get(path).header("if-none-match", there.header("etag"));
    assert_eq!(again.send(&server).await.status, 304);
    fs::remove_file(folder.join("7f3a.txt")).unwrap();
    assert_eq!(get(path).send(&server).await.status, 404);
}

#[tokio::test]
async fn a_large_public_file_arrives_whole() {
    let server = set_up_server().await;
    let folder = server.folder.path().join("data/public/deep");
    fs::create_dir_all(&folder).unwrap();
    let content = "0123456789abcdef".repeat(20_000);
    fs::write(folder.join("large.bin"), &content).unwrap();
    let answer = get("/public/deep/large.bin").send(&server).await;
    assert_eq!(answer.header("content-length"), content.len().to_string());
    assert!(answer.body == content);
    fs::write(folder.join("empty.txt"), "").unwrap();
    let empty = get("/public/deep/empty.txt").send(&server).await;
    assert_eq!((empty.status, empty.body.as_str()), (200, ""));
}

#[tokio::test]
async fn no_path_leads_out_of_the_public_folder() {
    let server = set_up_server().await;
    let folder = server.folder.path().join("data/public");
    fs::create_dir_all(folder.join("sub")).unwrap();
    std::os::unix::fs::symlink("../secret.key", folder.join("link")).unwrap();
    fs::write(folder.join("a.svg"), "<svg/>").unwrap();
    for path in [
        "/public/",
        "/public/sub",
        "/public/sub/",
        "/public/../secret.key",
        "/public/%2e%2e/secret.key",
        "/public/..%2fsecret.key",
        "/public/sub/..%2f..%2fsecret.key",
        "/public//etc/passwd",
        "/public/%2fetc/passwd",
        "/public/link",
        "/public/a.svg%00",
    ] {
        let answer = get(path).send(&server).await;
        assert!(matches!(answer.status, 400 | 404), "{path}: {answer:?}");
    }
    let drawing = get("/public/a.svg").send(&server).await;
    assert_eq!(drawing.header("content-type"), "image/svg+xml");
    assert!(
        drawing
            .header("content-security-policy")
            .starts_with("sandbox")
    );
}

#[tokio::test]
async fn a_logo_in_svg_is_replaced_for_programs_that_cannot_draw_it() {
    let server = set_up_server().await;
    let svg = "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=";
    let upload = serde_json::json!({ "value": format!("data:image/svg+xml;base64,{svg}") });
    let upload = post("/api/admin/config/logo", &upload).by_admin();
    assert_eq!(upload.send(&server).await.status, 200);
    let kind = async |path: &str| {
        let answer = get(path).send(&server).await;
        answer.header("content-type").to_owned()
    };
    assert_eq!(kind("/logo").await, "image/svg+xml");
    assert_eq!(kind("/logo/external").await, "image/png");
}
