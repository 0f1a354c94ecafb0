//! Validates ffmpeg's output: frames as the plan asked for them, or garbage.
//!
//! The program decodes what a stranger sent, so its output is no more trustworthy than the stranger's. After the
//! first violation nothing from that process is used any more.

use std::sync::Arc;

use bytes::Bytes;
use media_formats::codec::avc::unit;
use media_formats::codec::{AacConfig, AudioConfig, AvcConfig, CodecError, VideoConfig};
use media_formats::flv::{
    self, AudioCodec, AudioTag, FileTag, FlvError, TagKind, VideoCodec, VideoTag,
};
use thiserror::Error;

use super::plan::{Rung, SoundRung};

/// Milliseconds by which a frame may be ahead of what was given: sound is cut into other frames than it had.
const MOST_AHEAD_MS: i64 = 1_000;
/// Milliseconds by which a frame may stand before the one it follows, as where a publisher's clock is set back: it is
/// shown right behind it then.
const MOST_BACK_MS: i64 = 1_000;
/// Longest picture of a low bit rate: what an encoder is allowed that cannot keep to it.
const MIN_PICTURE_BYTES: usize = 2 << 20;
/// Seconds of its bit rate that a picture may have at most; encoders are told to stay below half of that.
const MAX_PICTURE_SECONDS: usize = 4;
/// Longest frame of sound; AAC stays below 6 KiB for each pair of channels.
const MAX_SOUND_BYTES: usize = 16 << 10;

/// ffmpeg leaves out the highest bit of a time: it begins again after 24.8 days.
const WRAP_MS: i64 = 1 << 31;

/// A picture or a frame of sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedFrame {
    /// When it is shown or heard, on the session's time line.
    pub at_ms: i64,
    /// Whether decoding can start here.
    pub is_key: bool,
    /// The bytes as stored in files.
    pub data: Bytes,
}

/// Why a process is no longer trusted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OutputError {
    #[error(transparent)]
    Container(#[from] FlvError),
    #[error(transparent)]
    Codec(#[from] CodecError),
    #[error("it mixes pictures and sound")]
    Mixed,
    #[error("it writes {0}")]
    OtherCodec(String),
    #[error("its pictures are {0} by {1} pixels")]
    OtherSize(u32, u32),
    #[error("its sound has {0} channels")]
    OtherChannels(u16),
    #[error("its sound has {0} samples in a second")]
    OtherRate(u32),
    #[error("it changes its parameters")]
    Changed,
    /// Frames before their parameters, or before a key frame.
    #[error("it does not begin at the beginning")]
    NoBeginning,
    /// A frame at a time for which there was no input.
    #[error("it writes a frame for {0} ms, where it was given {1} ms")]
    OtherTime(i64, i64),
    /// A frame far before its predecessor.
    #[error("its time goes back at {0} ms")]
    Backwards(i64),
    #[error("it writes a frame of {0} bytes")]
    TooLong(usize),
}

/// The pictures of a rung.
#[derive(Debug)]
pub struct PictureOutput {
    size: (u32, u32),
    /// Two copies: one to read frames with, one to hand out.
    config: Option<(AvcConfig, Arc<VideoConfig>)>,
    last_ms: Option<i64>,
}

impl PictureOutput {
    pub fn new(rung: &Rung) -> Self {
        Self {
            size: (rung.width, rung.height),
            config: None,
            last_ms: None,
        }
    }

    /// The maximum size of a picture of this rung.
    pub fn most_bytes(rung: &Rung) -> usize {
        let bytes_per_second = rung.kbps as usize * 125;
        (bytes_per_second * MAX_PICTURE_SECONDS).max(MIN_PICTURE_BYTES)
    }

    /// How the pictures are coded, once it is known.
    pub fn config(&self) -> Option<&Arc<VideoConfig>> {
        self.config.as_ref().map(|(_, config)| config)
    }

    /// The picture in this tag, if any. `given_ms` is the time of the latest picture given to the process.
    ///
    /// # Errors
    /// If the process can no longer be trusted.
    pub fn take(
        &mut self,
        tag: FileTag,
        given_ms: i64,
    ) -> Result<Option<EncodedFrame>, OutputError> {
        match tag.kind {
            TagKind::Video => {}
            TagKind::Script => return Ok(None),
            TagKind::Audio | TagKind::Other(_) => return Err(OutputError::Mixed),
        }
        match flv::video(tag.body)? {
            VideoTag::Config {
                codec: VideoCodec::Avc,
                record,
            } => self.learn(record).map(|()| None),
            VideoTag::Frame {
                codec: VideoCodec::Avc,
                composition_ms,
                data,
                ..
            } => {
                let decoded_ms = beside(given_ms, tag.timestamp_ms);
                self.frame(decoded_ms + i64::from(composition_ms), given_ms, data)
            }
            VideoTag::Config { codec, .. } | VideoTag::Frame { codec, .. } => {
                Err(OutputError::OtherCodec(format!("{codec:?}")))
            }
            VideoTag::End | VideoTag::Ignored => Ok(None),
            VideoTag::OtherTrack => Err(OutputError::Mixed),
            VideoTag::Unsupported(name) => Err(OutputError::OtherCodec(name)),
        }
    }

    fn learn(&mut self, record: Bytes) -> Result<(), OutputError> {
        let avc = AvcConfig::parse(record)?;
        if let Some((known, _)) = &self.config {
            return if *known == avc {
                Ok(())
            } else {
                Err(OutputError::Changed)
            };
        }
        let config = VideoConfig::Avc(avc.clone());
        let size = (config.width(), config.height());
        if size != self.size {
            return Err(OutputError::OtherSize(size.0, size.1));
        }
        self.config = Some((avc, Arc::new(config)));
        Ok(())
    }

    fn frame(
        &mut self,
        at_ms: i64,
        given_ms: i64,
        data: Bytes,
    ) -> Result<Option<EncodedFrame>, OutputError> {
        let (avc, _) = self.config.as_ref().ok_or(OutputError::NoBeginning)?;
        let unit = unit(Some(avc), data)?;
        if !unit.has_picture {
            return Ok(None);
        }
        if self.last_ms.is_none() && !unit.is_idr {
            return Err(OutputError::NoBeginning);
        }
        // The next frames may depend on this one, so none can be dropped.
        let at_ms = in_order(self.last_ms, at_ms, given_ms)?;
        self.last_ms = Some(at_ms);
        Ok(Some(EncodedFrame {
            at_ms,
            is_key: unit.is_idr,
            data: unit.data,
        }))
    }
}

/// The sound, if it is encoded.
#[derive(Debug)]
pub struct SoundOutput {
    channels: u16,
    rate: u32,
    config: Option<(AacConfig, Arc<AudioConfig>)>,
    last_ms: Option<i64>,
}

impl SoundOutput {
    /// The longest tag that can be one of sound, with what stands before a frame in it.
    pub const MOST_TAG_BYTES: usize = MAX_SOUND_BYTES + 16;

    pub fn new(rung: &SoundRung) -> Self {
        Self {
            channels: rung.channels,
            rate: rung.rate,
            config: None,
            last_ms: None,
        }
    }

    /// How the sound is coded, once it is known.
    pub fn config(&self) -> Option<&Arc<AudioConfig>> {
        self.config.as_ref().map(|(_, config)| config)
    }

    /// The sound in this tag, if any. `given_ms` is the end of the latest sound given to the process.
    ///
    /// # Errors
    /// If the process can no longer be trusted.
    pub fn take(
        &mut self,
        tag: FileTag,
        given_ms: i64,
    ) -> Result<Option<EncodedFrame>, OutputError> {
        match tag.kind {
            TagKind::Audio => {}
            TagKind::Script => return Ok(None),
            TagKind::Video | TagKind::Other(_) => return Err(OutputError::Mixed),
        }
        match flv::audio(tag.body)? {
            AudioTag::Config {
                codec: AudioCodec::Aac,
                record,
            } => self.learn(&record).map(|()| None),
            AudioTag::Frame {
                codec: AudioCodec::Aac,
                data,
            } => {
                if self.config.is_none() {
                    return Err(OutputError::NoBeginning);
                }
                if data.len() > MAX_SOUND_BYTES {
                    return Err(OutputError::TooLong(data.len()));
                }
                let at_ms = beside(given_ms, tag.timestamp_ms);
                let at_ms = in_order(self.last_ms, at_ms, given_ms)?;
                self.last_ms = Some(at_ms);
                Ok(Some(EncodedFrame {
                    at_ms,
                    is_key: true,
                    data,
                }))
            }
            AudioTag::Config { codec, .. } | AudioTag::Frame { codec, .. } => {
                Err(OutputError::OtherCodec(format!("{codec:?}")))
            }
            AudioTag::Ignored => Ok(None),
            AudioTag::OtherTrack => Err(OutputError::Mixed),
            AudioTag::Unsupported(name) => Err(OutputError::OtherCodec(name)),
        }
    }

    fn learn(&mut self, record: &[u8]) -> Result<(), OutputError> {
        let aac = AacConfig::parse(record)?;
        if let Some((known, _)) = &self.config {
            return if *known == aac {
                Ok(())
            } else {
                Err(OutputError::Changed)
            };
        }
        if aac.channels() != self.channels {
            return Err(OutputError::OtherChannels(aac.channels()));
        }
        if aac.sample_rate() != self.rate {
            return Err(OutputError::OtherRate(aac.sample_rate()));
        }
        self.config = Some((aac.clone(), Arc::new(AudioConfig::Aac(aac))));
        Ok(())
    }
}

/// The unwrapped time of a stamp, which is the one nearest to the input's.
fn beside(given_ms: i64, stamp: u32) -> i64 {
    let ahead = (i64::from(stamp) - given_ms).rem_euclid(WRAP_MS);
    if ahead < WRAP_MS / 2 {
        given_ms + ahead
    } else {
        given_ms + ahead - WRAP_MS
    }
}

/// The position of a frame: after its predecessor, and not far ahead of the input. How far it is behind the input does
/// not matter: frames that a decoder holds while it gets no input come out later.
fn in_order(last_ms: Option<i64>, at_ms: i64, given_ms: i64) -> Result<i64, OutputError> {
    let least_ms = last_ms.map_or(at_ms, |last| last + 1);
    if at_ms < least_ms - MOST_BACK_MS {
        return Err(OutputError::Backwards(at_ms));
    }
    let at_ms = at_ms.max(least_ms);
    if at_ms > given_ms + MOST_AHEAD_MS {
        return Err(OutputError::OtherTime(at_ms, given_ms));
    }
    Ok(at_ms)
}

#[cfg(test)]
mod tests;
