use std::fs;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use model::recording::{RecordingId, RecordingState, Visibility};
use store::{DatabaseUrl, Store};
use testkit::ManualClock;

use super::*;
use crate::description::ChunkDescription;
use crate::folder::Folder;
use crate::fragment::samples::{fragment, init};
use crate::handle::Archive;
use crate::timeline::{RenditionTimeline, Timeline, TimelineSegment};

const SECOND: i64 = 1_000_000;
const PART_US: i64 = 500_000;
/// Of a segment.
const PARTS: i64 = 4;
const SEGMENT_US: i64 = PARTS * PART_US;
/// Where the time line of the media begins.
const ORIGIN_US: i64 = 10 * SECOND;

struct Studio {
    _home: tempfile::TempDir,
    archive: Archive,
    clock: Arc<ManualClock>,
    store: Store,
}

async fn studio() -> Studio {
    let home = tempfile::tempdir().unwrap();
    let url = DatabaseUrl::Sqlite(home.path().join("test.db"));
    let store = Store::open(&url, &home.path().join("secret.key"));
    let store = store.await.unwrap();
    let clock = Arc::new(ManualClock::default());
    let folder = Folder::new(home.path().join("recordings"));
    Studio {
        _home: home,
        archive: Archive::new(folder, store.clone(), clock.clone()),
        clock,
        store,
    }
}

fn new_recording(is_ring: bool) -> NewRecording {
    NewRecording {
        stream_id: "stream".into(),
        title: "show".into(),
        visibility: Visibility::Public,
        keeps_chat: false,
        is_ring,
    }
}

impl Studio {
    async fn record(&self, is_ring: bool) -> Recorder {
        let begun = self.archive.begin(new_recording(is_ring), 0).await;
        begun.unwrap()
    }

    /// As another process would, after this one was killed.
    async fn restart(&self) -> Vec<crate::UnfinishedRecording> {
        self.archive.recover(true).await.unwrap()
    }

    async fn timeline(&self, id: &RecordingId) -> Arc<Timeline> {
        self.archive.timeline(id).await.unwrap()
    }
}

/// Offers something, and waits until it is written.
async fn give(recorder: &Recorder, update: LogUpdate) {
    recorder.offer(update);
    recorder.settled().await;
}

fn part(msn: u64, index: i64, start_us: i64) -> NewPart {
    let payload = format!("{msn} {index}");
    let decode_time = u64::try_from(start_us / 1000).unwrap();
    NewPart {
        msn,
        index: u32::try_from(index).unwrap(),
        bytes: fragment(decode_time, index == 0, payload.as_bytes()).into(),
        duration_us: u32::try_from(PART_US).unwrap(),
        start_us,
        date: Timestamp::UNIX_EPOCH + SignedDuration::from_micros(start_us),
        is_independent: index == 0,
        starts_segment: index == 0,
        is_discontinuity: false,
    }
}

/// Whole segments of a rendition.
fn segments(rendition: &str, first_msn: u64, start_us: i64, count: u64) -> RenditionUpdate {
    let mut parts = Vec::new();
    for (nth, msn) in (first_msn..first_msn + count).enumerate() {
        let at_us = start_us + i64::try_from(nth).unwrap() * SEGMENT_US;
        parts.extend((0..PARTS).map(|index| part(msn, index, at_us + index * PART_US)));
    }
    RenditionUpdate {
        rendition: rendition.into(),
        token: 7,
        init: init().into(),
        described: ChunkDescription::default(),
        parts,
    }
}

fn news(renditions: Vec<RenditionUpdate>) -> LogUpdate {
    LogUpdate {
        renditions,
        is_ended: false,
    }
}

fn picture(first_msn: u64, start_us: i64, count: u64) -> LogUpdate {
    news(vec![segments("0", first_msn, start_us, count)])
}

fn source(timeline: &Timeline) -> &RenditionTimeline {
    timeline.source().unwrap()
}

/// Ordinal and position of each segment.
fn places(timeline: &Timeline) -> Vec<(u64, i64)> {
    let segments = source(timeline).segments.iter();
    let places = segments.map(|segment| (segment.ordinal, segment.start_us));
    places.collect()
}

/// Segments without a hole, beginning with the first one.
fn in_a_row(count: u64) -> Vec<(u64, i64)> {
    let places = (0..count).map(|nth| (nth, i64::try_from(nth).unwrap() * SEGMENT_US));
    places.collect()
}

#[tokio::test]
async fn a_chunk_is_the_init_segment_and_the_parts_as_they_were_served() {
    let studio = studio().await;
    let recorder = studio.record(false).await;
    let id = recorder.id().clone();
    let update = picture(40, ORIGIN_US, 2);
    let parts = update.renditions[0].parts.clone();
    give(&recorder, update).await;
    recorder.finish().await.unwrap();
    let file = studio.archive.folder().chunk(&id, "0", 0).unwrap();
    let served: Vec<u8> = parts.iter().flat_map(|part| part.bytes.to_vec()).collect();
    assert_eq!(fs::read(file).unwrap(), [init(), served].concat());
    let timeline = studio.timeline(&id).await;
    assert_eq!(places(&timeline), in_a_row(2));
    let [first, second] = source(&timeline).segments.as_slice() else {
        panic!("{timeline:?}");
    };
    assert_eq!((first.msn, first.token), (40, 7));
    assert_eq!(first.offset, init().len() as u64);
    assert_eq!(second.offset, first.offset + first.len);
    assert_eq!(second.date, parts[4].date);
    assert!(first.is_independent && !first.is_discontinuity);
    let row = studio.store.recording(&id).await.unwrap().unwrap();
    assert_eq!(row.state, RecordingState::Finished);
    assert_eq!(row.duration_us, 2 * SEGMENT_US);
}

#[tokio::test]
async fn chunks_end_where_a_player_can_begin_and_are_at_most_five_minutes_long() {
    let studio = studio().await;
    let recorder = studio.record(false).await;
    let id = recorder.id().clone();
    let mut dependent = segments("1", 40, ORIGIN_US, 160);
    // Only the very first segment begins with a key frame.
    for part in dependent.parts.iter_mut().skip(1) {
        part.is_independent = false;
    }
    let updates = vec![segments("0", 40, ORIGIN_US, 160), dependent];
    give(&recorder, news(updates)).await;
    recorder.finish().await.unwrap();
    let timeline = studio.timeline(&id).await;
    let starts = |rendition: &str| {
        let chunks = timeline.rendition(rendition).unwrap().chunks.iter();
        let starts = chunks.map(|chunk| (chunk.start_us, chunk.starts_discontinuity));
        starts.collect::<Vec<_>>()
    };
    assert_eq!(starts("0"), [(0, false), (286 * SECOND, false)]);
    assert_eq!(starts("1"), [(0, false), (300 * SECOND, false)]);
    assert_eq!(places(&timeline), in_a_row(160));
}

#[tokio::test]
async fn all_renditions_begin_with_the_same_segment() {
    let studio = studio().await;
    let recorder = studio.record(false).await;
    let id = recorder.id().clone();
    let mut picture = segments("0", 40, ORIGIN_US, 3);
    // Whoever begins in the middle has no key frame in the first segment.
    picture.parts[0].is_independent = false;
    let sound = segments("audio", 40, ORIGIN_US, 3);
    give(
        &recorder,
        news(vec![picture, segments("audio", 40, ORIGIN_US, 0)]),
    )
    .await;
    give(&recorder, news(vec![sound])).await;
    recorder.finish().await.unwrap();
    let timeline = studio.timeline(&id).await;
    for rendition in &timeline.renditions {
        let first = &rendition.segments[0];
        assert_eq!(
            (first.msn, first.ordinal),
            (41, 0),
            "{}",
            rendition.rendition
        );
        assert_eq!(rendition.segments.len(), 2);
    }
}

#[tokio::test]
async fn behind_a_discontinuity_another_chunk_begins() {
    let studio = studio().await;
    let recorder = studio.record(false).await;
    let id = recorder.id().clone();
    give(&recorder, picture(40, ORIGIN_US, 2)).await;
    let mut after = segments("0", 42, ORIGIN_US + 2 * SEGMENT_US, 2);
    after.parts[0].is_discontinuity = true;
    after.init = Bytes::from([init(), b"\0\0\0\x08free".to_vec()].concat());
    give(&recorder, news(vec![after])).await;
    recorder.finish().await.unwrap();
    let timeline = studio.timeline(&id).await;
    let [first, second] = source(&timeline).chunks.as_slice() else {
        panic!("{timeline:?}");
    };
    assert_eq!((first.session, second.session), (0, 0));
    assert_ne!(first.init_hash, second.init_hash);
    assert!(second.starts_discontinuity);
    assert_eq!(places(&timeline), in_a_row(4));
    let breaks = source(&timeline).segments.iter();
    let breaks: Vec<bool> = breaks.map(|segment| segment.is_discontinuity).collect();
    assert_eq!(breaks, [false, false, true, false]);
}

#[tokio::test]
async fn where_the_numbers_or_the_time_of_the_stream_jump_the_recording_goes_on_without_a_hole() {
    let studio = studio().await;
    let recorder = studio.record(false).await;
    let id = recorder.id().clone();
    give(&recorder, picture(40, ORIGIN_US, 2)).await;
    let mut later = segments("0", 42, ORIGIN_US + 3600 * SECOND, 2);
    later.parts[0].is_discontinuity = true;
    give(&recorder, news(vec![later])).await;
    let mut elsewhere = segments("0", 1_700_000_000, ORIGIN_US, 2);
    elsewhere.parts[0].is_discontinuity = true;
    give(&recorder, news(vec![elsewhere])).await;
    recorder.finish().await.unwrap();
    let timeline = studio.timeline(&id).await;
    assert_eq!(places(&timeline), in_a_row(6));
    let sessions = source(&timeline).chunks.iter();
    let sessions: Vec<u32> = sessions.map(|chunk| chunk.session).collect();
    assert_eq!(sessions, [0, 1, 2]);
}

#[tokio::test]
async fn other_names_begin_another_chunk_and_no_discontinuity() {
    let studio = studio().await;
    let recorder = studio.record(false).await;
    let id = recorder.id().clone();
    give(&recorder, picture(40, ORIGIN_US, 2)).await;
    let mut renamed = segments("0", 42, ORIGIN_US + 2 * SEGMENT_US, 2);
    renamed.token = 8;
    give(&recorder, news(vec![renamed])).await;
    recorder.finish().await.unwrap();
    let timeline = studio.timeline(&id).await;
    let tokens = source(&timeline).segments.iter();
    let tokens: Vec<u64> = tokens.map(|segment| segment.token).collect();
    assert_eq!(tokens, [7, 7, 8, 8]);
    assert!(!source(&timeline).chunks[1].starts_discontinuity);
}

#[tokio::test]
async fn after_a_restart_the_recording_goes_on_behind_what_was_kept() {
    let studio = studio().await;
    let recorder = studio.record(false).await;
    let id = recorder.id().clone();
    give(&recorder, picture(40, ORIGIN_US, 3)).await;
    // The row of the open chunk says nothing yet, as after a crash.
    let before = studio.store.recording_chunks(&id).await.unwrap();
    assert!(!before[0].is_closed);
    recorder.pause().await.unwrap();
    studio.store.open_chunk(before[0].clone()).await.unwrap();

    let [unfinished] = <[_; 1]>::try_from(studio.restart().await).unwrap();
    assert_eq!(unfinished.recording.id, id);
    assert_eq!(unfinished.media_end_us, Some(ORIGIN_US + 3 * SEGMENT_US));
    let recorder = studio.archive.go_on(&unfinished.recording, 0).await;
    let recorder = recorder.unwrap();
    give(
        &recorder,
        picture(1_700_000_000, ORIGIN_US + 3 * SEGMENT_US, 2),
    )
    .await;
    recorder.finish().await.unwrap();
    let timeline = studio.timeline(&id).await;
    assert_eq!(places(&timeline), in_a_row(5));
    let [first, second] = source(&timeline).chunks.as_slice() else {
        panic!("{timeline:?}");
    };
    assert_eq!((first.session, second.session), (0, 1));
    assert!(second.starts_discontinuity);
    let row = studio.store.recording(&id).await.unwrap().unwrap();
    assert_eq!(row.duration_us, 5 * SEGMENT_US);
    assert!(studio.restart().await.is_empty());
}

#[tokio::test]
async fn one_whose_broadcast_does_not_go_on_ends_with_what_was_kept() {
    let studio = studio().await;
    let recorder = studio.record(false).await;
    let id = recorder.id().clone();
    give(&recorder, picture(40, ORIGIN_US, 3)).await;
    recorder.pause().await.unwrap();
    for unfinished in studio.restart().await {
        studio.archive.end_unfinished(&unfinished).await.unwrap();
    }
    let row = studio.store.recording(&id).await.unwrap().unwrap();
    assert_eq!(row.state, RecordingState::Finished);
    assert_eq!(row.duration_us, 3 * SEGMENT_US);
}

#[tokio::test]
async fn what_was_there_before_it_was_recorded_came_one_part_after_the_other() {
    let studio = studio().await;
    let recorder = studio.record(false).await;
    let id = recorder.id().clone();
    give(&recorder, picture(40, ORIGIN_US, 3)).await;
    studio.clock.advance(Duration::from_secs(2));
    give(&recorder, picture(43, ORIGIN_US + 3 * SEGMENT_US, 1)).await;
    recorder.finish().await.unwrap();
    let timeline = studio.timeline(&id).await;
    let first = source(&timeline).segments[0].arrived_ms;
    let since = source(&timeline).segments.iter();
    let since: Vec<i64> = since.map(|one| one.arrived_ms - first).collect();
    // The parts of the last one came together, as in a hiccup of the network.
    assert_eq!(since, [0, 2000, 4000, 7500]);
}

#[tokio::test]
async fn the_live_log_tells_every_complete_segment_at_once() {
    let studio = studio().await;
    let recorder = studio.record(false).await;
    let mut update = segments("0", 40, ORIGIN_US, 2);
    update.parts.truncate(5);
    give(&recorder, news(vec![update])).await;
    let live = studio.archive.live().borrow().clone().unwrap();
    assert_eq!(places(&live.timeline), in_a_row(1));
    assert!(!live.is_ring && !live.is_paused);
    // What is read from the disk says the same.
    assert_eq!(places(&studio.timeline(recorder.id()).await), in_a_row(1));
}

#[tokio::test]
async fn a_ring_deletes_what_nobody_can_go_back_to_until_it_becomes_a_recording() {
    let studio = studio().await;
    let recorder = studio.record(true).await;
    let id = recorder.id().clone();
    let file = |number| {
        let path = studio.archive.folder().chunk(&id, "0", number).unwrap();
        path.try_exists().unwrap()
    };
    give(&recorder, picture(40, ORIGIN_US, 143)).await;
    give(&recorder, picture(183, ORIGIN_US + 286 * SECOND, 143)).await;
    give(&recorder, picture(326, ORIGIN_US + 572 * SECOND, 2)).await;
    recorder.promote().await.unwrap();
    assert!(!studio.archive.live().borrow().as_ref().unwrap().is_ring);
    give(&recorder, picture(328, ORIGIN_US + 576 * SECOND, 300)).await;
    recorder.finish().await.unwrap();
    assert!(!file(0) && file(1) && file(2));
    let timeline = studio.timeline(&id).await;
    assert_eq!(source(&timeline).segments[0].start_us, 286 * SECOND);
    let row = studio.store.recording(&id).await.unwrap().unwrap();
    assert_eq!(row.state, RecordingState::Finished);
    assert_eq!(row.trim_start_us, Some(286 * SECOND));
}

#[tokio::test]
async fn without_room_nothing_is_written_and_it_goes_on_behind_what_was_kept() {
    let studio = studio().await;
    let recorder = studio.record(false).await;
    let id = recorder.id().clone();
    give(&recorder, picture(40, ORIGIN_US, 2)).await;
    studio.archive.guard().look(u64::MAX).await;
    give(&recorder, picture(42, ORIGIN_US + 2 * SEGMENT_US, 2)).await;
    let paused = studio.archive.live().borrow().clone().unwrap();
    assert!(paused.is_paused);
    assert_eq!(paused.lost, 2 * u64::try_from(PARTS).unwrap());
    studio.archive.guard().look(0).await;
    give(&recorder, picture(44, ORIGIN_US + 4 * SEGMENT_US, 2)).await;
    recorder.finish().await.unwrap();
    let timeline = studio.timeline(&id).await;
    assert_eq!(places(&timeline), in_a_row(4));
    assert!(source(&timeline).segments[2].is_discontinuity);
}

#[tokio::test]
async fn a_file_that_is_deleted_while_it_is_written_costs_that_file() {
    let studio = studio().await;
    let recorder = studio.record(false).await;
    let id = recorder.id().clone();
    give(&recorder, picture(40, ORIGIN_US, 2)).await;
    let folder = studio.archive.folder().recording(&id);
    fs::remove_dir_all(folder).unwrap();
    studio.clock.advance(Duration::from_secs(6));
    give(&recorder, picture(42, ORIGIN_US + 2 * SEGMENT_US, 2)).await;
    give(&recorder, picture(44, ORIGIN_US + 4 * SEGMENT_US, 2)).await;
    recorder.finish().await.unwrap();
    let timeline = studio.timeline(&id).await;
    let left: Vec<u64> = source(&timeline)
        .segments
        .iter()
        .map(|segment: &TimelineSegment| segment.msn)
        .collect();
    assert_eq!(left, [44, 45]);
}

#[tokio::test]
async fn a_damaged_index_is_read_from_the_media() {
    let studio = studio().await;
    let recorder = studio.record(false).await;
    let id = recorder.id().clone();
    give(&recorder, picture(40, ORIGIN_US, 3)).await;
    recorder.finish().await.unwrap();
    let index = studio.archive.folder().index(&id, "0", 0).unwrap();
    let mut bytes = fs::read(&index).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(index, bytes).unwrap();
    let timeline = studio.timeline(&id).await;
    assert_eq!(timeline.duration_us, 3 * SEGMENT_US);
}
