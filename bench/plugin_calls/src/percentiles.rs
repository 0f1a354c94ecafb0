//! Times, in numbers.

use std::time::Duration;

use serde_json::{Value, json};

/// Percentiles in so many units a second.
pub fn summary(mut times: Vec<Duration>, per_second: f64) -> Value {
    times.sort_unstable();
    let at = |share: f64| {
        let place = (times.len() as f64 * share) as usize;
        times[place.min(times.len() - 1)].as_secs_f64() * per_second
    };
    json!({ "count": times.len(), "p50": at(0.5), "p99": at(0.99), "max": at(1.0) })
}
