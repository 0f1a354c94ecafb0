use proptest::prelude::*;

use super::*;

const HD: SourcePicture = SourcePicture {
    width: 1920,
    height: 1080,
    frame_us: 1e6 / 30.0,
};

const STEREO: SourceSound = SourceSound {
    plays_everywhere: true,
    channels: 2,
    rate: 44_100,
};

fn source() -> LadderSource {
    LadderSource {
        picture: Some(HD),
        sound: Some(STEREO),
    }
}

fn opus() -> LadderSource {
    LadderSource {
        sound: Some(SourceSound {
            plays_everywhere: false,
            channels: 6,
            rate: 48_000,
        }),
        ..source()
    }
}

fn pass_through() -> VideoVariant {
    VideoVariant {
        video_passthrough: true,
        ..VideoVariant::default()
    }
}

fn sized(width: u32, height: u32) -> VideoVariant {
    VideoVariant {
        scaled_width: width,
        scaled_height: height,
        ..VideoVariant::default()
    }
}

fn size_of(variant: VideoVariant, picture: SourcePicture) -> (u32, u32) {
    let source = LadderSource {
        picture: Some(picture),
        sound: None,
    };
    let plan = LadderPlan::choose(&[variant], &source);
    (plan.rungs[0].width, plan.rungs[0].height)
}

#[test]
fn passing_through_needs_no_ffmpeg() {
    let plan = LadderPlan::choose(&[pass_through()], &source());
    assert!(plan.is_empty());
    assert!(plan.offers_source);
    assert!(plan.left_out.is_empty());
    assert!(LadderPlan::choose(&[], &source()).offers_source);
}

#[test]
fn a_rung_keeps_the_shape_of_the_picture_and_is_never_larger() {
    for (asked, given) in [
        ((0, 0), (1920, 1080)),
        ((1280, 0), (1280, 720)),
        ((0, 480), (854, 480)),
        ((852, 0), (852, 480)),
        ((1280, 720), (1280, 720)),
        // A different aspect ratio from the source's: the largest size that fits.
        ((1080, 720), (1080, 608)),
        ((640, 640), (640, 360)),
        ((3840, 2160), (1920, 1080)),
        ((3840, 720), (1280, 720)),
        ((1, 1), (16, 16)),
    ] {
        assert_eq!(size_of(sized(asked.0, asked.1), HD), given, "{asked:?}");
    }
    let upright = SourcePicture {
        width: 1080,
        height: 1920,
        ..HD
    };
    assert_eq!(size_of(sized(1280, 720), upright), (406, 720));
    let odd = SourcePicture {
        width: 641,
        height: 361,
        ..HD
    };
    assert_eq!(size_of(sized(0, 0), odd), (642, 362));
}

#[test]
fn frames_are_thinned_to_a_whole_share_of_the_source() {
    for (rate, asked, every) in [
        (30.0, 0, 1),
        (30.0, 30, 1),
        (29.97, 30, 1),
        (30.0, 60, 1),
        (25.0, 24, 1),
        (30.0, 24, 1),
        (60.0, 30, 2),
        (59.94, 30, 2),
        (50.0, 25, 2),
        (60.0, 24, 3),
        (60.0, 1, 60),
        (24.0, 10, 2),
    ] {
        let picture = SourcePicture {
            frame_us: 1e6 / rate,
            ..HD
        };
        let source = LadderSource {
            picture: Some(picture),
            sound: None,
        };
        let variant = VideoVariant {
            framerate: asked,
            ..VideoVariant::default()
        };
        let plan = LadderPlan::choose(&[variant], &source);
        assert_eq!(plan.rungs[0].every, every, "{asked} of {rate}");
    }
}

#[test]
fn the_bit_rate_is_the_one_asked_for_or_one_that_suits_the_size() {
    let kbps = |asked| {
        let variant = VideoVariant {
            video_bitrate: asked,
            framerate: 30,
            ..sized(1280, 720)
        };
        LadderPlan::choose(&[variant], &source()).rungs[0].kbps
    };
    assert_eq!(kbps(2500), 2500);
    assert_eq!(kbps(1), MIN_PICTURE_KBPS);
    assert_eq!(kbps(u32::MAX), MAX_PICTURE_KBPS);
    assert_eq!(kbps(0), 2212);
}

#[test]
fn rungs_remember_their_place_in_the_list() {
    let list = [sized(0, 720), pass_through(), sized(0, 480)];
    let plan = LadderPlan::choose(&list, &source());
    let places: Vec<usize> = plan.rungs.iter().map(|rung| rung.variant).collect();
    assert_eq!(places, [0, 2]);
    assert!(plan.offers_source);
}

#[test]
fn what_comes_to_the_same_is_encoded_once() {
    let list = [sized(0, 1080), sized(0, 2160), sized(0, 480)];
    let plan = LadderPlan::choose(&list, &source());
    assert_eq!(plan.rungs.len(), 2);
    let expected = OmittedQuality {
        variant: 1,
        reason: OmissionReason::SameAs(0),
    };
    assert_eq!(plan.left_out, [expected]);
    let said = plan.left_out[0].reason.to_string();
    assert!(said.contains("quality 1"), "{said}");
}

#[test]
fn more_rungs_than_a_machine_can_carry_are_left_out() {
    let list: Vec<VideoVariant> = (1..=8).map(|step| sized(0, step * 100)).collect();
    let plan = LadderPlan::choose(&list, &source());
    assert_eq!(plan.rungs.len(), MAX_RUNGS);
    let left: Vec<usize> = plan.left_out.iter().map(|left| left.variant).collect();
    assert_eq!(left, [6, 7]);
    assert_eq!(plan.left_out[0].reason, OmissionReason::TooMany);
}

#[test]
fn a_stream_without_a_picture_has_no_rungs_and_keeps_its_sound() {
    let radio = LadderSource {
        picture: None,
        sound: Some(STEREO),
    };
    let louder = VideoVariant {
        audio_passthrough: false,
        audio_bitrate: 96,
        ..sized(0, 480)
    };
    let plan = LadderPlan::choose(&[louder], &radio);
    assert!(plan.is_empty());
    assert!(plan.offers_source);
    assert_eq!(plan.left_out[0].reason, OmissionReason::NoPicture);
}

#[test]
fn sound_that_not_everybody_can_play_is_encoded_for_all() {
    let plan = LadderPlan::choose(&[pass_through(), sized(0, 480)], &opus());
    let expected = SoundRung {
        kbps: USUAL_SOUND_KBPS,
        channels: 2,
        rate: 48_000,
    };
    assert_eq!(plan.sound, Some(expected));
    assert!(plan.rungs[0].has_encoded_sound);
    assert_eq!(LadderPlan::choose(&[], &opus()).sound, Some(expected));
}

#[test]
fn sound_without_a_picture_is_passed_through_whatever_it_is() {
    let radio = LadderSource {
        picture: None,
        ..opus()
    };
    assert!(LadderPlan::choose(&[], &radio).is_empty());
}

#[test]
fn sound_is_encoded_where_a_quality_wants_less_of_it() {
    let less = |kbps| VideoVariant {
        audio_passthrough: false,
        audio_bitrate: kbps,
        ..sized(0, 360)
    };
    let plan = LadderPlan::choose(&[sized(0, 720), less(64), less(96)], &source());
    assert_eq!(plan.sound.unwrap().kbps, 96);
    let with: Vec<bool> = plan
        .rungs
        .iter()
        .map(|rung| rung.has_encoded_sound)
        .collect();
    assert_eq!(with, [false, true]);
    assert_eq!(
        LadderPlan::choose(&[less(1)], &source())
            .sound
            .unwrap()
            .kbps,
        32
    );
    assert_eq!(
        LadderPlan::choose(&[less(999)], &source())
            .sound
            .unwrap()
            .kbps,
        320
    );
    let silent = LadderSource {
        sound: None,
        ..source()
    };
    let plan = LadderPlan::choose(&[less(64)], &silent);
    assert_eq!(plan.sound, None);
    assert!(!plan.rungs[0].has_encoded_sound);
}

fn variant() -> impl Strategy<Value = VideoVariant> {
    let sound = (any::<bool>(), any::<u32>());
    let picture = (any::<bool>(), any::<u32>(), any::<u32>(), any::<u32>());
    (sound, picture, any::<u32>(), any::<u32>()).prop_map(
        |((audio_passthrough, audio_bitrate), picture, framerate, cpu_usage_level)| VideoVariant {
            name: "-i /etc/passwd".into(),
            video_passthrough: picture.0,
            audio_passthrough,
            video_bitrate: picture.1,
            audio_bitrate,
            scaled_width: picture.2,
            scaled_height: picture.3,
            framerate,
            cpu_usage_level,
        },
    )
}

proptest! {
    #[test]
    fn any_wish_for_any_picture_becomes_a_plan_an_encoder_can_follow(
        list in prop::collection::vec(variant(), 0..30),
        width in any::<u32>(),
        height in any::<u32>(),
        frame_us in any::<f64>(),
        channels in any::<u16>(),
        plays_everywhere in any::<bool>(),
    ) {
        let source = LadderSource {
            picture: Some(SourcePicture { width, height, frame_us }),
            sound: Some(SourceSound { plays_everywhere, channels, rate: 48_000 }),
        };
        let plan = LadderPlan::choose(&list, &source);
        prop_assert!(plan.rungs.len() <= MAX_RUNGS);
        let encoded = list.iter().filter(|variant| !variant.video_passthrough).count();
        prop_assert_eq!(plan.rungs.len() + plan.left_out.len(), encoded);
        for rung in &plan.rungs {
            prop_assert!(rung.width % 2 == 0 && rung.height % 2 == 0);
            prop_assert!((MIN_PIXELS..=MAX_PIXELS).contains(&rung.width));
            prop_assert!((MIN_PIXELS..=MAX_PIXELS).contains(&rung.height));
            prop_assert!((MIN_PICTURE_KBPS..=MAX_PICTURE_KBPS).contains(&rung.kbps));
            prop_assert!(rung.every >= 1 && rung.effort <= 5);
        }
        let words = crate::transcoder::arguments(&plan, crate::transcoder::Encoder::X264);
        prop_assert!(!words.iter().any(|word| word.contains("passwd")));
    }
}
