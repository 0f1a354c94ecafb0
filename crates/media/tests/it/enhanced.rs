//! Sends clips with the codecs of Enhanced RTMP through the whole crate; `scripts/enhanced_clips.py` makes them.

use std::path::Path;
use std::process::Command;

use bytes::Bytes;
use jiff::Timestamp;
use media::ingest::{Ingest, TagContent};
use media_formats::flv::{FileReader, TagKind};
use serde_json::Value;
use testkit::clips::clip;

use crate::clips::send_file;
use crate::rig::{FIRST_MSN, Rig, TOKEN};

/// Every clip, its `CODECS` and ffprobe's names for them.
const CLIPS: [(&str, &str, &str, &str); 4] = [
    ("hevc-opus", "hvc1.1.6.L60.90,Opus", "hevc", "opus"),
    ("hevc-old-flac", "hvc1.1.6.L60.90,fLaC", "hevc", "flac"),
    ("av1-opus", "av01.0.00M.08,Opus", "av1", "opus"),
    ("vp9-opus", "vp09.00.11.08,Opus", "vp9", "opus"),
];

#[test]
fn every_further_codec_keeps_every_rule_at_every_latency_level() {
    for (name, ..) in CLIPS {
        for level in 0..=4 {
            let mut rig = Rig::new(level);
            let mut ingest = Ingest::default();
            let mut at = 0;
            for _ in 0..8 {
                at = send_file(&mut rig, &mut ingest, name, clip(name), at);
            }
            assert!(rig.updates > 3, "{name} at level {level}");
            let wrong = rig.finish();
            assert!(
                wrong.is_empty(),
                "{name} at level {level}:\n{}",
                wrong.join("\n")
            );
        }
    }
}

#[test]
fn the_master_names_every_further_codec_exactly() {
    for (name, codecs, ..) in CLIPS {
        let mut rig = Rig::new(2);
        send_file(&mut rig, &mut Ingest::default(), name, clip(name), 0);
        let master = String::from_utf8(rig.snapshot().master.plain.to_vec()).unwrap();
        let expected = format!("CODECS=\"{codecs}\",RESOLUTION=320x180");
        assert!(master.contains(&expected), "{name}:\n{master}");
    }
}

/// The clip with HEVC under its old codec number, and with another number in its place.
fn relabelled(number: u8) -> Bytes {
    const FILE_HEAD: usize = 13;
    const TAG_HEAD: usize = 11;
    const VIDEO: u8 = 9;
    let mut file = clip("hevc-old-flac").to_vec();
    let mut at = FILE_HEAD;
    while at < file.len() {
        let [_, a, b, c] = file[at..at + 4] else {
            unreachable!("a slice of four")
        };
        if file[at] == VIDEO {
            let head = &mut file[at + TAG_HEAD];
            *head = *head & 0xf0 | number;
        }
        at += TAG_HEAD + u32::from_be_bytes([0, a, b, c]) as usize + 4;
    }
    file.into()
}

#[test]
fn hevc_that_is_called_h264_is_known_by_its_parameters() {
    let mut rig = Rig::new(2);
    let mut ingest = Ingest::default();
    let at = send_file(&mut rig, &mut ingest, "HEVC as 7", relabelled(7), 0);
    let master = String::from_utf8(rig.snapshot().master.plain.to_vec()).unwrap();
    assert!(master.contains("hvc1.1.6.L60.90,fLaC"), "{master}");
    // The same encoder may switch back, and is trusted again.
    let plain = clip("plain");
    send_file(&mut rig, &mut ingest, "plain", plain, at);
    let master = String::from_utf8(rig.snapshot().master.plain.to_vec()).unwrap();
    assert!(master.contains("avc1."), "{master}");
}

#[test]
fn a_reconnect_in_a_further_codec_goes_on_without_a_discontinuity() {
    for (name, ..) in CLIPS {
        let mut rig = Rig::new(2);
        for _ in 0..3 {
            send_file(&mut rig, &mut Ingest::default(), name, clip(name), 0);
        }
        let snapshot = rig.snapshot();
        let text = String::from_utf8(snapshot.main.as_ref().unwrap().full.plain.to_vec()).unwrap();
        assert!(!text.contains("#EXT-X-DISCONTINUITY\n"), "{name}:\n{text}");
    }
}

#[test]
fn another_codec_in_the_middle_of_a_connection_is_a_discontinuity() {
    let mut rig = Rig::new(2);
    let mut ingest = Ingest::default();
    let mut at = 0;
    for (name, ..) in CLIPS {
        at = send_file(&mut rig, &mut ingest, name, clip(name), at);
    }
    let snapshot = rig.snapshot();
    let text = String::from_utf8(snapshot.main.as_ref().unwrap().full.plain.to_vec()).unwrap();
    assert!(text.contains("#EXT-X-DISCONTINUITY\n"), "{text}");
    let master = String::from_utf8(snapshot.master.plain.to_vec()).unwrap();
    assert!(master.contains("vp09.00.11.08,Opus"), "{master}");
}

#[test]
fn ffmpeg_decodes_every_further_codec_without_a_complaint() {
    let folder = tempfile::tempdir().unwrap();
    for (name, _, video, audio) in CLIPS {
        let mut rig = Rig::new(2);
        send_file(&mut rig, &mut Ingest::default(), name, clip(name), 0);
        let snapshot = rig.snapshot();
        // Init segments are numbered across the session, the picture's first.
        for (view, token, version, codec) in [
            (snapshot.main.as_ref().unwrap(), TOKEN, 1, video),
            (snapshot.audio.as_ref().unwrap(), !TOKEN, 2, audio),
        ] {
            let mut file = view.init(token, version).unwrap().bytes.to_vec();
            for msn in FIRST_MSN..=view.open_msn() {
                let parts = (0..).map_while(|index| view.part(token, msn, index));
                parts.for_each(|part| file.extend_from_slice(&part.bytes));
            }
            let path = folder.path().join(format!("{name}-{codec}.mp4"));
            std::fs::write(&path, file).unwrap();
            let stream = probe(&path);
            assert_eq!(stream["codec_name"], codec, "{name}");
            let frames: u32 = stream["nb_read_frames"].as_str().unwrap().parse().unwrap();
            // Four seconds, except for unfinished parts.
            assert!(frames > 30, "{name} {codec}: {frames}");
        }
    }
}

/// The only stream of a file, after decoding every frame.
fn probe(file: &Path) -> Value {
    let output = Command::new("ffprobe")
        .args(["-v", "error", "-count_frames", "-show_streams", "-of"])
        .arg("json")
        .arg(file)
        .output()
        .unwrap_or_else(|error| panic!("ffprobe is needed on the path: {error}"));
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(complaint.is_empty(), "{}: {complaint}", file.display());
    let mut probed: Value = serde_json::from_slice(&output.stdout).unwrap();
    probed["streams"][0].take()
}

#[test]
fn frames_of_another_codec_than_was_announced_are_left_out() {
    let mut rig = Rig::new(2);
    let mut ingest = Ingest::default();
    send_file(&mut rig, &mut ingest, "av1-opus", clip("av1-opus"), 0);
    let now = Timestamp::from_millisecond(1_700_000_004_100).unwrap();
    let seen = ingest.audio(
        4_100,
        Bytes::from_static(b"\x91fLaC\xff\xf8\x59\x88"),
        now,
        &mut rig,
    );
    assert_eq!(seen, Ok(TagContent::Malformed));
    let seen = ingest.audio(
        4_100,
        Bytes::from_static(b"\x95\x01Opus\x01\xfc"),
        now,
        &mut rig,
    );
    assert_eq!(seen, Ok(TagContent::OtherTrack));
}

#[test]
fn what_is_still_not_taken_is_refused_with_a_sentence() {
    let mut rig = Rig::new(2);
    let now = Timestamp::from_millisecond(1_700_000_000_000).unwrap();
    let body = Bytes::from_static(b"\x90vvc1x");
    let refused = Ingest::default().video(0, body, now, &mut rig).unwrap_err();
    assert_eq!(
        refused.0,
        "Your software sends VVC (H.266); this server takes H.264, HEVC, AV1 or VP9 video with AAC, MP3, Opus or FLAC sound."
    );
    let body = Bytes::from_static(b"\x90ec-3x");
    let refused = Ingest::default().audio(0, body, now, &mut rig).unwrap_err();
    assert!(refused.0.starts_with("Your software sends E-AC-3; "));
}

#[test]
fn the_clips_hold_what_their_names_say() {
    for (name, ..) in CLIPS {
        let tags: Vec<_> = FileReader::new(clip(name)).unwrap().flatten().collect();
        let of = |kind| tags.iter().filter(|tag| tag.kind == kind).count();
        assert_eq!(of(TagKind::Video), 121, "{name}: a record and 120 frames");
        assert!(of(TagKind::Audio) > 40, "{name}");
    }
}
