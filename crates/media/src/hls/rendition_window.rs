//! What viewers get of one rendition: the finished segments, the open one, their numbering and the promised durations.
//!
//! Playlists and snapshots are rendered from this alone. [`super::rendition_writer::RenditionWriter`] fills it.

use std::collections::VecDeque;
use std::sync::Arc;

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
struct BitRate {
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
}

fn per_second(bytes: u64, us: u64) -> u64 {
    // An endless stream sends terabytes.
    let rate = (u128::from(bytes) * 8_000_000).div_ceil(u128::from(us.max(1)));
    u64::try_from(rate).unwrap_or(u64::MAX)
}

#[derive(Debug)]
pub(super) struct RenditionWindow {
    /// Part of every file name of this rendition, so that no other rendition's file ever has the same name.
    pub(super) token: u64,
    /// The promised durations.
    pub(super) targets: Targets,
    /// Finished segments, unlisted ones first.
    finished: VecDeque<Arc<Segment>>,
    finished_bytes: usize,
    /// How many of the finished segments, from the front, are no longer listed.
    unlisted: usize,
    pub(super) open: Segment,
    /// Number of discontinuities that have left the playlist.
    pub(super) discontinuity_sequence: u64,
    /// Whether any segment began in the middle of a group of pictures.
    pub(super) has_dependent_segment: bool,
    rate: BitRate,
}

impl RenditionWindow {
    /// A window whose first segment is `open`.
    pub(super) fn new(
        token: u64,
        open: Segment,
        discontinuity_sequence: u64,
        targets: &Targets,
    ) -> Self {
        Self {
            token,
            targets: *targets,
            finished: VecDeque::new(),
            finished_bytes: 0,
            unlisted: 0,
            open,
            discontinuity_sequence,
            has_dependent_segment: false,
            rate: BitRate::default(),
        }
    }

    /// Adds a part to the open segment.
    pub(super) fn add_part(&mut self, part: PartialSegment) {
        self.open.duration_us += part.duration_us;
        self.open.parts.push(part);
    }

    /// Finishes the open segment and opens `next`. False if there was nothing to finish, because it was empty.
    pub(super) fn open_next(&mut self, next: Segment) -> bool {
        let done = std::mem::replace(&mut self.open, next);
        if done.is_empty() {
            return false;
        }
        self.has_dependent_segment |= !done.is_independent();
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
        true
    }

    /// Whether the oldest segment can leave the playlist: enough would be left, in number and in time.
    fn has_one_too_many(&self) -> bool {
        let count = self.listed().len();
        let rest_us: i64 = self
            .listed()
            .skip(1)
            .map(|segment| segment.duration_us)
            .sum();
        // The minimum duration of the playlist, once there is as much.
        let listed_us = self.targets.skip_until_us();
        count > MOST_SEGMENTS || (count > LISTED_SEGMENTS && rest_us >= listed_us)
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

    /// Whether the playlist lists parts.
    pub(super) fn lists_parts(&self) -> bool {
        self.targets.part_us.is_some()
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

    /// The init segments in use, newest last, for look-ups by version.
    pub(super) fn inits(&self) -> Vec<Arc<Init>> {
        let mut found: Vec<Arc<Init>> = Vec::new();
        let used = self.fetchable().map(|segment| &segment.init);
        for init in used.chain([&self.open.init]) {
            if found.last().is_none_or(|last| last.version != init.version) {
                found.push(Arc::clone(init));
            }
        }
        found
    }

    /// Number of discontinuities up to the end of the finished segments.
    pub(super) fn discontinuities(&self) -> u64 {
        let listed = self.listed().filter(|segment| segment.is_discontinuity);
        self.discontinuity_sequence + listed.count() as u64
    }

    /// Number of discontinuities up to the start of segment `msn`.
    pub(super) fn discontinuities_up_to(&self, msn: u64) -> u64 {
        let listed = self.listed().map(AsRef::as_ref);
        let before = listed
            .chain([&self.open])
            .filter(|segment| segment.is_discontinuity && segment.msn <= msn);
        self.discontinuity_sequence + before.count() as u64
    }

    /// Bits per second: the peak segment's, and the average; before the first complete segment, those of the open one.
    pub(super) fn peak_and_average(&self) -> (u64, u64) {
        let BitRate { peak, bytes, us } = self.rate;
        if us == 0 {
            let open = &self.open;
            let rate = per_second(open.len() as u64, open.duration_us.unsigned_abs());
            return (rate, rate);
        }
        (peak, per_second(bytes, us))
    }
}
