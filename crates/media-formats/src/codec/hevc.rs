//! HEVC: the decoder configuration record, and the units that carry pictures.
//!
//! The record (`hvcC`, ISO/IEC 14496-15 clause 8.3.3) is kept as received. Its form in files differs in two ways:
//! every outgoing unit has a four-byte length, and the record declares that parameter sets are nowhere else, as the
//! name `hvc1` promises.

mod access_unit;
mod sps;

pub use access_unit::{AccessUnit, unit};
pub use sps::{ProfileTierLevel, Sps};

use bytes::{BufMut, Bytes, BytesMut};

use super::CodecError;
use super::avc::MAX_RECORD_BYTES;

/// Types of NAL units that matter here (H.265 table 7-1).
mod kind {
    pub(super) const LAST_PICTURE: u8 = 31;
    pub(super) const VIDEO_SET: u8 = 32;
    pub(super) const SEQUENCE_SET: u8 = 33;
    pub(super) const PICTURE_SET: u8 = 34;
    pub(super) const DELIMITER: u8 = 35;
    pub(super) const FILLER: u8 = 38;
}

/// Offsets in the record.
mod place {
    /// How long length fields are.
    pub(super) const LENGTH_FIELD: usize = 21;
    /// The arrays, right behind their number.
    pub(super) const ARRAYS: usize = 23;
}

/// How an HEVC stream is coded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HevcConfig {
    record: Bytes,
    file_record: Bytes,
    length_size: usize,
    sps: Sps,
    parameter_sets: Vec<Bytes>,
}

impl HevcConfig {
    /// Reads a decoder configuration record.
    ///
    /// # Errors
    /// If it ends early, lacks a kind of parameter set, or its first sequence parameter set cannot be parsed.
    pub fn parse(record: Bytes) -> Result<Self, CodecError> {
        if record.len() > MAX_RECORD_BYTES {
            return Err(CodecError::Malformed(
                "a configuration record that is too long",
            ));
        }
        let head = record
            .first_chunk::<{ place::ARRAYS }>()
            .ok_or(CodecError::Truncated)?;
        if head[0] != 1 {
            return Err(CodecError::Malformed(
                "an unknown version of the configuration record",
            ));
        }
        let length_size = match head[place::LENGTH_FIELD] & 3 {
            0 => 1,
            1 => 2,
            3 => 4,
            _ => return Err(CodecError::Malformed("length fields of three bytes")),
        };
        let arrays = head[place::ARRAYS - 1];
        let mut file_record = BytesMut::from(record.as_ref());
        if let Some(field) = file_record.get_mut(place::LENGTH_FIELD) {
            *field |= 3;
        }
        let mut parameter_sets = Vec::new();
        let mut rest = record.slice(place::ARRAYS..);
        for _ in 0..arrays {
            let at = record.len() - rest.len();
            let kind = take(&mut rest, 1)?.first().copied().unwrap_or(0) & 0x3f;
            let is_set = (kind::VIDEO_SET..=kind::PICTURE_SET).contains(&kind);
            if let (true, Some(field)) = (is_set, file_record.get_mut(at)) {
                *field |= 0x80; // array_completeness
            }
            for _ in 0..number(&mut rest)? {
                let length = number(&mut rest)?;
                let nal = take(&mut rest, length)?;
                if is_set {
                    parameter_sets.push(nal);
                }
            }
        }
        Self::of(record, file_record.freeze(), length_size, parameter_sets)
    }

    fn of(
        record: Bytes,
        file_record: Bytes,
        length_size: usize,
        parameter_sets: Vec<Bytes>,
    ) -> Result<Self, CodecError> {
        let first = |kind| {
            parameter_sets
                .iter()
                .find(|nal| nal_kind(nal) == Some(kind))
        };
        let sequence =
            first(kind::SEQUENCE_SET).ok_or(CodecError::Malformed("no sequence parameter set"))?;
        if first(kind::VIDEO_SET).is_none() {
            return Err(CodecError::Malformed("no video parameter set"));
        }
        if first(kind::PICTURE_SET).is_none() {
            return Err(CodecError::Malformed("no picture parameter set"));
        }
        Ok(Self {
            sps: Sps::parse(sequence)?,
            record,
            file_record,
            length_size,
            parameter_sets,
        })
    }

    /// Builds a record from parameter sets, for publishers that send them in band.
    ///
    /// # Errors
    /// If a kind is missing, a set is of another kind or too long, or the first sequence set cannot be parsed.
    pub fn from_parameter_sets(sets: &[Bytes]) -> Result<Self, CodecError> {
        Self::built(sets, AccessUnit::LENGTH_SIZE)
    }

    /// The same for a publisher with length fields of this size.
    fn built(sets: &[Bytes], length_size: usize) -> Result<Self, CodecError> {
        let of = |kind| -> Vec<&Bytes> {
            let sets = sets.iter();
            sets.filter(|nal| nal_kind(nal) == Some(kind)).collect()
        };
        let sequence_sets = of(kind::SEQUENCE_SET);
        let sequence = sequence_sets
            .first()
            .ok_or(CodecError::Malformed("no sequence parameter set"))?;
        let sps = Sps::parse(sequence)?;
        let mut record = BytesMut::new();
        record.put_u8(1);
        sps.profile.put(&mut record);
        record.put_u16(0xf000); // nothing is said about spatial segmentation
        record.put_u8(0xfc); // nor about parallel decoding
        record.put_u8(0xfc | sps.chroma_format);
        record.put_u8(0xf8 | (sps.luma_depth - 8));
        record.put_u8(0xf8 | (sps.chroma_depth - 8));
        record.put_u16(0); // nor about the average frame rate
        let length_field = match length_size {
            1 => 0,
            2 => 1,
            _ => 3,
        };
        record.put_u8(sps.sub_layers << 3 | u8::from(sps.is_nested) << 2 | length_field);
        record.put_u8(3); // arrays
        for kind in [kind::VIDEO_SET, kind::SEQUENCE_SET, kind::PICTURE_SET] {
            let nals = of(kind);
            let too_long = |_| CodecError::Malformed("a parameter set that is too long");
            record.put_u8(0x80 | kind);
            record.put_u16(u16::try_from(nals.len()).map_err(too_long)?);
            for nal in nals {
                record.put_u16(u16::try_from(nal.len()).map_err(too_long)?);
                record.put_slice(nal);
            }
        }
        Self::parse(record.freeze())
    }

    /// The configuration after these parameter sets arrived in band: kinds that are not among them stay as they were,
    /// and so does the size of length fields.
    ///
    /// # Errors
    /// [`CodecError::Empty`] if they contain no sequence set, others as for [`Self::from_parameter_sets`].
    pub fn replaced(known: Option<&Self>, sets: &[Bytes]) -> Result<Self, CodecError> {
        let has = |kind| sets.iter().any(|set| nal_kind(set) == kind);
        if !has(Some(kind::SEQUENCE_SET)) {
            return Err(CodecError::Empty);
        }
        let old = known.map(|known| known.parameter_sets.as_slice());
        let kept = old.unwrap_or_default().iter();
        let kept = kept.filter(|set| !has(nal_kind(set)));
        let all: Vec<Bytes> = sets.iter().chain(kept).cloned().collect();
        let length_size = known.map_or(AccessUnit::LENGTH_SIZE, |known| known.length_size);
        Self::built(&all, length_size)
    }

    /// The record as received.
    #[must_use]
    pub fn record(&self) -> &Bytes {
        &self.record
    }

    /// The record in its form for files.
    pub(crate) fn file_record(&self) -> &Bytes {
        &self.file_record
    }

    /// The first sequence parameter set.
    #[must_use]
    pub fn sps(&self) -> &Sps {
        &self.sps
    }

    /// Whether this parameter set is part of the record, so that it need not be repeated in band.
    #[must_use]
    pub fn contains(&self, set: &[u8]) -> bool {
        self.parameter_sets.iter().any(|known| known == set)
    }

    /// The name in a playlist (ISO/IEC 14496-15 annex E.3).
    pub(super) fn codec_string(&self) -> String {
        let ProfileTierLevel {
            space,
            is_high_tier,
            number,
            compatibility,
            constraints,
            level,
        } = self.sps.profile;
        let space = match space {
            1 => "A",
            2 => "B",
            3 => "C",
            _ => "",
        };
        let tier = if is_high_tier { 'H' } else { 'L' };
        let compatibility = compatibility.reverse_bits();
        let mut name = format!("hvc1.{space}{number}.{compatibility:X}.{tier}{level}");
        let said = constraints
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |last| last + 1);
        for byte in constraints.iter().take(said) {
            name.push_str(&format!(".{byte:X}"));
        }
        name
    }
}

/// The type in the header of a NAL unit, if the header is complete.
fn nal_kind(nal: &[u8]) -> Option<u8> {
    let header = nal.first_chunk::<2>()?;
    Some(header[0] >> 1 & 0x3f)
}

fn number(rest: &mut Bytes) -> Result<usize, CodecError> {
    let field = take(rest, 2)?;
    Ok(field
        .iter()
        .fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
}

fn take(rest: &mut Bytes, count: usize) -> Result<Bytes, CodecError> {
    if count > rest.len() {
        return Err(CodecError::Truncated);
    }
    Ok(rest.split_to(count))
}

#[cfg(test)]
mod tests;
