//! A plugin's resource usage, for the admin page and for Prometheus.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use metrics::{Counter, Gauge, Histogram};

use crate::engine::{CallError, Instance};

/// Calls of a plugin whose time is remembered: enough to tell one in a hundred, few enough that one that turns slow is
/// seen.
const REMEMBERED: usize = 256;

/// Bytes of what is remarked about a filter's verdict; the rest is cut.
const REMARK_BYTES: usize = 500;

/// A plugin's resource usage and counters since it was loaded.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    pub calls: u64,
    /// Calls whose handler raised or whose answer was invalid.
    pub failures: u64,
    /// Instances that were ended: time, memory, crashes.
    pub traps: u64,
    /// Fresh instances started after that.
    pub restarts: u64,
    /// Texts that Python compiled because they were not cached.
    pub compiled: u64,
    /// Mails dropped because the plugin was too busy or not running.
    pub dropped: u64,
    /// Current consecutive failures of its filter.
    pub strikes: u32,
    /// Chat lines that skipped its filter because it was busy or too slow.
    pub unfiltered: u64,
    /// Processor time.
    pub processor: Duration,
    /// Linear memory of its instance, in bytes.
    pub memory: u64,
    /// Median duration of its newest calls.
    pub median: Duration,
    /// 99th percentile of its newest calls.
    pub p99: Duration,
    /// The last error.
    pub last_error: Option<String>,
}

/// Counters; read through [`Usage`].
#[derive(Debug)]
pub(super) struct Counters {
    calls: AtomicU64,
    failures: AtomicU64,
    traps: AtomicU64,
    restarts: AtomicU64,
    compiled: AtomicU64,
    dropped: AtomicU64,
    strikes: AtomicU64,
    unfiltered: AtomicU64,
    /// Over all its instances, in nanoseconds.
    processor: AtomicU64,
    /// Over its instances, as of their last calls.
    memory: AtomicU64,
    times: CallTimes,
    last_error: Mutex<Option<String>>,
    /// The remark about its verdicts is logged once.
    is_remarked: AtomicBool,
    metrics: PluginMetrics,
}

/// Usage of one instance, as far as it was counted.
#[derive(Debug, Default)]
pub(super) struct InstanceUsage {
    processor: u64,
    memory: u64,
}

/// Prometheus handles, looked up once because a lookup costs more than a short call.
struct PluginMetrics {
    calls: Counter,
    traps: Counter,
    restarts: Counter,
    compiled: Counter,
    dropped: Counter,
    unfiltered: Counter,
    processor: Gauge,
    memory: Gauge,
    seconds: Histogram,
}

impl std::fmt::Debug for PluginMetrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PluginMetrics")
    }
}

impl Counters {
    pub(super) fn new(slug: &str) -> Self {
        let plugin = || slug.to_owned();
        Self {
            calls: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            traps: AtomicU64::new(0),
            restarts: AtomicU64::new(0),
            compiled: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            strikes: AtomicU64::new(0),
            unfiltered: AtomicU64::new(0),
            processor: AtomicU64::new(0),
            memory: AtomicU64::new(0),
            times: CallTimes::new(),
            last_error: Mutex::new(None),
            is_remarked: AtomicBool::new(false),
            metrics: PluginMetrics {
                calls: metrics::counter!("rillcast_plugin_calls_total", "plugin" => plugin()),
                traps: metrics::counter!("rillcast_plugin_traps_total", "plugin" => plugin()),
                restarts: metrics::counter!("rillcast_plugin_restarts_total", "plugin" => plugin()),
                compiled: metrics::counter!("rillcast_plugin_compiled_total", "plugin" => plugin()),
                dropped: metrics::counter!("rillcast_plugin_dropped_total", "plugin" => plugin()),
                unfiltered: metrics::counter!("rillcast_plugin_unfiltered_lines_total", "plugin" => plugin()),
                processor: metrics::gauge!("rillcast_plugin_processor_seconds", "plugin" => plugin()),
                memory: metrics::gauge!("rillcast_plugin_memory_bytes", "plugin" => plugin()),
                seconds: metrics::histogram!("rillcast_plugin_call_seconds", "plugin" => plugin()),
            },
        }
    }

    /// A fresh instance has run the module body.
    pub(super) fn started(&self, instance: &Instance) -> InstanceUsage {
        let compiled = u64::from(instance.compiled());
        self.compiled.fetch_add(compiled, Ordering::Relaxed);
        self.metrics.compiled.increment(compiled);
        let mut share = InstanceUsage::default();
        self.measure(instance, &mut share);
        share
    }

    pub(super) fn called(&self, took: Duration, error: Option<&CallError>) {
        // The time first: a reader takes as many times as there were calls.
        self.times.note(self.calls.load(Ordering::Relaxed), took);
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.metrics.calls.increment(1);
        self.metrics.seconds.record(took.as_secs_f64());
        if error.is_some_and(CallError::is_fatal) {
            self.traps.fetch_add(1, Ordering::Relaxed);
            self.metrics.traps.increment(1);
        }
    }

    /// Adds an instance's usage since the last measurement.
    pub(super) fn measure(&self, instance: &Instance, share: &mut InstanceUsage) {
        let used = nanoseconds(instance.processor_time());
        let more = used.saturating_sub(share.processor);
        share.processor = used;
        let all = self.processor.fetch_add(more, Ordering::Relaxed) + more;
        let all = Duration::from_nanos(all).as_secs_f64();
        self.metrics.processor.set(all);
        self.hold(instance.memory() as u64, share);
    }

    /// An instance ended.
    pub(super) fn ended(&self, mut share: InstanceUsage) {
        self.hold(0, &mut share);
    }

    fn hold(&self, memory: u64, share: &mut InstanceUsage) {
        self.memory.fetch_add(memory, Ordering::Relaxed);
        let before = std::mem::replace(&mut share.memory, memory);
        let both = self.memory.fetch_sub(before, Ordering::Relaxed) - before;
        self.metrics.memory.set(both as f64);
    }

    /// A chat line skipped its filter.
    pub(super) fn unfiltered(&self) {
        self.unfiltered.fetch_add(1, Ordering::Relaxed);
        self.metrics.unfiltered.increment(1);
    }

    /// Logs a remark about its verdicts.
    pub(super) fn remark(&self, slug: &str, remark: &str) {
        if !self.is_remarked.swap(true, Ordering::Relaxed) {
            let remark = &remark[..remark.floor_char_boundary(REMARK_BYTES)];
            tracing::warn!(plugin = slug, "{remark}");
            self.note(remark);
        }
    }

    fn note(&self, error: &str) {
        let mut last = self
            .last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *last = Some(error.to_owned());
    }

    pub(super) fn failed(&self, error: &str) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.note(error);
    }

    pub(super) fn restarted(&self) {
        self.restarts.fetch_add(1, Ordering::Relaxed);
        self.metrics.restarts.increment(1);
    }

    pub(super) fn dropped(&self, count: usize) {
        if count > 0 {
            self.dropped.fetch_add(count as u64, Ordering::Relaxed);
            self.metrics.dropped.increment(count as u64);
        }
    }

    pub(super) fn strikes(&self, strikes: u32) {
        self.strikes.store(u64::from(strikes), Ordering::Relaxed);
    }

    pub(super) fn usage(&self) -> Usage {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let calls = get(&self.calls);
        let times = self.times.sorted(calls);
        Usage {
            calls,
            failures: get(&self.failures),
            traps: get(&self.traps),
            restarts: get(&self.restarts),
            compiled: get(&self.compiled),
            dropped: get(&self.dropped),
            strikes: u32::try_from(get(&self.strikes)).unwrap_or(u32::MAX),
            unfiltered: get(&self.unfiltered),
            processor: Duration::from_nanos(get(&self.processor)),
            memory: get(&self.memory),
            median: quantile(&times, 50),
            p99: quantile(&times, 99),
            last_error: self
                .last_error
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Durations of the newest calls, in microseconds.
#[derive(Debug)]
struct CallTimes([AtomicU32; REMEMBERED]);

impl CallTimes {
    const fn new() -> Self {
        Self([const { AtomicU32::new(0) }; REMEMBERED])
    }

    /// Stores the duration of a call, given the number of earlier calls. If the filter's own instance ends a call at
    /// the same time, one of the two may be lost.
    fn note(&self, earlier: u64, took: Duration) {
        let place = (earlier % REMEMBERED as u64) as usize;
        let micros = u32::try_from(took.as_micros()).unwrap_or(u32::MAX);
        self.0[place].store(micros, Ordering::Relaxed);
    }

    /// The stored durations after this many calls, shortest first.
    fn sorted(&self, calls: u64) -> Vec<u32> {
        let known = usize::try_from(calls).unwrap_or(REMEMBERED);
        let newest = self.0.iter().take(known);
        let mut times: Vec<u32> = newest.map(|time| time.load(Ordering::Relaxed)).collect();
        times.sort_unstable();
        times
    }
}

/// The duration that this many of a hundred calls did not exceed.
fn quantile(sorted: &[u32], hundredths: usize) -> Duration {
    let count = (sorted.len() * hundredths).div_ceil(100);
    let last = count.checked_sub(1).and_then(|index| sorted.get(index));
    Duration::from_micros(last.copied().map_or(0, u64::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_times_of_calls_and_nothing_where_there_were_none() {
        let times = [1, 30, 31, 32, 700];
        assert_eq!(quantile(&times, 50), Duration::from_micros(31));
        assert_eq!(quantile(&times, 99), Duration::from_micros(700));
        assert_eq!(quantile(&[], 50), Duration::ZERO);
    }

    #[test]
    fn one_slow_call_among_hundreds_is_no_quantile() {
        let times = CallTimes::new();
        times.note(0, Duration::from_secs(1));
        for earlier in 1..200 {
            times.note(earlier, Duration::from_micros(30));
        }
        let sorted = times.sorted(200);
        assert_eq!(quantile(&sorted, 99), Duration::from_micros(30));
    }

    #[test]
    fn only_the_newest_calls_are_remembered() {
        let times = CallTimes::new();
        for earlier in 0..1_000 {
            times.note(earlier, Duration::from_micros(30));
        }
        for earlier in 1_000..1_256 {
            times.note(earlier, Duration::from_micros(700));
        }
        assert_eq!(times.sorted(1_256), [700; REMEMBERED]);
    }

    #[test]
    fn a_call_that_was_not_made_yet_has_no_time() {
        let times = CallTimes::new();
        times.note(0, Duration::from_micros(30));
        assert_eq!(times.sorted(1), [30]);
    }
}
