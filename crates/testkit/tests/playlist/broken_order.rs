//! Responses that break rules 9 to 12: reloads, delta updates, reports, parts.

use testkit::playlist::{Checker, Directives, Edge, Observation, OtherRendition, Role};

use crate::scene::{Scene, at, delta_answer, edit, fed, rules};

fn asked(msn: Option<u64>, part: Option<u64>) -> Directives {
    Directives {
        msn,
        part,
        skip: None,
    }
}

/// The rules broken by a response to a request for that part, after ticks 40 to 50.
fn answer_breaks(asked: Directives, status: u16, text: &str, waited_ticks: u64) -> Vec<String> {
    let mut checker = fed(&Scene::video(), 40..=50);
    let found = checker.observe(&Observation {
        asked_at: at(50),
        at: at(50 + waited_ticks),
        asked,
        status,
        text,
    });
    rules(&found)
}

#[test]
fn rule_9_rejects_an_answer_without_what_was_asked_for() {
    let scene = Scene::video();
    let nothing: [&str; 0] = [];
    assert_eq!(
        answer_breaks(asked(Some(12), Some(2)), 200, &scene.list(50), 0),
        ["9"]
    );
    assert_eq!(
        answer_breaks(asked(Some(12), Some(2)), 200, &scene.list(51), 1),
        nothing
    );
    assert_eq!(
        answer_breaks(asked(Some(13), None), 200, &scene.list(52), 0),
        ["9"]
    );
    assert_eq!(
        answer_breaks(asked(Some(13), None), 200, &scene.list(53), 3),
        nothing
    );
    assert_eq!(
        answer_breaks(asked(Some(12), Some(4)), 200, &scene.list(52), 2),
        ["9"]
    );
    assert_eq!(
        answer_breaks(asked(Some(1), Some(0)), 200, &scene.list(50), 0),
        nothing
    );
}

#[test]
fn rule_9_rejects_a_part_without_segment_unless_it_is_refused() {
    let nothing: [&str; 0] = [];
    assert_eq!(
        answer_breaks(asked(None, Some(0)), 200, &Scene::video().list(50), 0),
        ["9"]
    );
    assert_eq!(answer_breaks(asked(None, Some(0)), 400, "", 0), nothing);
}

#[test]
fn rule_9_rejects_the_far_future_unless_it_is_refused() {
    let nothing: [&str; 0] = [];
    for far in [15, 1_000] {
        assert_eq!(
            answer_breaks(asked(Some(far), None), 200, &Scene::video().list(50), 0),
            ["9"]
        );
        assert_eq!(answer_breaks(asked(Some(far), None), 400, "", 0), nothing);
    }
    assert_eq!(answer_breaks(asked(Some(1_000), None), 503, "", 12), ["9"]);
    assert_eq!(answer_breaks(asked(Some(13), None), 400, "", 0), ["9"]);
}

#[test]
fn rule_9_rejects_giving_up_too_early_or_too_late() {
    let nothing: [&str; 0] = [];
    assert_eq!(answer_breaks(asked(Some(12), Some(2)), 503, "", 4), ["9"]);
    assert_eq!(
        answer_breaks(asked(Some(12), Some(2)), 503, "", 12),
        nothing
    );
    assert_eq!(answer_breaks(asked(Some(12), Some(2)), 503, "", 20), ["9"]);
}

#[test]
fn rule_9_rejects_parts_without_blocking_reload() {
    let text = edit(&Scene::video().list(50), "CAN-BLOCK-RELOAD=YES,", "");
    let found = Checker::new(Role::Video).observe(&Observation::of(at(50), &text));
    assert_eq!(rules(&found), ["9"], "{found:?}");
}

/// The rules broken by a delta update at tick 62 that skips four of its ten segments.
fn delta_breaks(change: impl Fn(&str) -> String) -> Vec<String> {
    let scene = Scene {
        break_at: Some(7),
        ..Scene::video()
    };
    let mut checker = fed(&scene, 50..62);
    let text = change(&scene.delta(62));
    let found = checker.observe(&delta_answer(62, &text));
    rules(&found)
}

#[test]
fn rule_10_accepts_the_delta_that_the_next_tests_break() {
    let nothing: [&str; 0] = [];
    assert_eq!(delta_breaks(str::to_owned), nothing);
}

#[test]
fn rule_10_rejects_a_wrong_number_of_skipped_segments() {
    assert_eq!(
        delta_breaks(|text| edit(text, "SEGMENTS=4", "SEGMENTS=3")),
        ["10"]
    );
    assert_eq!(
        delta_breaks(|text| edit(text, "MEDIA-SEQUENCE:5", "MEDIA-SEQUENCE:6")),
        ["10"]
    );
}

#[test]
fn rule_10_rejects_skipping_what_is_young() {
    let young = |text: &str| {
        let without = edit(
            text,
            "#EXT-X-PROGRAM-DATE-TIME:2026-11-15T10:00:21.250Z\n#EXTINF:2.00000,\nv9.m4s\n",
            "",
        );
        edit(&without, "SEGMENTS=4", "SEGMENTS=5")
    };
    assert_eq!(delta_breaks(young), ["10"]);
}

#[test]
fn rule_10_rejects_a_discontinuity_sequence_of_its_own() {
    assert_eq!(
        delta_breaks(|text| edit(text, "DISCONTINUITY-SEQUENCE:0", "DISCONTINUITY-SEQUENCE:1")),
        ["10"]
    );
    let behind = |text: &str| {
        let without = edit(text, "#EXT-X-DISCONTINUITY-SEQUENCE:0\n", "");
        edit(
            &without,
            "SEGMENTS=4\n",
            "SEGMENTS=4\n#EXT-X-DISCONTINUITY-SEQUENCE:0\n",
        )
    };
    assert_eq!(delta_breaks(behind), ["10"]);
}

#[test]
fn rule_10_rejects_a_skip_nobody_asked_for() {
    let scene = Scene::video();
    let mut checker = fed(&scene, 50..62);
    let found = checker.observe(&Observation::of(at(62), &scene.delta(62)));
    assert_eq!(rules(&found), ["10"], "{found:?}");
}

#[test]
fn rule_10_rejects_a_skip_of_nothing() {
    let scene = Scene::video();
    let mut checker = fed(&scene, 10..20);
    let text = edit(
        &scene.list(20),
        "#EXT-X-MAP",
        "#EXT-X-SKIP:SKIPPED-SEGMENTS=0\n#EXT-X-MAP",
    );
    let found = checker.observe(&delta_answer(20, &text));
    assert_eq!(rules(&found), ["10"], "{found:?}");
}

#[test]
fn rule_10_rejects_a_server_that_never_skips() {
    let scene = Scene::video();
    let mut checker = fed(&scene, 50..62);
    let found = checker.observe(&delta_answer(62, &scene.list(62)));
    assert_eq!(rules(&found), ["10"], "{found:?}");
}

const AUDIO: &str = "http://h/hls/audio.m3u8";

/// A video playlist at tick 50 beside audio that was seen at tick 49, changed, and audio seen again later.
fn report_breaks(change: impl Fn(&str) -> String) -> Vec<String> {
    let scene = Scene {
        other: Some("audio.m3u8"),
        ..Scene::video()
    };
    let mut checker = Checker::new(Role::Video)
        .at("http://h/hls/0.m3u8")
        .beside(&[AUDIO]);
    let audio = |tick: u64| OtherRendition {
        asked_at: at(tick),
        at: at(tick),
        edge: Edge {
            msn: (tick - 1) / 4,
            part: Some((tick - 1) % 4),
        },
    };
    let mut found = Vec::new();
    for tick in 45..50 {
        found.extend(checker.observe(&Observation::of(at(tick), &scene.list(tick))));
        found.extend(checker.saw_other(AUDIO, &audio(tick)));
    }
    let text = change(&scene.list(50));
    found.extend(checker.observe(&Observation::of(at(50), &text)));
    found.extend(checker.saw_other(AUDIO, &audio(51)));
    rules(&found)
}

#[test]
fn rule_11_rejects_missing_incomplete_and_foreign_reports() {
    let nothing: [&str; 0] = [];
    let report = "#EXT-X-RENDITION-REPORT:URI=\"audio.m3u8\",LAST-MSN=12,LAST-PART=1\n";
    assert_eq!(report_breaks(str::to_owned), nothing);
    assert_eq!(report_breaks(|text| edit(text, report, "")), ["11"]);
    assert_eq!(report_breaks(|text| edit(text, ",LAST-PART=1", "")), ["11"]);
    // The other parser requires LAST-MSN too.
    assert_eq!(
        report_breaks(|text| edit(text, "LAST-MSN=12,", "")),
        ["S", "11"]
    );
    let foreign = edit(report, "audio", "0");
    assert_eq!(report_breaks(|text| format!("{text}{foreign}")), ["11"]);
}

#[test]
fn rule_11_rejects_reports_behind_or_ahead_of_the_truth() {
    assert_eq!(
        report_breaks(|text| edit(text, "LAST-MSN=12,LAST-PART=1", "LAST-MSN=11,LAST-PART=3")),
        ["11"]
    );
    assert_eq!(
        report_breaks(|text| edit(text, "LAST-MSN=12,LAST-PART=1", "LAST-MSN=13,LAST-PART=0")),
        ["11"]
    );
}

#[test]
fn rule_12_rejects_a_list_that_promises_parts_and_has_none() {
    let text = Scene::video().list(48);
    let without: String = text
        .lines()
        .filter(|line| !line.starts_with("#EXT-X-PART:"))
        .map(|line| format!("{line}\n"))
        .collect();
    let found = Checker::new(Role::Video).observe(&Observation::of(at(48), &without));
    assert_eq!(rules(&found), ["12"], "{found:?}");
}

#[test]
fn rule_12_rejects_a_rendition_without_parts_beside_one_with_parts() {
    let scene = Scene {
        has_parts: false,
        ..Scene::video()
    };
    let mut checker = Checker::new(Role::Video)
        .at("http://h/hls/0.m3u8")
        .beside(&[AUDIO]);
    let audio = OtherRendition {
        asked_at: at(48),
        at: at(48),
        edge: Edge {
            msn: 11,
            part: Some(3),
        },
    };
    assert!(
        checker
            .observe(&Observation::of(at(48), &scene.list(48)))
            .is_empty()
    );
    assert!(checker.saw_other(AUDIO, &audio).is_empty());
    let found = checker.observe(&Observation::of(at(52), &scene.list(52)));
    assert_eq!(rules(&found), ["12"], "{found:?}");
}
