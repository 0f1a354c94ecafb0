//! Sends real clips through the whole crate, faster than real time.

use bytes::Bytes;
use jiff::Timestamp;
use media::ingest::{Ingest, TagContent};
use media_formats::flv::{self, FileReader, TagKind};
use testkit::clips::clip;

use crate::rig::Rig;

/// Sends a clip with its timestamps moved by `offset`; returns the timestamp after its end.
pub(crate) fn send(rig: &mut Rig, ingest: &mut Ingest, name: &str, offset: u32) -> u32 {
    send_file(rig, ingest, name, clip(name), offset)
}

/// The same for the bytes of a file called `name`.
pub(crate) fn send_file(
    rig: &mut Rig,
    ingest: &mut Ingest,
    name: &str,
    file: Bytes,
    offset: u32,
) -> u32 {
    let mut end = offset;
    for tag in FileReader::new(file).unwrap() {
        let tag = tag.unwrap();
        let stamp = offset.wrapping_add(tag.timestamp_ms);
        let now =
            Timestamp::from_millisecond(1_700_000_000_000 + i64::from(tag.timestamp_ms)).unwrap();
        let seen = match tag.kind {
            TagKind::Video => ingest.video(stamp, tag.body, now, rig),
            TagKind::Audio => ingest.audio(stamp, tag.body, now, rig),
            TagKind::Script => {
                if let Some(metadata) = flv::metadata(&tag.body) {
                    ingest.metadata(&metadata);
                }
                Ok(TagContent::Other)
            }
            TagKind::Other(_) => Ok(TagContent::Other),
        };
        assert_ne!(
            seen.unwrap(),
            TagContent::Malformed,
            "{name}: {:?} at {}",
            tag.kind,
            tag.timestamp_ms
        );
        end = end.max(stamp.wrapping_add(33));
        rig.look();
    }
    end
}

fn check(name: &str, level: u8, offset: u32) {
    let mut rig = Rig::new(level);
    let mut ingest = Ingest::default();
    let mut at = offset;
    for _ in 0..4 {
        at = send(&mut rig, &mut ingest, name, at);
    }
    assert!(
        rig.updates > 3,
        "{name} at level {level}: {} updates",
        rig.updates
    );
    let wrong = rig.finish();
    assert!(
        wrong.is_empty(),
        "{name} at level {level}:\n{}",
        wrong.join("\n")
    );
}

const ALL: [&str; 8] = [
    "plain",
    "bframes",
    "audio-only",
    "video-only",
    "silent-mic",
    "gop10",
    "mp3",
    "25fps",
];

#[test]
fn every_kind_of_stream_keeps_every_rule_at_every_latency_level() {
    for name in ALL {
        for level in 0..=4 {
            check(name, level, 0);
        }
    }
}

#[test]
fn stamps_that_wrap_leave_no_trace_in_the_playlist() {
    for offset in [16_777_216 - 3_000, u32::MAX - 3_000] {
        check("plain", 2, offset);
        check("bframes", 0, offset);
    }
}

#[test]
fn a_reconnect_with_equal_parameters_goes_on_without_a_discontinuity() {
    let mut rig = Rig::new(2);
    for _ in 0..5 {
        send(&mut rig, &mut Ingest::default(), "bframes", 0);
    }
    let text =
        String::from_utf8(rig.snapshot().main.as_ref().unwrap().full.plain.to_vec()).unwrap();
    assert!(!text.contains("#EXT-X-DISCONTINUITY\n"), "{text}");
    let wrong = rig.finish();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn other_parameters_are_a_discontinuity_with_a_new_init_and_its_first_part_at_once() {
    let mut rig = Rig::new(2);
    send(&mut rig, &mut Ingest::default(), "360p", 0);
    send(&mut rig, &mut Ingest::default(), "1080p", 0);
    let text =
        String::from_utf8(rig.snapshot().main.as_ref().unwrap().full.plain.to_vec()).unwrap();
    assert_eq!(text.matches("#EXT-X-DISCONTINUITY\n").count(), 1, "{text}");
    assert_eq!(text.matches("#EXT-X-MAP:").count(), 2, "{text}");
    let master = String::from_utf8(rig.snapshot().master.plain.to_vec()).unwrap();
    assert!(master.contains("RESOLUTION=1920x1080"), "{master}");
    send(&mut rig, &mut Ingest::default(), "360p", 0);
    let wrong = rig.finish();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn parameters_may_change_in_the_middle_of_a_connection() {
    let mut rig = Rig::new(0);
    let mut ingest = Ingest::default();
    let at = send(&mut rig, &mut ingest, "360p", 0);
    let at = send(&mut rig, &mut ingest, "1080p", at);
    send(&mut rig, &mut ingest, "360p", at);
    let wrong = rig.finish();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_track_that_appears_later_is_a_discontinuity() {
    let mut rig = Rig::new(2);
    send(&mut rig, &mut Ingest::default(), "video-only", 0);
    send(&mut rig, &mut Ingest::default(), "plain", 0);
    let snapshot = rig.snapshot();
    let text = String::from_utf8(snapshot.main.as_ref().unwrap().full.plain.to_vec()).unwrap();
    assert!(text.contains("#EXT-X-DISCONTINUITY\n"), "{text}");
    assert!(snapshot.audio.is_some());
}

#[test]
fn a_group_of_pictures_longer_than_a_segment_is_cut_at_the_target() {
    let mut rig = Rig::new(2);
    send(&mut rig, &mut Ingest::default(), "gop10", 0);
    let snapshot = rig.snapshot();
    let text = String::from_utf8(snapshot.main.as_ref().unwrap().full.plain.to_vec()).unwrap();
    let titles: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("#EXTINF:"))
        .filter_map(|line| Some(line.split_once(',')?.1))
        .collect();
    assert!(titles.len() >= 4, "{text}");
    let (key, others) = titles.split_first().unwrap();
    assert_eq!(*key, "", "the first begins with a key frame:\n{text}");
    assert!(others.contains(&"continues"), "{text}");
    let master = String::from_utf8(snapshot.master.plain.to_vec()).unwrap();
    assert!(
        !master.contains("INDEPENDENT-SEGMENTS"),
        "not every segment can be begun with:\n{master}"
    );
}

#[test]
fn the_master_of_a_default_install_lists_exactly_one_variant() {
    let variants = |lists_audio| {
        let mut rig = Rig::new(2);
        rig.settings.lists_audio = lists_audio;
        send(&mut rig, &mut Ingest::default(), "plain", 0);
        let master = String::from_utf8(rig.snapshot().master.plain.to_vec()).unwrap();
        master.matches("#EXT-X-STREAM-INF").count()
    };
    assert_eq!(variants(false), 1);
    assert_eq!(variants(true), 2);
}

#[test]
fn a_name_never_gets_other_bytes_whichever_tracks_come_and_go() {
    let mut rig = Rig::new(2);
    for name in [
        "audio-only",
        "plain",
        "audio-only",
        "video-only",
        "bframes",
        "audio-only",
        "360p",
    ] {
        send(&mut rig, &mut Ingest::default(), name, 0);
    }
    assert!(rig.updates > 50);
}
