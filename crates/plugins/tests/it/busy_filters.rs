//! Filters of busy plugins, and filters that are suspended for a while.

use std::sync::Arc;

use model::Clock;
use plugins::engine::{CallKind, InstanceSpec};
use plugins::instances::{AskError, MOST_RESTARTS, PluginStatus};
use testkit::{ManualClock, eventually};

use crate::engine_kit::*;
use crate::instances::*;

const PASS: &str = r#"{"action":"pass"}"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_is_judged_while_a_handler_of_the_same_plugin_waits_for_the_host() {
    let instances = instances();
    let host = FakeHost::new();
    let handle = obedient(&instances, &host).await;
    busy(&handle, &host).await;
    handle.tell(event("later"), 0);
    for body in ["one", "two"] {
        assert_eq!(filter(&handle, body).await.unwrap(), PASS);
    }
    host.gate.add_permits(1);
    assert_eq!(heard(&handle).await, r#"["one", "two", "gate", "later"]"#);
    assert_eq!(handle.usage().calls, 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filter_that_raises_in_the_middle_of_a_handler_is_a_strike_and_the_handler_goes_on() {
    let instances = instances();
    let host = FakeHost::new();
    let handle = obedient(&instances, &host).await;
    busy(&handle, &host).await;
    let failed = filter(&handle, "raise").await.unwrap_err();
    assert!(failed.to_string().contains("as asked"), "{failed}");
    assert_eq!(handle.usage().strikes, 1);
    assert_eq!(filter(&handle, "fine").await.unwrap(), PASS);
    assert_eq!(handle.usage().strikes, 0);
    host.gate.add_permits(1);
    assert_eq!(heard(&handle).await, r#"["fine", "gate"]"#);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filter_that_hangs_in_the_middle_of_a_handler_has_its_own_time_and_not_the_handlers() {
    let instances = instances();
    let host = FakeHost::new();
    let handle = obedient(&instances, &host).await;
    let waiting = tokio::spawn({
        let handle = handle.clone();
        let asked = event("gate");
        async move {
            let patience = testkit::DEADLINE;
            handle.ask_within(CallKind::Event, asked, patience).await
        }
    });
    eventually("the plugin is busy", async || {
        (host.calls() > 0).then_some(())
    })
    .await;
    let failed = filter(&handle, "loop").await.unwrap_err();
    assert!(failed.to_string().contains("50 ms"), "{failed}");
    let handler = waiting.await.unwrap().unwrap_err();
    assert_eq!(handler.to_string(), "the instance has ended");
    handle.started().await.unwrap();
    assert_eq!(heard(&handle).await, "[]");
    let usage = handle.usage();
    assert_eq!((usage.strikes, usage.restarts), (1, 1));
    assert!(usage.last_error.unwrap().starts_with("filter: "));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filter_with_an_instance_of_its_own_waits_for_no_handler_and_shares_nothing_with_them() {
    let instances = instances();
    let host = FakeHost::new();
    let own = InstanceSpec {
        filter_host: Some(host.clone()),
        ..spec(OBEDIENT, &host, &Arc::default())
    };
    let handle = instances.open(own);
    handle.started().await.unwrap();
    let alone = handle.usage().memory;
    // Busy computing, which cannot be interrupted by a filter call.
    handle.tell(event("loop"), 0);
    for body in ["one", "two"] {
        assert_eq!(filter(&handle, body).await.unwrap(), PASS);
    }
    eventually("the handler is ended", async || {
        (handle.usage().restarts == 1).then_some(())
    })
    .await;
    handle.started().await.unwrap();
    assert_eq!(heard(&handle).await, "[]");
    assert_eq!(filter(&handle, "three").await.unwrap(), PASS);
    assert_eq!(heard(&handle).await, "[]");
    let single = obedient(&instances, &FakeHost::new()).await;
    let memory = single.usage().memory;
    assert!(
        alone >= 2 * memory,
        "{alone} bytes for two, {memory} for one"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filter_that_ends_its_plugin_again_and_again_is_switched_off_and_not_crashed() {
    let instances = instances();
    let handle = obedient(&instances, &FakeHost::new()).await;
    for _ in 0..=MOST_RESTARTS {
        let asked = eventually("the filter is asked", async || {
            match filter(&handle, "loop").await {
                Err(AskError::NotRunning) => None,
                asked => Some(asked),
            }
        });
        asked.await.unwrap_err();
    }
    let away = until(&handle, |status| status.word() == "auto-disabled").await;
    assert!(!away.is_final(), "{away:?}");
    assert!(away.error().unwrap().contains("50 ms"), "{away:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filter_that_was_switched_off_comes_back_by_itself() {
    let clock = ManualClock::default();
    let instances = house_at(&clock);
    let handle = obedient(&instances, &FakeHost::new()).await;
    let mut absences = Vec::new();
    for _ in 0..2 {
        for _ in 0..5 {
            filter(&handle, "raise").await.unwrap_err();
        }
        let away = until(&handle, |status| status.word() == "auto-disabled").await;
        let PluginStatus::AutoDisabled { until, .. } = away else {
            unreachable!()
        };
        absences.push(until.duration_since(clock.now()).as_secs() / 60);
        assert_eq!(filter(&handle, "fine").await, Err(AskError::NotRunning));
        clock.advance(until.duration_since(clock.now()).unsigned_abs());
        handle.started().await.unwrap();
        assert_eq!(filter(&handle, "fine").await.unwrap(), PASS);
        assert_eq!(handle.usage().strikes, 0);
    }
    assert_eq!(absences, [1, 2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filter_that_the_server_keeps_waiting_is_not_to_blame() {
    const ASKING: &str = r#"
from service_plugin import plugin, service

@plugin.on("test.heard")
def hear(payload):
    service.kv.get("gate")

@plugin.filter_chat_message
def judge(message):
    service.sql.query("select 1")
"#;
    let instances = instances();
    let host = FakeHost::slow("sql_query");
    let handle = instances.open(spec(ASKING, &host, &Arc::default()));
    handle.started().await.unwrap();
    assert_eq!(filter(&handle, "alone").await, Err(AskError::Busy));
    busy(&handle, &host).await;
    assert_eq!(filter(&handle, "amid").await, Err(AskError::Busy));
    assert_eq!(handle.usage().strikes, 0);
    host.gate.add_permits(1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filter_in_the_middle_of_a_handler_asks_the_host_and_uses_up_nothing_of_the_handlers() {
    const ASKING: &str = r#"
import json
from service_plugin import plugin, service, filter

kept = []

@plugin.on("test.heard")
def hear(payload):
    service.kv.get("gate")
    for _ in range(9_990):
        service.kv.get("more")
    kept.append("all of them")

@plugin.filter_chat_message
def judge(message):
    for _ in range(20):
        kept.append(service.kv.get(message.body))
    return filter.drop("rude")

@plugin.on_page_styles
def told():
    return json.dumps(kept[-2:])
"#;
    let instances = instances();
    let host = FakeHost::new();
    let handle = instances.open(spec(ASKING, &host, &Arc::default()));
    handle.started().await.unwrap();
    let patience = testkit::DEADLINE;
    let handler = tokio::spawn({
        let (handle, asked) = (handle.clone(), event("go"));
        async move { handle.ask_within(CallKind::Event, asked, patience).await }
    });
    eventually("the plugin is busy", async || {
        (host.calls() > 0).then_some(())
    })
    .await;
    let dropped = filter(&handle, "line").await.unwrap();
    assert_eq!(dropped, r#"{"action":"drop","reason":"rude"}"#);
    host.gate.add_permits(1);
    // One call allows ten thousand host calls; those of the filter do not count.
    handler.await.unwrap().unwrap();
    assert_eq!(heard(&handle).await, r#"["value", "all of them"]"#);
}
