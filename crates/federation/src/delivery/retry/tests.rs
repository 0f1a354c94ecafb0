use super::*;

fn start() -> Timestamp {
    Timestamp::from_second(1_700_000_000).unwrap()
}

fn tried(attempts: u32) -> RetryState {
    RetryState {
        id: 17,
        attempts,
        expires_at: start() + Duration::from_secs(30 * 24 * 3600),
        is_all_failing: false,
    }
}

fn status(code: u16) -> DeliveryAnswer {
    DeliveryAnswer::Status {
        code,
        retry_after: None,
        text: String::new(),
    }
}

fn asked_to_wait(code: u16, seconds: u64) -> DeliveryAnswer {
    DeliveryAnswer::Status {
        code,
        retry_after: Some(Duration::from_secs(seconds)),
        text: String::new(),
    }
}

fn fault(kind: Fault) -> DeliveryAnswer {
    DeliveryAnswer::Fault {
        kind,
        text: "it did not work".into(),
    }
}

/// The wait before the next attempt; `None` if there is none.
fn pause(answer: &DeliveryAnswer, attempts: u32) -> Option<Duration> {
    match judge(answer, tried(attempts), start()) {
        DeliveryVerdict::Again(at) => Some(at.duration_since(start()).try_into().unwrap()),
        _ => None,
    }
}

// Case 56 of docs/federation-cases.md, by its rules; the requests are in tests/it/delivery.
#[test]
fn a_status_decides_what_becomes_of_a_delivery() {
    for code in [200, 201, 202, 204, 299] {
        let verdict = judge(&status(code), tried(0), start());
        assert_eq!(verdict, DeliveryVerdict::Delivered, "{code}");
    }
    for code in [
        400, 402, 403, 404, 405, 406, 411, 413, 414, 415, 418, 422, 451, 501, 505, 101, 600,
    ] {
        let verdict = judge(&status(code), tried(0), start());
        assert_eq!(verdict, DeliveryVerdict::Failed, "{code}");
    }
    for code in [301, 308, 401, 408, 425, 429, 500, 502, 503, 504, 521] {
        assert!(pause(&status(code), 0).is_some(), "{code}");
    }
    assert_eq!(
        judge(&status(410), tried(0), start()),
        DeliveryVerdict::Gone
    );
}

#[test]
fn pauses_grow_along_the_schedule_within_a_fifth_and_then_it_is_given_up() {
    for id in [0, 1, 17, 1_000_003, i64::MAX] {
        for (attempts, expected) in PAUSES.iter().enumerate() {
            let tried = RetryState {
                id,
                ..tried(u32::try_from(attempts).unwrap())
            };
            let DeliveryVerdict::Again(at) = judge(&status(500), tried, start()) else {
                panic!("given up after {attempts}");
            };
            let pause: Duration = at.duration_since(start()).try_into().unwrap();
            assert!(pause >= *expected * 4 / 5, "{attempts}: {pause:?}");
            assert!(pause <= *expected * 6 / 5, "{attempts}: {pause:?}");
        }
    }
    assert_eq!(
        judge(&status(500), tried(11), start()),
        DeliveryVerdict::Failed,
        "twelve attempts are all"
    );
}

#[test]
fn two_deliveries_to_one_host_do_not_come_back_in_the_same_moment() {
    let one = judge(&status(500), tried(3), start());
    let other = RetryState { id: 18, ..tried(3) };
    assert_ne!(one, judge(&status(500), other, start()));
}

#[test]
fn a_peer_says_when_to_come_again_within_reason() {
    let between = |answer: &DeliveryAnswer, least: u64, most: u64| {
        let pause = pause(answer, 0).unwrap();
        assert!(pause >= Duration::from_secs(least), "{answer:?}: {pause:?}");
        assert!(pause <= Duration::from_secs(most), "{answer:?}: {pause:?}");
    };
    between(&asked_to_wait(429, 120), 120, 132);
    between(&asked_to_wait(503, 0), 10, 11);
    between(&asked_to_wait(429, 10_000_000), 24 * 3600, 27 * 3600);
    // A final answer stays final, whatever comes with it.
    assert_eq!(pause(&asked_to_wait(404, 120), 0), None);
    // Nobody can keep us waiting for ever.
    assert_eq!(pause(&asked_to_wait(429, 120), 11), None);
}

#[test]
fn faults_that_people_have_to_mend_are_on_the_slow_half() {
    let hours =
        |answer: &DeliveryAnswer, attempts| pause(answer, attempts).unwrap().as_secs() / 3600;
    assert!(hours(&fault(Fault::Untrusted), 0) >= 2);
    assert!(hours(&fault(Fault::Untrusted), 7) >= 9);
    assert_eq!(hours(&fault(Fault::Nameless), 0), 0);
    assert_eq!(hours(&fault(Fault::Nameless), 1), 0);
    assert!(hours(&fault(Fault::Nameless), 2) >= 2);
    assert_eq!(hours(&fault(Fault::Unresolved), 2), 0);
    assert_eq!(hours(&fault(Fault::Unreachable), 2), 0);
    assert_eq!(pause(&fault(Fault::Forbidden), 0), None);
}

#[test]
fn while_nothing_arrives_anywhere_no_host_is_blamed_for_long() {
    let alone = RetryState {
        is_all_failing: true,
        ..tried(2)
    };
    for kind in [Fault::Nameless, Fault::Untrusted] {
        assert!(fault(kind).is_lasting());
        let DeliveryVerdict::Again(at) = judge(&fault(kind), alone, start()) else {
            panic!("{kind:?} is given up");
        };
        assert!(at < start() + HOUR, "{kind:?}");
    }
}

#[test]
fn nothing_is_tried_after_its_time() {
    let soon = RetryState {
        expires_at: start() + Duration::from_secs(20),
        ..tried(0)
    };
    assert_eq!(judge(&status(503), soon, start()), DeliveryVerdict::Failed);
    assert_eq!(
        judge(&asked_to_wait(429, 60), soon, start()),
        DeliveryVerdict::Failed
    );
}

#[test]
fn a_host_that_fails_is_left_alone_ever_longer_but_never_long() {
    let held = |failures| match host_health(&status(502), failures, start()) {
        HostHealth::Failing { until } => until.duration_since(start()).as_secs(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        [0, 1, 2, 3, 4, 5, 50].map(held),
        [30, 120, 600, 1800, 3600, 3600, 3600]
    );
    for kind in [
        Fault::Unreachable,
        Fault::Unresolved,
        Fault::Nameless,
        Fault::Untrusted,
    ] {
        let news = host_health(&fault(kind), 0, start());
        assert!(matches!(news, HostHealth::Failing { .. }), "{kind:?}");
    }
    for code in [429, 502, 503, 504] {
        let news = host_health(&status(code), 0, start());
        assert!(matches!(news, HostHealth::Failing { .. }), "{code}");
    }
}

#[test]
fn a_host_that_answers_is_not_held_for_what_it_refuses() {
    assert_eq!(host_health(&status(202), 9, start()), HostHealth::Well);
    for code in [301, 400, 401, 403, 404, 408, 410, 413, 425, 500, 501] {
        let news = host_health(&status(code), 0, start());
        assert_eq!(news, HostHealth::Refusal, "{code}");
    }
    for kind in [Fault::Forbidden, Fault::Ours] {
        assert_eq!(host_health(&fault(kind), 0, start()), HostHealth::Nothing);
    }
}

#[test]
fn a_host_that_asks_for_a_pause_gets_it_for_all_its_inboxes() {
    for (code, seconds, expected) in [(429, 120, 120), (503, 1, 10), (429, 1_000_000, 3600)] {
        let news = host_health(&asked_to_wait(code, seconds), 3, start());
        let until = start() + Duration::from_secs(expected);
        assert_eq!(news, HostHealth::Failing { until }, "{code} {seconds}");
    }
}

#[test]
fn only_a_signature_that_may_be_at_fault_is_made_anew() {
    for code in [400, 401] {
        assert!(wants_second_knock(code));
    }
    for code in [200, 202, 301, 403, 404, 410, 422, 500] {
        assert!(!wants_second_knock(code), "{code}");
    }
}

#[test]
fn every_answer_has_words_and_a_label() {
    for (answer, label, has_words) in [
        (status(202), "2xx", false),
        (status(302), "3xx", true),
        (status(404), "4xx", true),
        (status(502), "5xx", true),
        (fault(Fault::Unresolved), "unresolved", true),
        (fault(Fault::Nameless), "unresolved", true),
        (fault(Fault::Untrusted), "untrusted", true),
        (fault(Fault::Unreachable), "unreachable", true),
        (fault(Fault::Forbidden), "forbidden", true),
        (fault(Fault::Ours), "fault", true),
    ] {
        assert_eq!(answer.label(), label);
        assert_eq!(answer.error().is_some(), has_words, "{label}");
    }
}

#[test]
fn what_is_soon_superseded_is_soon_given_up() {
    let minutes = |kind| life(kind).as_secs() / 60;
    assert_eq!(minutes(DeliveryKind::Offer), 4);
    assert_eq!(minutes(DeliveryKind::Leave), 30);
    assert_eq!(minutes(DeliveryKind::GoLive), 12 * 60);
    for kind in DeliveryKind::ALL {
        assert!(life(kind) <= 7 * 24 * HOUR, "{kind:?}");
    }
    assert_eq!(minutes(DeliveryKind::Post), 7 * 24 * 60);
}
