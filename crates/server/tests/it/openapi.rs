//! The API description matches the code and is readable.

use server::testing::TestServer;

use crate::http::get;

#[test]
fn the_committed_description_is_in_step_with_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let made = web::openapi_document();
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &made).unwrap();
    } else {
        assert!(
            committed == made,
            "run: UPDATE_DOCS=1 cargo test -p server --test it openapi && node scripts/api-types.mjs"
        );
    }
}

#[tokio::test]
async fn the_description_is_served_to_everybody_and_sent_once() {
    let server = TestServer::start().await;
    let answer = get("/api/openapi.json").send(&server).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    assert_eq!(answer.body, web::openapi_document());
    assert_eq!(answer.json()["openapi"], "3.1.0");

    let etag = answer.header("etag");
    assert!(etag.starts_with('"'), "{etag}");
    let again = get("/api/openapi.json")
        .header("if-none-match", etag)
        .send(&server)
        .await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));

    let packed = get("/api/openapi.json").header("accept-encoding", "br, gzip");
    let packed = packed.send(&server).await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    assert!(packed.bytes.len() * 5 < answer.bytes.len());
}

#[tokio::test]
async fn the_description_can_be_read_as_a_page_without_scripts() {
    let server = TestServer::start().await;
    let answer = get("/api/docs").send(&server).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    let policy = answer.header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-"),
        "{policy}"
    );
    assert!(!policy.contains("script-src") && !policy.contains("unsafe"));
    assert!(
        answer
            .body
            .contains("<code>/api/admin/config/video/streamlatencylevel</code>")
    );
    assert!(!answer.body.contains("<script"));
}
