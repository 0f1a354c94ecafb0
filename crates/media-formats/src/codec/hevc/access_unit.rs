//! Outgoing access units: every NAL unit after a four-byte length, without unneeded units.

use std::ops::Range;

use bytes::{BufMut, Bytes, BytesMut};

use super::{HevcConfig, kind, nal_kind};
use crate::codec::CodecError;
use crate::codec::nal::{lengths, start_codes, starts_with_start_code};

/// Most NAL units in one picture; more are refused. Level 6.2 allows 600 slices.
const MAX_UNITS: usize = 4_096;

/// One coded picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessUnit {
    /// NAL units, each after a four-byte length; the publisher's own bytes if nothing had to change.
    pub data: Bytes,
    /// Whether decoding can start here.
    pub is_random_access: bool,
    /// Whether it contains a picture.
    pub has_picture: bool,
    /// In-band parameter sets that the record does not have; they are also part of the data.
    pub parameter_sets: Vec<Bytes>,
}

impl AccessUnit {
    /// How long length fields are on the way out, and what senders without a record are taken to use.
    pub(super) const LENGTH_SIZE: usize = 4;
}

/// Parses one unit and converts it to its form in files.
///
/// # Errors
/// [`CodecError::Empty`] if it has no content, [`CodecError::Truncated`] if lengths do not add up.
#[allow(clippy::needless_pass_by_value)] // The unit shares the sender's bytes.
pub fn unit(config: Option<&HevcConfig>, data: Bytes) -> Result<AccessUnit, CodecError> {
    if data.is_empty() {
        return Err(CodecError::Empty);
    }
    let length_size = config.map_or(AccessUnit::LENGTH_SIZE, |config| config.length_size);
    let prefixed = gather(lengths(&data, length_size));
    // If zeros are read as empty lengths, short length fields add up by chance.
    let is_doubtful = |nals: &Vec<Range<usize>>| {
        length_size < AccessUnit::LENGTH_SIZE && nals.iter().any(Range::is_empty)
    };
    let is_annex_b = starts_with_start_code(&data) && prefixed.as_ref().map_or(true, is_doubtful);
    let nals = if is_annex_b {
        gather(start_codes(&data))?
    } else {
        prefixed?
    };
    let mut unit = AccessUnit {
        data: Bytes::new(),
        is_random_access: false,
        has_picture: false,
        parameter_sets: Vec::new(),
    };
    let mut kept = Vec::with_capacity(nals.len());
    for nal in nals.iter().cloned() {
        let bytes = data.get(nal.clone()).ok_or(CodecError::Truncated)?;
        let Some(kind) = nal_kind(bytes) else {
            continue;
        };
        match kind {
            kind::DELIMITER | kind::FILLER => continue,
            0..=kind::LAST_PICTURE => {
                unit.has_picture = true;
                unit.is_random_access |= matches!(kind, 16..=21);
            }
            kind::VIDEO_SET..=kind::PICTURE_SET => {
                if config.is_some_and(|config| config.contains(bytes)) {
                    continue;
                }
                unit.parameter_sets.push(data.slice(nal.clone()));
            }
            _ => {}
        }
        kept.push(nal);
    }
    if kept.is_empty() {
        return Err(CodecError::Empty);
    }
    let is_untouched =
        !is_annex_b && length_size == AccessUnit::LENGTH_SIZE && kept.len() == nals.len();
    unit.data = if is_untouched {
        data
    } else {
        rewrite(&data, &kept)?
    };
    Ok(unit)
}

fn gather(
    nals: impl Iterator<Item = Result<Range<usize>, CodecError>>,
) -> Result<Vec<Range<usize>>, CodecError> {
    let mut gathered = Vec::new();
    for nal in nals {
        if gathered.len() == MAX_UNITS {
            return Err(CodecError::Malformed("too many units in one picture"));
        }
        gathered.push(nal?);
    }
    Ok(gathered)
}

fn rewrite(data: &[u8], nals: &[Range<usize>]) -> Result<Bytes, CodecError> {
    let size = nals
        .iter()
        .map(|nal| AccessUnit::LENGTH_SIZE + nal.len())
        .sum();
    let mut out = BytesMut::with_capacity(size);
    for nal in nals {
        let bytes = data.get(nal.clone()).ok_or(CodecError::Truncated)?;
        let length = u32::try_from(bytes.len())
            .map_err(|_| CodecError::Malformed("a unit of four gigabytes"))?;
        out.put_u32(length);
        out.put_slice(bytes);
    }
    Ok(out.freeze())
}
