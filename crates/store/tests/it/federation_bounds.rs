//! Stories about how much strangers can make us store.

use store::Store;
use store::federation::{
    DeliveryAudience, DeliveryKind, Effects, MAX_BLOCKED_BY, MAX_QUOTE_AUTHORIZATIONS,
    MAX_WAITING_ANSWERS, MAX_WAITING_ANSWERS_FOR_HOST,
};

use crate::federation::{accept, alone, inbox, outgoing, sending, waiting};
use crate::federation_queue::to_inbox;
use crate::support::{Home, at};

/// Rows inserted at once: more would take long on a busy machine, and the writer has a timeout.
const ROWS_AT_ONCE: usize = 5_000;

/// Inserts `count` rows with a statement that takes the first and the last number.
async fn fill(store: &Store, statement: &'static str, count: i64) {
    for first in (1..=count).step_by(ROWS_AT_ONCE) {
        let last = count.min(first + ROWS_AT_ONCE as i64 - 1);
        store
            .write(move |tx| {
                Box::pin(async move {
                    let filling = sqlx::query(statement).bind(first).bind(last);
                    filling.execute(tx).await?;
                    Ok(())
                })
            })
            .await
            .unwrap();
    }
}

pub(crate) async fn a_host_that_takes_no_answers_fills_only_its_own_share(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let answer = async |number: i64, host: &str| {
        let (id, to) = (
            format!("{host}-{number}"),
            inbox(&format!("u{number}"), host),
        );
        to_inbox(&fediverse, &id, DeliveryKind::Quote, &to, 0).await;
    };
    for number in 0..MAX_WAITING_ANSWERS_FOR_HOST + 3 {
        answer(number, "a.example").await;
    }
    let most = usize::try_from(MAX_WAITING_ANSWERS_FOR_HOST).unwrap();
    assert_eq!(waiting(&fediverse).await.len(), most);
    answer(1, "b.example").await;
    assert_eq!(waiting(&fediverse).await.len(), most + 1);
    // Deliveries to followers there do not count, and are still sent.
    accept(&fediverse, alone("fan", "a.example"), at(0)).await;
    let post = outgoing("post", DeliveryKind::GoLive, DeliveryAudience::Followers);
    fediverse.send(sending(post), at(0)).await.unwrap();
    assert_eq!(waiting(&fediverse).await.len(), most + 2);
    answer(-1, "a.example").await;
    assert_eq!(waiting(&fediverse).await.len(), most + 2);
}

pub(crate) async fn answers_are_bounded_in_all_and_followers_are_counted_apart(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    to_inbox(
        &fediverse,
        "first",
        DeliveryKind::Quote,
        &inbox("u", "a.example"),
        0,
    )
    .await;
    fill(
        &store,
        "WITH RECURSIVE numbers (n) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < $2) \
         INSERT INTO deliveries (activity_id, inbox, host, kind, state, is_backlog, is_answer, attempts, next_at, \
         expires_at, created_at) SELECT activity_id, 'https://h' || n || '.example/inbox', 'h' || n || '.example', kind, \
         state, 0, 1, 0, next_at, expires_at, created_at FROM deliveries, numbers WHERE inbox LIKE '%/users/u/inbox'",
        MAX_WAITING_ANSWERS - 1,
    )
    .await;
    to_inbox(
        &fediverse,
        "late",
        DeliveryKind::Accept,
        &inbox("late", "l.example"),
        0,
    )
    .await;
    accept(&fediverse, alone("fan", "f.example"), at(0)).await;
    let post = outgoing("post", DeliveryKind::GoLive, DeliveryAudience::Followers);
    fediverse.send(sending(post), at(0)).await.unwrap();
    let last = waiting(&fediverse).await;
    assert_eq!(last.len() as i64, MAX_WAITING_ANSWERS + 1);
    assert_eq!(last.last(), Some(&inbox("fan", "f.example")));
    assert!(!last.contains(&inbox("late", "l.example")));
}

pub(crate) async fn there_is_an_end_to_quotes_that_are_allowed(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    assert!(fediverse.has_room_for_quote_authorizations().await.unwrap());
    fill(
        &store,
        "WITH RECURSIVE numbers (n) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < $2) \
         INSERT INTO ap_quote_stamps (stamp, quote_post, quoted_post, requester, request_id, created_at) \
         SELECT 'stamp ' || n, 'quote ' || n, 'post', 'alice', 'request', 0 FROM numbers",
        MAX_QUOTE_AUTHORIZATIONS,
    )
    .await;
    assert!(!fediverse.has_room_for_quote_authorizations().await.unwrap());
}

pub(crate) async fn of_those_who_block_us_the_oldest_are_forgotten(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    fill(
        &store,
        "WITH RECURSIVE numbers (n) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < $2) \
         INSERT INTO ap_blocked_by (actor, at) SELECT 'actor ' || n, n FROM numbers",
        MAX_BLOCKED_BY,
    )
    .await;
    let blocked = fediverse.note_blocked_by("newest".into(), Effects::default(), at(0));
    blocked.await.unwrap();
    for (actor, is_known) in [("newest", true), ("actor 2", true), ("actor 1", false)] {
        let known = fediverse.is_blocked_by(actor).await.unwrap();
        assert_eq!(known, is_known, "{actor}");
    }
}
