//! Time in scenarios: it advances when a step says so, without real waiting.

use std::sync::Arc;
use std::time::Duration;

use plugin_tools::scenario::{Project, Runner};
use serde_json::{Value, json};

use super::{failure, hold, line, options, play, project_of, run, said};
use crate::engine_kit::engine;

fn passes(milliseconds: u64) -> Value {
    json!({"advanceMs": milliseconds})
}

/// A line without a time.
fn now(body: &str) -> Value {
    let mut line = line(body);
    line.as_object_mut().unwrap().remove("timestamp");
    json!({"event": "chat.message.received", "payload": line})
}

#[tokio::test]
async fn given_now_is_the_time_of_the_scenario_and_it_stands_still() {
    let code = "
import datetime
first = time.monotonic()
time.sleep(0.001)
say([time.time(), str(datetime.datetime.now(datetime.timezone.utc)), time.monotonic() - first])";
    hold(vec![json!({
        "given": {"now": "2026-03-02T19:04:05Z"}, "events": [run(code)],
        "expect": {"chatSends": [r#"[1772478245.0, "2026-03-02 19:04:05+00:00", 0.0]"#]},
    })])
    .await;
    let text = failure(json!({"given": {"now": "9999-01-01T00:00:00Z"}, "events": []})).await;
    assert!(
        text.contains("given.now") && text.contains("too far away"),
        "{text}"
    );
}

#[tokio::test]
async fn advance_ms_lets_time_pass_for_the_plugin() {
    let begin = "globals()['first'] = (time.time(), time.monotonic())";
    let end = "say([time.time() - first[0], time.monotonic() - first[1]])";
    hold(vec![json!({
        "events": [run(begin), passes(1500), passes(500), run(end)],
        "expect": {"chatSends": ["[2.0, 2.0]"]},
    })])
    .await;
}

#[tokio::test]
async fn a_timer_fires_when_its_time_has_come_and_once() {
    let code = "service.timer.set_timeout(lambda: say('due'), 5000)";
    let scenario =
        |steps: Value, said: Value| json!({"events": steps, "expect": {"chatSends": said}});
    hold(vec![
        scenario(json!([run(code), passes(4999)]), json!([])),
        scenario(json!([run(code), passes(4999), passes(1)]), json!(["due"])),
        scenario(json!([run(code), passes(60_000)]), json!(["due"])),
    ])
    .await;
}

#[tokio::test]
async fn an_interval_fires_again_and_again_until_it_is_cleared() {
    let code = "globals()['count'] = 0
def more():
    global count
    count += 1
    say([count, round(time.time() - began)])
    if count == 3:
        service.timer.clear(1)
began = time.time()
globals().update(more=more, began=began)
service.timer.set_interval(more, 10000)";
    hold(vec![json!({
        "events": [run(code), passes(15_000), passes(60_000)],
        "expect": {"chatSends": ["[1, 10]", "[2, 20]", "[3, 30]"]},
    })])
    .await;
}

#[tokio::test]
async fn timers_fire_in_the_order_of_their_times_and_may_set_others() {
    let code = "
service.timer.set_timeout(lambda: say('late'), 3000)
service.timer.set_timeout(lambda: (say('early'), service.timer.set_timeout(lambda: say('between'), 1000)), 1000)";
    hold(vec![json!({
        "events": [run(code), passes(3000)],
        "expect": {"chatSends": ["early", "between", "late"]},
    })])
    .await;
}

#[tokio::test]
async fn timers_never_fire_by_themselves_and_a_step_fires_them_by_their_id() {
    let code = "service.timer.set_timeout(lambda: say('due'), 100)";
    let fire = json!({"event": "timer.fire", "payload": {"id": 1}});
    hold(vec![
        json!({"events": [run(code)], "expect": {"chatSends": []}}),
        json!({"events": [run(code), fire], "expect": {"chatSends": ["due"]}}),
        json!({"events": [run(code), fire, passes(1000)], "expect": {"chatSends": ["due"]}}),
    ])
    .await;
}

#[tokio::test]
async fn a_tick_comes_with_every_second_that_passes_and_tells_the_time() {
    let source = "
from service_plugin import plugin, service
import time

@plugin.on_tick
def tick(event):
    service.chat.send('%d %d' % (event.now, time.time() * 1000))

@plugin.on('tried.run')
def run(payload):
    service.timer.set_timeout(lambda: service.chat.send('timer'), 2000)
";
    let tests = json!([
        {"name": "seconds", "given": {"now": "1970-01-02T00:00:00Z"},
         "events": [run(""), passes(999), passes(1), passes(2500)],
         "expect": {"chatSends": ["86401000 86401000", "timer", "86402000 86402000", "86403000 86403000"]}},
        {"name": "by hand", "events": [{"event": "tick", "payload": {"now": 7}}]},
    ]);
    let report = play(project_of(source, &tests).path()).await;
    assert!(report.is_good(), "{}", report.lines().join("\n"));
}

#[tokio::test]
async fn a_cooldown_is_over_when_its_time_has_passed() {
    hold(vec![json!({
        "events": [now("!ping a"), passes(4999), now("!ping b"), passes(1), now("!ping c")],
        "expect": {"chatSends": ["pong a", "pong c"]},
    })])
    .await;
}

#[tokio::test]
async fn a_cooldown_goes_by_the_times_of_messages_that_have_one() {
    let mut later = line("!ping c");
    later["timestamp"] = "2026-03-02T19:04:10Z".into();
    hold(vec![
        json!({
            "events": [said("!ping a"), passes(60_000), said("!ping b"), {"event": "chat.message.received", "payload": later}],
            "expect": {"chatSends": ["pong a", "pong c"]},
        }),
        // In an untimed scenario, lines without a time have no cooldown.
        json!({"events": [now("!ping a"), now("!ping b")], "expect": {"chatSends": ["pong a", "pong b"]}}),
    ])
    .await;
}

#[tokio::test]
async fn what_the_server_counts_by_the_hour_is_counted_by_the_time_of_the_scenario() {
    let code = "say(str([service.fediverse.post('x') is not None for _ in range(6)].count(True)))";
    hold(vec![json!({
        "events": [run(code), passes(60 * 60 * 1000), run(code)],
        "expect": {"chatSends": ["5", "5"]},
    })])
    .await;
}

#[tokio::test]
async fn more_than_a_day_or_too_much_of_it_is_refused() {
    let text = failure(json!({"events": [passes(86_400_001)]})).await;
    assert!(
        text.contains("events[0]: advanceMs is at most 86400000"),
        "{text}"
    );
}

#[tokio::test]
async fn a_plugin_that_is_ended_at_every_tick_ends_the_step() {
    let source = "
from service_plugin import plugin

@plugin.on_tick
def tick(event):
    while True: pass
";
    let tests = json!([{"name": "endless", "events": [passes(86_400_000)]}]);
    let report = play(project_of(source, &tests).path()).await;
    let text = report.lines().join("\n");
    assert!(
        text.contains("events[0]: the plugin was ended again and again"),
        "{text}"
    );
}

#[tokio::test]
async fn a_plugin_that_is_a_little_slow_at_every_tick_ends_the_step() {
    let source = "
from service_plugin import plugin

@plugin.on_tick
def tick(event):
    sum(range(200_000))
";
    let tests = json!([{"name": "slow", "events": [passes(86_400_000)]}]);
    let folder = project_of(source, &tests);
    let project = Arc::new(Project::open(folder.path(), true).unwrap());
    let runner = Runner::new(engine(), folder.path().join("scratch"))
        .with_step_time(Duration::from_millis(100));
    let report = runner.run(&project, &options(None)).await.unwrap();
    let text = report.lines().join("\n");
    assert!(
        text.contains("events[0]: timers and ticks have used more than 100ms"),
        "{text}"
    );
}
