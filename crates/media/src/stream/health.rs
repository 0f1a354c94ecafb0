//! Measures how the publisher's stream arrives: rate, frames, key frames, gaps and jitter, per second.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use jiff::Timestamp;
use media_formats::flv::FurtherTracks;
use media_formats::timeline::TrackKind;

use crate::hls::{Targets, Tracks};
use crate::ingest::TagContent;

/// Seconds that are remembered.
const REMEMBERED: usize = 120;
/// A gap of this many frame lengths means that frames are missing.
const GAP_FRAMES: f64 = 1.75;
/// Arrival jitter is smoothed as RTP does it, over sixteen frames.
const JITTER_SHARE: f64 = 16.0;

/// One second of arriving media.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InboundSample {
    pub at: Timestamp,
    /// Kilobits per second.
    pub kbps: u32,
    /// The sound's share of that.
    pub sound_kbps: u32,
    /// Number of pictures.
    pub frames: u32,
    /// Arrival jitter in milliseconds.
    pub jitter_ms: u32,
    /// Number of missing frames.
    pub dropped: u32,
}

#[derive(Debug, Default)]
struct MeterState {
    second: SecondTotals,
    samples: VecDeque<InboundSample>,
    last_arrival: Duration,
    last_picture: Option<u32>,
    last_key: Option<u32>,
    key_interval_ms: Option<u32>,
    transit: Option<f64>,
    jitter_ms: f64,
    malformed: u64,
    further: IgnoredTracks,
    /// The encoder that the publisher names; empty until it does.
    encoder: String,
    tracks: Tracks,
    targets: Option<Targets>,
}

#[derive(Clone, Copy, Debug, Default)]
struct SecondTotals {
    bytes: u64,
    sound_bytes: u64,
    frames: u32,
    dropped: u32,
}

/// Written by the publisher's connection, read by the operator's page.
#[derive(Debug, Default)]
pub struct Meter(Mutex<MeterState>);

/// Tracks that arrive and are ignored.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IgnoredTracks {
    pub(super) video: FurtherTracks,
    pub(super) audio: FurtherTracks,
}

/// A reading of the meter.
#[derive(Clone, Debug, Default)]
pub(super) struct MeterReading {
    pub(super) samples: Vec<InboundSample>,
    pub(super) key_interval_ms: Option<u32>,
    pub(super) malformed: u64,
    pub(super) further: IgnoredTracks,
    pub(super) encoder: String,
    pub(super) jitter_ms: f64,
    pub(super) tracks: Tracks,
    pub(super) targets: Option<Targets>,
}

impl Meter {
    /// A tag of `bytes` bytes with timestamp `stamp` arrived at `now` (time since the start of the process).
    pub(super) fn note(&self, seen: TagContent, stamp: u32, bytes: usize, now: Duration) {
        let Ok(mut state) = self.0.lock() else {
            return;
        };
        let state = &mut *state;
        state.second.bytes += bytes as u64;
        state.last_arrival = now;
        match seen {
            TagContent::Picture { is_key } => state.picture(stamp, is_key, now),
            TagContent::Malformed => state.malformed += 1,
            TagContent::Sound => state.second.sound_bytes += bytes as u64,
            TagContent::OtherTrack | TagContent::Other => {}
        }
    }

    /// A message had these further tracks.
    pub(super) fn note_further(&self, kind: TrackKind, tracks: FurtherTracks) {
        if tracks.count() == 0 {
            return;
        }
        if let Ok(mut state) = self.0.lock() {
            let known = match kind {
                TrackKind::Video => &mut state.further.video,
                TrackKind::Audio => &mut state.further.audio,
            };
            *known = known.and(tracks);
        }
    }

    /// The publisher has named its encoder.
    pub(super) fn note_encoder(&self, encoder: &str) {
        if encoder.is_empty() {
            return;
        }
        if let Ok(mut state) = self.0.lock() {
            encoder.clone_into(&mut state.encoder);
        }
    }

    /// The packaged tracks became known or changed.
    pub(super) fn note_tracks(&self, tracks: &Tracks, targets: Targets) {
        if let Ok(mut state) = self.0.lock() {
            state.tracks = tracks.clone();
            state.targets = Some(targets);
        }
    }

    /// Completes a second.
    pub(super) fn tick(&self, at: Timestamp) {
        let Ok(mut state) = self.0.lock() else {
            return;
        };
        let second = std::mem::take(&mut state.second);
        if state.samples.len() == REMEMBERED {
            state.samples.pop_front();
        }
        let jitter_ms = state.jitter_ms.round() as u32;
        state.samples.push_back(InboundSample {
            at,
            kbps: kbps(second.bytes),
            sound_kbps: kbps(second.sound_bytes),
            frames: second.frames,
            jitter_ms,
            dropped: second.dropped,
        });
    }

    /// When the last tag arrived.
    pub(super) fn last_arrival(&self) -> Duration {
        self.0
            .lock()
            .map(|state| state.last_arrival)
            .unwrap_or_default()
    }

    pub(super) fn read(&self) -> MeterReading {
        let Ok(state) = self.0.lock() else {
            return MeterReading::default();
        };
        MeterReading {
            samples: state.samples.iter().copied().collect(),
            key_interval_ms: state.key_interval_ms,
            malformed: state.malformed,
            further: state.further,
            encoder: state.encoder.clone(),
            jitter_ms: state.jitter_ms,
            tracks: state.tracks.clone(),
            targets: state.targets,
        }
    }
}

/// Converts the bytes of a second.
fn kbps(bytes: u64) -> u32 {
    u32::try_from(bytes / 125).unwrap_or(u32::MAX)
}

impl MeterState {
    fn picture(&mut self, stamp: u32, is_key: bool, now: Duration) {
        self.second.frames += 1;
        let frame_ms = self
            .tracks
            .video
            .as_ref()
            .map(|track| track.frame_us / 1000.0);
        if let (Some(last), Some(frame_ms)) = (self.last_picture, frame_ms) {
            let gap = f64::from(stamp.wrapping_sub(last));
            if gap > frame_ms * GAP_FRAMES && gap < 10_000.0 {
                let missing = (gap / frame_ms).round() as u32 - 1;
                self.second.dropped = self.second.dropped.saturating_add(missing);
            }
        }
        self.last_picture = Some(stamp);
        let transit = now.as_secs_f64() * 1000.0 - f64::from(stamp);
        if let Some(before) = self.transit.replace(transit) {
            let wobble = (transit - before).abs();
            // A jump of the publisher's clock is not jitter.
            if wobble < 10_000.0 {
                self.jitter_ms += (wobble - self.jitter_ms) / JITTER_SHARE;
            }
        }
        if is_key {
            if let Some(last) = self.last_key.replace(stamp) {
                self.key_interval_ms = Some(stamp.wrapping_sub(last)).filter(|ms| *ms < 3_600_000);
            }
        } else if let Some(last) = self.last_key {
            // An open group of pictures that is longer than the last one is the better estimate.
            let so_far = stamp.wrapping_sub(last);
            if so_far < 3_600_000
                && self.key_interval_ms.is_none_or(|known| known < so_far)
                && so_far > 3_000
            {
                self.key_interval_ms = Some(so_far);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(meter: &Meter, stamps: impl Iterator<Item = u32>, key_every: u32) {
        for (index, stamp) in stamps.enumerate() {
            let is_key = u32::try_from(index).unwrap().is_multiple_of(key_every);
            meter.note(
                TagContent::Picture { is_key },
                stamp,
                1000,
                Duration::from_millis(u64::from(stamp)),
            );
        }
    }

    #[test]
    fn the_interval_of_key_frames_is_measured() {
        let meter = Meter::default();
        feed(&meter, (0..200).map(|n| n * 40), 50);
        assert_eq!(meter.read().key_interval_ms, Some(2000));
    }

    #[test]
    fn sound_is_counted_by_itself_too() {
        let meter = Meter::default();
        feed(&meter, (0..25).map(|n| n * 40), 50);
        for stamp in 0..40 {
            meter.note(TagContent::Sound, stamp * 25, 200, Duration::ZERO);
        }
        meter.tick(Timestamp::UNIX_EPOCH);
        let [sample] = meter.read().samples[..] else {
            panic!("one second")
        };
        assert_eq!((sample.kbps, sample.sound_kbps), (264, 64));
    }

    #[test]
    fn a_very_long_group_shows_before_it_ends() {
        let meter = Meter::default();
        feed(&meter, (0..250).map(|n| n * 40), 1000);
        assert_eq!(meter.read().key_interval_ms, Some(249 * 40));
    }

    #[test]
    fn a_second_has_its_rate_and_its_frames() {
        let meter = Meter::default();
        feed(&meter, (0..25).map(|n| n * 40), 50);
        meter.tick(Timestamp::UNIX_EPOCH);
        let sample = meter.read().samples[0];
        assert_eq!((sample.kbps, sample.frames, sample.dropped), (200, 25, 0));
        for _ in 0..300 {
            meter.tick(Timestamp::UNIX_EPOCH);
        }
        assert_eq!(meter.read().samples.len(), REMEMBERED);
    }
}
