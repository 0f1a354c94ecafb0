use std::sync::Arc;
use std::time::Duration;

use plugins::host::{HostCalls, Occasion, RateLimitMode};
use serde_json::{Value, json};
use testkit::ManualClock;

use super::stage::{Stage, all};

#[tokio::test]
async fn what_a_plugin_says_reaches_the_chat() {
    let stage = Stage::trusted();
    assert_eq!(
        stage.ok("send_chat", json!({"text": 42})).await,
        Value::Null
    );
    stage.ok("send_chat_action", json!({"text": "waves"})).await;
    stage
        .ok("send_chat_system", json!({"body": "<b>x</b>"}))
        .await;
    stage
        .ok("send_chat_to", json!({"clientId": "12", "text": "psst"}))
        .await;
    let recorded = stage.recorded();
    assert_eq!(recorded.chat_sends, ["42"]);
    assert_eq!(recorded.chat_actions, ["waves"]);
    assert_eq!(recorded.chat_systems, ["<b>x</b>"]);
    assert_eq!(recorded.chat_to, [(12, "psst".to_owned())]);
}

#[tokio::test]
async fn a_connection_that_cannot_be_is_told_nothing_and_cannot_be_ended() {
    let stage = Stage::trusted();
    stage
        .ok("send_chat_to", json!({"clientId": -1, "text": "x"}))
        .await;
    assert!(stage.recorded().chat_to.is_empty());
    stage.refused("kick_client", json!({"clientId": -1})).await;
    stage.ok("kick_client", json!({"clientId": 3.0})).await;
    stage.ok("delete_message", json!({"id": "m-1"})).await;
    assert_eq!(stage.recorded().kicked_clients, [3]);
    assert_eq!(stage.recorded().deleted_messages, ["m-1"]);
}

#[tokio::test]
async fn a_text_that_is_far_too_long_is_refused() {
    let stage = Stage::trusted();
    let long = "a".repeat(70_000);
    for name in ["send_chat", "send_chat_system"] {
        let why = stage.refused(name, json!({"text": long})).await;
        assert!(why.contains("bytes"), "{why}");
    }
}

/// Sends lines until one is refused; returns how many were accepted.
async fn said(stage: &Stage, name: &str) -> usize {
    let mut count = 0;
    while let Ok(Value::Null) = stage
        .call(name, json!({"text": "x", "type": "like", "clientId": 1}))
        .await
    {
        count += 1;
        assert!(count < 1_000, "{name} has no end");
    }
    count
}

#[tokio::test]
async fn a_plugin_that_floods_the_chat_is_slowed_down() {
    let clock = ManualClock::default();
    let time = clock.clone();
    let stage = Stage::with(all(), json!({}), move |parts| {
        parts.clock = Arc::new(time);
        parts.rate_limit_mode = RateLimitMode::Clock;
    });
    assert_eq!(said(&stage, "send_chat").await, 20);
    // All ways to speak to everybody share one limit, and a new call does not reset it.
    stage.host.enter(Occasion::Http);
    for name in ["send_chat_action", "send_chat_system", "notify_fediverse"] {
        let why = stage.refused(name, json!({"text": "x", "type": "x"})).await;
        assert!(why.contains("20 lines at once and 5 a second"), "{why}");
    }
    clock.advance(Duration::from_secs(1));
    assert_eq!(said(&stage, "send_chat_system").await, 5);
    clock.advance(Duration::from_secs(60));
    assert_eq!(said(&stage, "notify_fediverse").await, 20);
    assert_eq!(said(&stage, "send_chat_to").await, 100);
    clock.advance(Duration::from_secs(1));
    assert_eq!(said(&stage, "send_chat_to").await, 25);
    let recorded = stage.recorded();
    assert_eq!(
        (recorded.chat_sends.len(), recorded.chat_to.len()),
        (20, 125)
    );
}

#[tokio::test]
async fn in_tests_of_plugins_each_call_may_speak_anew() {
    let stage = Stage::trusted();
    for _ in 0..3 {
        stage.host.enter(Occasion::Event { depth: 0 });
        assert_eq!(said(&stage, "send_chat").await, 20);
        stage.host.leave();
    }
    assert_eq!(stage.recorded().chat_sends.len(), 60);
}

#[tokio::test]
async fn history_gives_the_newest_lines_with_their_fields_in_order() {
    let lines: Vec<Value> = (0..60)
        .map(|n| {
            json!({"id": format!("m{n}"), "body": "b", "timestamp": "t", "clientId": n,
            "user": {"displayName": "mira", "id": "u"}})
        })
        .collect();
    let stage = Stage::new(all(), json!({"chatHistory": lines}));
    for (limit, first, count) in [
        (0, "m10", 50),
        (-3, "m10", 50),
        (2, "m58", 2),
        (9999, "m0", 60),
    ] {
        let got = stage.ok("chat_history", json!({"limit": limit})).await;
        assert_eq!(got[0]["id"], first);
        assert_eq!(got.as_array().unwrap().len(), count);
    }
    assert_eq!(
        stage
            .raw("chat_history", json!({"limit": 1}))
            .await
            .unwrap(),
        r#"[{"id":"m59","user":{"id":"u","displayName":"mira","displayColor":0},"clientId":59,"body":"b","timestamp":"t"}]"#
    );
}

#[tokio::test]
async fn connections_are_listed() {
    let stage = Stage::new(
        all(),
        json!({"chatClients": [{"id": 4, "displayName": "mira", "messageCount": 2}]}),
    );
    assert_eq!(
        stage.raw("chat_clients", json!({})).await.unwrap(),
        r#"[{"id":4,"displayName":"mira","messageCount":2}]"#
    );
}
