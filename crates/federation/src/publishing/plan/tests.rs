use super::*;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + seconds).unwrap()
}

const POLICY: GoLivePolicy = GoLivePolicy {
    delay: Duration::from_secs(15),
    cooldown: Duration::from_secs(600),
    has_message: true,
};

fn live_since(seconds: i64) -> BroadcastState {
    BroadcastState {
        live_since: Some(at(seconds)),
        is_online: true,
        ..BroadcastState::default()
    }
}

#[test]
fn followers_are_told_once_the_delay_is_over() {
    let state = live_since(0);
    let when = go_live(&state, &POLICY, at(0));
    assert_eq!(when, DueTime::At(at(15)));
    assert!(!when.is_due(at(14)));
    assert!(when.is_due(at(15)));
}

// Case 58 of docs/federation-cases.md, by its rules; the posts are in tests/it/voice/live.rs.
#[test]
fn a_short_stream_and_one_that_comes_back_are_not_told_of() {
    let over = BroadcastState {
        live_since: None,
        ..live_since(0)
    };
    assert_eq!(go_live(&over, &POLICY, at(20)), DueTime::Never);

    let back = BroadcastState {
        last_post: Some(at(-500)),
        ..live_since(0)
    };
    assert_eq!(go_live(&back, &POLICY, at(0)), DueTime::Never);
    assert_eq!(
        go_live(&back, &POLICY, at(300)),
        DueTime::Never,
        "the cooldown running out later does not bring the post back"
    );

    let later = BroadcastState {
        last_post: Some(at(-586)),
        ..live_since(0)
    };
    assert_eq!(go_live(&later, &POLICY, at(0)), DueTime::At(at(15)));
}

#[test]
fn a_broadcast_has_one_post_however_long_it_lasts() {
    let told = BroadcastState {
        last_post: Some(at(15)),
        ..live_since(0)
    };
    for now in [16, 700, 90_000] {
        assert_eq!(go_live(&told, &POLICY, at(now)), DueTime::Never, "{now}");
    }
    let no_cooldown = GoLivePolicy {
        cooldown: Duration::ZERO,
        ..POLICY
    };
    assert_eq!(go_live(&told, &no_cooldown, at(90_000)), DueTime::Never);
}

#[test]
fn a_post_that_is_late_by_a_restart_is_sent_only_while_it_is_news() {
    assert_eq!(
        go_live(&live_since(0), &POLICY, at(120)),
        DueTime::At(at(15))
    );
    assert_eq!(go_live(&live_since(0), &POLICY, at(3600)), DueTime::Never);
    let unseen = BroadcastState {
        is_online: false,
        ..live_since(0)
    };
    assert_eq!(
        go_live(&unseen, &POLICY, at(20)),
        DueTime::Never,
        "nobody can watch it yet"
    );
}

#[test]
fn an_empty_message_means_no_post() {
    let silent = GoLivePolicy {
        has_message: false,
        ..POLICY
    };
    assert_eq!(go_live(&live_since(0), &silent, at(15)), DueTime::Never);
}

#[test]
fn the_first_ping_comes_at_once_and_the_others_about_every_five_minutes() {
    let mut state = live_since(0);
    assert_eq!(offer(&state), DueTime::At(at(0)));
    let mut pauses = Vec::new();
    let mut last = at(0);
    for _ in 0..50 {
        state.last_status = Some((PingKind::Offer, last));
        let next = offer(&state).time().unwrap();
        let pause = next.duration_since(last).as_secs_f64();
        assert!((280.0..=320.0).contains(&pause), "{pause}");
        pauses.push(pause as i64);
        last = next;
    }
    pauses.sort_unstable();
    pauses.dedup();
    assert!(pauses.len() > 10, "they are spread: {pauses:?}");
}

#[test]
fn a_ping_of_an_earlier_broadcast_or_before_a_good_bye_counts_for_nothing() {
    for said in [PingKind::Offer, PingKind::Leave] {
        let earlier = BroadcastState {
            last_status: Some((said, at(-10))),
            ..live_since(0)
        };
        assert_eq!(offer(&earlier), DueTime::At(at(0)), "{said:?}");
    }
    let restarted = BroadcastState {
        last_status: Some((PingKind::Leave, at(20))),
        ..live_since(0)
    };
    assert!(offer(&restarted).is_due(at(21)));
    let away = BroadcastState {
        is_online: false,
        ..restarted
    };
    assert_eq!(offer(&away), DueTime::Never);
}

#[test]
fn good_bye_is_said_once_and_only_to_those_who_were_greeted() {
    let mut state = BroadcastState::default();
    assert!(!owes_leave(&state) && !owes_parting(&state));
    state.last_status = Some((PingKind::Offer, at(0)));
    assert!(owes_leave(&state) && owes_parting(&state));
    state.live_since = Some(at(0));
    assert!(!owes_leave(&state), "the stream is on");
    assert!(owes_parting(&state), "but the process ends");
    state.last_status = Some((PingKind::Leave, at(30)));
    state.live_since = None;
    assert!(!owes_leave(&state) && !owes_parting(&state));
}
