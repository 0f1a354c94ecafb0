//! Upload, enabling, approval and removal of a plugin.

use serde_json::{Value, json};

use super::fake::server;
use super::{entry, form, package, read, tell, upload};
use crate::http::{get, request};

#[tokio::test]
async fn a_plugin_is_uploaded_listed_enabled_disabled_and_uninstalled() {
    let server = server().await;
    assert_eq!(entry(&server, "bell").await, Value::Null);
    let answer = upload(&server, "any.ocpkg", &package(&json!({}), "")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let made = answer.json();
    for (key, value) in [
        ("slug", json!("bell")),
        ("name", json!("Door Bell")),
        ("botDisplayName", json!("Door Bell")),
        ("version", json!("1.0")),
        ("description", json!("It rings.")),
        ("category", json!("chat-bots")),
        ("permissions", json!(["chat.send"])),
        ("enabled", json!(false)),
        ("loaded", json!(false)),
        ("hasIcon", json!(true)),
        ("hasInstructions", json!(true)),
        ("runtime", json!("python")),
        ("autoDisabled", Value::Null),
        ("pendingPermissions", Value::Null),
        ("lastError", Value::Null),
        ("included", Value::Null),
        ("replacesIncluded", Value::Null),
    ] {
        assert_eq!(made[key], value, "{key} in {made}");
    }
    assert!(
        made["path"]
            .as_str()
            .unwrap()
            .ends_with("/plugins/bell.ocpkg")
    );
    assert!(made["discoveredAt"].is_string());
    let words = &made["permissionDetails"][0];
    assert_eq!(
        (&words["name"], &words["pending"]),
        (&json!("chat.send"), &json!(false))
    );
    assert_eq!(entry(&server, "bell").await, made);

    let answer = tell(&server, "bell/enable").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(
        answer.json(),
        json!({ "status": "ok", "slug": "bell", "action": "enable" })
    );
    let running = entry(&server, "bell").await;
    assert_eq!(
        (&running["enabled"], &running["loaded"], &running["running"]),
        (&json!(true), &json!(true), &json!(true))
    );
    assert_eq!(running["memoryBytes"], 7_000_000);
    assert_eq!(
        tell(&server, "bell/reload").await.json()["action"],
        "reload"
    );
    assert_eq!(
        tell(&server, "bell/disable").await.json()["action"],
        "disable"
    );
    assert_eq!(entry(&server, "bell").await["loaded"], false);
    assert_eq!(
        tell(&server, "bell/uninstall").await.json()["action"],
        "uninstall"
    );
    assert_eq!(entry(&server, "bell").await, Value::Null);
}

#[tokio::test]
async fn an_upload_that_is_refused_says_why() {
    let server = server().await;
    let good = package(&json!({}), "");
    let cases = [
        (
            form(&server, "other", "x.ocpkg", &good).await,
            "no file in the field",
        ),
        (upload(&server, "x.zip", &good).await, "end with .ocpkg"),
        (upload(&server, "x.ocpkg", b"").await, "empty"),
        (
            upload(&server, "x.ocpkg", b"nonsense that is no archive").await,
            "not a ZIP",
        ),
        (
            upload(&server, "x.ocpkg", &package(&json!({ "api": "2" }), "")).await,
            "api: is another version",
        ),
        (
            upload(&server, "x.ocpkg", &package(&json!({}), "fail")).await,
            "Traceback: line 1",
        ),
    ];
    for (answer, why) in cases {
        assert_eq!(answer.status, 400, "{answer:?}");
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(why), "{error:?} does not say {why:?}");
    }
    assert_eq!(upload(&server, "x.ocpkg", &good).await.status, 200);
    let again = upload(&server, "x.ocpkg", &good).await;
    assert_eq!(again.status, 400);
    assert!(again.body.contains("already installed"), "{again:?}");
    let folder = server.folder.path().join("data/plugins");
    assert_eq!(
        std::fs::read_dir(folder).unwrap().count(),
        1,
        "nothing else was left behind"
    );
}

#[tokio::test]
async fn a_package_over_fifty_mebibytes_is_answered_by_413() {
    let server = server().await;
    let answer = upload(&server, "x.ocpkg", &vec![0; 50 * 1024 * 1024 + 1]).await;
    assert_eq!(answer.status, 413, "{}", answer.body);
}

#[tokio::test]
async fn what_a_newer_package_asks_for_beyond_waits_for_approval() {
    let server = server().await;
    upload(&server, "x.ocpkg", &package(&json!({}), "")).await;
    tell(&server, "bell/enable").await;
    let newer = json!({ "version": "2.0", "permissions": ["chat.send", "fediverse.post"] });
    let file = server.folder.path().join("data/plugins/bell.ocpkg");
    std::fs::write(file, package(&newer, "")).unwrap();
    let refused = tell(&server, "bell/reload").await;
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("fediverse.post"), "{refused:?}");
    let waiting = entry(&server, "bell").await;
    assert_eq!(waiting["pendingPermissions"], json!(["fediverse.post"]));
    assert_eq!(
        (&waiting["version"], &waiting["loaded"]),
        (&json!("2.0"), &json!(true))
    );
    let words = &waiting["permissionDetails"][1];
    assert_eq!(
        (&words["pending"], &words["highTrust"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(
        tell(&server, "bell/approve").await.json()["action"],
        "approve"
    );
    assert_eq!(
        entry(&server, "bell").await["pendingPermissions"],
        Value::Null
    );
    assert_eq!(tell(&server, "bell/approve").await.status, 400);
}

#[tokio::test]
async fn what_cannot_be_done_to_a_plugin_is_a_400_that_says_so() {
    let server = server().await;
    for action in ["enable", "disable", "reload", "uninstall", "approve"] {
        let answer = tell(&server, &format!("nobody/{action}")).await;
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(answer.json()["error"].as_str().unwrap().contains("nobody"));
    }
    for path in ["bell/dance", "bell"] {
        let answer = tell(&server, path).await;
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(answer.header("content-type").starts_with("text/plain"));
    }
    for (method, path) in [
        ("GET", "/bell/enable"),
        ("DELETE", ""),
        ("PUT", "/bell/auth-settings"),
    ] {
        let path = format!("/api/admin/plugins{path}");
        let answer = request(method, &path).by_admin().send(&server).await;
        assert_eq!(answer.status, 405, "{method} {path}");
    }
    upload(&server, "x.ocpkg", &package(&json!({}), "")).await;
    let file = server.folder.path().join("data/plugins/bell.ocpkg");
    std::fs::write(file, package(&json!({ "version": "2" }), "fail")).unwrap();
    tell(&server, "bell/enable").await;
    let answer = tell(&server, "bell/reload").await;
    assert_eq!(answer.status, 400);
    let told = entry(&server, "bell").await;
    assert!(
        told["lastError"].as_str().unwrap().contains("Traceback"),
        "{told}"
    );
    assert_eq!(told["enabled"], true, "the operator's wish stays");
}

#[tokio::test]
async fn files_that_cannot_be_used_are_listed_with_the_reason() {
    let server = server().await;
    let broken = || async {
        get("/api/admin/broken-plugins")
            .by_admin()
            .send(&server)
            .await
    };
    assert_eq!(broken().await.json(), json!([]));
    let file = server.folder.path().join("data/plugins/broken.ocpkg");
    std::fs::write(&file, b"no archive").unwrap();
    // Installing reads the folder.
    upload(&server, "x.ocpkg", &package(&json!({}), "")).await;
    let listed = broken().await.json();
    assert_eq!(listed[0]["path"], file.display().to_string());
    let reason = listed[0]["reason"].as_str().unwrap();
    assert!(reason.contains("ZIP"), "{listed}");
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    let stranger = get("/api/admin/broken-plugins").send(&server).await;
    assert_eq!(stranger.status, 401);
}

#[tokio::test]
async fn icon_and_buttons_are_public_and_instructions_are_not() {
    let server = server().await;
    let actions = json!([
        { "title": "Ring", "url": "/ring", "icon": "https://e.example/i.png" },
        { "title": "More", "html": "<b>hi</b><script>alert(1)</script>", "color": "red" },
    ]);
    let changes = json!({ "permissions": ["ui.modify", "http.serve"], "actions": actions });
    upload(&server, "x.ocpkg", &package(&changes, "")).await;
    let icon = get("/api/plugins/bell/icon").send(&server).await;
    assert_eq!(
        (icon.status, icon.header("content-type")),
        (200, "image/png")
    );
    assert!(
        icon.header("cache-control").contains("no-cache"),
        "{icon:?}"
    );
    assert_eq!(
        get("/api/plugins/nobody/icon").send(&server).await.status,
        404
    );
    let shown = get("/api/plugins/actions").send(&server).await;
    assert_eq!(shown.json(), json!([]), "it is not loaded");
    tell(&server, "bell/enable").await;
    let shown = get("/api/plugins/actions").send(&server).await;
    assert_eq!(
        shown.json(),
        json!([
            { "title": "Ring", "url": "/plugins/bell/ring", "icon": "https://e.example/i.png" },
            { "title": "More", "html": "<b>hi</b>", "color": "red" },
        ])
    );
    let told = read(&server, "/bell/instructions").await;
    assert_eq!((told.status, told.body.as_str()), (200, "# Ring\n"));
    assert_eq!(told.header("content-type"), "text/markdown; charset=utf-8");
    let stranger = get("/api/admin/plugins/bell/instructions")
        .send(&server)
        .await;
    assert_eq!(stranger.status, 401);
    assert_eq!(read(&server, "/nobody/instructions").await.status, 404);
}

#[tokio::test]
async fn the_operator_reads_the_log_of_one_plugin() {
    let server = server().await;
    upload(&server, "any.ocpkg", &package(&json!({}), "")).await;
    assert_eq!(read(&server, "/bell/logs").await.json(), json!([]));
    server.keep_log_of(|| {
        tracing::info!(plugin = "bell", "ding");
        tracing::info!(plugin = "forger", "dong plugin=\"bell\"");
        tracing::warn!(plugin = "bell", error = "no clapper", "it does not ring");
    });
    let lines = read(&server, "/bell/logs").await.json();
    let said: Vec<_> = lines.as_array().unwrap().iter().collect();
    assert_eq!(said.len(), 2, "{lines}");
    assert_eq!(
        (&said[0]["level"], &said[0]["message"]),
        (&json!("info"), &json!("ding"))
    );
    assert_eq!(
        (&said[1]["level"], &said[1]["message"]),
        (
            &json!("warning"),
            &json!("it does not ring error=\"no clapper\"")
        )
    );
    assert!(said[0]["time"].is_string());
    let stranger = get("/api/admin/plugins/bell/logs").send(&server).await;
    assert_eq!(stranger.status, 401);
    // Log lines of a plugin that is not installed appear in the full log only.
    assert_eq!(read(&server, "/forger/logs").await.status, 404);
}
