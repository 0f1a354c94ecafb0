//! AV1: the decoder configuration record, and the temporal units that carry pictures.
//!
//! Follows "AV1 Codec ISO Media File Format Binding" 1.2: `av1C` is kept as received, temporal delimiters and padding
//! are removed, and a unit at which decoding can start carries its sequence header.

mod sequence;
mod temporal_unit;

pub use sequence::Sequence;
pub use temporal_unit::{TemporalUnit, unit};

use bytes::{BufMut, Bytes, BytesMut};

use super::CodecError;
use super::avc::MAX_RECORD_BYTES;
use super::sps::Colour;
use temporal_unit::obus;

/// Longest sequence header that is taken from the stream, in bytes; a longer one is refused. Real ones are below 40.
const MAX_HEADER_BYTES: usize = 4096;

/// What is fixed by the formats.
mod format {
    /// Length of the record before its OBUs.
    pub(super) const HEAD_BYTES: usize = 4;
    /// Colour as it is where nobody says (ISO/IEC 23091-2: unspecified).
    pub(super) const UNSPECIFIED: u8 = 2;
}

/// Types of OBUs that matter here (AV1 6.2.2).
mod kind {
    pub(super) const SEQUENCE_HEADER: u8 = 1;
    pub(super) const TEMPORAL_DELIMITER: u8 = 2;
    pub(super) const FRAME_HEADER: u8 = 3;
    pub(super) const FRAME: u8 = 6;
    pub(super) const TILE_LIST: u8 = 8;
    pub(super) const PADDING: u8 = 15;
}

/// How an AV1 stream is coded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Av1Config {
    record: Bytes,
    /// The payload of the sequence header.
    header: Bytes,
    sequence: Sequence,
}

impl Av1Config {
    /// Reads a decoder configuration record.
    ///
    /// # Errors
    /// [`CodecError::Empty`] if the sequence header is only in the stream; others if the record ends early or cannot be
    /// parsed.
    pub fn parse(record: Bytes) -> Result<Self, CodecError> {
        if record.len() > MAX_RECORD_BYTES {
            return Err(CodecError::Malformed(
                "a configuration record that is too long",
            ));
        }
        let head = record
            .first_chunk::<{ format::HEAD_BYTES }>()
            .ok_or(CodecError::Truncated)?;
        if head[0] != 0x81 {
            return Err(CodecError::Malformed(
                "an unknown version of the configuration record",
            ));
        }
        let stored = record.slice(format::HEAD_BYTES..);
        for obu in obus(&stored) {
            let obu = obu?;
            if obu.kind == kind::SEQUENCE_HEADER {
                let header = stored.slice(obu.payload);
                return Ok(Self {
                    sequence: Sequence::parse(&header)?,
                    header,
                    record,
                });
            }
        }
        Err(CodecError::Empty)
    }

    /// Builds a record around the payload of a sequence header, for publishers that send it only in band.
    ///
    /// # Errors
    /// If it cannot be parsed.
    pub fn from_sequence_header(payload: &[u8]) -> Result<Self, CodecError> {
        if payload.len() > MAX_HEADER_BYTES {
            return Err(CodecError::Malformed("a sequence header that is too long"));
        }
        let sequence = Sequence::parse(payload)?;
        let obu = whole(payload);
        let mut record = BytesMut::with_capacity(format::HEAD_BYTES + obu.len());
        record.put_u8(0x81);
        record.put_u8(sequence.profile << 5 | sequence.level);
        record.put_u8(
            u8::from(sequence.is_high_tier) << 7
                | u8::from(sequence.depth > 8) << 6
                | u8::from(sequence.depth > 10) << 5
                | u8::from(sequence.is_monochrome) << 4
                | u8::from(sequence.subsampling.0) << 3
                | u8::from(sequence.subsampling.1) << 2
                | sequence.chroma_position,
        );
        record.put_u8(0); // no initial presentation delay
        record.put_slice(&obu);
        Ok(Self {
            record: record.freeze(),
            header: Bytes::copy_from_slice(payload),
            sequence,
        })
    }

    /// The record as received, which is also its form in files.
    #[must_use]
    pub fn record(&self) -> &Bytes {
        &self.record
    }

    /// The parsed sequence header.
    #[must_use]
    pub fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// The colour description, if any.
    pub(super) fn colour(&self) -> Option<Colour> {
        let colour = self.sequence.colour;
        let said = [colour.primaries, colour.transfer, colour.matrix];
        said.iter()
            .any(|n| *n != format::UNSPECIFIED)
            .then_some(colour)
    }

    /// The name in a playlist (AV1 in ISO media, section 5). Either all optional fields are present, or none if all
    /// have their defaults; undescribed colours count as the default, as in other writers of such names.
    pub(super) fn codec_string(&self) -> String {
        let Sequence {
            profile,
            level,
            is_high_tier,
            depth,
            is_monochrome,
            subsampling,
            chroma_position,
            colour,
            ..
        } = self.sequence;
        let tier = if is_high_tier { 'H' } else { 'M' };
        let name = format!("av01.{profile}.{level:02}{tier}.{depth:02}");
        // The third digit of the chroma format is the sample position, which only 4:2:0 has.
        let position = if subsampling == (true, true) {
            chroma_position
        } else {
            0
        };
        let chroma = format!(
            "{}{}{position}",
            u8::from(subsampling.0),
            u8::from(subsampling.1)
        );
        let is_usual_colour = self
            .colour()
            .is_none_or(|c| (c.primaries, c.transfer, c.matrix) == (1, 1, 1));
        if !is_monochrome && chroma == "110" && is_usual_colour && !colour.is_full_range {
            return name;
        }
        format!(
            "{name}.{}.{chroma}.{:02}.{:02}.{:02}.{}",
            u8::from(is_monochrome),
            colour.primaries,
            colour.transfer,
            colour.matrix,
            u8::from(colour.is_full_range),
        )
    }
}

/// A sequence header as a whole OBU: header, size, payload.
fn whole(payload: &[u8]) -> Bytes {
    const HAS_SIZE: u8 = 2;
    let mut out = BytesMut::with_capacity(payload.len() + 4);
    out.put_u8(kind::SEQUENCE_HEADER << 3 | HAS_SIZE);
    let mut left = payload.len();
    loop {
        let seven = u8::try_from(left & 0x7f).unwrap_or(0);
        left >>= 7;
        out.put_u8(if left > 0 { seven | 0x80 } else { seven });
        if left == 0 {
            break;
        }
    }
    out.put_slice(payload);
    out.freeze()
}

#[cfg(test)]
mod tests;
