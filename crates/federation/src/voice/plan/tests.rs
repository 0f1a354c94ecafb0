use super::*;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + seconds).unwrap()
}

const WISHES: Wishes = Wishes {
    delay: Duration::from_secs(15),
    cooldown: Duration::from_secs(600),
    has_message: true,
};

fn live_since(seconds: i64) -> Known {
    Known {
        live_since: Some(at(seconds)),
        is_online: true,
        ..Known::default()
    }
}

#[test]
fn followers_are_told_once_the_delay_is_over() {
    let known = live_since(0);
    let when = go_live(&known, &WISHES, at(0));
    assert_eq!(when, When::At(at(15)));
    assert!(!when.is_due(at(14)));
    assert!(when.is_due(at(15)));
}

// Number 58: a stream that ends during the delay, and one that begins again within the cooldown.
#[test]
fn a_short_stream_and_one_that_comes_back_are_not_told_of() {
    let over = Known {
        live_since: None,
        ..live_since(0)
    };
    assert_eq!(go_live(&over, &WISHES, at(20)), When::Never);

    let back = Known {
        last_post: Some(at(-500)),
        ..live_since(0)
    };
    assert_eq!(go_live(&back, &WISHES, at(0)), When::Never);
    assert_eq!(
        go_live(&back, &WISHES, at(300)),
        When::Never,
        "the cooldown running out later does not bring the post back"
    );

    let later = Known {
        last_post: Some(at(-586)),
        ..live_since(0)
    };
    assert_eq!(go_live(&later, &WISHES, at(0)), When::At(at(15)));
}

#[test]
fn a_broadcast_has_one_post_however_long_it_lasts() {
    let told = Known {
        last_post: Some(at(15)),
        ..live_since(0)
    };
    for now in [16, 700, 90_000] {
        assert_eq!(go_live(&told, &WISHES, at(now)), When::Never, "{now}");
    }
    let no_cooldown = Wishes {
        cooldown: Duration::ZERO,
        ..WISHES
    };
    assert_eq!(go_live(&told, &no_cooldown, at(90_000)), When::Never);
}

#[test]
fn a_post_that_is_late_by_a_restart_is_sent_only_while_it_is_news() {
    assert_eq!(go_live(&live_since(0), &WISHES, at(120)), When::At(at(15)));
    assert_eq!(go_live(&live_since(0), &WISHES, at(3600)), When::Never);
    let unseen = Known {
        is_online: false,
        ..live_since(0)
    };
    assert_eq!(
        go_live(&unseen, &WISHES, at(20)),
        When::Never,
        "nobody can watch it yet"
    );
}

#[test]
fn an_empty_message_means_no_post() {
    let silent = Wishes {
        has_message: false,
        ..WISHES
    };
    assert_eq!(go_live(&live_since(0), &silent, at(15)), When::Never);
}

#[test]
fn the_first_ping_comes_at_once_and_the_others_about_every_five_minutes() {
    let mut known = live_since(0);
    assert_eq!(offer(&known), When::At(at(0)));
    let mut pauses = Vec::new();
    let mut last = at(0);
    for _ in 0..50 {
        known.last_status = Some((Status::Offer, last));
        let next = offer(&known).time().unwrap();
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
    for said in [Status::Offer, Status::Leave] {
        let earlier = Known {
            last_status: Some((said, at(-10))),
            ..live_since(0)
        };
        assert_eq!(offer(&earlier), When::At(at(0)), "{said:?}");
    }
    let restarted = Known {
        last_status: Some((Status::Leave, at(20))),
        ..live_since(0)
    };
    assert!(offer(&restarted).is_due(at(21)));
    let away = Known {
        is_online: false,
        ..restarted
    };
    assert_eq!(offer(&away), When::Never);
}

#[test]
fn good_bye_is_said_once_and_only_to_those_who_were_greeted() {
    let mut known = Known::default();
    assert!(!owes_leave(&known) && !owes_parting(&known));
    known.last_status = Some((Status::Offer, at(0)));
    assert!(owes_leave(&known) && owes_parting(&known));
    known.live_since = Some(at(0));
    assert!(!owes_leave(&known), "the stream is on");
    assert!(owes_parting(&known), "but the process ends");
    known.last_status = Some((Status::Leave, at(30)));
    known.live_since = None;
    assert!(!owes_leave(&known) && !owes_parting(&known));
}
