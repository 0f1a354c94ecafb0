//! What another machine shows, next to what the packager shows.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use media::hls::{
    HlsFile, HlsPath, RenderedText, Rendition, RenditionView, Replica, RungIndex, Snapshot,
    SnapshotPublisher, Update,
};
use proptest::prelude::*;

use crate::cutting::{Act, act, play};
use crate::rig::Rig;
use crate::rung_cuts::echo;

/// Every `every`th snapshot of a session, and the last one.
fn snapshots(level: u8, acts: &[Act], has_rungs: bool, every: usize) -> Vec<Arc<Snapshot>> {
    let mut rig = Rig::new(level);
    if has_rungs {
        rig.encoder = Some(echo(2, 1, Some(97)));
    }
    let seen = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&seen);
    rig.watcher = Some(Box::new(move |now: &Arc<Snapshot>| {
        sink.borrow_mut().push(Arc::clone(now));
    }));
    play(&mut rig, acts);
    rig.finish_quietly();
    let all = seen.take();
    let last = all.last().cloned();
    let some = all.into_iter().step_by(every);
    let mut some: Vec<_> = some.collect();
    some.extend(last);
    some
}

/// As it arrives after the way through the other machines.
fn sent(update: &Update) -> Update {
    let bytes = update.to_bytes();
    let pieces: Vec<Bytes> = bytes.chunks(700).map(Bytes::copy_from_slice).collect();
    Update::parse(Bytes::from(pieces.concat())).unwrap()
}

fn renditions() -> impl Iterator<Item = Rendition> {
    let usual = [Rendition::Main, Rendition::Audio, Rendition::Aac];
    let rungs = RungIndex::all().map(Rendition::Rung);
    usual.into_iter().chain(rungs)
}

fn both(text: &RenderedText) -> (&Bytes, &Bytes) {
    (&text.plain, &text.gzip)
}

/// Every file that a playlist names has the same bytes as in the original.
fn compare_files(rendition: Rendition, original: &RenditionView, copy: &RenditionView) {
    let text = std::str::from_utf8(&copy.full.plain).unwrap();
    for name in text
        .split(['"', '\n'])
        .filter(|name| name.ends_with(".mp4") || name.ends_with(".m4s"))
    {
        let path = format!("{}/{name}", rendition.folder());
        let Some(HlsPath::File(_, file)) = HlsPath::parse(&path) else {
            panic!("{path} cannot be asked for");
        };
        match file {
            HlsFile::Init { token, version } => {
                let [original, copy] =
                    [original, copy].map(|view| view.init(token, version).unwrap());
                assert_eq!(original.bytes, copy.bytes, "{path}");
            }
            HlsFile::Segment { token, msn } => {
                let [original, copy] =
                    [original, copy].map(|view| view.segment(token, msn).unwrap());
                assert_eq!(original.duration_us, copy.duration_us, "{path}");
                let parts = original.parts.iter().zip(&copy.parts);
                assert!(parts.clone().all(|(own, other)| own.bytes == other.bytes));
                assert_eq!(original.parts.len(), copy.parts.len(), "{path}");
            }
            HlsFile::Part { token, msn, index } => {
                let [original, copy] = [original, copy].map(|view| {
                    let part = view.part(token, msn, index);
                    part.map(|part| part.bytes.clone())
                });
                assert_eq!(original, copy, "{path}");
            }
        }
    }
}

fn compare(original: &Snapshot, copy: &Snapshot) {
    assert_eq!(both(&original.master), both(&copy.master));
    assert_eq!(
        (original.token, original.is_ended, original.targets),
        (copy.token, copy.is_ended, copy.targets)
    );
    assert_eq!(original.picture().is_some(), copy.picture().is_some());
    for rendition in renditions() {
        match (original.view(rendition), copy.view(rendition)) {
            (Some(original), Some(copy)) => {
                assert_eq!(both(&original.full), both(&copy.full), "{rendition:?}");
                let deltas = [original, copy].map(|view| view.delta.as_ref().map(both));
                assert_eq!(deltas[0], deltas[1], "{rendition:?}");
                assert_eq!(original.open_msn(), copy.open_msn());
                compare_files(rendition, original, copy);
            }
            (None, None) => {}
            (original, _) => panic!("{rendition:?} is shown by one only: {}", original.is_some()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn another_machine_shows_the_same_bytes_under_the_same_names_whenever_it_starts(
        level in 0_u8..=4,
        acts in prop::collection::vec(act(), 1..3),
        has_rungs in any::<bool>(),
        every in 1_usize..4,
        start in any::<prop::sample::Index>(),
    ) {
        let snapshots = snapshots(level, &acts, has_rungs, every);
        // Frames far apart can end before anything is listed.
        prop_assume!(!snapshots.is_empty());
        let start = start.index(snapshots.len());
        let mut publisher = SnapshotPublisher::new(1);
        let mut lossy = SnapshotPublisher::new(1);
        // One that is there from the beginning, one that comes when everything is told again, and one that comes
        // too late for the oldest files.
        let (mut first, mut second, mut late) =
            (Replica::default(), Replica::default(), Replica::default());
        for (place, original) in snapshots.iter().enumerate() {
            let now = Duration::from_millis(100) * u32::try_from(place).unwrap();
            if place == start {
                publisher.reset();
            }
            let mut shown = [None, None];
            for update in publisher.tell(Some(original), None, now) {
                let update = sent(&update);
                if place >= start {
                    shown[1] = second.apply(update.clone());
                }
                shown[0] = first.apply(update);
            }
            compare(original, shown[0].as_ref().unwrap().snapshot.as_ref().unwrap());
            if place >= start {
                compare(original, shown[1].as_ref().unwrap().snapshot.as_ref().unwrap());
            }
            let mut shown = None;
            for update in lossy.tell(Some(original), None, now) {
                if place >= start {
                    shown = late.apply(sent(&update));
                }
            }
            let Some(copy) = shown.and_then(|shown| shown.snapshot) else {
                continue;
            };
            for rendition in renditions() {
                if let (Some(original), Some(copy)) = (original.view(rendition), copy.view(rendition)) {
                    compare_files(rendition, original, copy);
                }
            }
        }
    }
}
