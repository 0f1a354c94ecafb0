//! Whole clips: ffprobe and ffmpeg read the same from our files as from the publisher's.

use std::path::Path;

use media_formats::cmaf::{Sample, Track, fragment, init};

use crate::support::clip;
use crate::support::tools::{Packet, decoded, packets, stream};

const PICTURES: &str = "-f lavfi -i testsrc2=size=320x180:rate=30 -t 2 -c:v libx264 -preset veryfast -g 30 -pix_fmt yuv420p";

/// Writes a track in fragments of `per_fragment` samples to `out.mp4`.
fn write(
    folder: &Path,
    init: &[u8],
    kind: Track,
    start: u64,
    samples: &[Sample],
    per_fragment: usize,
) {
    let mut file = init.to_vec();
    let mut time = start;
    for (number, group) in (1..).zip(samples.chunks(per_fragment)) {
        file.extend_from_slice(&fragment::write(number, time, kind, group));
        time += group
            .iter()
            .map(|sample| u64::from(sample.duration))
            .sum::<u64>();
    }
    std::fs::write(folder.join("out.mp4"), file).unwrap();
}

fn wanted(start: u64, samples: &[Sample]) -> Vec<Packet> {
    let mut decode = i64::try_from(start).unwrap();
    samples
        .iter()
        .map(|sample| {
            let packet = Packet {
                decode,
                show: decode + i64::from(sample.composition),
                size: sample.data.len(),
                is_key: sample.is_sync,
            };
            decode += i64::from(sample.duration);
            packet
        })
        .collect()
}

/// Compares packet by packet, so that a failure names the first difference instead of printing all packets.
fn assert_packets(folder: &Path, wanted: &[Packet]) {
    let seen = packets(folder, "out.mp4");
    for (at, (seen, wanted)) in seen.iter().zip(wanted).enumerate() {
        assert_eq!(seen, wanted, "packet {at}");
    }
    assert_eq!(seen.len(), wanted.len());
}

/// Writes the video of a clip, compares every packet and every decoded frame, and returns the description.
fn check_video(options: &str, per_fragment: usize) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let track = clip::video(&clip::make(folder, options));
    let init = init::video(&track.config);
    write(
        folder,
        &init,
        Track::Video,
        track.start,
        &track.samples,
        per_fragment,
    );
    assert_packets(folder, &wanted(track.start, &track.samples));
    assert_eq!(
        decoded(folder, "out.mp4", "0:v:0"),
        decoded(folder, "clip.flv", "0:v:0")
    );
    let stream = stream(folder, "out.mp4");
    assert_eq!(stream["codec_tag_string"], "avc1");
    assert_eq!(stream["time_base"], "1/90000");
    assert_eq!(stream["width"], track.config.width());
    assert_eq!(stream["height"], track.config.height());
    stream
}

fn check_audio(options: &str) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let track = clip::audio(&clip::make(folder, options));
    let init = init::audio(&track.config);
    write(folder, &init, Track::Audio, track.start, &track.samples, 7);
    assert_packets(folder, &wanted(track.start, &track.samples));
    assert_eq!(
        decoded(folder, "out.mp4", "0:a:0"),
        decoded(folder, "clip.flv", "0:a:0")
    );
    let stream = stream(folder, "out.mp4");
    assert_eq!(
        stream["time_base"],
        format!("1/{}", track.config.sample_rate())
    );
    assert_eq!(stream["channels"], track.config.channels());
    stream
}

#[test]
fn a_plain_clip_keeps_every_time_and_every_picture() {
    check_video(&format!("{PICTURES} -bf 0"), 6);
}

#[test]
fn b_frames_keep_their_order_and_composition() {
    let stream = check_video(
        &format!("{PICTURES} -bf 3 -b_strategy 0 -profile:v high"),
        15,
    );
    assert_eq!(stream["profile"], "High");
    assert_eq!(stream["has_b_frames"], 2);
}

#[test]
fn fragments_of_one_sample_join_without_a_seam() {
    check_video(&format!("{PICTURES} -bf 2"), 1);
}

#[test]
fn samples_that_are_not_square_and_colours_are_described() {
    let stream = check_video(
        &format!(
            "{PICTURES} -vf setsar=4/3 -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv"
        ),
        30,
    );
    assert_eq!(stream["sample_aspect_ratio"], "4:3");
    assert_eq!(stream["display_aspect_ratio"], "64:27");
    assert_eq!(stream["color_space"], "bt709");
    assert_eq!(stream["color_range"], "tv");
}

#[test]
fn ballast_of_constant_rate_encoders_is_left_out_unseen() {
    // Delimiters and filler make the bit rate constant; without them the pictures are the same.
    check_video(
        &format!(
            "{PICTURES} -bf 0 -b:v 400k -maxrate 400k -bufsize 400k -x264-params nal-hrd=cbr:aud=1"
        ),
        10,
    );
}

#[test]
fn aac_keeps_every_frame() {
    let stream = check_audio("-f lavfi -i sine=r=48000 -ac 2 -t 1 -c:a aac");
    assert_eq!(stream["codec_name"], "aac");
    assert_eq!(stream["profile"], "LC");
}

#[test]
fn mp3_keeps_every_frame() {
    let stream = check_audio("-f lavfi -i sine=r=44100 -ac 2 -t 1 -c:a libmp3lame");
    assert_eq!(stream["codec_name"], "mp3");
}

#[test]
fn low_rate_mp3_keeps_every_frame() {
    let stream = check_audio("-f lavfi -i sine=r=22050 -ac 1 -t 1 -c:a libmp3lame");
    assert_eq!(stream["codec_name"], "mp3");
}

#[test]
fn an_empty_fragment_between_others_is_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let track = clip::video(&clip::make(folder, &format!("{PICTURES} -bf 0")));
    let (first, second) = track.samples.split_at(30);
    let pause = 90_000;
    let length = |samples: &[Sample]| samples.iter().map(|s| u64::from(s.duration)).sum::<u64>();
    let middle = track.start + length(first);
    let file = [
        init::video(&track.config),
        fragment::write(1, track.start, Track::Video, first),
        fragment::write(2, middle, Track::Video, &[]),
        fragment::write(3, middle + pause, Track::Video, second),
    ]
    .concat();
    std::fs::write(folder.join("out.mp4"), file).unwrap();
    let mut expected = wanted(track.start, first);
    expected.extend(wanted(middle + pause, second));
    assert_packets(folder, &expected);
}
