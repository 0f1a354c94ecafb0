//! What follows from a receiver's answer.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::Clock;
use notify::{WebhookState, WebhookStatus};
use store::{WebhookChange, WebhookDeliveryState};
use testkit::eventually;

use crate::receiver::{Answer, Receiver, status};
use crate::support::{House, LONG};

const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test]
async fn a_notice_that_is_tried_again_keeps_its_id_and_its_body() {
    let (house, asked) = (House::new(), AtomicUsize::new(0));
    let receiver = Receiver::start(move |_| match asked.fetch_add(1, Ordering::SeqCst) {
        0 => status(500),
        1 => status(404),
        2 => status(429),
        _ => status(200),
    })
    .await;
    let room = house.open().await;
    room.webhook(&receiver.url()).await;
    room.say("hello").await;
    let over = room.pass_time_until_over().await;
    assert_eq!(over.state, WebhookDeliveryState::Delivered);
    let seen = receiver.seen();
    assert_eq!((seen.len(), over.attempts), (4, 4));
    for again in &seen {
        assert_eq!(again.delivery(), over.key);
        assert_eq!(again.body, seen[0].body);
    }
}

#[tokio::test]
async fn a_receiver_that_asks_for_time_is_given_it() {
    let house = House::new();
    let receiver =
        Receiver::start(|_| Answer::Status(503, "retry-after: 3600\r\n", "busy".into())).await;
    let room = house.open().await;
    room.webhook(&receiver.url()).await;
    room.say("hello").await;
    let first = room.until_tried(1).await;
    assert_eq!(first.response.as_deref(), Some("busy"));
    assert!(first.next_at >= house.clock.now() + Duration::from_secs(3600));
    assert!(first.next_at <= house.clock.now() + Duration::from_secs(4000));
}

#[tokio::test]
async fn an_answer_is_cut_and_cleaned_and_a_rude_one_still_counts() {
    let house = House::new();
    let receiver = Receiver::start(|_| {
        let body = format!("<b>\u{1b}[2J\0\u{202e}{}", "x".repeat(3_000_000));
        Answer::Status(200, "", body)
    })
    .await;
    let room = house.open().await;
    room.webhook(&receiver.url()).await;
    room.say("hello").await;
    let kept = room.until(WebhookDeliveryState::Delivered, 1).await;
    let response = kept[0].response.clone().unwrap();
    assert!(response.len() <= 1024, "{}", response.len());
    assert!(response.starts_with("<b> [2J x"), "{}", &response[..20]);
}

#[tokio::test]
async fn a_notice_that_is_refused_lets_others_pass() {
    for refusal in [400, 500, 501] {
        let house = House::new();
        let receiver = Receiver::start(move |received| match received.body.contains("bad") {
            true => status(refusal),
            false => status(200),
        })
        .await;
        let room = house.open().await;
        room.webhook(&receiver.url()).await;
        for title in ["bad", "good", "better"] {
            room.say(title).await;
        }
        room.until_tried(1).await;
        assert_eq!(receiver.seen().len(), 1, "the others keep their place");
        house.clock.advance(LONG);
        room.until_tried(2).await;
        let all = room.until(WebhookDeliveryState::Delivered, 2).await;
        assert_eq!(all[0].state, WebhookDeliveryState::Waiting);
        let webhook_status = WebhookStatus::of(&room.only_webhook().await);
        assert_eq!(
            webhook_status.state,
            WebhookState::Failing,
            "which shows at once"
        );
        assert!(webhook_status.warning.unwrap().contains("set aside: 1"));
        receiver.now(|_| status(200));
        let over = room.pass_time_until_over().await;
        assert_eq!(over.state, WebhookDeliveryState::Delivered);
        let webhook_status = WebhookStatus::of(&room.only_webhook().await);
        assert_eq!(webhook_status.state, WebhookState::Active);
    }
}

#[tokio::test]
async fn a_receiver_that_is_gone_is_switched_off_with_a_word_about_it() {
    let house = House::new();
    let receiver = Receiver::start(|_| status(410)).await;
    let room = house.open().await;
    let id = room.webhook(&receiver.url()).await.webhook.id;
    room.say("one").await;
    room.until(WebhookDeliveryState::Failed, 1).await;
    let webhook_status = WebhookStatus::of(&room.only_webhook().await);
    assert_eq!(webhook_status.state, WebhookState::Disabled);
    assert!(webhook_status.warning.unwrap().contains("410"));
    room.say("nobody hears this").await;
    receiver.now(|_| status(200));
    let change = WebhookChange {
        is_enabled: Some(true),
        ..WebhookChange::default()
    };
    let webhook = room.webhooks.update(id, change).await.unwrap();
    assert_eq!(WebhookStatus::of(&webhook).state, WebhookState::Active);
    room.say("two").await;
    let all = room.until(WebhookDeliveryState::Delivered, 1).await;
    assert_eq!(all.len(), 2, "what happened while it was off is not told");
    let last = receiver.seen().pop().unwrap();
    assert!(last.body.contains("two"));
}

#[tokio::test]
async fn a_week_of_nothing_but_failures_ends_a_webhook_after_a_visible_warning() {
    let house = House::new();
    let receiver = Receiver::start(|_| status(503)).await;
    let room = house.open().await;
    room.webhook(&receiver.url()).await;
    let mut states = Vec::new();
    for day in 0..12 {
        room.say(day).await;
        let today = Some(house.clock.now());
        eventually("it has failed today", async || {
            let all = room.deliveries().await;
            all.iter().any(|one| one.last_at == today).then_some(())
        })
        .await;
        let state = WebhookStatus::of(&room.only_webhook().await).state;
        states.push((day, state));
        if state == WebhookState::Disabled {
            break;
        }
        house.clock.advance(DAY);
    }
    let first = |wanted| states.iter().find(|(_, state)| *state == wanted).unwrap().0;
    assert_eq!(first(WebhookState::Failing), 0);
    assert_eq!(first(WebhookState::Disabled), 7);
    let webhook_status = WebhookStatus::of(&room.only_webhook().await);
    assert!(webhook_status.warning.unwrap().contains("7 days"));
}

#[tokio::test]
async fn one_success_clears_the_warning() {
    let house = House::new();
    let receiver = Receiver::start(|_| status(500)).await;
    let room = house.open().await;
    room.webhook(&receiver.url()).await;
    room.say("hello").await;
    room.until_tried(1).await;
    house.clock.advance(DAY + LONG);
    room.until_tried(2).await;
    let webhook_status = WebhookStatus::of(&room.only_webhook().await);
    assert_eq!(webhook_status.state, WebhookState::Failing);
    receiver.now(|_| status(200));
    room.pass_time_until_over().await;
    let webhook = room.only_webhook().await;
    assert_eq!(WebhookStatus::of(&webhook).state, WebhookState::Active);
    assert_eq!((webhook.failures, webhook.failing_since), (0, None));
}
