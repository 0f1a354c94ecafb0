use super::*;
use crate::codec::tests::{hex, records};

fn parse(record: &str) -> Result<AvcConfig, CodecError> {
    AvcConfig::parse(Bytes::from(hex(record)))
}

fn parameter_sets_of(config: &AvcConfig) -> (Bytes, Bytes) {
    (
        config.sequence_sets[0].clone(),
        config.picture_sets[0].clone(),
    )
}

#[test]
fn keeps_the_record_as_it_came() {
    for record in records::ALL {
        assert_eq!(parse(record).unwrap().record()[..], hex(record));
    }
}

#[test]
fn builds_the_record_that_the_encoder_would_have_sent() {
    for record in records::ALL {
        let sent = parse(record).unwrap();
        let (sequence, picture) = parameter_sets_of(&sent);
        let built = AvcConfig::from_parameter_sets(&sequence, &picture).unwrap();
        assert_eq!(built, sent, "{record}");
    }
}

#[test]
fn refuses_to_build_from_something_else() {
    let config = parse(records::BASELINE_180P30).unwrap();
    let (sequence, picture) = parameter_sets_of(&config);
    assert!(AvcConfig::from_parameter_sets(&picture, &sequence).is_err());
    assert!(AvcConfig::from_parameter_sets(&sequence, &sequence).is_err());
    assert!(AvcConfig::from_parameter_sets(&sequence, &[]).is_err());
    let overlong = vec![0x68; 0x1_0000];
    assert!(AvcConfig::from_parameter_sets(&sequence, &overlong).is_err());
}

#[test]
fn takes_several_parameter_sets_and_describes_the_first() {
    let config = parse(
        "0142c00dffe2\
         00196742c00dd901419f9f0110000003001000000303c0f142a480\
         00186742c02ada01e0089f970110000003001000000780f1832a\
         02000568cb83cb20000468ce0fc8",
    )
    .unwrap();
    assert_eq!((config.sps().width, config.sps().height), (320, 180));
    assert_eq!(config.sequence_sets.len(), 2);
    assert!(config.contains(&config.sequence_sets[1], &config.picture_sets[1]));
    assert!(config.contains(
        &hex("6742c02ada01e0089f970110000003001000000780f1832a"),
        &hex("68ce0fc8")
    ));
    assert!(!config.contains(&hex("6742c02a"), &hex("68ce0fc8")));
    assert!(!config.contains(&config.sequence_sets[0], &hex("68")));
}

#[test]
fn tolerates_missing_and_unknown_bytes_after_the_parameter_sets() {
    let whole = records::HIGH_360P30_B_FRAMES;
    let short = &whole[..whole.len() - 8];
    let long = format!("{whole}01000268aaffff");
    for record in [short, &long] {
        let config = parse(record).unwrap();
        assert_eq!((config.sps().width, config.sps().height), (640, 360));
        assert_eq!(config.record()[..], hex(record));
    }
}

#[test]
fn only_the_length_of_length_fields_changes_on_the_way_into_a_file() {
    let four = hex(records::HIGH_360P30_B_FRAMES);
    for length_field in [0xfc, 0xfd, 0xff] {
        let mut record = four.clone();
        record[4] = length_field;
        let config = AvcConfig::parse(Bytes::from(record.clone())).unwrap();
        assert_eq!(config.record()[..], record);
        assert_eq!(config.file_record()[..], four);
    }
}

#[test]
fn refuses_records_that_lie() {
    let good = hex(records::BASELINE_180P30);
    let with = |at: usize, value: u8| {
        let mut record = good.clone();
        record[at] = value;
        AvcConfig::parse(Bytes::from(record))
    };
    assert!(
        matches!(with(0, 0), Err(CodecError::Malformed(_))),
        "version"
    );
    assert!(
        matches!(with(4, 0xfe), Err(CodecError::Malformed(_))),
        "three"
    );
    assert_eq!(with(5, 0xe2), Err(CodecError::Truncated), "sets");
    assert_eq!(with(6, 0xff), Err(CodecError::Truncated), "length");
    assert!(
        matches!(with(8, 0x68), Err(CodecError::Malformed(_))),
        "kind"
    );
    assert!(matches!(
        parse("0142c00dffe000"),
        Err(CodecError::Malformed(_))
    ));
    let without_picture_set = [&good[..33], &[0][..]].concat();
    assert_eq!(
        AvcConfig::parse(Bytes::from(without_picture_set)),
        Err(CodecError::Malformed("no picture parameter set"))
    );
    let overlong = [good.clone(), vec![0; MAX_RECORD_BYTES]].concat();
    assert!(AvcConfig::parse(Bytes::from(overlong)).is_err());
}

#[test]
fn every_cut_of_a_record_before_its_last_set_is_an_error() {
    let record = hex(records::BASELINE_180P30);
    for end in 0..record.len() {
        let cut = Bytes::copy_from_slice(&record[..end]);
        assert_eq!(AvcConfig::parse(cut), Err(CodecError::Truncated), "{end}");
    }
}
