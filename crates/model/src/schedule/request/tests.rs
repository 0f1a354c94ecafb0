use super::*;

const RULE: &str = "DTSTART;TZID=Europe/Berlin:20300104T200000\nRRULE:FREQ=WEEKLY;BYDAY=FR";

fn now() -> Timestamp {
    "2030-01-01T00:00:00Z".parse().unwrap()
}

fn id() -> ScheduleId {
    ScheduleId::parse("e1").unwrap()
}

fn some(text: &str) -> Option<String> {
    Some(text.into())
}

fn single() -> ScheduleRequest {
    ScheduleRequest {
        name: some("Cooking"),
        start: some("2030-01-31T20:00:00Z"),
        ..ScheduleRequest::default()
    }
}

fn event() -> ScheduledEvent {
    match single().plan(id(), now()).unwrap() {
        NewSchedule::Single(event) => event,
        NewSchedule::Series(..) => panic!("a single one was asked for"),
    }
}

fn series() -> Series {
    let request = ScheduleRequest {
        name: some("Cooking"),
        recurrence: some(RULE),
        ..ScheduleRequest::default()
    };
    match request.plan(id(), now()).unwrap() {
        NewSchedule::Series(series, _) => series,
        NewSchedule::Single(_) => panic!("a series was asked for"),
    }
}

fn refusal(request: ScheduleRequest) -> String {
    request.plan(id(), now()).unwrap_err().to_string()
}

#[test]
fn what_is_left_out_is_as_usual() {
    let event = event();
    assert_eq!(
        (event.duration_minutes, event.timezone.as_str()),
        (60, "UTC")
    );
    assert_eq!(event.description, "");
    assert_eq!(event.starts_at, "2030-01-31T20:00:00Z".parse().unwrap());
    assert!(series().is_active);
}

#[test]
fn a_start_without_offset_is_what_the_clock_shows_there() {
    let request = ScheduleRequest {
        start: some("2030-07-01T20:00:00"),
        timezone: some("europe/berlin"),
        ..single()
    };
    let NewSchedule::Single(event) = request.plan(id(), now()).unwrap() else {
        panic!("a single one was asked for")
    };
    assert_eq!(event.starts_at, "2030-07-01T18:00:00Z".parse().unwrap());
    assert_eq!(event.timezone, "Europe/Berlin");
}

#[test]
fn wishes_that_cannot_be_are_refused_with_a_reason() {
    for (request, reason) in [
        (
            ScheduleRequest {
                name: None,
                ..single()
            },
            "name is required",
        ),
        (
            ScheduleRequest {
                name: some("  "),
                ..single()
            },
            "name is required",
        ),
        (
            ScheduleRequest {
                name: some("a\nb"),
                ..single()
            },
            "single line",
        ),
        (
            ScheduleRequest {
                name: Some("x".repeat(201)),
                ..single()
            },
            "too long",
        ),
        (
            ScheduleRequest {
                description: some("a\0"),
                ..single()
            },
            "NUL",
        ),
        (
            ScheduleRequest {
                recurrence: some(RULE),
                ..single()
            },
            "mutually exclusive",
        ),
        (
            ScheduleRequest {
                start: None,
                ..single()
            },
            "DTSTART",
        ),
        (
            ScheduleRequest {
                start: some(" "),
                ..single()
            },
            "DTSTART",
        ),
        (
            ScheduleRequest {
                start: some("tomorrow"),
                ..single()
            },
            "is not a time",
        ),
        (
            ScheduleRequest {
                start: some("2029-12-31T23:59:59Z"),
                ..single()
            },
            "start must be in the future",
        ),
        (
            ScheduleRequest {
                start: some("2030-01-01T00:00:00Z"),
                ..single()
            },
            "start must be in the future",
        ),
        (
            ScheduleRequest {
                start: some("2050-01-01T00:00:00Z"),
                ..single()
            },
            "ten years",
        ),
        (
            ScheduleRequest {
                start: some("9999-12-30T00:00:00Z"),
                ..single()
            },
            "ten years",
        ),
        (
            ScheduleRequest {
                timezone: some("Mars/Olympus"),
                ..single()
            },
            "unknown timezone",
        ),
        (
            ScheduleRequest {
                timezone: some("Etc/Unknown"),
                ..single()
            },
            "unknown timezone",
        ),
        (
            ScheduleRequest {
                timezone: Some("x".repeat(10_000)),
                ..single()
            },
            "unknown timezone",
        ),
        (
            ScheduleRequest {
                duration_minutes: Some(0),
                ..single()
            },
            "durationMinutes",
        ),
        (
            ScheduleRequest {
                duration_minutes: Some(-5),
                ..single()
            },
            "durationMinutes",
        ),
        (
            ScheduleRequest {
                duration_minutes: Some(10_081),
                ..single()
            },
            "durationMinutes",
        ),
        (
            ScheduleRequest {
                start: None,
                recurrence: some("RRULE:FREQ=DAILY"),
                ..single()
            },
            "DTSTART",
        ),
        (
            ScheduleRequest {
                start: None,
                recurrence: some("DTSTART:20200101T200000Z\nRRULE:FREQ=DAILY;COUNT=3"),
                ..single()
            },
            "no date in the future",
        ),
        (
            ScheduleRequest {
                start: None,
                recurrence: some(RULE),
                timezone: some("Asia/Tokyo"),
                ..single()
            },
            "DTSTART says Europe/Berlin",
        ),
    ] {
        let refusal = refusal(request);
        assert!(
            refusal.contains(reason),
            "{refusal:?} is not about {reason:?}"
        );
    }
}

#[test]
fn a_change_keeps_what_it_does_not_name() {
    let request = ScheduleRequest {
        description: some("with Ada"),
        ..ScheduleRequest::default()
    };
    let changed = request.change_event(&event(), now()).unwrap();
    let expected = ScheduledEvent {
        description: "with Ada".into(),
        ..event()
    };
    assert_eq!(changed, expected);
}

#[test]
fn a_past_event_can_be_renamed_but_not_moved_into_the_past() {
    let later = "2031-01-01T00:00:00Z".parse().unwrap();
    let renamed = ScheduleRequest {
        name: some("It was good"),
        start: some("2030-01-31T20:00:00Z"),
        ..ScheduleRequest::default()
    };
    assert_eq!(
        renamed.change_event(&event(), later).unwrap().name,
        "It was good"
    );
    let moved = ScheduleRequest {
        start: some("2030-01-31T21:00:00Z"),
        ..ScheduleRequest::default()
    };
    let refused = moved.change_event(&event(), later);
    assert_eq!(refused, Err(ScheduleProblem::Past));
}

#[test]
fn a_single_event_cannot_become_a_series_nor_a_series_a_single_event() {
    let rule = ScheduleRequest {
        recurrence: some(RULE),
        ..ScheduleRequest::default()
    };
    let refused = rule.change_event(&event(), now()).unwrap_err().to_string();
    assert!(
        refused.contains("cannot become a recurring series"),
        "{refused}"
    );
    let start = ScheduleRequest {
        start: some("2030-02-01T20:00:00Z"),
        ..ScheduleRequest::default()
    };
    let refused = start
        .change_series(&series(), now())
        .unwrap_err()
        .to_string();
    assert!(refused.contains("has no single start"), "{refused}");
}

#[test]
fn a_time_zone_is_changed_with_the_time_only() {
    let zone = |start: Option<&str>| ScheduleRequest {
        timezone: some("Asia/Tokyo"),
        start: start.map(str::to_owned),
        ..ScheduleRequest::default()
    };
    let refused = zone(None).change_event(&event(), now()).unwrap_err();
    assert!(refused.to_string().contains("timezone cannot be changed"));
    let refused = zone(None).change_series(&series(), now()).unwrap_err();
    assert!(refused.to_string().contains("timezone cannot be changed"));
    let moved = zone(Some("2030-01-31T20:00:00")).change_event(&event(), now());
    assert_eq!(
        moved.unwrap().starts_at,
        "2030-01-31T11:00:00Z".parse().unwrap()
    );
    let same = ScheduleRequest {
        timezone: some("Europe/Berlin"),
        ..ScheduleRequest::default()
    };
    assert_eq!(same.change_series(&series(), now()).unwrap().0, series());
}

#[test]
fn a_series_gets_another_rule_and_one_that_is_cancelled_none() {
    let daily = "DTSTART;TZID=Europe/Berlin:20300104T200000\nRRULE:FREQ=DAILY";
    let rule = |text: &str| ScheduleRequest {
        recurrence: some(text),
        ..ScheduleRequest::default()
    };
    let (changed, recurrence) = rule(daily).change_series(&series(), now()).unwrap();
    assert_eq!(
        (changed.recurrence.as_str(), recurrence.is_some()),
        (daily, true)
    );
    let (same, recurrence) = rule(RULE).change_series(&series(), now()).unwrap();
    assert_eq!((same, recurrence.is_none()), (series(), true));
    let cancelled = Series {
        is_active: false,
        ..series()
    };
    let refused = rule(daily).change_series(&cancelled, now()).unwrap_err();
    assert_eq!(refused, ScheduleProblem::Cancelled);
}
