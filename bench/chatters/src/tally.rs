//! What is counted, for both reports: times with their percentiles, and complaints.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// Distinct errors that are kept as text; all are counted.
const MAX_KINDS_OF_ERROR: usize = 10;

/// In microseconds, in no order.
#[derive(Debug, Default)]
pub struct Lags(Vec<u32>);

impl Lags {
    pub fn add(&mut self, lag: Duration) {
        self.0
            .push(u32::try_from(lag.as_micros()).unwrap_or(u32::MAX));
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// In milliseconds.
    pub fn json(&mut self) -> String {
        self.0.sort_unstable();
        format!(
            "{{\"p50\": {:.2}, \"p99\": {:.2}, \"p999\": {:.2}, \"max\": {:.2}}}",
            self.percentile(500),
            self.percentile(990),
            self.percentile(999),
            self.percentile(1000),
        )
    }

    /// They are sorted by now.
    fn percentile(&self, thousandths: usize) -> f64 {
        let Some(last) = self.0.len().checked_sub(1) else {
            return 0.0;
        };
        f64::from(self.0[last * thousandths / 1000]) / 1000.0
    }
}

#[derive(Debug, Default)]
pub struct Complaints {
    pub count: u64,
    kinds: BTreeMap<String, u64>,
}

impl Complaints {
    pub fn add(&mut self, text: &str) {
        self.count += 1;
        if self.kinds.len() < MAX_KINDS_OF_ERROR || self.kinds.contains_key(text) {
            *self.kinds.entry(text.to_owned()).or_default() += 1;
        }
    }

    pub fn json(&self) -> String {
        let mut inner = String::new();
        for (text, count) in &self.kinds {
            let comma = if inner.is_empty() { "" } else { ", " };
            let _ = write!(inner, "{comma}{text:?}: {count}");
        }
        format!("{{{inner}}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_percentiles_of_lags_in_any_order() {
        let mut lags = Lags::default();
        for ms in (0..=1000).rev() {
            lags.add(Duration::from_millis(ms));
        }
        let wanted = "{\"p50\": 500.00, \"p99\": 990.00, \"p999\": 999.00, \"max\": 1000.00}";
        assert_eq!(lags.json(), wanted);
    }

    #[test]
    fn counts_every_error_and_names_each_kind_once() {
        let mut complaints = Complaints::default();
        for _ in 0..3 {
            complaints.add("closed with 1013");
        }
        assert_eq!(complaints.count, 3);
        assert_eq!(complaints.json(), "{\"closed with 1013\": 3}");
    }
}
