//! Chunk headers: one to three bytes for the chunk stream, up to eleven for fields, then an optional extended
//! timestamp.

use bytes::Buf;

/// A time that does not fit its three bytes is announced by this value and follows in four.
pub(super) const EXTENDED: u32 = 0x00ff_ffff;

/// The part that names the chunk stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BasicHeader {
    /// 0 has all fields, 3 has none.
    pub(super) format: u8,
    pub(super) id: u32,
    bytes: usize,
}

impl BasicHeader {
    /// `None` while it is incomplete.
    pub(super) fn read(input: &[u8]) -> Option<Self> {
        let first = *input.first()?;
        let (id, bytes) = match first & 0x3f {
            0 => (u32::from(*input.get(1)?) + 64, 2),
            1 => {
                let low = u32::from(*input.get(1)?);
                let high = u32::from(*input.get(2)?);
                (high * 256 + low + 64, 3)
            }
            id => (u32::from(id), 1),
        };
        Some(Self {
            format: first >> 6,
            id,
            bytes,
        })
    }
}

/// The fields of a header; absent fields keep their previous values.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MessageHeader {
    /// Absolute, or relative to the previous message; absent in format 3.
    pub(super) time: Option<u32>,
    pub(super) is_absolute: bool,
    /// The same time if it was extended to four bytes.
    pub(super) extended: Option<u32>,
    /// Length and kind.
    pub(super) message: Option<(usize, u8)>,
    pub(super) message_stream: Option<u32>,
    /// Length of the whole header.
    pub(super) bytes: usize,
}

impl MessageHeader {
    /// `None` while the header is incomplete. `repeated` is the extended time of the chunk stream's last full header,
    /// which format 3 repeats.
    pub(super) fn read(basic: BasicHeader, repeated: Option<u32>, input: &[u8]) -> Option<Self> {
        let mut rest = &input[basic.bytes..];
        let mut fields = Self {
            time: None,
            is_absolute: basic.format == 0,
            extended: None,
            message: None,
            message_stream: None,
            bytes: basic.bytes,
        };
        if basic.format == 3 {
            if let Some(expected) = repeated {
                fields.bytes += repetition(expected, rest)?;
            }
            return Some(fields);
        }
        let length = match basic.format {
            0 => 11,
            1 => 7,
            _ => 3,
        };
        if rest.len() < length {
            return None;
        }
        let mut time = u24(&mut rest);
        if basic.format <= 1 {
            fields.message = Some((u24(&mut rest) as usize, rest.get_u8()));
        }
        if basic.format == 0 {
            fields.message_stream = Some(rest.get_u32_le());
        }
        fields.bytes += length;
        if time == EXTENDED {
            time = rest.try_get_u32().ok()?;
            fields.extended = Some(time);
            fields.bytes += 4;
        }
        fields.time = Some(time);
        Some(fields)
    }
}

/// How many bytes at the start of `rest` repeat the extended time: four, or none for publishers that omit it and
/// continue with payload. `None` while the available bytes could still become the repetition.
fn repetition(expected: u32, rest: &[u8]) -> Option<usize> {
    let expected = expected.to_be_bytes();
    let there = rest.len().min(expected.len());
    if rest[..there] != expected[..there] {
        return Some(0);
    }
    (there == expected.len()).then_some(there)
}

fn u24(rest: &mut &[u8]) -> u32 {
    let high = u32::from(rest.get_u8());
    high << 16 | u32::from(rest.get_u16())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_chunk_stream_ids_of_one_two_and_three_bytes() {
        let cases: [(&[u8], u32); 6] = [
            (&[0x02], 2),
            (&[0x3f], 63),
            (&[0x00, 0], 64),
            (&[0x00, 255], 319),
            (&[0x01, 0, 0], 64),
            (&[0x01, 255, 255], 65_599),
        ];
        for (bytes, id) in cases {
            assert_eq!(BasicHeader::read(bytes).map(|basic| basic.id), Some(id));
            assert_eq!(BasicHeader::read(&bytes[..bytes.len() - 1]), None);
        }
    }

    #[test]
    fn waits_only_while_bytes_may_still_be_the_repeated_time() {
        assert_eq!(repetition(0x0102_0304, &[]), None);
        assert_eq!(repetition(0x0102_0304, &[1, 2, 3]), None);
        assert_eq!(repetition(0x0102_0304, &[1, 2, 3, 4]), Some(4));
        assert_eq!(repetition(0x0102_0304, &[1, 2, 9]), Some(0));
        assert_eq!(repetition(0x0102_0304, &[9]), Some(0));
    }
}
