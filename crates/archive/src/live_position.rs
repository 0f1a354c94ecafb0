//! Where in the log something is that happens now.

use crate::live_log::LiveLog;
use crate::timeline::Timeline;

/// The log tells complete segments only; for this long after the end of the newest one the stream is taken to go on.
const MAX_AHEAD_US: i64 = 10_000_000;

impl LiveLog {
    /// The position that is live at a time of the wall clock, in milliseconds; before the first picture it is the
    /// beginning.
    #[must_use]
    pub fn position_at(&self, ms: i64) -> i64 {
        position_at(&self.timeline, ms)
    }
}

fn position_at(timeline: &Timeline, ms: i64) -> i64 {
    let segments = timeline.source().map_or(&[][..], |source| &source.segments);
    if let Some(newest) = segments.last() {
        let since_us = ms.saturating_sub(newest.arrived_ms).saturating_mul(1000);
        if (0..=newest.duration_us + MAX_AHEAD_US).contains(&since_us) {
            return newest.start_us + since_us;
        }
    }
    let first = segments.first().map_or(0, |first| first.start_us);
    timeline.at_wall_clock(ms).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::ChunkDescription;
    use crate::timeline::{RenditionTimeline, TimelineSegment};

    /// Segments of two seconds that came at these seconds, after those that are gone.
    fn timeline(arrived: &[i64]) -> Timeline {
        let segments = arrived
            .iter()
            .zip(5..)
            .map(|(arrived, ordinal)| TimelineSegment {
                ordinal,
                token: 7,
                msn: ordinal,
                chunk: 0,
                offset: 0,
                len: 1,
                start_us: ordinal.cast_signed() * 2_000_000,
                duration_us: 2_000_000,
                date: Timestamp::UNIX_EPOCH,
                arrived_ms: arrived * 1000,
                is_independent: true,
                is_discontinuity: false,
            });
        Timeline {
            renditions: vec![RenditionTimeline {
                rendition: "0".into(),
                described: ChunkDescription::default(),
                chunks: vec![],
                segments: segments.collect(),
            }],
            duration_us: 0,
            started_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn now_is_behind_the_newest_segment_that_is_told_while_the_stream_goes_on() {
        let timeline = timeline(&[100, 102]);
        let seconds = [90, 101, 103, 105, 109, 300];
        let positions = seconds.map(|at| position_at(&timeline, at * 1000) / 1_000_000);
        // After ten seconds without a segment the stream has stopped.
        assert_eq!(positions, [10, 11, 13, 15, 19, 14]);
    }

    #[test]
    fn of_nothing_everything_is_the_beginning() {
        assert_eq!(position_at(&timeline(&[]), 5), 0);
        let empty = Timeline {
            renditions: vec![],
            ..timeline(&[])
        };
        assert_eq!(position_at(&empty, 5), 0);
    }
}
