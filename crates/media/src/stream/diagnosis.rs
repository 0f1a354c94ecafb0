//! Diagnoses an inbound stream, in terms that an operator can act on.

use media_formats::codec::{AudioConfig, VideoConfig};
use model::sentence::{Sentence, SentenceParams};

use super::health::MeterReading;
use super::sentences;

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
    /// What stands in its gaps, for pages in other languages.
    pub params: SentenceParams,
}

/// Evaluates a reading.
pub(super) fn diagnose(reading: &MeterReading) -> Vec<Advice> {
    let mut found = Vec::new();
    let mut say = |level, sentence: Sentence| {
        found.push(Advice {
            level,
            code: sentence.code(),
            message: sentence.english(),
            params: sentence.params().clone(),
        });
    };
    let segment_ms = reading
        .targets
        .map_or(2000, |targets| targets.segment_us / 1000);
    if let Some(interval) = reading.key_interval_ms
        && i64::from(interval) > segment_ms * 5 / 4
        && reading.tracks.video.is_some()
    {
        let seconds = whole(f64::from(interval) / 1000.0);
        let wanted = segment_ms.unsigned_abs() / 1000;
        let sentence = sentences::KEYFRAME_INTERVAL.with([seconds.into(), wanted.into()]);
        say(AdviceLevel::Warning, sentence);
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
        let sentence = sentences::DROPPED_FRAMES.with([whole(share).into()]);
        say(AdviceLevel::Warning, sentence);
    }
    if reading.jitter_ms > JITTER_MS {
        let sentence = sentences::JITTER.with([whole(reading.jitter_ms).into()]);
        say(AdviceLevel::Warning, sentence);
    }
    let rates: Vec<u32> = minute.map(|sample| sample.kbps).collect();
    if let (Some(now), true) = (rates.get(1), rates.len() > 20) {
        let usual = rates.iter().map(|rate| f64::from(*rate)).sum::<f64>() / rates.len() as f64;
        if f64::from(*now) < usual * STARVING_SHARE && usual > 300.0 {
            let now = u64::from(*now);
            let sentence = sentences::STARVING.with([now.into(), whole(usual).into()]);
            say(AdviceLevel::Warning, sentence);
        }
    }
    if reading.malformed > 0 {
        let sentence = sentences::MALFORMED.with([reading.malformed.into()]);
        say(AdviceLevel::Warning, sentence);
    }
    let (pictures, sounds) = (reading.further.video.count(), reading.further.audio.count());
    if pictures + sounds > 0 {
        let [pictures, sounds] = [pictures, sounds].map(u64::from);
        let sentence = sentences::FURTHER_TRACKS.with([pictures.into(), sounds.into()]);
        say(AdviceLevel::Info, sentence);
    }
    if let Some(track) = &reading.tracks.video
        && matches!(*track.config, VideoConfig::Hevc(_))
    {
        say(AdviceLevel::Info, sentences::HEVC_PICTURE.plain());
    }
    if let Some(track) = &reading.tracks.audio
        && matches!(*track.config, AudioConfig::Mp3(_))
    {
        say(AdviceLevel::Warning, sentences::MP3_SOUND.plain());
    }
    if reading.targets.is_some() && reading.tracks.audio.is_none() {
        say(AdviceLevel::Info, sentences::NO_AUDIO.plain());
    }
    if reading.targets.is_some() && reading.tracks.video.is_none() {
        say(AdviceLevel::Info, sentences::NO_VIDEO.plain());
    }
    found
}

/// Nobody reads the digits after the point.
fn whole(number: f64) -> u64 {
    number.round() as u64
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
