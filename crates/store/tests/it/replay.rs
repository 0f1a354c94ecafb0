//! Stories about the chat beside a recording.

use model::{MessageId, UserId};
use store::{Actor, MessageKind, NewMessage, OwnDeletion, ReplayCursor, Store};

use crate::chat::{line, person, post};
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
