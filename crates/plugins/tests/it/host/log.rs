//! How much of the server's log a plugin can fill.

use std::sync::Arc;
use std::time::Duration;

use plugins::host::{HostCalls, MAX_EMIT_DEPTH, MAX_LOG_BYTES, Occasion, RateLimitMode};
use plugins::permission::Permissions;
use serde_json::json;
use testkit::ManualClock;

use super::stage::{Stage, all};

const LEFT_OUT: &str = "lines of the log are left out: a plugin may write 400 lines and 128 KiB at once, 50 lines and 32 KiB \
                        a second after that";

/// A plugin on a server with a manually driven clock.
fn stage(permissions: Permissions) -> (Stage, ManualClock) {
    let clock = ManualClock::default();
    let time = clock.clone();
    let stage = Stage::with(permissions, json!({}), move |parts| {
        parts.clock = Arc::new(time);
        parts.rate_limit_mode = RateLimitMode::Clock;
    });
    (stage, clock)
}

/// Timer calls that log, one after the other.
async fn flood(stage: &Stage, calls: usize, text: &str) {
    for _ in 0..calls {
        stage.host.enter(Occasion::Event { depth: 0 });
        for _ in 0..100 {
            stage.ok("log_info", json!({ "text": text })).await;
        }
        stage.host.leave();
    }
}

#[tokio::test]
async fn a_plugin_that_floods_the_log_is_cut_off_and_that_is_told_once() {
    let (stage, clock) = stage(Permissions::default());
    flood(&stage, 50, "q").await;
    let logs = stage.recorded().logs;
    assert_eq!(logs.len(), 401);
    assert_eq!(logs[400].1.as_str(), "warning");
    assert_eq!(logs[400].2, LEFT_OUT);
    for _ in 0..5 {
        clock.advance(Duration::from_secs(1));
        flood(&stage, 5, "q").await;
    }
    let logs = stage.recorded().logs;
    assert_eq!(logs.len(), 401 + 5 * 50);
    clock.advance(Duration::from_secs(60));
    flood(&stage, 5, "q").await;
    let logs = stage.recorded().logs;
    assert_eq!(logs.len(), 2 * 401 + 5 * 50);
    assert_eq!(logs.iter().filter(|log| log.2 == LEFT_OUT).count(), 2);
}

#[tokio::test]
async fn bytes_of_the_log_are_bounded_as_lines_are() {
    let (stage, clock) = stage(Permissions::default());
    let text = "q".repeat(1_024);
    flood(&stage, 50, &text).await;
    let written = |stage: &Stage| {
        let logs = stage.recorded().logs;
        logs.iter().map(|log| log.2.len()).sum::<usize>() - LEFT_OUT.len()
    };
    // The last KiB does not fit a whole line.
    assert!((127 * 1024..=128 * 1024).contains(&written(&stage)));
    clock.advance(Duration::from_secs(1));
    flood(&stage, 5, &text).await;
    assert!((159 * 1024..=160 * 1024).contains(&written(&stage)));
}

#[tokio::test]
async fn refusals_and_failures_count_as_lines_of_the_log() {
    let (stage, _clock) = stage(Permissions::default());
    for _ in 0..50 {
        stage.host.enter(Occasion::Event { depth: 0 });
        for _ in 0..100 {
            stage.refused("send_chat", json!({"text": "hi"})).await;
        }
        stage.host.leave();
    }
    assert_eq!(stage.recorded().denials.len(), 400);
    assert_eq!(stage.recorded().logs.len(), 1);
    // One bucket for everything: nothing is left for other kinds of lines.
    stage.host.failed("Traceback");
    flood(&stage, 1, "q").await;
    assert_eq!(stage.recorded().logs.len(), 1);
}

#[tokio::test]
async fn dropped_events_count_as_lines_of_the_log() {
    let (stage, clock) = stage(all());
    for _ in 0..50 {
        stage.host.enter(Occasion::Event {
            depth: MAX_EMIT_DEPTH,
        });
        for _ in 0..100 {
            stage.refused("emit_event", json!({"eventType": "x"})).await;
        }
        stage.host.leave();
    }
    flood(&stage, 1, "q").await;
    let logs = stage.recorded().logs;
    let said: Vec<&str> = logs.iter().map(|log| log.2.as_str()).collect();
    assert_eq!(said, [LEFT_OUT]);
    clock.advance(Duration::from_secs(1));
    flood(&stage, 1, "q").await;
    assert_eq!(stage.recorded().logs.len(), 51);
}

#[tokio::test]
async fn a_long_message_counts_as_what_is_written_of_it() {
    let (stage, _clock) = stage(Permissions::default());
    flood(&stage, 1, &"q".repeat(MAX_LOG_BYTES * 10)).await;
    // The share of one call is 64 KiB.
    let whole = |logs: &[(String, _, String)]| {
        logs.iter()
            .filter(|log| log.2.ends_with("(cut off)"))
            .count()
    };
    assert_eq!(whole(&stage.recorded().logs), 16);
}
