use super::*;
use crate::codec::tests::{hex, records};

const IDR: &[u8] = &[0x65, 0x88, 0x84, 0x00, 0x33];
const SLICE: &[u8] = &[0x41, 0x9a, 0x24];
const SEQUENCE_SET: &[u8] = &[0x67, 0x42, 0xc0, 0x0d, 0xd9];
const PICTURE_SET: &[u8] = &[0x68, 0xcb, 0x83];
const DELIMITER: &[u8] = &[0x09, 0xf0];
const FILLER: &[u8] = &[0x0c, 0xff, 0xff, 0x80];
const CAPTIONS: &[u8] = &[0x06, 0x04, 0x03, 0xb5, 0x00, 0x31, 0x80];
/// A buffering period (type 0, two bytes), then a recovery point (type 6, one byte).
const RECOVERY: &[u8] = &[0x06, 0x00, 0x02, 0x80, 0x40, 0x06, 0x01, 0xc4, 0x80];

fn prefixed(size: usize, nals: &[&[u8]]) -> Bytes {
    let mut out = Vec::new();
    for nal in nals {
        let length = u32::try_from(nal.len()).unwrap().to_be_bytes();
        out.extend_from_slice(&length[4 - size..]);
        out.extend_from_slice(nal);
    }
    out.into()
}

fn annex_b(code: &[u8], nals: &[&[u8]]) -> Bytes {
    nals.iter()
        .flat_map(|nal| [code, nal].concat())
        .collect::<Vec<u8>>()
        .into()
}

/// A configuration whose units have length fields of `size` bytes.
fn config(size: u8) -> AvcConfig {
    let mut record = hex(records::BASELINE_180P30);
    record[4] = 0xfc | (size - 1);
    AvcConfig::parse(Bytes::from(record)).unwrap()
}

#[test]
fn hands_on_the_senders_own_bytes_when_nothing_has_to_change() {
    let sent = prefixed(4, &[CAPTIONS, IDR]);
    for config in [Some(config(4)), None] {
        let unit = unit(config.as_ref(), sent.clone()).unwrap();
        assert_eq!(unit.data, sent);
        assert_eq!(unit.data.as_ptr(), sent.as_ptr());
        assert!(unit.is_idr && unit.has_picture);
    }
}

#[test]
fn rewrites_shorter_length_fields_to_four_bytes() {
    for size in [1, 2] {
        let sent = prefixed(usize::from(size), &[CAPTIONS, SLICE]);
        let unit = unit(Some(&config(size)), sent).unwrap();
        assert_eq!(unit.data, prefixed(4, &[CAPTIONS, SLICE]));
        assert!(!unit.is_idr);
    }
}

#[test]
fn converts_start_codes_whatever_length_fields_were_announced() {
    let nals = [DELIMITER, SEQUENCE_SET, PICTURE_SET, CAPTIONS, IDR];
    let wanted = prefixed(4, &nals[1..]);
    let codes: [&[u8]; 3] = [&[0, 0, 1], &[0, 0, 0, 1], &[0, 0, 0, 0, 1]];
    for code in codes {
        for config in [None, Some(config(1)), Some(config(2)), Some(config(4))] {
            let unit = unit(config.as_ref(), annex_b(code, &nals)).unwrap();
            assert_eq!(unit.data, wanted, "{code:?}");
            assert!(unit.is_idr);
        }
    }
}

#[test]
fn zeros_at_the_end_of_start_code_units_are_no_content() {
    let sent = [&annex_b(&[0, 0, 1], &[SLICE])[..], &[0, 0, 0]].concat();
    let unit = unit(None, Bytes::from(sent)).unwrap();
    assert_eq!(unit.data, prefixed(4, &[SLICE]));
}

#[test]
fn a_length_that_looks_like_a_start_code_is_a_length() {
    let mut long = vec![0x41; 0x1_42];
    long[1..].fill(0x55);
    let sent = prefixed(4, &[&long, SLICE]);
    assert_eq!(sent[..4], [0, 0, 1, 0x42]);
    let read = unit(None, sent.clone()).unwrap();
    assert_eq!(read.data.as_ptr(), sent.as_ptr());
    let end_of_sequence: &[u8] = &[0x0a];
    let sent = prefixed(4, &[end_of_sequence, SLICE]);
    assert_eq!(sent[..4], [0, 0, 0, 1]);
    assert_eq!(unit(None, sent.clone()).unwrap().data, sent);
}

#[test]
fn start_codes_that_add_up_as_short_lengths_by_chance_are_start_codes() {
    let nal: &[u8] = &[0x41, 0x03, 0x55, 0x66, 0x77];
    let read = unit(Some(&config(1)), annex_b(&[0, 0, 1], &[nal])).unwrap();
    assert_eq!(read.data, prefixed(4, &[nal]));
}

#[test]
fn long_lengths_that_add_up_are_lengths_even_with_units_without_content() {
    let long = [&[0x41][..], &[0x55; 0x141]].concat();
    let sent = prefixed(4, &[&long, &[]]);
    assert_eq!(sent[..3], [0, 0, 1]);
    assert_eq!(unit(None, sent).unwrap().data, prefixed(4, &[&long]));
}

#[test]
fn drops_delimiters_and_filler_and_keeps_captions() {
    let sent = prefixed(4, &[DELIMITER, CAPTIONS, SLICE, FILLER]);
    let unit = unit(Some(&config(4)), sent).unwrap();
    assert_eq!(unit.data, prefixed(4, &[CAPTIONS, SLICE]));
}

#[test]
fn drops_units_without_content() {
    let sent = prefixed(4, &[&[], SLICE, &[]]);
    let unit = unit(Some(&config(4)), sent).unwrap();
    assert_eq!(unit.data, prefixed(4, &[SLICE]));
}

#[test]
fn finds_parameter_sets_in_band_and_shares_their_bytes() {
    let sent = prefixed(4, &[SEQUENCE_SET, PICTURE_SET, IDR]);
    let read = unit(None, sent.clone()).unwrap();
    let (sequence, picture) = read.parameter_sets.unwrap();
    assert_eq!((&sequence[..], &picture[..]), (SEQUENCE_SET, PICTURE_SET));
    assert_eq!(sequence.as_ptr(), sent[4..].as_ptr());
    let lonely = unit(None, prefixed(4, &[SEQUENCE_SET, IDR])).unwrap();
    assert_eq!(lonely.parameter_sets, None);
}

#[test]
fn a_unit_of_parameter_sets_alone_has_no_picture() {
    let unit = unit(None, prefixed(4, &[SEQUENCE_SET, PICTURE_SET])).unwrap();
    assert!(!unit.has_picture && !unit.is_idr);
    assert!(unit.parameter_sets.is_some());
}

#[test]
fn finds_the_recovery_point_behind_other_messages() {
    let read = unit(None, prefixed(4, &[RECOVERY, SLICE])).unwrap();
    assert!(read.has_recovery_point && !read.is_idr);
    assert!(
        !unit(None, prefixed(4, &[CAPTIONS, SLICE]))
            .unwrap()
            .has_recovery_point
    );
}

#[test]
fn skips_long_and_escaped_messages_before_the_recovery_point() {
    // User data of 300 bytes; five zeros in it are escaped twice and count as five.
    let mut message = vec![0x06, 0x05, 0xff, 45];
    message.extend([0, 0, 3, 0, 0, 3, 0]);
    message.extend([0x55; 295]);
    let whole = [&message[..], &[0x06, 0x01, 0xc4, 0x80]].concat();
    assert!(
        unit(None, prefixed(4, &[&whole, SLICE]))
            .unwrap()
            .has_recovery_point
    );
    let one_too_few = [&message[..message.len() - 1], &[0x06, 0x01, 0xc4, 0x80]].concat();
    assert!(
        !unit(None, prefixed(4, &[&one_too_few, SLICE]))
            .unwrap()
            .has_recovery_point
    );
}

#[test]
fn refuses_lengths_that_do_not_add_up() {
    let sent = prefixed(4, &[CAPTIONS, IDR]);
    for end in 1..sent.len() {
        let is_border = end == 4 + CAPTIONS.len();
        let read = unit(None, sent.slice(..end));
        assert_eq!(read.is_err(), !is_border, "{end}");
    }
    for size in [1, 2, 4] {
        let lie = Bytes::from(vec![0xff; 9]);
        assert_eq!(unit(Some(&config(size)), lie), Err(CodecError::Truncated));
    }
}

#[test]
fn refuses_units_that_hold_nothing() {
    let nothing = [
        Bytes::new(),
        prefixed(4, &[DELIMITER]),
        prefixed(4, &[&[]]),
        prefixed(4, &[DELIMITER, FILLER]),
        annex_b(&[0, 0, 1], &[DELIMITER]),
        annex_b(&[0, 0, 0, 1], &[&[]]),
    ];
    for sent in nothing {
        assert_eq!(unit(None, sent.clone()), Err(CodecError::Empty), "{sent:?}");
    }
}
