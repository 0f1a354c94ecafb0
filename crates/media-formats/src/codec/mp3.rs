//! MPEG audio layer III: the four-byte header of every frame (ISO/IEC 11172-3 2.4.2.3).

use super::CodecError;

/// The name HLS has for MP3. Chromium's media source takes MP3 inside MP4 under no name at all.
pub(super) const CODEC_STRING: &str = "mp4a.40.34";

/// How an MP3 stream is coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mp3Config {
    sample_rate: u32,
    channels: u16,
    is_first_generation: bool,
}

impl Mp3Config {
    /// Reads the header at the start of a frame.
    ///
    /// # Errors
    /// If there is no header, or it belongs to another layer.
    pub fn parse(frame: &[u8]) -> Result<Self, CodecError> {
        let [first, second, third, fourth, ..] = *frame else {
            return Err(CodecError::Truncated);
        };
        if first != 0xff || second & 0xe0 != 0xe0 {
            return Err(CodecError::Malformed("no MPEG audio frame"));
        }
        match (second >> 1) & 3 {
            0 => return Err(CodecError::Malformed("an unknown MPEG audio layer")),
            1 => {}
            _ => return Err(CodecError::Unsupported("MPEG audio of layer I or II")),
        }
        if third >> 4 == 0xf {
            return Err(CodecError::Malformed("an impossible MP3 bit rate"));
        }
        let rate: u32 = match (third >> 2) & 3 {
            0 => 44_100,
            1 => 48_000,
            2 => 32_000,
            _ => return Err(CodecError::Malformed("an unknown MP3 sample rate")),
        };
        let (divisor, is_first_generation) = match (second >> 3) & 3 {
            0 => (4, false), // MPEG-2.5
            2 => (2, false), // MPEG-2
            3 => (1, true),  // MPEG-1
            _ => return Err(CodecError::Malformed("an unknown MPEG audio version")),
        };
        let is_mono = fourth >> 6 == 3;
        Ok(Self {
            sample_rate: rate / divisor,
            channels: if is_mono { 1 } else { 2 },
            is_first_generation,
        })
    }

    /// Samples per second.
    #[must_use]
    pub fn sample_rate(&self) -> u32 {
        self.sample_rate
    }

    /// Number of channels.
    #[must_use]
    pub fn channels(&self) -> u16 {
        self.channels
    }

    /// Samples per channel in one frame.
    #[must_use]
    pub fn frame_samples(&self) -> u32 {
        if self.is_first_generation { 1152 } else { 576 }
    }

    /// The MP4 object type: MPEG-1 audio, or MPEG-2 audio for the lower rates.
    pub(crate) fn object_type(&self) -> u8 {
        if self.is_first_generation { 0x6b } else { 0x69 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rate_channels_and_frame_length_of_every_generation() {
        let rows = [
            ([0xff, 0xfb, 0x90, 0x64], 44_100, 2, 1152), // MPEG-1, joint stereo
            ([0xff, 0xfb, 0x94, 0xc4], 48_000, 1, 1152), // MPEG-1, mono
            ([0xff, 0xfa, 0x98, 0x00], 32_000, 2, 1152), // MPEG-1 with a checksum
            ([0xff, 0xf3, 0x80, 0xc4], 22_050, 1, 576),  // MPEG-2
            ([0xff, 0xe3, 0x48, 0x80], 8_000, 2, 576),   // MPEG-2.5
        ];
        for (header, rate, channels, samples) in rows {
            let config = Mp3Config::parse(&header).unwrap();
            assert_eq!(
                (
                    config.sample_rate(),
                    config.channels(),
                    config.frame_samples()
                ),
                (rate, channels, samples),
                "{header:02x?}"
            );
        }
    }

    #[test]
    fn refuses_what_is_no_layer_iii_header() {
        assert_eq!(
            Mp3Config::parse(&[0xff, 0xfb, 0x90]),
            Err(CodecError::Truncated)
        );
        let malformed = [
            [0x49, 0x44, 0x33, 0x03], // an ID3 tag
            [0xff, 0xf9, 0x50, 0x80], // ADTS
            [0xff, 0xfb, 0xf0, 0x64], // bit rate 15
            [0xff, 0xfb, 0x9c, 0x64], // sample rate 3
            [0xff, 0xeb, 0x90, 0x64], // version 1
        ];
        for header in malformed {
            assert!(
                matches!(Mp3Config::parse(&header), Err(CodecError::Malformed(_))),
                "{header:02x?}"
            );
        }
        let layer_two = Mp3Config::parse(&[0xff, 0xfd, 0x90, 0x64]);
        assert!(matches!(layer_two, Err(CodecError::Unsupported(_))));
    }
}
