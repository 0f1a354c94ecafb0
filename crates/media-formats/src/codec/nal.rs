//! Splits H.264 and HEVC data into NAL units: after lengths, or between start codes.

use std::ops::Range;

use super::CodecError;

/// The NAL units after length fields of `size` bytes; ends with an error where lengths do not add up.
pub(super) fn lengths(
    data: &[u8],
    size: usize,
) -> impl Iterator<Item = Result<Range<usize>, CodecError>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= data.len() {
            return None;
        }
        let nal = data.get(at..at + size).and_then(|field| {
            let length = field
                .iter()
                .fold(0, |sum: usize, byte| sum << 8 | usize::from(*byte));
            let start = at + size;
            let end = start.checked_add(length)?;
            (end <= data.len()).then_some(start..end)
        });
        at = nal.as_ref().map_or(data.len(), |nal| nal.end);
        Some(nal.ok_or(CodecError::Truncated))
    })
}

/// Whether the bytes begin with a start code.
pub(super) fn starts_with_start_code(data: &[u8]) -> bool {
    let zeros = data.iter().take_while(|byte| **byte == 0).count();
    zeros >= 2 && data.get(zeros) == Some(&1)
}

/// The NAL units between start codes (H.264 annex B); never an error.
pub(super) fn start_codes(
    data: &[u8],
) -> impl Iterator<Item = Result<Range<usize>, CodecError>> + '_ {
    let mut next = after_start_code(data, 0);
    std::iter::from_fn(move || {
        let start = next?;
        next = after_start_code(data, start);
        let limit = next.map_or(data.len(), |next| next - 3);
        // Zeros before the next start code belong to it, not to the unit.
        let zeros = data
            .get(start..limit)?
            .iter()
            .rev()
            .take_while(|byte| **byte == 0);
        let end = limit - zeros.count();
        Some(Ok(start..end))
    })
}

/// The start of the unit after the first start code at or after `from`.
fn after_start_code(data: &[u8], from: usize) -> Option<usize> {
    let rest = data.get(from..)?;
    let found = rest.windows(3).position(|window| window == [0, 0, 1])?;
    Some(from + found + 3)
}
