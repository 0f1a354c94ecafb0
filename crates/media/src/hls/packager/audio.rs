//! The sound: follows the picture's cuts to the nearest frame, or leads if there is no picture.

use std::collections::VecDeque;

use bytes::Bytes;
use jiff::SignedDuration;
use media_formats::cmaf::Sample;
use media_formats::codec::AudioConfig;

use super::{Cut, SHORTEST_LAST_US, WallClock};
use crate::hls::rendition_writer::RenditionWriter;
use crate::hls::segment::{Init, SegmentStart};
use crate::hls::targets::Targets;

/// Frames are counted; only when the sender's clock says something else by more than this is it believed.
const DRIFT_MS: i64 = 100;
/// Milliseconds by which sound that was encoded here may be late before it is a hole: its clock is ours.
const ENCODED_DRIFT_MS: i64 = 30;
/// The sound counts as stopped when a cut of the picture is this far ahead of it.
const STALLED_US: i64 = 2_000_000;

/// A frame with its position and length in samples.
#[derive(Debug)]
struct AudioFrame {
    place: i64,
    lasts: i64,
    data: Bytes,
}

#[derive(Debug)]
pub(super) struct AudioSegmenter {
    pub(super) writer: RenditionWriter,
    config: AudioConfig,
    rate: i64,
    frame_samples: i64,
    /// Frames not yet given to the writer.
    waiting: VecDeque<AudioFrame>,
    /// The position of the next frame in samples, if the publisher's clock agrees.
    next: i64,
    /// Whether the publisher's clock was read since the rendition began or resumed.
    is_anchored: bool,
    drift_ms: i64,
    cuts: VecDeque<Cut>,
}

impl AudioSegmenter {
    pub(super) fn new(writer: RenditionWriter, config: &AudioConfig) -> Self {
        let mut segmenter = Self {
            writer,
            config: config.clone(),
            rate: 0,
            frame_samples: 0,
            waiting: VecDeque::new(),
            next: 0,
            is_anchored: false,
            drift_ms: DRIFT_MS,
            cuts: VecDeque::new(),
        };
        segmenter.read(config);
        segmenter
    }

    /// For sound that this server encoded.
    pub(super) fn encoded(writer: RenditionWriter, config: &AudioConfig) -> Self {
        Self {
            drift_ms: ENCODED_DRIFT_MS,
            ..Self::new(writer, config)
        }
    }

    fn read(&mut self, config: &AudioConfig) {
        self.config = config.clone();
        self.rate = i64::from(config.sample_rate().max(1));
        self.frame_samples = i64::from(config.frame_samples().max(1));
        self.next = self.samples(self.writer.part_start_us);
        self.is_anchored = false;
    }

    pub(super) fn change(&mut self, init: Init, start: SegmentStart, config: &AudioConfig) {
        self.writer.change(init, start);
        self.waiting.clear();
        self.cuts.clear();
        self.read(config);
    }

    pub(super) fn us(&self, samples: i64) -> i64 {
        let scaled = i128::from(samples) * 1_000_000 / i128::from(self.rate);
        i64::try_from(scaled).unwrap_or(i64::MAX)
    }

    fn samples(&self, us: i64) -> i64 {
        let scaled = i128::from(us) * i128::from(self.rate) / 1_000_000;
        i64::try_from(scaled).unwrap_or(i64::MAX)
    }

    /// Bytes waiting to be listed as part of a whole segment.
    pub(super) fn open_bytes(&self) -> usize {
        let waiting: usize = self.waiting.iter().map(|frame| frame.data.len()).sum();
        self.writer.open_bytes() + waiting
    }

    /// The earliest position of the next frame.
    pub(super) fn end_ms(&self) -> i64 {
        (self.us(self.next) + 999) / 1000
    }

    /// Takes a frame that the publisher placed at `at_ms`; returns its position and its length in samples, or `None` if
    /// it is dropped.
    pub(super) fn push(&mut self, at_ms: i64, data: Bytes) -> Option<(i64, i64)> {
        let claimed = at_ms * self.rate / 1000;
        let drift_ms = (claimed - self.next) * 1000 / self.rate;
        let tolerated = if self.is_anchored { self.drift_ms } else { 0 };
        let early_ms = tolerated.max(self.frame_samples * 500 / self.rate);
        if drift_ms < -early_ms {
            // It would overlap with earlier sound.
            return None;
        }
        let hole = if drift_ms > tolerated {
            claimed - self.next
        } else {
            0
        };
        self.is_anchored = true;
        let reach = self.bridge(hole);
        let lasts = i64::from(self.config.samples_of(&data).max(1)) + reach;
        let place = self.next;
        self.waiting.push_back(AudioFrame { place, lasts, data });
        self.next += lasts;
        Some((place, lasts))
    }

    /// Closes a gap in the samples: extends the previous frame to the next one, if that is still possible; otherwise
    /// the next frame has to begin earlier, by the returned number of samples.
    fn bridge(&mut self, hole: i64) -> i64 {
        if hole == 0 {
            return 0;
        }
        if let Some(last) = self.waiting.back_mut() {
            last.lasts += hole;
        } else if !self.writer.extend_last(hole) {
            return hole;
        }
        self.next += hole;
        0
    }

    /// Another publisher continues from here, so its clock is read anew.
    pub(super) fn forget_clock(&mut self) {
        self.is_anchored = false;
    }

    fn give(&mut self, frame: AudioFrame) {
        let place = frame.place;
        let sample = Sample {
            data: frame.data,
            duration: u32::try_from(frame.lasts).unwrap_or(u32::MAX),
            composition: 0,
            is_sync: true,
        };
        self.writer.add(place.unsigned_abs(), sample);
    }

    /// Adds cuts of the picture to follow.
    pub(super) fn expect(&mut self, cuts: &[Cut]) {
        self.cuts.extend(cuts);
    }

    /// Follows the cuts as far as there is sound. True if a part was finished.
    pub(super) fn follow(&mut self, targets: &Targets) -> bool {
        let mut has_cut = false;
        while let Some(cut) = self.cuts.front().copied() {
            while self.lacks_sound(targets, cut)
                && let Some(frame) = self.waiting.pop_front()
            {
                self.give(frame);
            }
            let end_us = self.end_us();
            let newest = self.cuts.back().map_or(0, |last| last.at_us);
            if self.lacks_sound(targets, cut) && newest - end_us <= STALLED_US {
                break;
            }
            self.cuts.pop_front();
            self.cut(targets, cut, end_us);
            has_cut = true;
        }
        has_cut
    }

    /// Where the open part would end if it were cut now.
    fn end_us(&self) -> i64 {
        let next = self.waiting.front().map(|frame| frame.place);
        self.us(next.unwrap_or(self.next))
    }

    /// Whether the next frame belongs before the cut, because most of it does or because the part would be too short;
    /// not if that would make the part too long.
    fn lacks_sound(&self, targets: &Targets, cut: Cut) -> bool {
        let end_us = self.end_us();
        let half = self.us(self.frame_samples) / 2;
        let length = end_us - self.writer.part_start_us;
        if length < targets.shortest_part_us() {
            return cut.at_us - end_us > half || cut.next_segment.is_none();
        }
        let next_end_us = match self.waiting.front() {
            Some(frame) => self.us(frame.place + frame.lasts),
            None => self.us(self.next + self.frame_samples),
        };
        let is_full = next_end_us - self.writer.part_start_us > targets.longest_part_us();
        cut.at_us - end_us > half && !is_full
    }

    fn cut(&mut self, targets: &Targets, cut: Cut, end_us: i64) {
        let start = self.writer.part_start_us;
        let wanted = cut.at_us - start;
        let exact = end_us - start;
        let shortest = if cut.next_segment.is_some() {
            SHORTEST_LAST_US
        } else {
            targets.shortest_part_us()
        };
        let fits = (shortest..=targets.longest_part_us()).contains(&exact);
        let length = if fits {
            exact
        } else {
            wanted.clamp(shortest, targets.longest_part_us())
        };
        // Parts that are longer than the picture's must not add up to a segment that is too long.
        let room = targets.longest_following_us() - self.writer.window.open.duration_us;
        let length = length.min(room.max(shortest));
        self.writer.close_part(length);
        if let Some(next) = cut.next_segment {
            let at_us = self.writer.part_start_us;
            let date = next.date + SignedDuration::from_micros(at_us - next.at_us);
            self.writer.close_segment(SegmentStart {
                at_us,
                date,
                ..next
            });
        }
    }

    /// Whether one of the pending cuts ends a segment.
    pub(super) fn expects_segment(&self) -> bool {
        self.cuts.iter().any(|cut| cut.next_segment.is_some())
    }

    /// Whether everything is in a whole segment.
    pub(super) fn is_at_rest(&self) -> bool {
        self.waiting.is_empty()
            && self.writer.window.open.is_empty()
            && !self.writer.has_open_samples()
    }

    /// Follows all pending cuts; no more sound follows.
    pub(super) fn finish(&mut self, targets: &Targets) {
        let end_ms = self.cuts.back().map_or(0, |cut| cut.at_us / 1000);
        self.give_up_waiting(targets, end_ms);
    }

    /// Follows all pending cuts, whether or not more sound follows; it lasts at least to `end_ms`.
    pub(super) fn give_up_waiting(&mut self, targets: &Targets, end_ms: i64) {
        self.follow(targets);
        while let Some(cut) = self.cuts.pop_front() {
            if self.cuts.is_empty() {
                self.give_rest(end_ms);
            }
            self.cut(targets, cut, self.us(self.next));
        }
    }

    /// Writes the remaining frames, and extends the last one to `end_ms`.
    fn give_rest(&mut self, end_ms: i64) {
        while let Some(frame) = self.waiting.pop_front() {
            self.give(frame);
        }
        let missing = end_ms * self.rate / 1000 - self.next;
        if missing > 0 && self.writer.extend_last(missing) {
            self.next += missing;
        }
    }

    /// Without a picture, the sound makes the cuts. True if a part was finished.
    pub(super) fn lead(&mut self, targets: &Targets, clock: WallClock) -> bool {
        let mut has_cut = false;
        while let Some(frame) = self.waiting.pop_front() {
            self.fill_hole(targets, clock, self.us(frame.place));
            let end_us = self.us(frame.place + frame.lasts);
            self.give(frame);
            self.fill_hole(targets, clock, end_us);
            let frame_us = self.us(self.frame_samples);
            let length = end_us - self.writer.part_start_us;
            let elapsed = end_us - self.writer.window.open.start_us;
            let ends_segment = elapsed + frame_us / 2 >= targets.segment_us;
            if ends_segment
                || length + frame_us > targets.cut_us.max(targets.shortest_part_us()) + 1000
            {
                let next_segment = ends_segment.then(|| self.next_segment(clock, end_us));
                self.cut(targets, Cut::at(end_us, next_segment), end_us);
                has_cut = true;
            }
        }
        has_cut
    }

    /// After the publisher's clock jumped over a silence, lists the windows in between.
    fn fill_hole(&mut self, targets: &Targets, clock: WallClock, until_us: i64) {
        while until_us - self.writer.part_start_us > targets.longest_part_us() {
            self.writer.close_part(targets.cut_us);
            let at_us = self.writer.part_start_us;
            if targets.is_full(at_us - self.writer.window.open.start_us) {
                let next = self.next_segment(clock, at_us);
                self.writer.close_segment(next);
            }
        }
    }

    fn next_segment(&self, clock: WallClock, at_us: i64) -> SegmentStart {
        SegmentStart {
            msn: self.writer.window.open.msn + 1,
            at_us,
            date: clock.date(at_us),
            is_discontinuity: false,
        }
    }

    /// Without a picture: ends the segment, because nothing follows.
    pub(super) fn end_segment(&mut self, targets: &Targets, clock: WallClock, end_ms: i64) {
        self.lead(targets, clock);
        self.give_rest(end_ms);
        if self.writer.window.open.is_empty() && !self.writer.has_open_samples() {
            return;
        }
        let at_us = self.us(self.next).max(self.writer.part_start_us);
        let next_segment = Some(self.next_segment(clock, at_us));
        self.cut(targets, Cut::at(at_us, next_segment), at_us);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hls::targets::LatencyLevel;
    use media_formats::cmaf::Track;
    use media_formats::codec::AacConfig;

    #[test]
    fn a_picture_that_lasts_a_little_longer_makes_no_part_of_the_sound_longer_than_is_promised() {
        // AAC of 44.1 kHz beside a picture of 30 frames a second and MP3, whose frames are longer.
        let config = AudioConfig::Aac(AacConfig::parse(&[0x12, 0x10]).unwrap());
        let [aac_us, mp3_us] = [1024.0, 1152.0].map(|samples| samples / 44_100.0 * 1e6);
        let level = LatencyLevel::new(2);
        let targets = Targets::choose_beside(level, Some(1e6 / 30.0), Some(mp3_us), Some(aac_us));
        for late_us in (0..=23_000).step_by(1000) {
            let (writer, start) = RenditionWriter::begun(Track::Audio, 0, &targets);
            let mut audio = AudioSegmenter::encoded(writer, &config);
            for frame in 0..300 {
                audio.push(frame * 1024 * 1000 / 44_100, Bytes::from_static(b"sound"));
            }
            let late = [0, 0, 0, 1, 1, 1, 2, 3, 3, 3].into_iter().zip(1..);
            let cuts: Vec<Cut> = late
                .map(|(times, number)| {
                    let at_us = number * 500_000 + times * late_us;
                    let next = SegmentStart { at_us, ..start };
                    Cut::at(at_us, (number % 4 == 0).then_some(next))
                })
                .collect();
            audio.expect(&cuts);
            audio.follow(&targets);
            let finished = audio
                .writer
                .window
                .fetchable()
                .flat_map(|segment| &segment.parts);
            let parts: Vec<_> = finished.chain(&audio.writer.window.open.parts).collect();
            assert_eq!(parts.len(), cuts.len());
            for part in parts {
                let frames = part.duration_us as f64 / aac_us;
                assert!(
                    (frames - frames.round()).abs() < 0.01,
                    "{late_us}: {frames}"
                );
                assert!(part.duration_us <= targets.longest_part_us(), "{late_us}");
            }
        }
    }
}
