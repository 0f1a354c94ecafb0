//! What the viewer page offers beyond its texts.

use super::super::rules;
use super::super::setting::{Setting, SettingKind};
use super::super::types::{ExternalAction, checked_actions};
use super::meta::{max_chars, meta, unseen};

/// What [`AUTOPLAY`] can be.
const AUTOPLAY_CHOICES: [&str; 3] = ["off", "always", "sound-only"];

/// The operator's own script.
pub static CUSTOM_JAVASCRIPT: Setting<String> = Setting {
    meta: max_chars(
        50_000,
        meta(
            "custom_javascript",
            "customjavascript",
            "/instanceDetails/customJavascript",
            SettingKind::JavaScript,
            "A script that runs in the viewer page of every visitor. Give it empty in the configuration file to make sure that nobody can add one in the admin pages.",
        ),
    ),
    default: String::new,
    rule: rules::lines::<50_000>,
};

/// Playing without being asked.
pub static AUTOPLAY: Setting<String> = Setting {
    meta: meta(
        "autoplay",
        "autoplay",
        "/instanceDetails/autoplay",
        SettingKind::Choice(&AUTOPLAY_CHOICES),
        "Whether the player starts by itself: `always` (muted where the browser insists), `sound-only` where it may have sound, or `off`.",
    ),
    default: || "always".into(),
    rule: |text| rules::one_of(&AUTOPLAY_CHOICES, text),
};

/// Buttons below the player.
pub static EXTERNAL_ACTIONS: Setting<Vec<ExternalAction>> = Setting {
    meta: meta(
        "external_actions",
        "externalactions",
        "/externalActions",
        SettingKind::Actions,
        "Buttons below the player that open a page or show something of yours.",
    ),
    default: Vec::new,
    rule: checked_actions,
};

/// Tell directories about the stream when they ask.
pub static DIRECTORY_ENABLED: Setting<bool> = Setting {
    meta: unseen(meta(
        "directory_enabled",
        "directoryenabled",
        "/yp/enabled",
        SettingKind::Bool,
        "Answer /api/yp, where directories can read about your stream; nothing is sent to any directory.",
    )),
    default: || false,
    rule: rules::any,
};

/// Another host for the chat's socket.
pub static SOCKET_HOST_OVERRIDE: Setting<String> = Setting {
    meta: max_chars(
        500,
        unseen(meta(
            "socket_host_override",
            "sockethostoverride",
            "/socketHostOverride",
            SettingKind::Text,
            "The host of the chat's socket that /api/config tells other programs; the server's own pages use their own address.",
        )),
    ),
    default: String::new,
    rule: rules::line::<500>,
};
