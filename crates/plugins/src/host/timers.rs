//! Timers: calls that the plugin scheduled.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use model::Clock;
use serde::Deserialize;
use tokio::task::AbortHandle;

use super::args;
use crate::host::parts::Deliveries;
use crate::host::plugin_host::Host;

/// Limit (plugins): timers that wait; a further one is not set, and the plugin gets 0 for its id.
pub const MAX_TIMERS: usize = 64;

/// The shortest wait; a shorter one becomes this.
const MIN_WAIT: Duration = Duration::from_millis(100);

/// The longest wait; a longer one becomes this.
const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// The timers of one plugin. They live in memory and end with the plugin's instance.
#[derive(Debug)]
pub(super) struct Timers {
    slug: Arc<str>,
    clock: Arc<dyn Clock>,
    deliveries: Arc<dyn Deliveries>,
    waiting: Arc<Mutex<PendingTimers>>,
}

#[derive(Debug, Default)]
struct PendingTimers {
    tasks: HashMap<i64, Task>,
    /// Distinguishes a timer from an older one with the same id.
    born: u64,
}

#[derive(Debug)]
struct Task {
    born: u64,
    handle: AbortHandle,
    wait: Duration,
    repeats: bool,
    /// When it fires if only [`Timers::take_due`] drives it: on a manually driven clock.
    due: Timestamp,
}

impl Timers {
    pub(super) fn new(
        slug: Arc<str>,
        clock: Arc<dyn Clock>,
        deliveries: Arc<dyn Deliveries>,
    ) -> Self {
        Self {
            slug,
            clock,
            deliveries,
            waiting: Arc::default(),
        }
    }

    pub(super) fn clear_all(&self) {
        for (_, task) in lock(&self.waiting).tasks.drain() {
            task.handle.abort();
        }
    }

    fn clear(&self, id: i64) {
        if let Some(task) = lock(&self.waiting).tasks.remove(&id) {
            task.handle.abort();
        }
    }

    /// Takes the timer that is due first, if it is due by `until`, and its time; a repeating one is rescheduled as
    /// after its callback. For manually driven clocks, as in plugin tests.
    pub(super) fn take_due(&self, until: Timestamp) -> Option<(Timestamp, i64)> {
        let waiting = lock(&self.waiting);
        let all = waiting.tasks.iter().filter(|(_, task)| task.due <= until);
        let (id, task) = all.min_by_key(|(_, task)| (task.due, task.born))?;
        let (id, due) = (*id, task.due);
        drop(waiting);
        self.fired(id, due);
        Some((due, id))
    }

    /// Fires a timer manually at this time: a repeating one is rescheduled, any other is over.
    pub(super) fn fired(&self, id: i64, at: Timestamp) {
        let mut waiting = lock(&self.waiting);
        match waiting.tasks.get_mut(&id) {
            Some(task) if task.repeats => task.due = at + task.wait,
            _ => {
                if let Some(task) = waiting.tasks.remove(&id) {
                    task.handle.abort();
                }
            }
        }
    }

    /// Returns whether the limit allowed it.
    fn set(&self, id: i64, wait: Duration, repeats: bool) -> bool {
        let mut waiting = lock(&self.waiting);
        if waiting.tasks.len() >= MAX_TIMERS && !waiting.tasks.contains_key(&id) {
            return false;
        }
        waiting.born += 1;
        let born = waiting.born;
        let (slug, clock) = (Arc::clone(&self.slug), Arc::clone(&self.clock));
        let deliveries = Arc::clone(&self.deliveries);
        let others = Arc::downgrade(&self.waiting);
        let first = clock.now() + wait;
        let mut due = first;
        let task = tokio::spawn(async move {
            loop {
                clock.sleep_until(due).await;
                if !repeats && let Some(waiting) = others.upgrade() {
                    // Removed before the callback, which may reuse the id.
                    forget(&waiting, id, born);
                }
                deliveries.timer_due(&slug, id).await;
                if !repeats {
                    return;
                }
                // Counted from the callback's end, so that slow callbacks do not pile up.
                due = clock.now() + wait;
            }
        });
        let handle = task.abort_handle();
        let task = Task {
            born,
            handle,
            wait,
            repeats,
            due: first,
        };
        if let Some(former) = waiting.tasks.insert(id, task) {
            former.handle.abort();
        }
        true
    }

    /// An unused id, for callers that give none.
    fn free_id(&self) -> i64 {
        let waiting = lock(&self.waiting);
        (1..)
            .find(|id| !waiting.tasks.contains_key(id))
            .unwrap_or_default()
    }
}

impl Drop for Timers {
    fn drop(&mut self) {
        self.clear_all();
    }
}

fn forget(waiting: &Mutex<PendingTimers>, id: i64, born: u64) {
    let mut waiting = lock(waiting);
    if waiting.tasks.get(&id).is_some_and(|task| task.born == born) {
        waiting.tasks.remove(&id);
    }
}

fn lock(waiting: &Mutex<PendingTimers>) -> MutexGuard<'_, PendingTimers> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TimerArgs {
    #[serde(default, deserialize_with = "args::int_or_zero")]
    id: i64,
    #[serde(alias = "ms", deserialize_with = "args::int")]
    delay_ms: i64,
    #[serde(default, deserialize_with = "args::flag")]
    repeat: bool,
}

#[derive(Deserialize)]
struct TimerIdArgs {
    #[serde(deserialize_with = "args::int")]
    id: i64,
}

pub(super) async fn set(host: &Host, args: &str) -> Result<String, String> {
    let timer_args: TimerArgs = args::read(args)?;
    let wait = Duration::from_millis(u64::try_from(timer_args.delay_ms).unwrap_or(0));
    let wait = wait.clamp(MIN_WAIT, MAX_WAIT);
    let id = match timer_args.id {
        0 => host.timers.free_id(),
        id => id,
    };
    let is_set = host.timers.set(id, wait, timer_args.repeat);
    args::answer(&if is_set { id } else { 0 })
}

pub(super) async fn clear(host: &Host, args: &str) -> Result<String, String> {
    let TimerIdArgs { id } = args::read(args)?;
    host.timers.clear(id);
    Ok(args::nothing())
}
