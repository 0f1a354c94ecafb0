//! Opus: the identification header (RFC 7845 section 5.1), and the duration of a packet (RFC 6716 section 3.1).
//!
//! Files declare how many samples a decoder needs before the sound begins (`PreSkip`), and an edit list cuts them off.
//! We write none: encoders stamp the first packet that much earlier, so its timestamps already are those of the
//! decoder's output, and an edit list would shift all of the sound ahead of the picture. Hardly any viewer gets the
//! first packet anyway.

use bytes::{BufMut, Bytes, BytesMut};

use super::CodecError;

/// The name in a playlist ("Encapsulation of Opus in ISO Base Media File Format" 4.3.1, with its capital).
pub(super) const CODEC_STRING: &str = "Opus";

/// How an Opus stream is coded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpusConfig {
    /// The header after its magic, in its form for files.
    file_record: Bytes,
    channels: u8,
    frame_samples: u32,
}

impl OpusConfig {
    /// Opus always counts in this rate, whatever was recorded.
    const SAMPLE_RATE: u32 = 48_000;
    /// Samples in the packets that encoders make unless told otherwise: 20 ms.
    const USUAL_SAMPLES: u32 = 960;

    /// Parses an identification header.
    ///
    /// # Errors
    /// If it is something else, ends early, or has a channel layout that no player knows.
    pub fn parse(header: &[u8]) -> Result<Self, CodecError> {
        let body = header
            .strip_prefix(b"OpusHead")
            .ok_or(CodecError::Malformed("no Opus header"))?;
        let (head, rest) = body
            .split_first_chunk::<11>()
            .ok_or(CodecError::Truncated)?;
        let [
            version,
            channels,
            skip_0,
            skip_1,
            rate @ ..,
            gain_0,
            gain_1,
            family,
        ] = *head;
        // The upper half is the major version; newer minor versions stay readable.
        if version & 0xf0 != 0 {
            return Err(CodecError::Malformed(
                "an unknown version of the Opus header",
            ));
        }
        let most = match family {
            0 => 2,
            1 => 8,
            _ => {
                return Err(CodecError::Unsupported(
                    "Opus without a known channel layout",
                ));
            }
        };
        if channels == 0 || channels > most {
            return Err(CodecError::Malformed("an impossible number of channels"));
        }
        let mut record = BytesMut::with_capacity(24);
        record.put_u8(0); // the version in files
        record.put_u8(channels);
        record.put_u16(u16::from_le_bytes([skip_0, skip_1]));
        record.put_u32(u32::from_le_bytes(rate));
        record.put_u16(u16::from_le_bytes([gain_0, gain_1]));
        record.put_u8(family);
        if family > 0 {
            let table = rest
                .get(..2 + usize::from(channels))
                .ok_or(CodecError::Truncated)?;
            record.put_slice(table);
        }
        Ok(Self {
            file_record: record.freeze(),
            channels,
            frame_samples: Self::USUAL_SAMPLES,
        })
    }

    /// The same stream with a known packet length.
    #[must_use]
    pub fn with_packets_of(&self, samples: u32) -> Self {
        Self {
            frame_samples: self.frame_samples.max(samples),
            ..self.clone()
        }
    }

    /// Whether both have the same header, whatever their packet lengths.
    #[must_use]
    pub fn has_header_of(&self, other: &Self) -> bool {
        self.file_record == other.file_record
    }

    /// The header in its form for files (`dOps`).
    pub(crate) fn file_record(&self) -> &Bytes {
        &self.file_record
    }

    /// Samples per second.
    #[must_use]
    pub fn sample_rate(&self) -> u32 {
        Self::SAMPLE_RATE
    }

    /// Number of channels.
    #[must_use]
    pub fn channels(&self) -> u16 {
        self.channels.into()
    }

    /// Samples per channel in the longest known packet, and at least those of the usual one.
    #[must_use]
    pub fn frame_samples(&self) -> u32 {
        self.frame_samples
    }
}

/// The number of samples in a packet.
///
/// # Errors
/// If it is empty, or declares more than a packet can hold.
pub fn packet_samples(packet: &[u8]) -> Result<u32, CodecError> {
    const LONGEST: u32 = 5_760; // 120 ms
    let contents = *packet.first().ok_or(CodecError::Empty)?;
    let configuration = contents >> 3;
    let size = usize::from(configuration & 3);
    let samples = match configuration {
        0..12 => [480, 960, 1920, 2880][size],
        12..16 => [480, 960][size & 1],
        _ => [120, 240, 480, 960][size],
    };
    let count = match contents & 3 {
        0 => 1,
        1 | 2 => 2,
        _ => u32::from(packet.get(1).ok_or(CodecError::Truncated)? & 0x3f),
    };
    let total = samples * count;
    if total == 0 || total > LONGEST {
        return Err(CodecError::Malformed(
            "an impossible length of an Opus packet",
        ));
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::tests::hex;

    /// Two channels, 312 samples to skip, 48 kHz: what libopus writes.
    const STEREO: &str = "4f707573486561640102380180bb0000000000";
    /// The same with six channels in the order of Vorbis (RFC 7845 section 5.1.1.2).
    const SURROUND: &str = "4f707573486561640106380180bb00000000010402000401020305";

    #[test]
    fn turns_the_header_into_the_one_of_files() {
        let config = OpusConfig::parse(&hex(STEREO)).unwrap();
        assert_eq!((config.sample_rate(), config.channels()), (48_000, 2));
        // As ffmpeg 5.1 writes `dOps` of the same stream.
        assert_eq!(config.file_record(), &hex("000201380000bb80000000"));
        let config = OpusConfig::parse(&hex(SURROUND)).unwrap();
        assert_eq!(config.channels(), 6);
        assert_eq!(
            config.file_record(),
            &hex("000601380000bb800000010402000401020305")
        );
    }

    #[test]
    fn knows_the_length_of_every_kind_of_packet() {
        // Rows of table 2 in RFC 6716, and the four ways to pack frames into a packet.
        let rows: [(&[u8], u32); 9] = [
            (&[0x00], 480),
            (&[0x18], 2_880),
            (&[0x60], 480),
            (&[0x68], 960),
            (&[0x80], 120),
            (&[0xfc], 960),
            (&[0xfd], 1_920),
            (&[0xfe], 1_920),
            (&[0xff, 0x03], 2_880),
        ];
        for (packet, samples) in rows {
            assert_eq!(packet_samples(packet), Ok(samples), "{packet:02x?}");
        }
        assert_eq!(packet_samples(&[]), Err(CodecError::Empty));
        assert_eq!(packet_samples(&[0xff]), Err(CodecError::Truncated));
        for packet in [[0xff, 0x00], [0xff, 0x07], [0x1b, 0x03]] {
            let read = packet_samples(&packet);
            assert!(
                matches!(read, Err(CodecError::Malformed(_))),
                "{packet:02x?}"
            );
        }
    }

    #[test]
    fn remembers_the_longest_packet_it_was_told_of() {
        let config = OpusConfig::parse(&hex(STEREO)).unwrap();
        assert_eq!(config.with_packets_of(480), config);
        let longer = config.with_packets_of(2_880);
        assert_eq!(longer.frame_samples(), 2_880);
        assert!(longer.has_header_of(&config) && longer != config);
    }

    #[test]
    fn refuses_headers_that_are_cut_short_or_of_another_kind() {
        let header = hex(SURROUND);
        for length in 0..header.len() {
            assert!(OpusConfig::parse(&header[..length]).is_err(), "{length}");
        }
        for (at, byte) in [(0, b'o'), (8, 0x10), (9, 0), (9, 9), (18, 255)] {
            let mut other = header.clone();
            other[at] = byte;
            assert!(OpusConfig::parse(&other).is_err(), "{at}");
        }
    }
}
