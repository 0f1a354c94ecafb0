//! The body of the fuzz target for codec headers, shared with the stable replay test.
//!
//! [`parameter_sets`] reads arbitrary bytes and panics when something that was accepted breaks a promise of
//! this module: sizes within caps, output bounded by input, and reading our own output gives the same again.

use bytes::Bytes;

use super::sps::{MAX_PICTURE_SIDE, Sps};
use super::{AacConfig, AudioConfig, AvcConfig, Mp3Config, VideoConfig, aac, avc};
use crate::cmaf::init;

/// Reads `input` as the kind of header its first byte chooses.
///
/// # Panics
/// When a promise is broken.
pub fn parameter_sets(input: &[u8]) {
    let Some((choice, data)) = input.split_first() else {
        return;
    };
    match choice % 6 {
        0 => avc_record(data),
        1 => sequence_set(data),
        2 => audio_config(data),
        3 => mp3_header(data),
        4 => unit_alone(data),
        _ => unit_with_record(data),
    }
}

fn avc_record(data: &[u8]) {
    let record = Bytes::copy_from_slice(data);
    let Ok(config) = AvcConfig::parse(record.clone()) else {
        return;
    };
    assert_eq!(config.record(), &record, "the record is kept verbatim");
    assert_eq!(AvcConfig::parse(record).as_ref(), Ok(&config));
    let rewritten = AvcConfig::parse(config.file_record());
    assert_eq!(
        rewritten.map(|again| again.sps().clone()),
        Ok(config.sps().clone())
    );
    video(&VideoConfig::Avc(config), data.len());
}

fn sequence_set(data: &[u8]) {
    let Ok(sps) = Sps::parse(data) else {
        return;
    };
    let picture_set = [0x68, 0xce, 0x0f, 0xc8];
    let config = AvcConfig::from_parameter_sets(data, &picture_set)
        .expect("a set that can be read makes a record that can be read");
    assert_eq!(config.sps(), &sps);
    assert!(config.contains(data, &picture_set));
    video(&VideoConfig::Avc(config), data.len());
}

fn video(config: &VideoConfig, input: usize) {
    let sides = 1..=MAX_PICTURE_SIDE;
    assert!(sides.contains(&config.width()), "{}", config.width());
    assert!(sides.contains(&config.height()), "{}", config.height());
    let (across, down) = config.display_size();
    assert!((1..=0xffff).contains(&across) && down == config.height());
    if let Some(rate) = config.frame_rate() {
        assert!(rate > 0.0 && rate <= 1_000.0, "{rate}");
    }
    assert!(
        config
            .frame_duration(90_000)
            .is_none_or(|length| length > 0)
    );
    assert_eq!(config.codec_string().len(), "avc1.64001f".len());
    assert_bounded(&init::video(config), input);
}

/// An init segment is the configuration inside it and little else.
fn assert_bounded(init: &[u8], input: usize) {
    assert!(init.len() <= input + 1024, "{} from {input}", init.len());
}

fn audio_config(data: &[u8]) {
    let by_header = AacConfig::from_adts(data);
    let stripped = aac::strip_adts(Bytes::copy_from_slice(data));
    assert!(data.ends_with(&stripped));
    for config in [AacConfig::parse(data), by_header].into_iter().flatten() {
        assert_eq!(AacConfig::parse(config.record()).as_ref(), Ok(&config));
        assert!((7_350..=96_000).contains(&config.sample_rate()));
        assert!(matches!(config.frame_samples(), 960 | 1024));
        audio(&AudioConfig::Aac(config), data.len());
    }
}

fn mp3_header(data: &[u8]) {
    if let Ok(config) = Mp3Config::parse(data) {
        assert!((8_000..=48_000).contains(&config.sample_rate()));
        audio(&AudioConfig::Mp3(config), data.len());
    }
}

fn audio(config: &AudioConfig, input: usize) {
    assert!(
        (1..=64).contains(&config.channels()),
        "{}",
        config.channels()
    );
    assert!(config.codec_string().starts_with("mp4a.40."));
    assert_bounded(&init::audio(config), input);
}

fn unit_alone(data: &[u8]) {
    unit(None, data);
}

/// The first half is a record, the rest a unit under it; two bytes say where the record ends.
fn unit_with_record(data: &[u8]) {
    let Some((length, data)) = data.split_first_chunk::<2>() else {
        return;
    };
    let length = usize::from(u16::from_be_bytes(*length)).min(data.len());
    let (record, data) = data.split_at(length);
    if let Ok(config) = AvcConfig::parse(Bytes::copy_from_slice(record)) {
        unit(Some(&config), data);
    }
}

fn unit(config: Option<&AvcConfig>, data: &[u8]) {
    let data = Bytes::copy_from_slice(data);
    let Ok(unit) = avc::unit(config, data.clone()) else {
        return;
    };
    // One byte of length and one of content become four and one.
    assert!(unit.data.len() <= data.len() * 5 / 2 + 4);
    assert!(unit.has_picture || !unit.is_idr);
    let again = avc::unit(None, unit.data.clone()).expect("our own form is read again");
    assert_eq!(again, unit);
    assert_eq!(again.data.as_ptr(), unit.data.as_ptr(), "and costs no copy");
    if let Some((sequence, picture)) = &unit.parameter_sets
        && let Ok(built) = AvcConfig::from_parameter_sets(sequence, picture)
    {
        assert!(built.contains(sequence, picture));
    }
}
