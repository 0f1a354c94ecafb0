//! When in a replay something is that has a time of the wall clock, or a position in the recording.

use super::Replay;

/// The times of a replay. Positions that viewers see begin with 0 where the replay begins, and go on over everything that
/// is not in it, as players count.
#[derive(Clone, Debug)]
pub struct ReplayClock {
    /// The segments that are shown.
    segments: Vec<ClockSegment>,
    /// From which time on each segment of the whole recording was live, or a later one, in order: the clock can be set
    /// back, and then the later one is meant.
    live_from_ms: Vec<i64>,
    /// The place of the first of `segments` there.
    first: usize,
}

#[derive(Clone, Copy, Debug)]
struct ClockSegment {
    /// From the beginning of the recording.
    start_us: i64,
    /// From the beginning of the replay.
    shown_us: i64,
    duration_us: i64,
}

impl Replay {
    /// Its times.
    #[must_use]
    pub fn clock(&self) -> ReplayClock {
        let all = &self.timeline.renditions[self.leading].segments;
        let mut live_from_ms: Vec<i64> = all.iter().map(|segment| segment.arrived_ms).collect();
        let mut earliest = i64::MAX;
        for from_ms in live_from_ms.iter_mut().rev() {
            earliest = earliest.min(*from_ms);
            *from_ms = earliest;
        }
        let mut shown_us = 0;
        let segments = self.lead().iter().map(|segment| {
            let shown = ClockSegment {
                start_us: segment.start_us,
                shown_us,
                duration_us: segment.duration_us,
            };
            shown_us += segment.duration_us;
            shown
        });
        ReplayClock {
            segments: segments.collect(),
            live_from_ms,
            first: self.shown.start,
        }
    }
}

impl ReplayClock {
    /// The length of the replay.
    #[must_use]
    pub fn duration_us(&self) -> i64 {
        self.segments
            .last()
            .map_or(0, |last| last.shown_us + last.duration_us)
    }

    /// What was shown live at this time, in milliseconds; `None` if the replay does not show it. Where nothing was
    /// recorded it is the end of what was before, and before the first picture it is the beginning.
    #[must_use]
    pub fn at_wall_clock(&self, ms: i64) -> Option<i64> {
        let after = self.live_from_ms.partition_point(|from_ms| *from_ms <= ms);
        let Some(segment) = after.checked_sub(1) else {
            return (self.first == 0).then_some(0);
        };
        let shown = self.segments.get(segment.checked_sub(self.first)?)?;
        // It is the last one that had come by then, so its time and that from which it was live are the same.
        let since_us = ms
            .saturating_sub(self.live_from_ms[segment])
            .saturating_mul(1000);
        Some(shown.shown_us + since_us.min(shown.duration_us))
    }

    /// The first and the last time, in milliseconds, of what was live between two positions of the replay; `None` if it
    /// shows nothing there.
    #[must_use]
    pub fn wall_clock_of(&self, from_us: i64, to_us: i64) -> Option<(i64, i64)> {
        let ends_before = |segment: &ClockSegment| segment.shown_us + segment.duration_us < from_us;
        let first = self.segments.partition_point(ends_before);
        let end = self
            .segments
            .partition_point(|segment| segment.shown_us <= to_us);
        if first >= end {
            return None;
        }
        let (first, end) = (self.first + first, self.first + end);
        let from_ms = match first {
            0 => i64::MIN,
            first => self.live_from_ms[first],
        };
        let next = self.live_from_ms.get(end);
        let to_ms = next.map_or(i64::MAX, |next| next.saturating_sub(1));
        Some((from_ms, to_ms))
    }

    /// Where a position of the recording is in the replay; `None` if it is after its end. What is before its beginning is
    /// negative.
    #[must_use]
    pub fn shown_us(&self, at_us: i64) -> Option<i64> {
        let first = self.segments.first()?;
        let after = self
            .segments
            .partition_point(|segment| segment.start_us <= at_us);
        let Some(segment) = after.checked_sub(1).map(|place| self.segments[place]) else {
            return Some(at_us.saturating_sub(first.start_us));
        };
        let since = at_us - segment.start_us;
        let is_after = after == self.segments.len() && since >= segment.duration_us;
        (!is_after).then(|| segment.shown_us + since.min(segment.duration_us))
    }

    /// Where a position of the replay is in the recording; `None` if it is after its end, or negative.
    #[must_use]
    pub fn recorded_us(&self, shown_us: i64) -> Option<i64> {
        let after = self
            .segments
            .partition_point(|segment| segment.shown_us <= shown_us);
        let segment = self.segments.get(after.checked_sub(1)?)?;
        let since = shown_us - segment.shown_us;
        (since < segment.duration_us).then_some(segment.start_us + since)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;

    use super::*;
    use crate::ChunkDescription;
    use crate::timeline::{RenditionTimeline, Timeline, TimelineSegment};
    use crate::vod::Cut;

    const SECOND: i64 = 1_000_000;

    /// Segments of two seconds, with the position of each and the time when it came, in seconds.
    fn timeline(segments: &[(i64, i64)]) -> Timeline {
        let segments =
            segments
                .iter()
                .zip(0..)
                .map(|((start, arrived), ordinal)| TimelineSegment {
                    ordinal,
                    token: 7,
                    msn: ordinal,
                    chunk: 0,
                    offset: 0,
                    len: 1,
                    start_us: start * SECOND,
                    duration_us: 2 * SECOND,
                    date: Timestamp::UNIX_EPOCH,
                    arrived_ms: arrived * 1000,
                    is_independent: true,
                    is_discontinuity: false,
                });
        let segments: Vec<TimelineSegment> = segments.collect();
        Timeline {
            duration_us: segments.last().map_or(0, TimelineSegment::end_us),
            renditions: vec![RenditionTimeline {
                rendition: "0".into(),
                described: ChunkDescription::default(),
                chunks: vec![],
                segments,
            }],
            started_at: Timestamp::UNIX_EPOCH,
        }
    }

    fn clock(segments: &[(i64, i64)], cut: Cut) -> ReplayClock {
        let replay = Replay::new(Arc::new(timeline(segments)), cut);
        replay.unwrap().clock()
    }

    fn cut(start: i64, end: i64) -> Cut {
        Cut {
            start_us: Some(start * SECOND),
            end_us: Some(end * SECOND),
        }
    }

    /// The positions of these times, in seconds.
    fn positions(clock: &ReplayClock, seconds: &[i64]) -> Vec<Option<i64>> {
        let at = seconds.iter().map(|at| clock.at_wall_clock(at * 1000));
        at.map(|at| at.map(|us| us / SECOND)).collect()
    }

    #[test]
    fn a_time_is_where_the_picture_was_live_then() {
        let steady = clock(&[(0, 100), (2, 102), (4, 104)], Cut::default());
        assert_eq!(
            positions(&steady, &[90, 100, 101, 103, 105, 106, 200]),
            [0, 0, 1, 3, 5, 6, 6].map(Some)
        );
        assert_eq!(steady.at_wall_clock(101_250), Some(1_250_000));
        assert_eq!(steady.duration_us(), 6 * SECOND);
    }

    #[test]
    fn while_nothing_was_recorded_it_is_the_end_of_what_was_before() {
        // The publisher was away for twenty seconds; of the time between, the recording's positions know or do not.
        for start in [4, 24] {
            let away = clock(&[(0, 100), (2, 102), (start, 124)], Cut::default());
            let times = [103, 105, 123, 124, 125];
            assert_eq!(positions(&away, &times), [3, 4, 4, 4, 5].map(Some));
        }
    }

    #[test]
    fn where_the_clock_was_set_back_the_later_position_is_meant() {
        let back = clock(&[(0, 100), (2, 102), (4, 98), (6, 100)], Cut::default());
        let times = [97, 98, 99, 100, 101, 103];
        assert_eq!(
            positions(&back, &times),
            [Some(0), Some(4), Some(5), Some(6), Some(7), Some(8)]
        );
    }

    #[test]
    fn what_is_trimmed_away_has_no_position() {
        let segments = [(0, 100), (2, 102), (4, 104), (6, 106)];
        let trimmed = clock(&segments, cut(2, 6));
        let times = [90, 101, 102, 105, 106, 200];
        assert_eq!(
            positions(&trimmed, &times),
            [None, None, Some(0), Some(3), None, None]
        );
        assert_eq!(trimmed.duration_us(), 4 * SECOND);
        assert_eq!(trimmed.shown_us(SECOND), Some(-SECOND));
        assert_eq!(trimmed.shown_us(3 * SECOND), Some(SECOND));
        assert_eq!(trimmed.shown_us(6 * SECOND), None);
        assert_eq!(trimmed.recorded_us(SECOND), Some(3 * SECOND));
        assert_eq!(trimmed.recorded_us(-1), None);
        assert_eq!(trimmed.recorded_us(4 * SECOND), None);
    }

    #[test]
    fn positions_go_on_over_what_was_not_recorded_as_players_count() {
        let holey = clock(&[(0, 100), (10, 110), (12, 112)], Cut::default());
        assert_eq!(holey.duration_us(), 6 * SECOND);
        assert_eq!(holey.shown_us(5 * SECOND), Some(2 * SECOND));
        assert_eq!(holey.shown_us(11 * SECOND), Some(3 * SECOND));
        assert_eq!(holey.recorded_us(3 * SECOND), Some(11 * SECOND));
    }

    #[test]
    fn every_time_between_two_positions_is_asked_for() {
        let away = [(0, 100), (2, 102), (4, 124), (6, 126)];
        let back = [(0, 100), (2, 102), (4, 98), (6, 100), (8, 90), (10, 92)];
        let cuts = [Cut::default(), cut(2, 6), cut(2, 100)];
        for (segments, cut) in [&away[..], &back[..]]
            .into_iter()
            .zip([cuts; 2])
            .flat_map(|(segments, cuts)| cuts.into_iter().map(move |cut| (segments, cut)))
        {
            let clock = clock(segments, cut);
            for (from, to) in [(0, 1), (0, 3), (2, 5), (1, 12), (0, 0)] {
                let asked = clock.wall_clock_of(from * SECOND, to * SECOND);
                for ms in (80_000..140_000).step_by(250) {
                    let at = clock.at_wall_clock(ms);
                    let is_there = at.is_some_and(|at| at >= from * SECOND && at <= to * SECOND);
                    let is_asked = asked.is_some_and(|(first, last)| first <= ms && ms <= last);
                    assert!(is_asked || !is_there, "{segments:?} {cut:?} {ms} {asked:?}");
                }
            }
        }
        let steady = clock(&[(0, 100), (2, 102), (4, 104), (6, 106)], Cut::default());
        let asked = steady.wall_clock_of(2_500_000, 3 * SECOND);
        assert_eq!(asked, Some((102_000, 103_999)), "and not many more");
        assert_eq!(steady.wall_clock_of(20 * SECOND, 30 * SECOND), None);
    }

    #[test]
    fn the_time_of_the_timeline_is_the_same() {
        let segments = [(0, 100), (2, 102), (4, 98), (6, 100), (8, 130)];
        let clock = clock(&segments, Cut::default());
        let timeline = timeline(&segments);
        for ms in (98_000..140_000).step_by(250) {
            assert_eq!(clock.at_wall_clock(ms), timeline.at_wall_clock(ms), "{ms}");
        }
    }
}
