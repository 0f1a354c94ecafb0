//! Video tag bodies.

use bytes::{Buf, Bytes};

use super::FlvError;
use super::fourcc::{self, FurtherTracks, Packet, Wrappers};

/// The supported video codecs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VideoCodec {
    /// H.264; its parameters are an AVCDecoderConfigurationRecord.
    Avc,
    /// HEVC; its parameters are an HEVCDecoderConfigurationRecord.
    Hevc,
    /// AV1; its parameters are an AV1CodecConfigurationRecord.
    Av1,
    /// VP9; its parameters are a VPCodecConfigurationRecord.
    Vp9,
}

impl VideoCodec {
    /// Whether frames may be shown in another order than they are decoded, with composition times.
    fn has_composition(self) -> bool {
        matches!(self, Self::Avc | Self::Hevc)
    }
}

/// Codecs of pictures by their FourCC.
pub(crate) const FOURCCS: [(&[u8; 4], VideoCodec); 4] = [
    (b"avc1", VideoCodec::Avc),
    (b"hvc1", VideoCodec::Hevc),
    (b"av01", VideoCodec::Av1),
    (b"vp09", VideoCodec::Vp9),
];

/// What a video message carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VideoTag {
    /// The parameters of a codec.
    Config {
        codec: VideoCodec,
        /// Its decoder configuration record.
        record: Bytes,
    },
    /// One coded picture.
    Frame {
        codec: VideoCodec,
        /// Whether the publisher marks it as a key frame.
        is_key: bool,
        /// Presentation time minus decoding time.
        composition_ms: i32,
        /// The coded bytes: length-prefixed NAL units from correct publishers, OBUs, or a VP9 frame.
        data: Bytes,
    },
    /// The publisher announces that no more pictures follow.
    End,
    /// Nothing to show: empty bodies, commands, colour metadata.
    Ignored,
    /// Content of a further track; only the first is used.
    OtherTrack,
    /// An unsupported codec, by name.
    Unsupported(String),
}

const COMMAND_FRAME: u8 = 5;
const WRAPPERS: Wrappers = Wrappers {
    multitrack: 6,
    modifiers: 7,
};

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
        7 => legacy(VideoCodec::Avc, is_key(frame_type), body),
        // Not in any specification, but encoders used it before there was a FourCC.
        12 => legacy(VideoCodec::Hevc, is_key(frame_type), body),
        codec => Ok(VideoTag::Unsupported(legacy_name(codec))),
    }
}

/// The further tracks in the body of a video message, whatever they contain.
#[must_use]
pub fn further_video_tracks(body: &Bytes) -> FurtherTracks {
    match body.first() {
        Some(head) if head & 0x80 != 0 => fourcc::further(head & 0x0f, body.slice(1..), WRAPPERS),
        _ => FurtherTracks::default(),
    }
}

fn is_key(frame_type: u8) -> bool {
    matches!(frame_type, 1 | 4)
}

/// AVCVIDEOPACKET: a kind, a signed 24-bit composition time, the payload.
fn legacy(codec: VideoCodec, is_key: bool, mut body: Bytes) -> Result<VideoTag, FlvError> {
    let kind = body
        .try_get_u8()
        .map_err(|_| FlvError::Truncated("video header"))?;
    match kind {
        0 => {
            composition(&mut body)?;
            Ok(config(codec, body))
        }
        1 => {
            let composition_ms = composition(&mut body)?;
            Ok(frame(codec, is_key, composition_ms, body))
        }
        2 => Ok(VideoTag::End),
        _ => Ok(VideoTag::Ignored),
    }
}

fn enhanced(frame_type: u8, kind: u8, body: Bytes) -> Result<VideoTag, FlvError> {
    const METADATA: u8 = 4;
    if frame_type == COMMAND_FRAME && kind != METADATA {
        return Ok(VideoTag::Ignored);
    }
    let Some(packet) = fourcc::packet(kind, body, WRAPPERS)? else {
        return Ok(VideoTag::OtherTrack);
    };
    let Packet {
        kind,
        codec,
        mut body,
    } = packet;
    let Some(known) = by_fourcc(codec) else {
        return Ok(VideoTag::Unsupported(fourcc::name(codec)));
    };
    let is_key = is_key(frame_type);
    match kind {
        0 => Ok(config(known, body)),
        1 if known.has_composition() => {
            let composition_ms = composition(&mut body)?;
            Ok(frame(known, is_key, composition_ms, body))
        }
        1 | 3 => Ok(frame(known, is_key, 0, body)),
        2 => Ok(VideoTag::End),
        _ => Ok(VideoTag::Ignored),
    }
}

fn by_fourcc(fourcc: [u8; 4]) -> Option<VideoCodec> {
    FOURCCS
        .iter()
        .find(|(known, _)| **known == fourcc)
        .map(|(_, codec)| *codec)
}

/// ffmpeg announces parameters before it has them; an empty announcement does not count.
fn config(codec: VideoCodec, record: Bytes) -> VideoTag {
    if record.is_empty() {
        return VideoTag::Ignored;
    }
    VideoTag::Config { codec, record }
}

fn frame(codec: VideoCodec, is_key: bool, composition_ms: i32, data: Bytes) -> VideoTag {
    if data.is_empty() {
        return VideoTag::Ignored;
    }
    VideoTag::Frame {
        codec,
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
        coded(VideoCodec::Avc, is_key, composition_ms, data)
    }

    fn coded(
        codec: VideoCodec,
        is_key: bool,
        composition_ms: i32,
        data: &'static [u8],
    ) -> VideoTag {
        VideoTag::Frame {
            codec,
            is_key,
            composition_ms,
            data: Bytes::from_static(data),
        }
    }

    fn config_of(codec: VideoCodec, record: &'static [u8]) -> VideoTag {
        VideoTag::Config {
            codec,
            record: Bytes::from_static(record),
        }
    }

    #[test]
    fn reads_the_three_kinds_of_h264_packet() {
        assert_eq!(
            read(b"\x17\x00\0\0\0\x01\x64"),
            config_of(VideoCodec::Avc, b"\x01\x64")
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
            config_of(VideoCodec::Avc, b"\x01\x64")
        );
        assert_eq!(read(b"\x91avc1\0\0\x21nal"), frame_of(true, 33, b"nal"));
        assert_eq!(read(b"\xa3avc1nal"), frame_of(false, 0, b"nal"));
        assert_eq!(read(b"\x92avc1"), VideoTag::End);
        assert_eq!(read(b"\x94avc1colour"), VideoTag::Ignored);
    }

    #[test]
    fn takes_hevc_by_its_fourcc_and_by_its_old_number() {
        let hevc = VideoCodec::Hevc;
        assert_eq!(read(b"\x90hvc1\x01"), config_of(hevc, b"\x01"));
        assert_eq!(read(b"\x91hvc1\0\0\x21n"), coded(hevc, true, 33, b"n"));
        assert_eq!(read(b"\xa3hvc1n"), coded(hevc, false, 0, b"n"));
        assert_eq!(read(b"\x1c\x00\0\0\0\x01"), config_of(hevc, b"\x01"));
        assert_eq!(
            read(b"\x2c\x01\xff\xff\xdfn"),
            coded(hevc, false, -33, b"n")
        );
        assert_eq!(read(b"\x1c\x02\0\0\0"), VideoTag::End);
    }

    #[test]
    fn takes_av1_and_vp9_by_their_fourcc_and_without_a_composition_time() {
        for (fourcc, codec) in [(b"av01", VideoCodec::Av1), (b"vp09", VideoCodec::Vp9)] {
            let body = |head: u8| Bytes::from([&[head][..], fourcc, b"data"].concat());
            let expected = config_of(codec, b"data");
            assert_eq!(video(body(0x90)).unwrap(), expected);
            let expected = coded(codec, true, 0, b"data");
            assert_eq!(video(body(0x91)).unwrap(), expected);
            let expected = coded(codec, false, 0, b"data");
            assert_eq!(video(body(0xa3)).unwrap(), expected);
            assert_eq!(video(body(0x92)).unwrap(), VideoTag::End);
            assert_eq!(video(body(0x95)).unwrap(), VideoTag::Ignored);
        }
    }

    #[test]
    fn names_the_codec_that_is_not_taken() {
        let cases: [(&[u8], &str); 5] = [
            (b"\x90vvc1x", "VVC (H.266)"),
            (b"\x90vp08x", "VP8"),
            (b"\x1dx", "AV1"),
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
        assert_eq!(read(b"\x96\x01avc1\x01\0\0\0nal"), VideoTag::OtherTrack);
        // The content of a further track does not matter.
        assert_eq!(read(b"\x96\x01vvc1\x01nal"), VideoTag::OtherTrack);
        let two = b"\x96\x13avc1\x01\0\0\x02no\0\0\0\x03nal";
        assert_eq!(read(two), frame_of(true, 0, b"nal"));
        let mixed = b"\x96\x23hvc1\x01\0\0\x02noavc1\0\0\0\x03nal";
        assert_eq!(read(mixed), frame_of(true, 0, b"nal"));
    }

    #[test]
    fn counts_the_further_tracks_in_whatever_form_they_come() {
        let count = |body: &'static [u8]| further_video_tracks(&Bytes::from_static(body)).count();
        assert_eq!(count(b"\x17\x01\0\0\0nal"), 0);
        assert_eq!(count(b"\x91avc1\0\0\0nal"), 0);
        assert_eq!(count(b"\x96\x01avc1\0\0\0\0nal"), 0);
        assert_eq!(count(b"\x96\x01vvc1\x01nal"), 1);
        assert_eq!(count(b"\x97\x02abc\x06\x01avc1\xffnal"), 1);
        assert_eq!(count(b"\x96\x13avc1\x01\0\0\x02no\0\0\0\x03nal"), 1);
        // A truncated packet counts as far as it goes.
        assert_eq!(
            count(b"\x96\x23hvc1\x01\0\0\x02noavc1\xc8\0\0\x03nalav01\x03\0\0\x09"),
            2
        );
        let one = further_video_tracks(&Bytes::from_static(b"\x96\x01avc1\x01n"));
        let other = further_video_tracks(&Bytes::from_static(b"\x96\x01avc1\x80n"));
        assert_eq!(one.and(other).and(one).count(), 2);
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
