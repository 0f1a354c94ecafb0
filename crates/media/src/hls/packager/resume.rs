//! Goes on with a broadcast whose packager is gone, with everything it held.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

use super::{ORIGIN_MS, Packager, PackagerSettings, Tracks};
use crate::hls::segment::SegmentStart;
use crate::hls::snapshot::Snapshot;

/// A time line gets no longer than ten years, whatever was written down.
const MOST_US: i64 = 10 * 366 * 86_400 * 1_000_000;

/// Where the playlists of a broadcast stood. It is all that somebody else needs to go on with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResumePoint {
    /// Number of the segment that was under construction.
    pub msn: u64,
    /// How many of its parts players have seen.
    pub parts: u64,
    /// The discontinuity number of that segment.
    pub discontinuities: u64,
    /// The end of its parts, on the session's time line.
    pub end_us: i64,
    /// Wall-clock time at that end.
    pub date: Timestamp,
}

impl ResumePoint {
    /// The same for somebody who learns of it later: the broadcast may have gone on until now. Two segments hardly ever
    /// fit into a second.
    #[must_use]
    pub fn by(self, now: Timestamp) -> Self {
        let passed = now.duration_since(self.date).as_secs().max(0);
        Self {
            msn: self.msn.saturating_add(passed.unsigned_abs()),
            parts: self.parts.max(1),
            ..self
        }
    }

    /// The one of the two that is further.
    #[must_use]
    pub fn or_later(self, other: Self) -> Self {
        match (other.msn, other.parts) > (self.msn, self.parts) {
            true => other,
            false => self,
        }
    }

    /// The first number that no player has seen. The segment that was begun stays as it is: what was in it is gone.
    pub fn first_msn(&self) -> u64 {
        self.msn.saturating_add(u64::from(self.parts > 0))
    }
}

/// The first position of a time line that goes on here: frames are placed in whole milliseconds.
pub(super) fn in_bounds(us: i64) -> i64 {
    (us.clamp(ORIGIN_MS * 1000, MOST_US) + 999) / 1000 * 1000
}

impl Packager {
    /// Begins a session with a time line that goes on at `origin_us`, where the one of another process ended.
    pub fn new_at(
        settings: PackagerSettings,
        origin_us: i64,
        tracks: Tracks,
        now: Timestamp,
        live_snapshot: watch::Sender<Option<Arc<Snapshot>>>,
    ) -> Self {
        let at_us = in_bounds(origin_us);
        let start = SegmentStart {
            msn: settings.first_msn,
            at_us,
            date: now,
            is_discontinuity: false,
        };
        let anchor = now - SignedDuration::from_micros(at_us - ORIGIN_MS * 1000);
        Self::start_at(settings, tracks, start, anchor, live_snapshot)
    }

    /// Goes on where another packager of the broadcast stood: after a discontinuity, with numbers above all of its own and
    /// with the names of `settings`. The time line goes on as the wall clock did.
    pub fn resume(
        settings: PackagerSettings,
        point: ResumePoint,
        tracks: Tracks,
        now: Timestamp,
        live_snapshot: watch::Sender<Option<Arc<Snapshot>>>,
    ) -> Self {
        let settings = PackagerSettings {
            first_msn: point.first_msn(),
            first_discontinuity: point.discontinuities,
            ..settings
        };
        // Another machine's clock may be ahead; dates in the playlist never go back.
        let date = now.max(point.date);
        let passed_us = date.duration_since(point.date).as_micros();
        let passed_us = i64::try_from(passed_us).unwrap_or(MOST_US);
        let at_us = in_bounds(point.end_us.saturating_add(passed_us));
        let start = SegmentStart {
            msn: settings.first_msn,
            at_us,
            date,
            is_discontinuity: true,
        };
        let anchor = date - SignedDuration::from_micros(at_us - ORIGIN_MS * 1000);
        Self::start_at(settings, tracks, start, anchor, live_snapshot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(parts: u64) -> ResumePoint {
        ResumePoint {
            msn: 70,
            parts,
            discontinuities: 3,
            end_us: 30_000_000,
            date: Timestamp::from_second(1_700_000_000).unwrap(),
        }
    }

    #[test]
    fn a_segment_that_players_have_seen_a_part_of_is_left_behind() {
        assert_eq!(point(0).first_msn(), 70);
        assert_eq!(point(1).first_msn(), 71);
    }

    #[test]
    fn a_time_line_goes_on_at_a_whole_millisecond_and_within_bounds() {
        assert_eq!(in_bounds(i64::MIN), ORIGIN_MS * 1000);
        assert_eq!(in_bounds(20_000_001), 20_001_000);
        assert_eq!(in_bounds(20_001_000), 20_001_000);
        assert_eq!(in_bounds(i64::MAX), MOST_US);
    }

    #[test]
    fn of_what_is_written_down_and_what_was_told_the_further_one_counts() {
        let next = ResumePoint {
            msn: 71,
            discontinuities: 4,
            ..point(0)
        };
        assert_eq!(point(2).or_later(point(3)), point(3));
        assert_eq!(point(3).or_later(point(2)), point(3));
        assert_eq!(point(3).or_later(next), next);
        assert_eq!(next.or_later(point(3)), next);
    }

    #[test]
    fn segments_that_may_have_followed_are_left_behind_one_for_each_second() {
        let noted = point(0);
        let late = noted.by(noted.date + SignedDuration::from_secs(9));
        assert_eq!(late.first_msn(), 80);
        // A clock that is behind takes nothing back.
        let early = noted.by(noted.date - SignedDuration::from_secs(9));
        assert_eq!(early.first_msn(), 71);
    }
}
