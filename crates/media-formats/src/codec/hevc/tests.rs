use super::*;
use crate::codec::sps::{Colour, Timing};
use crate::codec::tests::hex;

/// Decoder configuration records as x265 3.5 makes them and ffmpeg 5.1 puts them into files, without its message.
const MAIN_180P25: &str = "0101600000009000000000003cf000fcfdf8f800000f03a00001001840010c01ffff01600000030090000003000003003c959809a10001002b42010101600000030090000003000003003ca00a080b9f796566924caf016808000003000800000300c840a2000100074401c172b46240";
const MAIN_10_HDR_1080P30: &str = "01022000000090000000000078f000fcfdfafa00000f03a00001001840010c01ffff022000000300900000030000030078959409a100010030420101022000000300900000030000030078a003c0801107cad965654a4c2f016a12201208000003000800000300f040a2000100064401c073c189";

fn config(record: &str) -> HevcConfig {
    HevcConfig::parse(hex(record).into()).unwrap()
}

/// NAL units after four-byte lengths.
fn prefixed(nals: &[&[u8]]) -> Bytes {
    let mut out = BytesMut::new();
    for nal in nals {
        out.put_u32(u32::try_from(nal.len()).unwrap());
        out.put_slice(nal);
    }
    out.freeze()
}

#[test]
fn reads_size_depth_and_rate_of_what_x265_writes() {
    let sps = config(MAIN_180P25).sps().clone();
    assert_eq!((sps.width, sps.height), (320, 180));
    assert_eq!((sps.luma_depth, sps.chroma_format), (8, 1));
    assert_eq!((sps.sub_layers, sps.is_nested), (1, true));
    assert_eq!(sps.sample_aspect, (1, 1));
    let timing = Timing {
        ticks_per_second: 25,
        ticks_per_frame: 1,
    };
    assert_eq!((sps.timing, sps.colour), (Some(timing), None));
}

#[test]
fn reads_the_colours_of_a_high_dynamic_range() {
    let sps = config(MAIN_10_HDR_1080P30).sps().clone();
    assert_eq!((sps.width, sps.height), (1920, 1080));
    assert_eq!((sps.luma_depth, sps.chroma_depth), (10, 10));
    let colour = Colour {
        primaries: 9,
        transfer: 16,
        matrix: 9,
        is_full_range: false,
    };
    assert_eq!(sps.colour, Some(colour));
}

#[test]
fn names_the_profile_as_iso_14496_15_annex_e_does() {
    assert_eq!(config(MAIN_180P25).codec_string(), "hvc1.1.6.L60.90");
    assert_eq!(
        config(MAIN_10_HDR_1080P30).codec_string(),
        "hvc1.2.4.L120.90"
    );
}

#[test]
fn every_field_of_the_name_follows_the_sequence_parameter_set() {
    // According to ISO/IEC 14496-15 E.3: main profile at level 3.1; a profile space with high tier; no constraints.
    let rows = [
        (
            [0x01, 0x60, 0, 0, 0, 0xb0, 0, 0, 0, 0, 0, 93],
            "hvc1.1.6.L93.B0",
        ),
        (
            [0x64, 0x20, 0, 0, 0, 0xb0, 0x23, 0, 0, 0, 0, 120],
            "hvc1.A4.4.H120.B0.23",
        ),
        ([0x01, 0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 90], "hvc1.1.6.L90"),
    ];
    for (profile, name) in rows {
        let mut config = config(MAIN_180P25);
        config.sps.profile = ProfileTierLevel {
            space: profile[0] >> 6,
            is_high_tier: profile[0] & 0x20 != 0,
            number: profile[0] & 0x1f,
            compatibility: u32::from_be_bytes([profile[1], profile[2], profile[3], profile[4]]),
            constraints: [
                profile[5],
                profile[6],
                profile[7],
                profile[8],
                profile[9],
                profile[10],
            ],
            level: profile[11],
        };
        assert_eq!(config.codec_string(), name);
    }
}

#[test]
fn files_get_long_lengths_and_complete_arrays() {
    let mut record = hex(MAIN_180P25);
    record[place::LENGTH_FIELD] &= 0xfc; // lengths of one byte
    record[place::ARRAYS] &= 0x3f; // as ffmpeg writes arrays into FLV
    let config = HevcConfig::parse(record.clone().into()).unwrap();
    assert_eq!(config.record(), &record);
    assert_eq!(config.file_record(), &hex(MAIN_180P25));
}

#[test]
fn a_record_made_of_parameter_sets_says_the_same() {
    for record in [MAIN_180P25, MAIN_10_HDR_1080P30] {
        let config = config(record);
        let made = HevcConfig::from_parameter_sets(&config.parameter_sets).unwrap();
        assert_eq!(made.sps(), config.sps());
        assert_eq!(made.codec_string(), config.codec_string());
        assert_eq!(made.parameter_sets, config.parameter_sets);
    }
}

#[test]
fn a_record_without_one_of_the_three_sets_is_refused() {
    let sets = config(MAIN_180P25).parameter_sets;
    for missing in 0..3 {
        let mut fewer = sets.clone();
        fewer.remove(missing);
        let made = HevcConfig::from_parameter_sets(&fewer);
        assert!(matches!(made, Err(CodecError::Malformed(_))), "{missing}");
    }
}

#[test]
fn a_record_cut_short_anywhere_is_refused_and_never_a_panic() {
    let record = hex(MAIN_10_HDR_1080P30);
    for length in 0..record.len() {
        let cut = Bytes::copy_from_slice(&record[..length]);
        assert!(HevcConfig::parse(cut).is_err(), "{length}");
    }
}

#[test]
fn a_sequence_set_cut_short_behind_its_pictures_keeps_them() {
    let sets = config(MAIN_180P25).parameter_sets;
    let whole = Sps::parse(&sets[1]).unwrap();
    let cut = Sps::parse(&sets[1][..sets[1].len() - 8]).unwrap();
    assert_eq!((cut.width, cut.height), (whole.width, whole.height));
    assert_eq!(cut.timing, None);
}

#[test]
fn leaves_a_plain_picture_as_it_is() {
    let data = prefixed(&[&[0x28, 0x01, 0xaf], &[0x28, 0x01, 0x0f]]);
    let unit = unit(Some(&config(MAIN_180P25)), data.clone()).unwrap();
    assert!(unit.is_random_access && unit.has_picture);
    assert_eq!(unit.data.as_ptr(), data.as_ptr());
    assert!(unit.parameter_sets.is_empty());
}

#[test]
fn tells_where_decoding_can_start() {
    // Broken link, IDR and CRA pictures; then a trailing and a skipped leading one (H.265 table 7-1).
    for (kind, expected) in [
        (16_u8, true),
        (19, true),
        (20, true),
        (21, true),
        (1, false),
        (9, false),
    ] {
        let unit = unit(None, prefixed(&[&[kind << 1, 1, 0]])).unwrap();
        assert_eq!(unit.is_random_access, expected, "{kind}");
        assert!(unit.has_picture);
    }
    let message = unit(None, prefixed(&[&[39 << 1, 1, 0]])).unwrap();
    assert!(!message.has_picture);
}

#[test]
fn drops_delimiters_filler_and_sets_that_the_record_has() {
    let config = config(MAIN_180P25);
    let picture: &[u8] = &[0x28, 0x01, 0xaf];
    let sets = &config.parameter_sets;
    let data = prefixed(&[
        &[35 << 1, 1, 0x50],
        &sets[0],
        &sets[1],
        &sets[2],
        picture,
        &[38 << 1, 1, 0xff],
        &[],
    ]);
    let known = unit(Some(&config), data.clone()).unwrap();
    assert_eq!(known.data, prefixed(&[picture]));
    let unknown = unit(None, data).unwrap();
    assert_eq!(unknown.parameter_sets, *sets);
    assert_eq!(
        unknown.data,
        prefixed(&[&sets[0], &sets[1], &sets[2], picture])
    );
}

#[test]
fn understands_start_codes() {
    let data = Bytes::from_static(&[0, 0, 0, 1, 0x46, 1, 0x50, 0, 0, 1, 0x26, 1, 0xaf, 0x08]);
    let unit = unit(Some(&config(MAIN_180P25)), data).unwrap();
    assert_eq!(unit.data, prefixed(&[&[0x26, 1, 0xaf, 0x08]]));
    assert!(unit.is_random_access);
}

#[test]
fn refuses_what_does_not_add_up_or_has_too_many_pieces() {
    let data = Bytes::from_static(&[0, 0, 0, 9, 0x26, 1]);
    assert_eq!(unit(None, data), Err(CodecError::Truncated));
    assert_eq!(unit(None, Bytes::new()), Err(CodecError::Empty));
    let pieces = Bytes::from(vec![0; 4 * 5_000]);
    assert!(matches!(unit(None, pieces), Err(CodecError::Malformed(_))));
}

#[test]
fn a_sequence_set_that_changes_in_band_replaces_the_one_of_the_record() {
    let old = config(MAIN_180P25);
    let new = config(MAIN_10_HDR_1080P30);
    let changed = HevcConfig::replaced(Some(&old), &new.parameter_sets[1..]).unwrap();
    assert_eq!(changed.sps(), new.sps());
    assert!(changed.contains(&old.parameter_sets[0]));
    assert!(!changed.contains(&old.parameter_sets[1]));
    let without = HevcConfig::replaced(Some(&old), &new.parameter_sets[2..]);
    assert_eq!(without, Err(CodecError::Empty));
}

#[test]
fn short_length_fields_stay_short_when_sets_change_in_band() {
    for (field, size) in [(0_u8, 1_usize), (1, 2)] {
        let mut record = hex(MAIN_180P25);
        record[place::LENGTH_FIELD] = record[place::LENGTH_FIELD] & 0xfc | field;
        let old = HevcConfig::parse(record.into()).unwrap();
        let sets = config(MAIN_10_HDR_1080P30).parameter_sets;
        let changed = HevcConfig::replaced(Some(&old), &sets).unwrap();
        assert_eq!(changed.file_record()[place::LENGTH_FIELD] & 3, 3);

        let picture: &[u8] = &[0x28, 0x01, 0xaf];
        let nals: [&[u8]; 4] = [&sets[0], &sets[1], &sets[2], picture];
        let mut data = BytesMut::new();
        for nal in nals {
            let length = u16::try_from(nal.len()).unwrap().to_be_bytes();
            data.put_slice(&length[2 - size..]);
            data.put_slice(nal);
        }
        let data = data.freeze();
        assert_eq!(unit(Some(&old), data.clone()).unwrap().parameter_sets, sets);
        let later = unit(Some(&changed), data).unwrap();
        assert_eq!(later.data, prefixed(&[picture]));
        assert!(later.is_random_access && later.parameter_sets.is_empty());
    }
}
