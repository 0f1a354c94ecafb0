//! What the viewers saw, in numbers.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// Distinct errors that are kept as text; all are counted.
const MAX_KINDS_OF_ERROR: usize = 10;

#[derive(Debug, Default)]
pub struct Report {
    pub viewers: usize,
    pub measured: Duration,
    pub requests: u64,
    pub bytes: u64,
    /// Parts that at least one viewer learned of while measuring, over all playlists.
    pub parts_listed: u64,
    pub parts_fetched: u64,
    pub errors: u64,
    pub complaints: BTreeMap<String, u64>,
    /// In microseconds, in no order.
    pub lags: Vec<u32>,
}

impl Report {
    pub fn complain(&mut self, text: String) {
        self.errors += 1;
        if self.complaints.len() < MAX_KINDS_OF_ERROR || self.complaints.contains_key(&text) {
            *self.complaints.entry(text).or_default() += 1;
        }
    }

    pub fn into_json(mut self) -> String {
        self.lags.sort_unstable();
        let seconds = self.measured.as_secs_f64();
        let expected = self.parts_listed * self.viewers as u64;
        let mut complaints = String::new();
        for (text, count) in &self.complaints {
            let comma = if complaints.is_empty() { "" } else { ", " };
            let _ = write!(complaints, "{comma}{text:?}: {count}");
        }
        format!(
            "{{\"viewers\": {}, \"seconds\": {seconds:.3}, \"requests_per_second\": {:.1}, \"megabytes_per_second\": {:.2}, \
             \"parts_listed\": {}, \"parts_fetched\": {}, \"share_fetched\": {:.4}, \"errors\": {}, \
             \"lag_ms\": {{\"p50\": {:.2}, \"p90\": {:.2}, \"p99\": {:.2}, \"max\": {:.2}}}, \"complaints\": {{{complaints}}}}}",
            self.viewers,
            self.requests as f64 / seconds,
            self.bytes as f64 / 1e6 / seconds,
            self.parts_listed,
            self.parts_fetched,
            if expected == 0 {
                0.0
            } else {
                self.parts_fetched as f64 / expected as f64
            },
            self.errors,
            self.lag(50),
            self.lag(90),
            self.lag(99),
            self.lag(100),
        )
    }

    /// A percentile of the lags in milliseconds; they are sorted by now.
    fn lag(&self, percent: usize) -> f64 {
        let Some(last) = self.lags.len().checked_sub(1) else {
            return 0.0;
        };
        f64::from(self.lags[last * percent / 100]) / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_every_error_and_names_each_kind_once() {
        let mut report = Report {
            measured: Duration::from_secs(1),
            ..Report::default()
        };
        for _ in 0..3 {
            report.complain("503".into());
        }
        let json = report.into_json();
        assert!(
            json.contains("\"errors\": 3") && json.contains("{\"503\": 3}"),
            "{json}"
        );
    }

    #[test]
    fn gives_percentiles_of_lags_in_any_order() {
        let lags = (0..=100u32).rev().map(|ms| ms * 1000).collect();
        let report = Report {
            lags,
            measured: Duration::from_secs(1),
            ..Report::default()
        };
        assert!(
            report
                .into_json()
                .contains("\"p50\": 50.00, \"p90\": 90.00, \"p99\": 99.00, \"max\": 100.00")
        );
    }
}
