use store::WebhookDeliveryState;

use super::*;

const DAY: Duration = Duration::from_secs(24 * 3600);

fn start() -> Timestamp {
    Timestamp::from_second(1_700_000_000).unwrap()
}

fn webhook() -> Webhook {
    Webhook {
        id: 1,
        url: "https://hooks.example/".into(),
        events: vec!["CHAT".into()],
        allows_internal: false,
        is_enabled: true,
        disabled_why: None,
        created_at: start(),
        last_used_at: None,
        failing_since: None,
        warned_at: None,
        failures: 0,
        dropped: 0,
        waiting: 1,
        aside: 0,
        revision: 0,
    }
}

fn delivery() -> WebhookDelivery {
    WebhookDelivery {
        id: 1,
        key: "k-1".into(),
        webhook_id: 1,
        kind: "CHAT".into(),
        body: "{}".into(),
        is_test: false,
        is_aside: false,
        state: WebhookDeliveryState::Waiting,
        attempts: 0,
        created_at: start(),
        next_at: start(),
        last_at: None,
        status: None,
        response: None,
        error: None,
        duration_ms: None,
    }
}

fn answered(status: u16) -> AttemptOutcome {
    AttemptOutcome {
        status: Some(status),
        ..AttemptOutcome::default()
    }
}

fn unreachable() -> AttemptOutcome {
    AttemptOutcome {
        error: Some("could not connect".into()),
        ..AttemptOutcome::default()
    }
}

/// Fails over and over, recorded as the store does it, until the end; returns the pauses and the end.
fn suffer(outcome: &AttemptOutcome) -> (Vec<Duration>, Webhook, Timestamp) {
    let (mut webhook, mut delivery, mut now) = (webhook(), delivery(), start());
    let mut pauses = Vec::new();
    loop {
        let (verdict, health) = judge(&webhook, &delivery, outcome, now);
        let WebhookHealth::Failing { since, warned_at } = health else {
            panic!("{health:?} after {pauses:?}");
        };
        webhook.failures += 1;
        (webhook.failing_since, webhook.warned_at) = (Some(since), warned_at);
        delivery.attempts += 1;
        let WebhookVerdict::Again { at, .. } = verdict else {
            return (pauses, webhook, now);
        };
        pauses.push(at.duration_since(now).try_into().unwrap());
        now = at;
    }
}

#[test]
fn only_2xx_counts_as_delivered() {
    for status in [200, 201, 202, 204, 299] {
        let (verdict, health) = judge(&webhook(), &delivery(), &answered(status), start());
        assert_eq!(verdict, WebhookVerdict::Delivered, "{status}");
        assert_eq!(health, WebhookHealth::Well { is_back: false });
    }
    for status in [100, 199, 300, 301, 304, 400, 401, 404, 429, 500, 503] {
        let (verdict, _) = judge(&webhook(), &delivery(), &answered(status), start());
        assert!(matches!(verdict, WebhookVerdict::Again { .. }), "{status}");
    }
}

#[test]
fn pauses_grow_to_an_hour_and_end_after_three_days() {
    let (pauses, webhook, end) = suffer(&unreachable());
    let wanted = [10, 30, 120, 600, 1800, 3600, 3600];
    for (pause, seconds) in pauses.iter().zip(wanted) {
        let least = Duration::from_secs(seconds);
        assert!((least..=least + least / 10).contains(pause), "{pause:?}");
    }
    assert!(end >= start() + 3 * DAY && end < start() + 3 * DAY + LONGEST_PAUSE * 2);
    assert!(webhook.warned_at.is_some());
}

#[test]
fn a_receiver_that_was_away_long_is_asked_rarely_also_about_new_notices() {
    let away = Webhook {
        failures: 40,
        ..webhook()
    };
    let (verdict, _) = judge(&away, &delivery(), &unreachable(), start());
    assert!(matches!(verdict, WebhookVerdict::Again { at, .. } if at >= start() + LONGEST_PAUSE));
}

#[test]
fn a_wish_to_be_left_alone_is_honoured_within_bounds() {
    for (requested, least) in [(0, 10), (90, 90), (7200, 7200), (10_000_000, 24 * 3600)] {
        let outcome = AttemptOutcome {
            retry_after: Some(Duration::from_secs(requested)),
            ..answered(503)
        };
        let (verdict, _) = judge(&webhook(), &delivery(), &outcome, start());
        let WebhookVerdict::Again { at, .. } = verdict else {
            panic!("{verdict:?}");
        };
        let least = Duration::from_secs(least);
        assert!(at >= start() + least && at <= start() + least + least / 10);
    }
}

#[test]
fn what_is_refused_steps_aside_and_what_cannot_be_delivered_does_not() {
    let tried = |attempts| WebhookDelivery {
        attempts,
        ..delivery()
    };
    let is_aside = |attempts, outcome: &AttemptOutcome| {
        let (verdict, _) = judge(&webhook(), &tried(attempts), outcome, start());
        matches!(verdict, WebhookVerdict::Again { is_aside: true, .. })
    };
    for status in [400, 401, 404, 413, 422, 500, 501, 505, 599] {
        assert!(!is_aside(0, &answered(status)), "{status}");
        assert!(is_aside(1, &answered(status)), "{status}");
    }
    for outcome in [
        unreachable(),
        answered(301),
        answered(408),
        answered(425),
        answered(429),
        answered(502),
        answered(503),
        answered(504),
    ] {
        assert!(!is_aside(20, &outcome), "{outcome:?}");
    }
}

#[test]
fn what_is_refused_is_tried_twice_then_after_ten_minutes_an_hour_and_six_and_given_up() {
    // However long the receiver was down before.
    for earlier in [0, 30] {
        let away = Webhook {
            failures: earlier,
            ..webhook()
        };
        let (mut delivery, mut now) = (delivery(), start());
        let mut pauses = Vec::new();
        while let (WebhookVerdict::Again { at, is_aside }, _) =
            judge(&away, &delivery, &answered(500), now)
        {
            let pause: Duration = at.duration_since(now).try_into().unwrap();
            pauses.push((pause.as_secs() / 60, is_aside));
            delivery.attempts += 1;
            delivery.is_aside = is_aside;
            (delivery.last_at, delivery.next_at) = (Some(now), at);
            now = at;
        }
        let [first, ten, hour, six] = pauses[..] else {
            panic!("{pauses:?}");
        };
        assert_eq!(first, (0, false));
        assert!(matches!(ten, (10..=11, true)), "{ten:?}");
        assert!(matches!(hour, (60..=66, true)), "{hour:?}");
        assert!(matches!(six, (360..=396, true)), "{six:?}");
    }
}

#[test]
fn what_stepped_aside_is_not_sent_sooner_because_the_receiver_says_so() {
    let outcome = AttemptOutcome {
        retry_after: Some(Duration::from_secs(10)),
        ..answered(500)
    };
    let aside = WebhookDelivery {
        attempts: 1,
        ..delivery()
    };
    let (verdict, _) = judge(&webhook(), &aside, &outcome, start());
    let WebhookVerdict::Again { at, is_aside } = verdict else {
        panic!("{verdict:?}");
    };
    assert!(is_aside && at >= start() + ASIDE_PAUSES[0]);
}

#[test]
fn a_receiver_that_is_gone_for_good_is_told_nothing_any_longer() {
    let (verdict, health) = judge(&webhook(), &delivery(), &answered(410), start());
    assert_eq!(verdict, WebhookVerdict::GivenUp);
    assert!(matches!(health, WebhookHealth::Disabled { why, .. } if why.contains("410")));
}

#[test]
fn a_test_is_tried_once_and_says_nothing_about_the_webhook() {
    let test = WebhookDelivery {
        is_test: true,
        ..delivery()
    };
    for outcome in [unreachable(), answered(410), answered(500)] {
        let judged = judge(&webhook(), &test, &outcome, start());
        assert_eq!(judged, (WebhookVerdict::GivenUp, WebhookHealth::Unknown));
    }
}

#[test]
fn nothing_is_switched_off_before_it_was_warned_of_for_a_day() {
    let failing = |warned_at| Webhook {
        failures: 9,
        failing_since: Some(start()),
        warned_at,
        ..webhook()
    };
    let after = |webhook: &Webhook, days: u32| {
        judge(webhook, &delivery(), &unreachable(), start() + DAY * days).1
    };
    let early = judge(
        &failing(None),
        &delivery(),
        &unreachable(),
        start() + DAY / 2,
    )
    .1;
    assert!(matches!(
        early,
        WebhookHealth::Failing {
            warned_at: None,
            ..
        }
    ));
    let first = Some(start() + DAY);
    assert!(
        matches!(after(&failing(None), 1), WebhookHealth::Failing { warned_at, .. } if warned_at == first)
    );
    assert!(
        matches!(after(&failing(first), 6), WebhookHealth::Failing { warned_at, .. } if warned_at == first)
    );
    assert!(matches!(
        after(&failing(first), 7),
        WebhookHealth::Disabled { .. }
    ));
    // The server was off for a week: it warns first.
    let late = Some(start() + DAY * 8);
    assert!(
        matches!(after(&failing(None), 8), WebhookHealth::Failing { warned_at, .. } if warned_at == late)
    );
    assert!(matches!(
        after(&failing(late), 9),
        WebhookHealth::Disabled { .. }
    ));
}

#[test]
fn the_operator_reads_what_is_wrong() {
    assert_eq!(
        WebhookStatus::of(&webhook()),
        WebhookStatus {
            state: WebhookState::Active,
            warning: None
        }
    );
    let just_failed = Webhook {
        failures: 1,
        ..webhook()
    };
    let webhook_status = WebhookStatus::of(&just_failed);
    assert_eq!(webhook_status.state, WebhookState::Failing);
    assert!(
        webhook_status
            .warning
            .unwrap()
            .contains("the last attempt failed")
    );
    let refusing = Webhook {
        aside: 2,
        ..webhook()
    };
    let webhook_status = WebhookStatus::of(&refusing);
    assert_eq!(webhook_status.state, WebhookState::Failing);
    assert!(webhook_status.warning.unwrap().contains("set aside: 2"));
    let failing = Webhook {
        warned_at: Some(start()),
        dropped: 3,
        ..webhook()
    };
    let webhook_status = WebhookStatus::of(&failing);
    assert_eq!(webhook_status.state, WebhookState::Failing);
    let warning = webhook_status.warning.unwrap();
    assert!(
        warning.contains("7 days") && warning.contains("3 deliveries"),
        "{warning}"
    );
    let by_hand = Webhook {
        is_enabled: false,
        ..webhook()
    };
    let webhook_status = WebhookStatus::of(&by_hand);
    assert_eq!(
        (webhook_status.state, webhook_status.warning),
        (WebhookState::Disabled, None)
    );
    let by_itself = Webhook {
        disabled_why: Some("the reason".into()),
        ..by_hand
    };
    assert!(
        WebhookStatus::of(&by_itself)
            .warning
            .unwrap()
            .contains("the reason")
    );
}
