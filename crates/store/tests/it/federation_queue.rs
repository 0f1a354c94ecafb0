//! Stories about sending: fan-out, outcomes, hosts.

use std::collections::HashSet;

use jiff::Timestamp;
use store::federation::{
    ClaimedDelivery, DeliveryAudience, DeliveryFilter, DeliveryKind, DeliveryOutcome,
    DeliveryState, FederationTables, GoneInboxResult, HostState, MAX_WAITING_FOR_INBOX, NewObject,
    ObjectKind, Settlement, SignatureScheme,
};

use crate::federation::{
    DAY, accept, alone, inbox, iri, outgoing, sending, shared_inbox, together, waiting,
};
use crate::support::{Home, at};

pub(crate) async fn claim(fediverse: &FederationTables, now: i64) -> Vec<ClaimedDelivery> {
    fediverse.claim(1_000, 2, at(now)).await.unwrap()
}

pub(crate) async fn finish(
    fediverse: &FederationTables,
    claimed: &ClaimedDelivery,
    outcome: DeliveryOutcome,
    now: i64,
) {
    let outcomes = vec![(claimed.id, outcome)];
    fediverse.finish(outcomes, at(now)).await.unwrap();
}

pub(crate) fn again(next: i64) -> DeliveryOutcome {
    DeliveryOutcome::Retry {
        next_at: at(next),
        status: Some(503),
        error: "busy".into(),
    }
}

/// An attempt without an answer.
pub(crate) fn unreached(next: i64) -> DeliveryOutcome {
    DeliveryOutcome::Retry {
        next_at: at(next),
        status: None,
        error: "away".into(),
    }
}

/// The inbox itself says when to retry.
fn asked_to_wait(next: i64) -> DeliveryOutcome {
    DeliveryOutcome::Retry {
        next_at: at(next),
        status: Some(429),
        error: "too many".into(),
    }
}

const DONE: DeliveryOutcome = DeliveryOutcome::Delivered { status: 202 };

pub(crate) async fn to_inbox(
    fediverse: &FederationTables,
    id: &str,
    kind: DeliveryKind,
    to: &str,
    now: i64,
) {
    let one = outgoing(id, kind, DeliveryAudience::Inbox(to.into()));
    fediverse.send(sending(one), at(now)).await.unwrap();
}

async fn states(fediverse: &FederationTables) -> Vec<(String, DeliveryState)> {
    let (mut page, _) = fediverse
        .deliveries_page(DeliveryFilter::default(), 0, 1_000)
        .await
        .unwrap();
    page.reverse();
    let name = |id: &str| id.rsplit('/').next().unwrap_or_default().to_owned();
    page.iter()
        .map(|one| (name(&one.activity_id), one.state))
        .collect()
}

// Case 55 of docs/federation-cases.md.
pub(crate) async fn a_hundred_followers_behind_one_shared_inbox_get_one_delivery(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    for number in 0..100 {
        accept(
            &fediverse,
            together(&format!("u{number}"), "a.example"),
            at(0),
        )
        .await;
    }
    accept(&fediverse, together("u", "b.example"), at(0)).await;
    accept(&fediverse, alone("u", "c.example"), at(0)).await;
    let mut directory = alone("dir", "d.example");
    directory.is_directory = true;
    accept(&fediverse, directory, at(0)).await;
    let post = outgoing("post", DeliveryKind::GoLive, DeliveryAudience::Followers);
    fediverse.send(sending(post.clone()), at(1)).await.unwrap();
    let found: HashSet<String> = waiting(&fediverse).await.into_iter().collect();
    let expected = [
        shared_inbox("a.example"),
        shared_inbox("b.example"),
        inbox("u", "c.example"),
    ];
    assert_eq!(found, HashSet::from(expected));
    // The same activity is queued once, however often it is sent.
    fediverse.send(sending(post), at(2)).await.unwrap();
    assert_eq!(waiting(&fediverse).await.len(), 3);
    let ping = outgoing("ping", DeliveryKind::Offer, DeliveryAudience::Directories);
    fediverse.send(sending(ping), at(3)).await.unwrap();
    let claimed = claim(&fediverse, 3).await;
    assert_eq!(claimed.len(), 4);
    let ping = claimed.last().unwrap();
    assert_eq!(ping.inbox, inbox("dir", "d.example"));
    assert_eq!(
        (ping.kind, ping.json.as_ref()),
        (DeliveryKind::Offer, "{\"id\":\"ping\"}")
    );
    assert_eq!((ping.host.as_str(), ping.attempts), ("d.example", 0));
    assert_eq!((ping.created_at, ping.expires_at), (at(3), at(DAY)));
}

pub(crate) async fn a_former_name_signs_what_it_is_to_sign(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    accept(&fediverse, alone("u", "a.example"), at(0)).await;
    let mut moved = outgoing("move", DeliveryKind::Move, DeliveryAudience::Followers);
    moved.signer = Some("live".into());
    fediverse
        .rename("live".into(), "stage".into(), sending(moved), at(1))
        .await
        .unwrap();
    assert_eq!(
        claim(&fediverse, 1).await[0].signer.as_deref(),
        Some("live")
    );
    let names = fediverse.former_usernames().await.unwrap();
    assert_eq!((names[0].name.as_str(), names[0].at), ("live", at(1)));
    let back = fediverse.rename("stage".into(), "live".into(), Default::default(), at(2));
    back.await.unwrap();
    let names = fediverse.former_usernames().await.unwrap();
    let names: Vec<_> = names.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["stage"]);
}

// Case 56 of docs/federation-cases.md, as far as rows go.
pub(crate) async fn a_delivery_ends_or_comes_back_at_its_time_and_holds_those_behind(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let bob = inbox("bob", "a.example");
    for id in ["one", "two"] {
        to_inbox(&fediverse, id, DeliveryKind::Accept, &bob, 0).await;
    }
    assert_eq!(fediverse.next_delivery_at().await.unwrap(), Some(at(0)));
    let first = claim(&fediverse, 0).await.remove(0);
    assert!(claim(&fediverse, 0).await.is_empty(), "one at a time");
    finish(&fediverse, &first, again(120), 1).await;
    assert!(
        claim(&fediverse, 119).await.is_empty(),
        "neither before nor past it"
    );
    assert_eq!(fediverse.next_delivery_at().await.unwrap(), Some(at(120)));
    let second_try = claim(&fediverse, 120).await;
    assert_eq!((second_try[0].id, second_try[0].attempts), (first.id, 1));
    let refused = DeliveryOutcome::Failed {
        status: Some(404),
        error: "no".repeat(500),
    };
    finish(&fediverse, &first, refused, 121).await;
    // A finished delivery stays finished: a late answer changes nothing.
    finish(&fediverse, &first, DONE, 122).await;
    let second = claim(&fediverse, 122).await.remove(0);
    assert!(second.id > first.id);
    finish(&fediverse, &second, DONE, 123).await;
    let named = |name: &str, state| (name.to_owned(), state);
    assert_eq!(
        states(&fediverse).await,
        [
            named("one", DeliveryState::Failed),
            named("two", DeliveryState::Delivered)
        ]
    );
    let (page, _) = fediverse
        .deliveries_page(DeliveryFilter::default(), 0, 10)
        .await
        .unwrap();
    assert_eq!((page[1].status, page[1].attempts), (Some(404), 2));
    assert_eq!(page[1].error.as_ref().unwrap().len(), 300);
    assert_eq!(page[0].last_at, Some(at(123)));
    let summary = fediverse.queue_summary(at(200)).await.unwrap();
    assert_eq!(
        (summary.delivered, summary.failed, summary.waiting),
        (1, 1, 0)
    );
    assert_eq!(fediverse.prune_deliveries(at(0)).await.unwrap(), 0);
    assert_eq!(fediverse.prune_deliveries(at(1)).await.unwrap(), 2);
    assert!(states(&fediverse).await.is_empty());
}

// Case 58 of docs/federation-cases.md, as far as rows go.
pub(crate) async fn what_is_late_expires_and_what_is_newer_takes_its_place(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let there = inbox("dir", "d.example");
    let mut ping = outgoing(
        "ping",
        DeliveryKind::Offer,
        DeliveryAudience::Inbox(there.clone()),
    );
    ping.expires_at = at(240);
    fediverse.send(sending(ping), at(0)).await.unwrap();
    assert!(claim(&fediverse, 240).await.is_empty());
    assert_eq!(states(&fediverse).await[0].1, DeliveryState::Failed);
    for (id, kind) in [
        ("up1", DeliveryKind::Update),
        ("live1", DeliveryKind::Offer),
        ("up2", DeliveryKind::Update),
        ("live2", DeliveryKind::Offer),
        ("off", DeliveryKind::Leave),
    ] {
        to_inbox(&fediverse, id, kind, &there, 300).await;
    }
    to_inbox(
        &fediverse,
        "up3",
        DeliveryKind::Update,
        &inbox("x", "d.example"),
        300,
    )
    .await;
    let pending = states(&fediverse).await;
    let names: Vec<_> = pending[1..].iter().map(|one| one.0.as_str()).collect();
    assert_eq!(names, ["up2", "off", "up3"]);
    // A delivery under way is not recalled, and a newer one waits for it.
    let taken = claim(&fediverse, 300).await;
    assert_eq!(taken.len(), 2);
    to_inbox(&fediverse, "up4", DeliveryKind::Update, &there, 301).await;
    assert_eq!(states(&fediverse).await.len(), 5);
    assert!(claim(&fediverse, 301).await.is_empty());
}

pub(crate) async fn a_dead_inbox_gets_no_more_than_a_hundred(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let there = inbox("u", "a.example");
    for number in 0..MAX_WAITING_FOR_INBOX + 3 {
        to_inbox(
            &fediverse,
            &number.to_string(),
            DeliveryKind::Post,
            &there,
            0,
        )
        .await;
    }
    assert_eq!(
        waiting(&fediverse).await.len() as i64,
        MAX_WAITING_FOR_INBOX
    );
}

pub(crate) async fn the_operator_sends_again_and_drops(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let there = inbox("u", "a.example");
    for id in ["first", "second"] {
        to_inbox(&fediverse, id, DeliveryKind::Accept, &there, 0).await;
    }
    let first = claim(&fediverse, 0).await.remove(0);
    finish(&fediverse, &first, again(5_000), 1).await;
    assert!(claim(&fediverse, 2).await.is_empty());
    let second = first.id + 1;
    let mut wakeups = fediverse.delivery_wakeups();
    assert_eq!(fediverse.retry(vec![second, 999], at(3)).await.unwrap(), 1);
    assert!(wakeups.has_changed().unwrap());
    wakeups.mark_unchanged();
    let before = claim(&fediverse, 3).await;
    assert_eq!(before[0].id, first.id, "those before it go too");
    let failed = DeliveryOutcome::Failed {
        status: None,
        error: "gone".into(),
    };
    finish(&fediverse, &first, failed, 4).await;
    assert_eq!(
        fediverse.retry(vec![first.id], at(2 * DAY)).await.unwrap(),
        1
    );
    let retried = claim(&fediverse, 2 * DAY).await.remove(0);
    assert_eq!((retried.id, retried.attempts), (first.id, 0));
    assert_eq!(retried.expires_at, at(3 * DAY), "as much time as at first");
    assert_eq!(fediverse.drop_deliveries(vec![first.id]).await.unwrap(), 0);
    fediverse.release(vec![first.id]).await.unwrap();
    assert_eq!(fediverse.drop_deliveries(vec![first.id]).await.unwrap(), 1);
    // The text of a direct message is deleted once it is delivered, and cannot be sent again.
    to_inbox(&fediverse, "code", DeliveryKind::Direct, &there, 10).await;
    let code = claim(&fediverse, 10).await.pop().unwrap();
    assert_eq!(code.json.as_ref(), "{\"id\":\"code\"}");
    let failed = DeliveryOutcome::Failed {
        status: None,
        error: "refused".into(),
    };
    finish(&fediverse, &code, failed, 11).await;
    assert_eq!(fediverse.retry(vec![code.id], at(12)).await.unwrap(), 0);
}

// Case 59 of docs/federation-cases.md.
pub(crate) async fn a_host_that_fails_on_seven_days_gets_one_delivery_a_day_until_it_is_back(
    home: Home,
) {
    let store = home.open().await;
    let fediverse = store.federation();
    let host = "a.example";
    let fail = async |second: i64, until: Option<Timestamp>| {
        fediverse
            .note_failure(host.into(), until, "down".into(), at(second))
            .await
            .unwrap()
    };
    to_inbox(
        &fediverse,
        "early",
        DeliveryKind::Post,
        &inbox("u", host),
        0,
    )
    .await;
    let until = at(600);
    assert_eq!(fail(10, Some(until)).await, HostState::Held { until });
    assert!(claim(&fediverse, 599).await.is_empty());
    to_inbox(&fediverse, "new", DeliveryKind::Post, &inbox("v", host), 20).await;
    assert!(
        claim(&fediverse, 599).await.is_empty(),
        "what is new is held too"
    );
    let known = fediverse.host(host, at(600)).await.unwrap().unwrap();
    assert_eq!(
        (known.state, known.waiting, known.failures),
        (HostState::Well, 2, 1)
    );
    for day in 0..6 {
        for second in [0, 60] {
            let state = fail(day * DAY + 700 + second, None).await;
            assert!(!matches!(state, HostState::Unavailable { .. }), "day {day}");
        }
    }
    let probe_at = at(7 * DAY + 700);
    let state = fail(6 * DAY + 700, None).await;
    assert_eq!(state, HostState::Unavailable { probe_at });
    fediverse.cancel_host(host.into()).await.unwrap();
    let queue = async |id: &str, second| {
        let mut one = outgoing(
            id,
            DeliveryKind::Post,
            DeliveryAudience::Inbox(inbox("u", host)),
        );
        one.expires_at = at(100 * DAY);
        fediverse.send(sending(one), at(second)).await.unwrap();
        waiting(&fediverse).await.len()
    };
    assert_eq!(queue("p1", 6 * DAY + 800).await, 0, "nothing is queued");
    assert_eq!(queue("p2", 7 * DAY + 800).await, 1, "but for one a day");
    assert_eq!(queue("p3", 7 * DAY + 900).await, 1);
    assert_eq!(queue("p4", 8 * DAY + 900).await, 2);
    fediverse
        .note_success(host, at(8 * DAY + 901))
        .await
        .unwrap();
    let known = fediverse
        .host(host, at(8 * DAY + 901))
        .await
        .unwrap()
        .unwrap();
    assert_eq!((known.state, known.failing_days), (HostState::Well, 0));
    assert_eq!(queue("p5", 8 * DAY + 902).await, 3);
    assert_eq!(fediverse.prune_hosts(at(9 * DAY)).await.unwrap(), 1);
}

pub(crate) async fn a_host_that_is_back_gets_what_was_held_but_not_before_it_asked_for(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let host = "a.example";
    to_inbox(&fediverse, "busy", DeliveryKind::Post, &inbox("u", host), 0).await;
    let busy = claim(&fediverse, 0).await.remove(0);
    to_inbox(&fediverse, "held", DeliveryKind::Post, &inbox("v", host), 0).await;
    finish(&fediverse, &busy, asked_to_wait(120), 1).await;
    let hold = fediverse.note_failure(host.into(), Some(at(3_600)), "429".into(), at(1));
    hold.await.unwrap();
    assert!(claim(&fediverse, 119).await.is_empty());
    let mut wakeups = fediverse.delivery_wakeups();
    fediverse.note_success(host, at(50)).await.unwrap();
    assert!(wakeups.has_changed().unwrap());
    wakeups.mark_unchanged();
    let back = claim(&fediverse, 50).await;
    let inboxes: Vec<_> = back.iter().map(|one| one.inbox.clone()).collect();
    assert_eq!(inboxes, [inbox("v", host)]);
    assert!(!fediverse.is_all_failing(2).await.unwrap());
    finish(&fediverse, &back[0], again(9_000), 51).await;
    assert!(fediverse.is_all_failing(2).await.unwrap());
    assert!(
        !fediverse.is_all_failing(3).await.unwrap(),
        "too few to tell"
    );
    // The signature scheme a host wants is remembered for a while.
    let learned = Settlement {
        schemes: vec![(host.into(), SignatureScheme::Rfc9421, at(500))],
        ..Settlement::default()
    };
    let remember = fediverse.settle(learned, at(500));
    remember.await.unwrap();
    let scheme = async |now| fediverse.host(host, at(now)).await.unwrap().unwrap().scheme;
    assert_eq!(scheme(499).await, Some(SignatureScheme::Rfc9421));
    assert_eq!(scheme(500).await, None);
}

// Case 56 of docs/federation-cases.md: 410.
pub(crate) async fn a_gone_inbox_takes_its_followers_with_it_and_a_gone_host_after_a_day(
    home: Home,
) {
    let store = home.open().await;
    let fediverse = store.federation();
    accept(&fediverse, alone("u", "a.example"), at(0)).await;
    accept(&fediverse, together("v", "b.example"), at(0)).await;
    accept(&fediverse, together("w", "b.example"), at(0)).await;
    let gone = async |inbox: String, second| fediverse.inbox_gone(inbox, at(second)).await.unwrap();
    assert_eq!(
        gone(inbox("u", "a.example"), 1).await,
        GoneInboxResult::Removed(1)
    );
    assert!(
        fediverse
            .follower(&iri("u", "a.example"))
            .await
            .unwrap()
            .is_none()
    );
    let shared = shared_inbox("b.example");
    assert_eq!(gone(shared.clone(), 2).await, GoneInboxResult::HostMarked);
    assert_eq!(gone(shared.clone(), 3).await, GoneInboxResult::HostMarked);
    let state = fediverse
        .host("b.example", at(3))
        .await
        .unwrap()
        .unwrap()
        .state;
    assert_eq!(state, HostState::Gone);
    let post = outgoing("post", DeliveryKind::Post, DeliveryAudience::Followers);
    fediverse.send(sending(post), at(4)).await.unwrap();
    assert!(waiting(&fediverse).await.is_empty());
    let mut later = outgoing("later", DeliveryKind::Post, DeliveryAudience::Followers);
    later.expires_at = at(9 * DAY);
    fediverse.send(sending(later), at(DAY + 3)).await.unwrap();
    assert_eq!(waiting(&fediverse).await, std::slice::from_ref(&shared));
    assert_eq!(gone(shared, DAY + 4).await, GoneInboxResult::HostRemoved(2));
    assert_eq!(fediverse.count_followers().await.unwrap(), 0);
}

// Cases 16 and 18 of docs/federation-cases.md, as far as rows go.
pub(crate) async fn a_deleted_post_leaves_a_gravestone_and_what_was_not_sent_is_not_sent(
    home: Home,
) {
    let store = home.open().await;
    let fediverse = store.federation();
    accept(&fediverse, alone("u", "a.example"), at(0)).await;
    let object = |id: &str, kind, note: Option<&str>, second| NewObject {
        iri: format!("https://live.example/federation/{id}"),
        json: format!("{{\"object\":\"{id}\"}}"),
        kind,
        note: note.map(|note| format!("https://live.example/federation/{note}")),
        is_public: id != "secret",
        is_live_notification: id == "note1",
        at: at(second),
    };
    for (note, create, second) in [("note1", "create1", 1), ("note2", "create2", 2)] {
        let mut effects = sending(outgoing(
            create,
            DeliveryKind::Post,
            DeliveryAudience::Followers,
        ));
        effects.objects = vec![
            object(note, ObjectKind::Note, None, second),
            object(create, ObjectKind::Create, Some(note), second),
        ];
        fediverse.send(effects, at(second)).await.unwrap();
    }
    for new in [
        object("secret", ObjectKind::Create, None, 3),
        object("ping", ObjectKind::Offer, None, 3),
    ] {
        fediverse.add_object(new).await.unwrap();
    }
    let (page, total) = fediverse.outbox_page(1).await.unwrap();
    assert_eq!(total, 2);
    assert_eq!(
        page,
        ["{\"object\":\"create2\"}", "{\"object\":\"create1\"}"]
    );
    assert_eq!(
        fediverse.last_live_notification().await.unwrap(),
        Some(at(1))
    );
    let note1 = "https://live.example/federation/note1".to_owned();
    let delete = outgoing("delete", DeliveryKind::Delete, DeliveryAudience::Followers);
    let deleted = fediverse.delete_object(note1.clone(), sending(delete.clone()), at(5));
    assert!(deleted.await.unwrap());
    let deleted = fediverse.delete_object(note1.clone(), sending(delete), at(6));
    assert!(!deleted.await.unwrap());
    for id in [&note1, "https://live.example/federation/create1"] {
        let stored = fediverse.object(id).await.unwrap().unwrap();
        assert_eq!((stored.json.as_str(), stored.deleted_at), ("", Some(at(5))));
    }
    assert_eq!(fediverse.count_posts().await.unwrap(), 1);
    let left: Vec<_> = states(&fediverse)
        .await
        .into_iter()
        .map(|one| one.0)
        .collect();
    assert_eq!(left, ["create2", "delete"]);
    let pruned = fediverse.prune_objects(ObjectKind::Offer, at(4)).await;
    assert_eq!(pruned.unwrap(), 1);
    let ping = fediverse
        .object("https://live.example/federation/ping")
        .await;
    assert!(ping.unwrap().is_none());
}
