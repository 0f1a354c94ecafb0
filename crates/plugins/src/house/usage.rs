//! What a plugin uses of the machine, for the admin and for Prometheus.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use metrics::{Counter, Gauge, Histogram};

use crate::engine::{CallError, CallKind, Instance};

/// Steps of the latency table: below 2, 4, 8 … microseconds. The last holds everything that took longer.
const STEPS: usize = 24;

/// What a plugin has used and done since it moved in.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// Calls that were made.
    pub calls: u64,
    /// Of them, those whose handler raised or whose answer was no good.
    pub failures: u64,
    /// Instances that were ended: time, memory, crashes.
    pub traps: u64,
    /// Fresh instances after that.
    pub restarts: u64,
    /// Texts of its code that Python had to compile, because nothing was kept of them.
    pub compiled: u64,
    /// Mails that were lost because it was too busy or not running.
    pub dropped: u64,
    /// Failures of its filter in a row, up to now.
    pub strikes: u32,
    /// Processor time.
    pub processor: Duration,
    /// Linear memory of its instance, in bytes.
    pub memory: u64,
    /// Half of its calls took no longer than this.
    pub median: Duration,
    /// 99 of 100 calls took no longer than this.
    pub p99: Duration,
    /// The last thing that went wrong.
    pub last_error: Option<String>,
}

/// Counts; read by [`Usage`].
#[derive(Debug)]
pub(super) struct Counters {
    calls: AtomicU64,
    failures: AtomicU64,
    traps: AtomicU64,
    restarts: AtomicU64,
    compiled: AtomicU64,
    dropped: AtomicU64,
    strikes: AtomicU64,
    /// Of earlier instances and of this one, in nanoseconds.
    processor: AtomicU64,
    /// Of this instance, as it was after the last call.
    instance_processor: AtomicU64,
    memory: AtomicU64,
    latencies: [AtomicU64; STEPS],
    last_error: Mutex<Option<String>>,
    told: Told,
}

/// The same for Prometheus; found once, because finding them costs more than a short call.
struct Told {
    calls: Counter,
    traps: Counter,
    restarts: Counter,
    compiled: Counter,
    dropped: Counter,
    processor: Gauge,
    memory: Gauge,
    seconds: Histogram,
}

impl std::fmt::Debug for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Told")
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
            processor: AtomicU64::new(0),
            instance_processor: AtomicU64::new(0),
            memory: AtomicU64::new(0),
            latencies: [const { AtomicU64::new(0) }; STEPS],
            last_error: Mutex::new(None),
            told: Told {
                calls: metrics::counter!("rillcast_plugin_calls_total", "plugin" => plugin()),
                traps: metrics::counter!("rillcast_plugin_traps_total", "plugin" => plugin()),
                restarts: metrics::counter!("rillcast_plugin_restarts_total", "plugin" => plugin()),
                compiled: metrics::counter!("rillcast_plugin_compiled_total", "plugin" => plugin()),
                dropped: metrics::counter!("rillcast_plugin_dropped_total", "plugin" => plugin()),
                processor: metrics::gauge!("rillcast_plugin_processor_seconds", "plugin" => plugin()),
                memory: metrics::gauge!("rillcast_plugin_memory_bytes", "plugin" => plugin()),
                seconds: metrics::histogram!("rillcast_plugin_call_seconds", "plugin" => plugin()),
            },
        }
    }

    /// A fresh instance has run the module body.
    pub(super) fn started(&self, instance: &Instance) {
        self.instance_processor.store(0, Ordering::Relaxed);
        let compiled = u64::from(instance.compiled());
        self.compiled.fetch_add(compiled, Ordering::Relaxed);
        self.told.compiled.increment(compiled);
        self.measure(instance);
    }

    pub(super) fn called(
        &self,
        _kind: CallKind,
        took: Duration,
        error: Option<&CallError>,
        instance: &Instance,
    ) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.told.calls.increment(1);
        self.told.seconds.record(took.as_secs_f64());
        self.latencies[step(took)].fetch_add(1, Ordering::Relaxed);
        if error.is_some_and(CallError::is_fatal) {
            self.traps.fetch_add(1, Ordering::Relaxed);
            self.told.traps.increment(1);
        }
        self.measure(instance);
    }

    fn measure(&self, instance: &Instance) {
        let used = nanoseconds(instance.processor_time());
        let before = self.instance_processor.swap(used, Ordering::Relaxed);
        let more = used.saturating_sub(before);
        let all = self.processor.fetch_add(more, Ordering::Relaxed) + more;
        self.told
            .processor
            .set(Duration::from_nanos(all).as_secs_f64());
        let memory = instance.memory();
        self.memory.store(memory as u64, Ordering::Relaxed);
        self.told.memory.set(memory as f64);
    }

    pub(super) fn failed(&self, error: &str) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        let mut last = self
            .last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *last = Some(error.to_owned());
    }

    pub(super) fn restarted(&self) {
        self.restarts.fetch_add(1, Ordering::Relaxed);
        self.told.restarts.increment(1);
    }

    pub(super) fn dropped(&self, count: usize) {
        if count > 0 {
            self.dropped.fetch_add(count as u64, Ordering::Relaxed);
            self.told.dropped.increment(count as u64);
        }
    }

    pub(super) fn strikes(&self, strikes: u32) {
        self.strikes.store(u64::from(strikes), Ordering::Relaxed);
    }

    pub(super) fn usage(&self) -> Usage {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let latencies = self.latencies.each_ref().map(get);
        Usage {
            calls: get(&self.calls),
            failures: get(&self.failures),
            traps: get(&self.traps),
            restarts: get(&self.restarts),
            compiled: get(&self.compiled),
            dropped: get(&self.dropped),
            strikes: u32::try_from(get(&self.strikes)).unwrap_or(u32::MAX),
            processor: Duration::from_nanos(get(&self.processor)),
            memory: get(&self.memory),
            median: quantile(&latencies, 50),
            p99: quantile(&latencies, 99),
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

/// The step of a latency: its number of binary digits in microseconds.
fn step(took: Duration) -> usize {
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    let digits = (u64::BITS - micros.leading_zeros()) as usize;
    digits.saturating_sub(1).min(STEPS - 1)
}

/// The upper edge of the step in which a hundredth lies.
fn quantile(latencies: &[u64; STEPS], hundredths: u64) -> Duration {
    let all: u64 = latencies.iter().sum();
    let wanted = (all * hundredths).div_ceil(100);
    let mut seen = 0;
    for (step, count) in latencies.iter().enumerate() {
        seen += count;
        if seen >= wanted && all > 0 {
            return Duration::from_micros(2 << step);
        }
    }
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_told_to_the_next_power_of_two() {
        let mut latencies = [0; STEPS];
        for micros in [1, 30, 30, 30, 700] {
            latencies[step(Duration::from_micros(micros))] += 1;
        }
        assert_eq!(quantile(&latencies, 50), Duration::from_micros(32));
        assert_eq!(quantile(&latencies, 99), Duration::from_micros(1024));
        assert_eq!(quantile(&[0; STEPS], 50), Duration::ZERO);
    }
}
