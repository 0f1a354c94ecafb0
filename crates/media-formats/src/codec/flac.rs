//! FLAC: the stream information (RFC 9639 section 8.2), and the length of a frame (section 9.1).

use bytes::{BufMut, Bytes, BytesMut};

use super::CodecError;
use super::bits::BitReader;

/// The name in a playlist ("Encapsulation of FLAC in ISO Base Media File Format" 3.3.1).
pub(super) const CODEC_STRING: &str = "fLaC";
/// Sample rates that are taken, in hertz.
/// Others are refused, because browsers do not play them.
const SAMPLE_RATES: std::ops::RangeInclusive<u32> = 8_000..=192_000;

/// How a FLAC stream is coded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlacConfig {
    info: Bytes,
    sample_rate: u32,
    channels: u8,
    depth: u8,
    frame_samples: u32,
}

impl FlacConfig {
    /// Length of the stream information.
    const INFO_BYTES: usize = 34;

    /// Parses the stream information: alone, as a metadata block, or after the magic of a file.
    ///
    /// # Errors
    /// If it is something else, ends early, or describes sound that no player plays.
    pub fn parse(header: &[u8]) -> Result<Self, CodecError> {
        const BLOCK: [u8; 3] = [0, 0, 34];
        // RFC 9639 section 8.2 allows a shorter block only as the last one.
        const MIN_BLOCK: u32 = 16;
        let blocks = header.strip_prefix(b"fLaC").unwrap_or(header);
        let body = match blocks.split_first() {
            // The first bit says whether further blocks follow, the others have the block type.
            Some((kind, rest)) if kind & 0x7f == 0 && rest.starts_with(&BLOCK) => {
                rest.get(BLOCK.len()..).unwrap_or_default()
            }
            _ => blocks,
        };
        let info = body.get(..Self::INFO_BYTES).ok_or(CodecError::Truncated)?;
        let bits = &mut BitReader::new(info);
        bits.skip(16)?; // smallest block
        let frame_samples = bits.bits(16)?;
        bits.skip(48)?; // smallest and largest frame
        let sample_rate = bits.bits(20)?;
        let channels = bits.small(3)? + 1;
        let depth = bits.small(5)? + 1;
        if frame_samples < MIN_BLOCK {
            return Err(CodecError::Malformed("an impossible length of FLAC blocks"));
        }
        if !SAMPLE_RATES.contains(&sample_rate) {
            return Err(CodecError::Unsupported("FLAC at this sample rate"));
        }
        if !matches!(depth, 8 | 16 | 20 | 24 | 32) {
            return Err(CodecError::Unsupported(
                "FLAC with this many bits per sample",
            ));
        }
        Ok(Self {
            info: Bytes::copy_from_slice(info),
            sample_rate,
            channels,
            depth,
            frame_samples,
        })
    }

    /// The metadata blocks in their form for files (`dfLa`, after its version and flags).
    pub(crate) fn file_record(&self) -> Bytes {
        let mut record = BytesMut::with_capacity(4 + Self::INFO_BYTES);
        record.put_slice(&[0x80, 0, 0, 34]); // the last block, of stream information
        record.put_slice(&self.info);
        record.freeze()
    }

    /// Samples per second.
    #[must_use]
    pub fn sample_rate(&self) -> u32 {
        self.sample_rate
    }

    /// Number of channels.
    #[must_use]
    pub fn channels(&self) -> u16 {
        self.channels.into()
    }

    /// Bits per sample.
    #[must_use]
    pub fn depth(&self) -> u8 {
        self.depth
    }

    /// Samples per channel in the longest frame.
    #[must_use]
    pub fn frame_samples(&self) -> u32 {
        self.frame_samples
    }
}

/// The number of samples per channel in a frame, from its header.
///
/// # Errors
/// If it does not begin like a frame, or ends early.
pub fn frame_samples(frame: &[u8]) -> Result<u32, CodecError> {
    let [first, second, sizes, ..] = *frame else {
        return Err(CodecError::Truncated);
    };
    if first != 0xff || second & 0xfe != 0xf8 {
        return Err(CodecError::Malformed("no FLAC frame"));
    }
    match sizes >> 4 {
        0 => Err(CodecError::Malformed("an unknown length of a FLAC frame")),
        1 => Ok(192),
        code @ 2..=5 => Ok(576 << (code - 2)),
        6 => Ok(u32::from(*behind_number(frame, 1)?.first().unwrap_or(&0)) + 1),
        7 => {
            let size = behind_number(frame, 2)?;
            let less = size
                .iter()
                .fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
            Ok(less + 1)
        }
        code => Ok(256 << (code - 8)),
    }
}

/// The bytes after the frame number, which is coded like a UTF-8 character.
fn behind_number(frame: &[u8], count: usize) -> Result<&[u8], CodecError> {
    const NUMBER_AT: usize = 4;
    let first = frame.get(NUMBER_AT).ok_or(CodecError::Truncated)?;
    let length = match first.leading_ones() {
        0 => 1,
        ones @ 2..=7 => ones as usize,
        _ => return Err(CodecError::Malformed("no FLAC frame")),
    };
    let start = NUMBER_AT + length;
    frame.get(start..start + count).ok_or(CodecError::Truncated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::tests::hex;

    /// What ffmpeg 5.1 makes of two channels at 44.1 kHz, and the beginning of its first frame.
    const INFO: &str = "120012000004a30005080ac442f0000022745d105ceb212ad5d36e4f5608def3d8b7";
    const FRAME: &str = "fff85988008a4e000000b501";

    #[test]
    fn reads_the_stream_information_in_every_wrapping() {
        let alone = FlacConfig::parse(&hex(INFO)).unwrap();
        assert_eq!((alone.sample_rate(), alone.channels()), (44_100, 2));
        assert_eq!((alone.depth(), alone.frame_samples()), (16, 4_608));
        for wrapping in [
            "80000022",
            "664c614380000022",
            "664c614300000022",
            "664c6143",
        ] {
            let header = hex(&format!("{wrapping}{INFO}"));
            assert_eq!(
                FlacConfig::parse(&header).as_ref(),
                Ok(&alone),
                "{wrapping}"
            );
        }
        // As ffmpeg writes `dfLa` of the same stream, behind version and flags.
        assert_eq!(alone.file_record(), hex(&format!("80000022{INFO}")));
    }

    #[test]
    fn knows_the_length_of_every_kind_of_frame() {
        // Rows of table 14 in RFC 9639.
        let rows = [
            (FRAME, 4_608),
            ("fff81988", 192),
            ("fff82988", 576),
            ("fff8c988", 4_096),
            ("fff8f988", 32_768),
            ("fff8698800ff", 256),
            ("fff86988c28007", 8),
            ("fff97988001fff", 8_192),
        ];
        for (frame, samples) in rows {
            assert_eq!(frame_samples(&hex(frame)), Ok(samples), "{frame}");
        }
        for frame in ["fff8", "fff86988", "fff8698800", "fff8798800ff"] {
            let read = frame_samples(&hex(frame));
            assert_eq!(read, Err(CodecError::Truncated), "{frame}");
        }
        for frame in ["fffb9064", "fff80988", "fff8698880ff", "fff86988ffff"] {
            let read = frame_samples(&hex(frame));
            assert!(matches!(read, Err(CodecError::Malformed(_))), "{frame}");
        }
    }

    #[test]
    fn refuses_stream_information_that_is_cut_short_or_impossible() {
        let info = hex(INFO);
        for length in 0..info.len() {
            let read = FlacConfig::parse(&info[..length]);
            assert_eq!(read, Err(CodecError::Truncated), "{length}");
        }
        // Blocks of no samples; no sample rate; a depth of 15 bits.
        for (range, byte) in [(2..4, 0), (10..12, 0), (13..14, 0xe0)] {
            let mut other = info.clone();
            other[range.clone()].fill(byte);
            assert!(FlacConfig::parse(&other).is_err(), "{range:?}");
        }
    }
}
