//! The sequence header of AV1: profile, picture size, colour and rate (AV1 5.5).

use super::format::UNSPECIFIED;
use crate::codec::CodecError;
use crate::codec::bits::BitReader;
use crate::codec::sps::{Colour, MAX_PICTURE_SIDE, Timing};

/// The fields of a sequence header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// `seq_profile`: 0 main, 1 high, 2 professional.
    pub profile: u8,
    /// `seq_level_idx` of the first operating point.
    pub level: u8,
    /// High tier instead of main tier.
    pub is_high_tier: bool,
    /// Bits per sample.
    pub depth: u8,
    /// No chroma at all.
    pub is_monochrome: bool,
    /// Whether chroma is halved across and down.
    pub subsampling: (bool, bool),
    /// `chroma_sample_position`.
    pub chroma_position: u8,
    /// Largest width in pixels.
    pub width: u32,
    /// Largest height in pixels.
    pub height: u32,
    /// The colour description; 2 means unspecified.
    pub colour: Colour,
    /// The nominal rate, if any.
    pub timing: Option<Timing>,
}

impl Sequence {
    /// Reads the payload of a sequence header OBU.
    ///
    /// # Errors
    /// If it ends early or describes an impossible picture.
    pub fn parse(payload: &[u8]) -> Result<Self, CodecError> {
        let bits = &mut BitReader::new(payload);
        let profile = bits.small(3)?;
        if profile > 2 {
            return Err(CodecError::Malformed("an unknown AV1 profile"));
        }
        bits.flag()?; // still_picture
        let is_still = bits.flag()?; // reduced_still_picture_header
        let points = if is_still {
            OperatingPoints {
                level: bits.small(5)?,
                is_high_tier: false,
                timing: None,
            }
        } else {
            OperatingPoints::read(bits)?
        };
        let width_bits = bits.bits(4)? + 1;
        let height_bits = bits.bits(4)? + 1;
        let width = bits.bits(width_bits)? + 1;
        let height = bits.bits(height_bits)? + 1;
        if width > MAX_PICTURE_SIDE || height > MAX_PICTURE_SIDE {
            return Err(CodecError::Malformed("a picture that is too large"));
        }
        skip_tools(bits, is_still)?;
        let format = ColorConfig::read(bits, profile)?;
        Ok(Self {
            profile,
            level: points.level,
            is_high_tier: points.is_high_tier,
            depth: format.depth,
            is_monochrome: format.is_monochrome,
            subsampling: format.subsampling,
            chroma_position: format.chroma_position,
            width,
            height,
            colour: format.colour,
            timing: points.timing,
        })
    }
}

/// The operating points, of which only the first counts.
struct OperatingPoints {
    level: u8,
    is_high_tier: bool,
    timing: Option<Timing>,
}

impl OperatingPoints {
    fn read(bits: &mut BitReader<'_>) -> Result<Self, CodecError> {
        let mut timing = None;
        let mut delay_bits = None;
        if bits.flag()? {
            timing = read_timing(bits)?;
            if bits.flag()? {
                delay_bits = Some(usize::from(bits.small(5)?) + 1);
                bits.skip(32 + 5 + 5)?; // decoding tick, lengths of two times
            }
        }
        let has_display_delay = bits.flag()?;
        let further = bits.small(5)?;
        let mut first = None;
        for _ in 0..=further {
            bits.skip(12)?; // operating_point_idc
            let level = bits.small(5)?;
            let is_high_tier = level > 7 && bits.flag()?;
            first.get_or_insert((level, is_high_tier));
            if let Some(length) = delay_bits
                && bits.flag()?
            {
                bits.skip(2 * length + 1)?;
            }
            if has_display_delay && bits.flag()? {
                bits.skip(4)?;
            }
        }
        let (level, is_high_tier) = first.unwrap_or_default();
        Ok(Self {
            level,
            is_high_tier,
            timing,
        })
    }
}

/// The rate, if pictures are equally spaced.
fn read_timing(bits: &mut BitReader<'_>) -> Result<Option<Timing>, CodecError> {
    let ticks = bits.bits(32)?;
    let ticks_per_second = bits.bits(32)?;
    if !bits.flag()? {
        return Ok(None);
    }
    // AV1's uvlc() is coded like H.264's exp-Golomb codes.
    let ticks_per_picture = u64::from(bits.golomb()?) + 1;
    let ticks_per_frame = ticks_per_picture.saturating_mul(u64::from(ticks));
    Ok(Timing::believed(ticks_per_second, ticks_per_frame))
}

/// Skips the coding tools between the picture's size and its colours.
fn skip_tools(bits: &mut BitReader<'_>, is_still: bool) -> Result<(), CodecError> {
    if !is_still && bits.flag()? {
        bits.skip(7)?; // lengths of frame ids
    }
    bits.skip(3)?; // block size, intra tools
    if !is_still {
        bits.skip(4)?; // inter tools
        let has_order = bits.flag()?;
        if has_order {
            bits.skip(2)?;
        }
        let chooses_screen_content = bits.flag()?;
        let has_screen_content = chooses_screen_content || bits.flag()?;
        if has_screen_content && !bits.flag()? {
            bits.flag()?; // seq_force_integer_mv
        }
        if has_order {
            bits.skip(3)?;
        }
    }
    bits.skip(3) // super resolution, filters
}

/// How samples are stored and what they mean.
struct ColorConfig {
    depth: u8,
    is_monochrome: bool,
    subsampling: (bool, bool),
    chroma_position: u8,
    colour: Colour,
}

impl ColorConfig {
    fn read(bits: &mut BitReader<'_>, profile: u8) -> Result<Self, CodecError> {
        const BT_709: u8 = 1;
        const SRGB: u8 = 13;
        const IDENTITY: u8 = 0;
        let is_deep = bits.flag()?;
        let depth = match (is_deep, profile == 2) {
            (false, _) => 8,
            (true, true) if bits.flag()? => 12,
            (true, _) => 10,
        };
        let is_monochrome = profile != 1 && bits.flag()?;
        let [primaries, transfer, matrix] = if bits.flag()? {
            [bits.small(8)?, bits.small(8)?, bits.small(8)?]
        } else {
            [UNSPECIFIED; 3]
        };
        let is_rgb = [primaries, transfer, matrix] == [BT_709, SRGB, IDENTITY] && !is_monochrome;
        let is_full_range = is_rgb || bits.flag()?;
        let subsampling = match profile {
            _ if is_monochrome => (true, true),
            _ if is_rgb => (false, false),
            0 => (true, true),
            1 => (false, false),
            _ if depth == 12 => {
                let is_across = bits.flag()?;
                (is_across, is_across && bits.flag()?)
            }
            _ => (true, false),
        };
        let has_position = subsampling == (true, true) && !is_monochrome;
        let chroma_position = if has_position { bits.small(2)? } else { 0 };
        Ok(Self {
            depth,
            is_monochrome,
            subsampling,
            chroma_position,
            colour: Colour {
                primaries,
                transfer,
                matrix,
                is_full_range,
            },
        })
    }
}
