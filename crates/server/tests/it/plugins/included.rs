//! The plugins included with the server.

use serde_json::{Value, json};

use super::fake::server;
use super::{entry, package, read, tell, upload};

const SLUGS: [&str; 6] = [
    "dice",
    "live-notice",
    "password-gate",
    "poll",
    "song-wishes",
    "word-shield",
];

#[tokio::test]
async fn the_plugins_of_the_server_are_listed_and_one_call_enables_one() {
    let server = server().await;
    let list = read(&server, "").await.json();
    let list = list.as_array().unwrap();
    let slugs: Vec<_> = list
        .iter()
        .map(|one| one["slug"].as_str().unwrap())
        .collect();
    assert_eq!(slugs, SLUGS);
    for plugin in list {
        for (key, value) in [
            ("included", json!(true)),
            ("replacesIncluded", Value::Null),
            ("path", json!("")),
            ("enabled", json!(false)),
            ("hasInstructions", json!(true)),
            ("lastError", Value::Null),
        ] {
            assert_eq!(plugin[key], value, "{key} in {plugin}");
        }
    }
    assert_eq!(tell(&server, "dice/enable").await.status, 200);
    assert_eq!(entry(&server, "dice").await["running"], true);
    let told = read(&server, "/dice/instructions").await;
    assert_eq!(told.status, 200);
    let refused = tell(&server, "dice/uninstall").await;
    assert_eq!(refused.status, 400);
    let error = refused.json()["error"].as_str().unwrap().to_owned();
    assert!(error.contains("disable it instead"), "{error}");
    assert_eq!(tell(&server, "dice/disable").await.status, 200);
}

#[tokio::test]
async fn an_upload_stands_in_front_of_a_plugin_of_the_server_until_it_is_uninstalled() {
    let server = server().await;
    let own = package(&json!({ "slug": "dice", "name": "My Dice" }), "");
    let answer = upload(&server, "any.ocpkg", &own).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let made = answer.json();
    assert_eq!(
        (&made["name"], &made["included"], &made["replacesIncluded"]),
        (&json!("My Dice"), &Value::Null, &json!(true))
    );
    tell(&server, "dice/enable").await;
    assert_eq!(tell(&server, "dice/uninstall").await.status, 200);
    let back = entry(&server, "dice").await;
    assert_eq!(
        (&back["name"], &back["included"], &back["enabled"]),
        (&json!("Dice"), &json!(true), &json!(false))
    );
}
