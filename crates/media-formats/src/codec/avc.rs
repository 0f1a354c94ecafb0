//! H.264: the decoder configuration record, and the units that carry pictures.
//!
//! The record (`avcC`, ISO/IEC 14496-15 clause 5.3.3) is kept as received, because files carry it verbatim; only
//! the size of length fields changes, because every outgoing unit has a four-byte length.

mod access_unit;

pub use access_unit::{AccessUnit, unit};

use bytes::{BufMut, Bytes, BytesMut};

use super::CodecError;
use super::sps::Sps;

/// Longest decoder configuration record that is read, in bytes.
/// A longer one is refused; it is kept for the length of a stream and repeated in every init segment.
pub const MAX_RECORD_BYTES: usize = 64 * 1024;

/// How an H.264 stream is coded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AvcConfig {
    record: Bytes,
    length_size: usize,
    sps: Sps,
    sequence_sets: Vec<Bytes>,
    picture_sets: Vec<Bytes>,
}

impl AvcConfig {
    /// Reads a decoder configuration record.
    ///
    /// # Errors
    /// If it ends early, has no parameter sets, or its first sequence parameter set cannot be parsed.
    pub fn parse(record: Bytes) -> Result<Self, CodecError> {
        if record.len() > MAX_RECORD_BYTES {
            return Err(CodecError::Malformed(
                "a configuration record that is too long",
            ));
        }
        let [version, _, _, _, length_field, sequence_field] =
            *record.first_chunk::<6>().ok_or(CodecError::Truncated)?;
        if version != 1 {
            return Err(CodecError::Malformed(
                "an unknown version of the configuration record",
            ));
        }
        let length_size = match length_field & 3 {
            0 => 1,
            1 => 2,
            3 => 4,
            _ => return Err(CodecError::Malformed("length fields of three bytes")),
        };
        let mut rest = record.slice(6..);
        let sequence_sets = parameter_sets(&mut rest, sequence_field & 0x1f)?;
        let picture_count = take(&mut rest, 1)?;
        let picture_sets = parameter_sets(&mut rest, picture_count.first().copied().unwrap_or(0))?;
        // The fields that may follow (chroma format, depths, extensions) repeat the set above and are often missing.
        let first = sequence_sets
            .first()
            .ok_or(CodecError::Malformed("no sequence parameter set"))?;
        if picture_sets.is_empty() {
            return Err(CodecError::Malformed("no picture parameter set"));
        }
        Ok(Self {
            sps: Sps::parse(first)?,
            record,
            length_size,
            sequence_sets,
            picture_sets,
        })
    }

    /// Builds a record from one set of each kind, for publishers that send them only in band.
    ///
    /// # Errors
    /// If either is of another kind, too long, or cannot be parsed.
    pub fn from_parameter_sets(sequence: &[u8], picture: &[u8]) -> Result<Self, CodecError> {
        let sps = Sps::parse(sequence)?;
        if picture.first().is_none_or(|header| header & 0x9f != 8) {
            return Err(CodecError::Malformed("not a picture parameter set"));
        }
        let too_long = |_| CodecError::Malformed("a parameter set that is too long");
        let sequence_length = u16::try_from(sequence.len()).map_err(too_long)?;
        let picture_length = u16::try_from(picture.len()).map_err(too_long)?;
        let mut record = BytesMut::with_capacity(sequence.len() + picture.len() + 15);
        record.put_slice(&[1, sps.profile, sps.constraints, sps.level, 0xff, 0xe1]);
        record.put_u16(sequence_length);
        record.put_slice(sequence);
        record.put_u8(1);
        record.put_u16(picture_length);
        record.put_slice(picture);
        if sps.is_high_profile() {
            let chroma = 0xfc | sps.chroma_format;
            let depths = [0xf8 | (sps.luma_depth - 8), 0xf8 | (sps.chroma_depth - 8)];
            record.put_slice(&[chroma, depths[0], depths[1], 0]);
        }
        Self::parse(record.freeze())
    }

    /// The record as received.
    #[must_use]
    pub fn record(&self) -> &Bytes {
        &self.record
    }

    /// The record in its form for files: the same, with four-byte length fields.
    pub(crate) fn file_record(&self) -> Bytes {
        if self.length_size == 4 {
            return self.record.clone();
        }
        let mut record = BytesMut::from(self.record.as_ref());
        if let Some(length_field) = record.get_mut(4) {
            *length_field |= 3;
        }
        record.freeze()
    }

    /// The first sequence parameter set.
    #[must_use]
    pub fn sps(&self) -> &Sps {
        &self.sps
    }

    /// Whether these parameter sets are part of the record, so that repeating them in band changes nothing.
    #[must_use]
    pub fn contains(&self, sequence: &[u8], picture: &[u8]) -> bool {
        self.sequence_sets.iter().any(|known| known == sequence)
            && self.picture_sets.iter().any(|known| known == picture)
    }

    /// Profile, constraints and level, from the set that the decoder will read, not from the record's copy.
    pub(super) fn codec_string(&self) -> String {
        let Sps {
            profile,
            constraints,
            level,
            ..
        } = self.sps;
        format!("avc1.{profile:02x}{constraints:02x}{level:02x}")
    }
}

fn parameter_sets(rest: &mut Bytes, count: u8) -> Result<Vec<Bytes>, CodecError> {
    let mut sets = Vec::new();
    for _ in 0..count {
        let length = take(rest, 2)?;
        let length = length
            .iter()
            .fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        sets.push(take(rest, length)?);
    }
    Ok(sets)
}

fn take(rest: &mut Bytes, count: usize) -> Result<Bytes, CodecError> {
    if count > rest.len() {
        return Err(CodecError::Truncated);
    }
    Ok(rest.split_to(count))
}

#[cfg(test)]
mod tests;
