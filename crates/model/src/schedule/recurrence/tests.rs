use jiff::Timestamp;
use proptest::prelude::*;

use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn rule(start: &str, rule: &str) -> Recurrence {
    Recurrence::parse(&format!("DTSTART{start}\nRRULE:{rule}"), None).unwrap()
}

/// The first dates in UTC, without minutes.
fn first(recurrence: &Recurrence, count: usize) -> Vec<String> {
    let all = recurrence.occurrences(
        at("2000-01-01T00:00:00Z"),
        at("2200-01-01T00:00:00Z"),
        count,
    );
    all.iter()
        .map(|at| at.to_string().replace(":00:00Z", "h"))
        .collect()
}

/// Days of dates that are at noon UTC.
fn days(text: &str, count: usize) -> Vec<String> {
    let dates = first(&rule(":20300101T120000Z", text), count);
    dates
        .iter()
        .map(|date| date.trim_end_matches("T12h").to_owned())
        .collect()
}

#[test]
fn every_frequency_takes_from_the_beginning_what_the_rule_leaves_open() {
    // The first of January 2030 is a Tuesday.
    assert_eq!(
        days("FREQ=DAILY", 3),
        ["2030-01-01", "2030-01-02", "2030-01-03"]
    );
    assert_eq!(
        days("FREQ=WEEKLY", 3),
        ["2030-01-01", "2030-01-08", "2030-01-15"]
    );
    assert_eq!(
        days("FREQ=MONTHLY", 3),
        ["2030-01-01", "2030-02-01", "2030-03-01"]
    );
    assert_eq!(
        days("FREQ=YEARLY", 3),
        ["2030-01-01", "2031-01-01", "2032-01-01"]
    );
}

#[test]
fn an_interval_leaves_periods_out() {
    assert_eq!(
        days("FREQ=DAILY;INTERVAL=10", 3),
        ["2030-01-01", "2030-01-11", "2030-01-21"]
    );
    assert_eq!(
        days("FREQ=WEEKLY;INTERVAL=2", 3),
        ["2030-01-01", "2030-01-15", "2030-01-29"]
    );
    assert_eq!(
        days("FREQ=MONTHLY;INTERVAL=5", 3),
        ["2030-01-01", "2030-06-01", "2030-11-01"]
    );
    assert_eq!(
        days("FREQ=YEARLY;INTERVAL=4", 2),
        ["2030-01-01", "2034-01-01"]
    );
}

#[test]
fn days_of_the_week_are_counted_in_their_month() {
    assert_eq!(
        days("FREQ=WEEKLY;BYDAY=MO,FR", 4),
        ["2030-01-04", "2030-01-07", "2030-01-11", "2030-01-14"]
    );
    assert_eq!(
        days("FREQ=MONTHLY;BYDAY=2TU", 3),
        ["2030-01-08", "2030-02-12", "2030-03-12"]
    );
    assert_eq!(
        days("FREQ=MONTHLY;BYDAY=-1FR", 3),
        ["2030-01-25", "2030-02-22", "2030-03-29"]
    );
    // Not every month has a fifth Friday.
    assert_eq!(
        days("FREQ=MONTHLY;BYDAY=5WE", 3),
        ["2030-01-30", "2030-05-29", "2030-07-31"]
    );
    assert_eq!(
        days("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", 2),
        ["2030-09-13", "2030-12-13"]
    );
    assert_eq!(
        days("FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", 2),
        ["2030-11-28", "2031-11-27"]
    );
    assert_eq!(
        days("FREQ=DAILY;BYDAY=SA,SU", 3),
        ["2030-01-05", "2030-01-06", "2030-01-12"]
    );
}

#[test]
fn days_of_the_month_count_from_both_ends_and_missing_ones_are_left_out() {
    assert_eq!(
        days("FREQ=MONTHLY;BYMONTHDAY=31", 3),
        ["2030-01-31", "2030-03-31", "2030-05-31"]
    );
    assert_eq!(
        days("FREQ=MONTHLY;BYMONTHDAY=-1", 3),
        ["2030-01-31", "2030-02-28", "2030-03-31"]
    );
    assert_eq!(
        days("FREQ=YEARLY;BYMONTHDAY=13", 3),
        ["2030-01-13", "2030-02-13", "2030-03-13"]
    );
    assert_eq!(
        days("FREQ=YEARLY;BYMONTH=3,6", 3),
        ["2030-03-01", "2030-06-01", "2031-03-01"]
    );
    assert_eq!(
        days("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", 1),
        Vec::<String>::new()
    );
}

#[test]
fn leap_days_come_in_leap_years_only() {
    let yearly = rule(":20280229T120000Z", "FREQ=YEARLY");
    assert_eq!(
        first(&yearly, 3),
        ["2028-02-29T12h", "2032-02-29T12h", "2036-02-29T12h"]
    );
    // 2100 is not a leap year.
    let around = yearly.occurrences(at("2095-01-01T00:00:00Z"), at("2105-01-01T00:00:00Z"), 9);
    assert_eq!(
        around,
        [at("2096-02-29T12:00:00Z"), at("2104-02-29T12:00:00Z")]
    );
}

#[test]
fn a_week_begins_where_the_rule_says() {
    // The example of RFC 5545 3.3.10.
    let dates = |start: &str| {
        let text = format!("FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST={start}");
        let dates = first(&rule(":20300806T120000Z", &text), 9);
        dates
            .iter()
            .map(|date| date[5..10].to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(dates("MO"), ["08-06", "08-11", "08-20", "08-25"]);
    assert_eq!(dates("SU"), ["08-06", "08-18", "08-20", "09-01"]);
}

#[test]
fn a_rule_ends_after_its_count_or_at_its_last_moment() {
    assert_eq!(days("FREQ=DAILY;COUNT=2", 9), ["2030-01-01", "2030-01-02"]);
    assert_eq!(
        days("FREQ=DAILY;UNTIL=20300102T120000Z", 9),
        ["2030-01-01", "2030-01-02"]
    );
    assert_eq!(days("FREQ=DAILY;UNTIL=20300102T115959Z", 9), ["2030-01-01"]);
    assert_eq!(
        days("FREQ=DAILY;UNTIL=20300102", 9),
        ["2030-01-01", "2030-01-02"]
    );
    let late = rule(":20300101T120000Z", "FREQ=DAILY;COUNT=10");
    let rest = late.occurrences(at("2030-01-09T00:00:00Z"), at("2031-01-01T00:00:00Z"), 99);
    assert_eq!(rest.len(), 2, "those before count too");
    // The day ends in its own time zone: the second of January in Tokyo.
    let tokyo = rule(
        ";TZID=Asia/Tokyo:20300101T233000",
        "FREQ=DAILY;UNTIL=20300102",
    );
    assert_eq!(
        first(&tokyo, 9),
        ["2030-01-01T14:30:00Z", "2030-01-02T14:30:00Z"]
    );
}

#[test]
fn the_clock_on_the_wall_counts_in_summer_and_winter() {
    let berlin = rule(";TZID=Europe/Berlin:20300329T200000", "FREQ=DAILY");
    assert_eq!(
        first(&berlin, 3),
        ["2030-03-29T19h", "2030-03-30T19h", "2030-03-31T18h"]
    );
}

#[test]
fn a_time_that_the_spring_leaves_out_is_an_hour_later_that_day() {
    // On the 31st of March clocks in Berlin go from 2 to 3.
    let berlin = rule(";TZID=Europe/Berlin:20300330T023000", "FREQ=DAILY");
    let expected = [
        "2030-03-30T01:30:00Z",
        "2030-03-31T01:30:00Z",
        "2030-04-01T00:30:00Z",
    ];
    assert_eq!(first(&berlin, 3), expected);
}

#[test]
fn a_time_that_comes_twice_in_autumn_is_the_first() {
    // On the 27th of October clocks in Berlin go from 3 back to 2.
    let berlin = rule(";TZID=Europe/Berlin:20301026T023000", "FREQ=DAILY");
    let expected = [
        "2030-10-26T00:30:00Z",
        "2030-10-27T00:30:00Z",
        "2030-10-28T01:30:00Z",
    ];
    assert_eq!(first(&berlin, 3), expected);
}

#[test]
fn a_day_that_a_place_never_had_is_not_there_twice() {
    // Samoa crossed the date line: there was no 30th of December 2011.
    let apia = rule(";TZID=Pacific/Apia:20111229T200000", "FREQ=DAILY;COUNT=3");
    let expected = ["2011-12-30T06h", "2011-12-31T06h", "2012-01-01T06h"];
    assert_eq!(first(&apia, 9), expected);
}

#[test]
fn far_away_is_as_quick_to_find_as_near() {
    let rule = rule(
        ";TZID=America/New_York:20000101T200000",
        "FREQ=WEEKLY;BYDAY=SA",
    );
    let far = rule.occurrences(at("2199-06-01T00:00:00Z"), at("2199-06-15T00:00:00Z"), 9);
    assert_eq!(far.len(), 2);
}

#[test]
fn what_was_read_can_be_read_again() {
    for (text, zone, expected) in [
        (
            "DTSTART:20300101T200000Z\r\nRRULE:FREQ=DAILY\r\n",
            None,
            "DTSTART:20300101T200000Z\nRRULE:FREQ=DAILY",
        ),
        (
            "rrule:freq=daily\ndtstart;tzid=europe/berlin:20300101T200000",
            None,
            "DTSTART;tzid=europe/berlin:20300101T200000\nRRULE:freq=daily",
        ),
        (
            "DTSTART:20300101T200000\nRRULE:FREQ=DAILY",
            Some("Asia/Tokyo"),
            "DTSTART;TZID=Asia/Tokyo:20300101T200000\nRRULE:FREQ=DAILY",
        ),
        (
            "DTSTART:20300101T200000\nRRULE:FREQ=DAILY",
            None,
            "DTSTART;TZID=UTC:20300101T200000\nRRULE:FREQ=DAILY",
        ),
    ] {
        let read = Recurrence::parse(text, zone).unwrap();
        assert_eq!(read.text(), expected);
        let again = Recurrence::parse(read.text(), None).unwrap();
        assert_eq!(again.text(), expected);
        assert_eq!(first(&again, 5), first(&read, 5));
    }
}

#[test]
fn what_is_not_supported_is_named() {
    let with = |rule: &str| format!("DTSTART:20300101T200000Z\nRRULE:{rule}");
    for (text, reason) in [
        (String::new(), "DTSTART"),
        ("RRULE:FREQ=DAILY".into(), "DTSTART"),
        ("DTSTART:20300101T200000Z".into(), "RRULE"),
        ("DTSTART:20300101\nRRULE:FREQ=DAILY".into(), "DTSTART"),
        (
            "DTSTART;VALUE=DATE:20300101\nRRULE:FREQ=DAILY".into(),
            "VALUE=DATE",
        ),
        (
            "DTSTART:20301301T200000Z\nRRULE:FREQ=DAILY".into(),
            "DTSTART",
        ),
        (
            "DTSTART:19700101T200000Z\nRRULE:FREQ=DAILY".into(),
            "2000 to 2199",
        ),
        (
            "DTSTART;TZID=Mars/Olympus:20300101T200000\nRRULE:FREQ=DAILY".into(),
            "unknown timezone",
        ),
        (
            "DTSTART;TZID=Asia/Tokyo:20300101T200000Z\nRRULE:FREQ=DAILY".into(),
            "TZID",
        ),
        (
            format!("{}\nEXDATE:20300102T200000Z", with("FREQ=DAILY")),
            "EXDATE",
        ),
        (
            format!("{}\nRRULE:FREQ=DAILY", with("FREQ=DAILY")),
            "more than one RRULE",
        ),
        (with("INTERVAL=2"), "FREQ"),
        (with("FREQ=HOURLY"), "HOURLY"),
        (with("FREQ=DAILY;BYHOUR=3"), "BYHOUR"),
        (with("FREQ=MONTHLY;BYSETPOS=1;BYDAY=MO"), "BYSETPOS"),
        (with("FREQ=YEARLY;BYWEEKNO=3"), "BYWEEKNO"),
        (with("FREQ=DAILY;FREQ=DAILY"), "twice"),
        (with("FREQ=DAILY;INTERVAL=0"), "INTERVAL=0"),
        (with("FREQ=DAILY;COUNT=1001"), "COUNT=1001"),
        (with("FREQ=DAILY;COUNT=3;UNTIL=20300102"), "COUNT and UNTIL"),
        (with("FREQ=DAILY;UNTIL=soon"), "UNTIL"),
        (with("FREQ=WEEKLY;BYDAY=1MO"), "FREQ=MONTHLY"),
        (with("FREQ=WEEKLY;BYMONTHDAY=1"), "BYMONTHDAY"),
        (with("FREQ=YEARLY;BYDAY=1MO"), "BYMONTH"),
        (with("FREQ=MONTHLY;BYDAY=6MO"), "6MO"),
        (with("FREQ=MONTHLY;BYDAY=0MO"), "0MO"),
        (with("FREQ=MONTHLY;BYMONTHDAY=0"), "BYMONTHDAY=0"),
        (with("FREQ=MONTHLY;BYMONTHDAY=1,,2"), "BYMONTHDAY"),
        (with("FREQ=WEEKLY;WKST=XX"), "WKST"),
        (with("FREQ=DAILY;"), "without a value"),
        (with(&"X".repeat(2000)), "too long"),
    ] {
        let refused = Recurrence::parse(&text, None).unwrap_err().to_string();
        assert!(refused.contains(reason), "{text:?}: {refused}");
    }
}

fn any_rule() -> impl Strategy<Value = String> {
    let frequency = prop::sample::select(vec!["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]);
    let part = prop::sample::select(vec![
        "BYMONTH=2",
        "BYMONTH=2,4,6",
        "BYMONTHDAY=31",
        "BYMONTHDAY=-1,13",
        "BYMONTHDAY=30",
        "BYDAY=MO,TU,SU",
        "BYDAY=5FR",
        "BYDAY=-1SU",
        "COUNT=1",
        "COUNT=1000",
        "UNTIL=20400101",
        "WKST=SU",
    ]);
    let parts = prop::collection::vec(part, 0..4);
    (frequency, 1..1001, parts).prop_map(|(frequency, interval, parts)| {
        let parts: String = parts.iter().map(|part| format!(";{part}")).collect();
        format!("FREQ={frequency};INTERVAL={interval}{parts}")
    })
}

fn any_zone() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "UTC",
        "Europe/Berlin",
        "America/New_York",
        "Pacific/Apia",
        "Australia/Lord_Howe",
        "Africa/Casablanca",
    ])
}

/// A reference implementation: tests every day.
fn slowly(recurrence: &Recurrence, from: Timestamp, to: Timestamp) -> Vec<Timestamp> {
    let mut found: Vec<Timestamp> = Vec::new();
    let mut day = recurrence.start.date();
    let mut count = 0;
    while day.year() < 2060 {
        let at = recurrence
            .zone
            .to_timestamp(day.to_datetime(recurrence.start.time()))
            .unwrap();
        if is_in_period(recurrence, day) && recurrence.rule.is_allowed(day) {
            count += 1;
            let is_over = match recurrence.rule.end {
                RecurrenceEnd::Never => false,
                RecurrenceEnd::Count(most) => count > most,
                RecurrenceEnd::Until(until) => at > until,
            };
            if is_over {
                break;
            }
            if from <= at && at < to {
                found.push(at);
            }
        }
        day = day.tomorrow().unwrap();
    }
    found
}

fn is_in_period(recurrence: &Recurrence, day: jiff::civil::Date) -> bool {
    let start = recurrence.start.date();
    let days = |from: jiff::civil::Date| day.duration_since(from).as_hours() / 24;
    let months = (i64::from(day.year()) - i64::from(start.year())) * 12 + i64::from(day.month())
        - i64::from(start.month());
    let periods = match recurrence.rule.frequency {
        Frequency::Daily => days(start),
        Frequency::Weekly => {
            let mut week = start;
            while week.weekday() != recurrence.rule.week_start {
                week = week.yesterday().unwrap();
            }
            days(week) / 7
        }
        Frequency::Monthly => months,
        Frequency::Yearly => i64::from(day.year()) - i64::from(start.year()),
    };
    periods % i64::from(recurrence.rule.interval) == 0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_text_is_more_than_refused(text in "[ -~\n]{0,120}", rule in "[A-Z=;,0-9+-]{0,60}") {
        let _read = Recurrence::parse(&text, None);
        let _read = Recurrence::parse(&format!("DTSTART:20300101T200000Z\nRRULE:FREQ=MONTHLY;{rule}"), None);
    }

    #[test]
    fn dates_are_those_of_a_walk_through_every_day(
        rule in any_rule(),
        zone in any_zone(),
        start in "20(2[0-9]|3[0-9])(0[1-9]|1[0-2])(0[1-9]|1[0-9]|2[0-8])T[01][0-9][0-5][0-9]00",
        after in 0i64..20 * 366 * 24,
        hours in 1i64..3 * 366 * 24,
    ) {
        let text = format!("DTSTART;TZID={zone}:{start}\nRRULE:{rule}");
        let Ok(recurrence) = Recurrence::parse(&text, None) else {
            // The generated parts contradict each other.
            return Ok(());
        };
        let from = at("2020-01-01T00:00:00Z") + jiff::SignedDuration::from_hours(after);
        let to = from + jiff::SignedDuration::from_hours(hours);
        let found = recurrence.occurrences(from, to, 5000);
        prop_assert!(found.is_sorted_by(|a, b| a < b));
        prop_assert_eq!(&found, &slowly(&recurrence, from, to), "{}", text);
        let few = recurrence.occurrences(from, to, 3);
        prop_assert_eq!(&few[..], &found[..found.len().min(3)]);
    }
}
