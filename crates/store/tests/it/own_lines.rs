//! Stories about lines that their authors delete.

use model::{Event, MessageId};
use store::{Actor, OwnDeletion};

use crate::chat::{line, person, post, readable};
use crate::support::{Home, at};

fn message(text: &str) -> MessageId {
    MessageId::parse(text).unwrap()
}

pub(crate) async fn an_author_deletes_a_line_for_good_and_moderators_still_see_it(home: Home) {
    let store = home.open().await;
    let (ada, bob) = (person(&store, "ada").await, person(&store, "bob").await);
    for (text, second) in [("early", 1), ("late", 10)] {
        post(&store, line(&ada, text, second)).await;
    }
    let delete = async |author, text, second| {
        let deletion = store.delete_own_message(author, message(text), at(5), at(second));
        deletion.await.unwrap()
    };
    assert_eq!(delete(&bob, "late", 11).await, OwnDeletion::Unknown);
    assert_eq!(delete(&ada, "nothing", 11).await, OwnDeletion::Unknown);
    assert_eq!(delete(&ada, "early", 11).await, OwnDeletion::TooLate);
    assert_eq!(readable(&store).await, ["early", "late"]);
    assert_eq!(delete(&ada, "late", 12).await, OwnDeletion::Deleted);
    assert_eq!(delete(&ada, "late", 13).await, OwnDeletion::Unknown);
    assert_eq!(readable(&store).await, ["early"]);
    let told = store.events_after(0).await.unwrap();
    let hidden = told.into_iter().filter_map(|logged| match logged.event {
        Event::ChatVisibilityChanged { ids, visible, .. } => Some((ids, visible)),
        _ => None,
    });
    let hidden: Vec<_> = hidden.collect();
    assert_eq!(hidden, [(vec![message("late")], false)]);
    // A moderator shows both again; the deleted one stays hidden.
    let ids = vec![message("early"), message("late")];
    let shown = store.set_visibility(ids, true, Actor::operator(), at(14));
    assert_eq!(shown.await.unwrap(), [message("early")]);
    assert_eq!(readable(&store).await, ["early"]);
    let all = store.all_messages().await.unwrap();
    let deleted: Vec<_> = all
        .iter()
        .map(|one| (one.id.as_str(), one.deleted_at))
        .collect();
    assert_eq!(deleted, [("late", Some(at(12))), ("early", None)]);
    assert_eq!(all[0].hidden_at, Some(at(12)));
}
