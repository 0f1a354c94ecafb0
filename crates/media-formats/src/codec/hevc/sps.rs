//! The sequence parameter set of HEVC: profile, picture size, shape, colour and rate.
//!
//! Implements H.265 clauses 7.3.2.2, 7.3.3 and E.2.1 as far as a packager needs them.

use bytes::{BufMut, BytesMut};

use super::kind;
use crate::codec::CodecError;
use crate::codec::bits::{BitReader, unescape};
use crate::codec::sps::{Colour, MAX_PICTURE_SIDE, MAX_SPS_BYTES, Timing, colour, sample_aspect};

/// Most reference picture sets a stream may list (H.265 7.4.3.2.1).
const MAX_REFERENCE_SETS: u32 = 64;
/// Most pictures in one of them that come before, or after.
const MAX_REFERENCES: u32 = 16;
/// Most long-term references a stream may list.
const MAX_LONG_TERM: u32 = 32;

/// Profile, tier and level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfileTierLevel {
    /// `general_profile_space`.
    pub space: u8,
    /// High tier instead of main tier.
    pub is_high_tier: bool,
    /// `general_profile_idc`.
    pub number: u8,
    /// The profiles it is compatible with, the first one in the highest bit.
    pub compatibility: u32,
    pub constraints: [u8; 6],
    /// `general_level_idc`: thirty times the level.
    pub level: u8,
}

impl ProfileTierLevel {
    fn read(bits: &mut BitReader<'_>) -> Result<Self, CodecError> {
        let space = bits.small(2)?;
        let is_high_tier = bits.flag()?;
        let number = bits.small(5)?;
        let compatibility = bits.bits(32)?;
        let mut constraints = [0; 6];
        for byte in &mut constraints {
            *byte = bits.small(8)?;
        }
        Ok(Self {
            space,
            is_high_tier,
            number,
            compatibility,
            constraints,
            level: bits.small(8)?,
        })
    }

    /// Writes its twelve bytes of a decoder configuration record.
    pub(super) fn put(&self, out: &mut BytesMut) {
        out.put_u8(self.space << 6 | u8::from(self.is_high_tier) << 5 | self.number);
        out.put_u32(self.compatibility);
        out.put_slice(&self.constraints);
        out.put_u8(self.level);
    }
}

/// The fields of a sequence parameter set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sps {
    /// Profile, tier and level.
    pub profile: ProfileTierLevel,
    /// Temporal layers, at least one.
    pub sub_layers: u8,
    /// Whether every layer can be switched up to at any picture.
    pub is_nested: bool,
    /// Chroma sampling: 0 none, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    pub chroma_format: u8,
    /// Bits per luma sample.
    pub luma_depth: u8,
    /// Bits per chroma sample.
    pub chroma_depth: u8,
    /// Width in pixels after cropping.
    pub width: u32,
    /// Height in pixels after cropping.
    pub height: u32,
    /// Aspect ratio of one sample; (1, 1) when square or unspecified.
    pub sample_aspect: (u16, u16),
    /// The colour description, if any.
    pub colour: Option<Colour>,
    /// The nominal rate, if any.
    pub timing: Option<Timing>,
}

impl Sps {
    /// Reads a whole NAL unit, its header of two bytes included.
    ///
    /// # Errors
    /// If it is something else, ends early, or describes an impossible picture.
    pub fn parse(nal: &[u8]) -> Result<Self, CodecError> {
        if super::nal_kind(nal) != Some(kind::SEQUENCE_SET) {
            return Err(CodecError::Malformed("not a sequence parameter set"));
        }
        if nal.len() > MAX_SPS_BYTES {
            return Err(CodecError::Malformed(
                "a sequence parameter set that is too long",
            ));
        }
        let payload: Vec<u8> = unescape(nal).skip(2).collect();
        read(&mut BitReader::new(&payload))
    }
}

fn read(bits: &mut BitReader<'_>) -> Result<Sps, CodecError> {
    bits.skip(4)?; // sps_video_parameter_set_id
    let above_first = bits.small(3)?;
    if above_first > 6 {
        return Err(CodecError::Malformed("too many temporal layers"));
    }
    let is_nested = bits.flag()?;
    let profile = ProfileTierLevel::read(bits)?;
    skip_layers(bits, above_first)?;
    bits.golomb()?; // sps_seq_parameter_set_id
    let chroma_format = match bits.golomb()? {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 3,
        _ => return Err(CodecError::Malformed("an unknown chroma format")),
    };
    if chroma_format == 3 {
        bits.flag()?; // separate_colour_plane_flag
    }
    let (width, height) = (bits.golomb()?, bits.golomb()?);
    let (step_x, step_y) = match chroma_format {
        1 => (2, 2),
        2 => (2, 1),
        _ => (1, 1),
    };
    let (mut across, mut down) = (0, 0);
    if bits.flag()? {
        across = (u64::from(bits.golomb()?) + u64::from(bits.golomb()?)) * step_x;
        down = (u64::from(bits.golomb()?) + u64::from(bits.golomb()?)) * step_y;
    }
    let luma_depth = depth(bits)?;
    let chroma_depth = depth(bits)?;
    // The rest is advice: a set that is cut off there still describes its pictures.
    let mut usability = Usability::default();
    let _ = usability.fill(bits, above_first);
    Ok(Sps {
        profile,
        sub_layers: above_first + 1,
        is_nested,
        chroma_format,
        luma_depth,
        chroma_depth,
        width: cropped(width, across)?,
        height: cropped(height, down)?,
        sample_aspect: usability.sample_aspect.unwrap_or((1, 1)),
        colour: usability.colour,
        timing: usability.timing,
    })
}

/// Profiles and levels of the temporal layers below the highest.
fn skip_layers(bits: &mut BitReader<'_>, count: u8) -> Result<(), CodecError> {
    const PROFILE_BITS: usize = 88;
    const LEVEL_BITS: usize = 8;
    let mut length = 0;
    for _ in 0..count {
        if bits.flag()? {
            length += PROFILE_BITS;
        }
        if bits.flag()? {
            length += LEVEL_BITS;
        }
    }
    if count > 0 {
        bits.skip(2 * usize::from(8 - count))?;
    }
    bits.skip(length)
}

fn depth(bits: &mut BitReader<'_>) -> Result<u8, CodecError> {
    // Records have three bits for the depth above eight.
    match u8::try_from(bits.golomb()?) {
        Ok(above_eight) if above_eight <= 7 => Ok(8 + above_eight),
        _ => Err(CodecError::Malformed("an impossible bit depth")),
    }
}

fn cropped(side: u32, removed: u64) -> Result<u32, CodecError> {
    if side > MAX_PICTURE_SIDE {
        return Err(CodecError::Malformed("a picture that is too large"));
    }
    u32::try_from(removed)
        .ok()
        .and_then(|removed| side.checked_sub(removed))
        .filter(|left| *left > 0)
        .ok_or(CodecError::Malformed("a picture cropped to nothing"))
}

/// The usability information, and the fields before it.
#[derive(Debug, Default)]
struct Usability {
    sample_aspect: Option<(u16, u16)>,
    colour: Option<Colour>,
    timing: Option<Timing>,
}

impl Usability {
    fn fill(&mut self, bits: &mut BitReader<'_>, above_first: u8) -> Result<(), CodecError> {
        skip_coding_tools(bits, above_first)?;
        if !bits.flag()? {
            return Ok(());
        }
        if bits.flag()? {
            self.sample_aspect = sample_aspect(bits)?;
        }
        if bits.flag()? {
            bits.flag()?; // overscan_appropriate_flag
        }
        if bits.flag()? {
            self.colour = colour(bits)?;
        }
        if bits.flag()? {
            bits.golomb()?; // chroma_sample_loc_type_top_field
            bits.golomb()?; // chroma_sample_loc_type_bottom_field
        }
        bits.skip(3)?; // neutral chroma, field sequence, field information
        if bits.flag()? {
            for _ in 0..4 {
                bits.golomb()?; // default display window
            }
        }
        if bits.flag()? {
            let ticks_per_frame = bits.bits(32)?;
            let ticks_per_second = bits.bits(32)?;
            self.timing = Timing::believed(ticks_per_second, u64::from(ticks_per_frame));
        }
        Ok(())
    }
}

fn skip_coding_tools(bits: &mut BitReader<'_>, above_first: u8) -> Result<(), CodecError> {
    let order_bits = bits.golomb()?.saturating_add(4);
    if order_bits > 16 {
        return Err(CodecError::Malformed("an impossible picture order"));
    }
    let layers = if bits.flag()? { above_first + 1 } else { 1 };
    for _ in 0..layers {
        for _ in 0..3 {
            bits.golomb()?; // buffering, reordering, latency
        }
    }
    for _ in 0..6 {
        bits.golomb()?; // sizes of coding and transform blocks
    }
    if bits.flag()? && bits.flag()? {
        skip_scaling_lists(bits)?;
    }
    bits.skip(2)?; // asymmetric partitions, adaptive offsets
    if bits.flag()? {
        bits.skip(8)?; // depths of uncompressed samples
        bits.golomb()?;
        bits.golomb()?;
        bits.flag()?;
    }
    skip_reference_sets(bits)?;
    if bits.flag()? {
        let count = bits.golomb()?;
        if count > MAX_LONG_TERM {
            return Err(CodecError::Malformed("too many long-term references"));
        }
        for _ in 0..count {
            bits.bits(order_bits)?;
            bits.flag()?;
        }
    }
    bits.skip(2) // temporal motion vectors, smoothing
}

fn skip_scaling_lists(bits: &mut BitReader<'_>) -> Result<(), CodecError> {
    for size in 0..4_u32 {
        let step = if size == 3 { 3 } else { 1 };
        for _ in (0..6).step_by(step) {
            if !bits.flag()? {
                bits.golomb()?; // which list is repeated
                continue;
            }
            if size > 1 {
                bits.signed_golomb()?;
            }
            for _ in 0..64_u32.min(1 << (4 + 2 * size)) {
                bits.signed_golomb()?;
            }
        }
    }
    Ok(())
}

fn skip_reference_sets(bits: &mut BitReader<'_>) -> Result<(), CodecError> {
    let sets = bits.golomb()?;
    if sets > MAX_REFERENCE_SETS {
        return Err(CodecError::Malformed("too many reference picture sets"));
    }
    let too_many = CodecError::Malformed("too many reference pictures");
    let mut pictures: u32 = 0;
    for set in 0..sets {
        let is_predicted = set > 0 && bits.flag()?;
        if is_predicted {
            bits.flag()?; // delta_rps_sign
            bits.golomb()?; // abs_delta_rps_minus1
            let mut kept = 0;
            for _ in 0..=pictures {
                let is_used = bits.flag()?;
                if is_used || bits.flag()? {
                    kept += 1;
                }
            }
            pictures = kept;
        } else {
            let (before, after) = (bits.golomb()?, bits.golomb()?);
            if before > MAX_REFERENCES || after > MAX_REFERENCES {
                return Err(too_many);
            }
            pictures = before + after;
            for _ in 0..pictures {
                bits.golomb()?;
                bits.flag()?;
            }
        }
        if pictures > 2 * MAX_REFERENCES {
            return Err(too_many);
        }
    }
    Ok(())
}
