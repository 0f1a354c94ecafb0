//! Resource limits of a plugin.

use std::time::Duration;

use crate::host::{PATIENCE_OF_EVENTS, PATIENCE_OF_PAGES};

/// Limit (plugins, bytes): memory of a plugin; beyond it allocations raise `MemoryError`.
pub(super) const MEMORY: usize = 64 * 1024 * 1024;
/// Limit (plugins): host calls during one call; further ones fail.
pub(super) const HOST_CALLS: u32 = 10_000;
/// Limit (plugins, bytes): arguments of one host call, as text; more is refused. As base64 that is just under 12 MiB of
/// a file.
pub(super) const HOST_CALL_ARGUMENTS: usize = 16 * 1024 * 1024;
/// Answer of a filter. A larger one is an error.
pub(super) const FILTER_OUTPUT: usize = 1024 * 1024;
/// Answer of `load`. A larger one is an error, and the plugin does not start.
pub(super) const REGISTER_OUTPUT: usize = 256 * 1024;
/// Compiled code that is kept of a plugin. More is not kept, and is compiled again at every load.
pub(super) const KEPT_CODE: usize = 4 * 1024 * 1024;
/// Answer of any other call: a body of ten megabytes as base64. A larger one is an error.
pub(super) const OUTPUT: usize = 14 * 1024 * 1024;
/// An error text; the rest is cut.
pub(super) const ERROR_TEXT: usize = 16 * 1024;
/// Waiting that is left to a handler when one request to another server got no answer: enough to tell somebody.
const AFTER_A_REQUEST: Duration = Duration::from_secs(2);
/// Limit (plugins): time by the clock for a request to a plugin, its wait included; then it gets 504. Budgets count
/// processor time, which a busy machine can stretch to any length.
const WALL_TIME: Duration = Duration::from_secs(10);
/// A line a plugin prints; the rest of the line is cut.
pub(super) const LOG_LINE: usize = 4 * 1024;
/// Lines a plugin prints during one call; further ones are dropped, and the log says so.
pub(super) const LOG_LINES: usize = 200;
/// What a plugin prints during one call; the rest is dropped, and the log says so.
pub(super) const LOG_BYTES: usize = 64 * 1024;

/// Limits for the life of an instance.
#[derive(Clone, Copy, Debug)]
pub struct InstanceLimits {
    /// Linear memory in bytes.
    pub memory: usize,
    /// Host calls per call.
    pub host_calls: u32,
}

impl Default for InstanceLimits {
    fn default() -> Self {
        Self {
            memory: MEMORY,
            host_calls: HOST_CALLS,
        }
    }
}

/// Time limits of one call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Budget {
    /// Time the plugin itself computes or sleeps. When it is used up, the instance ends.
    pub running: Duration,
    /// Total time its host calls may wait. When it is used up, further host calls fail at once with a message, and the
    /// plugin goes on.
    pub waiting: Duration,
}

impl Budget {
    /// For running a plugin's module body.
    pub const LOAD: Self = Self::with_request(5_000, PATIENCE_OF_EVENTS);

    const fn new(running: u64, waiting: u64) -> Self {
        Self {
            running: Duration::from_millis(running),
            waiting: Duration::from_millis(waiting),
        }
    }

    /// With time to wait for one request that may take `patience`, and to say what came of it.
    const fn with_request(running: u64, patience: Duration) -> Self {
        Self {
            running: Duration::from_millis(running),
            waiting: patience.saturating_add(AFTER_A_REQUEST),
        }
    }
}

/// The kind of a call.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum CallKind {
    /// An event: chat, stream, timer, command, tick.
    Event,
    /// A chat line to judge.
    Filter,
    /// A request to one of its routes.
    Http,
    /// The content of a tab.
    Tab,
    /// Content for the viewer page.
    Page,
    /// Styles for the viewer page.
    Styles,
    /// Scripts for the viewer page.
    Scripts,
    /// May this viewer watch?
    Auth,
}

impl CallKind {
    /// Its name in the engine.
    pub fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Filter => "filter",
            Self::Http => "http",
            Self::Tab => "tab",
            Self::Page => "page",
            Self::Styles => "styles",
            Self::Scripts => "scripts",
            Self::Auth => "auth",
        }
    }

    /// The time limits of such a call.
    pub fn budget(self) -> Budget {
        match self {
            // Chat waits for a filter, so its host calls must not take longer than the filter itself.
            Self::Filter => Budget::new(50, 50),
            Self::Event => Budget::with_request(500, PATIENCE_OF_EVENTS),
            Self::Http => Budget::with_request(5_000, PATIENCE_OF_PAGES),
            Self::Tab | Self::Page | Self::Styles | Self::Scripts | Self::Auth => {
                Budget::with_request(5_000, PATIENCE_OF_EVENTS)
            }
        }
    }

    /// How long a caller waits for the answer, including the time in the queue.
    pub(crate) fn patience(self) -> Duration {
        let budget = self.budget();
        match self {
            // Chat is waiting.
            Self::Filter => budget.running,
            _ => (budget.running + budget.waiting).min(WALL_TIME),
        }
    }

    /// The maximum size of an answer.
    pub fn largest_output(self) -> usize {
        match self {
            Self::Filter => FILTER_OUTPUT,
            _ => OUTPUT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_longer_than_ten_seconds_for_an_answer() {
        for (kind, millis) in [
            (CallKind::Filter, 50),
            (CallKind::Event, 7_500),
            (CallKind::Http, 10_000),
            (CallKind::Tab, 10_000),
            (CallKind::Page, 10_000),
            (CallKind::Styles, 10_000),
            (CallKind::Scripts, 10_000),
            (CallKind::Auth, 10_000),
        ] {
            assert_eq!(kind.patience(), Duration::from_millis(millis), "{kind:?}");
        }
        // After a request to another server times out, a handler has time left to report it.
        assert!(PATIENCE_OF_PAGES + AFTER_A_REQUEST <= CallKind::Http.patience());
    }

    #[test]
    fn every_kind_of_call_has_its_time() {
        let content = (5_000, 7_000);
        for (budget, (running, waiting)) in [
            (CallKind::Filter.budget(), (50, 50)),
            (CallKind::Event.budget(), (500, 7_000)),
            (CallKind::Http.budget(), (5_000, 10_000)),
            (CallKind::Tab.budget(), content),
            (CallKind::Page.budget(), content),
            (CallKind::Styles.budget(), content),
            (CallKind::Scripts.budget(), content),
            (CallKind::Auth.budget(), content),
            (Budget::LOAD, content),
        ] {
            let expected = Budget {
                running: Duration::from_millis(running),
                waiting: Duration::from_millis(waiting),
            };
            assert_eq!(budget, expected);
        }
    }
}
