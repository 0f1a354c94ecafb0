use plugins::host::{FUNCTIONS, HostCalls};
use plugins::permission::{Permission, Permissions};
use serde_json::{Value, json};

use super::stage::{Stage, all};

/// Arguments that are valid for every function.
fn args(name: &str) -> Value {
    match name {
        "send_chat" | "send_chat_action" | "notify_discord" | "fediverse_post" => {
            json!({"text": "hi"})
        }
        "send_chat_system" => json!({"body": "hi"}),
        "send_chat_to" => json!({"clientId": 1, "text": "hi"}),
        "delete_message" => json!({"id": "m1"}),
        "kick_client" => json!({"clientId": 1}),
        "kv_get" => json!({"key": "k"}),
        "kv_set" => json!({"key": "k", "value": "v"}),
        "storage_upload" => json!({"name": "a.txt", "base64": "YQ=="}),
        "fs_write" => json!({"path": "a", "base64": "YQ=="}),
        "fs_read" | "fs_delete" | "fs_exists" => json!({"path": "a"}),
        "fs_list" => json!({"dir": ""}),
        "sql_exec" => json!({"sql": "CREATE TABLE IF NOT EXISTS t (x)"}),
        "sql_query" => json!({"sql": "SELECT 1"}),
        "emit_event" => json!({"eventType": "x", "payload": {}}),
        "video_config_write" => json!({"latencyLevel": 1}),
        "notify_browser_push" => json!({"title": "t"}),
        "notify_fediverse" => json!({"type": "follow", "body": "b"}),
        "user_get" => json!({"id": "u1"}),
        "user_set_enabled" => json!({"id": "u1", "enabled": false, "reason": ""}),
        "ban_ip" => json!({"ip": "198.51.100.7"}),
        "users_register" => json!({"authId": "a"}),
        "auth_grant_session" => json!({"userId": "u1"}),
        "sse_send" => json!({"channel": "", "event": "", "data": "x"}),
        "add_actions" => json!({"actions": [{"title": "t", "url": "https://x.example"}]}),
        "timer_set" => json!({"id": 1, "delayMs": 1000, "repeat": false}),
        "timer_clear" => json!({"id": 1}),
        "config_get" => json!({"key": "volume"}),
        "asset_read" => json!({"path": "img/a.bin"}),
        "log_info" | "log_warning" | "log_error" => json!({"text": "m"}),
        "fetch" => json!({"url": "https://api.example.com/", "method": "GET", "headers": {}}),
        _ => json!({}),
    }
}

fn given() -> Value {
    json!({"httpResponses": [{"url": "*", "body": "x"}]})
}

/// The recorded effects of a call as text, without refusals.
fn traces(stage: &Stage) -> String {
    let mut recorded = stage.recorded();
    recorded.denials.clear();
    let files = std::fs::read_dir(stage.folder.path()).unwrap().count();
    format!("{recorded:?} {files}")
}

#[tokio::test]
async fn each_function_without_its_permission_is_refused_logged_and_without_effect() {
    assert_eq!(FUNCTIONS.len(), 50, "49 functions and fetch");
    for function in FUNCTIONS {
        let Some(needed) = function.needs else {
            continue;
        };
        let others: Permissions = all().iter().filter(|one| *one != needed).collect();
        let stage = Stage::new(others, given());
        stage.host.enter(plugins::host::Occasion::Http);
        let untouched = traces(&stage);
        let refusal = stage.refused(function.name, args(function.name)).await;
        assert!(
            refusal.contains(function.name) && refusal.contains(needed.as_str()),
            "{refusal}"
        );
        assert_eq!(traces(&stage), untouched, "{}", function.name);
        assert!(stage.host.leave().is_empty(), "{}", function.name);
        assert_eq!(
            stage.recorded().denials,
            [("door-bell".into(), function.name.into(), needed)]
        );
    }
}

#[tokio::test]
async fn each_function_works_with_its_permission_alone() {
    for function in FUNCTIONS {
        let only: Permissions = function.needs.into_iter().collect();
        let stage = Stage::new(only, given());
        stage.host.enter(plugins::host::Occasion::Http);
        if function.name == "fs_delete" {
            stage.ok("fs_write", args("fs_write")).await;
        }
        let outcome = stage.raw(function.name, args(function.name)).await;
        assert!(outcome.is_ok(), "{} {outcome:?}", function.name);
        assert!(stage.recorded().denials.is_empty());
    }
}

#[tokio::test]
async fn every_permission_that_grants_calls_is_in_the_table() {
    // These three are checked when a plugin is loaded or asked for a page.
    let elsewhere = [
        Permission::ChatFilter,
        Permission::FediverseInbound,
        Permission::HttpServe,
    ];
    for permission in Permission::ALL {
        let grants = FUNCTIONS.iter().any(|one| one.needs == Some(*permission));
        assert_eq!(grants, !elsewhere.contains(permission), "{permission}");
    }
}

#[tokio::test]
async fn what_is_no_function_or_no_argument_is_an_error_that_says_so() {
    let stage = Stage::trusted();
    assert!(stage.refused("rm_rf", json!({})).await.contains("rm_rf"));
    for function in FUNCTIONS {
        for nonsense in [
            "",
            "{",
            "[]",
            "7",
            "null",
            "\"x\"",
            "{\"text\":[1]}",
            "{\"id\":{}}",
        ] {
            // Whatever it answers, it must answer.
            let _ = stage.host.call(function.name, nonsense).await;
        }
    }
    let why = stage.refused("send_chat", json!({"text": ["a"]})).await;
    assert!(why.contains("expected a text, got a list"), "{why}");
    let why = stage.refused("kick_client", json!({"clientId": "x"})).await;
    assert!(why.contains("expected a whole number"), "{why}");
    let why = stage.refused("kv_set", json!({"key": "a"})).await;
    assert!(why.contains("value"), "{why}");
}

#[tokio::test]
async fn a_plugin_that_is_no_longer_loaded_can_do_nothing() {
    let stage = Stage::trusted();
    stage.host.close();
    for function in FUNCTIONS {
        let why = stage.refused(function.name, args(function.name)).await;
        assert!(why.contains("no longer loaded"), "{why}");
    }
    assert!(stage.recorded().chat_sends.is_empty());
}
