//! Several servers on one database: one order, which each of them follows.
//!
//! SQLite is for one server. There the stories show that nothing is different, or they end early.

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use model::settings::ExternalSettings;
use model::settings::table::NAME;
use model::{Event, LoggedEvent};
use serde_json::json;
use store::settings::Settings;
use store::{DatabaseUrl, LogFollower, OpenError, Store, StoreError};
use tokio::sync::oneshot;

use crate::support::{Home, at};

/// Waiting for longer means that nothing will come.
const PATIENCE: Duration = Duration::from_secs(20);

fn changed(key: &str) -> Event {
    Event::SettingChanged { key: key.into() }
}

fn numbered(number: i32) -> Event {
    changed(&number.to_string())
}

fn keys(events: &[LoggedEvent]) -> Vec<&str> {
    let keys = events.iter().map(|logged| match &logged.event {
        Event::SettingChanged { key } => key.as_str(),
        other => panic!("{other:?}"),
    });
    keys.collect()
}

async fn follow(store: &Store) -> Option<LogFollower> {
    store.follow_log().await.unwrap()
}

async fn next_events(log: &mut LogFollower, count: usize) -> Vec<LoggedEvent> {
    let mut events = Vec::new();
    while events.len() < count {
        let more = tokio::time::timeout(PATIENCE, log.next()).await;
        events.extend(more.expect("events").expect("an open store"));
    }
    events
}

/// A unit of work that draws a number, says so, and holds it until it may go on.
fn slow_write(
    store: &Store,
) -> (
    tokio::task::JoinHandle<Result<(), StoreError>>,
    oneshot::Receiver<()>,
    oneshot::Sender<()>,
) {
    let (drawn, is_drawn) = oneshot::channel();
    let (go, may_go) = oneshot::channel::<()>();
    let store = store.clone();
    let writing = tokio::spawn(async move {
        let work = store.write(move |tx| {
            Box::pin(async move {
                sqlx::query("INSERT INTO events (kind, json, at) VALUES ('SettingChanged', $1, 0)")
                    .bind(r#"{"kind":"SettingChanged","key":"slow"}"#)
                    .execute(&mut *tx)
                    .await?;
                drawn.send(()).unwrap();
                may_go.await.unwrap();
                Ok(())
            })
        });
        work.await
    });
    (writing, is_drawn, go)
}

pub(crate) async fn no_reader_passes_a_gap_between_two_slow_writers(home: Home) {
    let (one, two) = (home.open_shared().await, home.open_shared().await);
    for round in 0..3 {
        let before = one.events_after(0).await.unwrap().len();
        let (slow, is_drawn, go) = slow_write(&one);
        is_drawn.await.unwrap();
        let store = two.clone();
        let quick = tokio::spawn(async move { store.log_event(changed("quick"), at(0)).await });
        // The quick one must not be seen before the slow one, which has the smaller number.
        assert_eq!(two.events_after(0).await.unwrap().len(), before);
        assert!(!quick.is_finished(), "round {round}");
        go.send(()).unwrap();
        slow.await.unwrap().unwrap();
        quick.await.unwrap().unwrap();
        let events = two.events_after(0).await.unwrap();
        assert_eq!(keys(&events[before..]), ["slow", "quick"]);
    }
}

pub(crate) async fn a_number_is_drawn_when_it_is_used_and_not_before(home: Home) {
    home.open().await.close().await;
    let DatabaseUrl::Postgres(url) = &home.url else {
        return;
    };
    // A larger cache would give each connection numbers in advance, which it commits out of order.
    let sql = "SELECT cache_size FROM pg_sequences \
               WHERE sequencename = substring(pg_get_serial_sequence('events', 'seq') FROM '[^.]*$')";
    let out = Command::new("psql")
        .args([url.as_str(), "-qXAtc", sql])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&out.stdout).trim(), "1");
}

pub(crate) async fn servers_on_one_database_follow_what_all_of_them_write(home: Home) {
    let (one, two) = (home.open_shared().await, home.open_shared().await);
    one.log_event(changed("before"), at(0)).await.unwrap();
    let (Some(mut here), Some(mut there)) = (follow(&one).await, follow(&two).await) else {
        assert!(matches!(home.url, DatabaseUrl::Sqlite(_)));
        return;
    };
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..200 {
        let store = match number % 2 {
            0 => one.clone(),
            _ => two.clone(),
        };
        writers.spawn(async move {
            let is_failing = number % 10 == 7;
            let work = store.write_with_events(at(0), move |tx| {
                Box::pin(async move {
                    if is_failing {
                        // It takes a number with it, which nobody gets again.
                        sqlx::query(
                            "INSERT INTO events (kind, json, at) VALUES ('Unknown', '{}', 0)",
                        )
                        .execute(tx)
                        .await?;
                        return Err(StoreError::Conflict);
                    }
                    Ok(((), vec![numbered(number), numbered(number + 1_000)]))
                })
            });
            assert_eq!(work.await.is_err(), is_failing);
        });
    }
    let (here, there) = (
        next_events(&mut here, 360).await,
        next_events(&mut there, 360).await,
    );
    while let Some(done) = writers.join_next().await {
        done.unwrap();
    }
    let stored = one.events_after(0).await.unwrap();
    assert_eq!(here, there);
    assert_eq!(here, stored[1..]);
    assert!(here.is_sorted_by(|one, two| one.seq < two.seq));
    let all: HashSet<&str> = keys(&here).into_iter().collect();
    assert_eq!(all.len(), 360);
}

pub(crate) async fn a_follower_with_a_gap_before_a_group_reads_the_database(home: Home) {
    let (one, two) = (home.open_shared().await, home.open_shared().await);
    let Some(mut log) = follow(&one).await else {
        return;
    };
    // More than one read gives, from another server; then a group of our own.
    for part in 0..6 {
        let events = (0..100).map(|number| numbered(part * 100 + number));
        let events: Vec<Event> = events.collect();
        let work = two.write_with_events(at(0), move |_| Box::pin(async { Ok(((), events)) }));
        work.await.unwrap();
    }
    one.log_event(changed("own"), at(0)).await.unwrap();
    let events = next_events(&mut log, 601).await;
    let mut wanted: Vec<String> = (0..600).map(|number: i32| number.to_string()).collect();
    wanted.push("own".into());
    assert_eq!(keys(&events), wanted);
    assert_eq!(Some(log.place()), events.last().map(|logged| logged.seq));
    one.close().await;
    let end = tokio::time::timeout(PATIENCE, log.next()).await;
    assert_eq!(end.expect("an end"), None);
}

pub(crate) async fn what_another_server_tells_is_heard_once_or_found(home: Home) {
    let (one, two) = (home.open_shared().await, home.open_shared().await);
    let (Some(mut told), Some(mut log)) = (one.own_groups(), follow(&two).await) else {
        assert!(matches!(home.url, DatabaseUrl::Sqlite(_)));
        return;
    };
    let mut groups = Vec::new();
    for number in 0..4 {
        one.log_event(numbered(number), at(0)).await.unwrap();
        groups.push(told.recv().await.unwrap());
    }
    let sealed: Vec<Vec<u8>> = groups
        .iter()
        .map(|group| one.seal_group(group).unwrap())
        .collect();
    // The second arrives first and twice, the third never, and of the last only that there is one.
    for message in [&sealed[1], &sealed[1], &sealed[0]] {
        two.hear_group(message).unwrap();
    }
    let last = one.seal_group_in_short(&groups[3]).unwrap();
    two.hear_group(&last).unwrap();
    assert!(last.len() < sealed[3].len());
    // It is no news to whoever told it, and nobody else can tell anything.
    one.hear_group(&sealed[3]).unwrap();
    assert!(two.hear_group(b"a group of nobody's").is_err());
    let events = next_events(&mut log, 4).await;
    assert_eq!(keys(&events), ["0", "1", "2", "3"]);
    one.log_event(changed("more"), at(0)).await.unwrap();
    let more = next_events(&mut log, 1).await;
    assert_eq!(keys(&more), ["more"]);
    let mut wakeups = two.event_wakeups();
    let end = wakeups.wait_for(|end| *end >= log.place());
    tokio::time::timeout(PATIENCE, end).await.unwrap().unwrap();
}

pub(crate) async fn readers_of_the_log_are_woken_by_another_server(home: Home) {
    let (one, two) = (home.open_shared().await, home.open_shared().await);
    if !one.is_shared() {
        return;
    }
    let mut wakeups = one.event_wakeups();
    two.log_event(changed("theirs"), at(0)).await.unwrap();
    let woken = tokio::time::timeout(PATIENCE, wakeups.changed()).await;
    woken.expect("a wakeup").unwrap();
    let events = one.events_after(0).await.unwrap();
    assert_eq!(*wakeups.borrow(), events[0].seq);
}

pub(crate) async fn a_server_that_stands_still_in_a_transaction_loses_the_lock(home: Home) {
    let (one, two) = (home.open_shared().await, home.open_shared().await);
    if !one.is_shared() {
        return;
    }
    let (frozen, is_drawn, go) = slow_write(&one);
    is_drawn.await.unwrap();
    two.log_event(changed("quick"), at(0)).await.unwrap();
    go.send(()).unwrap();
    assert!(frozen.await.unwrap().is_err());
    // It comes back with a new connection.
    one.log_event(changed("again"), at(0)).await.unwrap();
    let events = two.events_after(0).await.unwrap();
    assert_eq!(keys(&events), ["quick", "again"]);
}

pub(crate) async fn what_only_other_servers_need_is_logged_for_them_alone(home: Home) {
    let store = home.open().await;
    store.log_event(Event::ChatPinChanged, at(0)).await.unwrap();
    assert!(store.events_after(0).await.unwrap().is_empty());
    store.close().await;
    let shared = home.open_shared().await;
    shared
        .log_event(Event::ChatPinChanged, at(0))
        .await
        .unwrap();
    let events = shared.events_after(0).await.unwrap();
    assert_eq!(events.len(), usize::from(shared.is_shared()));
}

pub(crate) async fn an_event_that_cannot_be_read_holds_up_nobody(home: Home) {
    let store = home.open().await;
    let of_a_later_version = store.write(|tx| {
        Box::pin(async move {
            sqlx::query("INSERT INTO events (kind, json, at) VALUES ('SettingChanged', $1, 0)")
                .bind(r#"{"kind":"SettingChanged","key":{"of":"a later version"}}"#)
                .execute(tx)
                .await?;
            Ok(())
        })
    });
    of_a_later_version.await.unwrap();
    store.log_event(changed("after"), at(0)).await.unwrap();
    let events = store.events_after(0).await.unwrap();
    assert_eq!(events[0].event, Event::Unknown);
    assert_eq!(keys(&events[1..]), ["after"]);
}

pub(crate) async fn settings_are_those_of_the_server_that_changed_them_last(home: Home) {
    let (one, two) = (home.open_shared().await, home.open_shared().await);
    if !one.is_shared() {
        return;
    }
    let load = async |store: &Store| {
        let nothing = ExternalSettings::default();
        Settings::load(store.clone(), &nothing).await.unwrap()
    };
    let (here, there) = (load(&one).await, load(&two).await);
    for round in 0..3 {
        for (writer, reader) in [(&here, &there), (&there, &here)] {
            let name = format!("{round} of {:?}", std::ptr::from_ref(writer));
            let mut changes = reader.changes();
            writer.set(&NAME, json!(name), at(0)).await.unwrap();
            let heard = changes.wait_for(|layers| layers.get(&NAME) == &name);
            let heard = tokio::time::timeout(PATIENCE, heard).await;
            heard.expect("the new name").unwrap();
        }
    }
}

pub(crate) async fn a_database_is_shared_or_used_alone_and_not_both(home: Home) {
    let shared = home.open_shared().await;
    if !shared.is_shared() {
        return;
    }
    let also = home.open_shared().await;
    let alone = Store::open_for_server(&home.url, &home.key_file()).await;
    assert!(matches!(alone, Err(OpenError::InUse)));
    shared.close().await;
    also.close().await;
    let alone = Store::open_for_server(&home.url, &home.key_file()).await;
    alone.unwrap().close().await;
}

/// The order of the log rests on this: who inserts by another way may do so without the writer's lock.
#[test]
fn only_one_function_adds_to_the_log() {
    fn count(folder: &Path) -> usize {
        let entries = std::fs::read_dir(folder).unwrap();
        let counts = entries.map(|entry| {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => count(&path),
                false => std::fs::read_to_string(&path)
                    .unwrap()
                    .matches("INTO events ")
                    .count(),
            }
        });
        counts.sum()
    }
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_eq!(count(&src), 1);
}
