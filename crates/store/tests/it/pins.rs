//! Stories about the line above the chat.

use model::MessageId;
use store::{Actor, MessageKind, NewMessage, OwnDeletion, Store};

use crate::chat::{line, person, post};
use crate::support::{Home, at};

fn message(text: &str) -> MessageId {
    MessageId::parse(text).unwrap()
}

async fn pin(store: &Store, text: &str, second: i64) -> bool {
    let pinned = store.pin_message(message(text), Actor::operator(), at(second));
    pinned.await.unwrap()
}

async fn pinned(store: &Store) -> Option<String> {
    let pinned = store.pinned_message().await.unwrap();
    pinned.map(|pinned| pinned.message.id.to_string())
}

pub(crate) async fn one_line_is_pinned_through_restarts_and_outlives_the_others(home: Home) {
    let store = home.open().await;
    let ada = person(&store, "ada").await;
    for (text, second) in [("first", 1), ("second", 2), ("third", 3)] {
        post(&store, line(&ada, text, second)).await;
    }
    let system = NewMessage {
        kind: MessageKind::System,
        ..line(&ada, "system", 4)
    };
    post(&store, system).await;
    assert_eq!(pinned(&store).await, None);
    assert!(!pin(&store, "nothing", 5).await);
    assert!(!pin(&store, "system", 5).await, "only what people wrote");
    assert!(pin(&store, "first", 5).await);
    assert!(pin(&store, "second", 6).await, "in place of the first");
    drop(store);
    let store = home.open().await;
    assert_eq!(store.prune_messages(at(100)).await.unwrap(), 3);
    let kept = store.pinned_message().await.unwrap().unwrap();
    assert_eq!(kept.message.body, "<p>second</p>");
    assert_eq!(
        (kept.pinned_by.as_str(), kept.pinned_at),
        ("operator", at(6))
    );
    let unpin = async |text| {
        let unpinned = store.unpin_message(message(text), Actor::operator(), at(7));
        unpinned.await.unwrap()
    };
    assert!(!unpin("first").await, "somebody else was faster");
    assert!(unpin("second").await);
    assert_eq!(pinned(&store).await, None);
    let log = store.moderation_log(10).await.unwrap();
    let actions: Vec<_> = log.iter().map(|entry| entry.action.as_str()).collect();
    assert_eq!(actions, ["unpin", "pin", "pin"]);
}

pub(crate) async fn a_line_that_is_hidden_is_no_longer_pinned_however_it_was_hidden(home: Home) {
    let store = home.open().await;
    for name in ["hidden", "deleted", "banned", "gone"] {
        let author = person(&store, name).await;
        post(&store, line(&author, name, 1)).await;
        assert!(pin(&store, name, 2).await);
        let operator = Actor::operator();
        match name {
            "hidden" => {
                let ids = || vec![message(name)];
                let hide = store.set_visibility(ids(), false, operator.clone(), at(3));
                hide.await.unwrap();
                let show = store.set_visibility(ids(), true, operator, at(4));
                assert_eq!(show.await.unwrap(), ids());
            }
            "deleted" => {
                let deletion = store.delete_own_message(&author, message(name), at(0), at(3));
                assert_eq!(deletion.await.unwrap(), OwnDeletion::Deleted);
            }
            "banned" => {
                let ban = store.ban_user(&author, vec![], operator, at(3));
                assert!(ban.await.unwrap().is_some());
            }
            _ => {
                let deletion = store.delete_user(&author, operator, at(3));
                assert!(deletion.await.unwrap().is_some());
            }
        }
        assert_eq!(pinned(&store).await, None, "{name}");
    }
}
