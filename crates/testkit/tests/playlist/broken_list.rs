//! Playlists that break rules 1 to 8 by themselves or compared with an earlier one.

use testkit::playlist::{Checker, Observation, Role};

use crate::scene::{Scene, assert_breaks, at, edit, fed, rules};

#[test]
fn syntax_rejects_what_either_parser_rejects() {
    let video = Scene::video();
    assert_breaks("S", &video, 50, |text| edit(text, "#EXTM3U\n", ""));
    assert_breaks("S", &video, 50, |text| {
        edit(text, "v11.m4s\n#", "v11.m4s\nstray.m4s\n#")
    });
    assert_breaks("S", &video, 50, |text| {
        edit(
            text,
            "#EXT-X-VERSION:9\n",
            "#EXT-X-VERSION:9\n#EXT-X-VERSION:9\n",
        )
    });
    assert_breaks("S", &video, 50, |text| {
        format!("{text}#EXT-X-KEY:URI=\"k\"\n")
    });
    assert_breaks("S", &video, 50, |text| {
        format!("{text}#EXT-X-DATERANGE:ID=\"a\", CLASS=\"b\"\n#EXT-X-RENDITION-REPORT:URI=x\n")
    });
}

#[test]
fn rule_1_rejects_a_version_too_low_absent_or_changing() {
    let video = Scene::video();
    assert_breaks("1", &video, 50, |text| edit(text, "#EXT-X-VERSION:9\n", ""));
    assert_breaks("1", &video, 50, |text| {
        edit(text, "VERSION:9", "VERSION:10")
    });
    let mut checker = Checker::new(Role::Video);
    let low = edit(&video.list(50), "VERSION:9", "VERSION:6");
    assert_eq!(
        rules(&checker.observe(&Observation::of(at(50), &low))),
        ["1"]
    );
    let mut checker = Checker::new(Role::Video);
    let dates = edit(
        &video.list(50),
        "CAN-SKIP-UNTIL",
        "CAN-SKIP-DATERANGES=YES,CAN-SKIP-UNTIL",
    );
    assert_eq!(
        rules(&checker.observe(&Observation::of(at(50), &dates))),
        ["1"]
    );
}

#[test]
fn rule_2_rejects_a_target_duration_that_changes_or_does_not_hold() {
    let video = Scene::video();
    assert_breaks("2", &video, 50, |text| {
        edit(text, "TARGETDURATION:2", "TARGETDURATION:1")
    });
    assert_breaks("2", &video, 50, |text| {
        edit(text, "#EXT-X-TARGETDURATION:2\n", "")
    });
    let classic = Scene {
        has_parts: false,
        ..Scene::video()
    };
    let newest = |length: &str| {
        let length = format!("#EXTINF:{length},\nv11.");
        move |text: &str| edit(text, "#EXTINF:2.00000,\nv11.", &length)
    };
    assert_breaks("2", &classic, 48, newest("2.50000"));
    let text = newest("2.49900")(&classic.list(48));
    let mut checker = fed(&classic, 1..48);
    assert!(checker.observe(&Observation::of(at(48), &text)).is_empty());
}

#[test]
fn rule_3_rejects_a_part_target_that_changes() {
    assert_breaks("3", &Scene::video(), 50, |text| {
        edit(text, "PART-TARGET=0.5", "PART-TARGET=0.45")
    });
    assert_breaks("3", &Scene::video(), 50, |text| {
        edit(text, "PART-TARGET=0.5", "PART-TARGET=0.4999")
    });
}

#[test]
fn rule_3_rejects_a_part_one_millisecond_too_long() {
    assert_breaks("3", &Scene::video(), 50, |text| {
        edit(
            text,
            "DURATION=0.50000,URI=\"v12.1.",
            "DURATION=0.50100,URI=\"v12.1.",
        )
    });
}

#[test]
fn rule_3_rejects_a_short_part_unless_it_is_the_last_of_its_segment() {
    let short = |text: &str| {
        edit(
            text,
            "DURATION=0.50000,URI=\"v12.1.",
            "DURATION=0.40000,URI=\"v12.1.",
        )
    };
    let video = Scene::video();
    let mut checker = fed(&video, 1..50);
    assert!(
        checker
            .observe(&Observation::of(at(50), &short(&video.list(50))))
            .is_empty()
    );
    let found = checker.observe(&Observation::of(at(51), &short(&video.list(51))));
    assert_eq!(rules(&found), ["3"], "{found:?}");
}

#[test]
fn rule_3_rejects_parts_without_a_part_target() {
    let text = edit(
        &Scene::video().list(50),
        "#EXT-X-PART-INF:PART-TARGET=0.5\n",
        "",
    );
    let found = Checker::new(Role::Video).observe(&Observation::of(at(50), &text));
    assert_eq!(rules(&found), ["3"], "{found:?}");
}

#[test]
fn rule_4_rejects_hold_backs_that_are_short_absent_or_changing() {
    let video = Scene::video();
    for (from, to) in [
        ("PART-HOLD-BACK=1.5", "PART-HOLD-BACK=1.499"),
        ("PART-HOLD-BACK=1.5,", ""),
        (",HOLD-BACK=6.0", ",HOLD-BACK=5.9"),
        (",HOLD-BACK=6.0", ""),
        (",HOLD-BACK=6.0", ",HOLD-BACK=6.5"),
        ("CAN-SKIP-UNTIL=12.0", "CAN-SKIP-UNTIL=11.9"),
        ("CAN-SKIP-UNTIL=12.0", "CAN-SKIP-UNTIL=24.0"),
    ] {
        assert_breaks("4", &video, 50, |text| edit(text, from, to));
    }
    let classic = Scene {
        has_parts: false,
        ..Scene::video()
    };
    assert_breaks("4", &classic, 50, |text| {
        edit(text, "#EXT-X-SERVER-CONTROL:HOLD-BACK=6.0\n", "")
    });
}

#[test]
fn rule_5_rejects_parts_that_do_not_add_up_to_their_segment() {
    assert_breaks("5", &Scene::video(), 52, |text| {
        edit(
            text,
            "DURATION=0.50000,URI=\"v12.3.",
            "DURATION=0.45000,URI=\"v12.3.",
        )
    });
}

#[test]
fn rule_5_rejects_parts_between_a_duration_and_its_uri() {
    let part = "#EXT-X-PART:DURATION=0.50000,URI=\"v12.3.m4s\"\n";
    assert_breaks("5", &Scene::video(), 52, |text| {
        let without = edit(text, part, "");
        edit(
            &without,
            "#EXTINF:2.00000,\nv12.",
            &format!("#EXTINF:2.00000,\n{part}v12."),
        )
    });
}

#[test]
fn rule_5_rejects_parts_behind_their_segment() {
    // Every part one segment late, as a server writes it that puts EXTINF first.
    let text = Scene::video()
        .list(8)
        .replace("v0.m4s\n", "")
        .replace("#EXTINF:2.00000,\n", "");
    let late = edit(
        &text,
        "#EXT-X-PART:",
        "#EXTINF:2.00000,\nv0.m4s\n#EXT-X-PART:",
    );
    let late = edit(&late, "v1.m4s\n", "#EXTINF:2.00000,\nv1.m4s\n");
    let found = Checker::new(Role::Video).observe(&Observation::of(at(8), &late));
    assert!(rules(&found).contains(&"5".to_owned()), "{found:?}\n{late}");
}

#[test]
fn rule_6_rejects_a_dependent_start_of_a_segment_that_is_promised_independent() {
    assert_breaks("6", &Scene::video(), 49, |text| {
        edit(text, "v12.0.m4s\",INDEPENDENT=YES", "v12.0.m4s\"")
    });
}

#[test]
fn rule_6_rejects_sound_that_is_not_independent() {
    let audio = Scene {
        letter: 'a',
        ..Scene::video()
    };
    assert_breaks("6", &audio, 50, |text| {
        edit(text, "a12.1.m4s\",INDEPENDENT=YES", "a12.1.m4s\"")
    });
}

#[test]
fn rule_6_rejects_a_promise_of_the_multivariant_playlist_that_is_broken() {
    let scene = Scene {
        is_independent: false,
        ..Scene::video()
    };
    let text = scene
        .list(41)
        .replace("10.0.m4s\",INDEPENDENT=YES", "10.0.m4s\"");
    let mut checker = Checker::new(Role::Video);
    assert!(checker.observe(&Observation::of(at(41), &text)).is_empty());
    assert_eq!(rules(&checker.finish(true, false)), ["6"]);
}

#[test]
fn rule_7_rejects_parts_far_from_the_end() {
    assert_breaks("7", &Scene::video(), 50, |text| {
        let parts: String = (0..4)
            .map(|part| {
                let independent = if part == 0 { ",INDEPENDENT=YES" } else { "" };
                format!("#EXT-X-PART:DURATION=0.50000,URI=\"v4.{part}.m4s\"{independent}\n")
            })
            .collect();
        edit(
            text,
            "#EXTINF:2.00000,\nv4.m4s",
            &format!("{parts}#EXTINF:2.00000,\nv4.m4s"),
        )
    });
}

#[test]
fn rule_7_rejects_parts_that_vanish_too_early() {
    assert_breaks("7", &Scene::video(), 50, |text| {
        let lines = text.lines().filter(|line| !line.contains("\"v11."));
        lines.map(|line| format!("{line}\n")).collect()
    });
}

#[test]
fn rule_8_rejects_a_live_list_without_hint() {
    assert_breaks("8", &Scene::video(), 50, |text| {
        edit(
            text,
            "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"v12.2.m4s\"\n",
            "",
        )
    });
}

#[test]
fn rule_8_rejects_two_hints_and_hints_at_the_past() {
    let hint = "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"v12.2.m4s\"\n";
    assert_breaks("8", &Scene::video(), 50, |text| {
        edit(text, hint, &hint.repeat(2))
    });
    assert_breaks("8", &Scene::video(), 50, |text| {
        edit(text, "URI=\"v12.2.", "URI=\"v12.1.")
    });
    let ended = Scene {
        ends_at: Some(52),
        ..Scene::video()
    };
    assert_breaks("8", &ended, 52, |text| {
        edit(text, "#EXT-X-ENDLIST", &format!("{hint}#EXT-X-ENDLIST"))
    });
}

#[test]
fn rule_8_rejects_a_hint_that_does_not_come_true() {
    let video = Scene::video();
    for tick in [50, 52, 53] {
        let mut checker = fed(&video, 1..tick);
        let (msn, part) = (tick / 4, tick % 4);
        let wrong = edit(
            &video.list(tick),
            &format!("PART,URI=\"v{msn}.{part}."),
            "PART,URI=\"v99.9.",
        );
        assert!(
            checker
                .observe(&Observation::of(at(tick), &wrong))
                .is_empty()
        );
        let found = checker.observe(&Observation::of(at(tick + 1), &video.list(tick + 1)));
        assert_eq!(rules(&found), ["8"], "{found:?}");
    }
}

#[test]
fn rule_8_rejects_a_hinted_map_that_does_not_come() {
    let scene = Scene {
        break_at: Some(12),
        ..Scene::video()
    };
    for (hinted, expected) in [("init-2.mp4", Vec::new()), ("init-3.mp4", vec!["8"])] {
        let mut checker = fed(&scene, 1..48);
        let hint = format!("#EXT-X-PRELOAD-HINT:TYPE=MAP,URI=\"{hinted}\"\n");
        let text = scene.list(48) + &hint;
        assert!(checker.observe(&Observation::of(at(48), &text)).is_empty());
        let found = checker.observe(&Observation::of(at(49), &scene.list(49)));
        assert_eq!(rules(&found), expected, "{found:?}");
    }
}
