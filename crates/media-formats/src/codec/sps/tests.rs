use super::*;
use crate::codec::AvcConfig;
use crate::codec::tests::{hex, records};
use bytes::Bytes;

/// Writes parameter sets that no available encoder produces.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn fixed(mut self, value: u64, count: u32) -> Self {
        self.0
            .extend((0..count).rev().map(|bit| value >> bit & 1 == 1));
        self
    }

    fn golomb(self, value: u64) -> Self {
        let length = (value + 1).ilog2();
        self.fixed(0, length).fixed(value + 1, length + 1)
    }

    fn nal(self) -> Vec<u8> {
        let mut nal = vec![0x67];
        nal.extend(self.0.chunks(8).map(|bits| {
            bits.iter()
                .enumerate()
                .fold(0, |byte, (at, bit)| byte | u8::from(*bit) << (7 - at))
        }));
        nal
    }
}

/// A baseline set up to the size of the picture.
fn before_size() -> Bits {
    Bits::default()
        .fixed(0x42_c0_1e, 24)
        .golomb(0) // id
        .golomb(0) // frame numbers
        .golomb(2) // picture order by decoding order
        .golomb(1) // reference frames
        .fixed(0, 1)
}

/// A baseline set of 640 by 360 pixels up to its usability information.
fn before_usability() -> Bits {
    before_size()
        .golomb(39)
        .golomb(22)
        .fixed(0b11, 2) // frames only
        .fixed(1, 1) // cropped
        .golomb(0)
        .golomb(0)
        .golomb(0)
        .golomb(4)
}

fn of(record: &str) -> Sps {
    let config = AvcConfig::parse(Bytes::from(hex(record))).unwrap();
    config.sps().clone()
}

#[test]
fn reads_depth_and_chroma_of_high_profiles() {
    let ten_bits = of(records::HIGH_10);
    assert_eq!((ten_bits.luma_depth, ten_bits.chroma_depth), (10, 10));
    assert_eq!(ten_bits.chroma_format, 1);
    assert_eq!(of(records::HIGH_444).chroma_format, 3);
    assert_eq!(of(records::GREY).chroma_format, 0);
    assert_eq!(of(records::BASELINE_180P30).chroma_format, 1);
}

#[test]
fn knows_interlaced_from_progressive() {
    assert!(of(records::INTERLACED_1080I25).is_interlaced);
    assert!(!of(records::CROPPED_1080P60).is_interlaced);
}

#[test]
fn skips_scaling_lists() {
    let set = Bits::default()
        .fixed(0x64_00_1e, 24)
        .golomb(0)
        .golomb(1) // 4:2:0
        .golomb(0)
        .golomb(0)
        .fixed(0, 1)
        .fixed(1, 1) // scaling lists follow
        .fixed(1, 1)
        .golomb(0) // delta 0, fifteen times the same and one more
        .fixed(0x7fff, 15)
        .fixed(1, 1)
        .golomb(16) // delta -8: the rest is the default
        .fixed(0, 4)
        .fixed(1, 1)
        .fixed(u64::MAX, 64) // delta 0 in a list of 64
        .fixed(0, 1)
        .golomb(0)
        .golomb(2)
        .golomb(1)
        .fixed(0, 1)
        .golomb(39)
        .golomb(22)
        .fixed(0b11, 2)
        .fixed(0, 1)
        .fixed(0, 1)
        .fixed(1, 1);
    let sps = Sps::parse(&set.nal()).unwrap();
    assert_eq!((sps.width, sps.height), (640, 368));
}

#[test]
fn skips_a_picture_order_with_a_cycle() {
    let set = Bits::default()
        .fixed(0x42_c0_1e, 24)
        .golomb(0)
        .golomb(0)
        .golomb(1) // a cycle
        .fixed(0, 1)
        .golomb(3)
        .golomb(4)
        .golomb(2)
        .golomb(5)
        .golomb(6)
        .golomb(1)
        .fixed(0, 1)
        .golomb(19)
        .golomb(14)
        .fixed(0b11, 2)
        .fixed(0b001, 3);
    let sps = Sps::parse(&set.nal()).unwrap();
    assert_eq!((sps.width, sps.height), (320, 240));
}

#[test]
fn refuses_pictures_of_absurd_size() {
    for (across, down) in [(1_024, 22), (39, 1_024), (u64::from(u32::MAX) - 1, 0)] {
        let set = before_size()
            .golomb(across)
            .golomb(down)
            .fixed(0b11, 2)
            .fixed(0b001, 3);
        assert_eq!(
            Sps::parse(&set.nal()),
            Err(CodecError::Malformed("a picture that is too large")),
            "{across} by {down}"
        );
    }
    // Cropping does not help: decoders need memory for the whole picture.
    let cropped = before_size()
        .golomb(1_024)
        .golomb(22)
        .fixed(0b111, 3)
        .golomb(0)
        .golomb(7_880)
        .golomb(0)
        .golomb(0)
        .fixed(0b01, 2);
    assert_eq!(
        Sps::parse(&cropped.nal()),
        Err(CodecError::Malformed("a picture that is too large"))
    );
    let interlaced = before_size()
        .golomb(39)
        .golomb(1_023)
        .fixed(0b001, 3)
        .fixed(0b001, 3);
    assert_eq!(
        Sps::parse(&interlaced.nal()),
        Err(CodecError::Malformed("a picture that is too large"))
    );
}

#[test]
fn refuses_a_picture_cropped_to_nothing() {
    for crop in [10, 320, u64::from(u32::MAX) - 1] {
        let set = before_size()
            .golomb(0)
            .golomb(0)
            .fixed(0b11, 2)
            .fixed(1, 1)
            .golomb(crop)
            .golomb(crop)
            .golomb(0)
            .golomb(0)
            .fixed(0b01, 2);
        assert_eq!(
            Sps::parse(&set.nal()),
            Err(CodecError::Malformed("a picture cropped to nothing"))
        );
    }
}

#[test]
fn a_set_without_usability_information_has_square_samples_and_no_rate() {
    let sps = Sps::parse(&before_usability().fixed(0b01, 2).nal()).unwrap();
    assert_eq!((sps.width, sps.height), (640, 360));
    assert_eq!((sps.sample_aspect, sps.timing), ((1, 1), None));
}

#[test]
fn a_set_cut_off_inside_its_usability_information_keeps_what_came_before() {
    let cut = before_usability()
        .fixed(0b11, 2) // usability information with a sample shape
        .fixed(14, 8) // 4:3
        .fixed(0b0001, 4) // timing follows, and ends at once
        .fixed(0, 9);
    let sps = Sps::parse(&cut.nal()).unwrap();
    assert_eq!((sps.sample_aspect, sps.timing), ((4, 3), None));
}

#[test]
fn shapes_and_rates_without_sense_count_as_not_given() {
    let with = |across: u64, down: u64, units: u64, scale: u64| {
        let set = before_usability()
            .fixed(0b11, 2)
            .fixed(255, 8)
            .fixed(across, 16)
            .fixed(down, 16)
            .fixed(0b0001, 4)
            .fixed(units, 32)
            .fixed(scale, 32)
            .fixed(0b10_0001, 6);
        let sps = Sps::parse(&set.nal()).unwrap();
        (sps.sample_aspect, sps.timing)
    };
    assert_eq!(with(0x8001, 0, 0, 0x8000_0001), ((1, 1), None));
    assert_eq!(with(0, 0x8001, 0x8000_0001, 0), ((1, 1), None));
    assert_eq!(
        with(0x101, 0x102, 0x0101_0101, 0xffff_ffff).0,
        (0x101, 0x102)
    );
    let too_fast = with(0x101, 0x101, 0x0101, 0xffff_ffff);
    assert_eq!(too_fast.1, None);
}

#[test]
fn refuses_other_units_and_overlong_sets() {
    assert_eq!(Sps::parse(&[]), Err(CodecError::Truncated));
    assert_eq!(Sps::parse(&[0x67, 0x42]), Err(CodecError::Truncated));
    assert!(matches!(
        Sps::parse(&hex("68ebe3cb22c0")),
        Err(CodecError::Malformed(_))
    ));
    // The first byte of an H.265 sequence parameter set.
    assert!(matches!(
        Sps::parse(&[0x42, 0x01, 0x01]),
        Err(CodecError::Malformed(_))
    ));
    let mut overlong = before_usability().fixed(0b01, 2).nal();
    overlong.resize(MAX_SPS_BYTES + 2, 0x55);
    assert!(matches!(
        Sps::parse(&overlong),
        Err(CodecError::Malformed(_))
    ));
}

#[test]
fn every_cut_of_a_real_set_is_an_error_or_a_picture_of_the_right_size() {
    for record in records::ALL {
        let record = hex(record);
        let length = usize::from(record[7]);
        let set = &record[8..8 + length];
        let whole = Sps::parse(set).unwrap();
        for end in 0..set.len() {
            if let Ok(cut) = Sps::parse(&set[..end]) {
                assert_eq!((cut.width, cut.height), (whole.width, whole.height));
            }
        }
    }
}
