//! The capabilities of both ends beyond RTMP 1.0 (Enhanced RTMP v2, "Enhancing NetConnection connect Command").

use crate::flv::{AUDIO_FOURCCS, VIDEO_FOURCCS};
use crate::rtmp::wire::amf0::Amf0Value;

/// Flags of `capsEx`.
mod flag {
    pub(super) const RECONNECT: u32 = 1;
    pub(super) const MULTITRACK: u32 = 2;
    pub(super) const MODIFIERS: u32 = 4;
}

/// What we do with every codec we take: hand it on as it came, neither decoded nor encoded.
const CAN_FORWARD: f64 = 4.0;

/// The capabilities that a peer declares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Capabilities {
    /// Whether it knows Enhanced RTMP.
    pub(super) is_enhanced: bool,
    /// Whether it reconnects when asked to.
    pub(super) can_reconnect: bool,
}

impl Capabilities {
    /// Parses the command object of `connect`.
    pub(super) fn read(claims: &Amf0Value) -> Self {
        const NAMES: [&str; 4] = [
            "capsEx",
            "fourCcList",
            "videoFourCcInfoMap",
            "audioFourCcInfoMap",
        ];
        // A negative number or NaN becomes 0.
        let flags = claims.get("capsEx").and_then(Amf0Value::as_number);
        let flags = flags.unwrap_or(0.0) as u32;
        Self {
            is_enhanced: NAMES.iter().any(|name| claims.get(name).is_some()),
            can_reconnect: flags & flag::RECONNECT != 0,
        }
    }
}

/// The capabilities that we declare to a peer with Enhanced RTMP.
pub(super) fn ours() -> Vec<(String, Amf0Value)> {
    let video: Vec<String> = VIDEO_FOURCCS.iter().map(|(code, _)| name(code)).collect();
    let audio: Vec<String> = AUDIO_FOURCCS.iter().map(|(code, _)| name(code)).collect();
    let list = video.iter().chain(&audio);
    let list = list.map(|name| Amf0Value::from(name.as_str())).collect();
    let map = |names: Vec<String>| {
        let pairs = names
            .into_iter()
            .map(|name| (name, Amf0Value::Number(CAN_FORWARD)));
        Amf0Value::Object(pairs.collect())
    };
    let flags = flag::RECONNECT | flag::MULTITRACK | flag::MODIFIERS;
    let pairs = [
        ("capsEx", Amf0Value::Number(f64::from(flags))),
        ("fourCcList", Amf0Value::StrictArray(list)),
        ("videoFourCcInfoMap", map(video)),
        ("audioFourCcInfoMap", map(audio)),
    ];
    pairs.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

fn name(fourcc: &[u8; 4]) -> String {
    fourcc.escape_ascii().to_string()
}
