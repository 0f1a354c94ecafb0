use model::UserId;
use store::{NewUser, StoreError, UserKind};

use crate::support::{Home, at};

fn user(number: u32) -> NewUser {
    NewUser {
        id: UserId::parse(format!("u{number}")).unwrap(),
        kind: UserKind::Standard,
        display_name: format!("user {number}"),
        display_color: 0,
    }
}

pub(crate) async fn a_failing_unit_leaves_its_neighbours_alone(home: Home) {
    let store = home.open().await;
    store.add_user(user(0), at(0)).await.unwrap();
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..200 {
        let store = store.clone();
        // Every second unit breaks the primary key inside its group.
        let id = if number % 2 == 0 { 0 } else { number };
        writers.spawn(async move { (number, store.add_user(user(id), at(0)).await) });
    }
    while let Some(done) = writers.join_next().await {
        let (number, outcome) = done.unwrap();
        assert_eq!(outcome.is_ok(), number % 2 == 1, "{number}: {outcome:?}");
    }
    for number in (1..200).step_by(2) {
        assert!(
            store.user(&user(number).id).await.unwrap().is_some(),
            "{number}"
        );
    }
}

pub(crate) async fn a_panicking_unit_leaves_the_writer_alive(home: Home) {
    let store = home.open().await;
    let outcome = store
        .write::<(), _>(|_| Box::pin(async { panic!("a bug in one unit") }))
        .await;
    assert!(
        matches!(outcome, Err(StoreError::Unavailable(_))),
        "{outcome:?}"
    );
    store.add_user(user(1), at(0)).await.unwrap();
}

pub(crate) async fn every_acknowledged_write_is_there(home: Home) {
    let store = home.open().await;
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..1_000 {
        let store = store.clone();
        writers.spawn(async move { store.add_user(user(number), at(0)).await });
    }
    while let Some(done) = writers.join_next().await {
        done.unwrap().unwrap();
    }
    let again = home.open().await;
    for number in 0..1_000 {
        assert!(
            again.user(&user(number).id).await.unwrap().is_some(),
            "{number}"
        );
    }
}

pub(crate) async fn two_processes_never_number_events_out_of_order(home: Home) {
    let (one, two) = (home.open().await, home.open().await);
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..100 {
        let store = if number % 2 == 0 {
            one.clone()
        } else {
            two.clone()
        };
        writers.spawn(async move {
            let event = model::Event::SettingChanged {
                key: number.to_string(),
            };
            store
                .write_with_events(at(0), move |_| Box::pin(async { Ok(((), vec![event])) }))
                .await
        });
    }
    // A reader with a cursor sees every event once, whoever commits first.
    let mut seen = Vec::new();
    while seen.len() < 100 {
        let after = seen
            .last()
            .map_or(0, |event: &model::LoggedEvent| event.seq);
        seen.extend(one.events_after(after).await.unwrap());
        tokio::task::yield_now().await;
        if let Some(done) = writers.try_join_next() {
            done.unwrap().unwrap();
        }
    }
    let mut keys: Vec<_> = seen
        .iter()
        .map(|event| format!("{:?}", event.event))
        .collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 100);
}
