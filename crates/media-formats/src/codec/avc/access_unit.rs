//! Outgoing access units: every NAL unit after a four-byte length, without unneeded units.
//!
//! Well-formed input costs little: its bytes are scanned once and passed on without a copy.

use std::ops::Range;

use bytes::{BufMut, Bytes, BytesMut};

use super::AvcConfig;
use crate::codec::CodecError;
use crate::codec::bits::unescape;
use crate::codec::nal::{lengths, start_codes, starts_with_start_code};

/// Types of NAL units that matter here (H.264 table 7-1).
mod kind {
    pub(super) const FIRST_SLICE: u8 = 1;
    pub(super) const IDR_SLICE: u8 = 5;
    pub(super) const SEI: u8 = 6;
    pub(super) const SEQUENCE_SET: u8 = 7;
    pub(super) const PICTURE_SET: u8 = 8;
    pub(super) const DELIMITER: u8 = 9;
    pub(super) const FILLER: u8 = 12;
}

/// One coded picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessUnit {
    /// NAL units, each after a four-byte length; the publisher's own bytes if nothing had to change.
    pub data: Bytes,
    /// Whether it is an IDR picture: decoding can start here, and no later picture refers back beyond it.
    pub is_idr: bool,
    /// Whether it declares that decoding can start here, IDR or not.
    pub has_recovery_point: bool,
    /// Whether it contains a picture; some publishers send parameter sets in units of their own.
    pub has_picture: bool,
    /// The first in-band sequence and picture parameter sets, if both are present.
    pub parameter_sets: Option<(Bytes, Bytes)>,
}

impl AccessUnit {
    /// How long length fields are on the way out, and what senders without a record are taken to use.
    const LENGTH_SIZE: usize = 4;
}

/// Parses one unit and converts it to its form in files.
///
/// Lengths are read according to `config`; if they do not add up, Annex B start codes are tried.
///
/// # Errors
/// [`CodecError::Empty`] if it has no content, [`CodecError::Truncated`] if lengths do not add up.
#[allow(clippy::needless_pass_by_value)] // The unit shares the sender's bytes.
pub fn unit(config: Option<&AvcConfig>, data: Bytes) -> Result<AccessUnit, CodecError> {
    if data.is_empty() {
        return Err(CodecError::Empty);
    }
    let length_size = config.map_or(AccessUnit::LENGTH_SIZE, |config| config.length_size);
    let prefixed = Summary::of(&data, lengths(&data, length_size));
    // If zeros are read as empty lengths, short length fields add up by chance.
    let is_doubtful =
        |summary: &Summary| summary.has_empty && length_size < AccessUnit::LENGTH_SIZE;
    let is_annex_b = starts_with_start_code(&data) && prefixed.as_ref().map_or(true, is_doubtful);
    if is_annex_b {
        let summary = Summary::of(&data, start_codes(&data))?;
        return summary.into_unit(&data, start_codes(&data), NalFraming::Other);
    }
    let framing = if length_size == AccessUnit::LENGTH_SIZE {
        NalFraming::Ready
    } else {
        NalFraming::Other
    };
    prefixed?.into_unit(&data, lengths(&data, length_size), framing)
}

/// Whether the publisher's bytes already have the outgoing form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NalFraming {
    Ready,
    Other,
}

/// The result of one pass over the NAL units of a unit.
#[derive(Debug, Default)]
struct Summary {
    /// Bytes of the units that are kept, length fields included.
    size: usize,
    has_ballast: bool,
    has_empty: bool,
    is_idr: bool,
    has_recovery_point: bool,
    has_picture: bool,
    sequence_set: Option<Range<usize>>,
    picture_set: Option<Range<usize>>,
}

impl Summary {
    fn of(
        data: &[u8],
        ranges: impl Iterator<Item = Result<Range<usize>, CodecError>>,
    ) -> Result<Self, CodecError> {
        let mut summary = Self::default();
        for range in ranges {
            let range = range?;
            let nal = data.get(range.clone()).ok_or(CodecError::Truncated)?;
            summary.add(nal, range);
        }
        Ok(summary)
    }

    fn add(&mut self, nal: &[u8], range: Range<usize>) {
        let Some(header) = nal.first() else {
            self.has_empty = true;
            return;
        };
        match header & 0x1f {
            kind::DELIMITER | kind::FILLER => {
                self.has_ballast = true;
                return;
            }
            kind::FIRST_SLICE..kind::IDR_SLICE => self.has_picture = true,
            kind::IDR_SLICE => {
                self.has_picture = true;
                self.is_idr = true;
            }
            kind::SEI => self.has_recovery_point |= announces_recovery(nal),
            kind::SEQUENCE_SET => {
                self.sequence_set.get_or_insert(range);
            }
            kind::PICTURE_SET => {
                self.picture_set.get_or_insert(range);
            }
            _ => {}
        }
        self.size += AccessUnit::LENGTH_SIZE + nal.len();
    }

    fn into_unit(
        self,
        data: &Bytes,
        ranges: impl Iterator<Item = Result<Range<usize>, CodecError>>,
        framing: NalFraming,
    ) -> Result<AccessUnit, CodecError> {
        if self.size == 0 {
            return Err(CodecError::Empty);
        }
        let parameter_sets = match (self.sequence_set, self.picture_set) {
            (Some(sequence), Some(picture)) => Some((data.slice(sequence), data.slice(picture))),
            _ => None,
        };
        let is_untouched = framing == NalFraming::Ready && !self.has_ballast && !self.has_empty;
        Ok(AccessUnit {
            data: if is_untouched {
                data.clone()
            } else {
                rewrite(data, ranges, self.size)?
            },
            is_idr: self.is_idr,
            has_recovery_point: self.has_recovery_point,
            has_picture: self.has_picture,
            parameter_sets,
        })
    }
}

fn rewrite(
    data: &[u8],
    ranges: impl Iterator<Item = Result<Range<usize>, CodecError>>,
    size: usize,
) -> Result<Bytes, CodecError> {
    let mut out = BytesMut::with_capacity(size);
    for range in ranges {
        let nal = data.get(range?).ok_or(CodecError::Truncated)?;
        let is_kept = nal
            .first()
            .is_some_and(|header| !matches!(header & 0x1f, kind::DELIMITER | kind::FILLER));
        if is_kept {
            let length = u32::try_from(nal.len())
                .map_err(|_| CodecError::Malformed("a unit of four gigabytes"))?;
            out.put_u32(length);
            out.put_slice(nal);
        }
    }
    Ok(out.freeze())
}

/// Whether an SEI unit holds a recovery point message (H.264 clause 7.3.2.3).
fn announces_recovery(nal: &[u8]) -> bool {
    const RECOVERY_POINT: u32 = 6;
    let mut bytes = unescape(nal).skip(1);
    loop {
        let Some(payload_kind) = extended_number(&mut bytes) else {
            return false;
        };
        let Some(size) = extended_number(&mut bytes) else {
            return false;
        };
        if payload_kind == RECOVERY_POINT && size > 0 {
            return true;
        }
        for _ in 0..size {
            if bytes.next().is_none() {
                return false;
            }
        }
    }
}

/// A number coded as a run of 255s and a last byte.
fn extended_number(bytes: &mut impl Iterator<Item = u8>) -> Option<u32> {
    let mut sum = 0_u32;
    loop {
        let byte = bytes.next()?;
        sum = sum.saturating_add(u32::from(byte));
        if byte != 255 {
            return Some(sum);
        }
    }
}

#[cfg(test)]
mod tests;
