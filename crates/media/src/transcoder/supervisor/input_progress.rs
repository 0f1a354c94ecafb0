//! Tracks what an encoder was given, and how much of it is still to be encoded.

use std::collections::VecDeque;

use super::BACKLOG_PICTURES;

/// From one picture to the next no more milliseconds count than this: a gap in the stream is no work for anybody.
pub(super) const LONGEST_STEP_MS: i64 = 1_000;
/// Gaps that are remembered until every output is behind them; who owes more is hopelessly behind anyway.
const MAX_GAPS: usize = 64;

/// Gaps between pictures, each with the milliseconds that do not count as work.
#[derive(Debug, Default)]
struct Gaps(VecDeque<(i64, i64)>);

impl Gaps {
    fn note(&mut self, before_ms: i64, at_ms: i64) {
        let beyond = at_ms - before_ms - LONGEST_STEP_MS;
        if beyond > 0 {
            if self.0.len() >= MAX_GAPS {
                self.0.pop_front();
            }
            self.0.push_back((at_ms, beyond));
        }
    }

    /// How much of the time after `at_ms` was empty.
    fn behind(&self, at_ms: i64) -> i64 {
        let gaps = self.0.iter().filter(|(end_ms, _)| *end_ms > at_ms);
        gaps.map(|(_, beyond)| beyond).sum()
    }
}

/// The input of the current run, in milliseconds of the session.
#[derive(Debug)]
pub(super) struct InputProgress {
    pub(super) first_ms: i64,
    pub(super) newest_ms: i64,
    /// The end of the newest input, if known.
    pub(super) end_ms: i64,
    /// Gaps between pictures that were given.
    skips: Gaps,
    /// The newest picture of the source, given or dropped.
    source_ms: i64,
    /// Gaps between pictures of the source.
    pauses: Gaps,
    /// Presentation times of the newest pictures that were given.
    pub(super) recent: VecDeque<i64>,
}

impl InputProgress {
    pub(super) fn new(at_ms: i64) -> Self {
        Self {
            first_ms: at_ms,
            newest_ms: at_ms,
            end_ms: at_ms,
            skips: Gaps::default(),
            source_ms: at_ms,
            pauses: Gaps::default(),
            recent: VecDeque::with_capacity(BACKLOG_PICTURES),
        }
    }

    pub(super) fn add(&mut self, at_ms: i64, end_ms: i64) {
        self.skips.note(self.newest_ms, at_ms);
        self.newest_ms = self.newest_ms.max(at_ms);
        self.end_ms = self.end_ms.max(end_ms);
        if self.recent.len() >= BACKLOG_PICTURES {
            self.recent.pop_front();
        }
        self.recent.push_back(at_ms);
        self.pass(at_ms);
    }

    pub(super) fn pass(&mut self, at_ms: i64) {
        self.pauses.note(self.source_ms, at_ms);
        self.source_ms = self.source_ms.max(at_ms);
    }

    /// How much input there is after `at_ms`. Dropped pictures are not work.
    pub(super) fn behind(&self, at_ms: i64) -> i64 {
        (self.newest_ms - at_ms - self.skips.behind(at_ms)).max(0)
    }

    /// How much the source has shown after `at_ms`.
    pub(super) fn late(&self, at_ms: i64) -> i64 {
        (self.source_ms - at_ms - self.pauses.behind(at_ms)).max(0)
    }
}
