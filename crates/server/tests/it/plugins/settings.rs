//! The settings of a plugin and of a gate.

use serde_json::json;

use super::fake::server;
use super::{entry, package, read, send, tell, upload};
use crate::http::request;

#[tokio::test]
async fn settings_are_shown_checked_and_saved() {
    let server = server().await;
    let config = json!({
        "cooldownMs": { "type": "number", "default": 2000, "description": "how long" },
        "apiToken": { "type": "string" },
    });
    upload(
        &server,
        "x.ocpkg",
        &package(&json!({ "config": config }), ""),
    )
    .await;
    let shown = entry(&server, "bell").await;
    assert_eq!(
        shown["config"],
        json!({
            "apiToken": { "type": "string", "secret": true },
            "cooldownMs": { "type": "number", "default": 2000, "description": "how long", "secret": false },
        })
    );
    let values = read(&server, "/bell/config").await;
    assert_eq!(
        values.json(),
        json!({ "apiToken": null, "cooldownMs": 2000 })
    );
    for (body, why) in [
        (json!({ "other": 1 }), "no setting \"other\""),
        (json!({ "cooldownMs": "soon" }), "must be a number"),
        (json!([1]), "JSON"),
    ] {
        let answer = send(&server, "plugins/bell/config", &body).await;
        assert_eq!(answer.status, 400);
        assert!(
            answer.json()["error"].as_str().unwrap().contains(why),
            "{answer:?}"
        );
    }
    let saved = send(&server, "plugins/bell/config", &json!({ "apiToken": "t" })).await;
    assert_eq!(saved.json(), json!({ "status": "ok", "slug": "bell" }));
    let values = read(&server, "/bell/config").await;
    assert_eq!(
        values.json(),
        json!({ "apiToken": "t", "cooldownMs": 2000 })
    );
    let huge = json!({ "apiToken": "t".repeat(1024 * 1024) });
    assert_eq!(
        send(&server, "plugins/bell/config", &huge).await.status,
        413
    );
}

#[tokio::test]
async fn a_plugin_without_settings_has_none_to_show() {
    let server = server().await;
    upload(&server, "x.ocpkg", &package(&json!({}), "")).await;
    assert_eq!(read(&server, "/bell/config").await.status, 404);
    assert_eq!(
        send(&server, "plugins/bell/config", &json!({}))
            .await
            .status,
        404
    );
    assert_eq!(read(&server, "/bell/auth-settings").await.status, 404);
}

#[tokio::test]
async fn a_sign_in_guards_as_much_as_the_operator_says_and_there_is_one_only() {
    let server = server().await;
    for slug in ["door", "gate"] {
        let changes = json!({ "slug": slug, "permissions": ["auth.gate"] });
        upload(&server, "x.ocpkg", &package(&changes, "")).await;
    }
    let path = "plugins/gate/auth-settings";
    assert_eq!(
        read(&server, "/gate/auth-settings").await.json(),
        json!({ "accessMode": "website-only" })
    );
    for body in [
        json!({ "accessMode": "everything" }),
        json!({}),
        json!({ "accessMode": "website-only", "more": 1 }),
    ] {
        let answer = send(&server, path, &body).await;
        assert_eq!(answer.status, 400, "{body}");
    }
    let broken = request("POST", "/api/admin/plugins/gate/auth-settings")
        .by_admin()
        .raw_body("{");
    assert_eq!(broken.send(&server).await.status, 400);
    let wish = json!({ "accessMode": "website-and-stream" });
    assert_eq!(
        send(&server, path, &wish).await.json(),
        json!({ "status": "ok", "slug": "gate" })
    );
    assert_eq!(read(&server, "/gate/auth-settings").await.json(), wish);
    assert_eq!(tell(&server, "gate/enable").await.status, 200);
    let second = tell(&server, "door/enable").await;
    assert_eq!(second.status, 400);
    assert!(
        second.json()["error"]
            .as_str()
            .unwrap()
            .contains("\"gate\""),
        "{second:?}"
    );
}
