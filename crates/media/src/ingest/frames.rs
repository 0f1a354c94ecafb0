//! Cleans up single frames.

use bytes::Bytes;
use jiff::Timestamp;
use media_formats::codec::{
    AacConfig, AudioConfig, Av1Config, AvcConfig, CodecError, FlacConfig, HevcConfig, Mp3Config,
    OpusConfig, VideoConfig, Vp9Config, aac as adts, av1, avc, flac, hevc, opus, vp9,
};
use media_formats::flv::{AudioCodec, VideoCodec};
use media_formats::timeline::TrackKind;

/// Longest frame of sound; a longer one cannot be one and is left out. AAC stays below 6 KiB for each pair of channels.
const MAX_SOUND_BYTES: usize = 64 * 1024;
/// Longest frame of FLAC, which does not get smaller than the sound allows: eight channels stay below 120 KiB.
const MAX_FLAC_BYTES: usize = 256 * 1024;

/// A frame as received, without a position on the time line.
#[derive(Debug)]
pub(super) struct IngestFrame {
    pub(super) kind: TrackKind,
    pub(super) stamp: u32,
    pub(super) composition_ms: i32,
    pub(super) is_key: bool,
    pub(super) data: Bytes,
    pub(super) received: Timestamp,
}

/// Why a frame is unusable.
#[derive(Debug)]
pub(super) enum FrameError {
    Broken,
    Unsupported(String),
}

impl From<CodecError> for FrameError {
    fn from(error: CodecError) -> Self {
        match error {
            CodecError::Unsupported(what) => FrameError::Unsupported(what.to_owned()),
            _ => FrameError::Broken,
        }
    }
}

/// The content of a parameter record.
pub(super) enum CodecHeader {
    Video(VideoConfig),
    /// The same, from an encoder that declares HEVC as H.264.
    Mislabelled(HevcConfig),
    /// Some of the parameters; key frames have the rest.
    Vp9(vp9::Record),
    /// Nothing; the frames have the parameters.
    Nothing,
}

pub(super) fn video_config(codec: VideoCodec, record: Bytes) -> Result<CodecHeader, FrameError> {
    let config = match codec {
        VideoCodec::Avc => match AvcConfig::parse(record.clone()) {
            Ok(config) => VideoConfig::Avc(config),
            // H.264 records cannot be parsed as HEVC records, nor the other way round.
            Err(error) => {
                let config = HevcConfig::parse(record).map_err(|_| error)?;
                return Ok(CodecHeader::Mislabelled(config));
            }
        },
        VideoCodec::Hevc => VideoConfig::Hevc(HevcConfig::parse(record)?),
        VideoCodec::Av1 => match Av1Config::parse(record) {
            Err(CodecError::Empty) => return Ok(CodecHeader::Nothing),
            config => VideoConfig::Av1(config?),
        },
        VideoCodec::Vp9 => return Ok(CodecHeader::Vp9(vp9::Record::parse(&record)?)),
    };
    Ok(CodecHeader::Video(config))
}

/// The audio parameters; `known` are the previous ones.
pub(super) fn audio_config(
    known: Option<&AudioConfig>,
    codec: AudioCodec,
    record: &[u8],
) -> Result<Option<AudioConfig>, FrameError> {
    let config = match codec {
        AudioCodec::Aac => AudioConfig::Aac(AacConfig::parse(record)?),
        AudioCodec::Mp3 => return Ok(None),
        AudioCodec::Opus => {
            let read = OpusConfig::parse(record)?;
            // A repeated header must not reset the known packet length.
            if let Some(AudioConfig::Opus(known)) = known
                && known.has_header_of(&read)
            {
                return Ok(None);
            }
            AudioConfig::Opus(read)
        }
        AudioCodec::Flac => AudioConfig::Flac(FlacConfig::parse(record)?),
    };
    Ok(Some(config))
}

/// A picture, with its parameters if they are new.
pub(super) struct ParsedPicture {
    pub(super) data: Bytes,
    pub(super) is_key: bool,
    pub(super) has_picture: bool,
    pub(super) config: Option<VideoConfig>,
}

pub(super) fn picture(
    config: Option<&VideoConfig>,
    record: Option<&vp9::Record>,
    codec: VideoCodec,
    data: Bytes,
) -> Result<ParsedPicture, FrameError> {
    let picture = match codec {
        VideoCodec::Avc => avc_picture(config, data),
        VideoCodec::Hevc => hevc_picture(config, data),
        VideoCodec::Av1 => av1_picture(config, data),
        VideoCodec::Vp9 => vp9_picture(config, record, data),
    }?;
    let is_known = matches!(
        (picture.config.as_ref().or(config), codec),
        (None, _)
            | (Some(VideoConfig::Avc(_)), VideoCodec::Avc)
            | (Some(VideoConfig::Hevc(_)), VideoCodec::Hevc)
            | (Some(VideoConfig::Av1(_)), VideoCodec::Av1)
            | (Some(VideoConfig::Vp9(_)), VideoCodec::Vp9)
    );
    // A frame of another codec than the declared one cannot be shown.
    is_known.then_some(picture).ok_or(FrameError::Broken)
}

fn avc_picture(config: Option<&VideoConfig>, data: Bytes) -> Result<ParsedPicture, FrameError> {
    let known = match config {
        Some(VideoConfig::Avc(avc)) => Some(avc),
        _ => None,
    };
    let unit = avc::unit(known, data)?;
    let mut found = None;
    if known.is_none()
        && let Some((sequence, picture)) = &unit.parameter_sets
    {
        found = Some(VideoConfig::Avc(AvcConfig::from_parameter_sets(
            sequence, picture,
        )?));
    }
    Ok(ParsedPicture {
        data: unit.data,
        is_key: unit.is_idr,
        has_picture: unit.has_picture,
        config: found,
    })
}

fn hevc_picture(config: Option<&VideoConfig>, data: Bytes) -> Result<ParsedPicture, FrameError> {
    let known = match config {
        Some(VideoConfig::Hevc(hevc)) => Some(hevc),
        _ => None,
    };
    let mut unit = hevc::unit(known, data.clone())?;
    let mut found = None;
    // New parameter sets go into a new record, and need not be in band after that.
    if unit.is_random_access
        && !unit.parameter_sets.is_empty()
        && let Ok(new) = HevcConfig::replaced(known, &unit.parameter_sets)
    {
        unit = hevc::unit(Some(&new), data)?;
        found = Some(VideoConfig::Hevc(new));
    }
    Ok(ParsedPicture {
        data: unit.data,
        is_key: unit.is_random_access,
        has_picture: unit.has_picture,
        config: found,
    })
}

fn av1_picture(config: Option<&VideoConfig>, data: Bytes) -> Result<ParsedPicture, FrameError> {
    let known = match config {
        Some(VideoConfig::Av1(av1)) => Some(av1),
        _ => None,
    };
    let unit = av1::unit(known, data)?;
    let mut found = None;
    if let (true, Some(header)) = (unit.is_key, &unit.sequence_header) {
        found = Some(VideoConfig::Av1(Av1Config::from_sequence_header(header)?));
    }
    Ok(ParsedPicture {
        data: unit.data,
        is_key: unit.is_key,
        has_picture: unit.has_picture,
        config: found,
    })
}

fn vp9_picture(
    config: Option<&VideoConfig>,
    record: Option<&vp9::Record>,
    data: Bytes,
) -> Result<ParsedPicture, FrameError> {
    let read = Vp9Config::from_frame(record, &data)?.map(VideoConfig::Vp9);
    Ok(ParsedPicture {
        data,
        is_key: read.is_some(),
        has_picture: true,
        config: read.filter(|read| config != Some(read)),
    })
}

/// A frame of sound, with its parameters if they are new.
pub(super) struct ParsedSound {
    pub(super) data: Bytes,
    pub(super) config: Option<AudioConfig>,
}

pub(super) fn sound(
    config: Option<&AudioConfig>,
    codec: AudioCodec,
    data: Bytes,
) -> Result<ParsedSound, FrameError> {
    let sound = match codec {
        AudioCodec::Aac => aac(config, data),
        AudioCodec::Mp3 => mp3(config, data),
        AudioCodec::Opus => opus_packet(config, data),
        AudioCodec::Flac => flac_frame(data),
    }?;
    let is_known = matches!(
        (sound.config.as_ref().or(config), codec),
        (None, _)
            | (Some(AudioConfig::Aac(_)), AudioCodec::Aac)
            | (Some(AudioConfig::Mp3(_)), AudioCodec::Mp3)
            | (Some(AudioConfig::Opus(_)), AudioCodec::Opus)
            | (Some(AudioConfig::Flac(_)), AudioCodec::Flac)
    );
    // A frame of another codec than the declared one cannot be played.
    is_known.then_some(sound).ok_or(FrameError::Broken)
}

fn aac(config: Option<&AudioConfig>, data: Bytes) -> Result<ParsedSound, FrameError> {
    let mut found = None;
    if !matches!(config, Some(AudioConfig::Aac(_)))
        && let Ok(config) = AacConfig::from_adts(&data)
    {
        found = Some(AudioConfig::Aac(config));
    }
    let data = adts::strip_adts(data);
    if data.is_empty() || data.len() > MAX_SOUND_BYTES {
        return Err(FrameError::Broken);
    }
    Ok(ParsedSound {
        data,
        config: found,
    })
}

/// MP3 has no header of its own: every frame carries its parameters.
fn mp3(config: Option<&AudioConfig>, data: Bytes) -> Result<ParsedSound, FrameError> {
    if data.len() > MAX_SOUND_BYTES {
        return Err(FrameError::Broken);
    }
    let read = AudioConfig::Mp3(Mp3Config::parse(&data)?);
    Ok(ParsedSound {
        data,
        config: (config != Some(&read)).then_some(read),
    })
}

/// Opus packets may have any length, and the longest one determines how the stream is cut.
fn opus_packet(config: Option<&AudioConfig>, data: Bytes) -> Result<ParsedSound, FrameError> {
    if data.len() > MAX_SOUND_BYTES {
        return Err(FrameError::Broken);
    }
    let samples = opus::packet_samples(&data)?;
    let mut longer = None;
    if let Some(AudioConfig::Opus(known)) = config
        && samples > known.frame_samples()
    {
        longer = Some(AudioConfig::Opus(known.with_packets_of(samples)));
    }
    Ok(ParsedSound {
        data,
        config: longer,
    })
}

fn flac_frame(data: Bytes) -> Result<ParsedSound, FrameError> {
    if data.len() > MAX_FLAC_BYTES {
        return Err(FrameError::Broken);
    }
    flac::frame_samples(&data)?;
    Ok(ParsedSound { data, config: None })
}
