use super::*;
use crate::codec::tests::hex;

/// What libaom 3.6 makes of a picture of 320 × 180: the record as ffmpeg 5.1 puts it into files, and the beginning of
/// the first unit.
const RECORD: &str = "81000c000a0b000000043cfeccdaf90040";
const HEADER: &str = "0a0b000000043cfeccdaf90040";

fn config() -> Av1Config {
    Av1Config::parse(hex(RECORD).into()).unwrap()
}

/// A frame OBU with its size, whose header begins with `first`.
fn frame(first: u8) -> Vec<u8> {
    vec![0x32, 3, first, 0xaa, 0xbb]
}

#[test]
fn reads_size_depth_and_colour_of_what_libaom_writes() {
    let sequence = config().sequence().clone();
    assert_eq!((sequence.width, sequence.height), (320, 180));
    assert_eq!((sequence.profile, sequence.level), (0, 0));
    assert_eq!((sequence.depth, sequence.subsampling), (8, (true, true)));
    assert!(!sequence.is_high_tier && !sequence.is_monochrome);
    assert_eq!(config().colour(), None);
    assert_eq!(config().codec_string(), "av01.0.00M.08");
}

#[test]
fn names_the_stream_as_the_binding_of_av1_to_iso_files_does() {
    // According to section 5 of "AV1 Codec ISO Media File Format Binding": the short form and the full one.
    let mut config = config();
    config.sequence.level = 4;
    config.sequence.depth = 10;
    assert_eq!(config.codec_string(), "av01.0.04M.10");
    config.sequence.chroma_position = 2;
    config.sequence.colour = Colour {
        primaries: 9,
        transfer: 16,
        matrix: 9,
        is_full_range: false,
    };
    assert_eq!(config.codec_string(), "av01.0.04M.10.0.112.09.16.09.0");
    config.sequence.level = 19;
    config.sequence.is_high_tier = true;
    config.sequence.colour.primaries = 1;
    config.sequence.colour.transfer = 1;
    config.sequence.colour.matrix = 1;
    assert_eq!(config.codec_string(), "av01.0.19H.10.0.112.01.01.01.0");
    config.sequence.chroma_position = 0;
    assert_eq!(config.codec_string(), "av01.0.19H.10");
    config.sequence.colour.is_full_range = true;
    assert_eq!(config.codec_string(), "av01.0.19H.10.0.110.01.01.01.1");
}

#[test]
fn a_record_made_of_a_sequence_header_says_the_same() {
    let made = Av1Config::from_sequence_header(&hex(HEADER)[2..]).unwrap();
    assert_eq!(made, config());
}

#[test]
fn a_record_without_a_sequence_header_leaves_it_to_the_stream() {
    let record = Bytes::from(hex("81000c00"));
    assert_eq!(Av1Config::parse(record), Err(CodecError::Empty));
}

#[test]
fn a_record_cut_short_anywhere_is_refused_and_never_a_panic() {
    let record = hex(RECORD);
    for length in 0..record.len() {
        let cut = Bytes::copy_from_slice(&record[..length]);
        assert!(Av1Config::parse(cut).is_err(), "{length}");
    }
}

#[test]
fn leaves_a_plain_unit_as_it_is() {
    let data = Bytes::from([hex(HEADER), frame(0x10)].concat());
    let unit = unit(Some(&config()), data.clone()).unwrap();
    assert!(unit.is_key && unit.has_picture);
    assert_eq!(unit.data.as_ptr(), data.as_ptr());
    assert_eq!(unit.sequence_header, None);
}

#[test]
fn drops_delimiters_and_padding() {
    let data = [vec![0x12, 0], hex(HEADER), frame(0x10), vec![0x7a, 1, 0x80]].concat();
    let unit = unit(Some(&config()), data.into()).unwrap();
    assert_eq!(unit.data, [hex(HEADER), frame(0x10)].concat());
}

#[test]
fn a_key_frame_brings_its_sequence_header_along() {
    let unit = unit(Some(&config()), frame(0x10).into()).unwrap();
    assert_eq!(unit.data, [hex(HEADER), frame(0x10)].concat());
}

#[test]
fn only_a_key_frame_that_is_shown_is_a_place_to_start() {
    // A repeated frame, an inter frame, a key frame that is not shown.
    for first in [0x80, 0x30, 0x00] {
        let unit = unit(Some(&config()), frame(first).into()).unwrap();
        assert!(!unit.is_key && unit.has_picture, "{first:02x}");
        assert_eq!(unit.data, frame(first));
    }
}

#[test]
fn hands_out_a_sequence_header_that_the_record_does_not_have() {
    let data = Bytes::from([hex(HEADER), frame(0x10)].concat());
    let found = unit(None, data).unwrap().sequence_header.unwrap();
    assert_eq!(Av1Config::from_sequence_header(&found), Ok(config()));
}

#[test]
fn refuses_sizes_that_do_not_add_up() {
    for data in [&[0x32, 9, 0x10][..], &[0x32], &[0x36], &[0x32, 0x80]] {
        let unit = unit(None, Bytes::copy_from_slice(data));
        assert_eq!(unit, Err(CodecError::Truncated), "{data:02x?}");
    }
    let endless = Bytes::from_static(&[0x32, 128, 128, 128, 128, 128, 128, 128, 128, 0]);
    assert!(matches!(unit(None, endless), Err(CodecError::Malformed(_))));
    assert_eq!(unit(None, Bytes::new()), Err(CodecError::Empty));
    let many = Bytes::from([0x12, 0].repeat(5_000));
    assert!(matches!(unit(None, many), Err(CodecError::Malformed(_))));
}
