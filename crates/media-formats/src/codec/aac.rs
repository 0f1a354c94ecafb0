//! AAC: parses `AudioSpecificConfig` (ISO/IEC 14496-3 clause 1.6.2), and handles publishers that use ADTS instead.
//!
//! The configuration is kept as received, because files carry it verbatim.

mod adts;

pub use adts::strip_adts;

use bytes::Bytes;

use super::CodecError;
use super::bits::BitReader;

/// Longest `AudioSpecificConfig` that is read, in bytes.
/// A longer one is refused; the usual is 2 to 7, one with a full channel layout and comment stays below 400.
pub const MAX_CONFIG_BYTES: usize = 512;
/// A layout can spell out 105; the largest one in use has 24.
const MAX_CHANNELS: u16 = 64;

/// Sample rates a configuration may spell out, in hertz.
/// Others are refused, because no decoder plays them and time would be counted in absurd steps.
const SAMPLE_RATES: std::ops::RangeInclusive<u32> = 7_350..=96_000;

/// The sample rates that have a number of their own.
const RATE_BY_INDEX: [u32; 13] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
];

/// Sample rates that other sound is encoded with, in hertz: those that every player plays.
const ENCODED_RATES: [u32; 9] = [
    8_000,
    11_025,
    12_000,
    16_000,
    22_050,
    24_000,
    32_000,
    44_100,
    MAX_ENCODED_RATE,
];
/// Highest sample rate that other sound is encoded with, in hertz.
const MAX_ENCODED_RATE: u32 = 48_000;

/// Numbers of audio object types.
mod object {
    pub(super) const LC: u8 = 2;
    pub(super) const LTP: u8 = 4;
    pub(super) const SBR: u8 = 5;
    pub(super) const ESCAPE: u8 = 31;
    pub(super) const PS: u8 = 29;
}

/// Sync words of extensions after the configuration, which older decoders ignore.
mod mark {
    pub(super) const SBR: u32 = 0x2b7;
    pub(super) const PS: u32 = 0x548;
}

/// The HE-AAC extension of the frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extension {
    /// Plain AAC, either declared or clear from the rate.
    None,
    /// Not declared, at a rate that HE-AAC uses for its core.
    Hidden,
    /// Spectral band replication: HE-AAC.
    Sbr,
    /// With parametric stereo in addition: HE-AAC v2.
    Ps,
}

/// How an AAC stream is coded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AacConfig {
    record: Bytes,
    object_type: u8,
    sample_rate: u32,
    channels: u16,
    frame_samples: u32,
    extension: Extension,
}

impl AacConfig {
    /// Parses an `AudioSpecificConfig`.
    ///
    /// # Errors
    /// If it ends early, breaks a rule, or is a kind of AAC that players do not support.
    pub fn parse(config: &[u8]) -> Result<Self, CodecError> {
        if config.len() > MAX_CONFIG_BYTES {
            return Err(CodecError::Malformed(
                "an audio configuration that is too long",
            ));
        }
        let bits = &mut BitReader::new(config);
        let mut object_type = object_type_of(bits)?;
        let sample_rate = rate(bits)?;
        let channel_layout = bits.small(4)?;
        let mut extension = match object_type {
            object::SBR => Extension::Sbr,
            object::PS => Extension::Ps,
            _ => Extension::None,
        };
        let is_hierarchical = extension != Extension::None;
        if is_hierarchical {
            rate(bits)?; // the rate after the extension
            object_type = object_type_of(bits)?;
        }
        if !(1..=object::LTP).contains(&object_type) {
            return Err(CodecError::Unsupported(unsupported_name(object_type)));
        }
        let has_short_frames = bits.flag()?;
        if bits.flag()? {
            bits.skip(14)?; // coreCoderDelay
        }
        bits.flag()?; // extensionFlag, 0 for these object types
        let channels = match channel_layout {
            0 => channels_by_element(bits)?,
            1..=6 => u16::from(channel_layout),
            11 => 7,
            7 | 12 | 14 => 8,
            _ => return Err(CodecError::Malformed("an unknown channel layout")),
        };
        if !is_hierarchical {
            extension = trailing_extension(bits)?;
        }
        // HE-AAC halves the rate for its core, so at higher rates nothing can hide.
        let is_core_rate = sample_rate <= 24_000;
        if extension == Extension::Hidden && !(object_type == object::LC && is_core_rate) {
            extension = Extension::None;
        }
        Ok(Self {
            record: Bytes::copy_from_slice(config),
            object_type,
            sample_rate,
            channels,
            frame_samples: if has_short_frames { 960 } else { 1024 },
            extension,
        })
    }

    /// The `AudioSpecificConfig` as received.
    #[must_use]
    pub fn record(&self) -> &Bytes {
        &self.record
    }

    /// Samples per second of the core, the unit of frame lengths.
    #[must_use]
    pub fn sample_rate(&self) -> u32 {
        self.sample_rate
    }

    /// Samples per second as heard: the extension doubles the core's rate.
    fn played_rate(&self) -> u32 {
        match self.extension {
            Extension::None => self.sample_rate,
            Extension::Hidden | Extension::Sbr | Extension::Ps => self.sample_rate * 2,
        }
    }

    /// The sample rate for encoding it again: its own, so that frames keep their length, or get half as long if
    /// the core has half the rate.
    pub(super) fn encoded_rate(&self) -> u32 {
        let own = Some(self.played_rate());
        let known = own.filter(|rate| RATE_BY_INDEX.contains(rate));
        known.unwrap_or(MAX_ENCODED_RATE)
    }

    /// Number of channels of the core; parametric stereo plays one as two.
    #[must_use]
    pub fn channels(&self) -> u16 {
        match self.extension {
            Extension::Ps => self.channels.max(2),
            _ => self.channels,
        }
    }

    /// Number of channels that may be heard: a core with one channel and a declared or hidden extension may play as
    /// two.
    pub(super) fn heard_channels(&self) -> u16 {
        match self.extension {
            Extension::None => self.channels,
            Extension::Hidden | Extension::Sbr | Extension::Ps => self.channels.max(2),
        }
    }

    /// Samples per channel in one frame of the core.
    #[must_use]
    pub fn frame_samples(&self) -> u32 {
        self.frame_samples
    }

    /// This name prepares players for the extension; if it is missing, that costs them nothing.
    pub(super) fn codec_string(&self) -> String {
        let object_type = match self.extension {
            Extension::None => self.object_type,
            Extension::Hidden | Extension::Sbr => object::SBR,
            Extension::Ps => object::PS,
        };
        format!("mp4a.40.{object_type}")
    }

    pub(super) fn name(&self) -> &'static str {
        match self.extension {
            Extension::None | Extension::Hidden => "AAC",
            Extension::Sbr => "HE-AAC",
            Extension::Ps => "HE-AAC v2",
        }
    }
}

/// The sample rate for encoding sound of this rate.
pub(super) fn encoded_rate(rate: u32) -> u32 {
    let enough = ENCODED_RATES.into_iter().find(|known| *known >= rate);
    enough.unwrap_or(MAX_ENCODED_RATE)
}

fn object_type_of(bits: &mut BitReader<'_>) -> Result<u8, CodecError> {
    let number = bits.small(5)?;
    if number != object::ESCAPE {
        return Ok(number);
    }
    Ok(32 + bits.small(6)?)
}

fn unsupported_name(object_type: u8) -> &'static str {
    match object_type {
        23 => "AAC-LD audio",
        34 => "MP3 labelled as AAC",
        39 => "AAC-ELD audio",
        42 => "xHE-AAC audio",
        _ => "this kind of AAC audio",
    }
}

fn rate(bits: &mut BitReader<'_>) -> Result<u32, CodecError> {
    const SPELLED_OUT: u8 = 15;
    let index = bits.small(4)?;
    let rate = if index == SPELLED_OUT {
        Some(bits.bits(24)?)
    } else {
        RATE_BY_INDEX.get(usize::from(index)).copied()
    };
    rate.filter(|rate| SAMPLE_RATES.contains(rate))
        .ok_or(CodecError::Malformed("an unknown sample rate"))
}

/// Counts the channels of a `program_config_element` and reads to its end.
fn channels_by_element(bits: &mut BitReader<'_>) -> Result<u16, CodecError> {
    bits.skip(4 + 2 + 4)?; // element_instance_tag, object_type, sampling_frequency_index
    let front_side_back = [bits.small(4)?, bits.small(4)?, bits.small(4)?];
    let low_frequency = bits.small(2)?;
    let associated = bits.small(3)?;
    let coupling = bits.small(4)?;
    for mixdown_bits in [4, 4, 3] {
        if bits.flag()? {
            bits.skip(mixdown_bits)?;
        }
    }
    let mut channels = u16::from(low_frequency);
    for _ in 0..front_side_back.iter().sum::<u8>() {
        let is_pair = bits.flag()?;
        channels += if is_pair { 2 } else { 1 };
        bits.skip(4)?;
    }
    bits.skip(
        usize::from(low_frequency) * 4 + usize::from(associated) * 4 + usize::from(coupling) * 5,
    )?;
    bits.align();
    let comment_bytes = bits.small(8)?;
    bits.skip(usize::from(comment_bytes) * 8)?;
    if channels == 0 {
        return Err(CodecError::Malformed("a channel layout without channels"));
    }
    if channels > MAX_CHANNELS {
        return Err(CodecError::Malformed("more channels than anybody has"));
    }
    Ok(channels)
}

/// The extension as appended for players that do not know it.
fn trailing_extension(bits: &mut BitReader<'_>) -> Result<Extension, CodecError> {
    if bits.left() < 16 || bits.bits(11)? != mark::SBR || object_type_of(bits)? != object::SBR {
        return Ok(Extension::Hidden);
    }
    if !bits.flag()? {
        return Ok(Extension::None);
    }
    rate(bits)?;
    let has_stereo_mark = bits.left() >= 12 && bits.bits(11)? == mark::PS;
    if has_stereo_mark && bits.flag()? {
        return Ok(Extension::Ps);
    }
    Ok(Extension::Sbr)
}

#[cfg(test)]
mod tests;
