//! The settings of announced streams.

use super::super::rules;
use super::super::setting::{Setting, SettingFormat, SettingKind};
use super::meta::{max_chars, meta, of_form};

/// What [`CHAT_OPEN_MINUTES`] can be.
const CHAT_OPEN_CHOICES: [u32; 5] = [0, 5, 10, 30, 60];

/// Announce streams at all.
pub static ENABLED: Setting<bool> = Setting {
    meta: meta(
        "schedule_enabled",
        "schedule/enabled",
        "/schedule/enabled",
        SettingKind::Bool,
        "Show visitors the streams you have announced.",
    ),
    default: || false,
    rule: rules::any,
};

/// How long until the next one.
pub static SHOW_COUNTDOWN: Setting<bool> = Setting {
    meta: meta(
        "schedule_show_countdown",
        "schedule/showcountdown",
        "/schedule/showCountdown",
        SettingKind::Bool,
        "Tell pages and other programs to show a countdown to the next announced stream.",
    ),
    default: || false,
    rule: rules::any,
};

/// People may come early.
pub static CHAT_OPEN_MINUTES: Setting<u32> = Setting {
    meta: of_form(
        SettingFormat::Numbers(&CHAT_OPEN_CHOICES),
        meta(
            "schedule_chat_open_minutes",
            "schedule/chatopenminutes",
            "/schedule/chatOpenMinutesBefore",
            SettingKind::Number { min: 0, max: 60 },
            "How many minutes before an announced stream the chat opens (0, 5, 10, 30 or 60); 0 keeps it closed until the stream starts.",
        ),
    ),
    default: || 0,
    rule: |minutes| {
        if !CHAT_OPEN_CHOICES.contains(&minutes) {
            let choices = CHAT_OPEN_CHOICES.map(|choice| choice.to_string());
            let [all @ .., last] = &choices;
            let all = all.join(", ");
            return Err(format!("is {minutes}, but must be {all}, or {last}").into());
        }
        Ok(minutes)
    },
};

/// What is said when the chat opens.
pub static REMINDER_MESSAGE: Setting<String> = Setting {
    meta: max_chars(
        500,
        meta(
            "schedule_reminder_message",
            "schedule/remindermessage",
            "/schedule/reminderMessage",
            SettingKind::Markdown,
            "A message to everybody when the chat opens before an announced stream (Markdown); empty sends nothing.",
        ),
    ),
    default: String::new,
    rule: rules::lines::<500>,
};
