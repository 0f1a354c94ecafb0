//! Recordings: their rows, their files and the places in them.

use model::Event;
use model::recording::{RecordingId, RecordingState, Visibility};
use store::{
    Chapter, ChapterKind, MAX_CHAPTERS, Recording, RecordingChange, RecordingChunk, RecordingQuery,
    Store, new_recording_id,
};

use crate::support::{Home, at};

pub(crate) fn recording(id: &str, state: RecordingState) -> Recording {
    Recording {
        id: RecordingId::parse(id).unwrap(),
        stream_id: format!("stream-of-{id}"),
        state,
        title: "Friday show".into(),
        summary: "Cooking by the river".into(),
        tags: vec!["cooking".into(), "Öl".into()],
        visibility: Visibility::Unlisted,
        is_kept: false,
        keeps_chat: true,
        started_at: at(0),
        ended_at: None,
        trim_start_us: None,
        trim_end_us: None,
        duration_us: 0,
        bytes: 0,
        deleted_at: None,
    }
}

fn id(number: u64) -> String {
    format!("{number:016x}")
}

fn chunk(recording: &RecordingId, rendition: &str, number: u32) -> RecordingChunk {
    RecordingChunk {
        recording: recording.clone(),
        rendition: rendition.into(),
        number,
        token: u64::MAX - u64::from(number),
        init_hash: "a1b2".into(),
        described: r#"{"codecs":"avc1.64001f"}"#.into(),
        session: 2,
        first_ordinal: u64::from(number) * 150,
        start_us: i64::from(number) * 300_000_000,
        duration_us: 0,
        date: at(i64::from(number) * 300),
        bytes: 0,
        is_closed: false,
    }
}

/// The facts about recordings, in order.
async fn told(store: &Store) -> Vec<Event> {
    let events = store.events_after(0).await.unwrap();
    let events = events.into_iter().map(|logged| logged.event);
    events
        .filter(|event| event.kind().starts_with("Recording"))
        .collect()
}

fn published(id: &RecordingId, duration_ms: i64) -> Event {
    Event::RecordingPublished {
        id: id.to_string(),
        title: "Friday show".into(),
        duration_ms,
    }
}

async fn finish(store: &Store, recording: &Recording, bytes: u64) {
    store.begin_recording(recording.clone()).await.unwrap();
    let (ended, long) = (recording.started_at, 60_000_000);
    let finished = store.finish_recording(&recording.id, ended, long, bytes);
    assert!(finished.await.unwrap());
}

async fn found(store: &Store, query: RecordingQuery) -> (u64, Vec<String>) {
    let page = store.recordings(query).await.unwrap();
    let titles = page.recordings.into_iter().map(|one| one.title);
    (page.total, titles.collect())
}

fn all() -> RecordingQuery {
    RecordingQuery {
        limit: 100,
        ..RecordingQuery::default()
    }
}

pub(crate) async fn a_recording_is_told_of_when_it_begins_and_when_it_ends_once_each(home: Home) {
    let store = home.open().await;
    let begun = recording(&id(1), RecordingState::Recording);
    for _ in 0..2 {
        store.begin_recording(begun.clone()).await.unwrap();
    }
    let known = store.recording(&begun.id).await.unwrap();
    assert_eq!(known, Some(begun.clone()));
    assert_eq!(
        store.unfinished_recordings().await.unwrap(),
        [begun.clone()]
    );

    store.note_recording(&begun.id, 4_000_000, 7).await.unwrap();
    let noted = store.recording(&begun.id).await.unwrap().unwrap();
    assert_eq!((noted.duration_us, noted.bytes), (4_000_000, 7));

    for is_first in [true, false] {
        let finished = store.finish_recording(&begun.id, at(90), 9_500_000, 1 << 40);
        assert_eq!(finished.await.unwrap(), is_first);
    }
    let finished = store.recording(&begun.id).await.unwrap().unwrap();
    let expected = Recording {
        state: RecordingState::Finished,
        ended_at: Some(at(90)),
        duration_us: 9_500_000,
        bytes: 1 << 40,
        ..begun.clone()
    };
    assert_eq!(finished, expected);
    assert_eq!(store.unfinished_recordings().await.unwrap(), []);
    let (id, title) = (begun.id.to_string(), begun.title);
    assert_eq!(
        told(&store).await,
        [
            Event::RecordingStarted {
                id: id.clone(),
                title: title.clone(),
                visibility: Visibility::Unlisted,
            },
            Event::RecordingFinished {
                id,
                title,
                visibility: Visibility::Unlisted,
                duration_ms: 9_500,
            },
        ]
    );
}

pub(crate) async fn what_is_kept_to_go_back_is_no_recording_until_somebody_says_so(home: Home) {
    let store = home.open().await;
    let ring = recording(&id(1), RecordingState::Ring);
    store.begin_recording(ring.clone()).await.unwrap();
    assert_eq!(found(&store, all()).await, (0, vec![]));
    assert_eq!(told(&store).await, []);
    let of_stream = store.recording_of_stream(&ring.stream_id).await.unwrap();
    assert_eq!(of_stream, Some(ring.clone()));
    // It ends with its broadcast, and leaves nothing.
    let finished = store.finish_recording(&ring.id, at(9), 1, 1).await.unwrap();
    assert!(!finished);
    let change = RecordingChange {
        title: Some("x".into()),
        ..RecordingChange::default()
    };
    let changed = store.change_recording(&ring.id, change, at(9)).await;
    assert_eq!(changed.unwrap(), None);

    for is_first in [true, false] {
        let promoted = store.promote_ring(&ring.id, at(10)).await.unwrap();
        assert_eq!(promoted, is_first);
    }
    let listed = store.recordings(all()).await.unwrap().recordings;
    assert_eq!(listed[0].state, RecordingState::Recording);
    assert_eq!(told(&store).await.len(), 1);
}

pub(crate) async fn a_recording_is_published_when_it_is_complete_and_public(home: Home) {
    let store = home.open().await;
    let public = Recording {
        visibility: Visibility::Public,
        ..recording(&id(1), RecordingState::Recording)
    };
    finish(&store, &public, 1).await;
    let events = told(&store).await;
    assert_eq!(events.len(), 3);
    assert_eq!(events[2], published(&public.id, 60_000));
    assert!(store.has_public_recordings().await.unwrap());

    let show = async |visibility| {
        let change = RecordingChange {
            visibility: Some(visibility),
            ..RecordingChange::default()
        };
        let changed = store.change_recording(&public.id, change, at(99)).await;
        assert_eq!(changed.unwrap().unwrap().visibility, visibility);
        told(&store).await.len()
    };
    assert_eq!(show(Visibility::Public).await, 3);
    assert_eq!(show(Visibility::Private).await, 3);
    assert!(!store.has_public_recordings().await.unwrap());
    assert_eq!(show(Visibility::Public).await, 4);

    // One that still goes on is published at its end.
    let running = recording(&id(2), RecordingState::Recording);
    store.begin_recording(running.clone()).await.unwrap();
    let change = RecordingChange {
        visibility: Some(Visibility::Public),
        ..RecordingChange::default()
    };
    let changed = store.change_recording(&running.id, change, at(99)).await;
    assert!(changed.unwrap().is_some());
    assert_eq!(told(&store).await.len(), 5);
    let finished = store.finish_recording(&running.id, at(100), 2_000_000, 1);
    assert!(finished.await.unwrap());
    let last = told(&store).await.pop();
    assert_eq!(last, Some(published(&running.id, 2_000)));
}

pub(crate) async fn an_operator_changes_what_may_be_changed_of_a_recording(home: Home) {
    let store = home.open().await;
    let before = recording(&id(1), RecordingState::Recording);
    finish(&store, &before, 5).await;
    let change = RecordingChange {
        title: Some("Saturday".into()),
        summary: Some(String::new()),
        tags: Some(vec!["boats".into()]),
        visibility: None,
        is_kept: Some(true),
        trim_start_us: Some(Some(2_000_000)),
        trim_end_us: Some(Some(50_000_000)),
    };
    let changed = store.change_recording(&before.id, change, at(99)).await;
    let changed = changed.unwrap().unwrap();
    assert_eq!(
        store.recording(&before.id).await.unwrap(),
        Some(changed.clone())
    );
    assert_eq!(
        (changed.title.as_str(), changed.summary.as_str()),
        ("Saturday", "")
    );
    assert_eq!(changed.tags, ["boats"]);
    assert_eq!(changed.visibility, Visibility::Unlisted);
    assert!(changed.is_kept);
    assert_eq!(
        (changed.trim_start_us, changed.trim_end_us),
        (Some(2_000_000), Some(50_000_000))
    );
    let whole = RecordingChange {
        trim_start_us: Some(None),
        ..RecordingChange::default()
    };
    let changed = store.change_recording(&before.id, whole, at(99)).await;
    let changed = changed.unwrap().unwrap();
    assert_eq!(
        (changed.trim_start_us, changed.trim_end_us),
        (None, Some(50_000_000))
    );
    let nobodys = new_recording_id();
    let change = RecordingChange::default();
    let changed = store.change_recording(&nobodys, change, at(99)).await;
    assert_eq!(changed.unwrap(), None);
}

pub(crate) async fn recordings_are_found_by_words_and_tags_newest_first(home: Home) {
    let store = home.open().await;
    for (number, title, tag, visibility) in [
        (1_u32, "Äpfel braten", "Obst", Visibility::Public),
        (2, "100% Chili", "obst", Visibility::Private),
        (3, "Chili again", "Obstler", Visibility::Public),
    ] {
        let one = Recording {
            title: title.into(),
            tags: vec![tag.into(), "show".into()],
            visibility,
            started_at: at(i64::from(number)),
            ..recording(&id(number.into()), RecordingState::Recording)
        };
        finish(&store, &one, 1).await;
    }
    let running = Recording {
        title: "Now".into(),
        started_at: at(9),
        visibility: Visibility::Public,
        ..recording(&id(9), RecordingState::Recording)
    };
    store.begin_recording(running).await.unwrap();

    let (total, titles) = found(&store, all()).await;
    assert_eq!(total, 4);
    assert_eq!(titles, ["Now", "Chili again", "100% Chili", "Äpfel braten"]);
    let public = RecordingQuery {
        only_public: true,
        ..all()
    };
    let (total, titles) = found(&store, public.clone()).await;
    assert_eq!((total, titles.len()), (2, 2));
    assert_eq!(titles, ["Chili again", "Äpfel braten"]);

    let searches: [(&str, &[&str]); 7] = [
        ("chili", &["Chili again", "100% Chili"]),
        ("ÄPFEL", &["Äpfel braten"]),
        ("100%", &["100% Chili"]),
        ("0_", &[]),
        (
            "by the river",
            &["Now", "Chili again", "100% Chili", "Äpfel braten"],
        ),
        ("bstle", &["Chili again"]),
        ("no\0thing", &[]),
    ];
    for (text, expected) in searches {
        let query = RecordingQuery {
            text: text.into(),
            ..all()
        };
        assert_eq!(found(&store, query).await.1, expected, "{text}");
    }
    let tagged = RecordingQuery {
        tag: "OBST".into(),
        ..all()
    };
    let (total, titles) = found(&store, tagged).await;
    assert_eq!(total, 2);
    assert_eq!(titles, ["100% Chili", "Äpfel braten"]);

    let second = RecordingQuery {
        offset: 1,
        limit: 2,
        ..all()
    };
    let (total, titles) = found(&store, second).await;
    assert_eq!(total, 4);
    assert_eq!(titles, ["Chili again", "100% Chili"]);
}

pub(crate) async fn a_deleted_recording_is_out_of_sight_and_forgotten_when_its_files_are_gone(
    home: Home,
) {
    let store = home.open().await;
    let gone = recording(&id(1), RecordingState::Recording);
    finish(&store, &gone, 5).await;
    store.open_chunk(chunk(&gone.id, "0", 0)).await.unwrap();
    let mark = Chapter {
        kind: ChapterKind::Mark,
        title: "here".into(),
        at_us: 1,
    };
    store.add_chapter(&gone.id, mark.clone()).await.unwrap();
    assert_eq!(store.recorded_bytes().await.unwrap(), 5);

    for is_first in [true, false] {
        let deleted = store.delete_recording(&gone.id, at(100)).await.unwrap();
        assert_eq!(deleted, is_first);
    }
    assert_eq!(found(&store, all()).await, (0, vec![]));
    let of_stream = store.recording_of_stream(&gone.stream_id).await.unwrap();
    assert_eq!(of_stream, None);
    assert_eq!(store.recorded_bytes().await.unwrap(), 0);
    let deleted = store.deleted_recordings().await.unwrap();
    assert_eq!(deleted.len(), 1);
    assert_eq!(deleted[0].deleted_at, Some(at(100)));

    store.forget_recording(&gone.id).await.unwrap();
    assert_eq!(store.deleted_recordings().await.unwrap(), []);
    assert_eq!(store.recording(&gone.id).await.unwrap(), None);
    assert_eq!(store.recording_chunks(&gone.id).await.unwrap(), []);
    assert_eq!(store.chapters(&gone.id).await.unwrap(), []);
    // What was on its way when it was forgotten leaves nothing behind.
    store.close_chunk(chunk(&gone.id, "0", 0)).await.unwrap();
    assert_eq!(store.recording_chunks(&gone.id).await.unwrap(), []);
    assert!(!store.add_chapter(&gone.id, mark).await.unwrap());
}

pub(crate) async fn what_may_go_is_told_oldest_first_without_what_is_kept(home: Home) {
    let store = home.open().await;
    for (number, is_kept, bytes) in [(1_i64, false, 10), (2, true, 20), (3, false, 30)] {
        let one = Recording {
            is_kept,
            started_at: at(-number),
            ..recording(&id(number.unsigned_abs()), RecordingState::Recording)
        };
        finish(&store, &one, bytes).await;
    }
    let running = recording(&id(4), RecordingState::Recording);
    store.begin_recording(running).await.unwrap();
    let old = store.expendable_recordings().await.unwrap();
    let ids: Vec<_> = old.iter().map(|one| one.id.to_string()).collect();
    assert_eq!(ids, [id(3), id(1)]);
    assert_eq!(store.recorded_bytes().await.unwrap(), 60);
}

pub(crate) async fn the_files_of_a_recording_are_known_in_order_and_as_they_were_last_told(
    home: Home,
) {
    let store = home.open().await;
    let of = recording(&id(1), RecordingState::Recording);
    store.begin_recording(of.clone()).await.unwrap();
    for (rendition, number) in [("0", 1), ("audio", 0), ("0", 0)] {
        let opened = chunk(&of.id, rendition, number);
        store.open_chunk(opened).await.unwrap();
    }
    let complete = RecordingChunk {
        duration_us: 300_000_000,
        bytes: 4_500_000,
        ..chunk(&of.id, "0", 0)
    };
    store.close_chunk(complete.clone()).await.unwrap();
    let closed = RecordingChunk {
        is_closed: true,
        ..complete
    };
    let chunks = store.recording_chunks(&of.id).await.unwrap();
    assert_eq!(
        chunks,
        [closed, chunk(&of.id, "0", 1), chunk(&of.id, "audio", 0)]
    );
}

pub(crate) async fn chapters_are_in_order_and_there_is_an_end_to_them(home: Home) {
    let store = home.open().await;
    let of = recording(&id(1), RecordingState::Recording);
    store.begin_recording(of.clone()).await.unwrap();
    let chapter = |kind, title: &str, at_us| Chapter {
        kind,
        title: title.into(),
        at_us,
    };
    let (title, mark) = (ChapterKind::Title, ChapterKind::Mark);
    for one in [
        chapter(mark, "goal", 5),
        chapter(title, "Second half", 5),
        chapter(title, "First half", 0),
        chapter(mark, "goal!", 5),
    ] {
        assert!(store.add_chapter(&of.id, one).await.unwrap());
    }
    let expected = [
        chapter(title, "First half", 0),
        chapter(title, "Second half", 5),
        chapter(mark, "goal!", 5),
    ];
    assert_eq!(store.chapters(&of.id).await.unwrap(), expected);
    assert!(store.remove_chapter(&of.id, mark, 5).await.unwrap());
    assert!(!store.remove_chapter(&of.id, mark, 5).await.unwrap());
    assert_eq!(store.chapters(&of.id).await.unwrap(), expected[..2]);

    let more = (0..MAX_CHAPTERS).map(|at_us| {
        let more = chapter(mark, "again", 100 + at_us);
        store.add_chapter(&of.id, more)
    });
    let added = futures_util::future::join_all(more).await;
    let added = added.into_iter().filter(|done| *done.as_ref().unwrap());
    assert_eq!(added.count() as i64, MAX_CHAPTERS - 2);
}
