//! Reads bits: fixed-width fields, exp-Golomb codes, and the escaping inside NAL units.
//!
//! Every read is checked; running out of bits is [`CodecError::Truncated`].
//! H.264 clauses 7.2 and 9.1.

use super::CodecError;

/// A cursor over bits, most significant first.
#[derive(Debug, Clone)]
pub(crate) struct BitReader<'a> {
    data: &'a [u8],
    position: usize,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { data, position: 0 }
    }

    /// How many bits are left.
    pub(crate) fn left(&self) -> usize {
        (self.data.len() * 8).saturating_sub(self.position)
    }

    pub(crate) fn flag(&mut self) -> Result<bool, CodecError> {
        let byte = self
            .data
            .get(self.position / 8)
            .ok_or(CodecError::Truncated)?;
        let is_set = (byte >> (7 - self.position % 8)) & 1 == 1;
        self.position += 1;
        Ok(is_set)
    }

    /// Reads `count` bits, at most 32.
    pub(crate) fn bits(&mut self, count: u32) -> Result<u32, CodecError> {
        debug_assert!(count <= 32, "{count}");
        let mut value = 0;
        for _ in 0..count {
            value = (value << 1) | u32::from(self.flag()?);
        }
        Ok(value)
    }

    /// Reads at most 8 bits.
    pub(crate) fn small(&mut self, count: u32) -> Result<u8, CodecError> {
        debug_assert!(count <= 8, "{count}");
        let mut value = 0;
        for _ in 0..count {
            value = (value << 1) | u8::from(self.flag()?);
        }
        Ok(value)
    }

    pub(crate) fn skip(&mut self, count: usize) -> Result<(), CodecError> {
        if count > self.left() {
            return Err(CodecError::Truncated);
        }
        self.position += count;
        Ok(())
    }

    /// Moves to the next whole byte.
    pub(crate) fn align(&mut self) {
        self.position = self.position.next_multiple_of(8);
    }

    /// An unsigned exp-Golomb code, `ue(v)`.
    pub(crate) fn golomb(&mut self) -> Result<u32, CodecError> {
        // More zeros would not fit a 32-bit number.
        const MAX_ZEROS: u32 = 31;
        let mut zeros = 0;
        while !self.flag()? {
            zeros += 1;
            if zeros > MAX_ZEROS {
                return Err(CodecError::Malformed(
                    "a number with too many leading zeros",
                ));
            }
        }
        let tail = self.bits(zeros)?;
        Ok(((1_u32 << zeros) - 1) + tail)
    }

    /// A signed exp-Golomb code, `se(v)`.
    pub(crate) fn signed_golomb(&mut self) -> Result<i64, CodecError> {
        let code = i64::from(self.golomb()?);
        let magnitude = (code + 1) / 2;
        Ok(if code % 2 == 0 { -magnitude } else { magnitude })
    }
}

/// The bytes of a NAL unit without the emulation prevention bytes (the `03` of `00 00 03`).
#[derive(Debug, Clone)]
pub(crate) struct Unescaped<'a> {
    data: std::slice::Iter<'a, u8>,
    zeros: u32,
}

pub(crate) fn unescape(data: &[u8]) -> Unescaped<'_> {
    Unescaped {
        data: data.iter(),
        zeros: 0,
    }
}

impl Iterator for Unescaped<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let mut byte = *self.data.next()?;
        if self.zeros >= 2 && byte == 3 {
            self.zeros = 0;
            byte = *self.data.next()?;
        }
        self.zeros = if byte == 0 { self.zeros + 1 } else { 0 };
        Some(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unescaped(data: &[u8]) -> Vec<u8> {
        unescape(data).collect()
    }

    #[test]
    fn reads_fixed_fields_across_byte_borders() {
        let mut bits = BitReader::new(&[0b1010_0101, 0b1100_0011]);
        assert_eq!(bits.small(3), Ok(0b101));
        assert_eq!(bits.bits(7), Ok(0b001_0111));
        assert_eq!(bits.left(), 6);
        bits.align();
        assert_eq!(bits.left(), 0);
        assert_eq!(bits.flag(), Err(CodecError::Truncated));
        assert_eq!(bits.skip(1), Err(CodecError::Truncated));
    }

    #[test]
    fn reads_exp_golomb_codes() {
        // 1, 010, 011, 00100, 00101
        let data = [0b1010_0110, 0b0100_0010, 0b1000_0000];
        let mut bits = BitReader::new(&data);
        let read: Vec<_> = (0..5).map(|_| bits.golomb().unwrap()).collect();
        assert_eq!(read, [0, 1, 2, 3, 4]);
        let mut bits = BitReader::new(&data);
        let read: Vec<_> = (0..5).map(|_| bits.signed_golomb().unwrap()).collect();
        assert_eq!(read, [0, 1, -1, 2, -2]);
    }

    #[test]
    fn reads_the_largest_exp_golomb_code_and_refuses_a_longer_one() {
        let mut largest = vec![0, 0, 0, 1];
        largest.extend([0xff; 4]);
        assert_eq!(BitReader::new(&largest).golomb(), Ok(u32::MAX - 1));
        assert!(matches!(
            BitReader::new(&[0; 9]).golomb(),
            Err(CodecError::Malformed(_))
        ));
    }

    #[test]
    fn drops_emulation_prevention_bytes_only() {
        assert_eq!(unescaped(&[0, 0, 3, 1]), [0, 0, 1]);
        assert_eq!(unescaped(&[0, 0, 3, 0, 0, 3, 2]), [0, 0, 0, 0, 2]);
        assert_eq!(unescaped(&[0, 3, 0, 1, 3]), [0, 3, 0, 1, 3]);
        assert_eq!(unescaped(&[0, 0, 3]), [0, 0]);
    }
}
