//! One rendition under construction: the open part, the open segment and the window of finished ones.

use std::collections::VecDeque;
use std::sync::Arc;

use jiff::Timestamp;
use media_formats::cmaf::{self, Sample, Track};

use super::segment::{Init, PartialSegment, Segment};
use super::targets::Targets;

/// Segments in a playlist, or more if they are short: six target durations are the least a player may expect.
const LISTED_SEGMENTS: usize = 8;
/// Segments in a playlist when a broken stream makes very short ones; beyond it the list gets shorter than promised.
const MOST_SEGMENTS: usize = 100;
/// Segments that can still be fetched after they left the playlist.
const KEPT_SEGMENTS: usize = 4;
/// Bytes of finished segments in memory. Beyond it the oldest go early: a stream of hundreds of megabits per second
/// gets a shorter window instead of all memory.
const WINDOW_BYTES: usize = 256 * 1024 * 1024;

/// Bits per second, for the multivariant playlist.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BitRate {
    peak: u64,
    bytes: u64,
    us: u64,
}

impl BitRate {
    fn note(&mut self, segment: &Segment) {
        let bytes = segment.len() as u64;
        let us = segment.duration_us.unsigned_abs();
        self.peak = self.peak.max(per_second(bytes, us));
        self.bytes += bytes;
        self.us += us;
    }

    /// The peak segment's, and the average; before the first complete segment, those of the open one.
    pub(super) fn peak_and_average(&self, open: &Segment) -> (u64, u64) {
        if self.us == 0 {
            let rate = per_second(open.len() as u64, open.duration_us.unsigned_abs());
            return (rate, rate);
        }
        (self.peak, per_second(self.bytes, self.us))
    }
}

fn per_second(bytes: u64, us: u64) -> u64 {
    // An endless stream sends terabytes.
    let rate = (u128::from(bytes) * 8_000_000).div_ceil(u128::from(us.max(1)));
    u64::try_from(rate).unwrap_or(u64::MAX)
}

#[derive(Debug)]
pub(super) struct RenditionWriter {
    track: Track,
    /// Part of every file name of this rendition, so that no other rendition's file ever has the same name.
    pub(super) token: u64,
    pub(super) init: Arc<Init>,
    /// Finished segments, unlisted ones first.
    finished: VecDeque<Arc<Segment>>,
    finished_bytes: usize,
    /// How many of the finished segments, from the front, are no longer listed.
    unlisted: usize,
    pub(super) open: Segment,
    samples: Vec<Sample>,
    open_bytes: usize,
    /// Decode time of the first sample in `samples`, or the position of an empty part.
    decode_time: u64,
    /// The listed start of the open part.
    pub(super) part_start_us: i64,
    sequence: u32,
    /// Number of discontinuities that have left the playlist.
    pub(super) discontinuity_sequence: u64,
    /// Whether any segment began in the middle of a group of pictures.
    pub(super) has_dependent_segment: bool,
    lists_parts: bool,
    /// The minimum duration of the playlist, once there is as much.
    listed_us: i64,
    /// Whether something with the current parameters can be listed.
    pub(super) has_news: bool,
    pub(super) rate: BitRate,
}

/// The start of a segment, or of a rendition after a break.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentStart {
    pub(super) msn: u64,
    pub(super) at_us: i64,
    pub(super) date: Timestamp,
    pub(super) is_discontinuity: bool,
}

impl RenditionWriter {
    pub(super) fn new(
        track: Track,
        token: u64,
        init: Init,
        start: SegmentStart,
        discontinuity_sequence: u64,
        targets: &Targets,
    ) -> Self {
        let init = Arc::new(init);
        Self {
            track,
            token,
            open: segment(start, Arc::clone(&init)),
            init,
            finished: VecDeque::new(),
            finished_bytes: 0,
            unlisted: 0,
            samples: Vec::new(),
            open_bytes: 0,
            decode_time: 0,
            part_start_us: start.at_us,
            sequence: 0,
            discontinuity_sequence,
            has_dependent_segment: false,
            lists_parts: targets.part_us.is_some(),
            listed_us: targets.skip_until_us(),
            has_news: false,
            rate: BitRate::default(),
        }
    }

    /// Adds a sample to the open part.
    pub(super) fn add(&mut self, decode_time: u64, sample: Sample) {
        if self.samples.is_empty() {
            self.decode_time = decode_time;
        }
        self.open_bytes += sample.data.len();
        self.samples.push(sample);
    }

    /// Bytes that cannot be fetched yet, and those of the open segment.
    pub(super) fn open_bytes(&self) -> usize {
        self.open_bytes + self.open.len()
    }

    /// Extends the newest sample of the open part; false if there is none.
    pub(super) fn extend_last(&mut self, ticks: i64) -> bool {
        let Some(last) = self.samples.last_mut() else {
            return false;
        };
        last.duration = last
            .duration
            .saturating_add(u32::try_from(ticks).unwrap_or(u32::MAX));
        true
    }

    /// Finishes the open part, even if empty: time passed without samples.
    pub(super) fn close_part(&mut self, duration_us: i64) {
        self.sequence = self.sequence.wrapping_add(1);
        let bytes =
            cmaf::fragment::write(self.sequence, self.decode_time, self.track, &self.samples);
        self.open.parts.push(PartialSegment {
            bytes,
            duration_us,
            // Sound can be decoded from anywhere, even from a silence.
            is_independent: self
                .samples
                .first()
                .map_or(self.track == Track::Audio, |sample| sample.is_sync),
        });
        let lasted: u64 = self.samples.iter().map(|one| u64::from(one.duration)).sum();
        self.decode_time += lasted;
        self.samples.clear();
        self.open_bytes = 0;
        self.open.duration_us += duration_us;
        self.part_start_us += duration_us;
        self.has_news |= self.lists_parts;
    }

    /// Finishes the open segment and opens the next one. When that is due is decided by the picture
    /// (`packager::video`), or by the sound where there is none (`packager::audio`).
    pub(super) fn close_segment(&mut self, next: SegmentStart) {
        self.part_start_us = next.at_us;
        let done = std::mem::replace(&mut self.open, segment(next, Arc::clone(&self.init)));
        if done.is_empty() {
            return;
        }
        self.has_dependent_segment |= !done.is_independent();
        self.has_news = true;
        self.rate.note(&done);
        self.finished_bytes += done.len();
        self.finished.push_back(Arc::new(done));
        while self.has_one_too_many() {
            self.unlist();
        }
        while self.unlisted > KEPT_SEGMENTS {
            self.evict();
        }
        while self.finished_bytes > WINDOW_BYTES && self.finished.len() > 1 {
            if self.unlisted == 0 {
                self.unlist();
            }
            self.evict();
        }
    }

    /// As [`RenditionWriter::close_segment`], with new parameters from now on.
    pub(super) fn change(&mut self, init: Init, next: SegmentStart) {
        self.init = Arc::new(init);
        self.close_segment(next);
        self.has_news = false;
    }

    /// Whether the oldest segment can leave the playlist: enough would be left, in number and in time.
    fn has_one_too_many(&self) -> bool {
        let count = self.listed().len();
        let rest_us: i64 = self
            .listed()
            .skip(1)
            .map(|segment| segment.duration_us)
            .sum();
        count > MOST_SEGMENTS || (count > LISTED_SEGMENTS && rest_us >= self.listed_us)
    }

    fn unlist(&mut self) {
        if let Some(leaving) = self.finished.get(self.unlisted) {
            self.discontinuity_sequence += u64::from(leaving.is_discontinuity);
            self.unlisted += 1;
        }
    }

    fn evict(&mut self) {
        if let Some(gone) = self.finished.pop_front() {
            self.finished_bytes -= gone.len();
            self.unlisted -= 1;
        }
    }

    /// Whether the open segment begins with a frame that needs no other; `None` while it is empty.
    pub(super) fn begins_with_key(&self) -> Option<bool> {
        let part = self.open.parts.first().map(|part| part.is_independent);
        part.or_else(|| self.samples.first().map(|sample| sample.is_sync))
    }

    /// Whether samples wait in the open part.
    pub(super) fn has_open_samples(&self) -> bool {
        !self.samples.is_empty()
    }

    /// Number of discontinuities up to the end of the finished segments.
    pub(super) fn discontinuities(&self) -> u64 {
        let listed = self.listed().filter(|segment| segment.is_discontinuity);
        self.discontinuity_sequence + listed.count() as u64
    }

    /// Finished segments that are listed, oldest first.
    pub(super) fn listed(
        &self,
    ) -> impl DoubleEndedIterator<Item = &Arc<Segment>> + ExactSizeIterator {
        self.finished.range(self.unlisted..)
    }

    /// Finished segments that can be fetched, oldest first.
    pub(super) fn fetchable(&self) -> impl Iterator<Item = &Arc<Segment>> {
        self.finished.iter()
    }
}

fn segment(start: SegmentStart, init: Arc<Init>) -> Segment {
    Segment {
        msn: start.msn,
        start_us: start.at_us,
        duration_us: 0,
        date: start.date,
        is_discontinuity: start.is_discontinuity,
        init,
        parts: Vec::new(),
    }
}

#[cfg(test)]
impl RenditionWriter {
    /// An empty writer for tests, and the start of its first segment.
    pub(super) fn begun(track: Track, at_us: i64, targets: &Targets) -> (Self, SegmentStart) {
        let start = SegmentStart {
            msn: 0,
            at_us,
            date: Timestamp::UNIX_EPOCH,
            is_discontinuity: false,
        };
        let init = Init {
            version: 0,
            bytes: bytes::Bytes::new(),
        };
        (Self::new(track, 1, init, start, 0, targets), start)
    }
}
