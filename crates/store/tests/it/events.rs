use std::time::Duration;

use model::Event;
use model::settings::ExternalSettings;
use model::settings::table::NAME;
use serde_json::json;
use store::settings::Settings;
use store::{MAX_CHAT_EVENT_AGE, MAX_EVENT_AGE, StoreError};

use crate::support::{Home, at};

fn changed(key: &str) -> Event {
    Event::SettingChanged { key: key.into() }
}

pub(crate) async fn an_event_is_committed_with_its_cause(home: Home) {
    let store = home.open().await;
    let failed = store
        .write_with_events(at(0), |_| {
            Box::pin(async move { Err::<((), Vec<Event>), _>(StoreError::Conflict) })
        })
        .await;
    assert!(failed.is_err());
    let settings = Settings::load(store.clone(), &ExternalSettings::default())
        .await
        .unwrap();
    settings.set(&NAME, json!("x"), at(5)).await.unwrap();
    let events = home.open().await.events_after(0).await.unwrap();
    assert_eq!(events.len(), 1);
    assert_eq!((&events[0].event, events[0].at), (&changed("name"), at(5)));
}

pub(crate) async fn listeners_are_woken_after_the_commit(home: Home) {
    let store = home.open().await;
    let mut wakeups = store.event_wakeups();
    store
        .write_with_events(at(0), |_| {
            Box::pin(async { Ok(((), vec![changed("a"), changed("b")])) })
        })
        .await
        .unwrap();
    tokio::time::timeout(Duration::from_secs(10), wakeups.changed())
        .await
        .unwrap()
        .unwrap();
    let newest = *wakeups.borrow();
    let events = store.events_after(0).await.unwrap();
    assert_eq!(
        events.iter().map(|event| &event.event).collect::<Vec<_>>(),
        [&changed("a"), &changed("b")]
    );
    assert_eq!(events[1].seq, newest);
    assert!(store.events_after(newest).await.unwrap().is_empty());
}

pub(crate) async fn a_cursor_never_goes_back(home: Home) {
    let store = home.open().await;
    assert_eq!(store.cursor("webhooks").await.unwrap(), None);
    for seq in [3, 7, 5] {
        store
            .advance_cursor("webhooks", seq, at(seq))
            .await
            .unwrap();
    }
    assert_eq!(home.open().await.cursor("webhooks").await.unwrap(), Some(7));
}

pub(crate) async fn old_events_are_pruned(home: Home) {
    let store = home.open().await;
    for second in [0, 100] {
        store
            .write_with_events(at(second), |_| {
                Box::pin(async { Ok(((), vec![changed("x")])) })
            })
            .await
            .unwrap();
    }
    let age = i64::try_from(MAX_EVENT_AGE.as_secs()).unwrap();
    assert_eq!(store.prune_events(at(age + 50)).await.unwrap(), 1);
    let left = store.events_after(0).await.unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].at, at(100));
    let said = Event::ChatVisibilityChanged {
        ids: vec![],
        visible: true,
        moderator: None,
    };
    store.log_event(said, at(100)).await.unwrap();
    let day = i64::try_from(MAX_CHAT_EVENT_AGE.as_secs()).unwrap();
    assert_eq!(store.prune_events(at(100 + day)).await.unwrap(), 0);
    assert_eq!(store.prune_events(at(101 + day)).await.unwrap(), 1);
    // An older event of another kind is still there, yet events are missing up to the newest pruned one.
    assert_eq!(store.event_bounds().await.unwrap(), (3, 3));
    assert_eq!(store.last_event_before(at(101)).await.unwrap(), 2);
    assert_eq!(store.last_event_before(at(100)).await.unwrap(), 0);
}
