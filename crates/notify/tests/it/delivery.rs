//! Everything arrives, in order, whatever happens in between.

use std::net::{IpAddr, TcpListener};
use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, digest};
use model::{Clock, Event};
use notify::WebhookInput;
use outbound::{Client, Lookup, Resolver};
use store::{LeaseName, Leases, WebhookChange, WebhookDeliveryState};
use testkit::eventually;
use tokio_util::sync::CancellationToken;

use crate::receiver::{Answer, Received, Receiver, status};
use crate::support::{House, LONG, SHORT};

/// The titles a receiver got, in order.
fn titles(seen: &[Received]) -> Vec<String> {
    let title = |one: &Received| {
        let text = one.body.split(r#""text":""#).nth(1).unwrap();
        text.split('"').next().unwrap().to_owned()
    };
    seen.iter().map(title).collect()
}

fn numbers(range: std::ops::Range<i32>) -> Vec<String> {
    range.map(|number| number.to_string()).collect()
}

/// HMAC-SHA256 as RFC 2104 defines it, for keys of up to a block.
fn hmac(key: &str, message: &str) -> String {
    let mut block = [0; 64];
    block[..key.len()].copy_from_slice(key.as_bytes());
    let inner = digest(
        &SHA256,
        &[&block.map(|b| b ^ 0x36), message.as_bytes()].concat(),
    );
    let outer = digest(
        &SHA256,
        &[&block.map(|b| b ^ 0x5c), inner.as_ref()].concat(),
    );
    let hex = |byte: &u8| format!("{byte:02x}");
    outer.as_ref().iter().map(hex).collect()
}

#[tokio::test]
async fn every_event_arrives_signed_once_and_in_order() {
    let (house, receiver) = (House::new(), Receiver::friendly().await);
    let room = house.open().await;
    room.say("before anybody asked").await;
    let created = room.webhook(&receiver.url()).await;
    for number in 0..30 {
        room.say(number).await;
    }
    let kept = room.until(WebhookDeliveryState::Delivered, 30).await;
    let seen = receiver.seen();
    assert_eq!(titles(&seen), numbers(0..30));
    for (received, delivery) in seen.iter().zip(&kept) {
        let headers = &received.headers;
        assert_eq!(headers["content-type"], "application/json");
        assert_eq!(headers["user-agent"], "rillcast/test");
        assert_eq!(headers["rillcast-event"], "STREAM_TITLE_UPDATED");
        assert_eq!(headers["rillcast-delivery"], delivery.key);
        assert_eq!(headers["owncast-signature"], headers["rillcast-signature"]);
        let time = house.clock.now().as_second();
        let proof = hmac(
            created.secret.expose(),
            &format!("{time}.{}", received.body),
        );
        assert_eq!(headers["rillcast-signature"], format!("t={time}.s={proof}"));
        assert_eq!((delivery.attempts, delivery.status), (1, Some(204)));
        assert_eq!(delivery.body, "", "what has arrived is not kept");
    }
    let webhook = room.only_webhook().await;
    assert_eq!((webhook.waiting, webhook.last_used_at.is_some()), (0, true));
    room.close().await;
}

#[tokio::test]
async fn a_receiver_that_was_away_gets_everything_once_and_in_order() {
    let house = House::new();
    let room = house.open().await;
    let address = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    room.webhook(&format!("http://{address}/")).await;
    for number in 0..20 {
        room.say(number).await;
    }
    for attempt in 1..4 {
        let first = room.until_tried(attempt).await;
        assert!(first.error.unwrap().contains("could not connect"));
        house.clock.advance(LONG);
    }
    let receiver = Receiver::at(address, |_| status(200)).await;
    room.pass_time_until_over().await;
    // The others need no more time to pass.
    room.until(WebhookDeliveryState::Delivered, 20).await;
    assert_eq!(titles(&receiver.seen()), numbers(0..20));
    assert_eq!(room.only_webhook().await.failing_since, None);
}

#[tokio::test]
async fn what_was_queued_before_a_crash_arrives_after_it_under_its_id() {
    let house = House::new();
    let receiver = Receiver::start(|_| Answer::Silence).await;
    let room = house.open().await;
    room.webhook(&receiver.url()).await;
    for number in 0..5 {
        room.say(number).await;
    }
    let queued = room.until(WebhookDeliveryState::Waiting, 5).await;
    eventually("the first is under way", async || {
        (!receiver.seen().is_empty()).then_some(())
    })
    .await;
    room.kill().await;
    // Events that are committed and that nobody has read yet.
    let store = house.store().await;
    for number in 5..8 {
        let title = number.to_string();
        let event = Event::StreamTitleChanged { title };
        store.log_event(event, house.clock.now()).await.unwrap();
    }
    store.close().await;

    let before = receiver.seen().len();
    receiver.now(|_| status(202));
    let room = house.open().await;
    let kept = room.until(WebhookDeliveryState::Delivered, 8).await;
    let seen = receiver.seen().split_off(before);
    assert_eq!(titles(&seen), numbers(0..8));
    let ids =
        |all: &[store::WebhookDelivery]| all.iter().map(|one| one.key.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&kept)[..5], ids(&queued)[..]);
    assert_eq!(receiver.seen()[0].delivery(), seen[0].delivery());
    assert_eq!(kept.len(), 8);
}

#[tokio::test]
async fn a_silent_receiver_is_tried_again_and_holds_up_nobody_else() {
    let house = House::new();
    let silent = Receiver::start(|_| Answer::Silence).await;
    let friendly = Receiver::friendly().await;
    let room = house.open().await;
    room.webhook(&silent.url()).await;
    room.webhook(&friendly.url()).await;
    room.say("hello").await;
    eventually("the other one hears it meanwhile", async || {
        (friendly.seen().len() == 1 && silent.seen().len() == 1).then_some(())
    })
    .await;
    let first = room.until_tried(1).await;
    assert!(first.error.unwrap().contains("did not answer in time"));
    assert_eq!(
        (first.status, first.state),
        (None, WebhookDeliveryState::Waiting)
    );
    silent.now(|_| status(200));
    house.clock.advance(SHORT);
    room.until(WebhookDeliveryState::Delivered, 2).await;
    let seen = silent.seen();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[0].delivery(), seen[1].delivery());
    assert_ne!(seen[0].delivery(), friendly.seen()[0].delivery());
    assert_ne!(
        seen[0].headers["rillcast-signature"], seen[1].headers["rillcast-signature"],
        "each attempt is signed with its own time"
    );
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let house = House::new();
    let trap = TcpListener::bind("127.0.0.1:0").unwrap();
    trap.set_nonblocking(true).unwrap();
    let target = format!("location: http://{}/\r\n", trap.local_addr().unwrap());
    let target: &'static str = target.leak();
    let receiver = Receiver::start(move |_| Answer::Status(307, target, String::new())).await;
    let room = house.open().await;
    room.webhook(&receiver.url()).await;
    room.say("secret").await;
    let first = room.until_tried(1).await;
    assert_eq!(first.status, Some(307));
    assert!(first.error.unwrap().contains("redirects"));
    house.clock.advance(SHORT);
    room.until_tried(2).await;
    assert!(trap.accept().is_err(), "somebody went where they were sent");
}

/// Resolves every name to this machine.
struct Here;

impl Resolver for Here {
    fn lookup(&self, _host: String) -> Lookup {
        Box::pin(async { Ok(vec![IpAddr::from([127, 0, 0, 1])]) })
    }
}

#[tokio::test]
async fn an_internal_address_behind_a_name_is_contacted_only_with_consent() {
    let (house, receiver) = (House::new(), Receiver::friendly().await);
    let client = Client::builder().user_agent("rillcast/test").resolver(Here);
    let room = house.open_with(client.build().unwrap()).await;
    let input = WebhookInput {
        url: format!("http://hooks.example:{}/", receiver.address.port()),
        events: vec!["STREAM_TITLE_UPDATED".into()],
        secret: None,
        allows_internal: false,
    };
    let created = room.webhooks.create(input).await.unwrap();
    room.say("hello").await;
    let first = room.until_tried(1).await;
    let error = first.error.unwrap();
    assert!(error.contains("allow internal addresses"), "{error}");
    assert!(receiver.seen().is_empty());
    let change = WebhookChange {
        allows_internal: Some(true),
        ..WebhookChange::default()
    };
    // Pending deliveries go out at once: no time passes here.
    room.webhooks
        .update(created.webhook.id, change)
        .await
        .unwrap();
    room.until(WebhookDeliveryState::Delivered, 1).await;
    assert_eq!(receiver.seen().len(), 1);
}

#[tokio::test]
async fn all_webhooks_reach_the_own_network_once_the_operator_says_so_and_show_nothing_of_it() {
    let house = House::new();
    let receiver = Receiver::start(|_| Answer::Status(200, "", "a secret of the router".into()));
    let receiver = receiver.await;
    let client = Client::builder().user_agent("rillcast/test").resolver(Here);
    let room = house.open_with(client.build().unwrap()).await;
    let port = receiver.address.port();
    let input = |host: &str| WebhookInput {
        url: format!("http://{host}:{port}/"),
        events: vec!["STREAM_TITLE_UPDATED".into()],
        secret: None,
        allows_internal: false,
    };
    let refused = room.webhooks.create(input("127.0.0.1")).await.unwrap_err();
    assert!(refused.to_string().contains("webhooks_allow_internal"));
    let setting = &model::settings::table::notices::WEBHOOKS_ALLOW_INTERNAL;
    let set = room.settings.set(setting, true.into(), house.clock.now());
    set.await.unwrap();
    for host in ["127.0.0.1", "hooks.example"] {
        room.webhooks.create(input(host)).await.unwrap();
    }
    let never = room.webhooks.create(input("169.254.169.254")).await;
    assert!(never.is_err(), "metadata services stay closed");
    room.say("hello").await;
    let all = room.until(WebhookDeliveryState::Delivered, 2).await;
    assert!(all.iter().all(|one| one.response.is_none()), "{all:?}");
    assert_eq!(receiver.seen().len(), 2);
}

#[tokio::test]
async fn a_fact_that_cannot_be_put_into_words_does_not_stop_those_after_it() {
    let (house, receiver) = (House::new(), Receiver::friendly().await);
    let room = house.open().await;
    room.webhook(&receiver.url()).await;
    for title in ["one", "panic", "two"] {
        room.say(title).await;
    }
    room.until(WebhookDeliveryState::Delivered, 2).await;
    assert_eq!(titles(&receiver.seen()), ["one", "two"]);
}

#[tokio::test]
async fn only_what_was_asked_for_is_told() {
    let (house, receiver) = (House::new(), Receiver::friendly().await);
    let room = house.open().await;
    room.webhook(&receiver.url()).await;
    let stopped = Event::StreamStopped { id: "1".into() };
    room.store
        .log_event(stopped, house.clock.now())
        .await
        .unwrap();
    room.say("wanted").await;
    let kept = room.until(WebhookDeliveryState::Delivered, 1).await;
    assert_eq!(kept.len(), 1);
    assert_eq!(titles(&receiver.seen()), ["wanted"]);
}

#[tokio::test]
async fn what_came_of_a_notice_is_not_kept_by_a_server_that_lost_the_work_meanwhile() {
    let house = House::new();
    let receiver = Receiver::start(|_| Answer::Silence).await;
    let store = house.store().await;
    let (leases, keeping) = Leases::keep(
        store.clone(),
        Arc::new(house.clock.clone()),
        "one".into(),
        CancellationToken::new(),
    );
    tokio::spawn(keeping);
    let room = house.open_under(leases).await;
    room.webhook(&receiver.url()).await;
    room.say("once").await;
    eventually("the notice is under way", async || {
        (!receiver.seen().is_empty()).then_some(())
    })
    .await;
    // Its clock stands still, and so do its renewals.
    let held = store.leases().await.unwrap().remove(0).1;
    let taken = store
        .take_lease(LeaseName::Webhooks, Some(held), "two".into())
        .await;
    assert_eq!(taken.unwrap(), Some(2));
    room.close().await;

    receiver.now(|_| status(204));
    let next = house.open().await;
    let kept = next.until(WebhookDeliveryState::Delivered, 1).await;
    assert_eq!(kept[0].attempts, 1, "the first one was not kept");
    let seen = receiver.seen();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[0].delivery(), seen[1].delivery());
}
