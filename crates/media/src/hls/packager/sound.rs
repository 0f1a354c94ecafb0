//! The encoded sound: for players that cannot play what the publisher sends, and with a lower bit rate.
//!
//! It follows the source's cuts to the nearest frame, like passed-through sound, but with its own delay. It begins
//! under the number of a segment of the source, and is hidden and resumed like a rung.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use media_formats::cmaf::{self, Track};
use media_formats::codec::AudioConfig;

use super::audio::AudioSegmenter;
use super::rungs::{Rungs, place};
use super::{Cut, Packager};
use crate::hls::rendition_writer::RenditionWriter;
use crate::hls::segment::SegmentStart;
use crate::hls::snapshot::{ListedSound, SoundDescription};
use crate::hls::targets::Targets;

/// Frames that are kept for a segment that is about to begin; the sound may come before the picture.
const MAX_EARLY_FRAMES: usize = 256;
/// The first frame of a segment stands no more than this many microseconds behind its beginning.
const LATE_START_US: i64 = 100_000;
/// Sound that is no more than this many milliseconds behind that of the source is all there is of it: its encoder keeps
/// a few frames for itself.
const KEPT_MS: i64 = 500;
/// Milliseconds from the end of the source's sound to the newest cut after which no more of it is waited for: players
/// have as much in hand, and no more.
const STOPPED_MS: i64 = 6_000;
/// Bytes of encoded sound that wait to become a whole segment; with more it begins anew.
const MAX_SOUND_OPEN_BYTES: usize = 8 << 20;

/// Samples in a frame of AAC.
const AAC_SAMPLES: f64 = 1024.0;

/// The frame duration of this sound once encoded, if not every player can play the original. Whether it will be encoded
/// is not known yet, but the durations are promised now.
pub(super) fn encoded_frame_us(config: &AudioConfig) -> Option<f64> {
    match config {
        AudioConfig::Aac(_) => None,
        AudioConfig::Mp3(_) | AudioConfig::Opus(_) | AudioConfig::Flac(_) => {
            Some(AAC_SAMPLES / f64::from(config.encoded_rate()) * 1e6)
        }
    }
}

/// Sound waiting for a segment it can begin with.
#[derive(Debug)]
struct EarlySound {
    config: Arc<AudioConfig>,
    /// The time of each frame in milliseconds, and its bytes.
    frames: VecDeque<(i64, Bytes)>,
}

/// Offered sound.
#[derive(Debug)]
struct SoundSegmenter {
    config: Arc<AudioConfig>,
    audio: AudioSegmenter,
    sound: SoundDescription,
    /// The number of the next cut.
    next_cut: u64,
    is_dirty: bool,
}

#[derive(Debug, Default)]
enum SoundState {
    #[default]
    Gone,
    Waits(EarlySound),
    Runs(Box<SoundSegmenter>),
}

impl SoundState {
    fn waits(config: Arc<AudioConfig>) -> Self {
        Self::Waits(EarlySound {
            config,
            frames: VecDeque::new(),
        })
    }
}

/// The encoded sound, if any.
#[derive(Debug, Default)]
pub(super) struct EncodedSound(SoundState);

impl EncodedSound {
    /// Offers it from its next frame that begins a segment. True if it left the playlist for that.
    pub(super) fn show(&mut self, config: Arc<AudioConfig>) -> bool {
        self.leave(SoundState::waits(config))
    }

    /// Stops offering it. True if it left the playlist.
    pub(super) fn hide(&mut self) -> bool {
        self.leave(SoundState::Gone)
    }

    fn leave(&mut self, next: SoundState) -> bool {
        let before = std::mem::replace(&mut self.0, next);
        matches!(before, SoundState::Runs(_))
    }

    /// Adds a frame.
    pub(super) fn push(&mut self, at_ms: i64, data: Bytes) {
        match &mut self.0 {
            SoundState::Gone => {}
            SoundState::Waits(early) => {
                if early.frames.len() >= MAX_EARLY_FRAMES {
                    early.frames.pop_front();
                }
                early.frames.push_back((at_ms, data));
            }
            SoundState::Runs(segmenter) => {
                segmenter.audio.push(at_ms, data);
            }
        }
    }

    /// The part of it that can be listed.
    pub(super) fn step(&self) -> Option<ListedSound<'_>> {
        match &self.0 {
            SoundState::Runs(segmenter) if segmenter.audio.writer.has_news => Some(ListedSound {
                window: &segmenter.audio.writer.window,
                sound: &segmenter.sound,
                is_dirty: segmenter.is_dirty,
            }),
            SoundState::Runs(_) | SoundState::Waits(_) | SoundState::Gone => None,
        }
    }

    /// Its rendition writer, listed or not.
    pub(super) fn writer_mut(&mut self) -> Option<&mut RenditionWriter> {
        match &mut self.0 {
            SoundState::Runs(segmenter) => Some(&mut segmenter.audio.writer),
            SoundState::Waits(_) | SoundState::Gone => None,
        }
    }

    /// Records that the playlists show everything.
    pub(super) fn is_listed(&mut self) {
        if let SoundState::Runs(segmenter) = &mut self.0 {
            segmenter.is_dirty = false;
        }
    }

    /// The newest segment that it can begin with, and the number of the cut before it.
    fn opening(&self, cuts: &VecDeque<Cut>, first_cut: u64) -> Option<(u64, SegmentStart)> {
        let SoundState::Waits(early) = &self.0 else {
            return None;
        };
        let oldest_us = early.frames.front()?.0 * 1000;
        let samples = i64::from(early.config.frame_samples());
        let rate = i64::from(early.config.sample_rate().max(1));
        let half_us = samples * 500_000 / rate;
        for (index, cut) in cuts.iter().enumerate().rev() {
            if cut.at_us < oldest_us - LATE_START_US {
                return None;
            }
            let Some(start) = cut.next_segment else {
                continue;
            };
            let fits = early.frames.iter().any(|(at_ms, _)| {
                let behind_us = at_ms * 1000 - start.at_us;
                (-half_us..=LATE_START_US).contains(&behind_us)
            });
            if fits {
                return Some((first_cut + index as u64, start));
            }
        }
        None
    }

    /// Begins with the frames so far; those before the segment are dropped.
    fn begin(&mut self, mut audio: AudioSegmenter, next_cut: u64) {
        match std::mem::take(&mut self.0) {
            SoundState::Waits(EarlySound { config, frames }) => {
                for (at_ms, data) in frames {
                    audio.push(at_ms, data);
                }
                self.0 = SoundState::Runs(Box::new(SoundSegmenter {
                    sound: SoundDescription::new(&config),
                    config,
                    audio,
                    next_cut,
                    is_dirty: false,
                }));
            }
            other => self.0 = other,
        }
    }

    /// Follows all cuts that it has reached; the source's sound has reached `source_ms`. True if it left the playlist,
    /// because it is too far behind or too large.
    fn follow(
        &mut self,
        targets: &Targets,
        cuts: &VecDeque<Cut>,
        first_cut: u64,
        source_ms: i64,
    ) -> bool {
        let SoundState::Runs(segmenter) = &mut self.0 else {
            return false;
        };
        let is_lost = segmenter.next_cut < first_cut;
        if is_lost || segmenter.audio.open_bytes() > MAX_SOUND_OPEN_BYTES {
            // The encoder continues, and the sound resumes with the next segment that fits.
            let config = Arc::clone(&segmenter.config);
            return self.leave(SoundState::waits(config));
        }
        let end_ms = segmenter.audio.end_ms();
        // If the source's sound stops, so does this, and time goes on; late frames are waited for, but not for ever,
        // because the encoder may release its last frames only when it gets more sound.
        let newest = cuts.back();
        let has_stopped = newest.is_some_and(|cut| cut.at_us / 1000 - source_ms >= STOPPED_MS);
        let has_all = has_stopped || end_ms >= source_ms - KEPT_MS;
        let rest = cuts.iter().skip(place(segmenter.next_cut, first_cut));
        for cut in rest.take_while(|cut| has_all || cut.at_us <= end_ms * 1000) {
            segmenter.audio.expect(&[*cut]);
            segmenter.next_cut += 1;
        }
        segmenter.is_dirty |= segmenter.audio.follow(targets);
        false
    }

    /// Ends it: the open segment gets the source's duration with the sound it has so far.
    pub(super) fn end(&mut self, targets: &Targets, cuts: &VecDeque<Cut>, first_cut: u64) {
        let SoundState::Runs(segmenter) = &mut self.0 else {
            return;
        };
        if segmenter.audio.is_at_rest() {
            return;
        }
        for cut in cuts.iter().skip(place(segmenter.next_cut, first_cut)) {
            if segmenter.audio.expects_segment() {
                break;
            }
            segmenter.audio.expect(&[*cut]);
            segmenter.next_cut += 1;
        }
        segmenter.audio.finish(targets);
    }
}

impl Packager {
    /// Takes the encoded sound so far.
    pub(super) fn follow_sound(&mut self, rungs: &mut Rungs) {
        self.begin_sound(rungs);
        let Some(source) = &self.audio else {
            return;
        };
        let Rungs {
            sound,
            cuts,
            first_cut,
            has_lost_one,
            ..
        } = rungs;
        *has_lost_one |= sound.follow(&self.targets, cuts, *first_cut, source.end_ms());
    }

    /// Begins the rendition of waiting sound, if it has reached a segment.
    fn begin_sound(&mut self, rungs: &mut Rungs) {
        let SoundState::Waits(early) = &rungs.sound.0 else {
            return;
        };
        let config = Arc::clone(&early.config);
        let opening = rungs.sound.opening(&rungs.cuts, rungs.first_cut);
        let (Some((number, start)), Some(video)) = (opening, &self.video) else {
            return;
        };
        let discontinuities = video.writer.window.discontinuities_up_to(start.msn);
        let init = cmaf::init::audio(&config);
        let writer = self.further_writer(Track::Audio, init, start, discontinuities);
        let audio = AudioSegmenter::encoded(writer, &config);
        rungs.sound.begin(audio, number + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hls::rendition_writer::RenditionWriter;
    use crate::hls::targets::LatencyLevel;
    use media_formats::codec::{AacConfig, FlacConfig};

    #[test]
    fn the_promise_goes_by_the_rate_that_sound_is_encoded_with() {
        // Two channels at 192 kHz.
        let mut info = [0; 34];
        info[..4].copy_from_slice(&[0x10, 0, 0x10, 0]);
        info[10..14].copy_from_slice(&[0x2e, 0xe0, 0x02, 0xf0]);
        let flac = AudioConfig::Flac(FlacConfig::parse(&info).unwrap());
        assert_eq!(flac.sample_rate(), 192_000);
        let frame_us = encoded_frame_us(&flac).unwrap();
        assert!((frame_us - 21_333.3).abs() < 0.1, "{frame_us}");
    }

    /// The next cut, and the segment it is in.
    fn reached(sound: &EncodedSound) -> (u64, u64) {
        let SoundState::Runs(segmenter) = &sound.0 else {
            panic!("it has gone");
        };
        (segmenter.next_cut, segmenter.audio.writer.window.open.msn)
    }

    #[test]
    fn sound_that_is_short_is_not_waited_for_when_that_of_the_source_has_stopped() {
        let config = Arc::new(AudioConfig::Aac(AacConfig::parse(&[0x12, 0x10]).unwrap()));
        let frame_us = AAC_SAMPLES / 44_100.0 * 1e6;
        let targets = Targets::choose_beside(
            LatencyLevel::new(2),
            Some(1e6 / 30.0),
            Some(frame_us),
            Some(frame_us),
        );
        let (writer, start) = RenditionWriter::begun(Track::Audio, 0, &targets);
        let mut audio = AudioSegmenter::encoded(writer, &config);
        // Three of four seconds have arrived.
        for frame in 0..130 {
            audio.push(frame * 1024 * 1000 / 44_100, Bytes::from_static(b"sound"));
        }
        let mut sound = EncodedSound(SoundState::Runs(Box::new(SoundSegmenter {
            sound: SoundDescription::new(&config),
            config,
            audio,
            next_cut: 0,
            is_dirty: false,
        })));
        let mut cuts = VecDeque::new();
        for number in 1..=20i64 {
            let at_us = number * 500_000;
            let next = SegmentStart {
                msn: number.unsigned_abs() / 4,
                at_us,
                ..start
            };
            cuts.push_back(Cut::at(at_us, (number % 4 == 0).then_some(next)));
            assert!(!sound.follow(&targets, &cuts, 0, 4_000));
            // The last cut is six seconds after the end of the source's sound.
            let expected = if number < 20 { number.min(6) } else { 20 };
            let expected = expected.unsigned_abs();
            assert_eq!(reached(&sound), (expected, expected / 4), "{number}");
        }
    }
}
