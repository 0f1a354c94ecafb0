//! The sequence parameter set of H.264: picture size, shape, colour and rate.
//!
//! Implements H.264 clauses 7.3.2.1.1 and E.1.1 as far as a packager needs them.
//! It does not check whether a decoder can play the stream.

mod usability;

pub use usability::{Colour, Timing};
pub(super) use usability::{colour, sample_aspect};

use super::CodecError;
use super::bits::{BitReader, unescape};
use usability::Usability;

/// Longest sequence parameter set that is read, in bytes.
/// A longer one is refused; real ones are below 100 bytes, with scaling lists below 600.
pub const MAX_SPS_BYTES: usize = 4096;

/// Limit (broadcasters): width and height of the incoming video, in pixels; larger video is refused. Level 6.2 of H.264
/// ends near here, and sample entries hold 16 bits.
pub const MAX_PICTURE_SIDE: u32 = 16_384;

/// Profiles whose parameter sets carry the chroma format, bit depths and scaling lists.
const HIGH_PROFILES: [u8; 13] = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135];

/// The fields of a sequence parameter set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sps {
    /// `profile_idc`.
    pub profile: u8,
    /// The constraint flags as one byte.
    pub constraints: u8,
    /// `level_idc`.
    pub level: u8,
    /// Chroma sampling: 0 none, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    pub chroma_format: u8,
    /// Bits per luma sample.
    pub luma_depth: u8,
    /// Bits per chroma sample.
    pub chroma_depth: u8,
    /// Width in pixels after cropping.
    pub width: u32,
    /// Height in pixels after cropping, both fields counted.
    pub height: u32,
    /// Whether pictures may be single fields.
    pub is_interlaced: bool,
    /// Aspect ratio of one sample; (1, 1) when square or unspecified.
    pub sample_aspect: (u16, u16),
    /// The colour description, if any.
    pub colour: Option<Colour>,
    /// The nominal rate, if any.
    pub timing: Option<Timing>,
}

impl Sps {
    /// Reads a whole NAL unit, header byte included.
    ///
    /// # Errors
    /// If it is something else, ends early, or describes an impossible picture.
    pub fn parse(nal: &[u8]) -> Result<Self, CodecError> {
        let (header, body) = nal.split_first().ok_or(CodecError::Truncated)?;
        if header & 0x9f != 7 {
            return Err(CodecError::Malformed("not a sequence parameter set"));
        }
        if body.len() > MAX_SPS_BYTES {
            return Err(CodecError::Malformed(
                "a sequence parameter set that is too long",
            ));
        }
        let payload: Vec<u8> = unescape(body).collect();
        read(&mut BitReader::new(&payload))
    }

    /// Whether a decoder configuration record for this profile carries the chroma format and depths.
    pub(crate) fn is_high_profile(&self) -> bool {
        has_chroma_fields(self.profile)
    }
}

fn has_chroma_fields(profile: u8) -> bool {
    HIGH_PROFILES.contains(&profile)
}

fn read(bits: &mut BitReader<'_>) -> Result<Sps, CodecError> {
    let profile = bits.small(8)?;
    let constraints = bits.small(8)?;
    let level = bits.small(8)?;
    bits.golomb()?; // seq_parameter_set_id
    let chroma = if has_chroma_fields(profile) {
        chroma(bits)?
    } else {
        Chroma::PLAIN
    };
    bits.golomb()?; // log2_max_frame_num_minus4
    skip_picture_order(bits)?;
    bits.golomb()?; // max_num_ref_frames
    bits.flag()?; // gaps_in_frame_num_value_allowed_flag
    let width_in_blocks = blocks(bits)?;
    let height_in_map_units = blocks(bits)?;
    let is_interlaced = !bits.flag()?;
    if is_interlaced {
        bits.flag()?; // mb_adaptive_frame_field_flag
    }
    bits.flag()?; // direct_8x8_inference_flag
    let rows_per_unit = if is_interlaced { 2 } else { 1 };
    let (step_x, step_y) = chroma.crop_steps();
    let crop = Crop::read(bits)?;
    let width = cropped(width_in_blocks * 16, crop.left, crop.right, step_x)?;
    let height = cropped(
        height_in_map_units * 16 * rows_per_unit,
        crop.top,
        crop.bottom,
        step_y * rows_per_unit,
    )?;
    // A set that is cut off inside the usability information still describes its pictures.
    let usability = if bits.flag().unwrap_or(false) {
        Usability::read(bits)
    } else {
        Usability::default()
    };
    Ok(Sps {
        profile,
        constraints,
        level,
        chroma_format: chroma.format,
        luma_depth: chroma.luma_depth,
        chroma_depth: chroma.chroma_depth,
        width,
        height,
        is_interlaced,
        sample_aspect: usability.sample_aspect.unwrap_or((1, 1)),
        colour: usability.colour,
        timing: usability.timing,
    })
}

#[derive(Debug, Clone, Copy)]
struct Chroma {
    format: u8,
    luma_depth: u8,
    chroma_depth: u8,
}

impl Chroma {
    /// 4:2:0 with eight bits, which is all that the older profiles know.
    const PLAIN: Self = Self {
        format: 1,
        luma_depth: 8,
        chroma_depth: 8,
    };

    /// How many pixels one cropping unit removes, across and down (table 6-1).
    fn crop_steps(self) -> (u32, u32) {
        match self.format {
            1 => (2, 2),
            2 => (2, 1),
            _ => (1, 1),
        }
    }
}

fn chroma(bits: &mut BitReader<'_>) -> Result<Chroma, CodecError> {
    let format = match bits.golomb()? {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 3,
        _ => return Err(CodecError::Malformed("an unknown chroma format")),
    };
    if format == 3 {
        bits.flag()?; // separate_colour_plane_flag
    }
    let luma_depth = depth(bits)?;
    let chroma_depth = depth(bits)?;
    bits.flag()?; // qpprime_y_zero_transform_bypass_flag
    if bits.flag()? {
        let lists = if format == 3 { 12 } else { 8 };
        for list in 0..lists {
            if bits.flag()? {
                skip_scaling_list(bits, if list < 6 { 16 } else { 64 })?;
            }
        }
    }
    Ok(Chroma {
        format,
        luma_depth,
        chroma_depth,
    })
}

fn depth(bits: &mut BitReader<'_>) -> Result<u8, CodecError> {
    match u8::try_from(bits.golomb()?) {
        Ok(above_eight) if above_eight <= 6 => Ok(8 + above_eight),
        _ => Err(CodecError::Malformed("an impossible bit depth")),
    }
}

fn skip_scaling_list(bits: &mut BitReader<'_>, size: usize) -> Result<(), CodecError> {
    let mut last = 8_i64;
    for _ in 0..size {
        let next = (last + bits.signed_golomb()?).rem_euclid(256);
        if next == 0 {
            // The rest of the list repeats the last value and is not sent.
            return Ok(());
        }
        last = next;
    }
    Ok(())
}

fn skip_picture_order(bits: &mut BitReader<'_>) -> Result<(), CodecError> {
    match bits.golomb()? {
        0 => {
            bits.golomb()?; // log2_max_pic_order_cnt_lsb_minus4
        }
        1 => {
            bits.flag()?; // delta_pic_order_always_zero_flag
            bits.signed_golomb()?; // offset_for_non_ref_pic
            bits.signed_golomb()?; // offset_for_top_to_bottom_field
            let cycle = bits.golomb()?;
            if cycle > 255 {
                return Err(CodecError::Malformed("an impossible picture order"));
            }
            for _ in 0..cycle {
                bits.signed_golomb()?;
            }
        }
        2 => {}
        _ => return Err(CodecError::Malformed("an unknown picture order")),
    }
    Ok(())
}

/// A picture dimension in blocks of 16 pixels.
fn blocks(bits: &mut BitReader<'_>) -> Result<u32, CodecError> {
    let count = u64::from(bits.golomb()?) + 1;
    u32::try_from(count)
        .ok()
        .filter(|count| *count <= MAX_PICTURE_SIDE / 16)
        .ok_or(CodecError::Malformed("a picture that is too large"))
}

#[derive(Debug, Clone, Copy, Default)]
struct Crop {
    left: u32,
    right: u32,
    top: u32,
    bottom: u32,
}

impl Crop {
    fn read(bits: &mut BitReader<'_>) -> Result<Self, CodecError> {
        if !bits.flag()? {
            return Ok(Self::default());
        }
        Ok(Self {
            left: bits.golomb()?,
            right: bits.golomb()?,
            top: bits.golomb()?,
            bottom: bits.golomb()?,
        })
    }
}

fn cropped(side: u32, before: u32, after: u32, step: u32) -> Result<u32, CodecError> {
    let removed = (u64::from(before) + u64::from(after)) * u64::from(step);
    let left = u32::try_from(removed)
        .ok()
        .and_then(|removed| side.checked_sub(removed))
        .filter(|left| *left > 0)
        .ok_or(CodecError::Malformed("a picture cropped to nothing"))?;
    if left > MAX_PICTURE_SIDE {
        return Err(CodecError::Malformed("a picture that is too large"));
    }
    Ok(left)
}

#[cfg(test)]
mod tests;
