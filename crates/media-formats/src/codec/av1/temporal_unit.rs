//! Outgoing temporal units: a picture's OBUs without those that only streams need.

use std::ops::Range;

use bytes::{Bytes, BytesMut};

use super::{Av1Config, kind, whole};
use crate::codec::CodecError;

/// Most OBUs in one temporal unit; more are refused. Level 6.3 allows 128 tiles for each of a few layers.
const MAX_OBUS: usize = 4_096;

/// One temporal unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemporalUnit {
    /// The OBUs; the publisher's own bytes if nothing had to change.
    pub data: Bytes,
    /// Whether it begins with a shown key frame, at which decoding can start.
    pub is_key: bool,
    /// Whether it contains a picture.
    pub has_picture: bool,
    /// The payload of an in-band sequence header, if it differs from the record's.
    pub sequence_header: Option<Bytes>,
}

/// Parses one temporal unit and converts it to its form in files.
///
/// # Errors
/// [`CodecError::Empty`] if it has no content, [`CodecError::Truncated`] if sizes do not add up.
#[allow(clippy::needless_pass_by_value)] // The unit shares the sender's bytes.
pub fn unit(config: Option<&Av1Config>, data: Bytes) -> Result<TemporalUnit, CodecError> {
    let mut kept = Vec::new();
    let mut has_ballast = false;
    let mut header = None;
    let mut is_key = None;
    for (at, obu) in obus(&data).enumerate() {
        let obu = obu?;
        if at >= MAX_OBUS {
            return Err(CodecError::Malformed("too many units in one picture"));
        }
        let payload = data.get(obu.payload.clone()).unwrap_or_default();
        match obu.kind {
            kind::TEMPORAL_DELIMITER | kind::TILE_LIST | kind::PADDING => {
                has_ballast = true;
                continue;
            }
            kind::SEQUENCE_HEADER => {
                header.get_or_insert(obu.payload.clone());
            }
            kind::FRAME_HEADER | kind::FRAME => {
                is_key.get_or_insert(is_shown_key(payload));
            }
            _ => {}
        }
        kept.push(obu.whole);
    }
    if kept.is_empty() {
        return Err(CodecError::Empty);
    }
    let has_picture = is_key.is_some();
    let is_key = is_key.unwrap_or(false);
    // Players that start here need the sequence header here.
    let missing = config.filter(|_| is_key && header.is_none());
    let sequence_header = header
        .map(|payload| data.slice(payload))
        .filter(|payload| config.is_none_or(|config| config.header != *payload));
    let data = if has_ballast || missing.is_some() {
        let prefix = missing.map(|config| whole(&config.header));
        rewrite(&data, &prefix.unwrap_or_default(), &kept)
    } else {
        data
    };
    Ok(TemporalUnit {
        data,
        is_key,
        has_picture,
        sequence_header,
    })
}

fn rewrite(data: &[u8], prefix: &[u8], kept: &[Range<usize>]) -> Bytes {
    let size: usize = kept.iter().map(Range::len).sum();
    let mut out = BytesMut::with_capacity(prefix.len() + size);
    out.extend_from_slice(prefix);
    for range in kept {
        out.extend_from_slice(data.get(range.clone()).unwrap_or_default());
    }
    out.freeze()
}

/// The first bits of a frame header: not a repetition, a key frame, and shown (AV1 5.9.2).
fn is_shown_key(payload: &[u8]) -> bool {
    payload.first().is_some_and(|byte| byte >> 4 == 0b0001)
}

/// The position of one OBU.
#[derive(Debug)]
pub(super) struct Obu {
    pub(super) kind: u8,
    whole: Range<usize>,
    pub(super) payload: Range<usize>,
}

/// Iterates over the OBUs (AV1 5.3); ends with an error where sizes do not add up.
pub(super) fn obus(data: &[u8]) -> impl Iterator<Item = Result<Obu, CodecError>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= data.len() {
            return None;
        }
        let obu = obu(data, at);
        at = obu.as_ref().map_or(data.len(), |obu| obu.whole.end);
        Some(obu)
    })
}

fn obu(data: &[u8], start: usize) -> Result<Obu, CodecError> {
    let header = *data.get(start).ok_or(CodecError::Truncated)?;
    if header & 0x80 != 0 {
        return Err(CodecError::Malformed("no AV1 unit"));
    }
    let has_extension = header & 4 != 0;
    let has_size = header & 2 != 0;
    let mut at = start + 1 + usize::from(has_extension);
    let end = if has_size {
        let size = size(data, &mut at)?;
        at.checked_add(size).ok_or(CodecError::Truncated)?
    } else {
        // Only the last OBU may omit its size.
        data.len()
    };
    if at > end || end > data.len() {
        return Err(CodecError::Truncated);
    }
    Ok(Obu {
        kind: header >> 3 & 0x0f,
        whole: start..end,
        payload: at..end,
    })
}

/// A size in groups of seven bits, lowest first (AV1 4.10.5).
fn size(data: &[u8], at: &mut usize) -> Result<usize, CodecError> {
    let mut size = 0_u64;
    for group in 0..8 {
        let byte = *data.get(*at).ok_or(CodecError::Truncated)?;
        *at += 1;
        size |= u64::from(byte & 0x7f) << (7 * group);
        if byte & 0x80 == 0 {
            return usize::try_from(size).map_err(|_| CodecError::Truncated);
        }
    }
    Err(CodecError::Malformed("a size of more than eight bytes"))
}
