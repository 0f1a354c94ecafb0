//! Audio tag bodies.

use bytes::{Buf, Bytes};

use super::FlvError;
use super::fourcc::{self, FurtherTracks, Packet, Wrappers};

/// The supported audio codecs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AudioCodec {
    /// AAC; its parameters are an `AudioSpecificConfig`.
    Aac,
    /// MP3, which has no parameters.
    Mp3,
    /// Opus; its parameters are the identification header of RFC 7845.
    Opus,
    /// FLAC; its parameters are the stream information of RFC 9639.
    Flac,
}

/// Codecs of sound by their FourCC.
pub(crate) const FOURCCS: [(&[u8; 4], AudioCodec); 4] = [
    (b"mp4a", AudioCodec::Aac),
    (b".mp3", AudioCodec::Mp3),
    (b"Opus", AudioCodec::Opus),
    (b"fLaC", AudioCodec::Flac),
];

/// The format of sound whose codec is said by a FourCC.
const ENHANCED: u8 = 9;
const WRAPPERS: Wrappers = Wrappers {
    multitrack: 5,
    modifiers: 7,
};

/// What an audio message carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AudioTag {
    /// The parameters of a codec.
    Config {
        codec: AudioCodec,
        /// The parameters in the codec's own format.
        record: Bytes,
    },
    /// One access unit, or one or more MP3 frames.
    Frame {
        /// Its codec.
        codec: AudioCodec,
        data: Bytes,
    },
    /// Nothing to play: empty bodies, end marks, channel maps.
    Ignored,
    /// Content of a further track; only the first is used.
    OtherTrack,
    /// An unsupported codec, by name.
    Unsupported(String),
}

/// Reads the body of an audio message or tag.
pub fn audio(mut body: Bytes) -> Result<AudioTag, FlvError> {
    let Ok(head) = body.try_get_u8() else {
        return Ok(AudioTag::Ignored);
    };
    match head >> 4 {
        10 => aac(body),
        2 | 14 => Ok(sound(AudioCodec::Mp3, body)),
        ENHANCED => enhanced(head & 0x0f, body),
        format => Ok(AudioTag::Unsupported(legacy_name(format))),
    }
}

/// The further tracks in the body of an audio message, whatever they contain.
#[must_use]
pub fn further_audio_tracks(body: &Bytes) -> FurtherTracks {
    match body.first() {
        Some(head) if head >> 4 == ENHANCED => {
            fourcc::further(head & 0x0f, body.slice(1..), WRAPPERS)
        }
        _ => FurtherTracks::default(),
    }
}

/// AACAUDIODATA: a kind, then the payload.
fn aac(mut body: Bytes) -> Result<AudioTag, FlvError> {
    let kind = body
        .try_get_u8()
        .map_err(|_| FlvError::Truncated("AAC header"))?;
    match kind {
        0 => Ok(config(AudioCodec::Aac, body)),
        1 => Ok(sound(AudioCodec::Aac, body)),
        _ => Ok(AudioTag::Ignored),
    }
}

fn enhanced(kind: u8, body: Bytes) -> Result<AudioTag, FlvError> {
    let Some(Packet { kind, codec, body }) = fourcc::packet(kind, body, WRAPPERS)? else {
        return Ok(AudioTag::OtherTrack);
    };
    let Some(known) = by_fourcc(codec) else {
        return Ok(AudioTag::Unsupported(fourcc::name(codec)));
    };
    match (known, kind) {
        (AudioCodec::Mp3, 0) => Ok(AudioTag::Ignored),
        (_, 0) => Ok(config(known, body)),
        (_, 1) => Ok(sound(known, body)),
        _ => Ok(AudioTag::Ignored),
    }
}

fn by_fourcc(fourcc: [u8; 4]) -> Option<AudioCodec> {
    FOURCCS
        .iter()
        .find(|(known, _)| **known == fourcc)
        .map(|(_, codec)| *codec)
}

/// ffmpeg announces parameters before it has them; an empty announcement does not count.
fn config(codec: AudioCodec, record: Bytes) -> AudioTag {
    if record.is_empty() {
        return AudioTag::Ignored;
    }
    AudioTag::Config { codec, record }
}

/// An empty frame is ignored.
fn sound(codec: AudioCodec, data: Bytes) -> AudioTag {
    if data.is_empty() {
        return AudioTag::Ignored;
    }
    AudioTag::Frame { codec, data }
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

    fn config_of(codec: AudioCodec, record: &'static [u8]) -> AudioTag {
        config(codec, Bytes::from_static(record))
    }

    fn sound_of(codec: AudioCodec, data: &'static [u8]) -> AudioTag {
        sound(codec, Bytes::from_static(data))
    }

    #[test]
    fn reads_aac_and_mp3() {
        assert_eq!(
            read(b"\xaf\x00\x12\x10"),
            config_of(AudioCodec::Aac, b"\x12\x10")
        );
        assert_eq!(read(b"\xaf\x01aac"), sound_of(AudioCodec::Aac, b"aac"));
        assert_eq!(read(b"\x2fmp3"), sound_of(AudioCodec::Mp3, b"mp3"));
        assert_eq!(read(b"\xe2mp3"), sound_of(AudioCodec::Mp3, b"mp3"));
    }

    #[test]
    fn takes_aac_and_mp3_by_their_fourcc() {
        assert_eq!(
            read(b"\x90mp4a\x12\x10"),
            config_of(AudioCodec::Aac, b"\x12\x10")
        );
        assert_eq!(read(b"\x91mp4aaac"), sound_of(AudioCodec::Aac, b"aac"));
        assert_eq!(read(b"\x91.mp3mp3"), sound_of(AudioCodec::Mp3, b"mp3"));
        assert_eq!(read(b"\x90.mp3mp3"), AudioTag::Ignored);
        assert_eq!(read(b"\x94mp4amap"), AudioTag::Ignored);
    }

    #[test]
    fn takes_opus_and_flac_by_their_fourcc() {
        assert_eq!(
            read(b"\x90OpusOpusHead"),
            config_of(AudioCodec::Opus, b"OpusHead")
        );
        assert_eq!(read(b"\x91Opusop"), sound_of(AudioCodec::Opus, b"op"));
        assert_eq!(read(b"\x90fLaCinfo"), config_of(AudioCodec::Flac, b"info"));
        assert_eq!(read(b"\x91fLaCfl"), sound_of(AudioCodec::Flac, b"fl"));
        assert_eq!(
            read(b"\x97\x02abc\x01Opusop"),
            sound_of(AudioCodec::Opus, b"op")
        );
    }

    #[test]
    fn takes_the_first_track_of_sound_and_tells_of_the_others() {
        assert_eq!(
            read(b"\x95\x01mp4a\0aac"),
            sound_of(AudioCodec::Aac, b"aac")
        );
        assert_eq!(read(b"\x95\x01mp4a\x01aac"), AudioTag::OtherTrack);
        assert_eq!(read(b"\x95\x01ac-3\x01dol"), AudioTag::OtherTrack);
    }

    #[test]
    fn names_the_codec_that_is_not_taken() {
        let cases: [(&[u8], &str); 4] = [
            (b"\x90ac-3x", "AC-3"),
            (b"\x91ec-3x", "E-AC-3"),
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
