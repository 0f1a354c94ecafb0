//! Log lines that strangers can cause.
//!
//! Anybody may send a thousand requests a second that are rejected, and a line for each would fill the disk and
//! drown the rest of the operator's log. So the first line is written and then every hundredth, with the count so far;
//! a metric counts all of them. A path is never a field: [`stranger_line!`](crate::stranger_line) names the route, or
//! what was rejected.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The first, and then one of so many.
const ONE_OF: u64 = 100;
/// Whom lines are about, at most; all others are counted as one.
const MAX_SUBJECTS: usize = 256;

/// Counts how often one place in the code wanted to write its line.
#[derive(Debug, Default)]
pub struct StrangerLine(AtomicU64);

impl StrangerLine {
    pub const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Counts one; `Some` with the count so far when the line is to be written.
    pub fn count(&self) -> Option<u64> {
        let before = self.0.fetch_add(1, Ordering::Relaxed);
        before.is_multiple_of(ONE_OF).then_some(before + 1)
    }
}

/// The same for lines about one of several subjects, such as plugins, so that one does not hide another.
#[derive(Debug, Default)]
pub struct StrangerLines(Mutex<BTreeMap<String, StrangerLine>>);

impl StrangerLines {
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// Counts one about `subject`.
    pub fn count(&self, subject: &str) -> Option<u64> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let subject = match lines.len() < MAX_SUBJECTS || lines.contains_key(subject) {
            true => subject,
            false => "",
        };
        lines.entry(subject.to_owned()).or_default().count()
    }
}

/// Writes a log line that strangers can cause, at intervals, and counts every occurrence.
///
/// `stranger_line!(warn, "name_of_the_metric's_label", field, %other, "what happened")`, with `about slug,` after the
/// name when it is about one of several subjects. The crate that uses it has `metrics` and `tracing`.
#[macro_export]
macro_rules! stranger_line {
    ($level:ident, $line:literal, about $subject:expr, $($fields:tt)+) => {{
        static LINES: $crate::stranger::StrangerLines = $crate::stranger::StrangerLines::new();
        ::metrics::counter!("rillcast_stranger_lines_total", "line" => $line).increment(1);
        if let Some(times) = LINES.count($subject) {
            ::tracing::$level!(times, $($fields)+);
        }
    }};
    ($level:ident, $line:literal, $($fields:tt)+) => {{
        static LINE: $crate::stranger::StrangerLine = $crate::stranger::StrangerLine::new();
        ::metrics::counter!("rillcast_stranger_lines_total", "line" => $line).increment(1);
        if let Some(times) = LINE.count() {
            ::tracing::$level!(times, $($fields)+);
        }
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_written_and_then_every_hundredth() {
        let line = StrangerLine::new();
        let written: Vec<u64> = (0..1_000).filter_map(|_| line.count()).collect();
        let expected: Vec<u64> = (0..10).map(|hundred| hundred * 100 + 1).collect();
        assert_eq!(written, expected);
    }

    #[test]
    fn what_one_causes_does_not_hide_another_and_there_is_an_end_to_how_many() {
        let lines = StrangerLines::new();
        let written = |subject: &str| (0..150).filter_map(|_| lines.count(subject)).count();
        assert_eq!([written("bell"), written("dice")], [2, 2]);
        for number in 0..MAX_SUBJECTS * 2 {
            lines.count(&number.to_string());
        }
        assert_eq!(lines.count("bell"), None);
        assert!(lines.0.lock().unwrap().len() <= MAX_SUBJECTS + 1);
    }
}
