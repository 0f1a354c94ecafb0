//! Single frames, cleaned up.

use bytes::Bytes;
use jiff::Timestamp;

use crate::codec::{
    AacConfig, AudioConfig, AvcConfig, CodecError, Mp3Config, VideoConfig, aac as adts, avc,
};
use crate::timeline::Kind;

/// Longest frame of sound; a longer one cannot be one and is left out. AAC stays below 6 KiB for each pair of channels.
const MAX_SOUND_BYTES: usize = 64 * 1024;

/// A frame as it came, not placed yet.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    pub(super) stamp: u32,
    pub(super) composition_ms: i32,
    pub(super) is_key: bool,
    pub(super) data: Bytes,
    pub(super) received: Timestamp,
}

/// Why a frame is no use.
#[derive(Debug)]
pub(super) enum Malformed {
    Broken,
    Unsupported(String),
}

impl From<CodecError> for Malformed {
    fn from(error: CodecError) -> Self {
        match error {
            CodecError::Unsupported(what) => Malformed::Unsupported(what.to_owned()),
            _ => Malformed::Broken,
        }
    }
}

pub(super) fn video_config(record: Bytes) -> Result<VideoConfig, Malformed> {
    Ok(VideoConfig::Avc(AvcConfig::parse(record)?))
}

pub(super) fn aac_config(record: &[u8]) -> Result<AudioConfig, Malformed> {
    Ok(AudioConfig::Aac(AacConfig::parse(record)?))
}

/// A picture, with the parameters it brought along if there were none.
pub(super) struct Picture {
    pub(super) data: Bytes,
    pub(super) is_key: bool,
    pub(super) has_picture: bool,
    pub(super) config: Option<VideoConfig>,
}

pub(super) fn picture(config: Option<&VideoConfig>, data: Bytes) -> Result<Picture, Malformed> {
    let known = config.map(|config| match config {
        VideoConfig::Avc(avc) => avc,
    });
    let unit = avc::unit(known, data)?;
    let mut found = None;
    if config.is_none()
        && let Some((sequence, picture)) = &unit.parameter_sets
    {
        found = Some(VideoConfig::Avc(AvcConfig::from_parameter_sets(
            sequence, picture,
        )?));
    }
    Ok(Picture {
        data: unit.data,
        is_key: unit.is_idr,
        has_picture: unit.has_picture,
        config: found,
    })
}

/// A frame of sound, with its parameters if they are new.
pub(super) struct Sound {
    pub(super) data: Bytes,
    pub(super) config: Option<AudioConfig>,
}

pub(super) fn aac(config: Option<&AudioConfig>, data: Bytes) -> Result<Sound, Malformed> {
    let mut found = None;
    if config.is_none()
        && let Ok(config) = AacConfig::from_adts(&data)
    {
        found = Some(AudioConfig::Aac(config));
    }
    let data = adts::strip_adts(data);
    if data.is_empty() || data.len() > MAX_SOUND_BYTES {
        return Err(Malformed::Broken);
    }
    Ok(Sound {
        data,
        config: found,
    })
}

/// MP3 has no header of its own: every frame tells its parameters.
pub(super) fn mp3(config: Option<&AudioConfig>, data: Bytes) -> Result<Sound, Malformed> {
    if data.len() > MAX_SOUND_BYTES {
        return Err(Malformed::Broken);
    }
    let read = AudioConfig::Mp3(Mp3Config::parse(&data)?);
    Ok(Sound {
        data,
        config: (config != Some(&read)).then_some(read),
    })
}
