use plugins::host::{HostCalls, MAX_EMIT_DEPTH, Occasion};
use plugins::permission::{Permission, Permissions};
use serde_json::{Value, json};

use super::stage::{Stage, all};

#[tokio::test]
async fn readers_answer_with_what_there_is() {
    let stage = Stage::trusted();
    for (name, answer) in [
        ("stream_current", r#"{"online":false,"viewers":0}"#),
        ("stream_broadcaster", "{}"),
        ("server_info", "{}"),
        ("server_socials", "[]"),
        ("server_emotes", "[]"),
        ("server_federation", r#"{"enabled":false}"#),
        ("server_tags", "[]"),
    ] {
        assert_eq!(stage.raw(name, json!({})).await.unwrap(), answer, "{name}");
    }
    let stage = Stage::new(
        all(),
        json!({"stream": {"online": true, "extra": 1}, "tags": ["a"]}),
    );
    assert_eq!(
        stage.ok("stream_current", json!({})).await,
        json!({"online": true, "extra": 1})
    );
    assert_eq!(stage.ok("server_tags", json!({})).await, json!(["a"]));
}

#[tokio::test]
async fn only_sound_wishes_for_the_video_are_taken() {
    let stage = Stage::trusted();
    for (args, word) in [
        (json!({"latencyLevel": 5}), "latencyLevel"),
        (json!({"codec": "rm -rf"}), "codec"),
        (json!({"autoplay": "loud"}), "autoplay"),
        (json!({"variants": [{"cpuUsageLevel": 9}]}), "variants[0]"),
        (json!({"variants": 7}), "wrong arguments"),
    ] {
        let why = stage.refused("video_config_write", args).await;
        assert!(why.contains(word), "{why}");
    }
    let good = json!({"latencyLevel": 2, "variants": [{"height": 720, "audioBitrate": 128}]});
    stage.ok("video_config_write", good.clone()).await;
    assert_eq!(stage.recorded().video_config_writes, [good]);
}

#[tokio::test]
async fn notices_go_out_as_objects_or_as_ready_text() {
    let stage = Stage::trusted();
    stage.ok("notify_discord", json!({"text": "live!"})).await;
    stage
        .ok("notify_browser_push", json!({"title": "t", "body": "b"}))
        .await;
    stage
        .ok(
            "notify_browser_push",
            json!({"payload": "{\"title\":\"u\"}"}),
        )
        .await;
    stage
        .ok(
            "notify_fediverse",
            json!({"type": "follow", "body": "b", "link": "l"}),
        )
        .await;
    let recorded = stage.recorded();
    assert_eq!(recorded.discord_posts, ["live!"]);
    assert_eq!(recorded.browser_pushes[0].body, "b");
    assert_eq!(recorded.browser_pushes[1].title, "u");
    assert_eq!(recorded.fediverse_posts[0].link, "l");
}

#[tokio::test]
async fn a_plugin_posts_a_few_times_an_hour() {
    let clock = testkit::ManualClock::default();
    let parts_clock = clock.clone();
    let stage = Stage::with(all(), json!({}), |parts| {
        parts.clock = std::sync::Arc::new(parts_clock);
    });
    let post = json!({"text": "hello"});
    for _ in 0..5 {
        stage.ok("fediverse_post", post.clone()).await;
    }
    let why = stage.refused("fediverse_post", post.clone()).await;
    assert!(why.contains("5 times an hour"), "{why}");
    stage.refused("fediverse_post", json!({"text": " "})).await;
    clock.advance(std::time::Duration::from_secs(3600));
    assert_eq!(
        stage.ok("fediverse_post", post).await,
        json!({"url": "mock://fediverse/door-bell/6"})
    );
}

#[tokio::test]
async fn an_emitted_event_carries_the_plugins_name_whatever_it_is_called() {
    let stage = Stage::trusted();
    let payload = json!({"b": 1, "a": [null]});
    for name in ["milestone", "orders.created", "victim.alert"] {
        stage
            .ok("emit_event", json!({"eventType": name, "payload": payload}))
            .await;
    }
    stage.ok("emit_event", json!({"eventType": "bare"})).await;
    let emits = stage.recorded().emits;
    let names: Vec<_> = emits
        .iter()
        .map(|event| event.event_type.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "door-bell.milestone",
            "door-bell.orders.created",
            "door-bell.victim.alert",
            "door-bell.bare"
        ]
    );
    assert_eq!(emits[3].payload, "null");
    stage.refused("emit_event", json!({"eventType": ""})).await;
}

#[tokio::test]
async fn events_that_cause_events_end_somewhere() {
    let stage = Stage::trusted();
    let emit = json!({"eventType": "x", "payload": 1});
    stage.host.enter(Occasion::Event {
        depth: MAX_EMIT_DEPTH - 1,
    });
    stage.ok("emit_event", emit.clone()).await;
    stage.host.enter(Occasion::Event {
        depth: MAX_EMIT_DEPTH,
    });
    let why = stage.refused("emit_event", emit.clone()).await;
    assert!(why.contains("8 emitted events"), "{why}");
    stage.host.enter(Occasion::Http);
    stage.ok("emit_event", emit).await;
    let depths: Vec<_> = stage
        .recorded()
        .emits
        .iter()
        .map(|event| event.depth)
        .collect();
    assert_eq!(depths, [MAX_EMIT_DEPTH, 1]);
}

#[tokio::test]
async fn logs_are_tidy_and_carry_a_level() {
    let stage = Stage::trusted();
    stage.ok("log_info", json!({"text": "a\nb"})).await;
    stage.ok("log_error", json!({"text": "e"})).await;
    let logs = stage.recorded().logs;
    assert_eq!(logs[0].2, "a b");
    assert_eq!(logs[1].1.as_str(), "error");
}

#[tokio::test]
async fn a_call_that_logs_without_end_is_cut_and_the_next_one_logs_again() {
    let stage = Stage::trusted();
    for occasion in [Occasion::Http, Occasion::Event { depth: 0 }] {
        stage.host.enter(occasion);
        for number in 0..1_000 {
            stage.ok("log_info", json!({ "text": number })).await;
        }
        stage.host.leave();
    }
    let logs = stage.recorded().logs;
    let said: Vec<&str> = logs.iter().map(|(_, _, text)| text.as_str()).collect();
    let cut = "… 800 more lines of this call left out";
    assert_eq!(said.len(), 402);
    assert_eq!((said[0], said[199], said[200]), ("0", "199", cut));
    assert_eq!((said[201], said[400], said[401]), ("0", "199", cut));
    assert_eq!(logs[200].1.as_str(), "warning");
}

#[tokio::test]
async fn a_call_that_is_refused_without_end_is_cut_and_the_next_one_is_told_again() {
    let stage = Stage::new(Permissions::default(), json!({}));
    for occasion in [Occasion::Http, Occasion::Event { depth: 0 }] {
        stage.host.enter(occasion);
        for _ in 0..1_000 {
            stage.refused("send_chat", json!({"text": "hi"})).await;
        }
        stage.host.leave();
    }
    let recorded = stage.recorded();
    // The first refusal is always logged, and 200 more lines like everything else.
    assert_eq!(recorded.denials.len(), 402);
    let said: Vec<&str> = recorded.logs.iter().map(|log| log.2.as_str()).collect();
    assert_eq!(said, ["… 799 more lines of this call left out"; 2]);
}

#[tokio::test]
async fn a_refusal_is_told_even_after_more_lines_than_a_call_may_log() {
    let others = all().iter().filter(|one| *one != Permission::ChatSend);
    let stage = Stage::new(others.collect(), json!({}));
    stage.host.enter(Occasion::Http);
    for number in 0..1_000 {
        stage.ok("log_info", json!({ "text": number })).await;
    }
    stage.refused("send_chat", json!({"text": "hi"})).await;
    assert_eq!(stage.recorded().denials.len(), 1);
}

#[tokio::test]
async fn own_files_are_read_and_no_others() {
    let stage = Stage::trusted();
    assert_eq!(
        stage.ok("asset_read", json!({"path": "img/a.bin"})).await,
        json!({"base64": "/wCA"})
    );
    for path in [
        "",
        "none",
        "/img/a.bin",
        "../img/a.bin",
        "img/../img/a.bin",
        "img\\a.bin",
    ] {
        let got = stage.ok("asset_read", json!({"path": path})).await;
        assert_eq!(got, Value::Null, "{path}");
    }
}
