//! Pages for people, players and programs, and who may open the admin pages.

use serde_json::json;
use testkit::eventually;

use crate::http::{get, post, server_with, set_up_server};
use crate::stream::broadcast;

const ADMIN_PAGES: [&str; 12] = [
    "/admin/config/general/",
    "/admin/config/server/",
    "/admin/config-video",
    "/admin/config-chat/",
    "/admin/config-federation/",
    "/admin/config-notify",
    "/admin/federation/followers/",
    "/admin/chat/messages",
    "/admin/viewer-info/",
    "/admin/chat/users/",
    "/admin/stream-health",
    "/admin/hardware-info/",
];

#[tokio::test]
async fn the_admin_pages_and_documents_are_behind_the_door() {
    let server = set_up_server().await;
    assert_eq!(get("/").send(&server).await.status, 200);
    assert_eq!(get("/admin").send(&server).await.status, 301);
    assert_eq!(get("/admin/").send(&server).await.status, 401);
    let documents = [
        "status",
        "serverconfig",
        "chat/clients",
        "chat/messages",
        "followers",
        "prometheus",
    ];
    let documents = documents.map(|name| format!("/api/admin/{name}"));
    for path in ADMIN_PAGES.iter().map(ToString::to_string).chain(documents) {
        for path in [path.clone(), path.trim_end_matches('/').to_owned()] {
            assert_eq!(get(&path).send(&server).await.status, 401, "{path}");
            let inside = get(&path).by_admin().send(&server).await.status;
            assert!(matches!(inside, 200 | 301), "{path}: {inside}");
        }
    }
}

#[tokio::test]
async fn programs_that_show_previews_get_tags_and_nothing_to_run() {
    let server = server_with(&[
        "server_url=https://live.example",
        "name=A \"name\"",
        "summary=<b>x",
    ])
    .await;
    let page = get("/")
        .header(
            "user-agent",
            "http.rb/5.1 (Mastodon/4.2; +https://m.example/)",
        )
        .send(&server)
        .await;
    for (property, content) in [
        ("og:video", "https://live.example/embed/video"),
        ("og:video:type", "text/html"),
        ("og:image", "https://live.example/logo/external"),
        ("twitter:url", "https://live.example/"),
        ("twitter:image", "https://live.example/logo/external"),
        ("og:title", "A &quot;name&quot;"),
        ("og:description", "&lt;b&gt;x"),
    ] {
        let tag = format!("<meta property=\"{property}\" content=\"{content}\">");
        assert!(page.body.contains(&tag), "{tag}: {}", page.body);
    }
    assert!(!page.body.contains("<script"));
    assert!(page.header("vary").contains("user-agent"));
    let unnamed = server_with(&[]).await;
    let page = get("/")
        .header("user-agent", "Twitterbot/1.0")
        .send(&unnamed)
        .await;
    let base = format!("content=\"http://{}/embed/video\"", unnamed.address());
    assert!(page.body.contains(&base), "{}", page.body);
}

#[tokio::test]
async fn previews_show_a_picture_of_the_stream_while_it_is_live_and_the_logo_otherwise() {
    let server = server_with(&["server_url=https://live.example"]).await;
    let page = async || {
        let preview = get("/").header("user-agent", "Twitterbot/1.0");
        preview.send(&server).await.body
    };
    let tag = |image: &str| {
        format!("<meta property=\"og:image\" content=\"https://live.example/{image}\">")
    };
    let (picture, logo) = (tag("thumbnail.jpg"), tag("logo/external"));
    let mut client = broadcast(&server).await;
    let live = page().await;
    assert!(live.contains(&picture) && !live.contains(&logo), "{live}");
    client.unpublish().await.unwrap();
    eventually("the logo is back", async || {
        page().await.contains(&logo).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_player_at_the_address_of_the_page_is_sent_to_the_playlist() {
    let server = server_with(&[]).await;
    for agent in ["VLC/3.0.20", "mpv 0.38", "AppleCoreMedia/1.0", "SomePlayer"] {
        let answer = get("/").header("user-agent", agent).send(&server).await;
        assert_eq!(
            (answer.status, answer.header("location")),
            (307, "/hls/stream.m3u8"),
            "{agent}"
        );
    }
}

#[tokio::test]
async fn the_operators_script_is_loaded_by_the_viewer_page_alone() {
    let server = set_up_server().await;
    let tag = "<script src=\"/customjavascript\"";
    assert!(!get("/").send(&server).await.body.contains(tag));
    let change = post(
        "/api/admin/config/customjavascript",
        &json!({ "value": "var x = 1;" }),
    );
    assert_eq!(change.by_admin().send(&server).await.status, 200);
    let page = get("/").send(&server).await;
    assert!(page.body.contains(tag), "{}", page.body);
    assert!(
        page.header("content-security-policy")
            .contains("script-src 'self'")
    );
    assert!(
        !get("/admin/")
            .by_admin()
            .send(&server)
            .await
            .body
            .contains(tag)
    );
}

#[tokio::test]
async fn a_directory_reads_about_the_stream_only_where_it_may() {
    let server = set_up_server().await;
    let closed = get("/api/yp").send(&server).await;
    assert_eq!((closed.status, closed.body.as_str()), (404, ""));
    let change = post(
        "/api/admin/config/directoryenabled",
        &json!({ "value": true }),
    );
    assert_eq!(change.by_admin().send(&server).await.status, 200);
    let listing = get("/api/yp").send(&server).await.json();
    assert_eq!(listing["name"], "New Rillcast server");
    assert_eq!(listing["logo"], "/logo");
    assert_eq!(listing["online"], json!(false));
    assert_eq!(listing["social"], json!([]));
    assert!(listing.get("streamTitle").is_none());
    assert_eq!(listing["lastConnectTime"], json!(null));
}
