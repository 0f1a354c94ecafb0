//! The video usability information at the end of a sequence parameter set: shape, colour, rate.
//!
//! All of it is advice, so a broken field ends the parsing and keeps the fields before it (H.264 E.1.1).

use crate::codec::CodecError;
use crate::codec::bits::BitReader;

/// Highest frame rate believed from a parameter set, in frames per second.
/// A higher one counts as not given, because cameras in use stay far below.
const MAX_FRAME_RATE: u64 = 1_000;

/// The shapes of a sample that have a number of their own (table E-1); 0 is unspecified.
const ASPECTS: [(u16, u16); 17] = [
    (1, 1),
    (1, 1),
    (12, 11),
    (10, 11),
    (16, 11),
    (40, 33),
    (24, 11),
    (20, 11),
    (32, 11),
    (80, 33),
    (18, 11),
    (15, 11),
    (64, 33),
    (160, 99),
    (4, 3),
    (3, 2),
    (2, 1),
];

/// How sample values map to colours, as numbers of ISO/IEC 23091-2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour {
    /// The meaning of red, green and blue.
    pub primaries: u8,
    pub transfer: u8,
    /// The matrix coefficients.
    pub matrix: u8,
    /// Whether all values are used, from 0 up.
    pub is_full_range: bool,
}

/// The nominal frame rate as a fraction, above 0 and at most 1,000 frames per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Ticks in one second.
    pub ticks_per_second: u32,
    /// Ticks from one frame to the next.
    pub ticks_per_frame: u64,
}

impl Timing {
    /// The rate, if it is plausible for a camera.
    pub(in crate::codec) fn believed(ticks_per_second: u32, ticks_per_frame: u64) -> Option<Self> {
        let is_believable = ticks_per_frame > 0
            && ticks_per_second > 0
            && u64::from(ticks_per_second) <= ticks_per_frame.saturating_mul(MAX_FRAME_RATE);
        is_believable.then_some(Self {
            ticks_per_second,
            ticks_per_frame,
        })
    }
}

/// The usability information; absent fields are `None`.
#[derive(Debug, Clone, Default)]
pub(super) struct Usability {
    pub(super) sample_aspect: Option<(u16, u16)>,
    pub(super) colour: Option<Colour>,
    pub(super) timing: Option<Timing>,
}

impl Usability {
    pub(super) fn read(bits: &mut BitReader<'_>) -> Self {
        let mut usability = Self::default();
        // An encoder that cut this short has still described its pictures.
        match usability.fill(bits) {
            Ok(()) | Err(_) => usability,
        }
    }

    fn fill(&mut self, bits: &mut BitReader<'_>) -> Result<(), CodecError> {
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
        if bits.flag()? {
            self.timing = timing(bits)?;
        }
        Ok(())
    }
}

/// The aspect ratio of a sample, which H.264 and HEVC write the same way.
pub(in crate::codec) fn sample_aspect(
    bits: &mut BitReader<'_>,
) -> Result<Option<(u16, u16)>, CodecError> {
    const SPELLED_OUT: u8 = 255;
    let number = bits.small(8)?;
    if number != SPELLED_OUT {
        return Ok(ASPECTS.get(usize::from(number)).copied());
    }
    let width = u16::try_from(bits.bits(16)?).unwrap_or(0);
    let height = u16::try_from(bits.bits(16)?).unwrap_or(0);
    // A zero side means "unspecified".
    Ok((width > 0 && height > 0).then_some((width, height)))
}

/// The colour description, which H.264 and HEVC write the same way.
pub(in crate::codec) fn colour(bits: &mut BitReader<'_>) -> Result<Option<Colour>, CodecError> {
    bits.skip(3)?; // video_format
    let is_full_range = bits.flag()?;
    if !bits.flag()? {
        return Ok(None);
    }
    Ok(Some(Colour {
        primaries: bits.small(8)?,
        transfer: bits.small(8)?,
        matrix: bits.small(8)?,
        is_full_range,
    }))
}

fn timing(bits: &mut BitReader<'_>) -> Result<Option<Timing>, CodecError> {
    let ticks_per_field = bits.bits(32)?;
    let ticks_per_second = bits.bits(32)?;
    Ok(Timing::believed(
        ticks_per_second,
        u64::from(ticks_per_field) * 2,
    ))
}
