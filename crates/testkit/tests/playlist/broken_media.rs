//! Rules 6 and M1 to M3, which need bytes.

use std::time::Duration;

use testkit::playlist::{Findings, Init, Timeline, boxes, check_segment_is_its_parts};

use crate::scene::{Scene, fed, rules};

fn boxed(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let size = content.len() as u32 + 8;
    [&size.to_be_bytes()[..], kind, content].concat()
}

fn numbers(all: &[u32]) -> Vec<u8> {
    all.iter().flat_map(|number| number.to_be_bytes()).collect()
}

pub(crate) const SYNC: u32 = 0x0200_0000;
const NOT_SYNC: u32 = 0x0101_0000;

/// An initialization section with 1,000 units per second, whose samples by default last 50 and are not sync
/// samples.
pub(crate) fn init() -> Vec<u8> {
    let header = boxed(b"mdhd", &numbers(&[0, 0, 0, 1_000, 0, 0]));
    let track = boxed(b"trak", &boxed(b"mdia", &header));
    let extends = boxed(
        b"mvex",
        &boxed(b"trex", &numbers(&[0, 1, 1, 50, 0, NOT_SYNC])),
    );
    let moov = boxed(b"moov", &[track, extends].concat());
    [boxed(b"ftyp", b"cmf2\0\0\0\0"), moov].concat()
}

/// A part of `samples` samples with the default duration.
pub(crate) fn part(base_time: u32, samples: u32, first_flags: Option<u32>) -> Vec<u8> {
    let header = boxed(b"tfhd", &numbers(&[0x02_0000, 1]));
    let time = boxed(b"tfdt", &numbers(&[0x0100_0000, 0, base_time]));
    let run = match first_flags {
        Some(flags) => boxed(b"trun", &numbers(&[0x5, samples, 0, flags])),
        None => boxed(b"trun", &numbers(&[0x1, samples, 0])),
    };
    let traf = boxed(b"traf", &[header, time, run].concat());
    let moof = boxed(b"moof", &[boxed(b"mfhd", &numbers(&[0, 1])), traf].concat());
    [moof, boxed(b"mdat", b"media")].concat()
}

/// A run whose samples have all fields of their own.
fn verbose_part(samples: &[(u32, u32)]) -> Vec<u8> {
    let header = boxed(b"tfhd", &numbers(&[0x02_0000, 1]));
    let time = boxed(b"tfdt", &numbers(&[0, 7]));
    let mut fields = vec![0x0100_0f01, samples.len() as u32, 0];
    for (duration, flags) in samples {
        fields.extend([*duration, 100, *flags, 0]);
    }
    let traf = boxed(
        b"traf",
        &[header, time, boxed(b"trun", &numbers(&fields))].concat(),
    );
    boxed(b"moof", &traf)
}

#[test]
fn reads_times_and_sync_samples_wherever_they_are_said() {
    let init = Init::parse(&init()).unwrap();
    let read = |bytes: &[u8]| boxes::fragments(bytes, Some(&init.track)).unwrap()[0];
    let first = read(&part(80, 12, Some(SYNC)));
    assert_eq!(
        (first.base_time, first.duration, first.samples),
        (80, 600, 12)
    );
    assert_eq!(first.starts_with_sync, Some(true));
    assert_eq!(read(&part(80, 12, None)).starts_with_sync, Some(false));
    assert_eq!(read(&part(80, 0, None)).starts_with_sync, None);
    let verbose = read(&verbose_part(&[(33, SYNC), (34, NOT_SYNC)]));
    assert_eq!((verbose.base_time, verbose.duration), (7, 67));
    assert_eq!(verbose.starts_with_sync, Some(true));
}

#[test]
fn broken_boxes_are_errors_and_not_panics() {
    let good = [
        init(),
        part(0, 12, Some(SYNC)),
        verbose_part(&[(33, SYNC), (34, NOT_SYNC)]),
    ]
    .concat();
    for end in 0..good.len() {
        let mut bytes = good[..end].to_vec();
        let _outcome = (boxes::fragments(&bytes, None), boxes::track(&bytes));
        if let Some(last) = bytes.last_mut() {
            *last = 0xff;
            let _outcome = (boxes::fragments(&bytes, None), boxes::track(&bytes));
        }
    }
    assert!(boxes::fragments(&good[..good.len() - 1], None).is_err());
    let endless = boxed(b"traf", &boxed(b"trun", &numbers(&[0x100, u32::MAX, 1])));
    assert!(boxes::fragments(&boxed(b"moof", &endless), None).is_err());
}

#[test]
fn rule_6_rejects_a_mark_that_the_bytes_do_not_bear_out() {
    let mut checker = fed(&Scene::video(), 1..=50);
    assert!(
        checker
            .check_media_bytes("v12.0.m4s", &part(0, 12, Some(SYNC)), None)
            .is_empty()
    );
    assert!(
        checker
            .check_media_bytes("v12.1.m4s", &part(0, 12, Some(NOT_SYNC)), None)
            .is_empty()
    );
    let found = checker.check_media_bytes("v12.0.m4s", &part(0, 12, Some(NOT_SYNC)), None);
    assert_eq!(rules(&found), ["6"]);
    let found = checker.check_media_bytes("v12.1.m4s", &part(0, 12, Some(SYNC)), None);
    assert_eq!(rules(&found), ["6"]);
    assert_eq!(rules(&checker.check_independence("v12.1.m4s", true)), ["6"]);
}

#[test]
fn rule_m1_rejects_a_segment_that_is_not_its_parts() {
    let parts = [part(0, 12, Some(SYNC)), part(480, 12, None)];
    let mut findings = Findings::default();
    check_segment_is_its_parts("s", &parts.concat(), &parts, &mut findings);
    assert!(findings.violations().is_empty());
    check_segment_is_its_parts("s", &parts[0], &parts, &mut findings);
    assert_eq!(rules(findings.violations()), ["M1"]);
}

/// The rules broken by parts of ten samples (500 ms) at these times.
fn timeline_breaks(times: &[(u32, u32)], listed_ms: u64) -> Vec<String> {
    let init = Init::parse(&init()).unwrap();
    let mut timeline = Timeline::default();
    let mut findings = Findings::default();
    for (time, samples) in times {
        let bytes = part(*time, *samples, None);
        let listed = Some(Duration::from_millis(listed_ms));
        timeline.follow("p", &bytes, &init, listed, &mut findings);
    }
    rules(findings.violations())
}

#[test]
fn rule_m2_rejects_gaps_and_overlaps_but_not_empty_fragments() {
    let nothing: [&str; 0] = [];
    assert_eq!(
        timeline_breaks(&[(0, 10), (500, 10), (1_000, 10)], 500),
        nothing
    );
    assert_eq!(
        timeline_breaks(&[(0, 10), (500, 0), (500, 10)], 500),
        nothing
    );
    assert_eq!(timeline_breaks(&[(0, 10), (501, 10)], 500), ["M2"]);
    assert_eq!(timeline_breaks(&[(0, 10), (499, 10)], 500), ["M2"]);
}

#[test]
fn rule_m2_rejects_what_is_no_fragment() {
    let init = Init::parse(&init()).unwrap();
    for bytes in [&b"not found"[..], &boxed(b"mdat", b"x")] {
        let mut findings = Findings::default();
        Timeline::default().follow("p", bytes, &init, None, &mut findings);
        assert_eq!(rules(findings.violations()), ["M2"]);
    }
}

#[test]
fn rule_m3_rejects_a_listed_duration_that_is_not_the_medias() {
    assert_eq!(timeline_breaks(&[(0, 10), (500, 10)], 480), ["M3"]);
}
