//! Audio tag bodies.

use bytes::{Buf, Bytes};

use super::FlvError;
use super::fourcc::{self, Packet, Wrappers};

/// What an audio message carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AudioTag {
    /// An AudioSpecificConfig.
    Config(Bytes),
    /// One AAC access unit.
    Aac(Bytes),
    /// One or more MP3 frames.
    Mp3(Bytes),
    /// Nothing to hear: empty bodies, end marks, channel maps, further tracks.
    Ignored,
    /// A codec we do not take, by name.
    Unsupported(String),
}

/// Reads the body of an audio message or tag.
pub fn audio(mut body: Bytes) -> Result<AudioTag, FlvError> {
    let Ok(head) = body.try_get_u8() else {
        return Ok(AudioTag::Ignored);
    };
    match head >> 4 {
        10 => aac(body),
        2 | 14 => Ok(sound(body, AudioTag::Mp3)),
        9 => enhanced(head & 0x0f, body),
        format => Ok(AudioTag::Unsupported(legacy_name(format))),
    }
}

/// AACAUDIODATA: a kind, then the payload.
fn aac(mut body: Bytes) -> Result<AudioTag, FlvError> {
    let kind = body
        .try_get_u8()
        .map_err(|_| FlvError::Truncated("AAC header"))?;
    match kind {
        0 => Ok(config(body)),
        1 => Ok(sound(body, AudioTag::Aac)),
        _ => Ok(AudioTag::Ignored),
    }
}

fn enhanced(kind: u8, body: Bytes) -> Result<AudioTag, FlvError> {
    const WRAPPERS: Wrappers = Wrappers {
        multitrack: 5,
        modifiers: 7,
    };
    let Some(Packet { kind, codec, body }) = fourcc::packet(kind, body, WRAPPERS)? else {
        return Ok(AudioTag::Ignored);
    };
    match (&codec, kind) {
        (b"mp4a", 0) => Ok(config(body)),
        (b"mp4a", 1) => Ok(sound(body, AudioTag::Aac)),
        (b".mp3", 1) => Ok(sound(body, AudioTag::Mp3)),
        (b"mp4a" | b".mp3", _) => Ok(AudioTag::Ignored),
        _ => Ok(AudioTag::Unsupported(fourcc::name(codec))),
    }
}

/// ffmpeg announces parameters before it has them; an empty announcement is none.
fn config(bytes: Bytes) -> AudioTag {
    if bytes.is_empty() {
        return AudioTag::Ignored;
    }
    AudioTag::Config(bytes)
}

/// An empty frame is no sound.
fn sound(bytes: Bytes, tag: impl FnOnce(Bytes) -> AudioTag) -> AudioTag {
    if bytes.is_empty() {
        return AudioTag::Ignored;
    }
    tag(bytes)
}

fn legacy_name(format: u8) -> String {
    match format {
        0 | 3 => "uncompressed PCM".to_owned(),
        1 => "ADPCM".to_owned(),
        4..=6 => "Nellymoser".to_owned(),
        7 => "G.711 A-law".to_owned(),
        8 => "G.711 mu-law".to_owned(),
        11 => "Speex".to_owned(),
        13 => "Opus".to_owned(),
        other => format!("sound format {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &'static [u8]) -> AudioTag {
        audio(Bytes::from_static(body)).unwrap()
    }

    #[test]
    fn reads_aac_and_mp3() {
        let bytes = Bytes::from_static;
        assert_eq!(
            read(b"\xaf\x00\x12\x10"),
            AudioTag::Config(bytes(b"\x12\x10"))
        );
        assert_eq!(read(b"\xaf\x01aac"), AudioTag::Aac(bytes(b"aac")));
        assert_eq!(read(b"\x2fmp3"), AudioTag::Mp3(bytes(b"mp3")));
        assert_eq!(read(b"\xe2mp3"), AudioTag::Mp3(bytes(b"mp3")));
    }

    #[test]
    fn takes_aac_and_mp3_by_their_fourcc() {
        let bytes = Bytes::from_static;
        assert_eq!(
            read(b"\x90mp4a\x12\x10"),
            AudioTag::Config(bytes(b"\x12\x10"))
        );
        assert_eq!(read(b"\x91mp4aaac"), AudioTag::Aac(bytes(b"aac")));
        assert_eq!(read(b"\x91.mp3mp3"), AudioTag::Mp3(bytes(b"mp3")));
        assert_eq!(read(b"\x94mp4amap"), AudioTag::Ignored);
        assert_eq!(read(b"\x95\x01mp4a\0aac"), AudioTag::Aac(bytes(b"aac")));
        assert_eq!(read(b"\x95\x01mp4a\x01aac"), AudioTag::Ignored);
    }

    #[test]
    fn names_the_codec_that_is_not_taken() {
        let cases: [(&[u8], &str); 4] = [
            (b"\x90Opusx", "Opus"),
            (b"\x91fLaCx", "FLAC"),
            (b"\xb2x", "Speex"),
            (b"\xf2x", "sound format 15"),
        ];
        for (body, name) in cases {
            let tag = audio(Bytes::from_static(body)).unwrap();
            assert_eq!(tag, AudioTag::Unsupported(name.to_owned()));
        }
    }

    #[test]
    fn ignores_silence_and_end_marks() {
        for body in [
            &b""[..],
            b"\xaf\x00",
            b"\xaf\x01",
            b"\xaf\x02",
            b"\x2f",
            b"\x90mp4a",
            b"\x92mp4a",
        ] {
            let tag = audio(Bytes::copy_from_slice(body)).unwrap();
            assert_eq!(tag, AudioTag::Ignored, "{body:x?}");
        }
    }

    #[test]
    fn says_what_is_cut_short() {
        for body in [&b"\xaf"[..], b"\x90mp4"] {
            let error = audio(Bytes::copy_from_slice(body)).unwrap_err();
            assert!(matches!(error, FlvError::Truncated(_)), "{body:x?}");
        }
    }
}
