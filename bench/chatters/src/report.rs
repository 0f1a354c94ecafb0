//! What the crowd heard, in numbers.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::time::Duration;

/// Distinct complaints that are kept in words; all are counted.
const MAX_KINDS_OF_ERROR: usize = 10;

#[derive(Debug, Default)]
pub struct Report {
    pub sockets: usize,
    pub measured: Duration,
    pub sent: usize,
    pub heard: u64,
    pub lost: u64,
    pub doubled: u64,
    /// One for each order in which somebody heard the lines.
    pub orders: HashSet<u64>,
    pub errors: u64,
    pub complaints: BTreeMap<String, u64>,
    /// In microseconds, in no order: of lines, or of coming in.
    pub lags: Vec<u32>,
}

impl Report {
    pub fn complain(&mut self, text: &str) {
        self.errors += 1;
        if self.complaints.len() < MAX_KINDS_OF_ERROR || self.complaints.contains_key(text) {
            *self.complaints.entry(text.to_owned()).or_default() += 1;
        }
    }

    pub fn lag(&mut self, lag: Duration) {
        self.lags
            .push(u32::try_from(lag.as_micros()).unwrap_or(u32::MAX));
    }

    pub fn into_json(mut self) -> String {
        self.lags.sort_unstable();
        let mut complaints = String::new();
        for (text, count) in &self.complaints {
            let comma = if complaints.is_empty() { "" } else { ", " };
            let _ = write!(complaints, "{comma}{text:?}: {count}");
        }
        format!(
            "{{\"sockets\": {}, \"seconds\": {:.3}, \"sent\": {}, \"heard\": {}, \"lost\": {}, \"doubled\": {}, \
             \"orders\": {}, \"errors\": {}, \
             \"lag_ms\": {{\"p50\": {:.2}, \"p99\": {:.2}, \"p999\": {:.2}, \"max\": {:.2}}}, \"complaints\": {{{complaints}}}}}",
            self.sockets,
            self.measured.as_secs_f64(),
            self.sent,
            self.heard,
            self.lost,
            self.doubled,
            self.orders.len(),
            self.errors,
            self.percentile(500),
            self.percentile(990),
            self.percentile(999),
            self.percentile(1000),
        )
    }

    /// In milliseconds; the lags are sorted by now.
    fn percentile(&self, thousandths: usize) -> f64 {
        let Some(last) = self.lags.len().checked_sub(1) else {
            return 0.0;
        };
        f64::from(self.lags[last * thousandths / 1000]) / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_percentiles_of_lags_in_any_order() {
        let mut report = Report::default();
        for ms in (0..=1000).rev() {
            report.lag(Duration::from_millis(ms));
        }
        let json = report.into_json();
        let wanted = "\"p50\": 500.00, \"p99\": 990.00, \"p999\": 999.00, \"max\": 1000.00";
        assert!(json.contains(wanted), "{json}");
    }

    #[test]
    fn counts_every_error_and_names_each_kind_once() {
        let mut report = Report::default();
        for _ in 0..3 {
            report.complain("closed with 1013");
        }
        let json = report.into_json();
        assert!(json.contains("\"errors\": 3"), "{json}");
        assert!(json.contains("{\"closed with 1013\": 3}"), "{json}");
    }
}
