//! Publishers with a valid key and bad intentions, or broken clocks.

use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use media::hls::{Tracks, VideoTrack};
use media::ingest::{Ingest, PackagerProvider, UnusableStream};
use media_formats::flv::{FileReader, TagKind};
use testkit::clips::clip;

use crate::clips::send;
use crate::cutting::parameters;
use crate::rig::Rig;

fn playlist(rig: &Rig) -> String {
    let snapshot = rig.snapshot();
    let main = snapshot.main.as_ref().unwrap();
    String::from_utf8(main.full.plain.to_vec()).unwrap()
}

fn now() -> Timestamp {
    Timestamp::from_second(1_700_000_000).unwrap()
}

/// A body that ingest accepts as a frame of this size.
fn picture(bytes: usize) -> Bytes {
    let mut body = vec![0x27, 1, 0, 0, 0];
    body.extend(u32::try_from(bytes).unwrap().to_be_bytes());
    body.push(0x41);
    body.resize(5 + 4 + bytes, 0x55);
    Bytes::from(body)
}

#[test]
fn a_stream_that_ends_right_after_its_parameters_changed_is_ended_for_viewers_too() {
    let mut rig = Rig::new(2);
    send(&mut rig, &mut Ingest::default(), "plain", 0);
    let (video, _) = parameters("360p");
    let tracks = Tracks {
        video: Some(VideoTrack {
            config: video,
            frame_us: 33_333.0,
        }),
        audio: None,
    };
    rig.begin(tracks, now());
    let live_snapshot = rig.live_snapshot.clone();
    rig.finish();
    let snapshot = live_snapshot.now().unwrap();
    assert!(snapshot.is_ended);
    let text = snapshot.main.as_ref().unwrap().full.plain.clone();
    assert!(text.ends_with(b"#EXT-X-ENDLIST\n"));
}

#[test]
fn sound_that_is_not_packaged_cannot_move_the_clock() {
    let mut rig = Rig::new(0);
    let mut ingest = Ingest::default();
    let end = send(&mut rig, &mut ingest, "video-only", 0);
    let before = playlist(&rig).lines().count();
    // Sound without parameters runs ahead by days, then the picture follows.
    let mut stamp = end;
    for _ in 0..2_000 {
        stamp = stamp.wrapping_add(1_900);
        let _ = ingest.audio(
            stamp,
            Bytes::from_static(&[0xaf, 1, 0x21, 0x10]),
            now(),
            &mut rig,
        );
        rig.look();
    }
    let updates = rig.updates;
    ingest.video(stamp, picture(20), now(), &mut rig).unwrap();
    ingest
        .video(stamp + 33, picture(20), now(), &mut rig)
        .unwrap();
    rig.look();
    assert!(rig.updates <= updates + 1);
    assert!(
        playlist(&rig).lines().count() < before + 20,
        "{}",
        playlist(&rig)
    );
}

#[test]
fn a_flood_of_huge_frames_ends_the_publication_instead_of_taking_all_memory() {
    let mut rig = Rig::new(2);
    let mut ingest = Ingest::default();
    let end = send(&mut rig, &mut ingest, "video-only", 0);
    let huge = picture(8 * 1024 * 1024);
    let taken = (0..200).find_map(|_| ingest.video(end, huge.clone(), now(), &mut rig).err());
    let Some(UnusableStream(reason)) = taken else {
        panic!("200 frames of 8 MiB in the same millisecond were taken");
    };
    assert!(reason.contains("lower the bitrate"), "{reason}");
}

#[test]
fn frames_of_a_clock_nobody_believed_are_not_played_later() {
    let mut rig = Rig::new(2);
    let mut ingest = Ingest::default();
    let end = send(&mut rig, &mut ingest, "plain", 0);
    // One frame of sound from another time is held; when the sound continues as before, it is dropped.
    let sound = FileReader::new(clip("plain"))
        .unwrap()
        .flatten()
        .filter(|tag| tag.kind == TagKind::Audio)
        .nth(5)
        .unwrap();
    ingest
        .audio(end + 5_000_000, sound.body.clone(), now(), &mut rig)
        .unwrap();
    let end = send(&mut rig, &mut ingest, "plain", end);
    // Then both clocks jump; only frames after the jump may remain.
    send(&mut rig, &mut ingest, "plain", end + 9_000_000);
    let wrong = rig.finish();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_frame_rate_of_one_picture_in_a_year_does_not_change_the_promise() {
    let (video, _) = parameters("plain");
    let mut rig = Rig::new(2);
    let tracks = Tracks {
        video: Some(VideoTrack {
            config: Arc::clone(&video),
            frame_us: 3e13,
        }),
        audio: None,
    };
    let targets = rig.begin(tracks, now()).targets();
    assert!(targets.part_us.unwrap() <= targets.segment_us);
}
