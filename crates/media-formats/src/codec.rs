//! Parses a publisher's codec headers: picture, sound, and the attributes for playlists.
//!
//! Everything here is a pure function of bytes that a stranger sent: total, bounded by its input, without IO or
//! notion of time. [`avc`], [`hevc`], [`av1`] and [`vp9`] parse pictures, [`aac`], [`mp3`], [`opus`] and
//! [`flac`] parse sound; [`crate::cmaf`] writes the results into files.
//! To add a codec, add a variant to [`VideoConfig`] or [`AudioConfig`] and a module beside these.

pub mod aac;
pub mod av1;
pub mod avc;
mod bits;
mod error;
pub mod flac;
#[doc(hidden)]
pub mod fuzz;
pub mod hevc;
pub mod mp3;
mod nal;
pub mod opus;
pub mod sps;
pub mod vp9;

pub use aac::AacConfig;
pub use av1::Av1Config;
pub use avc::AvcConfig;
pub use error::CodecError;
pub use flac::FlacConfig;
pub use hevc::HevcConfig;
pub use mp3::Mp3Config;
pub use opus::OpusConfig;
pub use vp9::Vp9Config;

/// How the pictures of a stream are coded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VideoConfig {
    Avc(AvcConfig),
    /// HEVC, also called H.265.
    Hevc(HevcConfig),
    Av1(Av1Config),
    Vp9(Vp9Config),
}

impl VideoConfig {
    /// The name in a playlist's `CODECS`, such as `avc1.64001f` (RFC 6381).
    #[must_use]
    pub fn codec_string(&self) -> String {
        match self {
            Self::Avc(avc) => avc.codec_string(),
            Self::Hevc(hevc) => hevc.codec_string(),
            Self::Av1(av1) => av1.codec_string(),
            Self::Vp9(vp9) => vp9.codec_string(),
        }
    }

    /// The common name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Avc(_) => "H.264",
            Self::Hevc(_) => "HEVC",
            Self::Av1(_) => "AV1",
            Self::Vp9(_) => "VP9",
        }
    }

    /// Width in coded pixels, after cropping.
    #[must_use]
    pub fn width(&self) -> u32 {
        match self {
            Self::Avc(avc) => avc.sps().width,
            Self::Hevc(hevc) => hevc.sps().width,
            Self::Av1(av1) => av1.sequence().width,
            Self::Vp9(vp9) => vp9.width(),
        }
    }

    /// Height in coded pixels, after cropping.
    #[must_use]
    pub fn height(&self) -> u32 {
        match self {
            Self::Avc(avc) => avc.sps().height,
            Self::Hevc(hevc) => hevc.sps().height,
            Self::Av1(av1) => av1.sequence().height,
            Self::Vp9(vp9) => vp9.height(),
        }
    }

    /// Aspect ratio of one coded pixel; (1, 1) when square.
    #[must_use]
    pub fn sample_aspect(&self) -> (u16, u16) {
        match self {
            Self::Avc(avc) => avc.sps().sample_aspect,
            Self::Hevc(hevc) => hevc.sps().sample_aspect,
            Self::Av1(_) | Self::Vp9(_) => (1, 1),
        }
    }

    /// Width and height on a screen with square pixels; the height is the coded one.
    #[must_use]
    pub fn display_size(&self) -> (u32, u32) {
        let (across, down) = self.sample_aspect();
        let (across, down) = (u64::from(across), u64::from(down.max(1)));
        let width = (u64::from(self.width()) * across + down / 2) / down;
        // Track headers have 16 bits for whole pixels; larger shapes are nonsense and are clamped.
        let width = width.clamp(1, u64::from(u16::MAX));
        (u32::try_from(width).unwrap_or(1), self.height())
    }

    /// How sample values map to colours, if the stream declares it.
    #[must_use]
    pub fn colour(&self) -> Option<sps::Colour> {
        match self {
            Self::Avc(avc) => avc.sps().colour,
            Self::Hevc(hevc) => hevc.sps().colour,
            Self::Av1(av1) => av1.colour(),
            Self::Vp9(vp9) => vp9.colour(),
        }
    }

    /// The nominal frames per second, if the stream declares them.
    #[must_use]
    pub fn frame_rate(&self) -> Option<f64> {
        let timing = self.timing()?;
        // Both sides are below 2^53, so nothing is lost.
        #[allow(clippy::cast_precision_loss)]
        let ticks_per_frame = timing.ticks_per_frame as f64;
        Some(f64::from(timing.ticks_per_second) / ticks_per_frame)
    }

    /// The nominal frame duration in units of `timescale`, rounded, if the stream declares it.
    #[must_use]
    pub fn frame_duration(&self, timescale: u32) -> Option<u32> {
        let timing = self.timing()?;
        let ticks_per_second = u64::from(timing.ticks_per_second);
        let length = timing.ticks_per_frame.checked_mul(u64::from(timescale))?;
        let rounded = length.saturating_add(ticks_per_second / 2) / ticks_per_second;
        u32::try_from(rounded).ok().filter(|length| *length > 0)
    }

    fn timing(&self) -> Option<sps::Timing> {
        match self {
            Self::Avc(avc) => avc.sps().timing,
            Self::Hevc(hevc) => hevc.sps().timing,
            Self::Av1(av1) => av1.sequence().timing,
            Self::Vp9(_) => None,
        }
    }
}

/// How the sound of a stream is coded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AudioConfig {
    /// AAC, with or without the extensions of HE-AAC.
    Aac(AacConfig),
    /// MPEG layer III.
    Mp3(Mp3Config),
    Opus(OpusConfig),
    Flac(FlacConfig),
}

impl AudioConfig {
    /// The name in a playlist's `CODECS`, such as `mp4a.40.2` (RFC 6381).
    #[must_use]
    pub fn codec_string(&self) -> String {
        match self {
            Self::Aac(aac) => aac.codec_string(),
            Self::Mp3(_) => mp3::CODEC_STRING.to_owned(),
            Self::Opus(_) => opus::CODEC_STRING.to_owned(),
            Self::Flac(_) => flac::CODEC_STRING.to_owned(),
        }
    }

    /// The common name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Aac(aac) => aac.name(),
            Self::Mp3(_) => "MP3",
            Self::Opus(_) => "Opus",
            Self::Flac(_) => "FLAC",
        }
    }

    /// Samples per second in the units of [`Self::frame_samples`], which is also the track's timescale.
    /// HE-AAC may play at twice this rate.
    #[must_use]
    pub fn sample_rate(&self) -> u32 {
        match self {
            Self::Aac(aac) => aac.sample_rate(),
            Self::Mp3(mp3) => mp3.sample_rate(),
            Self::Opus(opus) => opus.sample_rate(),
            Self::Flac(flac) => flac.sample_rate(),
        }
    }

    /// The sample rate for encoding this sound as AAC.
    #[must_use]
    pub fn encoded_rate(&self) -> u32 {
        match self {
            Self::Aac(aac) => aac.encoded_rate(),
            Self::Mp3(_) | Self::Opus(_) | Self::Flac(_) => aac::encoded_rate(self.sample_rate()),
        }
    }

    /// Number of channels.
    #[must_use]
    pub fn channels(&self) -> u16 {
        match self {
            Self::Aac(aac) => aac.channels(),
            Self::Mp3(mp3) => mp3.channels(),
            Self::Opus(opus) => opus.channels(),
            Self::Flac(flac) => flac.channels(),
        }
    }

    /// Number of channels that may be heard, which is more than [`Self::channels`] where parametric stereo is neither
    /// declared nor excluded.
    #[must_use]
    pub fn heard_channels(&self) -> u16 {
        match self {
            Self::Aac(aac) => aac.heard_channels(),
            Self::Mp3(_) | Self::Opus(_) | Self::Flac(_) => self.channels(),
        }
    }

    /// Samples per channel in one frame, or in the longest one if they differ.
    #[must_use]
    pub fn frame_samples(&self) -> u32 {
        match self {
            Self::Aac(aac) => aac.frame_samples(),
            Self::Mp3(mp3) => mp3.frame_samples(),
            Self::Opus(opus) => opus.frame_samples(),
            Self::Flac(flac) => flac.frame_samples(),
        }
    }

    /// Samples per channel in this frame.
    #[must_use]
    pub fn samples_of(&self, frame: &[u8]) -> u32 {
        let said = match self {
            Self::Aac(_) | Self::Mp3(_) => return self.frame_samples(),
            Self::Opus(_) => opus::packet_samples(frame),
            Self::Flac(_) => flac::frame_samples(frame),
        };
        said.unwrap_or(self.frame_samples())
    }
}

#[cfg(test)]
mod tests;
