//! The body of the fuzz target for codec headers, shared with the replay test on stable.
//!
//! [`parameter_sets`] parses arbitrary bytes and panics if accepted input breaks a promise of
//! this module: sizes within limits, output bounded by input, and re-parsing our own output gives the same result.

use bytes::Bytes;

use super::sps::{MAX_PICTURE_SIDE, Sps};
use super::{
    AacConfig, AudioConfig, Av1Config, AvcConfig, FlacConfig, HevcConfig, Mp3Config, OpusConfig,
    VideoConfig, Vp9Config, aac, av1, avc, flac, hevc, opus, vp9,
};
use crate::cmaf::init;

/// Parses `input` as the kind of header that its first byte selects.
///
/// # Panics
/// If a promise is broken.
pub fn parameter_sets(input: &[u8]) {
    let Some((choice, data)) = input.split_first() else {
        return;
    };
    match choice % kinds() {
        0 => avc_record(data),
        1 => sequence_set(data),
        2 => audio_config(data),
        3 => mp3_header(data),
        4 => unit_alone(data),
        5 => unit_with_record(data),
        6 => hevc_record(data),
        7 => hevc_unit(data),
        8 => av1_record(data),
        9 => av1_unit(data),
        10 => vp9_frame(data),
        11 => opus_stream(data),
        _ => flac_stream(data),
    }
}

/// The number of header kinds.
#[must_use]
pub fn kinds() -> u8 {
    13
}

fn hevc_record(data: &[u8]) {
    let record = Bytes::copy_from_slice(data);
    let Ok(config) = HevcConfig::parse(record.clone()) else {
        return;
    };
    assert_eq!(config.record(), &record, "the record is kept verbatim");
    let rewritten = HevcConfig::parse(config.file_record().clone());
    assert_eq!(
        rewritten.map(|again| again.sps().clone()),
        Ok(config.sps().clone())
    );
    video(&VideoConfig::Hevc(config), data.len());
}

fn hevc_unit(data: &[u8]) {
    let data = Bytes::copy_from_slice(data);
    let Ok(unit) = hevc::unit(None, data.clone()) else {
        return;
    };
    // One byte of length and two of header become four and two.
    assert!(unit.data.len() <= data.len() * 2);
    assert!(unit.has_picture || !unit.is_random_access);
    let again = hevc::unit(None, unit.data.clone()).expect("our own form is read again");
    assert_eq!(again, unit);
    if let Ok(built) = HevcConfig::replaced(None, &unit.parameter_sets) {
        assert!(unit.parameter_sets.iter().all(|set| built.contains(set)));
        video(&VideoConfig::Hevc(built), data.len());
    }
}

fn av1_record(data: &[u8]) {
    let read = Av1Config::parse(Bytes::copy_from_slice(data));
    let built = Av1Config::from_sequence_header(data);
    for config in [read, built].into_iter().flatten() {
        let again = Av1Config::parse(config.record().clone());
        assert_eq!(again.as_ref(), Ok(&config));
        video(&VideoConfig::Av1(config), data.len());
    }
}

fn av1_unit(data: &[u8]) {
    let data = Bytes::copy_from_slice(data);
    let Ok(unit) = av1::unit(None, data.clone()) else {
        return;
    };
    assert!(unit.data.len() <= data.len());
    assert!(unit.has_picture || !unit.is_key);
    let again = av1::unit(None, unit.data.clone()).expect("our own form is read again");
    assert_eq!(again, unit);
}

fn vp9_frame(data: &[u8]) {
    let record = vp9::Record::parse(data).ok();
    for record in [None, record.as_ref()] {
        if let Ok(Some(config)) = Vp9Config::from_frame(record, data) {
            video(&VideoConfig::Vp9(config), data.len());
        }
    }
}

fn opus_stream(data: &[u8]) {
    if let Ok(samples) = opus::packet_samples(data) {
        assert!((120..=5_760).contains(&samples), "{samples}");
    }
    if let Ok(config) = OpusConfig::parse(data) {
        audio(&AudioConfig::Opus(config), data.len());
    }
}

fn flac_stream(data: &[u8]) {
    if let Ok(samples) = flac::frame_samples(data) {
        assert!((1..=65_536).contains(&samples), "{samples}");
    }
    if let Ok(config) = FlacConfig::parse(data) {
        assert!((8_000..=192_000).contains(&config.sample_rate()));
        audio(&AudioConfig::Flac(config), data.len());
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
    let name = config.codec_string();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.';
    assert!(name.bytes().all(is_plain) && name.len() <= 48, "{name}");
    if matches!(config, VideoConfig::Avc(_)) {
        assert_eq!(name.len(), "avc1.64001f".len());
    }
    assert_bounded(&init::video(config), input);
}

/// An init segment is little more than the configuration inside it.
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
    let name = config.codec_string();
    match config {
        AudioConfig::Aac(_) | AudioConfig::Mp3(_) => assert!(name.starts_with("mp4a.40.")),
        AudioConfig::Opus(_) => assert_eq!(name, "Opus"),
        AudioConfig::Flac(_) => assert_eq!(name, "fLaC"),
    }
    assert!(config.frame_samples() > 0 && config.samples_of(&[]) > 0);
    assert_bounded(&init::audio(config), input);
}

fn unit_alone(data: &[u8]) {
    unit(None, data);
}

/// The first part is a record, the rest a unit for it; two bytes say where the record ends.
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
