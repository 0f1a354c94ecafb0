//! A correct packager's output passes.

use testkit::playlist::{
    Checker, Directives, Edge, MediaPlaylist, Observation, OtherRendition, Role, Skip,
};

use crate::scene::{Scene, at, fed};

#[test]
fn a_low_latency_stream_passes_from_its_first_part_until_segments_leave() {
    let mut checker = fed(&Scene::video(), 1..=80);
    assert!(checker.finish(false, false).is_empty());
    assert!(checker.findings().checks().len() > 12);
}

#[test]
fn a_discontinuity_passes_from_its_first_part_until_it_has_left_the_window() {
    let scene = Scene {
        break_at: Some(5),
        ..Scene::video()
    };
    fed(&scene, 1..=80);
}

#[test]
fn a_player_that_skips_most_updates_sees_nothing_wrong() {
    let scene = Scene {
        break_at: Some(5),
        ..Scene::video()
    };
    for step in [2, 3, 5, 7, 30] {
        fed(&scene, (1..=90).step_by(step));
    }
}

#[test]
fn delta_updates_pass_also_around_a_discontinuity() {
    let scene = Scene {
        break_at: Some(9),
        ..Scene::video()
    };
    let mut checker = fed(&scene, [30]);
    for tick in 31..=90 {
        let text = scene.delta(tick);
        let skip = Some(if tick % 2 == 0 { Skip::Yes } else { Skip::V2 });
        let asked = Directives {
            msn: Some((tick - 1) / 4),
            part: Some((tick - 1) % 4),
            skip,
        };
        let found = checker.observe(&Observation {
            asked,
            ..Observation::of(at(tick), &text)
        });
        assert!(found.is_empty(), "tick {tick}: {found:?}\n{text}");
    }
    assert!(scene.delta(60).contains("#EXT-X-SKIP"));
}

#[test]
fn video_and_audio_that_report_on_each_other_pass() {
    let urls = ["http://h/hls/0.m3u8", "http://h/hls/audio.m3u8"];
    let video = Scene {
        other: Some("audio.m3u8"),
        ..Scene::video()
    };
    let audio = Scene {
        letter: 'a',
        other: Some("0.m3u8"),
        ..Scene::video()
    };
    let mut video_checker = Checker::new(Role::Video).at(urls[0]).beside(&[urls[1]]);
    let mut audio_checker = Checker::new(Role::Audio).at(urls[1]).beside(&[urls[0]]);
    for tick in 1..=60 {
        let (video_text, audio_text) = (video.list(tick), audio.list(tick));
        let mut found = video_checker.observe(&Observation::of(at(tick), &video_text));
        found.extend(audio_checker.observe(&Observation::of(at(tick), &audio_text)));
        let seen = |text: &str| OtherRendition {
            asked_at: at(tick),
            at: at(tick),
            edge: MediaPlaylist::read(text).edge().unwrap(),
        };
        found.extend(video_checker.saw_other(urls[1], &seen(&audio_text)));
        found.extend(audio_checker.saw_other(urls[0], &seen(&video_text)));
        assert!(found.is_empty(), "tick {tick}: {found:?}");
    }
}

#[test]
fn a_stream_without_parts_passes() {
    let scene = Scene {
        has_parts: false,
        break_at: Some(6),
        ..Scene::video()
    };
    let mut checker = fed(&scene, (4..=100).step_by(3));
    assert!(checker.finish(false, false).is_empty());
}

#[test]
fn an_ended_stream_passes_and_may_vanish_afterwards() {
    let scene = Scene {
        ends_at: Some(60),
        ..Scene::video()
    };
    let mut checker = fed(&scene, 50..=70);
    assert!(checker.is_ended());
    let found = checker.observe(&Observation {
        status: 404,
        ..Observation::of(at(71), "")
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_list_that_stops_growing_passes() {
    let scene = Scene::video();
    let mut checker = fed(&scene, 50..=58);
    let text = scene.list(58);
    for tick in 59..70 {
        assert!(
            checker
                .observe(&Observation::of(at(tick), &text))
                .is_empty()
        );
    }
    let given_up = Observation {
        asked_at: at(70),
        at: at(82),
        asked: Directives {
            msn: Some(14),
            part: Some(2),
            skip: None,
        },
        status: 503,
        text: "",
    };
    assert!(checker.observe(&given_up).is_empty());
}

#[test]
fn segments_that_begin_without_key_frame_need_no_promise_of_independence() {
    let scene = Scene {
        is_independent: false,
        ..Scene::video()
    };
    let mut checker = fed(&scene, []);
    for tick in 1..=40 {
        let text = scene
            .list(tick)
            .replace("4.0.m4s\",INDEPENDENT=YES", "4.0.m4s\"");
        assert!(
            checker
                .observe(&Observation::of(at(tick), &text))
                .is_empty()
        );
    }
    assert!(checker.finish(false, false).is_empty());
}

#[test]
fn a_blocking_request_past_the_end_of_a_segment_means_the_next_one() {
    let scene = Scene::video();
    let mut checker = fed(&scene, 50..=56);
    let text = scene.list(57);
    let asked = Directives {
        msn: Some(13),
        part: Some(4),
        skip: None,
    };
    let found = checker.observe(&Observation {
        asked,
        ..Observation::of(at(57), &text)
    });
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(
        checker.edge(),
        Some(Edge {
            msn: 14,
            part: Some(0)
        })
    );
}
