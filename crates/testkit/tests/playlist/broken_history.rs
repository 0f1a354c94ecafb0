//! Playlists that break rules 13 to 18 and I: dates, discontinuities, the window and its end.

use testkit::playlist::{Checker, Observation, Role};

use crate::scene::{Scene, assert_breaks, at, edit, fed, rules};

fn with_break(msn: u64) -> Scene {
    Scene {
        break_at: Some(msn),
        ..Scene::video()
    }
}

#[test]
fn identity_rejects_a_window_that_slides_back() {
    let video = Scene::video();
    let mut checker = fed(&video, 50..=60);
    let found = checker.observe(&Observation::of(at(61), &video.list(56)));
    assert_eq!(rules(&found), ["I"], "{found:?}");
}

#[test]
fn identity_rejects_segments_and_parts_that_change() {
    let video = Scene::video();
    assert_breaks("I", &video, 50, |text| {
        edit(text, "v11.m4s\n", "v11b.m4s\n")
    });
    assert_breaks("I", &video, 50, |text| {
        edit(text, "v12.0.m4s", "v12.0b.m4s")
    });
    assert_breaks("I", &video, 51, |text| {
        edit(text, "v12.1.m4s\"", "v12.1.m4s\",INDEPENDENT=YES")
    });
    assert_breaks("I", &video, 60, |text| {
        edit(text, "#EXTINF:2.00000,\nv6.", "#EXTINF:2.01000,\nv6.")
    });
}

#[test]
fn identity_rejects_a_name_used_twice() {
    let scene = Scene::video();
    // Long after segment 1 has left the playlist, its name is reused without warning.
    let mut checker = fed(&scene, (1..=90).step_by(4));
    let text = edit(&scene.list(92), "v22.m4s", "v1.m4s");
    let found = checker.observe(&Observation::of(at(92), &text));
    assert_eq!(rules(&found), ["I"], "{found:?}");
}

#[test]
fn identity_rejects_a_part_that_vanishes_from_its_segment() {
    assert_breaks("I", &Scene::video(), 51, |text| {
        let one = "#EXT-X-PART:DURATION=0.50000,URI=\"v12.1.m4s\"\n";
        let two = "#EXT-X-PART:DURATION=0.50000,URI=\"v12.2.m4s\"\n";
        edit(&edit(text, two, ""), one, "")
    });
}

#[test]
fn rule_13_rejects_missing_and_coarse_dates() {
    let date = "#EXT-X-PROGRAM-DATE-TIME:2026-11-15T10:00:22.000Z\n";
    let video = Scene::video();
    assert_breaks("13", &video, 50, |text| edit(text, date, ""));
    assert_breaks("13", &video, 50, |text| {
        edit(text, "10:00:22.000Z", "10:00:22Z")
    });
}

#[test]
fn rule_13_rejects_dates_that_change_go_back_or_jump() {
    let scene = Scene::video();
    assert_breaks("13", &scene, 50, |text| {
        edit(text, "10:00:22.000Z", "10:00:22.010Z")
    });
    assert_breaks("13", &scene, 49, |text| {
        edit(text, "10:00:24.000Z", "10:00:24.060Z")
    });
    assert_breaks("13", &scene, 49, |text| {
        edit(text, "10:00:24.000Z", "10:00:21.000Z")
    });
    let broken = with_break(12);
    assert_breaks("13", &broken, 49, |text| {
        edit(text, "10:00:27.250Z", "10:00:20.000Z")
    });
}

#[test]
fn rule_13_accepts_a_gap_of_fifty_milliseconds() {
    let scene = Scene::video();
    let mut checker = fed(&scene, 1..49);
    let text = edit(&scene.list(49), "10:00:24.000Z", "10:00:24.050Z");
    assert!(checker.observe(&Observation::of(at(49), &text)).is_empty());
}

#[test]
fn rule_13_rejects_dates_that_drift() {
    let mut text = Scene::video().list(48);
    for msn in (2..12_u64).rev() {
        let (second, drift) = (msn * 2, (msn - 2) * 30);
        let from = format!("10:00:{second:02}.000Z");
        text = edit(&text, &from, &format!("10:00:{second:02}.{drift:03}Z"));
    }
    let found = Checker::new(Role::Video).observe(&Observation::of(at(48), &text));
    assert_eq!(rules(&found), ["13"], "{found:?}");
}

#[test]
fn rule_14_rejects_a_discontinuity_sequence_that_does_not_count() {
    let scene = with_break(3);
    assert_breaks("14", &scene, 60, |text| {
        edit(text, "DISCONTINUITY-SEQUENCE:1", "DISCONTINUITY-SEQUENCE:0")
    });
    assert_breaks("14", &scene, 50, |text| {
        edit(text, "DISCONTINUITY-SEQUENCE:0", "DISCONTINUITY-SEQUENCE:1")
    });
}

#[test]
fn rule_14_rejects_a_map_that_is_missing_or_changes_without_discontinuity() {
    let scene = with_break(12);
    let map = "#EXT-X-MAP:URI=\"init-2.mp4\"\n";
    assert_breaks("14", &scene, 49, |text| edit(text, map, ""));
    assert_breaks("14", &Scene::video(), 50, |text| {
        edit(text, "#EXT-X-MAP:URI=\"init-1.mp4\"\n", "")
    });
    assert_breaks("14", &Scene::video(), 49, |text| {
        edit(
            text,
            "#EXT-X-PROGRAM-DATE-TIME:2026-11-15T10:00:24",
            &format!("{map}#EXT-X-PROGRAM-DATE-TIME:2026-11-15T10:00:24"),
        )
    });
}

#[test]
fn rule_14_rejects_a_discontinuity_with_nothing_after_it() {
    assert_breaks("14", &Scene::video(), 50, |text| {
        format!("{text}#EXT-X-DISCONTINUITY\n")
    });
    let at_the_end = |text: &str| {
        edit(
            text,
            "#EXT-X-PRELOAD",
            "#EXT-X-DISCONTINUITY\n#EXT-X-PRELOAD",
        )
    };
    assert_breaks("14", &Scene::video(), 52, at_the_end);
}

#[test]
fn rule_14_rejects_a_break_that_withholds_its_parts() {
    let scene = with_break(12);
    let mut checker = fed(&scene, 1..=48);
    let text = scene.list(52);
    let withheld: String = text
        .lines()
        .filter(|line| !line.contains("\"v12."))
        .map(|line| format!("{line}\n"))
        .collect();
    let found = checker.observe(&Observation::of(at(52), &withheld));
    assert_eq!(rules(&found), ["14"], "{found:?}");
}

#[test]
fn rule_15_rejects_a_whole_segment_alone_before_a_discontinuity() {
    let scene = with_break(12);
    let mut checker = fed(&scene, 40..48);
    let lonely = edit(
        &scene.list(48),
        "#EXT-X-PRELOAD",
        "#EXTINF:2.00000,\nv11.m4s\n#EXT-X-PRELOAD",
    );
    assert!(
        checker
            .observe(&Observation::of(at(48), &lonely))
            .is_empty()
    );
    let found = checker.observe(&Observation::of(at(49), &scene.list(49)));
    assert_eq!(rules(&found), ["15"], "{found:?}");
}

#[test]
fn rule_16_rejects_a_window_cut_too_short() {
    let short = Scene {
        window: 2,
        ..Scene::video()
    };
    let mut checker = fed(&short, 1..12);
    let found = checker.observe(&Observation::of(at(12), &short.list(12)));
    assert_eq!(rules(&found), ["16"], "{found:?}");
}

#[test]
fn rule_17_rejects_a_missing_promise_of_independence() {
    let scene = Scene {
        is_independent: false,
        ..Scene::video()
    };
    let mut checker = fed(&scene, 1..40);
    assert_eq!(rules(&checker.finish(false, false)), ["17"]);
    let mut checker = fed(&scene, 1..40);
    assert!(checker.finish(true, false).is_empty());
}

#[test]
fn rule_18_rejects_a_list_that_goes_on_after_its_end() {
    let ended = Scene {
        ends_at: Some(52),
        ..Scene::video()
    };
    let mut checker = fed(&ended, 40..=52);
    let found = checker.observe(&Observation::of(at(53), &Scene::video().list(53)));
    assert!(rules(&found).contains(&"18".to_owned()), "{found:?}");
    let mut checker = fed(&ended, 40..=52);
    let later = Scene {
        ends_at: Some(56),
        ..Scene::video()
    };
    let found = checker.observe(&Observation::of(at(56), &later.list(56)));
    assert_eq!(rules(&found), ["18"], "{found:?}");
}

#[test]
fn rule_18_rejects_an_end_in_the_middle_of_a_segment() {
    let ended = Scene {
        ends_at: Some(50),
        ..Scene::video()
    };
    let mut checker = fed(&Scene::video(), 40..50);
    let found = checker.observe(&Observation::of(at(50), &ended.list(50)));
    assert_eq!(rules(&found), ["18"], "{found:?}");
}

#[test]
fn rule_18_rejects_a_list_that_vanishes_before_its_end() {
    for status in [404, 500] {
        let mut checker = fed(&Scene::video(), 40..50);
        let found = checker.observe(&Observation {
            status,
            ..Observation::of(at(50), "")
        });
        assert_eq!(rules(&found), ["18"], "{found:?}");
    }
}
