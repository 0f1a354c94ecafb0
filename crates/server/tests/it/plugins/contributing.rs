//! Plugin content on the viewer page.

use serde_json::json;

use super::serving::{install, with_plugin};
use super::tell;
use crate::http::{get, post};

const CODE: &str = "styles: .made{}\nscripts: made()\ntab: <p>made tab\npage: echo\n\
    actions: [{\"title\":\"Added\",\"html\":\"<b>x</b><script>y</script>\"}]";

fn changes() -> serde_json::Value {
    json!({
        "permissions": ["ui.modify"],
        "styles": ["theme.css"],
        "scripts": ["extra.js"],
        "extraPageContent": { "slug": "banner" },
        "tabs": { "file": { "title": "File", "content": "tab.html" }, "made": { "title": "Made" } },
        "actions": [{ "title": "Shop", "url": "https://shop.example/" }],
    })
}

const FILES: [(&str, &[u8]); 3] = [
    ("assets/theme.css", b".file{}"),
    ("assets/extra.js", b"file()"),
    ("assets/tab.html", b"<p>file tab"),
];

#[tokio::test]
async fn the_page_gets_styles_content_tabs_and_buttons_of_plugins() {
    let (server, _) = with_plugin(&changes(), CODE, &FILES).await;
    let config = get("/api/config").send(&server).await.json();
    let styles = "/* plugin bell: assets/theme.css */\n.file{}\n.made{}\n";
    assert_eq!(config["pluginStyles"], styles);
    assert_eq!(get("/pluginstyles.css").send(&server).await.body, styles);
    assert_eq!(
        config["pluginTabs"],
        json!([
            { "slug": "file", "title": "File", "html": "<!-- plugin bell: assets/tab.html -->\n<p>file tab\n", "plugin": "bell" },
            { "slug": "made", "title": "Made", "html": "<p>made tab", "plugin": "bell" },
        ])
    );
    let content = config["extraPageContent"].as_str().unwrap();
    assert!(content.starts_with(r#"{"slug":"banner"}"#), "{content}");
    let actions = config["externalActions"].as_array().unwrap();
    let titles: Vec<_> = actions.iter().map(|action| &action["title"]).collect();
    assert_eq!(titles, ["Shop", "Added"]);
    assert_eq!(actions[1]["html"], "<b>x</b>");
    let listed = get("/api/plugins/actions").send(&server).await.json();
    assert_eq!(listed[0]["title"], "Shop");
}

#[tokio::test]
async fn content_of_plugins_also_comes_by_itself_with_their_own_styles_alone() {
    let (server, _) = with_plugin(&changes(), CODE, &FILES).await;
    let other = json!({
        "slug": "board", "name": "Board", "permissions": ["ui.modify"],
        "extraPageContent": { "content": "board.html" },
    });
    let file: (&str, &[u8]) = ("assets/board.html", b"<form>board");
    install(&server, &other, "styles: .board{}", &[file]).await;
    let silent = json!({
        "slug": "silent", "name": "Silent", "permissions": ["ui.modify"],
        "extraPageContent": { "slug": "nothing" },
    });
    install(&server, &silent, "page: ", &[]).await;
    let text = json!({ "value": "*own*<script>x</script>" });
    post("/api/admin/config/pagecontent", &text)
        .by_admin()
        .send(&server)
        .await;
    let config = get("/api/config").send(&server).await.json();
    let parts = config["pluginContent"].as_array().unwrap();
    let known = |slug: &str| parts.iter().find(|part| part["plugin"] == slug);
    assert_eq!(
        known("board").unwrap(),
        &json!({
            "plugin": "board", "title": "Board",
            "html": "<!-- plugin board: assets/board.html -->\n<form>board\n", "styles": ".board{}\n",
        })
    );
    assert_eq!(known("bell").unwrap()["title"], "Door Bell");
    assert!(known("silent").is_none());
    let texts = parts.iter().map(|part| part["html"].as_str().unwrap());
    let own = "<p><em>own</em></p>";
    let whole = config["extraPageContent"].as_str().unwrap();
    assert_eq!(whole.trim_end(), texts.collect::<String>() + own);
}

#[tokio::test]
async fn the_buttons_of_a_plugin_that_does_not_run_are_listed_nowhere() {
    let (server, fake) = with_plugin(&changes(), CODE, &FILES).await;
    let listed = async || get("/api/plugins/actions").send(&server).await.json();
    assert_eq!(listed().await.as_array().unwrap().len(), 1);
    fake.crash("bell").await;
    assert_eq!(listed().await, json!([]));
    let config = get("/api/config").send(&server).await.json();
    assert_eq!(config["externalActions"], json!([]));
}

#[tokio::test]
async fn content_can_be_about_the_viewer() {
    let (server, _) = with_plugin(&changes(), CODE, &FILES).await;
    let registered = post("/api/chat/register", &json!({ "displayName": "mira" }));
    let registered = registered.send(&server).await.json();
    let token = registered["accessToken"].as_str().unwrap();
    let config = get(&format!("/api/config?accessToken={token}"))
        .send(&server)
        .await;
    let config = config.json();
    let content = config["extraPageContent"].as_str().unwrap();
    assert!(content.contains(r#""displayName":"mira""#), "{content}");
    let config = get("/api/config").send(&server).await.json();
    assert!(
        !config["extraPageContent"]
            .as_str()
            .unwrap()
            .contains("mira")
    );
}

#[tokio::test]
async fn scripts_of_plugins_fail_for_themselves_and_never_reach_the_operators_pages() {
    let (server, _) = with_plugin(&changes(), CODE, &FILES).await;
    let own = json!({ "value": "own()" });
    post("/api/admin/config/customjavascript", &own)
        .by_admin()
        .send(&server)
        .await;
    let script = "try {\n// plugin bell: assets/extra.js\nfile()\nmade()\n} catch (error) {\n  console.error(\"plugin bell:\", error);\n}\n";
    let all = get("/customjavascript").send(&server).await;
    assert_eq!(all.body, format!("own()\n{script}"));
    let one = get("/customjavascript?plugin=bell").send(&server).await;
    assert_eq!(one.body, script);
    let mine = get("/customjavascript?plugin=").send(&server).await;
    assert_eq!(mine.body, "own()");
    let page = get("/").send(&server).await;
    assert!(
        page.body
            .contains("<script src=\"/customjavascript?plugin=bell\" defer></script>")
    );
    let (plugins, operators) = (
        page.body.find("/pluginstyles.css"),
        page.body.find("/customstyles.css"),
    );
    assert!(
        plugins.unwrap() < operators.unwrap(),
        "the operator's styles win"
    );
    let admin = get("/admin/").by_admin().send(&server).await;
    assert!(!admin.body.contains("customjavascript") && !admin.body.contains("pluginstyles"));
}

#[tokio::test]
async fn a_plugin_that_fails_or_hangs_takes_nothing_from_the_page() {
    let code = "styles: raise\ntab: never\npage: never\nscripts: raise";
    let (server, _) = with_plugin(&changes(), code, &FILES).await;
    let other = json!({
        "slug": "other", "name": "Other", "permissions": ["ui.modify"],
        "tabs": { "good": { "title": "Good" } },
    });
    install(&server, &other, "tab: here", &[]).await;
    let config = get("/api/config").send(&server).await;
    assert_eq!(config.status, 200);
    let config = config.json();
    assert_eq!(config["pluginTabs"][1]["html"], "");
    assert_eq!(config["pluginTabs"][2]["html"], "here");
    assert_eq!(
        config["pluginStyles"],
        "/* plugin bell: assets/theme.css */\n.file{}\n"
    );
}

#[tokio::test]
async fn what_a_plugin_added_last_is_shown_when_it_is_late_and_forgotten_when_it_is_unloaded() {
    let (server, fake) = with_plugin(&changes(), "tab: first", &FILES).await;
    let made = async || {
        let config = get("/api/config").send(&server).await.json();
        config["pluginTabs"][1]["html"].as_str().unwrap().to_owned()
    };
    assert_eq!(made().await, "first");
    fake.hang(true);
    assert_eq!(made().await, "first", "as it was when it last answered");
    assert_eq!(tell(&server, "bell/disable").await.status, 200);
    assert_eq!(tell(&server, "bell/enable").await.status, 200);
    assert_eq!(made().await, "");
    fake.hang(false);
    assert_eq!(made().await, "first");
}

#[tokio::test]
async fn a_plugin_without_the_permission_adds_nothing() {
    let (server, _) = with_plugin(&json!({}), CODE, &[]).await;
    let config = get("/api/config").send(&server).await.json();
    assert_eq!(
        (&config["pluginStyles"], &config["pluginTabs"]),
        (&json!(""), &json!([]))
    );
    assert_eq!(config["pluginContent"], json!([]));
    assert_eq!(get("/customjavascript").send(&server).await.body, "");
}
