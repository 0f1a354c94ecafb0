//! AAC frames after an ADTS header, which some encoders send instead of raw frames
//! (ISO/IEC 13818-7 clause 6.2).

use bytes::Bytes;

use super::AacConfig;
use crate::codec::CodecError;

/// The fields of a header.
#[derive(Debug, Clone, Copy)]
struct Header {
    object_type: u8,
    rate_index: u8,
    channel_layout: u8,
    /// Bytes before the frame itself.
    size: usize,
    /// Bytes of header and frame together.
    total: usize,
}

impl Header {
    /// Bytes of a header without a checksum.
    const BYTES: usize = 7;

    fn parse(data: &[u8]) -> Option<Self> {
        let header = *data.first_chunk::<{ Self::BYTES }>()?;
        let has_sync = header[0] == 0xff && header[1] & 0xf6 == 0xf0;
        if !has_sync {
            return None;
        }
        let has_checksum = header[1] & 1 == 0;
        let total = usize::from(header[3] & 3) << 11
            | usize::from(header[4]) << 3
            | usize::from(header[5]) >> 5;
        Some(Self {
            object_type: (header[2] >> 6) + 1,
            rate_index: (header[2] >> 2) & 0xf,
            channel_layout: (header[2] & 1) << 2 | header[3] >> 6,
            size: Self::BYTES + if has_checksum { 2 } else { 0 },
            total,
        })
    }
}

/// Removes the ADTS header of a frame; any other input is returned unchanged.
///
/// A header counts only if its length matches the data, so a raw frame that begins like a header is safe.
#[must_use]
pub fn strip_adts(data: Bytes) -> Bytes {
    match Header::parse(&data) {
        Some(header) if header.total == data.len() && header.size < data.len() => {
            data.slice(header.size..)
        }
        _ => data,
    }
}

impl AacConfig {
    /// Builds the configuration from the ADTS header of a frame, for publishers that send no sequence header.
    ///
    /// # Errors
    /// If there is no header, or it has values that an `AudioSpecificConfig` cannot express.
    pub fn from_adts(data: &[u8]) -> Result<Self, CodecError> {
        let header = Header::parse(data).ok_or(CodecError::Malformed("no ADTS header"))?;
        Self::parse(&[
            header.object_type << 3 | header.rate_index >> 1,
            header.rate_index << 7 | header.channel_layout << 3,
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AAC-LC, 44,100 Hz, stereo, a frame of three bytes.
    const FRAME: [u8; 10] = [0xff, 0xf1, 0x50, 0x80, 0x01, 0x5f, 0xfc, 0x21, 0x10, 0x04];

    #[test]
    fn takes_the_header_off_a_frame() {
        assert_eq!(strip_adts(Bytes::from_static(&FRAME)), FRAME[7..]);
        let with_checksum = [0xff, 0xf0, 0x50, 0x80, 0x01, 0x5f, 0xfc, 0xaa, 0xbb, 0x04];
        assert_eq!(
            strip_adts(Bytes::copy_from_slice(&with_checksum)),
            [0x04][..]
        );
    }

    #[test]
    fn leaves_raw_frames_and_lying_headers_alone() {
        let raw = Bytes::from_static(&[0x21, 0x10, 0x04]);
        assert_eq!(strip_adts(raw.clone()), raw);
        let longer = Bytes::from([&FRAME[..], &[0]].concat());
        assert_eq!(strip_adts(longer.clone()), longer);
        let header_only = Bytes::from_static(&[0xff, 0xf1, 0x50, 0x80, 0x00, 0xff, 0xfc]);
        assert_eq!(strip_adts(header_only.clone()), header_only);
    }

    #[test]
    fn reads_the_configuration_from_the_header() {
        let config = AacConfig::from_adts(&FRAME).unwrap();
        assert_eq!(config.record()[..], [0x12, 0x10]);
        assert_eq!((config.sample_rate(), config.channels()), (44_100, 2));
        assert!(AacConfig::from_adts(&FRAME[..6]).is_err());
        assert!(AacConfig::from_adts(&FRAME[7..]).is_err());
    }
}
