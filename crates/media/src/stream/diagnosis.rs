//! Diagnoses an inbound stream, in terms that an operator can act on.

use media_formats::codec::{AudioConfig, VideoConfig};

use super::health::MeterReading;

/// Frames missing among those of the last minute before it is mentioned, in percent.
const DROPPED_PERCENT: f64 = 1.0;
/// Jitter that eats the players' small buffers, in milliseconds.
const JITTER_MS: f64 = 150.0;
/// A rate that falls to a third of its usual value.
const STARVING_SHARE: f64 = 0.33;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdviceLevel {
    Info,
    /// Viewers notice it.
    Warning,
}

impl AdviceLevel {
    /// The name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            AdviceLevel::Info => "info",
            AdviceLevel::Warning => "warning",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    pub level: AdviceLevel,
    /// A stable code, for programs.
    pub code: &'static str,
    /// The text, for people.
    pub message: String,
}

/// Evaluates a reading.
pub(super) fn diagnose(reading: &MeterReading) -> Vec<Advice> {
    let mut found = Vec::new();
    let mut say = |level, code, message: String| {
        found.push(Advice {
            level,
            code,
            message,
        });
    };
    let segment_ms = reading
        .targets
        .map_or(2000, |targets| targets.segment_us / 1000);
    if let Some(interval) = reading.key_interval_ms
        && i64::from(interval) > segment_ms * 5 / 4
        && reading.tracks.video.is_some()
    {
        let seconds = f64::from(interval) / 1000.0;
        say(
            AdviceLevel::Warning,
            "keyframe-interval",
            format!(
                "Keyframes arrive every {seconds:.0} s: set {} s in OBS (Output, Keyframe interval).",
                segment_ms / 1000
            ),
        );
    }
    let minute = reading.samples.iter().rev().take(60);
    let (frames, dropped) = minute
        .clone()
        .fold((0_u64, 0_u64), |(frames, dropped), sample| {
            (
                frames + u64::from(sample.frames),
                dropped + u64::from(sample.dropped),
            )
        });
    let share = dropped as f64 * 100.0 / (frames + dropped).max(1) as f64;
    if frames > 100 && share > DROPPED_PERCENT {
        say(
            AdviceLevel::Warning,
            "dropped-frames",
            format!(
                "{share:.0} % of the frames of the last minute are missing: lower the bitrate, or the load on the broadcasting machine."
            ),
        );
    }
    if reading.jitter_ms > JITTER_MS {
        say(
            AdviceLevel::Warning,
            "jitter",
            format!(
                "Frames arrive unevenly ({:.0} ms): the connection to this server is unsteady.",
                reading.jitter_ms
            ),
        );
    }
    let rates: Vec<u32> = minute.map(|sample| sample.kbps).collect();
    if let (Some(now), true) = (rates.get(1), rates.len() > 20) {
        let usual = rates.iter().map(|rate| f64::from(*rate)).sum::<f64>() / rates.len() as f64;
        if f64::from(*now) < usual * STARVING_SHARE && usual > 300.0 {
            say(
                AdviceLevel::Warning,
                "starving",
                format!(
                    "Only {now} kb/s arrive instead of the usual {usual:.0} kb/s: the uplink is too slow, or something else is using it."
                ),
            );
        }
    }
    if reading.malformed > 0 {
        say(
            AdviceLevel::Warning,
            "malformed",
            format!(
                "{} frames could not be read and were left out.",
                reading.malformed
            ),
        );
    }
    let (pictures, sounds) = (reading.further.video.count(), reading.further.audio.count());
    if pictures + sounds > 0 {
        say(
            AdviceLevel::Info,
            "further-tracks",
            format!(
                "Beside the first tracks the broadcasting software sends further ones ({pictures} video, {sounds} audio), which are left out."
            ),
        );
    }
    if let Some(track) = &reading.tracks.video
        && matches!(*track.config, VideoConfig::Hevc(_))
    {
        say(
            AdviceLevel::Info,
            "hevc-picture",
            "Many browsers play HEVC only where the machine decodes it in hardware, and some not at all: H.264 plays everywhere.".into(),
        );
    }
    if let Some(track) = &reading.tracks.audio
        && matches!(*track.config, AudioConfig::Mp3(_))
    {
        say(
            AdviceLevel::Warning,
            "mp3-sound",
            "Chrome and Edge do not play MP3 sound inside a stream: set AAC in the broadcasting software.".into(),
        );
    }
    if reading.targets.is_some() && reading.tracks.audio.is_none() {
        say(
            AdviceLevel::Info,
            "no-audio",
            "The stream has no audio.".into(),
        );
    }
    if reading.targets.is_some() && reading.tracks.video.is_none() {
        say(
            AdviceLevel::Info,
            "no-video",
            "The stream has no video.".into(),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::hls::{LatencyLevel, Targets};
    use crate::stream::health::{InboundSample, Meter};
    use media_formats::flv::{further_audio_tracks, further_video_tracks};
    use media_formats::timeline::TrackKind;

    fn reading() -> MeterReading {
        MeterReading {
            targets: Some(Targets::choose(LatencyLevel::new(2), None, None)),
            ..MeterReading::default()
        }
    }

    #[test]
    fn missing_frames_are_reported_with_their_share() {
        let mut reading = reading();
        reading.samples = vec![
            InboundSample {
                frames: 27,
                dropped: 3,
                kbps: 1000,
                ..InboundSample::default()
            };
            10
        ];
        let found = diagnose(&reading);
        let advice = found
            .iter()
            .find(|advice| advice.code == "dropped-frames")
            .unwrap();
        assert!(
            advice.message.starts_with("10 % of the frames"),
            "{}",
            advice.message
        );
    }

    #[test]
    fn further_tracks_are_counted_by_kind_and_each_once() {
        let meter = Meter::default();
        assert!(diagnose(&meter.read()).is_empty());
        for body in [b"\x96\x01avc1\x01n", b"\x96\x01avc1\x02n"].repeat(3) {
            meter.note_further(
                TrackKind::Video,
                further_video_tracks(&Bytes::from_static(body)),
            );
        }
        let body = Bytes::from_static(b"\x95\x01Opus\x01n");
        meter.note_further(TrackKind::Audio, further_audio_tracks(&body));
        let found = diagnose(&meter.read());
        assert_eq!((found.len(), found[0].code), (1, "further-tracks"));
        let message = &found[0].message;
        assert!(message.contains("2 video, 1 audio"), "{message}");
    }

    #[test]
    fn a_calm_stream_gets_no_warning() {
        let mut reading = reading();
        reading.samples = vec![
            InboundSample {
                frames: 30,
                kbps: 1000,
                ..InboundSample::default()
            };
            60
        ];
        assert!(
            diagnose(&reading)
                .iter()
                .all(|advice| advice.level == AdviceLevel::Info)
        );
    }
}
