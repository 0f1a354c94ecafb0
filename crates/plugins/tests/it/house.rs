//! Plugins living in the house.

use std::sync::Arc;
use std::time::Duration;

use plugins::engine::{CallError, CallKind, EngineState};
use plugins::house::{AskError, House, MAILBOX, MAILBOX_BYTES, MOST_RESTARTS, Resident, Status};
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

/// A house in which the engine is ready.
pub(crate) fn house() -> House {
    house_at(&ManualClock::default())
}

/// The same, with this clock.
pub(crate) fn house_at(clock: &ManualClock) -> House {
    let (_, engine) = watch::channel(EngineState::Ready(engine()));
    House::new(engine, Handle::current(), Arc::new(clock.clone()))
}

pub(crate) async fn obedient(house: &House, host: &Arc<FakeHost>) -> Resident {
    let resident = house.open(spec(OBEDIENT, host, &Arc::default()));
    resident.started().await.unwrap();
    resident
}

pub(crate) fn event(payload: &str) -> String {
    format!(r#"{{"eventType":"test.heard","payload":"{payload}"}}"#)
}

fn line(body: &str) -> String {
    format!(r#"{{"eventType":"chat.message.received","payload":{{"id":"1","body":"{body}"}}}}"#)
}

/// With more patience than chat has, so that a busy machine changes nothing.
pub(crate) async fn filter(resident: &Resident, body: &str) -> Result<String, AskError> {
    resident
        .ask_within(CallKind::Filter, line(body), testkit::DEADLINE)
        .await
        .map(|answer| answer.text)
}

pub(crate) async fn heard(resident: &Resident) -> String {
    let told = resident.ask_within(CallKind::Styles, String::new(), testkit::DEADLINE);
    told.await.unwrap().text
}

/// Waits for a change since the watch began: a short one may be over before anybody looks.
async fn until_changed(mut status: watch::Receiver<Status>) {
    let changed = tokio::time::timeout(testkit::DEADLINE, status.changed()).await;
    changed.expect("the status stayed the same").unwrap();
}

pub(crate) async fn until(resident: &Resident, is_it: impl Fn(&Status) -> bool) -> Status {
    let mut status = resident.watch();
    let waiting = status.wait_for(|status| is_it(status));
    let found = tokio::time::timeout(testkit::DEADLINE, waiting).await;
    found.expect("the status never came").unwrap().clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_heard_in_the_order_they_were_told() {
    let house = house();
    let resident = obedient(&house, &FakeHost::new()).await;
    for number in ["1", "2", "3"] {
        assert!(resident.tell(event(number), 0));
    }
    assert_eq!(heard(&resident).await, r#"["1", "2", "3"]"#);
    assert_eq!(resident.usage().calls, 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_that_raises_is_counted_and_the_plugin_goes_on() {
    let house = house();
    let resident = obedient(&house, &FakeHost::new()).await;
    resident.tell(event("raise"), 0);
    resident.tell(event("after"), 0);
    assert_eq!(heard(&resident).await, r#"["after"]"#);
    let usage = resident.usage();
    assert_eq!((usage.failures, usage.traps, usage.restarts), (1, 0, 0));
    assert!(usage.last_error.unwrap().contains("ValueError: as asked"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_that_hangs_is_started_afresh() {
    let house = house();
    let resident = obedient(&house, &FakeHost::new()).await;
    resident.tell(event("before"), 0);
    assert_eq!(heard(&resident).await, r#"["before"]"#);
    let before = resident.usage().processor;
    let status = resident.watch();
    resident.tell(event("loop"), 0);
    until_changed(status).await;
    resident.started().await.unwrap();
    assert_eq!(heard(&resident).await, "[]");
    let usage = resident.usage();
    assert_eq!((usage.traps, usage.restarts), (1, 1));
    // Its own time and that of the start after it, of which the processor's share is a fraction.
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
    let house = house();
    let host = FakeHost::new();
    let resident = obedient(&house, &host).await;
    let mut other = spec(OBEDIENT, &host, &Arc::default());
    other.slug = "neighbour".into();
    let neighbour = house.open(other);
    for _ in 0..=MOST_RESTARTS {
        resident.started().await.unwrap();
        let status = resident.watch();
        let asked = resident
            .ask_within(CallKind::Event, event("loop"), testkit::DEADLINE)
            .await;
        assert!(
            matches!(asked, Err(AskError::Failed(CallError::OutOfTime(_)))),
            "{asked:?}"
        );
        // It says that it restarts before it takes questions again.
        until_changed(status).await;
    }
    let end = until(&resident, Status::is_final).await;
    assert!(matches!(end, Status::Crashed(_)), "{end:?}");
    assert!(end.error().unwrap().contains("500 ms"), "{end:?}");
    assert!(!resident.tell(event("late"), 0));
    assert_eq!(filter(&resident, "late").await, Err(AskError::NotRunning));
    neighbour.started().await.unwrap();
    assert_eq!(heard(&neighbour).await, "[]");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_failures_of_the_filter_in_a_row_switch_a_plugin_off() {
    let house = house();
    let resident = obedient(&house, &FakeHost::new()).await;
    for _ in 0..4 {
        assert!(matches!(
            filter(&resident, "raise").await,
            Err(AskError::Failed(_))
        ));
    }
    assert_eq!(
        filter(&resident, "fine").await.unwrap(),
        r#"{"action":"pass"}"#
    );
    for strike in 1..=5 {
        assert!(filter(&resident, "raise").await.is_err());
        assert!(strike == 5 || resident.usage().strikes == strike);
    }
    let end = until(&resident, |status| status.word() == "auto-disabled").await;
    assert!(end.error().unwrap().contains("as asked"), "{end:?}");
    assert!(!resident.tell(event("late"), 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filter_that_hangs_keeps_its_strikes_through_fresh_instances() {
    let house = house();
    let resident = obedient(&house, &FakeHost::new()).await;
    for body in ["loop", "loop", "raise", "raise", "raise"] {
        // Between two instances it is not asked, which is no strike.
        let failed = eventually("the filter is asked", async || {
            match filter(&resident, body).await {
                Err(AskError::NotRunning) => None,
                asked => Some(asked),
            }
        });
        failed.await.unwrap_err();
    }
    let end = until(&resident, |status| status.word() == "auto-disabled").await;
    assert!(end.error().unwrap().contains("as asked"), "{end:?}");
    assert_eq!(resident.usage().restarts, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_that_fail_do_not_count_as_strikes() {
    let house = house();
    let resident = obedient(&house, &FakeHost::new()).await;
    for _ in 0..6 {
        resident.tell(event("raise"), 0);
    }
    assert_eq!(heard(&resident).await, "[]");
    assert_eq!(resident.usage().strikes, 0);
}

/// Keeps the plugin busy until the gate opens.
pub(crate) async fn busy(resident: &Resident, host: &FakeHost) {
    resident.tell(event("gate"), 0);
    eventually("the plugin is busy", async || {
        (host.calls() > 0).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_mailbox_loses_ticks_first_and_then_refuses() {
    let house = house();
    let host = FakeHost::new();
    let resident = obedient(&house, &host).await;
    busy(&resident, &host).await;
    assert!(resident.tick(event("tick")));
    for _ in 1..MAILBOX {
        assert!(resident.tell(event("line"), 0));
    }
    assert_eq!(resident.usage().dropped, 0);
    assert!(resident.tell(event("line"), 0), "the tick makes room");
    assert!(!resident.tell(event("line"), 0));
    assert!(!resident.tick(event("tick")));
    let asked = resident.ask(CallKind::Auth, String::new()).await;
    assert_eq!(asked.unwrap_err(), AskError::Busy);
    assert_eq!(resident.usage().dropped, 4);
    host.gate.add_permits(1);
    let heard = eventually("all is heard", async || {
        let told = resident.ask_within(CallKind::Styles, String::new(), testkit::DEADLINE);
        told.await.ok()
    });
    assert_eq!(heard.await.text.matches("line").count(), MAILBOX);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_large_events_is_refused_when_the_mailbox_has_no_bytes_left() {
    let house = house();
    let host = FakeHost::new();
    let resident = obedient(&house, &host).await;
    busy(&resident, &host).await;
    let large: Arc<str> = event(&"x".repeat(1024 * 1024)).into();
    let told = (0..100).filter(|_| resident.tell(Arc::clone(&large), 0));
    assert_eq!(told.count(), MAILBOX_BYTES / large.len());
    assert_eq!(resident.usage().dropped, 85);
    let asked = resident.ask(CallKind::Auth, large.to_string()).await;
    assert_eq!(asked.unwrap_err(), AskError::Busy);
    assert!(resident.tell(event("small"), 0));
    house.close("tried").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_too_long_is_told_so_and_it_is_no_strike() {
    let house = house();
    let host = FakeHost::new();
    let resident = obedient(&house, &host).await;
    busy(&resident, &host).await;
    let late = resident.ask_within(CallKind::Auth, String::new(), Duration::ZERO);
    assert_eq!(late.await.unwrap_err(), AskError::Late);
    host.gate.add_permits(1);
    assert_eq!(heard(&resident).await, r#"["gate"]"#);
    assert_eq!(resident.usage().strikes, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_moves_out_even_when_the_host_never_answers_it() {
    let house = house();
    let host = FakeHost::new();
    let resident = obedient(&house, &host).await;
    busy(&resident, &host).await;
    let waiting = tokio::spawn({
        let resident = resident.clone();
        let asked = String::new();
        async move { resident.ask(CallKind::Auth, asked).await }
    });
    house.close("tried").await;
    assert!(matches!(resident.status(), Status::Closed));
    assert_eq!(waiting.await.unwrap().unwrap_err(), AskError::NotRunning);
    assert!(house.resident("tried").is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_whose_body_raises_has_failed_and_says_why() {
    let house = house();
    let source = "raise RuntimeError('not today')";
    let resident = house.open(spec(source, &FakeHost::new(), &Arc::default()));
    let error = resident.started().await.unwrap_err();
    assert!(error.contains("not today"), "{error}");
    assert_eq!(resident.status().word(), "failed");
    let tried = house
        .try_out(spec(source, &FakeHost::new(), &Arc::default()))
        .await;
    assert!(tried.unwrap_err().contains("not today"));
    let fine = house
        .try_out(spec(OBEDIENT, &FakeHost::new(), &Arc::default()))
        .await;
    assert_eq!(fine.unwrap().subscriptions.filter.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plugins_wait_for_the_engine_and_start_when_it_is_ready() {
    let (say, state) = watch::channel(EngineState::Opening);
    let house = House::new(state, Handle::current(), Arc::new(ManualClock::default()));
    let resident = house.open(spec(OBEDIENT, &FakeHost::new(), &Arc::default()));
    assert_eq!(resident.status().word(), "starting");
    assert_eq!(filter(&resident, "early").await, Err(AskError::NotRunning));
    say.send_replace(EngineState::Ready(engine()));
    resident.started().await.unwrap();
    assert_eq!(heard(&resident).await, "[]");
    house.close_all().await;
    assert!(house.residents().is_empty());
}

#[tokio::test]
async fn without_an_engine_plugins_say_why_they_do_not_run() {
    let (_, state) = watch::channel(EngineState::Failed("there is none".into()));
    let house = House::new(state, Handle::current(), Arc::new(ManualClock::default()));
    let resident = house.open(spec(OBEDIENT, &FakeHost::new(), &Arc::default()));
    assert_eq!(resident.started().await.unwrap_err(), "there is none");
}
