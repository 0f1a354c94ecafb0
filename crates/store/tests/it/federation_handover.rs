//! Stories about servers that come back after a hold, and about which server knows which key.

use std::time::Duration;

use store::federation::{
    Contact, DeliveryKind, DeliveryOutcome, Effects, FederationTables, KeyChange,
};

use crate::federation::{DAY, inbox};
use crate::federation_queue::{again, claim, finish, to_inbox};
use crate::support::{Home, at};

const HOST: &str = "a.example";

async fn hold(fediverse: &FederationTables, until: i64) {
    let failed = fediverse.note_failure(HOST.into(), Some(at(until)), "away".into(), at(0));
    failed.await.unwrap();
}

async fn claimed(fediverse: &FederationTables, now: i64) -> Vec<String> {
    let claimed = claim(fediverse, now).await;
    let name = |id: &str| id.rsplit('/').next().unwrap_or_default().to_owned();
    claimed.iter().map(|one| name(&one.activity_id)).collect()
}

pub(crate) async fn after_a_hold_the_newest_that_was_never_tried_shows_whether_the_server_is_back(
    home: Home,
) {
    let store = home.open().await;
    let fediverse = store.federation();
    let to = |name| inbox(name, HOST);
    to_inbox(&fediverse, "tried", DeliveryKind::Post, &to("u"), 0).await;
    let tried = claim(&fediverse, 0).await.remove(0);
    finish(&fediverse, &tried, again(90), 0).await;
    for (id, name) in [("one", "u"), ("two", "v"), ("three", "u")] {
        to_inbox(&fediverse, id, DeliveryKind::Post, &to(name), 0).await;
    }
    hold(&fediverse, 30).await;
    assert!(claimed(&fediverse, 29).await.is_empty());
    // Queued in the meantime.
    to_inbox(&fediverse, "four", DeliveryKind::Post, &to("w"), 29).await;
    let probe = claim(&fediverse, 30).await;
    assert!(probe[0].activity_id.ends_with("/four"));
    assert!(
        claimed(&fediverse, 30).await.is_empty(),
        "one at a time until it is known"
    );
    let done = DeliveryOutcome::Delivered { status: 202 };
    finish(&fediverse, &probe[0], done, 31).await;
    fediverse.note_success(HOST, at(31)).await.unwrap();
    assert_eq!(claimed(&fediverse, 31).await, ["one", "two"]);
    // A delivery that got an answer of its own keeps its own time.
    assert!(!claimed(&fediverse, 89).await.contains(&"tried".to_owned()));
}

pub(crate) async fn what_has_to_come_in_order_is_not_overtaken_by_what_shows_that_a_server_is_back(
    home: Home,
) {
    let store = home.open().await;
    let fediverse = store.federation();
    let to = |name| inbox(name, HOST);
    to_inbox(&fediverse, "yes", DeliveryKind::Accept, &to("u"), 0).await;
    to_inbox(&fediverse, "post", DeliveryKind::Post, &to("u"), 0).await;
    hold(&fediverse, 30).await;
    assert_eq!(claimed(&fediverse, 30).await, ["yes"]);
}

pub(crate) async fn an_answer_that_waits_for_another_keeps_no_post_from_showing_that_a_server_is_back(
    home: Home,
) {
    let store = home.open().await;
    let fediverse = store.federation();
    let there = inbox("u", HOST);
    to_inbox(&fediverse, "yes", DeliveryKind::Accept, &there, 0).await;
    let yes = claim(&fediverse, 0).await.remove(0);
    to_inbox(&fediverse, "no", DeliveryKind::Reject, &there, 0).await;
    finish(&fediverse, &yes, again(43_200), 1).await;
    to_inbox(&fediverse, "post", DeliveryKind::Post, &there, 1).await;
    hold(&fediverse, 30).await;
    assert_eq!(claimed(&fediverse, 30).await, ["post"]);
}

pub(crate) async fn a_server_that_answers_after_a_hold_gets_the_rest_whatever_it_answers(
    home: Home,
) {
    let store = home.open().await;
    let fediverse = store.federation();
    for (id, name) in [("one", "u"), ("two", "v")] {
        to_inbox(&fediverse, id, DeliveryKind::Post, &inbox(name, HOST), 0).await;
    }
    hold(&fediverse, 30).await;
    let probe = claim(&fediverse, 30).await.remove(0);
    let refused = DeliveryOutcome::Failed {
        status: Some(404),
        error: "no".into(),
    };
    finish(&fediverse, &probe, refused, 31).await;
    fediverse.note_answer(HOST.into(), at(31)).await.unwrap();
    assert_eq!(claimed(&fediverse, 31).await, ["one"]);
}

pub(crate) async fn a_new_key_is_handed_to_those_who_may_know_the_old_one(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let day = |days: i64| at(days * DAY);
    for (host, seen) in [("old.example", 0), ("b.example", 2), ("a.example", 30)] {
        let contact = Contact {
            host: host.into(),
            inbox: None,
        };
        fediverse.note_contact(contact, day(seen)).await.unwrap();
    }
    let change = async |change, at| {
        let done = fediverse.change_key(change, "papers", b"sealed", Effects::default(), at);
        done.await.unwrap();
    };
    let waiting = async || {
        let progress = fediverse.handover_progress(9, day(31)).await.unwrap();
        progress.waiting
    };
    change(KeyChange::HandOver, day(31)).await;
    assert_eq!(store.secret("papers").await.unwrap().unwrap(), b"sealed");
    assert_eq!(waiting().await, ["a.example", "b.example"]);
    let before = day(31) - Duration::from_millis(1);
    fediverse
        .end_handover("a.example".into(), before)
        .await
        .unwrap();
    assert_eq!(
        waiting().await.len(),
        2,
        "what was said before told it of nothing"
    );
    fediverse
        .end_handover("a.example".into(), day(31))
        .await
        .unwrap();
    assert_eq!(waiting().await, ["b.example"]);
    // Only servers that know the newer key have to be told about the older one again.
    change(KeyChange::TakeBack, day(31)).await;
    assert_eq!(waiting().await, ["a.example"]);
    change(KeyChange::AtOnce, day(31)).await;
    assert!(waiting().await.is_empty());
    assert_eq!(fediverse.prune_contacts(day(31)).await.unwrap(), 1);
    assert_eq!(fediverse.known_host_count(day(31)).await.unwrap(), 2);
}

pub(crate) async fn a_server_that_has_refused_everything_since_its_last_success_is_found(
    home: Home,
) {
    let store = home.open().await;
    let fediverse = store.federation();
    let refused = |status| DeliveryOutcome::Failed {
        status: Some(status),
        error: format!("the inbox answered {status}"),
    };
    let done = DeliveryOutcome::Delivered { status: 202 };
    let stories: [(&str, Vec<DeliveryOutcome>); 4] = [
        ("all.example", vec![refused(401); 3]),
        (
            "once.example",
            vec![done.clone(), refused(400), refused(403), refused(401)],
        ),
        ("busy.example", vec![refused(429); 3]),
        (
            "fine.example",
            vec![refused(401), refused(401), refused(401), done],
        ),
    ];
    let mut now = 0;
    for (host, outcomes) in stories {
        for (number, outcome) in outcomes.into_iter().enumerate() {
            now += 1;
            let id = format!("{host}-{number}");
            to_inbox(&fediverse, &id, DeliveryKind::Post, &inbox("u", host), now).await;
            let one = claim(&fediverse, now).await.remove(0);
            finish(&fediverse, &one, outcome, now).await;
        }
    }
    let found = fediverse.refusing_hosts(at(0), 3, 10).await.unwrap();
    let hosts: Vec<_> = found.iter().map(|one| one.host.as_str()).collect();
    assert_eq!(hosts, ["once.example", "all.example"]);
    assert_eq!(found[0].error.as_deref(), Some("the inbox answered 401"));
    assert!(
        fediverse
            .refusing_hosts(at(now), 3, 10)
            .await
            .unwrap()
            .is_empty()
    );
}
