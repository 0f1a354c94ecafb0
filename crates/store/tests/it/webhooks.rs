use std::time::Duration;

use jiff::Timestamp;
use model::{Event, Secret};
use store::{
    MAX_WAITING, MAX_WAITING_AGE, NewWebhook, NextDelivery, ResendResult, Store, Webhook,
    WebhookAttempt, WebhookChange, WebhookDelivery, WebhookDeliveryState, WebhookHealth,
    WebhookNotice, WebhookQueue, WebhookVerdict,
};

use crate::support::{Home, at, contains};

async fn webhook(store: &Store, events: &[&str]) -> Webhook {
    let new = NewWebhook {
        url: "https://hooks.example/x".into(),
        events: events.iter().map(|name| (*name).to_owned()).collect(),
        secret: Secret::new("correct horse"),
        allows_internal: false,
    };
    store.add_webhook(new, at(0)).await.unwrap().unwrap()
}

fn notice(seq: i64, kind: &'static str) -> WebhookNotice {
    WebhookNotice {
        seq,
        key: format!("key{seq}"),
        kind,
        body: format!("{{\"seq\":{seq}}}"),
    }
}

async fn due(store: &Store, webhook: i64, now: Timestamp) -> Option<WebhookDelivery> {
    match store
        .next_delivery(WebhookQueue::Facts(webhook), now)
        .await
        .unwrap()
    {
        NextDelivery::Due(delivery) => Some(*delivery),
        NextDelivery::At(_) | NextDelivery::Empty => None,
    }
}

fn attempt(
    delivery: &WebhookDelivery,
    verdict: WebhookVerdict,
    health: WebhookHealth,
) -> WebhookAttempt {
    WebhookAttempt {
        delivery: delivery.id,
        webhook: delivery.webhook_id,
        revision: 0,
        at: at(50),
        duration: Duration::from_millis(7),
        status: Some(503),
        response: Some("busy".into()),
        error: None,
        verdict,
        health,
    }
}

fn again(seconds: i64) -> WebhookVerdict {
    WebhookVerdict::Again {
        at: at(seconds),
        is_aside: false,
    }
}

fn failing() -> WebhookHealth {
    WebhookHealth::Failing {
        since: at(50),
        warned_at: None,
    }
}

pub(crate) async fn a_webhook_is_kept_and_its_secret_is_sealed(home: Home) {
    let store = home.open().await;
    let made = webhook(&store, &["CHAT", "NAME_CHANGE"]).await;
    store.close().await;
    let store = home.open().await;
    assert_eq!(store.webhooks().await.unwrap(), std::slice::from_ref(&made));
    assert_eq!(made.events, ["CHAT", "NAME_CHANGE"]);
    let secret = store.webhook_secret(made.id).await.unwrap().unwrap();
    assert_eq!(secret.expose(), "correct horse");
    assert!(!contains(&home.dump(), "correct horse"));
    assert!(store.delete_webhook(made.id).await.unwrap());
    assert!(!store.delete_webhook(made.id).await.unwrap());
    assert!(store.webhook_secret(made.id).await.unwrap().is_none());
    assert!(webhook(&store, &["CHAT"]).await.id > made.id);
}

pub(crate) async fn a_notice_is_queued_once_for_each_webhook_that_wants_it(home: Home) {
    let store = home.open().await;
    let renamed = Event::StreamStopped { id: "1".into() };
    store.log_event(renamed, at(0)).await.unwrap();
    assert_eq!(
        store.webhook_cursor(at(0)).await.unwrap(),
        1,
        "begins at the end"
    );
    let both = webhook(&store, &["NAME_CHANGE", "CHAT"]).await;
    let chat = webhook(&store, &["CHAT"]).await;
    let part = webhook(&store, &["STREAM_STARTED"]).await;
    let off = webhook(&store, &["CHAT"]).await;
    let change = WebhookChange {
        is_enabled: Some(false),
        ..WebhookChange::default()
    };
    store.change_webhook(off.id, change, at(0)).await.unwrap();
    assert_eq!(
        store.wanted_events().await.unwrap(),
        ["CHAT", "NAME_CHANGE", "STREAM_STARTED"]
    );
    let notices = vec![notice(2, "CHAT"), notice(3, "NAME_CHANGE")];
    let told = store.add_notices(notices.clone(), 3, at(1)).await.unwrap();
    assert_eq!(told, [both.id, chat.id]);
    // The process was killed before it learned that this was done.
    let told = store.add_notices(notices, 3, at(2)).await.unwrap();
    assert!(told.is_empty());
    let all = store.deliveries(None, 100).await.unwrap();
    assert_eq!(all.len(), 3);
    let mut keys: Vec<_> = all.iter().map(|one| one.key.clone()).collect();
    keys.sort();
    assert_eq!(keys[0], format!("key2-{}", both.id));
    keys.dedup();
    assert_eq!(keys.len(), 3);
    assert_eq!(home.open().await.webhook_cursor(at(3)).await.unwrap(), 3);
    assert!(due(&store, part.id, at(10)).await.is_none());
    assert_eq!(store.webhook(both.id).await.unwrap().unwrap().waiting, 2);
}

pub(crate) async fn a_webhook_hears_nothing_from_before_it_was_made_or_switched_on(home: Home) {
    let store = home.open().await;
    store.webhook_cursor(at(0)).await.unwrap();
    let happen = async |count: usize| {
        for _ in 0..count {
            let event = Event::StreamStopped { id: "1".into() };
            store.log_event(event, at(0)).await.unwrap();
        }
    };
    happen(2).await;
    let made = webhook(&store, &["CHAT"]).await;
    let notices = vec![notice(1, "CHAT"), notice(2, "CHAT"), notice(3, "CHAT")];
    store.add_notices(notices, 3, at(1)).await.unwrap();
    let enable = |is_enabled| WebhookChange {
        is_enabled: Some(is_enabled),
        ..WebhookChange::default()
    };
    store
        .change_webhook(made.id, enable(false), at(1))
        .await
        .unwrap();
    happen(3).await;
    store
        .change_webhook(made.id, enable(true), at(1))
        .await
        .unwrap();
    let notices = vec![notice(4, "CHAT"), notice(5, "CHAT"), notice(6, "CHAT")];
    store.add_notices(notices, 6, at(1)).await.unwrap();
    let all = store.deliveries(Some(made.id), 100).await.unwrap();
    let keys: Vec<_> = all.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(
        keys,
        [format!("key6-{}", made.id), format!("key3-{}", made.id)]
    );
}

pub(crate) async fn a_queue_is_sent_in_order_and_what_stepped_aside_holds_up_nobody(home: Home) {
    let store = home.open().await;
    let made = webhook(&store, &["CHAT"]).await;
    let line = WebhookQueue::Facts(made.id);
    let notices = (1..=3).map(|seq| notice(seq, "CHAT")).collect();
    store.add_notices(notices, 3, at(1)).await.unwrap();
    let first = due(&store, made.id, at(1)).await.unwrap();
    let kept = attempt(&first, again(100), failing());
    store.record_attempt(kept).await.unwrap();
    assert!(matches!(
        store.next_delivery(line, at(99)).await.unwrap(),
        NextDelivery::At(then) if then == at(100)
    ));
    let tried = due(&store, made.id, at(100)).await.unwrap();
    assert_eq!((tried.id, tried.attempts), (first.id, 1));
    assert_eq!((tried.status, tried.duration_ms), (Some(503), Some(7)));
    let aside = WebhookVerdict::Again {
        at: at(500),
        is_aside: true,
    };
    store
        .record_attempt(attempt(&tried, aside, failing()))
        .await
        .unwrap();
    let second = due(&store, made.id, at(100)).await.unwrap();
    assert!(second.id > first.id);
    let well = WebhookHealth::Well { is_back: true };
    store
        .record_attempt(attempt(&second, WebhookVerdict::Delivered, well))
        .await
        .unwrap();
    let third = due(&store, made.id, at(100)).await.unwrap();
    let well = WebhookHealth::Well { is_back: false };
    store
        .record_attempt(attempt(&third, WebhookVerdict::Delivered, well))
        .await
        .unwrap();
    assert!(matches!(
        store.next_delivery(line, at(499)).await.unwrap(),
        NextDelivery::At(then) if then == at(500)
    ));
    let last = due(&store, made.id, at(500)).await.unwrap();
    assert_eq!(last.id, first.id);
    let over = store.deliveries(Some(made.id), 1).await.unwrap().remove(0);
    assert_eq!(
        (over.state, over.body.as_str()),
        (WebhookDeliveryState::Delivered, "")
    );
}

pub(crate) async fn a_webhook_that_is_back_gets_all_that_waits_at_once(home: Home) {
    let store = home.open().await;
    let made = webhook(&store, &["CHAT"]).await;
    let notices = (1..=2).map(|seq| notice(seq, "CHAT")).collect();
    store.add_notices(notices, 2, at(1)).await.unwrap();
    let first = due(&store, made.id, at(1)).await.unwrap();
    store
        .record_attempt(attempt(&first, again(9000), failing()))
        .await
        .unwrap();
    let failed = store.webhook(made.id).await.unwrap().unwrap();
    assert_eq!((failed.failures, failed.failing_since), (1, Some(at(50))));
    let test = store
        .add_test_delivery(made.id, notice(0, "CHAT"), at(50))
        .await;
    let test = test.unwrap().unwrap();
    let NextDelivery::Due(found) = store
        .next_delivery(WebhookQueue::Tests(made.id), at(50))
        .await
        .unwrap()
    else {
        panic!("tests do not wait");
    };
    assert_eq!((found.id, found.is_test), (test, true));
    let well = WebhookHealth::Well { is_back: true };
    store
        .record_attempt(attempt(&found, WebhookVerdict::Delivered, well))
        .await
        .unwrap();
    assert_eq!(due(&store, made.id, at(50)).await.unwrap().id, first.id);
    let well = store.webhook(made.id).await.unwrap().unwrap();
    assert_eq!((well.failures, well.failing_since), (0, None));
    assert_eq!(well.last_used_at, Some(at(50)));
}

pub(crate) async fn what_was_learnt_about_an_address_is_forgotten_when_it_is_changed(home: Home) {
    let store = home.open().await;
    let made = webhook(&store, &["CHAT"]).await;
    store
        .add_notices(vec![notice(1, "CHAT")], 1, at(1))
        .await
        .unwrap();
    let first = due(&store, made.id, at(1)).await.unwrap();
    let change = WebhookChange {
        url: Some("https://other.example/".into()),
        ..WebhookChange::default()
    };
    let changed = store.change_webhook(made.id, change, at(40)).await;
    let changed = changed.unwrap().unwrap();
    assert_eq!(
        (changed.revision, changed.url.as_str()),
        (1, "https://other.example/")
    );
    // The attempt began before the change.
    let gone = WebhookHealth::Disabled {
        why: "gone".into(),
        since: at(50),
    };
    store
        .record_attempt(attempt(&first, WebhookVerdict::GivenUp, gone))
        .await
        .unwrap();
    let now = store.webhook(made.id).await.unwrap().unwrap();
    assert_eq!(
        (now.is_enabled, now.failures, now.failing_since),
        (true, 0, None)
    );
    assert_eq!(due(&store, made.id, at(50)).await.unwrap().id, first.id);
    let unknown = store
        .change_webhook(999, WebhookChange::default(), at(0))
        .await;
    assert!(unknown.unwrap().is_none());
}

pub(crate) async fn more_than_can_wait_drops_the_oldest_where_it_is_seen(home: Home) {
    let store = home.open().await;
    let made = webhook(&store, &["CHAT"]).await;
    let all: Vec<WebhookNotice> = (1..=MAX_WAITING + 3)
        .map(|seq| notice(seq, "CHAT"))
        .collect();
    let first = all[0].key.clone();
    for notices in all.chunks(500) {
        let up_to = notices.last().unwrap().seq;
        store
            .add_notices(notices.to_vec(), up_to, at(1))
            .await
            .unwrap();
    }
    let webhook = store.webhook(made.id).await.unwrap().unwrap();
    assert_eq!((webhook.waiting, webhook.dropped), (MAX_WAITING, 3));
    let head = due(&store, made.id, at(1)).await.unwrap();
    assert_eq!(head.key, format!("key4-{}", made.id));
    let everything = store.deliveries(Some(made.id), 10_000).await.unwrap();
    let dropped = everything.last().unwrap();
    assert_eq!(dropped.key, format!("{first}-{}", made.id));
    assert_eq!(
        (dropped.state, dropped.body.as_str()),
        (WebhookDeliveryState::Failed, "")
    );
    let resent = store.resend_delivery(dropped.id, at(2)).await.unwrap();
    assert_eq!(resent, ResendResult::Dropped);
    let changed = store
        .change_webhook(made.id, WebhookChange::default(), at(3))
        .await;
    assert_eq!(changed.unwrap().unwrap().dropped, 0);
}

pub(crate) async fn what_waits_too_long_is_given_up_and_what_is_over_is_forgotten(home: Home) {
    let store = home.open().await;
    let made = webhook(&store, &["CHAT"]).await;
    let notices = (1..=1200).map(|seq| notice(seq, "CHAT")).collect();
    store.add_notices(notices, 1200, at(0)).await.unwrap();
    let age = i64::try_from(MAX_WAITING_AGE.as_secs()).unwrap();
    assert_eq!(store.tidy_deliveries(at(age)).await.unwrap(), 0);
    assert_eq!(store.tidy_deliveries(at(age + 1)).await.unwrap(), 1200);
    let left = store.deliveries(None, 10_000).await.unwrap();
    assert_eq!(left.len(), 1000, "the newest thousand are kept");
    let newest = &left[0];
    assert_eq!(newest.state, WebhookDeliveryState::Failed);
    assert!(newest.error.is_some());
    let resent = store.resend_delivery(newest.id, at(age + 2)).await.unwrap();
    assert_eq!(resent, ResendResult::Queued(WebhookQueue::Facts(made.id)));
    assert_eq!(
        due(&store, made.id, at(age + 2)).await.unwrap().id,
        newest.id
    );
    store.tidy_deliveries(at(8 * 24 * 3600)).await.unwrap();
    store.tidy_deliveries(at(8 * 24 * 3600)).await.unwrap();
    assert!(store.deliveries(None, 10_000).await.unwrap().is_empty());
    let unknown = store.resend_delivery(newest.id, at(0)).await.unwrap();
    assert_eq!(unknown, ResendResult::Unknown);
}
