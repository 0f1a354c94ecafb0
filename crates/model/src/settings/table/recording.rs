//! Recordings, and going back in the live stream.

use super::super::rules;
use super::super::setting::{Setting, SettingKind};
use super::meta::{meta, next_stream};
use crate::recording::{RecordingMode, Visibility};

/// Which broadcasts are recorded.
pub static MODE: Setting<RecordingMode> = Setting {
    meta: next_stream(meta(
        "recording",
        "recording/mode",
        "/recording/mode",
        SettingKind::Choice(&["off", "on", "by_key"]),
        "Which streams are recorded: none (`off`), all (`on`), or those sent with a stream key that says so (`by_key`).",
    )),
    default: || RecordingMode::Off,
    rule: rules::any,
};

/// The chat beside a recording.
pub static CHAT: Setting<bool> = Setting {
    meta: next_stream(meta(
        "recording_chat",
        "recording/chat",
        "/recording/chat",
        SettingKind::Bool,
        "Keep the chat messages of a recorded stream as long as the recording, and show them beside it; the chat tells people so.",
    )),
    default: || false,
    rule: rules::any,
};

/// How far viewers can go back in the live stream.
pub static REWIND_MINUTES: Setting<u32> = Setting {
    meta: next_stream(meta(
        "rewind_minutes",
        "recording/rewindminutes",
        "/recording/rewindMinutes",
        SettingKind::Number { min: 0, max: 720 },
        "How many minutes viewers can go back in the live stream; 0 means not at all. Without a recording the disk holds this much, and it goes with the stream.",
    )),
    default: || 0,
    rule: rules::between::<0, 720>,
};

/// Who may watch a new recording.
pub static VISIBILITY: Setting<Visibility> = Setting {
    meta: next_stream(meta(
        "recording_visibility",
        "recording/visibility",
        "/recording/visibility",
        SettingKind::Choice(&["public", "unlisted", "private"]),
        "Who may watch a new recording: everybody (`public`, it is in the list), whoever has its address (`unlisted`), or only you (`private`).",
    )),
    default: || Visibility::Unlisted,
    rule: rules::any,
};

/// How old recordings get.
pub static KEEP_DAYS: Setting<u32> = Setting {
    meta: meta(
        "recording_keep_days",
        "recording/keepdays",
        "/recording/keepDays",
        SettingKind::Number {
            min: 0,
            max: 36_500,
        },
        "After how many days a recording is deleted, unless it is marked to be kept; 0 means never.",
    ),
    default: || 0,
    rule: rules::between::<0, 36_500>,
};

/// How much recordings may take.
pub static KEEP_GIGABYTES: Setting<u32> = Setting {
    meta: meta(
        "recording_keep_gigabytes",
        "recording/keepgigabytes",
        "/recording/keepGigabytes",
        SettingKind::Number {
            min: 0,
            max: 1_000_000,
        },
        "How many gigabytes recordings may take in all; the oldest are deleted first, unless they are marked to be kept. 0 means any number.",
    ),
    default: || 0,
    rule: rules::between::<0, 1_000_000>,
};

/// What recordings leave free on the disk.
pub static MIN_FREE_GIGABYTES: Setting<u32> = Setting {
    meta: meta(
        "recording_min_free_gigabytes",
        "recording/minfreegigabytes",
        "/recording/minFreeGigabytes",
        SettingKind::Number {
            min: 0,
            max: 100_000,
        },
        "Recording pauses when fewer gigabytes than this are free on the disk, and goes on when there is one more; the stream goes on in any case.",
    ),
    default: || 2,
    rule: rules::between::<0, 100_000>,
};
