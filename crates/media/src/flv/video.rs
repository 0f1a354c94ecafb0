//! Video tag bodies.

use bytes::{Buf, Bytes};

use super::FlvError;
use super::fourcc::{self, Packet, Wrappers};

/// What a video message carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VideoTag {
    /// An AVCDecoderConfigurationRecord.
    Config(Bytes),
    /// One coded picture.
    Frame {
        /// Whether the sender calls it a key frame.
        is_key: bool,
        /// Presentation time minus decoding time.
        composition_ms: i32,
        /// The coded bytes, NAL units with length prefixes if the sender is in order.
        data: Bytes,
    },
    /// The sender says that no more pictures follow.
    End,
    /// Nothing to show: empty bodies, commands, colour metadata, further tracks.
    Ignored,
    /// A codec we do not take, by name.
    Unsupported(String),
}

const COMMAND_FRAME: u8 = 5;

/// Reads the body of a video message or tag.
pub fn video(mut body: Bytes) -> Result<VideoTag, FlvError> {
    let Ok(head) = body.try_get_u8() else {
        return Ok(VideoTag::Ignored);
    };
    let is_enhanced = head & 0x80 != 0;
    let frame_type = head >> 4 & 0x07;
    if is_enhanced {
        return enhanced(frame_type, head & 0x0f, body);
    }
    if frame_type == COMMAND_FRAME {
        return Ok(VideoTag::Ignored);
    }
    match head & 0x0f {
        7 => avc(is_key(frame_type), body),
        codec => Ok(VideoTag::Unsupported(legacy_name(codec))),
    }
}

fn is_key(frame_type: u8) -> bool {
    matches!(frame_type, 1 | 4)
}

/// AVCVIDEOPACKET: a kind, a signed 24-bit composition time, the payload.
fn avc(is_key: bool, mut body: Bytes) -> Result<VideoTag, FlvError> {
    let kind = body
        .try_get_u8()
        .map_err(|_| FlvError::Truncated("H.264 header"))?;
    match kind {
        0 => {
            composition(&mut body)?;
            Ok(config(body))
        }
        1 => {
            let composition_ms = composition(&mut body)?;
            Ok(frame(is_key, composition_ms, body))
        }
        2 => Ok(VideoTag::End),
        _ => Ok(VideoTag::Ignored),
    }
}

fn enhanced(frame_type: u8, kind: u8, body: Bytes) -> Result<VideoTag, FlvError> {
    const METADATA: u8 = 4;
    const WRAPPERS: Wrappers = Wrappers {
        multitrack: 6,
        modifiers: 7,
    };
    if frame_type == COMMAND_FRAME && kind != METADATA {
        return Ok(VideoTag::Ignored);
    }
    let Some(packet) = fourcc::packet(kind, body, WRAPPERS)? else {
        return Ok(VideoTag::Ignored);
    };
    let Packet {
        kind,
        codec,
        mut body,
    } = packet;
    if &codec != b"avc1" {
        let name = fourcc::name(codec);
        return Ok(VideoTag::Unsupported(name));
    }
    match kind {
        0 => Ok(config(body)),
        1 => {
            let composition_ms = composition(&mut body)?;
            Ok(frame(is_key(frame_type), composition_ms, body))
        }
        2 => Ok(VideoTag::End),
        3 => Ok(frame(is_key(frame_type), 0, body)),
        _ => Ok(VideoTag::Ignored),
    }
}

/// ffmpeg announces parameters before it has them; an empty announcement is none.
fn config(record: Bytes) -> VideoTag {
    if record.is_empty() {
        return VideoTag::Ignored;
    }
    VideoTag::Config(record)
}

fn frame(is_key: bool, composition_ms: i32, data: Bytes) -> VideoTag {
    if data.is_empty() {
        return VideoTag::Ignored;
    }
    VideoTag::Frame {
        is_key,
        composition_ms,
        data,
    }
}

fn composition(body: &mut Bytes) -> Result<i32, FlvError> {
    let high = body
        .try_get_i8()
        .map_err(|_| FlvError::Truncated("composition time"))?;
    let low = body
        .try_get_u16()
        .map_err(|_| FlvError::Truncated("composition time"))?;
    Ok(i32::from(high) << 16 | i32::from(low))
}

fn legacy_name(codec: u8) -> String {
    match codec {
        1 => "JPEG".to_owned(),
        2 => "Sorenson H.263".to_owned(),
        3 | 6 => "Screen Video".to_owned(),
        4 | 5 => "VP6".to_owned(),
        12 => "HEVC (H.265)".to_owned(),
        13 => "AV1".to_owned(),
        other => format!("codec {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &'static [u8]) -> VideoTag {
        video(Bytes::from_static(body)).unwrap()
    }

    fn frame_of(is_key: bool, composition_ms: i32, data: &'static [u8]) -> VideoTag {
        VideoTag::Frame {
            is_key,
            composition_ms,
            data: Bytes::from_static(data),
        }
    }

    #[test]
    fn reads_the_three_kinds_of_h264_packet() {
        assert_eq!(
            read(b"\x17\x00\0\0\0\x01\x64"),
            VideoTag::Config(Bytes::from_static(b"\x01\x64"))
        );
        assert_eq!(read(b"\x17\x01\0\0\x21nal"), frame_of(true, 33, b"nal"));
        assert_eq!(read(b"\x27\x01\0\0\0nal"), frame_of(false, 0, b"nal"));
        assert_eq!(read(b"\x17\x02\0\0\0"), VideoTag::End);
        assert_eq!(read(b"\x17\x02"), VideoTag::End);
    }

    #[test]
    fn extends_the_sign_of_a_composition_time() {
        assert_eq!(read(b"\x27\x01\xff\xff\xdfn"), frame_of(false, -33, b"n"));
        assert_eq!(
            read(b"\x27\x01\x80\0\0n"),
            frame_of(false, -8_388_608, b"n")
        );
        assert_eq!(
            read(b"\x27\x01\x7f\xff\xffn"),
            frame_of(false, 8_388_607, b"n")
        );
    }

    #[test]
    fn takes_h264_by_its_fourcc() {
        assert_eq!(
            read(b"\x90avc1\x01\x64"),
            VideoTag::Config(Bytes::from_static(b"\x01\x64"))
        );
        assert_eq!(read(b"\x91avc1\0\0\x21nal"), frame_of(true, 33, b"nal"));
        assert_eq!(read(b"\xa3avc1nal"), frame_of(false, 0, b"nal"));
        assert_eq!(read(b"\x92avc1"), VideoTag::End);
        assert_eq!(read(b"\x94avc1colour"), VideoTag::Ignored);
    }

    #[test]
    fn names_the_codec_that_is_not_taken() {
        let cases: [(&[u8], &str); 5] = [
            (b"\x90hvc1x", "HEVC (H.265)"),
            (b"\x90av01x", "AV1"),
            (b"\x1cx", "HEVC (H.265)"),
            (b"\x12x", "Sorenson H.263"),
            (b"\x90\0\xff\"zx", "codec \"\\x00\\xff\\\"z\""),
        ];
        for (body, name) in cases {
            let tag = video(Bytes::from_static(body)).unwrap();
            assert_eq!(tag, VideoTag::Unsupported(name.to_owned()));
        }
    }

    #[test]
    fn takes_the_first_track_of_several_and_leaves_the_others() {
        assert_eq!(read(b"\x96\x01avc1\0\0\0\0nal"), frame_of(true, 0, b"nal"));
        assert_eq!(read(b"\x96\x01avc1\x01\0\0\0nal"), VideoTag::Ignored);
        let two = b"\x96\x13avc1\x01\0\0\x02no\0\0\0\x03nal";
        assert_eq!(read(two), frame_of(true, 0, b"nal"));
        let mixed = b"\x96\x23hvc1\x01\0\0\x02noavc1\0\0\0\x03nal";
        assert_eq!(read(mixed), frame_of(true, 0, b"nal"));
    }

    #[test]
    fn skips_modifiers_before_the_codec() {
        assert_eq!(read(b"\x97\x02abc\x03avc1nal"), frame_of(true, 0, b"nal"));
        let mut long = b"\x97\xff\x01\x00".to_vec();
        long.extend([0; 257]);
        long.extend(b"\x03avc1nal");
        assert_eq!(video(long.into()).unwrap(), frame_of(true, 0, b"nal"));
    }

    #[test]
    fn ignores_what_shows_no_picture() {
        for body in [
            &b""[..],
            b"\x57\0",
            b"\xd0\0",
            b"\x17\x01\0\0\0",
            b"\x17\x07",
            b"\x17\x00\0\0\0",
            b"\x90avc1",
        ] {
            let tag = video(Bytes::copy_from_slice(body)).unwrap();
            assert_eq!(tag, VideoTag::Ignored, "{body:x?}");
        }
    }

    #[test]
    fn says_what_is_cut_short() {
        let bodies: [&[u8]; 7] = [
            b"\x17",
            b"\x17\x01\0\0",
            b"\x90av",
            b"\x91avc1\0",
            b"\x97\x05ab",
            b"\x96\x11avc1\0\0\0\x09x",
            b"\x97",
        ];
        for body in bodies {
            let error = video(Bytes::from_static(body)).unwrap_err();
            assert!(matches!(error, FlvError::Truncated(_)), "{body:x?}");
        }
    }
}
