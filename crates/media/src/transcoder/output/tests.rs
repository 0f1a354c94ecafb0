use proptest::prelude::*;

use super::*;

const RUNG: Rung = Rung {
    variant: 0,
    width: 320,
    height: 180,
    every: 1,
    kbps: 400,
    effort: 0,
    has_encoded_sound: true,
};

const SOUND: SoundRung = SoundRung {
    kbps: 128,
    channels: 2,
    rate: 44_100,
};

/// As x264 writes it, for 320 by 180 pixels.
const RECORD: &[u8] = b"\x01\x42\xc0\x0d\xff\xe1\x00\x19\
    \x67\x42\xc0\x0d\xd9\x01\x41\x9f\x9f\x01\x10\x00\x00\x03\x00\x10\x00\x00\x03\x03\xc0\xf1\x42\xa4\x80\
    \x01\x00\x05\x68\xcb\x83\xcb\x20";
const KEY: &[u8] = b"\0\0\0\x02\x65\x88";
const OTHER: &[u8] = b"\0\0\0\x02\x41\x9a";
/// Two channels at 44,100 Hz.
const STEREO: &[u8] = b"\x12\x10";

fn tag(kind: TagKind, timestamp_ms: u32, parts: &[&[u8]]) -> FileTag {
    FileTag {
        kind,
        timestamp_ms,
        body: parts.concat().into(),
    }
}

fn parameters(record: &[u8]) -> FileTag {
    tag(TagKind::Video, 0, &[b"\x17\0\0\0\0", record])
}

fn picture(at_ms: u32, nal: &[u8]) -> FileTag {
    tag(TagKind::Video, at_ms, &[b"\x17\x01\0\0\0", nal])
}

fn sound_parameters(record: &[u8]) -> FileTag {
    tag(TagKind::Audio, 0, &[b"\xaf\0", record])
}

fn sound(at_ms: u32) -> FileTag {
    tag(TagKind::Audio, at_ms, &[b"\xaf\x01", b"aac"])
}

fn begun() -> PictureOutput {
    let mut output = PictureOutput::new(&RUNG);
    assert_eq!(output.take(parameters(RECORD), 0), Ok(None));
    output
}

/// When the frame is shown, and whether decoding can start there.
fn seen(came: Result<Option<EncodedFrame>, OutputError>) -> (i64, bool) {
    let frame = came.unwrap().unwrap();
    (frame.at_ms, frame.is_key)
}

#[test]
fn pictures_come_at_the_times_they_were_given_for() {
    let mut output = begun();
    assert_eq!(output.config().unwrap().width(), 320);
    assert_eq!(
        seen(output.take(picture(10_076, KEY), 10_200)),
        (10_076, true)
    );
    assert_eq!(
        seen(output.take(picture(10_114, OTHER), 10_200)),
        (10_114, false)
    );
    // Repeated parameters change nothing.
    assert_eq!(output.take(parameters(RECORD), 10_200), Ok(None));
    let shown_later = tag(TagKind::Video, 10_120, &[b"\x27\x01\0\0\x21", OTHER]);
    assert_eq!(seen(output.take(shown_later, 10_200)), (10_153, false));
}

#[test]
fn whatever_is_called_a_key_frame_only_one_that_stands_alone_is_one() {
    let mut output = begun();
    let came = output.take(picture(10_000, OTHER), 10_000);
    assert_eq!(came, Err(OutputError::NoBeginning));
}

#[test]
fn a_frame_before_its_parameters_is_garbage() {
    let mut output = PictureOutput::new(&RUNG);
    let came = output.take(picture(10_000, KEY), 10_000);
    assert_eq!(came, Err(OutputError::NoBeginning));
    let mut output = SoundOutput::new(&SOUND);
    assert_eq!(
        output.take(sound(10_000), 10_000),
        Err(OutputError::NoBeginning)
    );
}

#[test]
fn pictures_of_another_size_are_garbage() {
    let larger = Rung {
        width: 640,
        height: 360,
        ..RUNG
    };
    let came = PictureOutput::new(&larger).take(parameters(RECORD), 0);
    assert_eq!(came, Err(OutputError::OtherSize(320, 180)));
}

#[test]
fn parameters_that_change_are_garbage() {
    let mut output = begun();
    let mut other = RECORD.to_vec();
    let last = other.len() - 1;
    other[last] ^= 0x40;
    assert_eq!(
        output.take(parameters(&other), 0),
        Err(OutputError::Changed)
    );
    let mut output = SoundOutput::new(&SOUND);
    assert_eq!(output.take(sound_parameters(STEREO), 0), Ok(None));
    // The same at 48,000 Hz.
    let came = output.take(sound_parameters(b"\x11\x90"), 0);
    assert_eq!(came, Err(OutputError::Changed));
}

#[test]
fn time_goes_forward_and_not_far_beyond_what_was_given() {
    let mut output = begun();
    seen(output.take(picture(10_000, KEY), 10_000));
    for (at_ms, expected) in [
        (9_000, OutputError::Backwards(9_000)),
        (11_001, OutputError::OtherTime(11_001, 10_000)),
        (70_000, OutputError::OtherTime(70_000, 10_000)),
    ] {
        let came = output.take(picture(at_ms, OTHER), 10_000);
        assert_eq!(came, Err(expected));
    }
}

#[test]
fn pictures_of_a_clock_that_was_set_back_are_shown_right_behind_each_other() {
    let mut output = begun();
    seen(output.take(picture(10_000, KEY), 10_000));
    for (at_ms, expected) in [(10_000, 10_001), (9_700, 10_002), (9_733, 10_003)] {
        let came = output.take(picture(at_ms, OTHER), 10_000);
        assert_eq!(seen(came), (expected, false));
    }
    let came = output.take(picture(10_033, OTHER), 10_033);
    assert_eq!(seen(came), (10_033, false));
    // But not for ever.
    let mut taken = 0;
    while let Ok(came) = output.take(picture(10_033, OTHER), 10_033) {
        assert!(came.is_some());
        taken += 1;
    }
    assert_eq!(taken, MOST_BACK_MS);
}

#[test]
fn what_was_kept_while_nothing_was_given_comes_when_time_has_gone_on() {
    let mut output = begun();
    seen(output.take(picture(10_000, KEY), 10_100));
    let came = output.take(picture(10_033, OTHER), 1_000_000);
    assert_eq!(seen(came), (10_033, false));
}

#[test]
fn a_stream_of_many_weeks_keeps_its_time() {
    let given_ms = 3 * WRAP_MS + 40;
    let mut output = begun();
    let before = u32::try_from(WRAP_MS - 10).unwrap();
    assert_eq!(
        seen(output.take(picture(before, KEY), given_ms)),
        (3 * WRAP_MS - 10, true)
    );
    assert_eq!(
        seen(output.take(picture(23, OTHER), given_ms)),
        (3 * WRAP_MS + 23, false)
    );
}

#[test]
fn what_belongs_to_another_output_is_garbage() {
    let mut pictures = begun();
    assert_eq!(pictures.take(sound(0), 0), Err(OutputError::Mixed));
    let mut sounds = SoundOutput::new(&SOUND);
    assert_eq!(sounds.take(picture(0, KEY), 0), Err(OutputError::Mixed));
    let hevc = tag(TagKind::Video, 0, &[b"\x90hvc1x"]);
    assert!(matches!(
        pictures.take(hevc, 0),
        Err(OutputError::OtherCodec(_))
    ));
    let mp3 = tag(TagKind::Audio, 0, &[b"\x2fmp3"]);
    assert!(matches!(
        sounds.take(mp3, 0),
        Err(OutputError::OtherCodec(_))
    ));
}

#[test]
fn frames_that_are_cut_off_are_garbage() {
    let mut output = begun();
    let came = output.take(picture(10_000, b"\0\0\x02\0\x65\x88"), 10_000);
    assert!(matches!(came, Err(OutputError::Codec(_))), "{came:?}");
    let came = output.take(tag(TagKind::Video, 0, &[b"\x17\x01\0"]), 0);
    assert!(matches!(came, Err(OutputError::Container(_))), "{came:?}");
}

#[test]
fn sound_comes_with_the_channels_and_the_rate_it_was_asked_for() {
    let mut output = SoundOutput::new(&SOUND);
    assert_eq!(output.take(sound_parameters(STEREO), 0), Ok(None));
    assert_eq!(output.config().unwrap().channels(), 2);
    assert_eq!(seen(output.take(sound(10_022), 10_000)), (10_022, true));
    let mono = SoundRung {
        channels: 1,
        ..SOUND
    };
    let came = SoundOutput::new(&mono).take(sound_parameters(STEREO), 0);
    assert_eq!(came, Err(OutputError::OtherChannels(2)));
    let slow = SoundRung {
        rate: 48_000,
        ..SOUND
    };
    let came = SoundOutput::new(&slow).take(sound_parameters(STEREO), 0);
    assert_eq!(came, Err(OutputError::OtherRate(44_100)));
    let long = vec![0; MAX_SOUND_BYTES + 1];
    let long = tag(TagKind::Audio, 10_045, &[b"\xaf\x01", &long]);
    let came = output.take(long, 10_045);
    assert_eq!(came, Err(OutputError::TooLong(MAX_SOUND_BYTES + 1)));
}

#[test]
fn the_longest_picture_goes_by_the_bit_rate() {
    assert_eq!(PictureOutput::most_bytes(&RUNG), 2 << 20);
    let heavy = Rung {
        kbps: 6_000,
        ..RUNG
    };
    assert_eq!(PictureOutput::most_bytes(&heavy), 3_000_000);
}

proptest! {
    #[test]
    fn whatever_comes_time_only_grows_and_a_key_frame_is_first(
        tags in prop::collection::vec(
            (0..70_000u32, prop::sample::select(vec![KEY, OTHER, b"\0".as_slice()])),
            0..40,
        ),
        given_ms in 0..70_000i64,
    ) {
        let mut output = begun();
        let mut last = None;
        for (at_ms, nal) in tags {
            let Ok(came) = output.take(picture(at_ms, nal), given_ms) else {
                break;
            };
            let Some(frame) = came else { continue };
            prop_assert!(last.is_some() || frame.is_key);
            prop_assert!(last.is_none_or(|last| last < frame.at_ms));
            prop_assert!(frame.at_ms <= given_ms + MOST_AHEAD_MS);
            last = Some(frame.at_ms);
        }
    }

    #[test]
    fn a_time_is_found_again_from_its_stamp(at_ms in 0..i64::MAX / 4, off in -1_000_000..1_000_000i64) {
        let stamp = u32::try_from(at_ms.rem_euclid(WRAP_MS)).unwrap();
        prop_assert_eq!(beside(at_ms + off, stamp), at_ms);
    }
}
