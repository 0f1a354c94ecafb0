use plugins::host::MAX_ACTIONS;
use serde_json::{Value, json};

use super::stage::{Stage, all};

#[tokio::test]
async fn values_are_kept_under_keys_and_an_empty_one_is_none() {
    let stage = Stage::new(all(), json!({"kv": {"seen": "3", "blank": ""}}));
    assert_eq!(stage.ok("kv_get", json!({"key": "seen"})).await, "3");
    for key in ["blank", "none"] {
        assert_eq!(stage.ok("kv_get", json!({"key": key})).await, Value::Null);
    }
    stage.ok("kv_set", json!({"key": 5, "value": true})).await;
    assert_eq!(stage.ok("kv_get", json!({"key": "5"})).await, "True");
    stage
        .ok("kv_set", json!({"key": "seen", "value": ""}))
        .await;
    assert_eq!(
        stage.ok("kv_get", json!({"key": "seen"})).await,
        Value::Null
    );
}

#[tokio::test]
async fn keys_and_values_have_a_size() {
    let stage = Stage::trusted();
    let set =
        |key: usize, value: usize| json!({"key": "k".repeat(key), "value": "v".repeat(value)});
    stage.ok("kv_set", set(512, 1024 * 1024)).await;
    stage.refused("kv_set", set(513, 1)).await;
    stage.refused("kv_set", set(0, 1)).await;
    stage.refused("kv_set", set(1, 1024 * 1024 + 1)).await;
}

#[tokio::test]
async fn the_operators_value_wins_over_the_default() {
    let stage = Stage::new(
        all(),
        json!({"config": {"greeting": "moin", "undeclared": 1}}),
    );
    for (key, value) in [
        ("greeting", json!("moin")),
        ("volume", json!(7)),
        ("empty", Value::Null),
        ("undeclared", Value::Null),
    ] {
        assert_eq!(
            stage.ok("config_get", json!({"key": key})).await,
            value,
            "{key}"
        );
    }
}

#[tokio::test]
async fn buttons_are_added_together_or_not_at_all() {
    let stage = Stage::trusted();
    let good = json!({"title": "Tip", "url": "/tip", "icon": "https://x.example/i.png"});
    stage.ok("add_actions", json!({"actions": [good]})).await;
    let why = stage
        .refused("add_actions", json!({"actions": [good, {"title": "Bad"}]}))
        .await;
    assert!(why.contains("actions[1]"), "{why}");
    let actions = stage.recorded().actions;
    assert_eq!(actions.len(), 1);
    assert_eq!(actions[0].url.as_deref(), Some("/plugins/door-bell/tip"));
    let many = vec![good; MAX_ACTIONS];
    stage.refused("add_actions", json!({"actions": many})).await;
    stage.ok("clear_actions", json!({})).await;
    assert!(stage.recorded().actions.is_empty());
}

mod in_the_database {
    use std::sync::Arc;

    use plugins::host::{DatabasePluginData, PluginData};
    use store::{LeaseName, Leases};
    use testkit::ManualClock;
    use tokio_util::sync::CancellationToken;

    use super::*;

    #[tokio::test]
    async fn everything_outlives_the_plugin() {
        let folder = tempfile::tempdir().unwrap();
        let url = store::DatabaseUrl::Sqlite(folder.path().join("main.db"));
        let key = folder.path().join("secret.key");
        let store = store::Store::open(&url, &key).await.unwrap();
        let kept = || {
            Arc::new(DatabasePluginData::new(
                store.clone(),
                Arc::new(ManualClock::default()),
            ))
        };
        let stage = || Stage::with(all(), json!({}), |parts| parts.plugin_data = kept());
        store
            .set_plugin_config(
                "door-bell",
                r#"{"volume":11}"#.into(),
                jiff::Timestamp::UNIX_EPOCH,
            )
            .await
            .unwrap();
        let first = stage();
        first.ok("kv_set", json!({"key": "k", "value": "v"})).await;
        let button = json!({"title": "Tip", "html": "<b>x</b>"});
        first.ok("add_actions", json!({"actions": [button]})).await;
        drop(first);
        let second = stage();
        assert_eq!(second.ok("kv_get", json!({"key": "k"})).await, "v");
        assert_eq!(second.ok("config_get", json!({"key": "volume"})).await, 11);
        second.ok("add_actions", json!({"actions": button})).await;
        assert_eq!(kept().actions("door-bell").await.unwrap().len(), 2);
        assert!(kept().actions("another").await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn nothing_more_is_kept_once_another_server_runs_the_plugins() {
        let folder = tempfile::tempdir().unwrap();
        let url = store::DatabaseUrl::Sqlite(folder.path().join("main.db"));
        let key = folder.path().join("secret.key");
        let one = store::Store::open(&url, &key).await.unwrap();
        let two = store::Store::open(&url, &key).await.unwrap();
        let (clock, stop) = (ManualClock::default(), CancellationToken::new());
        let (leases, keeping) = Leases::keep(
            one.clone(),
            Arc::new(clock.clone()),
            "one".into(),
            stop.clone(),
        );
        tokio::spawn(keeping);
        let lease = leases.take(LeaseName::Plugins).await;
        let kept = DatabasePluginData::new(one, Arc::new(clock));
        kept.write_under(&lease);
        kept.kv_set("bell", "k", "here").await.unwrap();
        // The holder may renew between the look and the step.
        loop {
            let rows = two.leases().await.unwrap();
            let seen = rows.into_iter().next().map(|(_, row)| row);
            let taken = two.take_lease(LeaseName::Plugins, seen, "two".into());
            if taken.await.unwrap().is_some() {
                break;
            }
        }
        assert!(kept.kv_set("bell", "k", "late").await.is_err());
        assert!(kept.set_actions("bell", &[]).await.is_err());
        let value = kept.kv_get("bell", "k").await.unwrap();
        assert_eq!(value.as_deref(), Some("here"));
        stop.cancel();
    }
}
