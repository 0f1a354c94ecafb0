//! How the operator manages webhooks.

use model::Secret;
use notify::{WebhookError, WebhookInput};
use store::{MAX_WEBHOOKS, WebhookChange, WebhookDeliveryState};

use crate::receiver::{Receiver, status};
use crate::support::House;

fn input(url: &str, events: &[&str]) -> WebhookInput {
    WebhookInput {
        url: url.into(),
        events: events.iter().map(|name| (*name).to_owned()).collect(),
        secret: None,
        allows_internal: false,
    }
}

#[tokio::test]
async fn a_wish_that_cannot_work_is_refused_with_a_reason() {
    let room = House::new().open().await;
    let rows = [
        ("not a url", "URL"),
        ("ftp://hooks.example/", "URL"),
        ("https://user:password@hooks.example/", "password"),
        ("http://127.0.0.1:9000/", "allow internal addresses"),
        ("http://localhost:9000/", "allow internal addresses"),
        ("http://nas.local/", "allow internal addresses"),
        ("https://hooks.example:22/", "port 22"),
    ];
    for (url, reason) in rows {
        let error = room
            .webhooks
            .create(input(url, &["CHAT"]))
            .await
            .unwrap_err();
        assert!(error.to_string().contains(reason), "{url}: {error}");
        assert!(!error.to_string().contains("hooks.example/"), "{error}");
    }
    let good = "https://hooks.example/";
    let error = room.webhooks.create(input(good, &[])).await.unwrap_err();
    assert!(matches!(error, WebhookError::NoEvents));
    for name in ["PING", "chat", "", "CHAT,NAME_CHANGE"] {
        let error = room.webhooks.create(input(good, &["CHAT", name])).await;
        assert!(
            matches!(error, Err(WebhookError::UnknownEvent(_))),
            "{name}"
        );
    }
    let secret = Some(Secret::new("x".repeat(257)));
    let long = WebhookInput {
        secret,
        ..input(good, &["CHAT"])
    };
    let error = room.webhooks.create(long).await.unwrap_err();
    assert!(matches!(error, WebhookError::Secret));
    assert!(room.webhooks.list().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_secret_is_made_unless_one_is_given() {
    let room = House::new().open().await;
    let good = input("https://hooks.example/", &["CHAT", "CHAT"]);
    let first = room.webhooks.create(good.clone()).await.unwrap();
    let second = room.webhooks.create(good.clone()).await.unwrap();
    assert_eq!(first.secret.expose().len(), 64);
    assert_ne!(first.secret.expose(), second.secret.expose());
    assert_eq!(first.webhook.events, ["CHAT"]);
    let secret = Some(Secret::new("mine"));
    let third = room
        .webhooks
        .create(WebhookInput {
            secret,
            ..good.clone()
        })
        .await;
    assert_eq!(third.unwrap().secret.expose(), "mine");
    let secret = Some(Secret::new(""));
    let fourth = room.webhooks.create(WebhookInput { secret, ..good }).await;
    assert_eq!(fourth.unwrap().secret.expose().len(), 64);
}

#[tokio::test]
async fn there_can_be_only_so_many() {
    let room = House::new().open().await;
    let good = input("https://hooks.example/", &["CHAT"]);
    for _ in 0..MAX_WEBHOOKS {
        room.webhooks.create(good.clone()).await.unwrap();
    }
    let error = room.webhooks.create(good.clone()).await.unwrap_err();
    assert!(matches!(error, WebhookError::TooMany));
    let first = room.only_webhook().await;
    room.webhooks.delete(first.id).await.unwrap();
    let next = room.webhooks.create(good).await.unwrap();
    assert!(next.webhook.id > first.id, "numbers are not used again");
}

#[tokio::test]
async fn a_test_is_sent_at_once_and_once_past_all_that_waits() {
    let house = House::new();
    let receiver = Receiver::start(|_| status(500)).await;
    let room = house.open().await;
    let id = room.webhook(&receiver.url()).await.webhook.id;
    room.say("waits").await;
    room.until_tried(1).await;
    let failed = room.webhooks.send_test(id, None).await.unwrap();
    let all = room.until(WebhookDeliveryState::Failed, 1).await;
    let test = all.iter().find(|one| one.id == failed).unwrap();
    assert_eq!(
        (test.is_test, test.attempts, test.status),
        (true, 1, Some(500))
    );
    assert_eq!(test.kind, "STREAM_TITLE_UPDATED", "the first it asked for");

    receiver.now(|_| status(200));
    let change = WebhookChange {
        is_enabled: Some(false),
        ..WebhookChange::default()
    };
    room.webhooks.update(id, change).await.unwrap();
    room.webhooks
        .send_test(id, Some("STREAM_STARTED"))
        .await
        .unwrap();
    room.until(WebhookDeliveryState::Delivered, 1).await;
    let last = receiver.seen().pop().unwrap();
    assert_eq!(last.headers["rillcast-event"], "STREAM_STARTED");
    assert!(last.body.contains("an example"));

    let unknown = room.webhooks.send_test(id, Some("PING")).await;
    assert!(matches!(unknown, Err(WebhookError::UnknownEvent(_))));
    let wordless = room.webhooks.send_test(id, Some("CHAT")).await;
    assert!(matches!(wordless, Err(WebhookError::NoSample(_))));
    let nobody = room.webhooks.send_test(999, None).await;
    assert!(matches!(nobody, Err(WebhookError::Unknown)));
}

#[tokio::test]
async fn what_was_given_up_can_be_sent_again_by_hand() {
    let house = House::new();
    let receiver = Receiver::start(|_| status(500)).await;
    let room = house.open().await;
    let id = room.webhook(&receiver.url()).await.webhook.id;
    room.say("hello").await;
    let given_up = room.pass_time_until_over().await;
    assert_eq!(given_up.state, WebhookDeliveryState::Failed);
    receiver.now(|_| status(200));
    room.webhooks.retry(given_up.id).await.unwrap();
    let all = room.until(WebhookDeliveryState::Delivered, 1).await;
    assert_eq!((all.len(), &all[0].key), (1, &given_up.key));
    let again = room.webhooks.retry(given_up.id).await;
    assert!(matches!(again, Err(WebhookError::Arrived)));
    let unknown = room.webhooks.retry(999).await;
    assert!(matches!(unknown, Err(WebhookError::UnknownDelivery)));
    room.webhooks.delete(id).await.unwrap();
    assert!(room.deliveries().await.is_empty());
    assert!(matches!(
        room.webhooks.delete(id).await,
        Err(WebhookError::Unknown)
    ));
}

#[tokio::test]
async fn what_waits_can_be_sent_now() {
    let house = House::new();
    let receiver = Receiver::start(|_| status(500)).await;
    let room = house.open().await;
    room.webhook(&receiver.url()).await;
    for title in ["one", "two"] {
        room.say(title).await;
    }
    room.until_tried(1).await;
    let all = room.until(WebhookDeliveryState::Waiting, 2).await;
    receiver.now(|_| status(200));
    // No time passes: the first one goes out because the second is requested.
    room.webhooks.retry(all[1].id).await.unwrap();
    room.until(WebhookDeliveryState::Delivered, 2).await;
    let told: Vec<bool> = receiver
        .seen()
        .iter()
        .map(|one| one.body.contains("one"))
        .collect();
    assert_eq!(told, [true, true, false], "in order, the first one twice");
}
