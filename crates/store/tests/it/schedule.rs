//! Stories about announced streams.

use jiff::Timestamp;
use model::ScheduleId;
use model::schedule::{NewSchedule, Recurrence, ScheduleRequest, ScheduledEvent, Series};
use store::Store;
use store::schedule::{LAID_OUT, MAX_SERIES, MAX_SINGLE_EVENTS, Schedule};

use crate::support::Home;

/// A Tuesday.
fn now() -> Timestamp {
    "2030-01-01T00:00:00Z".parse().unwrap()
}

fn day(number: i64) -> Timestamp {
    now() + jiff::SignedDuration::from_hours(24 * number)
}

fn id(text: &str) -> ScheduleId {
    ScheduleId::parse(text).unwrap()
}

fn single(name: &str, number: i64) -> ScheduledEvent {
    ScheduledEvent {
        id: id(name),
        series_id: None,
        name: name.into(),
        description: String::new(),
        starts_at: day(number),
        duration_minutes: 90,
        timezone: "Europe/Berlin".into(),
        is_cancelled: false,
    }
}

fn rule(text: &str) -> Recurrence {
    let text = format!("DTSTART;TZID=UTC:20300101T120000\nRRULE:{text}");
    Recurrence::parse(&text, None).unwrap()
}

async fn announce(store: &Store, name: &str, text: &str) -> Series {
    let request = ScheduleRequest {
        name: Some(name.into()),
        recurrence: Some(rule(text).text().to_owned()),
        ..ScheduleRequest::default()
    };
    let NewSchedule::Series(series, recurrence) = request.plan(id(name), now()).unwrap() else {
        panic!("a series was asked for")
    };
    let occurrences = recurrence.expand(now(), now() + LAID_OUT);
    assert!(
        store
            .add_series(series.clone(), occurrences, now())
            .await
            .unwrap()
    );
    series
}

/// Day and name of everything in the next weeks, with a mark on cancelled ones.
async fn shown(store: &Store) -> Vec<String> {
    let events = store.scheduled_events(day(0), day(22), 100).await.unwrap();
    let shown = events.iter().map(|event| {
        let number = event.starts_at.duration_since(now()).as_hours() / 24;
        let mark = if event.is_cancelled { "!" } else { "" };
        format!("{number} {}{mark}", event.name)
    });
    shown.collect()
}

async fn on_day(store: &Store, number: i64) -> ScheduledEvent {
    let events = store
        .scheduled_events(day(number), day(number + 1), 9)
        .await;
    events.unwrap().remove(0)
}

pub(crate) async fn a_single_stream_is_announced_changed_cancelled_and_deleted(home: Home) {
    let store = home.open().await;
    let event = single("talk", 3);
    assert!(
        store
            .add_scheduled_event(event.clone(), now())
            .await
            .unwrap()
    );
    assert_eq!(
        store.scheduled_event(&event.id).await.unwrap(),
        Some(event.clone())
    );
    let changed = ScheduledEvent {
        name: "long talk".into(),
        description: "with questions".into(),
        starts_at: day(5),
        duration_minutes: 120,
        timezone: "UTC".into(),
        ..event.clone()
    };
    assert!(store.change_scheduled_event(changed.clone()).await.unwrap());
    drop(store);
    let store = home.open().await;
    assert_eq!(
        store.scheduled_event(&event.id).await.unwrap(),
        Some(changed.clone())
    );
    assert!(store.cancel_scheduled_event(&event.id).await.unwrap());
    assert_eq!(shown(&store).await, ["5 long talk!"]);
    assert_eq!(store.coming_events(now(), 9).await.unwrap(), []);
    assert!(store.delete_scheduled_event(&event.id).await.unwrap());
    assert!(!store.delete_scheduled_event(&event.id).await.unwrap());
    assert!(!store.cancel_scheduled_event(&event.id).await.unwrap());
    assert!(!store.change_scheduled_event(changed).await.unwrap());
}

pub(crate) async fn a_deleted_series_leaves_what_was_and_what_is_cancelled(home: Home) {
    let store = home.open().await;
    let series = announce(&store, "show", "FREQ=WEEKLY").await;
    assert_eq!(
        shown(&store).await,
        ["0 show", "7 show", "14 show", "21 show"]
    );
    let event = on_day(&store, 14).await;
    assert_eq!(event.series_id, Some(series.id.clone()));
    assert_eq!(event.timezone, "UTC");
    assert!(store.cancel_scheduled_event(&event.id).await.unwrap());
    assert!(store.delete_series(&series.id, day(1)).await.unwrap());
    assert_eq!(shown(&store).await, ["0 show", "14 show!"]);
    assert_eq!(store.series().await.unwrap(), []);
    assert!(!store.delete_series(&series.id, day(1)).await.unwrap());
}

pub(crate) async fn a_cancelled_series_says_so_at_every_date_and_gets_no_more(home: Home) {
    let store = home.open().await;
    let series = announce(&store, "show", "FREQ=WEEKLY").await;
    assert!(store.cancel_series(&series.id, day(8)).await.unwrap());
    assert_eq!(
        shown(&store).await,
        ["0 show", "7 show", "14 show!", "21 show!"]
    );
    assert!(!store.series().await.unwrap()[0].is_active);
    let changed = store.change_series(series.clone(), None, day(8)).await;
    assert!(!changed.unwrap());
    let schedule = Schedule::load(store.clone(), day(8)).await.unwrap();
    schedule.keep(day(100)).await.unwrap();
    assert_eq!(schedule.now().events(), []);
    assert!(!store.cancel_series(&id("nothing"), day(8)).await.unwrap());
}

pub(crate) async fn a_series_is_changed_but_for_dates_that_were_changed_by_themselves(home: Home) {
    let store = home.open().await;
    let series = announce(&store, "show", "FREQ=WEEKLY").await;
    let special = ScheduledEvent {
        name: "special".into(),
        starts_at: day(8),
        ..on_day(&store, 7).await
    };
    assert!(store.change_scheduled_event(special).await.unwrap());
    let cancelled = on_day(&store, 14).await.id;
    assert!(store.cancel_scheduled_event(&cancelled).await.unwrap());
    let renamed = Series {
        name: "gala".into(),
        duration_minutes: 30,
        ..series
    };
    assert!(
        store
            .change_series(renamed.clone(), None, day(1))
            .await
            .unwrap()
    );
    assert_eq!(
        shown(&store).await,
        ["0 show", "8 special", "14 show!", "21 gala"]
    );
    assert_eq!(on_day(&store, 21).await.duration_minutes, 30);
    let recurrence = rule("FREQ=WEEKLY;BYDAY=TU,TH");
    let moved = Series {
        recurrence: recurrence.text().into(),
        ..renamed
    };
    let occurrences = recurrence.expand(day(1), day(1) + LAID_OUT);
    assert!(
        store
            .change_series(moved.clone(), Some(occurrences), day(1))
            .await
            .unwrap()
    );
    // The seventh day is where the individually changed one came from.
    let expected = [
        "0 show",
        "2 gala",
        "8 special",
        "9 gala",
        "14 show!",
        "16 gala",
        "21 gala",
    ];
    assert_eq!(shown(&store).await, expected);
    assert_eq!(store.one_series(&moved.id).await.unwrap(), Some(moved));
}

pub(crate) async fn a_deleted_date_stays_away_when_its_series_gets_another_rule(home: Home) {
    let store = home.open().await;
    let series = announce(&store, "show", "FREQ=WEEKLY").await;
    let deleted = on_day(&store, 14).await.id;
    assert!(store.delete_scheduled_event(&deleted).await.unwrap());
    let recurrence = rule("FREQ=WEEKLY;COUNT=4");
    let changed = Series {
        recurrence: recurrence.text().into(),
        ..series
    };
    let occurrences = recurrence.expand(day(1), day(1) + LAID_OUT);
    let is_changed = store.change_series(changed.clone(), Some(occurrences.clone()), day(1));
    assert!(is_changed.await.unwrap());
    assert_eq!(shown(&store).await, ["0 show", "7 show", "21 show"]);
    // A new series of the same id would be a different one.
    assert!(store.delete_series(&changed.id, day(1)).await.unwrap());
    assert!(
        store
            .add_series(changed, occurrences, day(1))
            .await
            .unwrap()
    );
    assert_eq!(
        shown(&store).await,
        ["0 show", "7 show", "14 show", "21 show"]
    );
}

pub(crate) async fn dates_are_laid_out_as_time_goes_by_and_old_ones_forgotten(home: Home) {
    let store = home.open().await;
    announce(&store, "daily", "FREQ=DAILY").await;
    announce(&store, "thrice", "FREQ=MONTHLY;COUNT=3").await;
    let schedule = Schedule::load(store.clone(), now()).await.unwrap();
    let deleted = on_day(&store, 10).await.id;
    store.delete_scheduled_event(&deleted).await.unwrap();
    let last = |store: Store| async move {
        let all = store
            .scheduled_events(day(-1000), day(3000), 5000)
            .await
            .unwrap();
        let day = all
            .last()
            .unwrap()
            .starts_at
            .duration_since(now())
            .as_hours()
            / 24;
        (all.len(), day)
    };
    assert_eq!(last(store.clone()).await, (400 + 3 - 1, 399));
    schedule.keep(now()).await.unwrap();
    assert_eq!(
        last(store.clone()).await,
        (400 + 3 - 1, 399),
        "nothing to do, and what was deleted stays so"
    );
    schedule.keep(day(200)).await.unwrap();
    assert_eq!(last(store.clone()).await, (600 + 3 - 1, 599));
    assert_eq!(schedule.now().upcoming(day(200)).unwrap().name, "daily");
    let is_active: Vec<bool> = store
        .series()
        .await
        .unwrap()
        .iter()
        .map(|one| one.is_active)
        .collect();
    assert_eq!(is_active, [true, false], "one of them is over");
    schedule.keep(day(500)).await.unwrap();
    let first = store
        .scheduled_events(day(-1000), day(3000), 1)
        .await
        .unwrap();
    assert_eq!(
        first[0].starts_at.duration_since(now()).as_hours(),
        24 * 100 + 12
    );
}

pub(crate) async fn a_reminder_is_claimed_once_and_anew_when_the_time_is_another(home: Home) {
    let store = home.open().await;
    let event = single("talk", 3);
    store
        .add_scheduled_event(event.clone(), now())
        .await
        .unwrap();
    assert!(store.claim_reminder(&event.id, day(2)).await.unwrap());
    assert!(!store.claim_reminder(&event.id, day(2)).await.unwrap());
    let renamed = ScheduledEvent {
        name: "other".into(),
        ..event.clone()
    };
    store.change_scheduled_event(renamed).await.unwrap();
    assert!(!store.claim_reminder(&event.id, day(2)).await.unwrap());
    let moved = ScheduledEvent {
        starts_at: day(4),
        ..event.clone()
    };
    store.change_scheduled_event(moved).await.unwrap();
    assert!(store.claim_reminder(&event.id, day(3)).await.unwrap());
    assert!(!store.claim_reminder(&id("nothing"), day(3)).await.unwrap());
}

pub(crate) async fn there_is_an_end_to_what_can_be_announced(home: Home) {
    let store = home.open().await;
    for number in 0..MAX_SINGLE_EVENTS {
        let event = single(&format!("e{number}"), 1);
        assert!(store.add_scheduled_event(event, now()).await.unwrap());
    }
    assert!(
        !store
            .add_scheduled_event(single("more", 1), now())
            .await
            .unwrap()
    );
    assert!(
        store
            .add_scheduled_event(single("later", 9), day(5))
            .await
            .unwrap()
    );
    for number in 0..MAX_SERIES {
        announce(&store, &format!("s{number}"), "FREQ=YEARLY").await;
    }
    let series = Series {
        id: id("more"),
        ..store.series().await.unwrap().remove(0)
    };
    let occurrences = rule("FREQ=YEARLY").expand(now(), now() + LAID_OUT);
    assert!(!store.add_series(series, occurrences, now()).await.unwrap());
}
