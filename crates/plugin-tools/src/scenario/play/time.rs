//! Advancing time in a scenario: timers and ticks fire in order, without real waiting.

use std::time::Duration;

use jiff::Timestamp;
use model::Clock;
use serde::Deserialize;

use super::ScenarioPlayer;

/// Between two ticks, as on a server.
pub(super) const TICK: Duration = Duration::from_secs(1);
/// The event of a timer.
pub(super) const TIMER: &str = "timer.fire";
/// The event of a second that has passed.
const TICKED: &str = "tick";
/// Timers and ticks in one step: a day of ticks, and a few more. A step with more of them fails.
const MOST_CALLS: u32 = 100_000;
/// How often the plugin may be ended in one step: each time it has used up all the time it had, and that is real time.
const MOST_ENDS: u32 = 3;

#[derive(Deserialize)]
struct TimerPayload {
    id: i64,
}

impl ScenarioPlayer {
    /// Advances time and fires everything that is due. A timer goes before a tick of the same time.
    pub(super) async fn advance(&mut self, place: &str, wait: Duration) -> Vec<String> {
        let end = self.clock.now() + wait;
        let mut failures = Vec::new();
        let mut calls = 0;
        let mut ends = 0;
        let mut used = Duration::ZERO;
        while let Some((at, event, payload)) = self.next_due(end) {
            calls += 1;
            if calls > MOST_CALLS {
                failures.push(format!(
                    "{place}: more than {MOST_CALLS} timers and ticks are due: let less time pass"
                ));
                break;
            }
            self.clock.advance_to(at);
            failures.extend(self.event(place, event, &payload).await);
            ends += u32::from(self.instance.is_dead());
            if ends > MOST_ENDS {
                failures.push(format!("{place}: the plugin was ended again and again"));
                break;
            }
            used += self.instance.last_call_used();
            let most = self.setup.step_time;
            if used > most {
                failures.push(format!(
                    "{place}: timers and ticks have used more than {most:?}, and that is real time: let less of it pass, or let the plugin do less each time"
                ));
                break;
            }
        }
        self.clock.advance_to(end);
        failures
    }

    /// The next thing due by `end`.
    fn next_due(&mut self, end: Timestamp) -> Option<(Timestamp, &'static str, String)> {
        let tick = self.listener.wants(TICKED).then_some(self.next_tick);
        let tick = tick.filter(|tick| *tick <= end);
        if let Some((due, id)) = self.host.take_due_timer(tick.unwrap_or(end)) {
            return Some((due, TIMER, format!(r#"{{"id":{id}}}"#)));
        }
        let tick = tick?;
        self.next_tick = tick + TICK;
        let now = tick.as_millisecond();
        Some((tick, TICKED, format!(r#"{{"now":{now}}}"#)))
    }

    /// A step fires a timer manually, so it must not fire by itself as well.
    pub(super) fn fire_by_hand(&self, payload: &str) {
        if let Ok(TimerPayload { id }) = serde_json::from_str(payload) {
            self.host.timer_fired(id, self.clock.now());
        }
    }
}
