use super::*;
use crate::codec::tests::hex;

fn parse(config: &str) -> Result<AacConfig, CodecError> {
    AacConfig::parse(&hex(config))
}

#[test]
fn reads_rate_channels_and_name_of_every_kind() {
    let rows = [
        ("1208", "mp4a.40.2", 44_100, 1, 1024),
        ("1210", "mp4a.40.2", 44_100, 2, 1024),
        ("1188", "mp4a.40.2", 48_000, 1, 1024),
        ("1190", "mp4a.40.2", 48_000, 2, 1024),
        ("11b0", "mp4a.40.2", 48_000, 6, 1024), // 5.1
        ("11b8", "mp4a.40.2", 48_000, 8, 1024), // 7.1
        ("1194", "mp4a.40.2", 48_000, 2, 960),  // short frames
        ("0990", "mp4a.40.1", 48_000, 2, 1024), // Main
        ("1010", "mp4a.40.2", 96_000, 2, 1024),
        ("1780562210", "mp4a.40.2", 44_100, 2, 1024), // the rate spelled out
        ("11920320", "mp4a.40.2", 48_000, 2, 1024),   // with a core coder's delay
        ("121056e500", "mp4a.40.2", 44_100, 2, 1024), // said to be plain
        ("139056e500", "mp4a.40.2", 22_050, 2, 1024), // said to be plain at a low rate
        ("1390", "mp4a.40.5", 22_050, 2, 1024),       // nothing said at a low rate
        ("2b920800", "mp4a.40.5", 22_050, 2, 1024),   // HE-AAC, hierarchical
        ("139056e5a0", "mp4a.40.5", 22_050, 2, 1024), // HE-AAC, backward compatible
        ("eb8a0800", "mp4a.40.29", 22_050, 2, 1024),  // HE-AAC v2, hierarchical
        ("138856e5a54880", "mp4a.40.29", 22_050, 2, 1024), // HE-AAC v2, backward compatible
    ];
    for (record, codec_string, rate, channels, samples) in rows {
        let config = parse(record).unwrap();
        assert_eq!(config.codec_string(), codec_string, "{record}");
        assert_eq!(config.sample_rate(), rate, "{record}");
        assert_eq!(config.channels(), channels, "{record}");
        assert_eq!(config.frame_samples(), samples, "{record}");
        assert_eq!(config.record()[..], hex(record));
    }
}

#[test]
fn names_only_what_is_certain() {
    assert_eq!(parse("1390").unwrap().name(), "AAC");
    assert_eq!(parse("2b920800").unwrap().name(), "HE-AAC");
    assert_eq!(parse("eb8a0800").unwrap().name(), "HE-AAC v2");
}

#[test]
fn counts_the_channels_of_a_layout_spelled_out() {
    // Front single and pair, back pair, one low frequency channel, and a comment.
    assert_eq!(parse("118004c80500010880034c6176").unwrap().channels(), 6);
    // As ffmpeg writes an octagon, with the mark of plain AAC after its comment.
    let octagon = parse("118004c848002008c8200d4c61766335392e33372e31303056e500").unwrap();
    assert_eq!((octagon.channels(), octagon.sample_rate()), (8, 48_000));
    // At a low rate the name depends on that mark, so it has to be found after the layout.
    let slow = parse("138004c848002008c8200d4c61766335392e33372e31303056e500").unwrap();
    assert_eq!(slow.codec_string(), "mp4a.40.2");
    assert_eq!(
        parse("118004000000000000"),
        Err(CodecError::Malformed("a channel layout without channels"))
    );
    assert_eq!(parse("118004c80500"), Err(CodecError::Truncated));
}

#[test]
fn refuses_kinds_of_aac_that_players_do_not_know() {
    assert_eq!(
        parse("f9464000"),
        Err(CodecError::Unsupported("xHE-AAC audio"))
    );
    assert!(
        matches!(parse("b990"), Err(CodecError::Unsupported(_))),
        "AAC-LD"
    );
    assert!(
        matches!(parse("0190"), Err(CodecError::Unsupported(_))),
        "null"
    );
}

#[test]
fn refuses_rates_and_layouts_that_do_not_exist() {
    let unknown_rate = Err(CodecError::Malformed("an unknown sample rate"));
    assert_eq!(parse("1690"), unknown_rate, "index 13");
    assert_eq!(parse("1780000010"), unknown_rate, "0 Hz");
    assert_eq!(parse("17fffffff810"), unknown_rate, "16 MHz");
    for layout in [8, 9, 10, 13, 15_u8] {
        let config = [0x11, 0x80 | layout << 3];
        let read = AacConfig::parse(&config);
        assert!(matches!(read, Err(CodecError::Malformed(_))), "{layout}");
    }
    assert!(AacConfig::parse(&[0x11; MAX_CONFIG_BYTES + 1]).is_err());
}

#[test]
fn every_cut_before_the_end_of_the_plain_part_is_truncated() {
    for record in ["1190", "2b920800", "1780562210"] {
        let whole = hex(record);
        for end in 0..whole.len() - 1 {
            assert_eq!(AacConfig::parse(&whole[..end]), Err(CodecError::Truncated));
        }
    }
}
