use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::*;
use crate::hls::LatencyLevel;
use crate::hls::snapshot::{Ladder, TrackDescriptions};
use crate::hls::targets::Targets;

const TOKEN: u64 = 0x0123_4567_89ab_cdef;
const PART_US: i64 = 500_000;
const PARTS: usize = 4;

fn begin(msn: u64, is_discontinuity: bool, init: Arc<Init>) -> Segment {
    let at_us = i64::try_from(msn).unwrap() * PART_US * 4;
    let start = SegmentStart {
        msn,
        at_us,
        date: Timestamp::UNIX_EPOCH + SignedDuration::from_micros(at_us),
        is_discontinuity,
    };
    Segment::begun(start, TOKEN, init)
}

fn init() -> Arc<Init> {
    Arc::new(Init {
        version: 1,
        bytes: Bytes::from_static(b"the init segment"),
    })
}

fn add_part(window: &mut RenditionWindow) {
    let (msn, index) = (window.open.msn, window.open.parts.len());
    window.add_part(PartialSegment {
        bytes: Bytes::from(format!("part {msn} {index}")),
        duration_us: PART_US,
        is_independent: index == 0,
    });
}

/// Segments 7 and on, each behind a discontinuity, and one part of the next.
fn window(segments: u64) -> RenditionWindow {
    let targets = Targets::choose(LatencyLevel::new(2), Some(1e6 / 30.0), None);
    let init = init();
    let mut window = RenditionWindow::new(begin(7, false, Arc::clone(&init)), 0, &targets);
    for next in 8..8 + segments {
        (0..PARTS).for_each(|_| add_part(&mut window));
        assert!(window.open_next(begin(next, true, Arc::clone(&init))));
    }
    add_part(&mut window);
    window
}

fn snapshot(window: &RenditionWindow) -> Snapshot {
    Snapshot::render(
        None,
        [Some(window), None],
        [true, false],
        &window.targets,
        TOKEN,
        &TrackDescriptions::default(),
        &Ladder::default(),
        false,
    )
}

fn on_air() -> OnAir {
    OnAir {
        id: "0011223344556677".into(),
        started_at: Timestamp::UNIX_EPOCH,
        peak_viewers: 3,
        level: 2,
        is_waiting: false,
    }
}

fn told(segments: u64) -> Vec<Update> {
    let snapshot = snapshot(&window(segments));
    SnapshotPublisher::new(1).tell(Some(&snapshot), Some(on_air()), Duration::ZERO)
}

fn state_of(updates: &[Update]) -> Update {
    updates.last().unwrap().clone()
}

fn list(view: &ReplicaView) -> String {
    let snapshot = view.snapshot.as_ref().unwrap();
    let main = snapshot.view(Rendition::Main).unwrap();
    String::from_utf8(main.full.plain.to_vec()).unwrap()
}

fn hear(replica: &mut Replica, updates: &[Update]) -> Option<ReplicaView> {
    let mut shown = None;
    for update in updates {
        shown = replica.apply(update.clone()).or(shown);
    }
    shown
}

#[test]
fn an_update_comes_back_as_it_was_told() {
    for update in told(3) {
        assert_eq!(Update::parse(update.to_bytes()), Ok(update));
    }
    let nothing = SnapshotPublisher::new(u64::MAX).tell(None, None, Duration::ZERO);
    assert_eq!(nothing.len(), 1);
    assert_eq!(Update::parse(nothing[0].to_bytes()), Ok(nothing[0].clone()));
}

#[test]
fn a_state_that_was_cut_or_goes_on_is_refused() {
    let whole = state_of(&told(3)).to_bytes();
    for end in 0..whole.len() {
        assert_eq!(Update::parse(whole.slice(..end)), Err(UnreadableUpdate));
    }
    let longer = Bytes::from([whole.as_ref(), &[0]].concat());
    assert_eq!(Update::parse(longer), Err(UnreadableUpdate));
}

#[test]
fn a_file_is_told_once_and_again_before_the_others_forget_it() {
    let mut window = window(1);
    let mut publisher = SnapshotPublisher::new(1);
    let mut files = |window: &RenditionWindow, seconds| {
        let now = Duration::from_secs(seconds);
        let updates = publisher.tell(Some(&snapshot(window)), None, now);
        updates.len() - 1
    };
    assert_eq!(files(&window, 0), 1 + PARTS + 1);
    assert_eq!(files(&window, 1), 0);
    add_part(&mut window);
    assert_eq!(files(&window, 2), 1);
    // The names change, the bytes do not.
    window.rename(1);
    assert_eq!(files(&window, 3), 0);
    assert_eq!(files(&window, 10), 1);
    assert_eq!(files(&window, 90), 1 + PARTS + 1);
    assert_eq!(files(&window, 92), 1);
}

fn numbers(updates: &[Update]) -> Vec<u64> {
    let files = updates.iter().filter_map(|update| match update {
        Update::File(file) => Some(file.number),
        Update::State(_) => None,
    });
    files.collect()
}

#[test]
fn what_is_told_again_after_a_loss_keeps_its_numbers() {
    let window = window(2);
    let mut publisher = SnapshotPublisher::new(1);
    let first = publisher.tell(Some(&snapshot(&window)), None, Duration::ZERO);
    publisher.reset();
    let again = publisher.tell(Some(&snapshot(&window)), None, Duration::ZERO);
    assert_eq!(numbers(&again), numbers(&first));
    publisher.tell_inits_again();
    let inits = publisher.tell(Some(&snapshot(&window)), None, Duration::ZERO);
    assert_eq!(numbers(&inits), numbers(&first)[..1]);
}

#[test]
fn whoever_has_the_files_loses_nothing_while_they_are_told_again() {
    let mut window = window(3);
    let mut publisher = SnapshotPublisher::new(1);
    let mut replica = Replica::default();
    let whole = publisher.tell(Some(&snapshot(&window)), None, Duration::ZERO);
    assert!(hear(&mut replica, &whole).is_some());
    publisher.reset();
    add_part(&mut window);
    let again = publisher.tell(Some(&snapshot(&window)), None, Duration::ZERO);
    // Only the newest part and the state arrive.
    let shown = hear(&mut replica, &again[again.len() - 2..]).unwrap();
    let now = list(&shown);
    assert!(now.contains("#EXT-X-MEDIA-SEQUENCE:7\n"), "{now}");
    let snapshot = shown.snapshot.unwrap();
    let main = snapshot.view(Rendition::Main).unwrap();
    assert!(main.part(TOKEN, 10, 1).is_some());
}

#[test]
fn the_first_number_of_a_list_does_not_fall_when_files_come_late() {
    let window = window(6);
    let mut publisher = SnapshotPublisher::new(1);
    let mut late = publisher.tell(Some(&snapshot(&window)), None, Duration::ZERO);
    // The first file is the init segment, and then come the parts of segment 7.
    late.drain(1..=PARTS + 1);
    let mut replica = Replica::default();
    let first = list(&hear(&mut replica, &late).unwrap());
    let start = "#EXT-X-MEDIA-SEQUENCE:9\n#EXT-X-DISCONTINUITY-SEQUENCE:1\n";
    assert!(first.contains(start), "{first}");
    publisher.reset();
    let whole = publisher.tell(Some(&snapshot(&window)), None, Duration::ZERO);
    let shown = hear(&mut replica, &whole).unwrap();
    assert_eq!(list(&shown), first);
    // It can be fetched where another machine lists it.
    let snapshot = shown.snapshot.unwrap();
    let main = snapshot.view(Rendition::Main).unwrap();
    assert!(main.segment(TOKEN, 7).is_some());
}

#[test]
fn a_state_without_news_shows_the_snapshot_that_is_there() {
    let window = window(2);
    let mut publisher = SnapshotPublisher::new(1);
    let mut replica = Replica::default();
    let [first, second] = [0, 1].map(|seconds| {
        let now = Duration::from_secs(seconds);
        let updates = publisher.tell(Some(&snapshot(&window)), None, now);
        hear(&mut replica, &updates).unwrap().snapshot.unwrap()
    });
    assert!(Arc::ptr_eq(&first, &second));
    publisher.reset();
    let ended = Snapshot {
        is_ended: true,
        ..snapshot(&window)
    };
    let updates = publisher.tell(Some(&ended), None, Duration::from_secs(2));
    let third = hear(&mut replica, &updates).unwrap().snapshot.unwrap();
    assert!(third.is_ended && !Arc::ptr_eq(&second, &third));
}

#[test]
fn what_an_earlier_holder_tells_is_ignored() {
    let mut replica = Replica::default();
    let first = told(3);
    assert!(hear(&mut replica, &first).is_some());
    let next = snapshot(&window(1));
    let next = SnapshotPublisher::new(2).tell(Some(&next), Some(on_air()), Duration::ZERO);
    assert_eq!(hear(&mut replica, &next).unwrap().epoch, 2);
    assert!(hear(&mut replica, &first).is_none());
}

#[test]
fn a_state_that_was_heard_before_is_not_shown_again() {
    let mut replica = Replica::default();
    let updates = told(3);
    assert!(hear(&mut replica, &updates).is_some());
    assert!(hear(&mut replica, &updates).is_none());
}

#[test]
fn segments_whose_bytes_were_forgotten_are_missing_from_the_list_only() {
    let updates = told(6);
    let whole = list(&hear(&mut Replica::default(), &updates).unwrap());
    assert!(whole.contains("#EXT-X-MEDIA-SEQUENCE:7\n#EXT-X-DISCONTINUITY-SEQUENCE:0\n"));
    // The first file is the init segment, and then come the parts of segment 7.
    let mut late: Vec<Update> = updates.clone();
    late.drain(1..=PARTS + 1);
    let mut replica = Replica::default();
    let shown = hear(&mut replica, &late).unwrap();
    let text = list(&shown);
    assert!(text.contains("#EXT-X-MEDIA-SEQUENCE:9\n#EXT-X-DISCONTINUITY-SEQUENCE:1\n"));
    assert!(whole.ends_with(text.split_once(".m4s\n").unwrap().1));
    let main = shown.snapshot.unwrap();
    let main = main.view(Rendition::Main).unwrap();
    assert!(main.segment(TOKEN, 8).is_none());
    assert!(main.segment(TOKEN, 9).is_some());
}

#[test]
fn nothing_is_shown_without_the_init_segment_or_the_newest_part() {
    let updates = told(2);
    let newest_part = updates.len() - 2;
    for missing in [0, newest_part] {
        let mut late = updates.clone();
        late.remove(missing);
        assert!(hear(&mut Replica::default(), &late).is_none());
    }
}

#[test]
fn files_that_left_the_window_are_forgotten() {
    let mut replica = Replica::default();
    let mut publisher = SnapshotPublisher::new(1);
    let long = snapshot(&window(6));
    hear(
        &mut replica,
        &publisher.tell(Some(&long), None, Duration::ZERO),
    );
    let (files, bytes) = (replica.files.len(), replica.bytes);
    let short = snapshot(&window(1));
    hear(
        &mut replica,
        &publisher.tell(Some(&short), None, Duration::ZERO),
    );
    assert!(replica.files.len() < files && replica.bytes < bytes);
    assert_eq!(replica.files.len(), 1 + PARTS + 1);
}

#[test]
fn files_that_left_the_window_are_not_kept_when_they_are_heard_again() {
    let mut replica = Replica::default();
    let mut publisher = SnapshotPublisher::new(1);
    let first = publisher.tell(Some(&snapshot(&window(1))), None, Duration::ZERO);
    hear(&mut replica, &first);
    // Other parts, and the same init segment.
    let second = publisher.tell(Some(&snapshot(&window(1))), None, Duration::ZERO);
    let before = list(&hear(&mut replica, &second).unwrap());
    let files = replica.files.len();
    hear(&mut replica, &first);
    assert_eq!(replica.files.len(), files);
    publisher.reset();
    let again = publisher.tell(Some(&snapshot(&window(1))), None, Duration::ZERO);
    assert_eq!(list(&hear(&mut replica, &again).unwrap()), before);
}

#[test]
fn a_stream_that_is_off_shows_nothing() {
    let mut replica = Replica::default();
    let mut publisher = SnapshotPublisher::new(1);
    let live = snapshot(&window(2));
    hear(
        &mut replica,
        &publisher.tell(Some(&live), Some(on_air()), Duration::ZERO),
    );
    let off = hear(&mut replica, &publisher.tell(None, None, Duration::ZERO)).unwrap();
    assert!(off.snapshot.is_none() && off.on_air.is_none());
    assert!(replica.files.is_empty() && replica.bytes == 0);
}

/// Whatever is understood can be shown and asked for.
fn use_it(replica: &mut Replica, bytes: Vec<u8>) {
    let Ok(update) = Update::parse(Bytes::from(bytes)) else {
        return;
    };
    let Some(snapshot) = replica.apply(update).and_then(|shown| shown.snapshot) else {
        return;
    };
    for view in [&snapshot.main, &snapshot.audio, &snapshot.aac]
        .into_iter()
        .flatten()
    {
        assert!(view.full.plain.starts_with(b"#EXTM3U"));
        let _ = view.openings(2);
        let _ = view.has_part(view.open_msn(), 0);
    }
    assert!(snapshot.targets.hold_back_us() >= 0);
}

proptest! {
    #[test]
    fn hostile_bytes_do_no_harm(kind in 0_u8..4, rest in prop::collection::vec(any::<u8>(), 0..400)) {
        let bytes = [vec![1, kind], rest].concat();
        use_it(&mut Replica::default(), bytes);
    }

    #[test]
    fn a_state_with_changed_bytes_does_no_harm(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let updates = told(3);
        let (state, files) = updates.split_last().unwrap();
        let mut replica = Replica::default();
        hear(&mut replica, files);
        let mut bytes = state.to_bytes().to_vec();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        use_it(&mut replica, bytes);
    }
}
