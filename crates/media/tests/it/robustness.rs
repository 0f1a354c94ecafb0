//! Publishers with odd clocks or parameters: `docs/media-robustness.md` lists what is expected of each.

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use media::hls::RenditionView;
use media::ingest::{Ingest, TagContent, UnusableStream};
use media_formats::flv::{FileReader, FileTag as Tag, Metadata, TagKind};
use testkit::clips::clip;

use crate::rig::Rig;

/// Length of the clips used here, in milliseconds.
const CLIP_MS: u32 = 8_000;

fn tags(name: &str) -> Vec<Tag> {
    FileReader::new(clip(name)).unwrap().flatten().collect()
}

fn is_parameters(tag: &Tag) -> bool {
    tag.body.get(1) == Some(&0)
}

fn at(stamp: u32) -> Timestamp {
    Timestamp::from_millisecond(1_700_000_000_000 + i64::from(stamp)).unwrap()
}

fn send_tag(
    rig: &mut Rig,
    ingest: &mut Ingest,
    tag: Tag,
    now: Timestamp,
) -> Result<TagContent, UnusableStream> {
    let seen = match tag.kind {
        TagKind::Video => ingest.video(tag.timestamp_ms, tag.body, now, rig),
        TagKind::Audio => ingest.audio(tag.timestamp_ms, tag.body, now, rig),
        TagKind::Script | TagKind::Other(_) => Ok(TagContent::Other),
    };
    rig.look();
    seen
}

/// Sends a clip several times in a row, with `change` applied to every tag; `None` leaves it out.
fn send_changed(rig: &mut Rig, name: &str, rounds: u32, change: impl Fn(Tag) -> Option<Tag>) {
    let mut ingest = Ingest::default();
    for round in 0..rounds {
        let moved = tags(name).into_iter().map(|mut tag| {
            tag.timestamp_ms += round * CLIP_MS;
            tag
        });
        let mut all: Vec<Tag> = moved.filter_map(&change).collect();
        all.sort_by_key(|tag| tag.timestamp_ms);
        for tag in all {
            let now = at(tag.timestamp_ms);
            assert_ne!(
                send_tag(rig, &mut ingest, tag, now).unwrap(),
                TagContent::Malformed
            );
        }
    }
}

fn text(rig: &Rig, is_sound: bool) -> String {
    let snapshot = rig.snapshot();
    let view = if is_sound {
        &snapshot.audio
    } else {
        &snapshot.main
    };
    String::from_utf8(view.as_ref().unwrap().full.plain.to_vec()).unwrap()
}

/// Seconds of complete segments in a playlist, and its first number.
fn listed(text: &str) -> (f64, u64) {
    let of = |start: &'static str| {
        text.lines()
            .filter_map(move |line| line.strip_prefix(start))
    };
    let seconds =
        of("#EXTINF:").map(|rest| rest.split(',').next().unwrap().parse::<f64>().unwrap());
    let first = of("#EXT-X-MEDIA-SEQUENCE:")
        .next()
        .unwrap()
        .parse()
        .unwrap();
    (seconds.sum(), first)
}

fn clean(rig: Rig) {
    let wrong = rig.finish();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pictures_of_one_millisecond_stand_one_after_the_other() {
    let mut rig = Rig::new(2);
    // Pairs of pictures that share a timestamp, as capture software sends them after a hiccup.
    send_changed(&mut rig, "plain", 3, |mut tag| {
        if tag.kind == TagKind::Video && !is_parameters(&tag) {
            tag.timestamp_ms -= tag.timestamp_ms % 66;
        }
        Some(tag)
    });
    assert!(rig.updates > 10);
    clean(rig);
}

#[test]
fn a_picture_stamped_before_the_one_before_it_takes_its_turn() {
    let mut rig = Rig::new(2);
    let mut ingest = Ingest::default();
    for (index, mut tag) in tags("plain").into_iter().enumerate() {
        let now = at(tag.timestamp_ms);
        if tag.kind == TagKind::Video && !is_parameters(&tag) && index % 5 == 0 {
            tag.timestamp_ms = tag.timestamp_ms.saturating_sub(40);
        }
        send_tag(&mut rig, &mut ingest, tag, now).unwrap();
    }
    assert!(rig.updates > 5);
    clean(rig);
}

#[test]
fn sound_that_is_seconds_ahead_of_the_picture_does_not_hold_it_up() {
    let mut rig = Rig::new(2);
    send_changed(&mut rig, "plain", 4, |mut tag| {
        if tag.kind == TagKind::Audio && !is_parameters(&tag) {
            tag.timestamp_ms += 5_000;
        }
        Some(tag)
    });
    let ((picture, _), (sound, _)) = (listed(&text(&rig, false)), listed(&text(&rig, true)));
    assert!(picture > 6.0, "{}", text(&rig, false));
    assert!((picture - sound).abs() < 3.0, "{picture} s and {sound} s");
    clean(rig);
}

#[test]
fn sound_whose_clock_drifts_stays_beside_the_picture() {
    // Frames of sound from a clock that is half a per cent slow or fast.
    for per_mille in [995, 1005] {
        let mut rig = Rig::new(2);
        send_changed(&mut rig, "plain", 10, |mut tag| {
            if tag.kind == TagKind::Audio {
                tag.timestamp_ms = tag.timestamp_ms * per_mille / 1000;
            }
            Some(tag)
        });
        let snapshot = rig.snapshot();
        let open = |view: Option<&RenditionView>| view.unwrap().open_msn();
        let (main, audio) = (
            open(snapshot.main.as_deref()),
            open(snapshot.audio.as_deref()),
        );
        assert!(main.abs_diff(audio) <= 1, "{main} and {audio}");
        clean(rig);
    }
}

#[test]
fn a_step_of_the_servers_clock_does_not_move_the_dates() {
    for step in [
        SignedDuration::from_hours(2),
        SignedDuration::from_hours(-24),
    ] {
        let mut rig = Rig::new(2);
        let mut ingest = Ingest::default();
        for round in 0..3 {
            for mut tag in tags("plain") {
                tag.timestamp_ms += round * CLIP_MS;
                let now = at(tag.timestamp_ms);
                let now = if round == 1 {
                    now.checked_add(step).unwrap()
                } else {
                    now
                };
                send_tag(&mut rig, &mut ingest, tag, now).unwrap();
            }
        }
        assert!(!text(&rig, false).contains("#EXT-X-DISCONTINUITY\n"));
        clean(rig);
    }
}

#[test]
fn a_picture_every_two_seconds_keeps_the_promises_and_goes_on() {
    for (clip, level) in [("video-only", 2), ("plain", 0), ("plain", 4)] {
        let mut rig = Rig::new(level);
        // A static shared screen: only the key frame of each group of pictures.
        send_changed(&mut rig, clip, 4, |tag| {
            let is_kept = is_parameters(&tag) || tag.body[0] >> 4 == 1;
            (tag.kind != TagKind::Video || is_kept).then_some(tag)
        });
        assert!(listed(&text(&rig, false)).0 > 6.0, "{}", text(&rig, false));
        clean(rig);
    }
}

#[test]
fn parameters_that_are_sent_again_every_second_change_nothing() {
    let mut rig = Rig::new(2);
    let mut ingest = Ingest::default();
    let all = tags("plain");
    let parameters: Vec<Tag> = all
        .iter()
        .filter(|tag| is_parameters(tag))
        .cloned()
        .collect();
    let mut next = 1_000;
    for tag in all {
        if tag.timestamp_ms >= next {
            next += 1_000;
            for mut again in parameters.clone() {
                again.timestamp_ms = tag.timestamp_ms;
                let now = at(tag.timestamp_ms);
                send_tag(&mut rig, &mut ingest, again, now).unwrap();
            }
        }
        let now = at(tag.timestamp_ms);
        send_tag(&mut rig, &mut ingest, tag, now).unwrap();
    }
    let text = text(&rig, false);
    assert!(!text.contains("#EXT-X-DISCONTINUITY\n"), "{text}");
    assert_eq!(text.matches("#EXT-X-MAP:").count(), 1, "{text}");
    clean(rig);
}

/// The parameter sets of an H.264 decoder record, each with a four-byte length.
fn sets_of(record: &[u8]) -> Vec<u8> {
    let mut sets = Vec::new();
    let mut rest = &record[5..];
    for mask in [0x1f, 0xff] {
        let (count, mut behind) = rest.split_first().unwrap();
        for _ in 0..count & mask {
            let length = usize::from(u16::from_be_bytes([behind[0], behind[1]]));
            sets.extend([0, 0]);
            sets.extend(&behind[..2 + length]);
            behind = &behind[2 + length..];
        }
        rest = behind;
    }
    sets
}

#[test]
fn a_stream_that_has_its_parameters_in_band_needs_no_sequence_header() {
    let mut rig = Rig::new(2);
    let all = tags("plain");
    let header = all
        .iter()
        .find(|tag| tag.kind == TagKind::Video && is_parameters(tag));
    let sets = sets_of(&header.unwrap().body[5..]);
    send_changed(&mut rig, "plain", 2, |mut tag| {
        if tag.kind != TagKind::Video {
            return Some(tag);
        }
        if tag.body[0] >> 4 == 1 {
            tag.body = Bytes::from([&tag.body[..5], &sets, &tag.body[5..]].concat());
        }
        (!is_parameters(&tag)).then_some(tag)
    });
    let master = String::from_utf8(rig.snapshot().master.plain.to_vec()).unwrap();
    assert!(master.contains("RESOLUTION="), "{master}");
    clean(rig);
}

#[test]
fn a_stream_without_any_parameters_is_refused_with_a_reason_after_ten_seconds() {
    let mut rig = Rig::new(2);
    let mut ingest = Ingest::default();
    let refused = (0..3).find_map(|round| {
        tags("plain").into_iter().find_map(|mut tag| {
            tag.timestamp_ms += round * CLIP_MS;
            let stamp = tag.timestamp_ms;
            if is_parameters(&tag) {
                return None;
            }
            let sent = send_tag(&mut rig, &mut ingest, tag, at(stamp));
            sent.err().map(|UnusableStream(reason)| (stamp, reason))
        })
    });
    let (stamp, reason) = refused.unwrap();
    assert!((10_000..=10_200).contains(&stamp), "refused at {stamp} ms");
    assert!(reason.contains("sequence header"), "{reason}");
    assert_eq!(rig.updates, 0);
}

#[test]
fn what_a_publisher_claims_about_its_stream_moves_no_frame() {
    let honest = {
        let mut rig = Rig::new(2);
        send_changed(&mut rig, "plain", 2, Some);
        text(&rig, false)
    };
    let mut rig = Rig::new(2);
    let mut ingest = Ingest::default();
    ingest.metadata(&Metadata {
        width: Some(16),
        height: Some(16),
        frame_rate: Some(1.0),
        ..Metadata::default()
    });
    for round in 0..2 {
        for mut tag in tags("plain") {
            tag.timestamp_ms += round * CLIP_MS;
            let now = at(tag.timestamp_ms);
            send_tag(&mut rig, &mut ingest, tag, now).unwrap();
        }
    }
    assert_eq!(text(&rig, false), honest);
    clean(rig);
}

#[test]
fn a_stream_with_one_key_frame_alone_goes_on_for_ever() {
    let mut rig = Rig::new(2);
    send_changed(&mut rig, "plain", 5, |mut tag| {
        let is_later_key = tag.timestamp_ms > 0 && tag.body[0] >> 4 == 1;
        if tag.kind == TagKind::Video && is_later_key {
            let mut body = tag.body.to_vec();
            body[0] = body[0] & 0x0f | 0x20;
            tag.body = Bytes::from(body);
        }
        Some(tag)
    });
    let text = text(&rig, false);
    assert!(
        listed(&text).1 > crate::rig::FIRST_MSN,
        "the window moves on: {text}"
    );
    clean(rig);
}
