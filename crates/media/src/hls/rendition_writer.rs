//! Writes one rendition: the samples of the open part, around the window of what can be fetched.

use std::sync::Arc;

use media_formats::cmaf::{self, Sample, Track};

use super::rendition_window::RenditionWindow;
use super::segment::{Init, PartialSegment, Segment, SegmentStart};
use super::targets::Targets;

#[derive(Debug)]
pub(super) struct RenditionWriter {
    track: Track,
    pub(super) window: RenditionWindow,
    samples: Vec<Sample>,
    open_bytes: usize,
    /// Decode time of the first sample in `samples`, or the position of an empty part.
    decode_time: u64,
    /// The listed start of the open part.
    pub(super) part_start_us: i64,
    sequence: u32,
    /// Whether something with the current parameters can be listed.
    pub(super) has_news: bool,
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
        let open = Segment::begun(start, token, Arc::new(init));
        Self {
            track,
            window: RenditionWindow::new(open, discontinuity_sequence, targets),
            samples: Vec::new(),
            open_bytes: 0,
            decode_time: 0,
            part_start_us: start.at_us,
            sequence: 0,
            has_news: false,
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
        self.open_bytes + self.window.open.len()
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
        self.window.add_part(PartialSegment {
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
        self.part_start_us += duration_us;
        self.has_news |= self.window.lists_parts();
    }

    /// Finishes the open segment and opens the next one. When that is due is decided by the picture
    /// (`packager::video`), or by the sound where there is none (`packager::audio`).
    pub(super) fn close_segment(&mut self, next: SegmentStart) {
        let init = Arc::clone(&self.window.open.init);
        self.open_next(next, init);
    }

    /// As [`RenditionWriter::close_segment`], with new parameters from now on.
    pub(super) fn change(&mut self, init: Init, next: SegmentStart) {
        self.open_next(next, Arc::new(init));
        self.has_news = false;
    }

    fn open_next(&mut self, next: SegmentStart, init: Arc<Init>) {
        self.part_start_us = next.at_us;
        let next = Segment::begun(next, self.window.token(), init);
        self.has_news |= self.window.open_next(next);
    }

    /// Whether the open segment begins with a frame that needs no other; `None` while it is empty.
    pub(super) fn begins_with_key(&self) -> Option<bool> {
        let part = self.window.open.parts.first();
        let part = part.map(|part| part.is_independent);
        part.or_else(|| self.samples.first().map(|sample| sample.is_sync))
    }

    /// Whether samples wait in the open part.
    pub(super) fn has_open_samples(&self) -> bool {
        !self.samples.is_empty()
    }
}

#[cfg(test)]
impl RenditionWriter {
    /// An empty writer for tests, and the start of its first segment.
    pub(super) fn begun(track: Track, at_us: i64, targets: &Targets) -> (Self, SegmentStart) {
        let start = SegmentStart {
            msn: 0,
            at_us,
            date: jiff::Timestamp::UNIX_EPOCH,
            is_discontinuity: false,
        };
        let init = Init {
            version: 0,
            bytes: bytes::Bytes::new(),
        };
        (Self::new(track, 1, init, start, 0, targets), start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hls::targets::LatencyLevel;

    #[test]
    fn segments_go_on_with_the_token_of_the_open_one() {
        let targets = Targets::choose(LatencyLevel::new(2), Some(1e6 / 30.0), None);
        let (mut writer, start) = RenditionWriter::begun(Track::Audio, 0, &targets);
        let at = |msn: u64| SegmentStart {
            msn,
            at_us: i64::try_from(msn).unwrap() * 500_000,
            ..start
        };
        writer.close_part(500_000);
        writer.close_segment(at(1));
        writer.close_part(500_000);
        let init = Arc::clone(&writer.window.open.init);
        writer.window.open_next(Segment::begun(at(2), 2, init));
        writer.close_part(500_000);
        writer.close_segment(at(3));
        let finished = writer.window.fetchable();
        let tokens: Vec<u64> = finished.map(|segment| segment.token).collect();
        assert_eq!(tokens, [1, 1, 2]);
        assert_eq!(writer.window.token(), 2);
    }
}
