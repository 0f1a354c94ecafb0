//! Stories about the chat beside a recording.

use model::recording::{RecordingId, RecordingState};
use model::{MessageId, UserId};
use store::{
    ARCHIVE_CURSOR, Actor, Chapter, ChapterKind, MessageKind, NewMessage, OwnDeletion, Recording,
    ReplayCursor, Store,
};

use crate::chat::{line, person, post, readable};
use crate::recordings::recording;
use crate::support::{Home, at};

fn message(text: &str) -> MessageId {
    MessageId::parse(text).unwrap()
}

async fn replayed(store: &Store, from: i64, to: i64) -> Vec<String> {
    let messages = store.replayed_messages(at(from), at(to), None, 100);
    let messages = messages.await.unwrap().into_iter();
    messages.map(|message| message.id.to_string()).collect()
}

async fn write(store: &Store, author: &UserId, lines: &[(&str, i64)]) {
    for (text, second) in lines {
        post(store, line(author, text, *second)).await;
    }
}

pub(crate) async fn lines_of_a_broadcast_are_read_again_in_pages_by_their_times(home: Home) {
    let store = home.open().await;
    let ada = person(&store, "ada").await;
    // The clock was set back between the second and the third.
    let lines = [("a", 10), ("b", 14), ("c", 12), ("d", 12), ("e", 30)];
    write(&store, &ada, &lines).await;
    assert_eq!(replayed(&store, 10, 30).await, ["a", "c", "d", "b", "e"]);
    assert_eq!(replayed(&store, 11, 14).await, ["c", "d", "b"]);
    assert!(replayed(&store, 31, 40).await.is_empty());
    let (mut pages, mut after) = (Vec::new(), None);
    loop {
        let page = store.replayed_messages(at(0), at(29), after, 2);
        let page = page.await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some(ReplayCursor::from(last));
        let ids = page.iter().map(|message| message.id.to_string());
        pages.push(ids.collect::<Vec<_>>());
    }
    assert_eq!(pages, [["a", "c"], ["d", "b"]]);
}

pub(crate) async fn of_a_broadcasts_lines_those_are_read_again_that_everybody_may_read_by_then(
    home: Home,
) {
    let store = home.open().await;
    let ada = person(&store, "ada").await;
    let bob = person(&store, "bob").await;
    let cleo = person(&store, "cleo").await;
    let lines = [("kept", 1), ("hidden", 2), ("deleted", 3)];
    write(&store, &ada, &lines).await;
    write(&store, &bob, &[("of-bob", 4)]).await;
    write(&store, &cleo, &[("of-cleo", 5)]).await;
    let system = NewMessage {
        kind: MessageKind::System,
        user_id: None,
        ..line(&ada, "system", 6)
    };
    post(&store, system).await;
    let held = NewMessage {
        is_held: true,
        ..line(&ada, "held", 7)
    };
    post(&store, held).await;
    let all = ["kept", "hidden", "deleted", "of-bob", "of-cleo"];
    assert_eq!(replayed(&store, 0, 100).await, all);
    let visible = async |text, is_visible| {
        let ids = vec![message(text)];
        let changed = store.set_visibility(ids, is_visible, Actor::operator(), at(10));
        changed.await.unwrap();
    };
    visible("hidden", false).await;
    let deletion = store.delete_own_message(&ada, message("deleted"), at(0), at(10));
    assert_eq!(deletion.await.unwrap(), OwnDeletion::Deleted);
    let ban = store.ban_user(&bob, vec![], Actor::operator(), at(10));
    assert!(ban.await.unwrap().is_some());
    let removal = store.delete_user(&cleo, Actor::operator(), at(10));
    assert!(removal.await.unwrap().is_some());
    assert_eq!(replayed(&store, 0, 100).await, ["kept"]);
    visible("hidden", true).await;
    assert_eq!(replayed(&store, 0, 100).await, ["kept", "hidden"]);
}

/// A recording that keeps what was said, from one second to another.
fn span(id: &str, from: i64, to: Option<i64>) -> Recording {
    let state = match to {
        Some(_) => RecordingState::Finished,
        None => RecordingState::Recording,
    };
    Recording {
        started_at: at(from),
        ended_at: to.map(at),
        ..recording(id, state)
    }
}

pub(crate) async fn what_was_said_during_a_recording_stays_as_long_as_it_does(home: Home) {
    let store = home.open().await;
    let ada = person(&store, "ada").await;
    let spans = [
        span("00000000000000a1", 10, Some(20)),
        // Overlaps the one before, and another one lies inside it.
        span("00000000000000a2", 18, Some(30)),
        span("00000000000000a3", 22, Some(24)),
        Recording {
            keeps_chat: false,
            ..span("00000000000000a4", 40, Some(50))
        },
        Recording {
            state: RecordingState::Ring,
            ..span("00000000000000a5", 60, None)
        },
        span("00000000000000a6", 70, None),
    ];
    for span in &spans {
        store.begin_recording(span.clone()).await.unwrap();
    }
    let lines = [
        ("l9", 9),
        ("l10", 10),
        ("l20", 20),
        ("l25", 25),
        ("l30", 30),
        ("l31", 31),
        ("l45", 45),
        ("l65", 65),
        ("l75", 75),
        ("l90", 90),
    ];
    write(&store, &ada, &lines).await;
    for (text, kind, is_held) in [
        ("system", MessageKind::System, false),
        ("held", MessageKind::Chat, true),
        ("deleted", MessageKind::Chat, false),
    ] {
        let message = NewMessage {
            kind,
            is_held,
            ..line(&ada, text, 15)
        };
        post(&store, message).await;
    }
    let deletion = store.delete_own_message(&ada, message("deleted"), at(0), at(16));
    assert_eq!(deletion.await.unwrap(), OwnDeletion::Deleted);
    let hiding = store.set_visibility(vec![message("l25")], false, Actor::operator(), at(26));
    hiding.await.unwrap();
    // What nobody can read again goes, also from among what stays; what a moderator can show again stays.
    assert_eq!(store.prune_messages(at(80)).await.unwrap(), 7);
    assert_eq!(readable(&store).await, ["l10", "l20", "l30", "l75", "l90"]);
    let showing = store.set_visibility(vec![message("l25")], true, Actor::operator(), at(81));
    showing.await.unwrap();
    assert_eq!(store.prune_messages(at(80)).await.unwrap(), 0);
    assert_eq!(replayed(&store, 10, 30).await, ["l10", "l20", "l25", "l30"]);
    let gone = RecordingId::parse("00000000000000a2").unwrap();
    assert!(store.delete_recording(&gone, at(82)).await.unwrap());
    assert_eq!(store.prune_messages(at(80)).await.unwrap(), 2);
    assert_eq!(readable(&store).await, ["l10", "l20", "l75", "l90"]);
}

pub(crate) async fn the_recording_of_a_time_is_known_and_whether_it_keeps_what_is_said(home: Home) {
    let store = home.open().await;
    assert!(!store.is_chat_recorded().await.unwrap());
    let silent = Recording {
        keeps_chat: false,
        ..span("00000000000000b2", 40, None)
    };
    for one in [&span("00000000000000b1", 10, Some(20)), &silent] {
        store.begin_recording(one.clone()).await.unwrap();
    }
    let recording_at = async |second| {
        let found = store.recording_at(at(second)).await.unwrap();
        found.map(|id| id.to_string())
    };
    assert_eq!(recording_at(9).await, None);
    for second in [10, 20] {
        assert_eq!(recording_at(second).await.unwrap(), "00000000000000b1");
    }
    assert_eq!(recording_at(30).await, None);
    assert_eq!(recording_at(41).await.unwrap(), "00000000000000b2");
    assert!(!store.is_chat_recorded().await.unwrap());
    let loud = span("00000000000000b3", 50, None);
    store.begin_recording(loud.clone()).await.unwrap();
    assert!(store.is_chat_recorded().await.unwrap());
    assert!(store.delete_recording(&loud.id, at(60)).await.unwrap());
    assert!(!store.is_chat_recorded().await.unwrap());
}

pub(crate) async fn a_chapter_and_how_far_the_log_was_read_are_stored_together(home: Home) {
    let store = home.open().await;
    let show = span("00000000000000c1", 10, None);
    store.begin_recording(show.clone()).await.unwrap();
    let add = async |title: &str, at_us, seq| {
        let chapter = Chapter {
            kind: ChapterKind::Title,
            title: title.into(),
            at_us,
        };
        let added = store.add_logged_chapter(&show.id, chapter, seq, at(11));
        added.await.unwrap();
    };
    add("Soup", 0, 5).await;
    add("Soup", 1_000_000, 6).await;
    add("Bread", 2_000_000, 7).await;
    add("Soup", 3_000_000, 8).await;
    let chapters = store.chapters(&show.id).await.unwrap();
    let chapters: Vec<_> = chapters
        .iter()
        .map(|chapter| (chapter.title.as_str(), chapter.at_us))
        .collect();
    let expected = [("Soup", 0), ("Bread", 2_000_000), ("Soup", 3_000_000)];
    assert_eq!(chapters, expected);
    assert_eq!(store.cursor(ARCHIVE_CURSOR).await.unwrap(), Some(8));
}
