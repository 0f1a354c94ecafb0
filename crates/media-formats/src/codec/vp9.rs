//! VP9: the configuration record and the header of a key frame.
//!
//! The record (`vpcC`, "VP Codec ISO Media File Format Binding" 1.0) has the level, a key frame has everything else,
//! so a configuration is built from a key frame and an optional record.

use bytes::{BufMut, Bytes, BytesMut};

use super::CodecError;
use super::bits::BitReader;
use super::sps::{Colour, MAX_PICTURE_SIDE};

/// What is fixed by the formats.
mod format {
    /// Colour as it is where nobody says (ISO/IEC 23091-2: unspecified).
    pub(super) const UNSPECIFIED: u8 = 2;
    /// The level of what is larger than all others allow.
    pub(super) const HIGHEST_LEVEL: u8 = 62;
}

/// Levels by the largest picture in pixels that they allow (VP9 levels, webmproject.org/vp9/levels).
const LEVEL_BY_PIXELS: [(u32, u8); 9] = [
    (36_864, 10),
    (73_728, 11),
    (122_880, 20),
    (245_760, 21),
    (552_960, 30),
    (983_040, 31),
    (2_228_224, 40),
    (8_912_896, 50),
    (35_651_584, 60),
];

/// What a configuration record adds to the data of key frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    level: u8,
    chroma: u8,
    colour: Colour,
}

impl Record {
    /// Parses a configuration record, with or without the version and flags that files have before it.
    ///
    /// # Errors
    /// If it ends early or is of an unknown kind.
    pub fn parse(record: &[u8]) -> Result<Self, CodecError> {
        // No record begins like this: its third byte would mean a bit depth of zero.
        let body = record.strip_prefix(&[1, 0, 0, 0]).unwrap_or(record);
        let [profile, level, format, primaries, transfer, matrix] =
            *body.first_chunk::<6>().ok_or(CodecError::Truncated)?;
        if profile > 3 || !matches!(format >> 4, 8 | 10 | 12) {
            return Err(CodecError::Malformed("an unknown VP9 profile"));
        }
        Ok(Self {
            level,
            chroma: format >> 1 & 7,
            colour: Colour {
                primaries,
                transfer,
                matrix,
                is_full_range: format & 1 == 1,
            },
        })
    }
}

/// How a VP9 stream is coded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vp9Config {
    profile: u8,
    level: u8,
    depth: u8,
    /// 0 and 1 4:2:0, 2 4:2:2, 3 4:4:4.
    chroma: u8,
    colour: Colour,
    width: u32,
    height: u32,
}

impl Vp9Config {
    /// Builds a configuration from a key frame and an optional record; `None` if the frame is not a key frame.
    ///
    /// # Errors
    /// If the frame is not VP9, or cannot be carried.
    pub fn from_frame(record: Option<&Record>, frame: &[u8]) -> Result<Option<Self>, CodecError> {
        let bits = &mut BitReader::new(frame);
        let Some(profile) = key_frame_profile(bits)? else {
            return Ok(None);
        };
        if bits.bits(24)? != 0x49_83_42 {
            return Err(CodecError::Malformed("no VP9 key frame"));
        }
        let depth = match (profile >= 2, profile >= 2 && bits.flag()?) {
            (false, _) => 8,
            (true, false) => 10,
            (true, true) => 12,
        };
        let (colour, subsampling) = colours(bits, profile)?;
        let width = bits.bits(16)? + 1;
        let height = bits.bits(16)? + 1;
        if width > MAX_PICTURE_SIDE || height > MAX_PICTURE_SIDE {
            return Err(CodecError::Malformed("a picture that is too large"));
        }
        let chroma = match subsampling {
            (true, true) => record.map_or(1, |record| record.chroma.min(1)),
            (true, false) => 2,
            (false, false) => 3,
            (false, true) => return Err(CodecError::Unsupported("VP9 with 4:4:0 colours")),
        };
        let pixels = width * height;
        let by_size = LEVEL_BY_PIXELS.iter().find(|(most, _)| pixels <= *most);
        let by_size = by_size.map_or(format::HIGHEST_LEVEL, |(_, level)| *level);
        let said = record.map(|record| record.level).filter(|level| *level > 0);
        let described = record
            .map(|record| record.colour)
            .filter(|colour| colour.primaries != format::UNSPECIFIED);
        Ok(Some(Self {
            profile,
            level: said.unwrap_or(by_size),
            depth,
            chroma,
            colour: Colour {
                is_full_range: colour.is_full_range,
                ..described.unwrap_or(colour)
            },
            width,
            height,
        }))
    }

    /// Width in pixels.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The colour description, if any.
    pub(super) fn colour(&self) -> Option<Colour> {
        (self.colour.primaries != format::UNSPECIFIED).then_some(self.colour)
    }

    /// The record in its form for files, after its version and flags.
    pub(crate) fn file_record(&self) -> Bytes {
        let mut record = BytesMut::with_capacity(8);
        record.put_slice(&[
            self.profile,
            self.level,
            self.depth << 4 | self.chroma << 1 | u8::from(self.colour.is_full_range),
            self.colour.primaries,
            self.colour.transfer,
            self.colour.matrix,
        ]);
        record.put_u16(0); // nothing to initialise
        record.freeze()
    }

    /// The name in a playlist ("VP Codec ISO Media File Format Binding", Codecs Parameter String).
    pub(super) fn codec_string(&self) -> String {
        let Self {
            profile,
            level,
            depth,
            chroma,
            colour,
            ..
        } = self;
        let name = format!("vp09.{profile:02}.{level:02}.{depth:02}");
        // Either all optional fields are present, or none if all have their defaults.
        let is_plain = *chroma == 1
            && !colour.is_full_range
            && self
                .colour()
                .is_none_or(|c| (c.primaries, c.transfer, c.matrix) == (1, 1, 1));
        if is_plain {
            return name;
        }
        format!(
            "{name}.{chroma:02}.{:02}.{:02}.{:02}.{:02}",
            colour.primaries,
            colour.transfer,
            colour.matrix,
            u8::from(colour.is_full_range),
        )
    }
}

/// Whether decoding can start at this frame.
#[must_use]
pub fn is_key(frame: &[u8]) -> bool {
    matches!(key_frame_profile(&mut BitReader::new(frame)), Ok(Some(_)))
}

/// Parses the start of the uncompressed header (VP9 6.2) up to the sync code; returns the profile of a key frame.
fn key_frame_profile(bits: &mut BitReader<'_>) -> Result<Option<u8>, CodecError> {
    if bits.small(2)? != 2 {
        return Err(CodecError::Malformed("no VP9 frame"));
    }
    let low = bits.small(1)?;
    let profile = bits.small(1)? << 1 | low;
    if profile == 3 && bits.flag()? {
        return Err(CodecError::Malformed("an unknown VP9 profile"));
    }
    let repeats = bits.flag()?;
    if repeats || bits.flag()? {
        return Ok(None);
    }
    bits.skip(2)?; // show_frame, error_resilient_mode
    Ok(Some(profile))
}

/// Colours, and whether chroma is halved across and down.
fn colours(bits: &mut BitReader<'_>, profile: u8) -> Result<(Colour, (bool, bool)), CodecError> {
    let is_odd = profile & 1 == 1;
    let space = bits.small(3)?;
    let [primaries, transfer, matrix] = match space {
        1 | 3 => [6, 6, 6],
        2 => [1, 1, 1],
        4 => [7, 7, 7],
        5 => [9, 14, 9],
        7 => [1, 13, 0],
        _ => [format::UNSPECIFIED; 3],
    };
    let is_rgb = space == 7;
    let is_full_range = is_rgb || bits.flag()?;
    let subsampling = match (is_rgb, is_odd) {
        (true, false) => return Err(CodecError::Malformed("RGB in a profile without it")),
        (true, true) => (false, false),
        (false, true) => (bits.flag()?, bits.flag()?),
        (false, false) => (true, true),
    };
    if is_odd {
        bits.flag()?; // reserved
    }
    let colour = Colour {
        primaries,
        transfer,
        matrix,
        is_full_range,
    };
    Ok((colour, subsampling))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::tests::hex;

    /// What libvpx 1.12 makes of a picture of 320 × 180, and the record as ffmpeg 5.1 puts it into files.
    const KEY: &str = "824983420013f00b360638241c184a00";
    const RECORD: &str = "01000000000b820202020000";

    fn config(record: Option<&str>, frame: &str) -> Vp9Config {
        let record = record.map(|record| Record::parse(&hex(record)).unwrap());
        let config = Vp9Config::from_frame(record.as_ref(), &hex(frame));
        config.unwrap().unwrap()
    }

    #[test]
    fn reads_size_and_depth_off_a_key_frame_and_the_level_off_the_record() {
        let made = config(Some(RECORD), KEY);
        assert_eq!((made.width(), made.height()), (320, 180));
        assert_eq!((made.depth, made.level, made.chroma), (8, 11, 1));
        assert_eq!(made.colour(), None);
        assert_eq!(made.file_record(), hex(RECORD)[4..]);
        // Some senders leave out the version and flags, others send no record at all.
        assert_eq!(config(Some(&RECORD[8..]), KEY), made);
        assert_eq!(config(None, KEY), made);
    }

    #[test]
    fn names_the_stream_as_the_binding_of_vp9_to_iso_files_does() {
        // According to "VP Codec ISO Media File Format Binding" 1.0: the short form and the full one.
        let mut config = config(Some(RECORD), KEY);
        config.level = 10;
        assert_eq!(config.codec_string(), "vp09.00.10.08");
        config.colour.is_full_range = true;
        assert_eq!(config.codec_string(), "vp09.00.10.08.01.02.02.02.01");
        config.colour.is_full_range = false;
        config.chroma = 0;
        assert_eq!(config.codec_string(), "vp09.00.10.08.00.02.02.02.00");
        config.chroma = 1;
        config.profile = 2;
        config.depth = 10;
        config.colour = Colour {
            primaries: 9,
            transfer: 16,
            matrix: 9,
            is_full_range: true,
        };
        assert_eq!(config.codec_string(), "vp09.02.10.10.01.09.16.09.01");
    }

    #[test]
    fn only_key_frames_describe_the_stream() {
        assert!(is_key(&hex(KEY)));
        // An inter frame, a repeated one, something else, nothing.
        for frame in ["8600", "8800", "4200", ""] {
            assert!(!is_key(&hex(frame)), "{frame}");
        }
        assert_eq!(Vp9Config::from_frame(None, &hex("8600")), Ok(None));
    }

    #[test]
    fn refuses_what_is_cut_short_or_no_vp9() {
        let key = hex(KEY);
        for length in 0..9 {
            let read = Vp9Config::from_frame(None, &key[..length]);
            assert_eq!(read, Err(CodecError::Truncated), "{length}");
        }
        let mut other = key;
        other[1] = 0;
        assert!(matches!(
            Vp9Config::from_frame(None, &other),
            Err(CodecError::Malformed(_))
        ));
        assert_eq!(Record::parse(&[0; 5]), Err(CodecError::Truncated));
        assert!(Record::parse(&[0; 8]).is_err());
    }
}
