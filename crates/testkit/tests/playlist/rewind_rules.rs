//! Lists that go far back, and break the rules for them.

use testkit::playlist::{Checker, Observation, Role};

use crate::scene::{Scene, assert_breaks, at, delta_answer, edit, fed, rules};

/// Forty segments of two seconds.
fn long() -> Scene {
    Scene {
        window: 40,
        ..Scene::video()
    }
}

/// The same list with segment `msn` as a gap.
fn with_gap(text: &str, msn: u64) -> String {
    let uri = format!("\nv{msn}.m4s\n");
    if !text.contains(&uri) {
        return text.to_owned();
    }
    edit(
        text,
        &format!("#EXTINF:2.00000,{uri}"),
        &format!("#EXT-X-GAP\n#EXTINF:2.00000,{uri}"),
    )
}

#[test]
fn rule_r1_rejects_a_playlist_type_in_a_list_that_slides() {
    for kind in ["EVENT", "VOD"] {
        assert_breaks("R1", &long(), 180, |text| {
            edit(
                text,
                "#EXT-X-VERSION:9\n",
                &format!("#EXT-X-VERSION:9\n#EXT-X-PLAYLIST-TYPE:{kind}\n"),
            )
        });
    }
}

#[test]
fn rule_r2_rejects_an_end_that_is_not_the_live_lists() {
    let (own, live) = (long().list(180), Scene::video().list(180));
    let found = |own: &str, live: &str| {
        let mut checker = Checker::new(Role::Video).at("http://h/hls/0/rewind.m3u8");
        let found = checker.ends_like(own, "http://h/hls/0/video.m3u8", live);
        found.map(|found| rules(&found))
    };
    assert_eq!(found(&own, &live), Some(Vec::new()));
    assert_eq!(
        found(&own, &Scene::video().list(181)),
        None,
        "another moment"
    );
    // Its own numbers and renditions are its own.
    let numbered = edit(&own, "MEDIA-SEQUENCE:5\n", "MEDIA-SEQUENCE:1005\n");
    assert_eq!(found(&numbered, &live), Some(Vec::new()));
    let delta = long().delta(180);
    assert!(delta.contains("#EXT-X-SKIP"));
    assert_eq!(found(&delta, &live), Some(Vec::new()));
    for (from, to) in [
        ("\nv41.m4s\n", "\nother41.m4s\n"),
        ("\nv36.m4s\n", "\nother36.m4s\n"),
        ("URI=\"v44.2.m4s\"", "URI=\"w44.2.m4s\""),
        ("TYPE=PART,URI=\"v45.0.m4s\"", "TYPE=PART,URI=\"w45.0.m4s\""),
    ] {
        let broken = edit(&own, from, to);
        assert_eq!(found(&broken, &live), Some(vec!["R2".to_owned()]), "{from}");
    }
    let short = long().list(180).replace("\nv35.m4s\n", "\nv35.m4s?other\n");
    assert_eq!(found(&short, &live), Some(vec!["R2".to_owned()]));
}

#[test]
fn rule_r3_rejects_a_long_list_that_gets_short() {
    let mut checker = fed(&long(), 1..200);
    let short = Scene {
        window: 20,
        ..Scene::video()
    };
    let found = checker.observe(&Observation::of(at(200), &short.list(200)));
    assert_eq!(rules(&found), ["R3"]);
    // A list for those who stay live may be as short as its segments are.
    let mut checker = fed(&Scene::video(), 1..200);
    let shorter = Scene {
        window: 6,
        ..Scene::video()
    };
    let found = checker.observe(&Observation::of(at(200), &shorter.list(200)));
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn rule_r4_rejects_a_gap_that_is_filled_and_one_with_parts() {
    let scene = long();
    let mut checker = Checker::new(Role::Video).at("http://h/hls/this.m3u8");
    for tick in 100..180 {
        let text = with_gap(&scene.list(tick), 18);
        let found = checker.observe(&Observation::of(at(tick), &text));
        assert!(found.is_empty(), "{tick}: {found:?}");
    }
    let filled = scene.list(180);
    let found = checker.observe(&Observation::of(at(180), &filled));
    assert_eq!(rules(&found), ["R4"]);

    let mut checker = Checker::new(Role::Video).at("http://h/hls/this.m3u8");
    let text = with_gap(&scene.list(180), 44);
    let found = checker.observe(&Observation::of(at(180), &text));
    assert_eq!(rules(&found), ["R4"], "its parts can be fetched");
}

#[test]
fn delta_updates_of_a_long_list_pass_and_count_what_they_leave_out() {
    let scene = long();
    let mut checker = fed(&scene, [240]);
    for tick in 241..=300 {
        let text = scene.delta(tick);
        let found = checker.observe(&delta_answer(tick, &text));
        assert!(found.is_empty(), "tick {tick}: {found:?}");
    }
    let checks = checker.findings().checks();
    assert!(checks.contains_key(&testkit::playlist::Rule::Rewind(3)));
}
