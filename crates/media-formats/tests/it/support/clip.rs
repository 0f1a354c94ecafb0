//! A short clip as a publisher would send it: FLV made by ffmpeg.

use std::path::Path;

use bytes::Bytes;
use media_formats::cmaf::{Sample, VIDEO_TIMESCALE};
use media_formats::codec::{AacConfig, AudioConfig, AvcConfig, Mp3Config, VideoConfig, avc};
use testkit::clips::{ClipTag, tags};

use super::tools::run;

/// One track of a clip, ready to be written.
#[derive(Debug)]
pub(crate) struct Track<C> {
    pub(crate) config: C,
    pub(crate) start: u64,
    pub(crate) samples: Vec<Sample>,
}

/// Makes `clip.flv` in `folder` with the options of ffmpeg.
pub(crate) fn make(folder: &Path, options: &str) -> Vec<ClipTag> {
    let options: Vec<&str> = options.split_whitespace().collect();
    let common = ["-v", "error", "-nostdin", "-y"];
    let output = ["-fflags", "+bitexact", "-f", "flv", "clip.flv"];
    let all: Vec<&str> = [&common[..], &options, &output].concat();
    run(folder, "ffmpeg", &all);
    tags(&std::fs::read(folder.join("clip.flv")).unwrap().into())
}

/// The H.264 track in `tags`.
pub(crate) fn video(tags: &[ClipTag]) -> Track<VideoConfig> {
    let bodies: Vec<&ClipTag> = tags
        .iter()
        .filter(|tag| tag.kind == ClipTag::VIDEO)
        .collect();
    let record = bodies.iter().find(|tag| tag.body[1] == 0).unwrap();
    let config = AvcConfig::parse(record.body.slice(5..)).unwrap();
    let ticks = |milliseconds: u32| u64::from(milliseconds) * u64::from(VIDEO_TIMESCALE / 1000);
    let frames: Vec<&&ClipTag> = bodies.iter().filter(|tag| tag.body[1] == 1).collect();
    let mut samples = Vec::new();
    for (at, frame) in frames.iter().enumerate() {
        let unit = avc::unit(Some(&config), frame.body.slice(5..)).unwrap();
        let next = frames
            .get(at + 1)
            .map_or(frame.timestamp_ms + 40, |next| next.timestamp_ms);
        let offset = i32::from_be_bytes([frame.body[2], frame.body[3], frame.body[4], 0]) >> 8;
        samples.push(Sample {
            data: unit.data,
            duration: u32::try_from(ticks(next - frame.timestamp_ms)).unwrap(),
            composition: offset * i32::try_from(VIDEO_TIMESCALE / 1000).unwrap(),
            is_sync: unit.is_idr,
        });
        assert_eq!(unit.is_idr, frame.body[0] >> 4 == 1, "frame {at}");
    }
    Track {
        config: VideoConfig::Avc(config),
        start: ticks(frames[0].timestamp_ms),
        samples,
    }
}

/// The AAC or MP3 track in `tags`.
pub(crate) fn audio(tags: &[ClipTag]) -> Track<AudioConfig> {
    let bodies: Vec<&Bytes> = tags
        .iter()
        .filter(|tag| tag.kind == ClipTag::AUDIO)
        .map(|tag| &tag.body)
        .collect();
    let is_aac = bodies[0][0] >> 4 == 10;
    let config = if is_aac {
        AudioConfig::Aac(AacConfig::parse(&bodies[0][2..]).unwrap())
    } else {
        AudioConfig::Mp3(Mp3Config::parse(&bodies[0][1..]).unwrap())
    };
    let frames = bodies.iter().filter(|body| !is_aac || body[1] == 1);
    let header = if is_aac { 2 } else { 1 };
    let samples = frames
        .map(|body| Sample {
            data: body.slice(header..),
            duration: config.frame_samples(),
            composition: 0,
            is_sync: true,
        })
        .filter(|sample| !sample.data.is_empty())
        .collect();
    Track {
        config,
        start: 0,
        samples,
    }
}
