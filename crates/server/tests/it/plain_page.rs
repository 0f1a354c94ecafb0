//! The viewer page for those who do not run its script, error pages, and what installs the page as an app.

use serde_json::{Value, json};
use server::testing::TestServer;

use crate::http::{Answer, get, post, request, server_with, set_up_server};
use crate::stream::broadcast;

const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const READER: &str = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

async fn page_for(server: &TestServer, agent: &str) -> String {
    get("/").header("user-agent", agent).send(server).await.body
}

/// The lines of the head that describe the page.
fn tags(page: &str) -> Vec<&str> {
    let lines = page.lines().map(str::trim);
    lines
        .filter(|line| {
            line.starts_with("<title") || line.contains("property=\"") || line.contains("oembed")
        })
        .collect()
}

#[tokio::test]
async fn everybody_gets_the_same_preview_tags() {
    let server = server_with(&["server_url=https://live.example", "stream_title=A walk"]).await;
    let (seen, read) = (
        page_for(&server, BROWSER).await,
        page_for(&server, READER).await,
    );
    assert_eq!(tags(&seen), tags(&read));
    for tag in [
        "<title>A walk · New Rillcast server</title>",
        "<meta property=\"og:image\" content=\"https://live.example/logo/external\">",
        "<meta property=\"og:video\" content=\"https://live.example/embed/video\">",
    ] {
        assert!(tags(&seen).contains(&tag), "{tag}: {seen}");
    }
    let _client = broadcast(&server).await;
    let live = "<meta property=\"og:image\" content=\"https://live.example/thumbnail.jpg\">";
    for agent in [BROWSER, READER, "Cardyb/1.1"] {
        let page = page_for(&server, agent).await;
        assert!(tags(&page).contains(&live), "{agent}: {page}");
    }
}

#[tokio::test]
async fn readers_without_scripts_get_the_text_about_the_stream_and_its_address() {
    let server = server_with(&[
        "page_content=## About\n\nWe film *rivers*.",
        "offline_message=Back on **Friday**",
    ])
    .await;
    for agent in [BROWSER, READER] {
        let page = page_for(&server, agent).await;
        for part in [
            "<h1>New Rillcast server</h1>",
            "<p>We film <em>rivers</em>.</p>",
            "<p>Back on <strong>Friday</strong></p>",
            "<a href=\"/hls/stream.m3u8\">",
            "The stream is offline",
        ] {
            assert!(page.contains(part), "{agent}: {part}: {page}");
        }
    }
    let german = get("/").header("accept-language", "de-AT,de;q=0.9,en;q=0.5");
    let german = german.send(&server).await.body;
    assert!(german.contains("Der Stream ist offline"), "{german}");
    let arabic = get("/").header("accept-language", "ar-EG,ar;q=0.9,en;q=0.5");
    let arabic = arabic.send(&server).await.body;
    assert!(
        arabic.contains("<main class=\"plain-page\" lang=\"ar\" dir=\"rtl\">"),
        "{arabic}"
    );
    let change = post("/api/admin/config/name", &json!({ "value": "Lakes" }));
    assert_eq!(change.by_admin().send(&server).await.status, 200);
    assert!(page_for(&server, READER).await.contains("<h1>Lakes</h1>"));
}

async fn opened(server: &TestServer, path: &str) -> Answer {
    let request = get(path).header("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    request.send(server).await
}

#[tokio::test]
async fn a_person_who_opens_an_unknown_address_sees_a_page_and_a_program_reads_a_line() {
    let server = server_with(&["name=<Rivers>"]).await;
    let page = opened(&server, "/nothing/here").await;
    assert_eq!(page.status, 404);
    assert!(page.header("content-type").starts_with("text/html"));
    assert!(
        page.header("content-security-policy")
            .contains("style-src 'self'")
    );
    assert!(page.body.contains("Page not found") && page.body.contains("&lt;Rivers&gt;"));
    let own: [&str; 3] = ["/api/nothing", "/hls/nothing.txt", "/public/nothing.html"];
    for path in own {
        let answer = opened(&server, path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(
            !answer.header("content-type").starts_with("text/html"),
            "{path}"
        );
    }
    let program = get("/nothing/here").send(&server).await;
    assert_eq!(
        (program.status, program.body.trim()),
        (404, "404 page not found")
    );
}

#[tokio::test]
async fn a_person_sees_a_page_while_the_database_is_away_and_a_program_reads_why() {
    let server = server_with(&["name=Rivers"]).await;
    server.store().close().await;
    let signed_in = |path: &str| get(path).header("cookie", "rillcast_admin=some-session");
    let page = signed_in("/admin/").header("accept", "text/html");
    let page = page.header("accept-language", "de").send(&server).await;
    assert_eq!((page.status, page.header("retry-after")), (503, "5"));
    assert!(page.header("content-type").starts_with("text/html"));
    for part in ["Etwas ist schiefgegangen", "Rivers", "lang=\"de\""] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    let program = signed_in("/admin/").send(&server).await;
    assert_eq!(program.status, 503);
    assert_eq!(program.json()["code"], "database-unavailable");
    let probe = opened(&server, "/readyz").await;
    assert!(!probe.header("content-type").starts_with("text/html"));
}

#[tokio::test]
async fn other_sites_learn_how_to_show_the_player() {
    let server = server_with(&["server_url=https://live.example", "name=\"Rivers\""]).await;
    let ask = async |query: &str| get(&format!("/oembed?{query}")).send(&server).await;
    let good = ask("url=https%3A%2F%2Flive.example%2F&format=json&maxwidth=640").await;
    let embed = good.json();
    assert_eq!(good.status, 200);
    assert_eq!(
        (
            &embed["type"],
            &embed["version"],
            &embed["width"],
            &embed["height"]
        ),
        (&json!("video"), &json!("1.0"), &json!(640), &json!(360))
    );
    let html = embed["html"].as_str().unwrap();
    assert!(
        html.contains("src=\"https://live.example/embed/video\""),
        "{html}"
    );
    assert!(html.contains("title=\"&quot;Rivers&quot;\""), "{html}");
    for (query, status) in [
        ("url=https%3A%2F%2Flive.example%2F&format=xml", 501),
        ("url=https%3A%2F%2Fevil.example%2F", 404),
        ("url=nonsense", 404),
        ("format=json", 400),
        ("", 400),
    ] {
        assert_eq!(ask(query).await.status, status, "{query}");
    }
    let page = page_for(&server, BROWSER).await;
    let discovery =
        "href=\"https://live.example/oembed?url=https%3A%2F%2Flive.example%2F&amp;format=json\"";
    assert!(page.contains(discovery), "{page}");
}

#[tokio::test]
async fn the_page_can_be_installed_with_icons_made_from_the_logo() {
    let server = set_up_server().await;
    let manifest = get("/manifest.json").send(&server).await;
    assert_eq!(manifest.header("content-type"), "application/manifest+json");
    let manifest = manifest.json();
    assert_eq!(manifest["name"], "New Rillcast server");
    assert_eq!(manifest["start_url"], "/");
    let icons = manifest["icons"].as_array().unwrap();
    let addresses = icons.iter().map(|icon| icon["src"].as_str().unwrap());
    let all: Vec<&str> = addresses.chain(["/apple-touch-icon.png"]).collect();
    assert_eq!(all.len(), 4);
    for address in &all {
        let icon = get(address).send(&server).await;
        assert_eq!(
            (icon.status, icon.header("content-type")),
            (200, "image/png"),
            "{address}"
        );
        assert!(icon.bytes.starts_with(PNG), "{address}");
        let again = get(address).header("if-none-match", icon.header("etag"));
        assert_eq!(again.send(&server).await.status, 304, "{address}");
    }
    assert_eq!(get("/icon/9999.png").send(&server).await.status, 404);
    let drawing =
        "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=";
    let change = post("/api/admin/config/logo", &json!({ "value": drawing }));
    assert_eq!(change.by_admin().send(&server).await.status, 200);
    let manifest = get("/manifest.json").send(&server).await.json();
    let icons: Vec<&Value> = manifest["icons"].as_array().unwrap().iter().collect();
    assert_eq!(icons.len(), 1);
    assert_eq!(
        (&icons[0]["src"], &icons[0]["sizes"]),
        (&json!("/logo"), &json!("any"))
    );
    let touch = get("/apple-touch-icon.png").send(&server).await;
    assert!(
        touch.bytes.starts_with(PNG),
        "the built-in logo takes its place"
    );
}

#[tokio::test]
async fn the_service_worker_names_files_that_exist_and_changes_with_what_it_shows() {
    let server = set_up_server().await;
    let worker = get("/sw.js").send(&server).await;
    assert!(worker.header("content-type").starts_with("text/javascript"));
    assert_eq!(worker.header("cache-control"), "no-cache");
    assert!(!worker.body.contains("__VERSION__"), "{}", worker.body);
    let asks_twice = worker.body.contains("navigationPreload");
    assert!(!asks_twice, "for pages it has nothing to do with");
    let list = worker
        .body
        .lines()
        .find(|line| line.starts_with("const ASSETS"));
    let list = list
        .unwrap()
        .trim_start_matches("const ASSETS = ")
        .trim_end_matches(';');
    let assets: Vec<String> = serde_json::from_str(list).unwrap();
    assert!(!assets.is_empty());
    for address in assets.iter().map(String::as_str).chain(["/offline"]) {
        assert_eq!(get(address).send(&server).await.status, 200, "{address}");
    }
    let offline = get("/offline").send(&server).await.body;
    assert!(offline.contains("No connection") && offline.contains("src=\"data:image/png;base64,"));
    assert_eq!(get("/sw.js").send(&server).await.body, worker.body);
    let change = post("/api/admin/config/name", &json!({ "value": "Lakes" }));
    assert_eq!(change.by_admin().send(&server).await.status, 200);
    assert_ne!(get("/sw.js").send(&server).await.body, worker.body);
}

#[tokio::test]
async fn the_operator_can_put_a_picture_behind_the_offline_message_and_remove_it() {
    let server = set_up_server().await;
    let address = async || get("/api/config").send(&server).await.json()["offlinePicture"].clone();
    assert_eq!(address().await, Value::Null);
    assert_eq!(get("/offline-picture").send(&server).await.status, 404);
    let upload = json!({ "value": "data:image/png;base64,iVBORw0KGgo=" });
    let stranger = post("/api/admin/config/offlinepicture", &upload);
    assert_eq!(stranger.send(&server).await.status, 401);
    let text = json!({ "value": "data:text/plain;base64,aGk=" });
    let refused = post("/api/admin/config/offlinepicture", &text).by_admin();
    assert_eq!(refused.send(&server).await.status, 400);
    let change = post("/api/admin/config/offlinepicture", &upload).by_admin();
    assert_eq!(change.send(&server).await.status, 200);
    let path = address().await;
    let picture = get(path.as_str().unwrap()).send(&server).await;
    assert_eq!(
        (picture.status, picture.header("content-type")),
        (200, "image/png")
    );
    let removal = request("DELETE", "/api/admin/config/offlinepicture").by_admin();
    assert_eq!(removal.send(&server).await.status, 200);
    assert_eq!(address().await, Value::Null);
}
