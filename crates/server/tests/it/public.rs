use serde_json::json;
use server::testing::TestServer;

use crate::http::{get, post, request, server_with, set_up_server};

#[tokio::test]
async fn status_tells_that_the_stream_is_offline() {
    let server = TestServer::start().await;
    let answer = get("/api/status").send(&server).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(
        answer.header("cache-control"),
        "no-cache, no-store, must-revalidate"
    );
    assert_eq!(answer.header("expires"), "Thu, 1 Jan 1970 00:00:00 GMT");
    let status = answer.json();
    assert_eq!(status["online"], json!(false));
    assert_eq!(status["versionNumber"], json!("0.3.0"));
    assert_eq!(status["viewerCount"], json!(0));
    assert_eq!(status["lastConnectTime"], json!(null));
    assert!(status["serverTime"].as_str().unwrap().ends_with('Z'));
}

#[tokio::test]
async fn status_omits_the_viewer_count_when_it_is_hidden() {
    let server = server_with(&["hide_viewer_count=true"]).await;
    let status = get("/api/status").send(&server).await.json();
    assert!(status.get("viewerCount").is_none(), "{status}");
}

#[tokio::test]
async fn status_says_that_joins_are_not_to_be_shown_and_nothing_while_they_are() {
    let server = TestServer::start().await;
    let status = get("/api/status").send(&server).await.json();
    assert!(status.get("chatIsCrowded").is_none(), "{status}");
    let server = server_with(&["chat_join_messages_max_people=0"]).await;
    let status = get("/api/status").send(&server).await.json();
    assert_eq!(status["chatIsCrowded"], json!(true));
}

#[tokio::test]
async fn config_shows_what_the_operator_set() {
    let server = server_with(&[
        "name=My stream",
        "offline_message=back **soon**",
        "tags=#a,b",
    ])
    .await;
    let config = get("/api/config").send(&server).await.json();
    assert_eq!(config["name"], "My stream");
    assert_eq!(
        config["offlineMessage"],
        "<p>back <strong>soon</strong></p>"
    );
    assert_eq!(config["tags"], json!(["a", "b"]));
    assert_eq!(config["logo"], "/logo");
    assert_eq!(config["federation"], json!({ "enabled": false }));
    assert!(config["appearanceVariables"].is_object() && config["externalActions"].is_array());
}

#[tokio::test]
async fn config_omits_the_stream_title_when_it_is_empty() {
    let server = server_with(&[]).await;
    assert!(
        get("/api/config")
            .send(&server)
            .await
            .json()
            .get("streamTitle")
            .is_none()
    );
    let change = post(
        "/api/admin/config/streamtitle",
        &json!({ "value": "Now on" }),
    )
    .by_admin();
    assert_eq!(change.send(&server).await.status, 200);
    assert_eq!(
        get("/api/config").send(&server).await.json()["streamTitle"],
        "Now on"
    );
    assert_eq!(
        get("/api/status").send(&server).await.json()["streamTitle"],
        "Now on"
    );
}

#[tokio::test]
async fn an_unknown_path_is_404_in_plain_text() {
    let server = TestServer::start().await;
    let answer = get("/api/nothing/here").send(&server).await;
    assert_eq!(
        (answer.status, answer.body.trim()),
        (404, "404 page not found")
    );
    assert!(answer.header("content-type").starts_with("text/plain"));
}

#[tokio::test]
async fn a_known_path_with_the_wrong_method_is_405_with_an_empty_body() {
    let server = TestServer::start().await;
    for (method, path) in [
        ("POST", "/api/status"),
        ("DELETE", "/api/config"),
        ("PUT", "/"),
    ] {
        let answer = request(method, path).send(&server).await;
        assert_eq!(
            (answer.status, answer.body.as_str()),
            (405, ""),
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn robots_follow_the_setting() {
    let server = server_with(&["disable_search_indexing=true"]).await;
    let answer = get("/robots.txt").send(&server).await;
    assert_eq!(
        answer.body,
        "User-agent: *\nDisallow: /admin\nDisallow: /api\nDisallow: /"
    );
}

#[tokio::test]
async fn custom_styles_are_a_file_of_their_own() {
    let settings = [
        "custom_styles=footer { display: none }",
        r##"appearance={"--theme-color-action":"#f00"}"##,
    ];
    let server = server_with(&settings).await;
    let page = get("/").send(&server).await.body;
    let start = page.find("/customstyles.css?v=").unwrap();
    let address: String = page[start..].chars().take_while(|c| *c != '"').collect();
    let answer = get(&address).send(&server).await;
    assert!(answer.header("content-type").starts_with("text/css"));
    assert_eq!(
        answer.body,
        ":root{--theme-color-action:#f00;}\nfooter { display: none }"
    );
}

#[tokio::test]
async fn the_server_is_healthy_and_ready() {
    let server = TestServer::start().await;
    let healthy = get("/healthz")
        .header("x-forwarded-for", "198.51.100.7")
        .send(&server)
        .await;
    assert_eq!((healthy.status, healthy.body.as_str()), (200, "ok\n"));
    assert_eq!(
        healthy.header("x-rillcast-client"),
        "127.0.0.1",
        "a stranger's header is not believed"
    );
    assert_eq!(get("/readyz").send(&server).await.status, 200);
}

#[tokio::test]
async fn every_answer_has_an_id_of_its_own() {
    let server = TestServer::start().await;
    let one = get("/api/status").send(&server).await;
    let two = get("/nothing").send(&server).await;
    assert_eq!(one.header("x-request-id").len(), 17);
    assert_ne!(one.header("x-request-id"), two.header("x-request-id"));
}

#[tokio::test]
async fn a_logo_can_be_uploaded_and_is_served_harmlessly() {
    let server = set_up_server().await;
    assert_eq!(
        get("/logo").send(&server).await.header("content-type"),
        "image/png"
    );
    // <svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>
    let svg = "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciPjxzY3JpcHQ+YWxlcnQoMSk8L3NjcmlwdD48L3N2Zz4=";
    let upload = json!({ "value": format!("data:image/svg+xml;base64,{svg}") });
    let answer = post("/api/admin/config/logo", &upload)
        .by_admin()
        .send(&server)
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let logo = get("/logo").send(&server).await;
    assert_eq!(logo.header("content-type"), "image/svg+xml");
    assert!(
        logo.header("content-security-policy")
            .starts_with("sandbox")
    );
    assert_eq!(logo.header("x-content-type-options"), "nosniff");
    let again = get("/logo")
        .header("if-none-match", logo.header("etag"))
        .send(&server)
        .await;
    assert_eq!(again.status, 304);
    let garbage = json!({ "value": "data:image/png;base64,AAAA" });
    assert_eq!(
        post("/api/admin/config/logo", &garbage)
            .by_admin()
            .send(&server)
            .await
            .status,
        400
    );
}

#[tokio::test]
async fn a_header_picture_is_there_from_its_upload_to_its_removal() {
    let server = set_up_server().await;
    let path = "/api/admin/config/headerpicture";
    assert_eq!(get("/headerpicture").send(&server).await.status, 404);
    // "\x89PNG\r\n\x1a\n" and some bytes.
    let upload = json!({ "value": "data:image/png;base64,iVBORw0KGgoAAAAA" });
    assert_eq!(post(path, &upload).send(&server).await.status, 401);
    let answer = post(path, &upload).by_admin().send(&server).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let picture = get("/headerpicture").send(&server).await;
    assert_eq!(
        (picture.status, picture.header("content-type")),
        (200, "image/png")
    );
    let garbage = json!({ "value": "data:image/png;base64,AAAA" });
    let refused = post(path, &garbage).by_admin().send(&server).await;
    assert_eq!(refused.status, 400);
    let variable = json!({ "value": { "--theme-header-picture": "url(/headerpicture?v=1)" } });
    let set = post("/api/admin/config/appearance", &variable).by_admin();
    assert_eq!(set.send(&server).await.status, 200);
    let styles = get("/customstyles.css").send(&server).await;
    assert!(styles.body.contains("url(/headerpicture?v=1)"));
    let removed = request("DELETE", path).by_admin().send(&server).await;
    assert_eq!(removed.status, 200, "{removed:?}");
    assert_eq!(get("/headerpicture").send(&server).await.status, 404);
}
