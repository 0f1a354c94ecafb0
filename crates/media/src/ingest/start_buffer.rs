//! Buffers the first frames until the tracks are known.

use media_formats::codec::VideoConfig;
use media_formats::timeline::TrackKind;

use super::frames::IngestFrame;
use super::{AnnouncedTracks, UnusableStream, stated_frame_us};

/// How long a missing track is waited for once the other is there.
const TRACK_WAIT_MS: u32 = 2_000;
/// How long parameters are waited for.
const CONFIG_WAIT_MS: u32 = 10_000;
/// Bytes kept meanwhile; beyond it what is known has to do.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Frames kept meanwhile.
const MAX_FRAMES: usize = 4_000;

#[derive(Debug, Default)]
pub(super) struct StartBuffer {
    frames: Vec<IngestFrame>,
    bytes: usize,
}

impl StartBuffer {
    pub(super) fn push(&mut self, frame: IngestFrame) {
        self.bytes += frame.data.len();
        self.frames.push(frame);
    }

    pub(super) fn has_key(&self) -> bool {
        self.frames
            .iter()
            .any(|frame| frame.kind == TrackKind::Video && frame.is_key)
    }

    /// The time span that is buffered, the longer of both tracks; each has its own clock.
    fn waited_ms(&self) -> u32 {
        let of = |kind| {
            let mut frames = self.frames.iter().filter(|frame| frame.kind == kind);
            let first = frames.next().map_or(0, |frame| frame.stamp);
            let last = frames.next_back().map_or(first, |frame| frame.stamp);
            // A clock that went back at the start has not waited for hours.
            let waited = last.wrapping_sub(first);
            if waited > u32::MAX / 2 { 0 } else { waited }
        };
        of(TrackKind::Video).max(of(TrackKind::Audio))
    }

    /// Whether enough is known to begin.
    pub(super) fn is_ready(
        &self,
        video: Option<&VideoConfig>,
        has_audio: bool,
        announced: AnnouncedTracks,
    ) -> Result<bool, UnusableStream> {
        let has_rate = video.is_some_and(|config| stated_frame_us(config).is_some());
        let has_video = video.is_some()
            && self.has_key()
            && (has_rate || self.measured_frame_us(announced).is_some());
        let is_complete = (has_video || announced.video == Some(false))
            && (has_audio || announced.audio == Some(false));
        let is_full = self.bytes > MAX_BYTES || self.frames.len() > MAX_FRAMES;
        let has_any = has_video || has_audio;
        if is_complete && has_any {
            return Ok(true);
        }
        let waited = self.waited_ms();
        // A picture without a key frame so far is worth a longer wait.
        let patience = if video.is_some() && !has_video {
            CONFIG_WAIT_MS
        } else {
            TRACK_WAIT_MS
        };
        if has_any && (waited >= patience || is_full) {
            return Ok(true);
        }
        if waited >= CONFIG_WAIT_MS || is_full {
            return Err(UnusableStream(
                "Your software sends neither video nor audio parameters (a sequence header): restart its encoder.".into(),
            ));
        }
        Ok(false)
    }

    /// The shortest distance between two pictures, rounded to the announced or a common frame rate if that is close.
    pub(super) fn measured_frame_us(&self, announced: AnnouncedTracks) -> Option<f64> {
        let mut stamps = self
            .frames
            .iter()
            .filter(|frame| frame.kind == TrackKind::Video)
            .map(|frame| frame.stamp);
        let mut last = stamps.next()?;
        let mut shortest = None;
        for stamp in stamps {
            let distance = stamp.wrapping_sub(last);
            if (4..=2_000).contains(&distance) {
                shortest = Some(shortest.map_or(distance, |known: u32| known.min(distance)));
            }
            last = stamp;
        }
        shortest.map(|ms| likely_frame_us(f64::from(ms), announced.frame_rate))
    }

    /// The playable frames: from the first key frame on, or all of the sound.
    pub(super) fn into_frames(self, has_video: bool) -> Vec<IngestFrame> {
        let mut frames = self.frames;
        if has_video {
            let first = frames
                .iter()
                .position(|frame| frame.kind == TrackKind::Video && frame.is_key);
            drop(frames.drain(..first.unwrap_or(0)));
        } else {
            frames.retain(|frame| frame.kind == TrackKind::Audio);
        }
        frames
    }
}

/// Timestamps are whole milliseconds, so the shortest distance is up to one too short, and parts would be promised
/// shorter than possible. AV1 and VP9 streams do not state their frame rate, so this matters.
fn likely_frame_us(ms: f64, announced: Option<f64>) -> f64 {
    const RATES: [f64; 6] = [
        24_000.0 / 1001.0,
        25.0,
        30_000.0 / 1001.0,
        50.0,
        60_000.0 / 1001.0,
        120_000.0 / 1001.0,
    ];
    let mut rates = announced.into_iter().chain(RATES);
    let near = rates.find(|rate| (1e3 / rate - ms).abs() < 1.0);
    near.map_or(ms * 1e3, |rate| 1e6 / rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_in_whole_milliseconds_is_taken_for_the_rate_it_stands_for() {
        for (ms, rate) in [
            (41.0, 23.976),
            (40.0, 25.0),
            (33.0, 29.97),
            (34.0, 29.97),
            (20.0, 50.0),
            (16.0, 59.94),
            (17.0, 59.94),
            (100.0, 10.0),
        ] {
            let measured = 1e6 / likely_frame_us(ms, None);
            assert!((measured - rate).abs() < 0.01, "{ms} ms: {measured}");
        }
    }

    #[test]
    fn a_rate_that_the_publisher_names_is_believed_where_it_agrees_with_what_is_measured() {
        for (ms, announced, rate) in [
            (33.0, 30.0, 30.0),
            (20.0, 48.0, 48.0),
            (66.0, 15.0, 15.0),
            (33.0, 60.0, 29.97),
            (40.0, 0.0, 25.0),
            (40.0, -25.0, 25.0),
            (40.0, f64::NAN, 25.0),
            (100.0, f64::INFINITY, 10.0),
        ] {
            let measured = 1e6 / likely_frame_us(ms, Some(announced));
            assert!((measured - rate).abs() < 0.01, "{ms} ms: {measured}");
        }
    }
}
