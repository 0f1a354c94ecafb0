use super::*;
use bytes::Bytes;

/// Bytes written as hexadecimal digits.
pub(super) fn hex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2), "{text}");
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

/// Decoder configuration records as x264 writes them.
pub(super) mod records {
    pub(crate) const BASELINE_180P30: &str =
        "0142c00dffe100196742c00dd901419f9f0110000003001000000303c0f142a48001000568cb83cb20";
    pub(crate) const HIGH_360P30_B_FRAMES: &str = "0164001effe1001a6764001eacd940a02ff970110000030001000003003c0f162d9601000668ebe3cb22c0fdf8f800";
    pub(crate) const CROPPED_1080P60: &str =
        "0142c02affe100186742c02ada01e0089f970110000003001000000780f1832a01000468ce0fc8";
    pub(crate) const MAIN_426X240P25: &str =
        "014d4015ffe10019674d4015eca0d8ff2780880000030008000003019078b16cb001000568ebe3cb20";
    pub(crate) const HIGH_854X480P30: &str = "0164001fffe1001a6764001facd940d83de6f0110000030001000003003c0f18319601000668ebe3cb22c0fdf8f800";
    pub(crate) const SAR_4_3: &str = "0164001effe100196764001eacd940b4126c3840000003004000000c83c58b658001000668ebe3cb22c0fdf8f800";
    pub(crate) const SAR_37_33: &str = "0164001effe1001c6764001eacd940b43dbff00250021100000303e90000ea600f162d9601000668ebe3cb22c0fdf8f800";
    pub(crate) const HIGH_10: &str = "016e001effe10019676e001ea6cd940a02ff97011000003e90000bb800f162d96001000668ebe3cb22c0fdfafa00";
    pub(crate) const HIGH_444: &str = "01f4001effe1001b67f4001e919b281405ff138088000003000800000301e078b16cb001000668ebe3c44844fff8f800";
    pub(crate) const GREY: &str = "0164001effe1001b6764001ef3650280bfe27016c8000003000800000301e078b16cb001000668ebe3cb22c0fcf8f800";
    pub(crate) const INTERLACED_1080I25: &str =
        "014d4028ffe10019674d4028f403c0227ef011000003000100000300321f162ea001000468de0fc8";
    pub(crate) const BT_709: &str = "0164001effe1001e6764001eacd940a02ff97016a0202028000003000800000301e078b16cb001000668ebe3cb22c0fdf8f800";
    pub(crate) const CONSTANT_RATE: &str = "0164001effe100256764001eacd940a02ff970110000030001000003003c602001e840007a13930c01e2c5b2c001000568ebecb22cfdf8f800";
    pub(crate) const ALL: [&str; 13] = [
        BASELINE_180P30,
        HIGH_360P30_B_FRAMES,
        CROPPED_1080P60,
        MAIN_426X240P25,
        HIGH_854X480P30,
        SAR_4_3,
        SAR_37_33,
        HIGH_10,
        HIGH_444,
        GREY,
        INTERLACED_1080I25,
        BT_709,
        CONSTANT_RATE,
    ];
}

fn video(record: &str) -> VideoConfig {
    VideoConfig::Avc(AvcConfig::parse(Bytes::from(hex(record))).unwrap())
}

fn assert_rate(config: &VideoConfig, wanted: f64) {
    let rate = config.frame_rate().unwrap();
    assert!((rate - wanted).abs() < 0.001, "{rate} instead of {wanted}");
}

#[test]
fn reads_size_shape_and_name_of_every_kind_of_picture() {
    use records::*;
    let rows = [
        (BASELINE_180P30, "avc1.42c00d", (320, 180), (320, 180), 30.0),
        (
            HIGH_360P30_B_FRAMES,
            "avc1.64001e",
            (640, 360),
            (640, 360),
            30.0,
        ),
        (
            CROPPED_1080P60,
            "avc1.42c02a",
            (1920, 1080),
            (1920, 1080),
            60.0,
        ),
        (MAIN_426X240P25, "avc1.4d4015", (426, 240), (426, 240), 25.0),
        (HIGH_854X480P30, "avc1.64001f", (854, 480), (854, 480), 30.0),
        (SAR_4_3, "avc1.64001e", (720, 576), (960, 576), 25.0),
        (SAR_37_33, "avc1.64001e", (720, 480), (807, 480), 29.97),
        (HIGH_10, "avc1.6e001e", (640, 360), (640, 360), 23.976),
        (HIGH_444, "avc1.f4001e", (640, 360), (640, 360), 30.0),
        (GREY, "avc1.64001e", (640, 360), (640, 360), 30.0),
        (
            INTERLACED_1080I25,
            "avc1.4d4028",
            (1920, 1080),
            (1920, 1080),
            25.0,
        ),
        (BT_709, "avc1.64001e", (640, 360), (640, 360), 30.0),
        (CONSTANT_RATE, "avc1.64001e", (640, 360), (640, 360), 30.0),
    ];
    for (record, codec_string, size, display_size, rate) in rows {
        let config = video(record);
        assert_eq!(config.codec_string(), codec_string);
        assert_eq!((config.width(), config.height()), size, "{record}");
        assert_eq!(config.display_size(), display_size, "{record}");
        assert_rate(&config, rate);
        assert_eq!(config.name(), "H.264");
    }
}

#[test]
fn counts_a_frame_in_the_units_asked_for() {
    assert_eq!(
        video(records::HIGH_360P30_B_FRAMES).frame_duration(90_000),
        Some(3_000)
    );
    assert_eq!(
        video(records::SAR_37_33).frame_duration(90_000),
        Some(3_003)
    );
    assert_eq!(video(records::HIGH_10).frame_duration(90_000), Some(3_754));
    assert_eq!(video(records::HIGH_10).frame_duration(1_000), Some(42));
    // A timescale below the frame rate cannot express a frame's duration.
    assert_eq!(video(records::CROPPED_1080P60).frame_duration(1), None);
}

#[test]
fn tells_the_colours_only_when_the_stream_does() {
    let colour = video(records::BT_709).colour().unwrap();
    assert_eq!(
        (colour.primaries, colour.transfer, colour.matrix),
        (1, 1, 1)
    );
    assert!(!colour.is_full_range);
    assert_eq!(video(records::BASELINE_180P30).colour(), None);
    // Full range alone, without primaries, transfer and matrix, is no colour description.
    assert_eq!(video(records::GREY).colour(), None);
}

#[test]
fn equal_records_are_equal_configurations() {
    assert_eq!(video(records::HIGH_10), video(records::HIGH_10));
    assert_ne!(video(records::SAR_4_3), video(records::SAR_37_33));
}

#[test]
fn sound_has_one_face_for_all_codecs() {
    let aac = AudioConfig::Aac(AacConfig::parse(&hex("1190")).unwrap());
    assert_eq!(
        (aac.codec_string().as_str(), aac.name()),
        ("mp4a.40.2", "AAC")
    );
    assert_eq!(
        (aac.sample_rate(), aac.channels(), aac.frame_samples()),
        (48_000, 2, 1024)
    );
    let mp3 = AudioConfig::Mp3(Mp3Config::parse(&hex("fff380c4")).unwrap());
    assert_eq!(
        (mp3.codec_string().as_str(), mp3.name()),
        ("mp4a.40.34", "MP3")
    );
    assert_eq!(
        (mp3.sample_rate(), mp3.channels(), mp3.frame_samples()),
        (22_050, 1, 576)
    );
}

#[test]
fn sound_is_encoded_with_a_rate_that_every_player_plays_and_aac_keeps_its_own() {
    let rows = [
        (8_000, 8_000),
        (22_254, 24_000),
        (44_100, 44_100),
        (48_000, 48_000),
        (96_000, 48_000),
        (192_000, 48_000),
    ];
    for (rate, encoded) in rows {
        let rest = "0".repeat(40);
        let info = hex(&format!("12001200000000000000{rate:05x}2f0{rest}"));
        let flac = AudioConfig::Flac(FlacConfig::parse(&info).unwrap());
        assert_eq!((flac.sample_rate(), flac.encoded_rate()), (rate, encoded));
    }
    let rows = [
        ("1190", 48_000),
        ("1010", 96_000),
        ("139056e500", 22_050), // said to be plain
        ("1390", 44_100),       // nothing said at a low rate
        ("eb8a0800", 44_100),   // HE-AAC v2
        ("178061a810", 48_000), // 50 kHz, spelled out
    ];
    for (record, encoded) in rows {
        let aac = AudioConfig::Aac(AacConfig::parse(&hex(record)).unwrap());
        assert_eq!(aac.encoded_rate(), encoded, "{record}");
    }
}

#[test]
fn parametric_stereo_is_heard_as_two_channels_also_where_nothing_is_said_of_it() {
    let rows = [
        ("1208", 1, 1),           // plain
        ("138856e500", 1, 1),     // said to be plain
        ("1388", 1, 2),           // nothing said at a low rate
        ("138856e5a0", 1, 2),     // HE-AAC
        ("138856e5a54880", 2, 2), // HE-AAC v2
        ("11b0", 6, 6),
    ];
    for (record, channels, heard) in rows {
        let aac = AudioConfig::Aac(AacConfig::parse(&hex(record)).unwrap());
        let found = (aac.channels(), aac.heard_channels());
        assert_eq!(found, (channels, heard), "{record}");
    }
}

#[test]
fn errors_are_lower_case_sentences_without_a_full_stop() {
    let errors = [
        CodecError::Truncated,
        CodecError::Empty,
        CodecError::Malformed("an unknown version"),
        CodecError::Unsupported("xHE-AAC audio"),
    ];
    for error in errors {
        let text = error.to_string();
        assert!(!text.ends_with('.'), "{text}");
        assert!(text.len() < 100, "{text}");
    }
}
