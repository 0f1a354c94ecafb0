//! One output of an encoder: what it owes, and since when.

use std::time::Duration;

use super::input_progress::InputProgress;
use super::{
    BACKLOG_PICTURES, CAUGHT_UP_MS, FIRST_WORDS, HURRY_MS, KEPT_MS, KEPT_PICTURES, SILENCE,
};

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OutputProgress {
    pub(super) is_sound: bool,
    pub(super) is_shown: bool,
    pub(super) newest_ms: Option<i64>,
    /// Since when it has owed more than a decoder keeps; re-evaluated with each frame.
    pub(super) owes_since: Option<Duration>,
}

impl OutputProgress {
    /// How much work is left.
    pub(super) fn behind_ms(&self, given: &InputProgress) -> i64 {
        given.behind(self.newest_ms.unwrap_or(given.first_ms))
    }

    /// How far it is behind the source, from a viewer's perspective.
    pub(super) fn late_ms(&self, given: &InputProgress) -> i64 {
        given.late(self.newest_ms.unwrap_or(given.first_ms))
    }

    /// Number of given pictures after the newest output; counted up to [`BACKLOG_PICTURES`].
    fn owes(&self, given: &InputProgress) -> usize {
        let newest_ms = self.newest_ms.unwrap_or(i64::MIN);
        let owed = given.recent.iter().filter(|at_ms| **at_ms > newest_ms);
        owed.count()
    }

    pub(super) fn owes_too_much(&self, given: &InputProgress) -> bool {
        self.behind_ms(given) >= KEPT_MS && self.owes(given) > KEPT_PICTURES
    }

    pub(super) fn has_caught_up(&self, given: &InputProgress) -> bool {
        self.behind_ms(given) <= CAUGHT_UP_MS || self.owes(given) <= KEPT_PICTURES
    }

    pub(super) fn has_backlog(&self, given: &InputProgress) -> bool {
        self.behind_ms(given) >= HURRY_MS && self.owes(given) >= BACKLOG_PICTURES
    }

    pub(super) fn is_silent(&self, given: &InputProgress, now: Duration) -> bool {
        let patience = match self.newest_ms {
            Some(_) => SILENCE,
            None => FIRST_WORDS,
        };
        let waited = |since: Duration| now.saturating_sub(since) >= patience;
        self.owes_since.is_some_and(waited) && self.owes_too_much(given)
    }
}

/// The input of this output, if any.
pub(super) fn given_to<'a>(
    output: &OutputProgress,
    pictures: Option<&'a InputProgress>,
    sound: Option<&'a InputProgress>,
) -> Option<&'a InputProgress> {
    if output.is_sound { sound } else { pictures }
}
