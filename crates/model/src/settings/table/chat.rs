//! The settings of the chat.

use super::super::rules::{self, MAX_WORDS};
use super::super::setting::{Setting, SettingFormat, SettingKind};
use super::meta::{max_chars, meta, of_form};

/// What [`WHEN_OFFLINE`] can be.
const WHEN_OFFLINE_CHOICES: [&str; 2] = ["window", "always"];
/// What [`LINKS`] can be.
const LINK_CHOICES: [&str; 3] = ["everybody", "known", "nobody"];

fn default_forbidden_names() -> Vec<String> {
    ["rillcast", "operator", "admin", "system"]
        .map(String::from)
        .into()
}

/// What people read when they come in.
pub static WELCOME_MESSAGE: Setting<String> = Setting {
    meta: max_chars(
        2500,
        meta(
            "chat_welcome_message",
            "welcomemessage",
            "/instanceDetails/welcomeMessage",
            SettingKind::Markdown,
            "A private message to people who join the chat, and to everybody when the stream starts (Markdown).",
        ),
    ),
    default: String::new,
    rule: rules::lines::<2500>,
};

/// No chat.
pub static DISABLED: Setting<bool> = Setting {
    meta: meta(
        "chat_disabled",
        "chat/disable",
        "/chatDisabled",
        SettingKind::Bool,
        "Turn off the chat.",
    ),
    default: || false,
    rule: rules::any,
};

/// Talk between broadcasts.
pub static WHEN_OFFLINE: Setting<String> = Setting {
    meta: meta(
        "chat_when_offline",
        "chat/whenoffline",
        "/chatWhenOffline",
        SettingKind::Choice(&WHEN_OFFLINE_CHOICES),
        "When people can chat while no stream is live: `window` until five minutes after the stream, `always` at any time.",
    ),
    default: || "window".into(),
    rule: |text| rules::one_of(&WHEN_OFFLINE_CHOICES, text),
};

/// Who comes and goes.
pub static JOIN_MESSAGES: Setting<bool> = Setting {
    meta: meta(
        "chat_join_messages",
        "chat/joinmessagesenabled",
        "/chatJoinMessagesEnabled",
        SettingKind::Bool,
        "Show when people join and leave.",
    ),
    default: || true,
    rule: rules::any,
};

/// In a crowd nobody is announced.
pub static JOIN_MESSAGES_MAX_PEOPLE: Setting<u32> = Setting {
    meta: meta(
        "chat_join_messages_max_people",
        "chat/joinmessagesmaxpeople",
        "/chatJoinMessagesMaxPeople",
        SettingKind::Number {
            min: 0,
            max: 10_000,
        },
        "Up to how many people in the chat the page shows who joins; 0 is never. Bots and other clients are told all the same.",
    ),
    default: || 50,
    rule: rules::between::<0, 10_000>,
};

/// Only people who signed in.
pub static REQUIRE_AUTHENTICATION: Setting<bool> = Setting {
    meta: meta(
        "chat_require_authentication",
        "chat/requireauthentication",
        "/chatRequireAuthentication",
        SettingKind::Bool,
        "Only people who signed in with an identity of their own may write.",
    ),
    default: || false,
    rule: rules::any,
};

/// Only accounts of some age.
pub static ESTABLISHED_ONLY: Setting<bool> = Setting {
    meta: meta(
        "chat_established_only",
        "chat/establishedusermode",
        "/chatEstablishedUserMode",
        SettingKind::Bool,
        "Only people who have been here for at least 15 minutes may write.",
    ),
    default: || false,
    rule: rules::any,
};

/// The panic switch.
pub static KNOWN_ONLY: Setting<bool> = Setting {
    meta: meta(
        "chat_known_people_only",
        "chat/knownpeopleonly",
        "/chatKnownPeopleOnly",
        SettingKind::Bool,
        "During an attack: only moderators, people who signed in, and people who first wrote at least ten minutes before this was turned on, or a week ago, may write.",
    ),
    default: || false,
    rule: rules::any,
};

/// A breath for everybody.
pub static PAUSED: Setting<bool> = Setting {
    meta: meta(
        "chat_paused",
        "chat/paused",
        "/chatPaused",
        SettingKind::Bool,
        "Pause the chat: only moderators can write; everybody else reads on.",
    ),
    default: || false,
    rule: rules::any,
};

/// The same text by several people.
pub static HOLD_COPIED: Setting<bool> = Setting {
    meta: meta(
        "chat_hold_copied_messages",
        "chat/holdcopiedmessages",
        "/chatHoldCopiedMessages",
        SettingKind::Bool,
        "Hold a message of at least twelve characters for a moderator if two other people wrote the same within a minute. A single word that begins with ! or : (a command, an emoji) is exempt, and so are moderators, people who signed in and people who first wrote more than ten minutes ago. Off with the spam protection.",
    ),
    default: || true,
    rule: rules::any,
};

/// First messages wait.
pub static HOLD_FIRST: Setting<bool> = Setting {
    meta: meta(
        "chat_hold_first_message",
        "chat/holdfirstmessage",
        "/chatHoldFirstMessage",
        SettingKind::Bool,
        "Show the first message of a new chatter only once a moderator has approved it.",
    ),
    default: || false,
    rule: rules::any,
};

/// The limit on how often one person may write.
pub static SPAM_PROTECTION: Setting<bool> = Setting {
    meta: meta(
        "chat_spam_protection",
        "chat/spamprotectionenabled",
        "/chatSpamProtectionEnabled",
        SettingKind::Bool,
        "Mute people for ten seconds if they write faster than a person can.",
    ),
    default: || true,
    rule: rules::any,
};

/// Seconds between two messages.
pub static SLOW_MODE_SECONDS: Setting<u32> = Setting {
    meta: meta(
        "chat_slow_mode_seconds",
        "chat/slowmode",
        "/chatSlowModeSeconds",
        SettingKind::Number { min: 0, max: 3600 },
        "How many seconds everybody except moderators has to wait between two messages; 0 turns it off.",
    ),
    default: || 0,
    rule: rules::between::<0, 3600>,
};

/// Say it once.
pub static REJECT_DUPLICATES: Setting<bool> = Setting {
    meta: meta(
        "chat_reject_duplicates",
        "chat/rejectduplicates",
        "/chatRejectDuplicates",
        SettingKind::Bool,
        "Refuse a message that repeats one of the last minute, whoever wrote it.",
    ),
    default: || false,
    rule: rules::any,
};

/// Who may post links.
pub static LINKS: Setting<String> = Setting {
    meta: meta(
        "chat_links",
        "chat/links",
        "/chatLinks",
        SettingKind::Choice(&LINK_CHOICES),
        "Who may post links: `everybody`, `known` people (signed in, moderators, or here before) or `nobody` but moderators.",
    ),
    default: || "everybody".into(),
    rule: |text| rules::one_of(&LINK_CHOICES, text),
};

/// The built-in list of words.
pub static WORD_FILTER: Setting<bool> = Setting {
    meta: meta(
        "chat_word_filter",
        "chat/slurfilterenabled",
        "/chatSlurFilterEnabled",
        SettingKind::Bool,
        "Refuse messages with swear words from a built-in English list.",
    ),
    default: || false,
    rule: rules::any,
};

/// The operator's list of words.
pub static FORBIDDEN_WORDS: Setting<Vec<String>> = Setting {
    meta: of_form(
        SettingFormat::Lines(100, MAX_WORDS),
        meta(
            "chat_forbidden_words",
            "chat/forbiddenwords",
            "/chatForbiddenWords",
            SettingKind::Texts,
            "Words and phrases of your own that no message may contain; * at an end stands for any letters.",
        ),
    ),
    default: Vec::new,
    rule: rules::words::<100>,
};

/// Names nobody may take.
pub static FORBIDDEN_NAMES: Setting<Vec<String>> = Setting {
    meta: of_form(
        SettingFormat::Lines(60, MAX_WORDS),
        meta(
            "chat_forbidden_names",
            "chat/forbiddenusernames",
            "/forbiddenUsernames",
            SettingKind::Texts,
            "Words that no name may contain; an empty list is the default one.",
        ),
    ),
    default: default_forbidden_names,
    rule: |names| {
        let names = rules::words::<60>(names)?;
        Ok(if names.is_empty() {
            default_forbidden_names()
        } else {
            names
        })
    },
};

/// Names for newcomers.
pub static SUGGESTED_NAMES: Setting<Vec<String>> = Setting {
    meta: of_form(
        SettingFormat::Lines(30, MAX_WORDS),
        meta(
            "chat_suggested_names",
            "chat/suggestedusernames",
            "/suggestedUsernames",
            SettingKind::Texts,
            "Names for new chatters, if there are at least ten; otherwise names are made up.",
        ),
    ),
    default: Vec::new,
    rule: rules::words::<30>,
};

/// How long messages are kept.
pub static HISTORY_HOURS: Setting<u32> = Setting {
    meta: meta(
        "chat_history_hours",
        "chat/historyhours",
        "/chatHistoryHours",
        SettingKind::Number { min: 1, max: 8760 },
        "How many hours messages are kept; those beside a recording that keeps its chat stay as long as the recording.",
    ),
    default: || 2,
    rule: rules::between::<1, 8760>,
};

/// Whether the operator can save what was said.
pub static LOG_EXPORT: Setting<bool> = Setting {
    meta: meta(
        "chat_log_export",
        "chat/logexport",
        "/chatLogExport",
        SettingKind::Bool,
        "Allow the operator to save the chat of a stream as a file, while its messages are kept. People in the chat expect that what they say is gone later: tell them if you use it.",
    ),
    default: || false,
    rule: rules::any,
};

/// Operator's HTML untouched.
pub static TRUSTED_HTML: Setting<bool> = Setting {
    meta: meta(
        "chat_trusted_html",
        "chat/trustedhtml",
        "/chatTrustedHtml",
        SettingKind::Bool,
        "Send the HTML of integrations and of the welcome message to the pages as it is. Leave it off unless you trust every holder of an access token.",
    ),
    default: || false,
    rule: rules::any,
};
