use jiff::{SignedDuration, Timestamp};

use super::*;
use crate::ChunkDescription;
use crate::timeline::TimelineChunk;

const SECOND: i64 = 1_000_000;
const INIT: u32 = 800;

fn at(us: i64) -> Timestamp {
    let start: Timestamp = "2026-03-01T20:00:00Z".parse().unwrap();
    start + SignedDuration::from_micros(us)
}

/// Segments of two seconds, `per_chunk` in each chunk, each a hundred bytes longer than its number.
fn rendition(name: &str, ordinals: Range<u64>, per_chunk: u64) -> RenditionTimeline {
    let mut chunks: Vec<TimelineChunk> = Vec::new();
    let mut segments: Vec<TimelineSegment> = Vec::new();
    let first = ordinals.start;
    for ordinal in ordinals {
        let since = ordinal - first;
        let number = u32::try_from(since / per_chunk).unwrap();
        let start_us = i64::try_from(ordinal).unwrap() * 2 * SECOND;
        if since.is_multiple_of(per_chunk) {
            chunks.push(TimelineChunk {
                number,
                token: 7,
                session: 0,
                init_len: INIT,
                bytes: u64::from(INIT),
                init_hash: "same".into(),
                starts_discontinuity: false,
                date: at(start_us),
                start_us,
            });
        }
        let chunk = chunks.last_mut().unwrap();
        let len = 100 + ordinal;
        segments.push(TimelineSegment {
            ordinal,
            token: 7,
            msn: ordinal + 40,
            chunk: number,
            offset: chunk.bytes,
            len,
            start_us,
            duration_us: 2 * SECOND,
            date: at(start_us),
            arrived_ms: 0,
            // A key frame every four seconds.
            is_independent: name == "audio" || ordinal.is_multiple_of(2),
            is_discontinuity: false,
        });
        chunk.bytes += len;
    }
    let is_sound = matches!(name, "audio" | "aac");
    RenditionTimeline {
        rendition: name.into(),
        described: ChunkDescription {
            codecs: if is_sound { "mp4a.40.2" } else { "avc1.64001f" }.into(),
            width: if is_sound { 0 } else { 1280 },
            height: if is_sound { 0 } else { 720 },
            frame_rate: 30.0,
            channels: if is_sound { 2 } else { 0 },
            ..ChunkDescription::default()
        },
        chunks,
        segments,
    }
}

fn timeline(renditions: Vec<RenditionTimeline>) -> Arc<Timeline> {
    let ends = renditions.iter().filter_map(|one| one.segments.last());
    Arc::new(Timeline {
        duration_us: ends.map(TimelineSegment::end_us).max().unwrap_or_default(),
        renditions,
        started_at: at(0),
    })
}

fn whole(renditions: Vec<RenditionTimeline>) -> Replay {
    Replay::new(timeline(renditions), Cut::default()).unwrap()
}

fn count(text: &str, line: &str) -> usize {
    text.lines().filter(|one| one.starts_with(line)).count()
}

/// The byte ranges of the list with the file of each.
fn ranges(list: &str) -> Vec<(String, Range<u64>)> {
    let lines: Vec<&str> = list.lines().collect();
    let pairs = lines.windows(2).filter_map(|two| {
        let (len, offset) = two[0].strip_prefix("#EXT-X-BYTERANGE:")?.split_once('@')?;
        let (len, offset): (u64, u64) = (len.parse().ok()?, offset.parse().ok()?);
        Some((two[1].to_owned(), offset..offset + len))
    });
    pairs.collect()
}

#[test]
fn a_replay_lists_every_segment_as_a_range_of_its_chunk() {
    let replay = whole(vec![rendition("0", 0..5, 3)]);
    assert_eq!(
        replay.playlist("0").unwrap(),
        "#EXTM3U\n#EXT-X-VERSION:8\n#EXT-X-TARGETDURATION:2\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-MEDIA-SEQUENCE:0\n\
         #EXT-X-MAP:URI=\"0.mp4\",BYTERANGE=\"800@0\"\n\
         #EXT-X-PROGRAM-DATE-TIME:2026-03-01T20:00:00.000Z\n\
         #EXTINF:2.0,\n#EXT-X-BYTERANGE:100@800\n0.mp4\n\
         #EXTINF:2.0,\n#EXT-X-BYTERANGE:101@900\n0.mp4\n\
         #EXTINF:2.0,\n#EXT-X-BYTERANGE:102@1001\n0.mp4\n\
         #EXT-X-PROGRAM-DATE-TIME:2026-03-01T20:00:06.000Z\n\
         #EXTINF:2.0,\n#EXT-X-BYTERANGE:103@800\n1.mp4\n\
         #EXTINF:2.0,\n#EXT-X-BYTERANGE:104@903\n1.mp4\n\
         #EXT-X-ENDLIST\n"
    );
    assert!(replay.playlist("1").is_none());
    assert_eq!((replay.start_us(), replay.end_us()), (0, 10 * SECOND));
}

#[test]
fn a_cut_replay_shows_nothing_outside_its_marks_in_any_rendition() {
    let all = timeline(vec![rendition("0", 0..10, 4), rendition("audio", 0..10, 3)]);
    let cut = Cut {
        start_us: Some(4 * SECOND),
        end_us: Some(12 * SECOND),
    };
    let replay = Replay::new(all, cut).unwrap();
    assert_eq!(replay.start_us(), 4 * SECOND);
    assert_eq!(replay.end_us(), 12 * SECOND);
    for (name, per_chunk) in [("0", 4_u64), ("audio", 3)] {
        let list = replay.playlist(name).unwrap();
        let listed = ranges(&list);
        assert_eq!(listed.len(), 4, "{list}");
        assert_eq!(count(&list, "#EXT-X-MAP"), 1);
        for number in 0..4 {
            let file = format!("{number}.mp4");
            let mut inside = listed.iter().filter(|(one, _)| *one == file);
            let Some(chunk) = replay.chunk(name, number) else {
                assert!(inside.next().is_none(), "{name} {number}");
                continue;
            };
            let (first, last) = (inside.next().unwrap(), inside.next_back());
            let end = last.unwrap_or(first).1.end;
            assert_eq!(chunk.shown, first.1.start..end, "{name} {per_chunk}");
            assert!(chunk.allows(&(0..u64::from(INIT))));
            assert!(chunk.allows(&chunk.shown));
            assert!(!chunk.allows(&(chunk.shown.start..chunk.shown.end + 1)));
            let is_cut_before = chunk.shown.start > u64::from(INIT);
            assert_eq!(chunk.allows(&(0..chunk.shown.end)), !is_cut_before);
        }
    }
    assert!(replay.chunk("0", 7).is_none() && replay.chunk("2", 0).is_none());
}

#[test]
fn marks_that_leave_nothing_show_nothing() {
    let all = timeline(vec![rendition("0", 0..4, 4)]);
    for (start, end) in [(8, 20), (4, 4), (6, 2)] {
        let cut = Cut {
            start_us: Some(start * SECOND),
            end_us: Some(end * SECOND),
        };
        assert!(Replay::new(Arc::clone(&all), cut).is_none(), "{cut:?}");
    }
    assert!(Replay::new(timeline(Vec::new()), Cut::default()).is_none());
    assert!(Replay::new(timeline(vec![rendition("0", 0..0, 4)]), Cut::default()).is_none());
}

#[test]
fn a_mark_moves_to_the_nearest_place_where_a_player_can_begin() {
    let all = timeline(vec![rendition("0", 0..5, 3), rendition("audio", 0..5, 3)]);
    for (wanted, mark) in [
        (-5 * SECOND, 0),
        (SECOND, 0),
        (3 * SECOND, 4 * SECOND),
        (5 * SECOND, 4 * SECOND),
        (8 * SECOND, 8 * SECOND),
        (9_500_000, 10 * SECOND),
        (i64::MAX, 10 * SECOND),
    ] {
        assert_eq!(nearest_mark(&all, wanted), Some(mark), "{wanted}");
    }
    assert_eq!(nearest_mark(&timeline(Vec::new()), 0), None);
}

#[test]
fn other_parameters_are_a_discontinuity_with_their_own_map() {
    let mut picture = rendition("0", 0..6, 3);
    picture.chunks[1].init_hash = "other".into();
    picture.chunks[1].starts_discontinuity = true;
    picture.segments[3].is_discontinuity = true;
    let sound = rendition("audio", 0..6, 3);
    let replay = whole(vec![picture, sound]);
    let list = replay.playlist("0").unwrap();
    assert!(
        list.contains(
            "#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI=\"1.mp4\",BYTERANGE=\"800@0\"\n\
             #EXT-X-PROGRAM-DATE-TIME:2026-03-01T20:00:06.000Z\n#EXTINF"
        ),
        "{list}"
    );
    // Its sound is the same as before, and still the lists have their breaks at the same places.
    let sound = replay.playlist("audio").unwrap();
    for list in [&list, &sound] {
        assert_eq!(count(list, "#EXT-X-DISCONTINUITY"), 1, "{list}");
        assert_eq!(count(list, "#EXT-X-MAP"), 2, "{list}");
    }
}

#[test]
fn what_a_rendition_lacks_is_a_gap_and_one_that_lacks_much_is_not_offered() {
    let late = rendition("1", 2..40, 20);
    let mut holed = rendition("2", 0..40, 20);
    holed.segments.remove(7);
    let short = rendition("3", 10..40, 20);
    let replay = whole(vec![
        rendition("0", 0..40, 20),
        late,
        holed,
        short,
        rendition("audio", 30..40, 20),
    ]);
    let master = replay.master();
    for offered in ["\n0/video.m3u8\n", "\n1/video.m3u8\n", "\n2/video.m3u8\n"] {
        assert!(master.contains(offered), "{master}");
    }
    assert!(!master.contains("3/video.m3u8"), "{master}");
    assert!(replay.playlist("3").is_none() && replay.chunk("3", 0).is_none());
    for (name, gaps) in [("0", 0), ("1", 2), ("2", 1), ("audio", 30)] {
        let list = replay.playlist(name).unwrap();
        assert_eq!(count(&list, "#EXTINF"), 40, "{name}");
        assert_eq!(count(&list, "#EXT-X-GAP"), gaps, "{name}");
        assert_eq!(count(&list, "#EXT-X-DISCONTINUITY"), 0, "{name}");
        let map = list.find("#EXT-X-MAP").unwrap();
        assert!(map < list.find("#EXTINF").unwrap(), "{name}");
    }
}

#[test]
fn the_master_of_a_replay_combines_every_picture_with_every_sound() {
    let mut small = rendition("1", 0..4, 4);
    for segment in &mut small.segments {
        segment.len /= 2;
    }
    let renditions = vec![
        rendition("0", 0..4, 4),
        small,
        rendition("audio", 0..4, 4),
        rendition("aac", 0..4, 4),
    ];
    let master = whole(renditions).master();
    assert_eq!(count(&master, "#EXT-X-MEDIA:TYPE=AUDIO"), 2, "{master}");
    let variants: Vec<&str> = master
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    let twice = [
        "0/video.m3u8",
        "0/video.m3u8",
        "1/video.m3u8",
        "1/video.m3u8",
    ];
    assert_eq!(variants, twice, "{master}");
    assert!(master.contains(
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\",NAME=\"Sound\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"2\",\
         URI=\"audio/stream.m3u8\"\n"
    ));
    // 103 bytes in two seconds are the most, of the picture and of the sound.
    assert!(
        master.contains(
            "#EXT-X-STREAM-INF:BANDWIDTH=824,AVERAGE-BANDWIDTH=812,CODECS=\"avc1.64001f,mp4a.40.2\",\
             RESOLUTION=1280x720,FRAME-RATE=30.000,AUDIO=\"audio\"\n0/video.m3u8\n"
        ),
        "{master}"
    );
    assert!(!master.contains("INDEPENDENT-SEGMENTS"), "{master}");
}

#[test]
fn a_replay_of_sound_alone_is_a_variant_of_its_own() {
    let replay = whole(vec![rendition("audio", 0..4, 4)]);
    let master = replay.master();
    assert!(master.contains("#EXT-X-INDEPENDENT-SEGMENTS\n"), "{master}");
    assert!(master.ends_with(",CODECS=\"mp4a.40.2\"\naudio/stream.m3u8\n"));
    assert!(replay.playlist("audio").is_some());
    assert_eq!(replay.still(), None, "there is nothing to be seen");
}

#[test]
fn a_picture_of_the_recording_is_drawn_from_a_key_frame_after_the_beginning() {
    let replay = whole(vec![rendition("0", 0..30, 10)]);
    let still = replay.still().unwrap();
    // Three of thirty are left out, and the next key frame is the fifth.
    let before: u64 = (0..4).map(|ordinal| 100 + ordinal).sum();
    let from = u64::from(INIT) + before;
    assert_eq!(
        still,
        StillSource {
            rendition: "0".into(),
            number: 0,
            init: 0..u64::from(INIT),
            segment: from..from + 104,
        }
    );
}

#[test]
fn twelve_hours_are_one_list_of_less_than_two_megabytes() {
    let mut picture = rendition("0", 0..21_600, 150);
    for segment in &mut picture.segments {
        // 6 Mb/s.
        segment.len = 1_500_000;
        segment.offset = u64::from(INIT) + (segment.ordinal % 150) * segment.len;
    }
    let replay = whole(vec![picture]);
    let list = replay.playlist("0").unwrap();
    assert_eq!(count(&list, "#EXTINF"), 21_600);
    assert_eq!(count(&list, "#EXT-X-PROGRAM-DATE-TIME"), 144);
    assert_eq!(count(&list, "#EXT-X-MAP"), 1);
    assert!(list.len() < 2_000_000, "{}", list.len());
}
