//! The picture as reference track: its frames determine all cuts.

use bytes::Bytes;
use media_formats::cmaf::Sample;

use super::{Cut, SHORTEST_LAST_US, WallClock};
use crate::hls::rendition_writer::RenditionWriter;
use crate::hls::segment::{Init, SegmentStart};
use crate::hls::targets::Targets;

/// Ticks of the video track in a millisecond.
const TICKS_PER_MS: i64 = 90;
/// Length of a frame nobody has followed yet, in milliseconds.
const FIRST_GUESS_MS: i64 = 33;
/// A key frame this much before the target ends a segment.
const EARLY_US: i64 = 100_000;
/// The picture counts as stopped when the sound is this far ahead.
const STALLED_MS: i64 = 2_000;

/// A frame whose duration is unknown until the next one arrives.
#[derive(Debug)]
struct PendingFrame {
    at_ms: i64,
    composition_ms: i64,
    is_key: bool,
    data: Bytes,
}

#[derive(Debug)]
pub(super) struct VideoSegmenter {
    pub(super) writer: RenditionWriter,
    pending: Option<PendingFrame>,
    /// Duration of the last frame.
    last_ms: i64,
    /// The end of the frames given to the writer.
    end_ms: i64,
    /// Duration of the last complete group of pictures.
    group_us: Option<i64>,
    last_key_ms: Option<i64>,
}

impl VideoSegmenter {
    pub(super) fn new(writer: RenditionWriter) -> Self {
        let end_ms = writer.part_start_us / 1000;
        Self {
            writer,
            pending: None,
            last_ms: FIRST_GUESS_MS,
            end_ms,
            group_us: None,
            last_key_ms: None,
        }
    }

    pub(super) fn change(&mut self, init: Init, start: SegmentStart) {
        self.writer.change(init, start);
        self.end_ms = start.at_us / 1000;
        self.group_us = None;
        self.last_key_ms = None;
    }

    /// Bytes waiting to be listed as part of a whole segment.
    pub(super) fn open_bytes(&self) -> usize {
        let pending = self
            .pending
            .as_ref()
            .map_or(0, |pending| pending.data.len());
        self.writer.open_bytes() + pending
    }

    /// The earliest position of the next frame.
    pub(super) fn end_ms(&self) -> i64 {
        match &self.pending {
            Some(pending) => pending.at_ms + self.last_ms,
            None => self.end_ms,
        }
    }

    /// Takes a picture; returns its decode and presentation times, which may be later than the publisher's.
    #[expect(
        clippy::too_many_arguments,
        reason = "a frame has that many properties"
    )]
    pub(super) fn push(
        &mut self,
        targets: &Targets,
        clock: WallClock,
        at_ms: i64,
        composition_ms: i32,
        is_key: bool,
        data: Bytes,
        cuts: &mut Vec<Cut>,
    ) -> (i64, i64) {
        let shown_ms = at_ms + i64::from(composition_ms);
        // Decode times only ever increase, and leave no gap after a frame that had to be ended early.
        let at_ms = match &self.pending {
            Some(pending) => at_ms.max(pending.at_ms + 1),
            None => self.end_ms,
        };
        // That must not make a picture appear before it is decoded, unless it was sent like that.
        let shown_ms = shown_ms.max(at_ms + i64::from(composition_ms.min(0)));
        let next = PendingFrame {
            at_ms,
            composition_ms: shown_ms - at_ms,
            is_key,
            data,
        };
        if let Some(pending) = self.pending.take() {
            let starts_segment = self.starts_segment(targets, at_ms, is_key, pending.is_key);
            self.release(targets, clock, pending, at_ms, starts_segment, cuts);
        }
        if is_key {
            if let Some(last) = cuts.last_mut().filter(|cut| cut.at_us == at_ms * 1000) {
                last.key_shown_ms = Some(shown_ms);
            }
            self.group_us = self
                .last_key_ms
                .map(|last| (at_ms - last) * 1000)
                .or(self.group_us);
            self.last_key_ms = Some(at_ms);
        }
        self.pending = Some(next);
        (at_ms, shown_ms)
    }

    /// Whether a frame at `at_ms` begins a segment, so that the open one is closed; `before_is_key` is about its
    /// predecessor.
    fn starts_segment(
        &self,
        targets: &Targets,
        at_ms: i64,
        is_key: bool,
        before_is_key: bool,
    ) -> bool {
        let elapsed = at_ms * 1000 - self.writer.window.open.start_us;
        let longest = targets.longest_segment_us();
        let group = self.group_us.unwrap_or(0);
        if is_key {
            let began_in_the_middle = !self.writer.begins_with_key().unwrap_or(before_is_key);
            return elapsed >= targets.segment_us - EARLY_US
                || elapsed + group > longest
                || began_in_the_middle;
        }
        // A group of pictures longer than a segment is cut anyway: the playlist has to advance.
        let limit = if group > longest {
            targets.segment_us
        } else {
            longest
        };
        elapsed + self.last_ms * 1000 > limit
    }

    /// Writes a frame, now that `next_ms` tells how long it lasts, and makes the cuts after it.
    fn release(
        &mut self,
        targets: &Targets,
        clock: WallClock,
        pending: PendingFrame,
        next_ms: i64,
        ends_segment: bool,
        cuts: &mut Vec<Cut>,
    ) {
        let lasts_ms = next_ms - pending.at_ms;
        let sample = Sample {
            data: pending.data,
            duration: u32::try_from(lasts_ms * TICKS_PER_MS).unwrap_or(u32::MAX),
            composition: i32::try_from(pending.composition_ms * TICKS_PER_MS).unwrap_or_default(),
            is_sync: pending.is_key,
        };
        self.writer
            .add((pending.at_ms * TICKS_PER_MS).unsigned_abs(), sample);
        self.last_ms = lasts_ms;
        self.end_ms = next_ms;
        self.cut_up_to(
            targets,
            clock,
            next_ms * 1000,
            lasts_ms * 1000,
            ends_segment,
            cuts,
        );
    }

    fn cut_up_to(
        &mut self,
        targets: &Targets,
        clock: WallClock,
        end_us: i64,
        frame_us: i64,
        ends_segment: bool,
        cuts: &mut Vec<Cut>,
    ) {
        // A frame that lasts longer than a part may even outlast its segment.
        while end_us - self.writer.part_start_us > targets.longest_part_us() {
            let elapsed =
                self.writer.part_start_us + targets.cut_us - self.writer.window.open.start_us;
            self.end_before(targets, clock, elapsed, cuts);
            let elapsed =
                self.writer.part_start_us + targets.cut_us - self.writer.window.open.start_us;
            self.cut(clock, targets.cut_us, targets.is_full(elapsed), cuts);
        }
        self.end_before(
            targets,
            clock,
            end_us - self.writer.window.open.start_us,
            cuts,
        );
        let length = end_us - self.writer.part_start_us;
        if ends_segment {
            self.cut(clock, length, true, cuts);
        } else if self.is_best_here(targets, length, frame_us) {
            self.cut(clock, length, false, cuts);
        }
    }

    /// Whether a part should end here instead of one frame later, where it would be further from its target, or too
    /// long.
    fn is_best_here(&self, targets: &Targets, length_us: i64, frame_us: i64) -> bool {
        let is_near = length_us + frame_us / 2 > targets.cut_us + 1000;
        let is_last_chance = length_us + frame_us > targets.longest_part_us();
        length_us >= targets.shortest_leading_us() && (is_near || is_last_chance)
    }

    /// Ends the segment now if it would become too long otherwise.
    fn end_before(
        &mut self,
        targets: &Targets,
        clock: WallClock,
        elapsed_us: i64,
        cuts: &mut Vec<Cut>,
    ) {
        if elapsed_us > targets.longest_segment_us() && !self.writer.window.open.is_empty() {
            self.cut(clock, SHORTEST_LAST_US, true, cuts);
        }
    }

    fn cut(&mut self, clock: WallClock, length_us: i64, ends_segment: bool, cuts: &mut Vec<Cut>) {
        let shortest = if ends_segment { SHORTEST_LAST_US } else { 0 };
        self.writer.close_part(length_us.max(shortest));
        let at_us = self.writer.part_start_us;
        let next_segment = ends_segment.then(|| SegmentStart {
            msn: self.writer.window.open.msn + 1,
            at_us,
            date: clock.date(at_us),
            is_discontinuity: false,
        });
        if let Some(next) = next_segment {
            self.writer.close_segment(next);
        }
        cuts.push(Cut {
            at_us,
            next_segment,
            key_shown_ms: None,
            is_without_picture: false,
        });
    }

    /// Time has reached `now_ms` without another frame.
    pub(super) fn stall(
        &mut self,
        targets: &Targets,
        clock: WallClock,
        now_ms: i64,
        cuts: &mut Vec<Cut>,
    ) {
        let waits_since = self.end_ms().max(self.writer.part_start_us / 1000);
        if now_ms - waits_since < STALLED_MS + targets.longest_part_us() / 1000 {
            return;
        }
        let end_ms = now_ms - STALLED_MS;
        let ends_segment = self.starts_segment(targets, end_ms, false, false);
        match self.pending.take() {
            Some(pending) => self.release(targets, clock, pending, end_ms, ends_segment, cuts),
            None => self.cut_up_to(targets, clock, end_ms * 1000, 0, ends_segment, cuts),
        }
    }

    /// Ends the segment, because nothing follows; the picture lasts at least to `end_ms`.
    pub(super) fn end_segment(
        &mut self,
        targets: &Targets,
        clock: WallClock,
        end_ms: i64,
        cuts: &mut Vec<Cut>,
    ) {
        if let Some(pending) = self.pending.take() {
            let next_ms = (pending.at_ms + self.last_ms.max(1)).max(end_ms);
            self.release(targets, clock, pending, next_ms, true, cuts);
        } else if !self.writer.window.open.is_empty() || self.writer.has_open_samples() {
            let end_us = (end_ms * 1000).max(self.writer.part_start_us);
            self.cut_up_to(targets, clock, end_us, 0, true, cuts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hls::targets::LatencyLevel;
    use media_formats::cmaf::Track;

    fn push(
        segmenter: &mut VideoSegmenter,
        targets: &Targets,
        at_ms: i64,
        later: i32,
    ) -> (i64, i64) {
        let clock = WallClock {
            anchor: jiff::Timestamp::UNIX_EPOCH,
        };
        let data = Bytes::from_static(b"picture");
        segmenter.push(targets, clock, at_ms, later, false, data, &mut Vec::new())
    }

    #[test]
    fn no_picture_is_shown_before_it_is_decoded_where_decode_times_were_moved() {
        let targets = Targets::choose(LatencyLevel::new(2), Some(1e6 / 30.0), None);
        let (writer, _) = RenditionWriter::begun(Track::Video, 100_000, &targets);
        let mut segmenter = VideoSegmenter::new(writer);
        // The previous frame lasted until 100, and these begin earlier: each is moved, and their order is kept.
        assert_eq!(push(&mut segmenter, &targets, 95, 0), (100, 100));
        assert_eq!(push(&mut segmenter, &targets, 98, 2), (101, 101));
        assert_eq!(push(&mut segmenter, &targets, 99, 40), (102, 139));
        // A picture that was sent like that stays like that.
        assert_eq!(push(&mut segmenter, &targets, 140, -10), (140, 130));
        assert_eq!(push(&mut segmenter, &targets, 173, 66), (173, 239));
    }
}
