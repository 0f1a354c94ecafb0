//! Plugin instances and their mailboxes.

use std::sync::Arc;
use std::time::Duration;

use plugins::engine::{CallError, CallKind, EngineState};
use plugins::instances::{
    AskError, MAILBOX, MAILBOX_BYTES, MOST_RESTARTS, PluginHandle, PluginInstances, PluginStatus,
};
use testkit::{ManualClock, eventually};
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::engine_kit::*;

/// Hears chat, filters it, and does what its address says.
pub(crate) const OBEDIENT: &str = r#"
import json
from service_plugin import plugin, service, filter

heard = []

@plugin.on("test.heard")
def hear(payload):
    if payload == "loop":
        while True: pass
    if payload == "raise":
        raise ValueError("as asked")
    if payload == "gate":
        service.kv.get("gate")
    heard.append(payload)

@plugin.filter_chat_message
def judge(message):
    if message.body == "loop":
        while True: pass
    if message.body == "raise":
        raise ValueError("as asked")
    heard.append(message.body)
    return filter.pass_()

@plugin.on_page_styles
def told():
    return json.dumps(heard)
"#;

/// Instances with an engine that is ready.
pub(crate) fn instances() -> PluginInstances {
    house_at(&ManualClock::default())
}

/// The same, with this clock.
pub(crate) fn house_at(clock: &ManualClock) -> PluginInstances {
    let (_, engine) = watch::channel(EngineState::Ready(engine()));
    PluginInstances::new(engine, Handle::current(), Arc::new(clock.clone()))
}

pub(crate) async fn obedient(instances: &PluginInstances, host: &Arc<FakeHost>) -> PluginHandle {
    let handle = instances.open(spec(OBEDIENT, host, &Arc::default()));
    handle.started().await.unwrap();
    handle
}

pub(crate) fn event(payload: &str) -> String {
    format!(r#"{{"eventType":"test.heard","payload":"{payload}"}}"#)
}

fn line(body: &str) -> String {
    format!(r#"{{"eventType":"chat.message.received","payload":{{"id":"1","body":"{body}"}}}}"#)
}

/// More patient than chat, so that a busy machine changes nothing.
pub(crate) async fn filter(handle: &PluginHandle, body: &str) -> Result<String, AskError> {
    handle
        .ask_within(CallKind::Filter, line(body), testkit::DEADLINE)
        .await
        .map(|answer| answer.text)
}

pub(crate) async fn heard(handle: &PluginHandle) -> String {
    let told = handle.ask_within(CallKind::Styles, String::new(), testkit::DEADLINE);
    told.await.unwrap().text
}

/// Waits for a change since the watch began: a brief status may be over before anybody looks.
async fn until_changed(mut status: watch::Receiver<PluginStatus>) {
    let changed = tokio::time::timeout(testkit::DEADLINE, status.changed()).await;
    changed.expect("the status stayed the same").unwrap();
}

pub(crate) async fn until(
    handle: &PluginHandle,
    is_it: impl Fn(&PluginStatus) -> bool,
) -> PluginStatus {
    let mut status = handle.watch();
    let waiting = status.wait_for(|status| is_it(status));
    let found = tokio::time::timeout(testkit::DEADLINE, waiting).await;
    found.expect("the status never came").unwrap().clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_heard_in_the_order_they_were_told() {
    let instances = instances();
    let handle = obedient(&instances, &FakeHost::new()).await;
    for number in ["1", "2", "3"] {
        assert!(handle.tell(event(number), 0));
    }
    assert_eq!(heard(&handle).await, r#"["1", "2", "3"]"#);
    assert_eq!(handle.usage().calls, 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_that_raises_is_counted_and_the_plugin_goes_on() {
    let instances = instances();
    let handle = obedient(&instances, &FakeHost::new()).await;
    handle.tell(event("raise"), 0);
    handle.tell(event("after"), 0);
    assert_eq!(heard(&handle).await, r#"["after"]"#);
    let usage = handle.usage();
    assert_eq!((usage.failures, usage.traps, usage.restarts), (1, 0, 0));
    assert!(usage.last_error.unwrap().contains("ValueError: as asked"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_that_hangs_is_started_afresh() {
    let instances = instances();
    let handle = obedient(&instances, &FakeHost::new()).await;
    handle.tell(event("before"), 0);
    assert_eq!(heard(&handle).await, r#"["before"]"#);
    let before = handle.usage().processor;
    let status = handle.watch();
    handle.tell(event("loop"), 0);
    until_changed(status).await;
    handle.started().await.unwrap();
    assert_eq!(heard(&handle).await, "[]");
    let usage = handle.usage();
    assert_eq!((usage.traps, usage.restarts), (1, 1));
    // Its own time and that of the restart, of which processor time is a part.
    let used = (usage.processor - before).as_millis();
    assert!((500..1_000).contains(&used), "{used} ms of 500");
    assert!(usage.p99.as_millis() >= 500, "{usage:?}");
    assert!(usage.median <= usage.p99, "{usage:?}");
    assert!(
        usage.memory > 0 && usage.memory <= 64 * 1024 * 1024,
        "{usage:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_that_hangs_again_and_again_has_crashed_and_its_neighbour_lives() {
    let instances = instances();
    let host = FakeHost::new();
    let handle = obedient(&instances, &host).await;
    let mut other = spec(OBEDIENT, &host, &Arc::default());
    other.slug = "neighbour".into();
    let neighbour = instances.open(other);
    for _ in 0..=MOST_RESTARTS {
        handle.started().await.unwrap();
        let status = handle.watch();
        let asked = handle
            .ask_within(CallKind::Event, event("loop"), testkit::DEADLINE)
            .await;
        assert!(
            matches!(asked, Err(AskError::Failed(CallError::OutOfTime(_)))),
            "{asked:?}"
        );
        // The restart is visible before it accepts calls again.
        until_changed(status).await;
    }
    let end = until(&handle, PluginStatus::is_final).await;
    assert!(matches!(end, PluginStatus::Crashed(_)), "{end:?}");
    assert!(end.error().unwrap().contains("500 ms"), "{end:?}");
    assert!(!handle.tell(event("late"), 0));
    assert_eq!(filter(&handle, "late").await, Err(AskError::NotRunning));
    neighbour.started().await.unwrap();
    assert_eq!(heard(&neighbour).await, "[]");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_failures_of_the_filter_in_a_row_switch_a_plugin_off() {
    let instances = instances();
    let handle = obedient(&instances, &FakeHost::new()).await;
    for _ in 0..4 {
        assert!(matches!(
            filter(&handle, "raise").await,
            Err(AskError::Failed(_))
        ));
    }
    assert_eq!(
        filter(&handle, "fine").await.unwrap(),
        r#"{"action":"pass"}"#
    );
    for strike in 1..=5 {
        assert!(filter(&handle, "raise").await.is_err());
        assert!(strike == 5 || handle.usage().strikes == strike);
    }
    let end = until(&handle, |status| status.word() == "auto-disabled").await;
    assert!(end.error().unwrap().contains("as asked"), "{end:?}");
    assert!(!handle.tell(event("late"), 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filter_that_hangs_keeps_its_strikes_through_fresh_instances() {
    let instances = instances();
    let handle = obedient(&instances, &FakeHost::new()).await;
    for body in ["loop", "loop", "raise", "raise", "raise"] {
        // Between two instances it is not called, which is no strike.
        let failed = eventually("the filter is asked", async || {
            match filter(&handle, body).await {
                Err(AskError::NotRunning) => None,
                asked => Some(asked),
            }
        });
        failed.await.unwrap_err();
    }
    let end = until(&handle, |status| status.word() == "auto-disabled").await;
    assert!(end.error().unwrap().contains("as asked"), "{end:?}");
    assert_eq!(handle.usage().restarts, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_that_fail_do_not_count_as_strikes() {
    let instances = instances();
    let handle = obedient(&instances, &FakeHost::new()).await;
    for _ in 0..6 {
        handle.tell(event("raise"), 0);
    }
    assert_eq!(heard(&handle).await, "[]");
    assert_eq!(handle.usage().strikes, 0);
}

/// Keeps the plugin busy until the gate opens.
pub(crate) async fn busy(handle: &PluginHandle, host: &FakeHost) {
    handle.tell(event("gate"), 0);
    eventually("the plugin is busy", async || {
        (host.calls() > 0).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_mailbox_loses_ticks_first_and_then_refuses() {
    let instances = instances();
    let host = FakeHost::new();
    let handle = obedient(&instances, &host).await;
    busy(&handle, &host).await;
    assert!(handle.tick(event("tick")));
    for _ in 1..MAILBOX {
        assert!(handle.tell(event("line"), 0));
    }
    assert_eq!(handle.usage().dropped, 0);
    assert!(handle.tell(event("line"), 0), "the tick makes room");
    assert!(!handle.tell(event("line"), 0));
    assert!(!handle.tick(event("tick")));
    let asked = handle.ask(CallKind::Auth, String::new()).await;
    assert_eq!(asked.unwrap_err(), AskError::Busy);
    assert_eq!(handle.usage().dropped, 4);
    host.gate.add_permits(1);
    let heard = eventually("all is heard", async || {
        let told = handle.ask_within(CallKind::Styles, String::new(), testkit::DEADLINE);
        told.await.ok()
    });
    assert_eq!(heard.await.text.matches("line").count(), MAILBOX);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_large_events_is_refused_when_the_mailbox_has_no_bytes_left() {
    let instances = instances();
    let host = FakeHost::new();
    let handle = obedient(&instances, &host).await;
    busy(&handle, &host).await;
    let large: Arc<str> = event(&"x".repeat(1024 * 1024)).into();
    let told = (0..100).filter(|_| handle.tell(Arc::clone(&large), 0));
    assert_eq!(told.count(), MAILBOX_BYTES / large.len());
    assert_eq!(handle.usage().dropped, 85);
    let asked = handle.ask(CallKind::Auth, large.to_string()).await;
    assert_eq!(asked.unwrap_err(), AskError::Busy);
    assert!(handle.tell(event("small"), 0));
    instances.close("tried").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_too_long_is_told_so_and_it_is_no_strike() {
    let instances = instances();
    let host = FakeHost::new();
    let handle = obedient(&instances, &host).await;
    busy(&handle, &host).await;
    let late = handle.ask_within(CallKind::Auth, String::new(), Duration::ZERO);
    assert_eq!(late.await.unwrap_err(), AskError::Late);
    host.gate.add_permits(1);
    assert_eq!(heard(&handle).await, r#"["gate"]"#);
    assert_eq!(handle.usage().strikes, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_moves_out_even_when_the_host_never_answers_it() {
    let instances = instances();
    let host = FakeHost::new();
    let handle = obedient(&instances, &host).await;
    busy(&handle, &host).await;
    let waiting = tokio::spawn({
        let handle = handle.clone();
        let asked = String::new();
        async move { handle.ask(CallKind::Auth, asked).await }
    });
    instances.close("tried").await;
    assert!(matches!(handle.status(), PluginStatus::Closed));
    assert_eq!(waiting.await.unwrap().unwrap_err(), AskError::NotRunning);
    assert!(instances.handle("tried").is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_whose_body_raises_has_failed_and_says_why() {
    let instances = instances();
    let source = "raise RuntimeError('not today')";
    let handle = instances.open(spec(source, &FakeHost::new(), &Arc::default()));
    let error = handle.started().await.unwrap_err();
    assert!(error.contains("not today"), "{error}");
    assert_eq!(handle.status().word(), "failed");
    let tried = instances
        .try_out(spec(source, &FakeHost::new(), &Arc::default()))
        .await;
    assert!(tried.unwrap_err().contains("not today"));
    let fine = instances
        .try_out(spec(OBEDIENT, &FakeHost::new(), &Arc::default()))
        .await;
    assert_eq!(fine.unwrap().subscriptions.filter.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plugins_wait_for_the_engine_and_start_when_it_is_ready() {
    let (say, state) = watch::channel(EngineState::Opening);
    let instances =
        PluginInstances::new(state, Handle::current(), Arc::new(ManualClock::default()));
    let handle = instances.open(spec(OBEDIENT, &FakeHost::new(), &Arc::default()));
    assert_eq!(handle.status().word(), "starting");
    assert_eq!(filter(&handle, "early").await, Err(AskError::NotRunning));
    say.send_replace(EngineState::Ready(engine()));
    handle.started().await.unwrap();
    assert_eq!(heard(&handle).await, "[]");
    instances.close_all().await;
    assert!(instances.handles().is_empty());
}

#[tokio::test]
async fn without_an_engine_plugins_say_why_they_do_not_run() {
    let (_, state) = watch::channel(EngineState::Failed("there is none".into()));
    let instances =
        PluginInstances::new(state, Handle::current(), Arc::new(ManualClock::default()));
    let handle = instances.open(spec(OBEDIENT, &FakeHost::new(), &Arc::default()));
    assert_eq!(handle.started().await.unwrap_err(), "there is none");
}
