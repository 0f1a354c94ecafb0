//! Stories about handing out deliveries: in order, after a crash, and in large numbers.

use std::collections::{HashMap, HashSet};

use store::Store;
use store::federation::{
    DeliveryAudience, DeliveryFilter, DeliveryKind, DeliveryOutcome, DeliveryState,
    FederationTables,
};

use crate::federation::{DAY, inbox, outgoing, sending};
use crate::federation_queue as queue;
use crate::support::{Home, at};

async fn in_state(fediverse: &FederationTables, state: DeliveryState) -> Vec<(String, String)> {
    let filter = DeliveryFilter {
        state: Some(state),
        host: None,
    };
    let (page, _) = fediverse.deliveries_page(filter, 0, 1_000).await.unwrap();
    page.into_iter()
        .map(|one| (one.activity_id, one.inbox))
        .collect()
}

// Case 57 of docs/federation-cases.md.
pub(crate) async fn after_a_crash_nothing_is_lost_and_nothing_doubled(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    for number in 0..40 {
        let to = inbox("u", &format!("h{}.example", number % 10));
        let one = outgoing(
            &number.to_string(),
            DeliveryKind::Post,
            DeliveryAudience::Inbox(to),
        );
        fediverse.send(sending(one), at(0)).await.unwrap();
    }
    let first = fediverse.claim(8, 2, at(1)).await.unwrap();
    assert_eq!(first.len(), 8);
    let ends = [
        (first[0].id, DeliveryOutcome::Delivered { status: 202 }),
        (
            first[1].id,
            DeliveryOutcome::Retry {
                next_at: at(30),
                status: None,
                error: "away".into(),
            },
        ),
    ];
    fediverse.finish(ends.into(), at(1)).await.unwrap();
    // Killed here: six are under way, and their outcome is never recorded.
    drop((fediverse, store));
    let store = home.open().await;
    let fediverse = store.federation();
    assert_eq!(fediverse.release_all().await.unwrap(), 6);
    assert_eq!(fediverse.release_all().await.unwrap(), 0);
    let mut seen = HashSet::new();
    for round in 0..40 {
        let claimed = fediverse.claim(64, 2, at(100 + round)).await.unwrap();
        let ends = claimed.iter().map(|one| {
            assert!(seen.insert(one.id), "handed out twice");
            (one.id, DeliveryOutcome::Delivered { status: 202 })
        });
        let ends = ends.collect();
        fediverse.finish(ends, at(100 + round)).await.unwrap();
    }
    assert_eq!(seen.len(), 39);
    let delivered = in_state(&fediverse, DeliveryState::Delivered).await;
    assert_eq!(delivered.len(), 40);
    let once: HashSet<_> = delivered.into_iter().collect();
    assert_eq!(once.len(), 40);
    assert!(
        in_state(&fediverse, DeliveryState::Pending)
            .await
            .is_empty()
    );
}

/// Ten thousand followers in one statement, which takes a tenth of a second instead of minutes.
async fn ten_thousand_followers(store: &Store, shared_inbox: &'static str) {
    store
        .write(move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9999) \
                     INSERT INTO ap_followers (iri, host, inbox, shared_inbox, username, handle, name, follow_id, \
                     follow_json, is_directory, state, created_at, approved_at, validated_at) \
                     SELECT 'https://h' || (n % 500) || '.example/users/' || n, 'h' || (n % 500) || '.example', \
                     'https://h' || (n % 500) || '.example/users/' || n || '/inbox', \
                     CASE WHEN $1 = '' THEN '' ELSE 'https://h' || (n % 500) || '.example' || $1 END, \
                     'u', 'u', 'u', 'f', '{}', 0, 'accepted', 0, 0, 0 FROM numbers",
                )
                .bind(shared_inbox)
                .execute(tx)
                .await?;
                Ok(())
            })
        })
        .await
        .unwrap();
}

pub(crate) async fn ten_thousand_followers_behind_five_hundred_inboxes_make_five_hundred_rows(
    home: Home,
) {
    let store = home.open().await;
    let fediverse = store.federation();
    ten_thousand_followers(&store, "/inbox").await;
    let post = outgoing("post", DeliveryKind::GoLive, DeliveryAudience::Followers);
    fediverse.send(sending(post), at(0)).await.unwrap();
    let summary = fediverse.queue_summary(at(0)).await.unwrap();
    assert_eq!(summary.waiting, 500);
    let claimed = fediverse.claim(1_000, 2, at(0)).await.unwrap();
    assert_eq!(claimed.len(), 500, "one for each host");
    assert!(
        claimed
            .iter()
            .all(|one| std::sync::Arc::ptr_eq(&one.json, &claimed[0].json))
    );
}

pub(crate) async fn ten_thousand_inboxes_are_queued_and_handed_out_within_the_bounds(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    ten_thousand_followers(&store, "").await;
    let post = outgoing("post", DeliveryKind::GoLive, DeliveryAudience::Followers);
    fediverse.send(sending(post), at(0)).await.unwrap();
    let summary = fediverse.queue_summary(at(0)).await.unwrap();
    assert_eq!(summary.waiting, 10_000);
    // Two for each of 500 hosts, and no more until some are finished.
    let mut claimed = Vec::new();
    loop {
        let some = fediverse.claim(256, 2, at(0)).await.unwrap();
        if some.is_empty() {
            break;
        }
        claimed.extend(some);
    }
    assert_eq!(claimed.len(), 1_000);
    let mut hosts: HashMap<&str, usize> = HashMap::new();
    for one in &claimed {
        *hosts.entry(&one.host).or_default() += 1;
    }
    assert!(hosts.values().all(|count| *count == 2));
    let ends = claimed
        .iter()
        .map(|one| (one.id, DeliveryOutcome::Delivered { status: 202 }))
        .collect();
    fediverse.finish(ends, at(1)).await.unwrap();
    let next = fediverse.claim(64, 2, at(1)).await.unwrap();
    assert_eq!(next.len(), 64);
    assert_eq!(fediverse.prune_deliveries(at(DAY)).await.unwrap(), 1_000);
}

pub(crate) async fn what_waits_for_its_next_try_holds_up_only_what_must_not_overtake_it(
    home: Home,
) {
    let store = home.open().await;
    let fediverse = store.federation();
    let there = inbox("u", "a.example");
    queue::to_inbox(&fediverse, "follow", DeliveryKind::Follow, &there, 0).await;
    let follow = queue::claim(&fediverse, 0).await.remove(0);
    queue::finish(&fediverse, &follow, queue::unreached(5_000), 1).await;
    queue::to_inbox(&fediverse, "undo", DeliveryKind::Undo, &there, 2).await;
    queue::to_inbox(&fediverse, "live", DeliveryKind::GoLive, &there, 3).await;
    let live = queue::claim(&fediverse, 4).await;
    let names: Vec<&str> = live.iter().map(|one| one.activity_id.as_str()).collect();
    assert_eq!(
        names,
        ["https://live.example/federation/live"],
        "the follow waits, and its end behind it"
    );
    queue::finish(&fediverse, &live[0], queue::again(5_000), 5).await;
    queue::to_inbox(&fediverse, "delete", DeliveryKind::Delete, &there, 6).await;
    assert!(
        queue::claim(&fediverse, 7).await.is_empty(),
        "a post comes first"
    );
    // A delivery arrived there, so everything that never got an answer is retried.
    let fail = fediverse.note_failure("a.example".into(), None, "down".into(), at(8));
    fail.await.unwrap();
    fediverse.note_success("a.example", at(9)).await.unwrap();
    assert_eq!(queue::claim(&fediverse, 9).await[0].id, follow.id);
}

pub(crate) async fn a_failed_ping_or_profile_does_not_get_the_last_word(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let there = inbox("dir", "d.example");
    for (older, newer) in [
        (DeliveryKind::Offer, DeliveryKind::Leave),
        (DeliveryKind::Update, DeliveryKind::Update),
    ] {
        let name = |age: &str| format!("{age}-{}", older.as_str());
        queue::to_inbox(&fediverse, &name("older"), older, &there, 0).await;
        let first = queue::claim(&fediverse, 0).await.remove(0);
        // The newer one comes while the older one is under way, so it cannot replace it.
        queue::to_inbox(&fediverse, &name("newer"), newer, &there, 1).await;
        queue::finish(&fediverse, &first, queue::again(30), 2).await;
        assert!(queue::claim(&fediverse, 29).await.is_empty(), "{older:?}");
        for expected in [name("older"), name("newer")] {
            let next = queue::claim(&fediverse, 30).await.remove(0);
            assert!(next.activity_id.ends_with(&expected), "{expected}");
            let done = DeliveryOutcome::Delivered { status: 202 };
            queue::finish(&fediverse, &next, done, 31).await;
        }
    }
}
