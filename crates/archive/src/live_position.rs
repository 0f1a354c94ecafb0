//! Where in the log something is that happens now, or happened while it was written.

use model::recording::RecordingId;

use crate::error::ArchiveError;
use crate::handle::Archive;
use crate::live_log::LiveLog;
use crate::timeline::{Timeline, TimelineSegment};

/// The log tells complete segments only; for this long after the end of the newest one the stream is taken to go on.
const MAX_AHEAD_US: i64 = 10_000_000;

impl LiveLog {
    /// The position that is live at a time of the wall clock, in milliseconds; before what is in memory it is the
    /// beginning of that.
    #[must_use]
    pub fn position_at(&self, ms: i64) -> i64 {
        position_at(&self.timeline, ms)
    }
}

impl Archive {
    /// The position of a recording that was live at a time of the wall clock, in milliseconds; before the first picture
    /// it is the beginning. `None` if nothing of it is here.
    pub async fn position_at(
        &self,
        id: &RecordingId,
        ms: i64,
    ) -> Result<Option<i64>, ArchiveError> {
        let live = self.live().borrow().clone();
        let live = live.filter(|live| live.recording == *id);
        if let Some(live) = live.as_ref().filter(|live| is_in(&live.timeline, ms)) {
            return Ok(Some(live.position_at(ms)));
        }
        // Of one that goes on only the newest part is in memory.
        let timeline = self.timeline(id).await?;
        let is_here = live.is_some() || !segments_of(&timeline).is_empty();
        Ok(is_here.then(|| position_at(&timeline, ms)))
    }
}

fn is_in(timeline: &Timeline, ms: i64) -> bool {
    let first = segments_of(timeline).first();
    first.is_some_and(|first| first.arrived_ms <= ms)
}

fn segments_of(timeline: &Timeline) -> &[TimelineSegment] {
    match timeline.source() {
        Some(source) => &source.segments,
        None => &[],
    }
}

fn position_at(timeline: &Timeline, ms: i64) -> i64 {
    let segments = segments_of(timeline);
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
    use crate::timeline::RenditionTimeline;

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
    fn what_was_before_the_first_segment_is_not_in_it() {
        let timeline = timeline(&[100, 102]);
        assert!(!is_in(&timeline, 99_999));
        assert!(is_in(&timeline, 100_000) && is_in(&timeline, 300_000));
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
