//! `onMetaData`: what the publisher's software declares about its stream.
//!
//! It is shown to the operator and never trusted: sizes, rates and time come from the media itself.

use crate::rtmp::wire::amf0::{self, Amf0Value};

/// Longest name of an encoder we keep, in characters; the sender chooses it and it ends up on pages and in logs.
pub(crate) const MAX_ENCODER_CHARS: usize = 100;

/// The declared values; `None` if absent or nonsensical.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// The sending software, such as `obs-output module (libobs version 30.0)`.
    pub encoder: String,
    /// Picture width.
    pub width: Option<u32>,
    /// Picture height.
    pub height: Option<u32>,
    /// Frames per second.
    pub frame_rate: Option<f64>,
    /// Video bit rate.
    pub video_kbps: Option<u32>,
    /// Audio bit rate.
    pub audio_kbps: Option<u32>,
    /// Audio samples per second.
    pub audio_sample_rate: Option<u32>,
    /// Whether a picture will follow.
    pub has_video: Option<bool>,
    /// Whether sound will follow.
    pub has_audio: Option<bool>,
}

/// Parses a data message or script tag; `None` if it is not `onMetaData` or cannot be parsed.
pub fn metadata(body: &[u8]) -> Option<Metadata> {
    let values = amf0::decode_all(body).ok()?;
    let mut values = values.into_iter();
    let mut name = values.next()?;
    if name.as_str() == Some("@setDataFrame") {
        name = values.next()?;
    }
    if name.as_str() != Some("onMetaData") {
        return None;
    }
    let claims = values.next()?;
    let number = |key: &str| claims.get(key).and_then(positive);
    let whole = |key: &str| number(key).map(|value| value.round() as u32);
    Some(Metadata {
        encoder: clean_name(
            claims
                .get("encoder")
                .and_then(Amf0Value::as_str)
                .unwrap_or(""),
        ),
        width: whole("width"),
        height: whole("height"),
        frame_rate: number("framerate").or_else(|| number("fps")),
        video_kbps: whole("videodatarate"),
        audio_kbps: whole("audiodatarate"),
        audio_sample_rate: whole("audiosamplerate"),
        has_video: is_announced(&claims, "hasVideo", "videocodecid"),
        has_audio: is_announced(&claims, "hasAudio", "audiocodecid"),
    })
}

fn positive(value: &Amf0Value) -> Option<f64> {
    let number = value.as_number()?;
    (number > 0.0 && number <= f64::from(u32::MAX)).then_some(number)
}

fn is_announced(claims: &Amf0Value, flag: &str, codec: &str) -> Option<bool> {
    if let Some(Amf0Value::Boolean(is_there)) = claims.get(flag) {
        return Some(*is_there);
    }
    match claims.get(codec)? {
        Amf0Value::Number(id) => Some(*id != 0.0),
        Amf0Value::String(name) => Some(!name.is_empty()),
        _ => None,
    }
}

/// Turns a stranger's text into one line that is fit for a log.
pub(crate) fn clean_name(text: &str) -> String {
    let printable = text.chars().filter(|c| !c.is_control());
    let kept: String = printable.take(MAX_ENCODER_CHARS).collect();
    kept.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(claims: Vec<(&str, Amf0Value)>) -> Vec<u8> {
        let claims = claims
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        amf0::encode(&[
            Amf0Value::from("@setDataFrame"),
            Amf0Value::from("onMetaData"),
            Amf0Value::EcmaArray(claims),
        ])
        .to_vec()
    }

    #[test]
    fn reads_what_obs_sends() {
        let body = message(vec![
            ("width", Amf0Value::Number(1920.0)),
            ("height", Amf0Value::Number(1080.0)),
            ("videocodecid", Amf0Value::from("avc1")),
            ("videodatarate", Amf0Value::Number(6000.0)),
            ("framerate", Amf0Value::Number(29.97)),
            ("audiocodecid", Amf0Value::from("mp4a")),
            ("audiodatarate", Amf0Value::Number(160.0)),
            ("audiosamplerate", Amf0Value::Number(48_000.0)),
            ("encoder", Amf0Value::from("obs-output module")),
        ]);
        let expected = Metadata {
            encoder: "obs-output module".to_owned(),
            width: Some(1920),
            height: Some(1080),
            frame_rate: Some(29.97),
            video_kbps: Some(6000),
            audio_kbps: Some(160),
            audio_sample_rate: Some(48_000),
            has_video: Some(true),
            has_audio: Some(true),
        };
        assert_eq!(metadata(&body), Some(expected));
    }

    #[test]
    fn drops_claims_that_cannot_be_true() {
        let body = message(vec![
            ("width", Amf0Value::Number(-1.0)),
            ("height", Amf0Value::Number(f64::NAN)),
            ("framerate", Amf0Value::Number(f64::INFINITY)),
            ("videocodecid", Amf0Value::Number(0.0)),
            ("hasAudio", Amf0Value::Boolean(false)),
            ("audiocodecid", Amf0Value::Number(10.0)),
        ]);
        let expected = Metadata {
            has_video: Some(false),
            has_audio: Some(false),
            ..Metadata::default()
        };
        assert_eq!(metadata(&body), Some(expected));
    }

    #[test]
    fn a_name_made_to_flood_the_log_is_cut_and_cleaned() {
        let name = format!("\u{1b}[31m\n{}", "x".repeat(500));
        let read = metadata(&message(vec![("encoder", Amf0Value::from(name.as_str()))])).unwrap();
        assert!(read.encoder.starts_with("[31mxxx"));
        assert_eq!(read.encoder.chars().count(), MAX_ENCODER_CHARS);
    }

    #[test]
    fn other_data_is_no_metadata() {
        for values in [
            vec![Amf0Value::from("onCuePoint"), Amf0Value::Object(Vec::new())],
            vec![Amf0Value::from("onMetaData")],
            vec![Amf0Value::from("@setDataFrame")],
            vec![],
        ] {
            assert_eq!(metadata(&amf0::encode(&values)), None);
        }
        assert_eq!(metadata(b"\x02\0\xffgarbage"), None);
    }
}
