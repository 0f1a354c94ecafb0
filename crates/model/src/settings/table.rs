//! Every setting, declared once.

pub mod chat;
pub mod federation;
mod meta;
pub mod notices;
pub mod page;
pub mod recording;
pub mod schedule;
pub mod video;

use std::collections::BTreeMap;

use super::rules::{self, MAX_LIST_ENTRIES};
use super::setting::{AnySetting, Meta, Setting, SettingFormat, SettingKind};
use super::types::{SocialHandle, StreamKey};
use meta::{max_chars, meta, next_stream, of_form};

/// All settings, in the order the documentation lists them.
pub static TABLE: &[&dyn AnySetting] = &[
    &NAME,
    &SUMMARY,
    &TAGS,
    &STREAM_TITLE,
    &OFFLINE_MESSAGE,
    &PAGE_CONTENT,
    &SOCIAL_HANDLES,
    &NSFW,
    &SERVER_URL,
    &HIDE_VIEWER_COUNT,
    &DISABLE_SEARCH_INDEXING,
    &CUSTOM_STYLES,
    &APPEARANCE,
    &STREAM_KEYS,
    &LATENCY_LEVEL,
    &GRACE_SECONDS,
    &PUBLISHER_TIMEOUT_SECONDS,
    &AUDIO_ONLY_VARIANT,
    &chat::WELCOME_MESSAGE,
    &chat::DISABLED,
    &chat::WHEN_OFFLINE,
    &chat::JOIN_MESSAGES,
    &chat::JOIN_MESSAGES_MAX_PEOPLE,
    &chat::REQUIRE_AUTHENTICATION,
    &chat::ESTABLISHED_ONLY,
    &chat::KNOWN_ONLY,
    &chat::PAUSED,
    &chat::HOLD_FIRST,
    &chat::HOLD_COPIED,
    &chat::SPAM_PROTECTION,
    &chat::SLOW_MODE_SECONDS,
    &chat::REJECT_DUPLICATES,
    &chat::LINKS,
    &chat::WORD_FILTER,
    &chat::FORBIDDEN_WORDS,
    &chat::FORBIDDEN_NAMES,
    &chat::SUGGESTED_NAMES,
    &chat::HISTORY_HOURS,
    &chat::LOG_EXPORT,
    &chat::TRUSTED_HTML,
    &schedule::ENABLED,
    &schedule::SHOW_COUNTDOWN,
    &schedule::CHAT_OPEN_MINUTES,
    &schedule::REMINDER_MESSAGE,
    &page::CUSTOM_JAVASCRIPT,
    &page::AUTOPLAY,
    &page::EXTERNAL_ACTIONS,
    &page::DIRECTORY_ENABLED,
    &page::SOCKET_HOST_OVERRIDE,
    &video::SERVING_ENDPOINT,
    &video::FFMPEG_PATH,
    &video::S3_STORAGE,
    &video::CODEC,
    &video::OUTPUT_VARIANTS,
    &recording::MODE,
    &recording::CHAT,
    &recording::REWIND_MINUTES,
    &recording::VISIBILITY,
    &recording::KEEP_DAYS,
    &recording::KEEP_GIGABYTES,
    &recording::MIN_FREE_GIGABYTES,
    &federation::ENABLED,
    &federation::PRIVATE,
    &federation::SHOW_ENGAGEMENT,
    &federation::ENABLE_QUOTES,
    &federation::HIDE_FOLLOWERS,
    &federation::PLUGIN_POSTS,
    &federation::USERNAME,
    &federation::LIVE_MESSAGE,
    &federation::BLOCKED_DOMAINS,
    &federation::LIVE_DELAY_SECONDS,
    &federation::LIVE_COOLDOWN_MINUTES,
    &federation::DIRECTORY_URL,
    &federation::NAMESPACE,
    &federation::INBOX_PER_ADDRESS,
    &federation::INBOX_PER_HOST,
    &notices::WEBHOOKS_ALLOW_INTERNAL,
    &notices::DISCORD,
    &notices::BROWSER,
];

/// The server's name.
pub static NAME: Setting<String> = Setting {
    meta: of_form(
        SettingFormat::NotBlank,
        max_chars(
            100,
            meta(
                "name",
                "name",
                "/instanceDetails/name",
                SettingKind::Text,
                "The name of your server, shown at the top of the page.",
            ),
        ),
    ),
    default: || "New Rillcast server".into(),
    rule: rules::required_line::<100>,
};

/// A few words about the server.
pub static SUMMARY: Setting<String> = Setting {
    meta: max_chars(
        500,
        meta(
            "summary",
            "serversummary",
            "/instanceDetails/summary",
            SettingKind::Text,
            "One or two sentences about you or your stream.",
        ),
    ),
    default: || "A live stream of my own.".into(),
    rule: rules::line::<500>,
};

/// Topics.
pub static TAGS: Setting<Vec<String>> = Setting {
    meta: of_form(
        SettingFormat::Lines(60, MAX_LIST_ENTRIES),
        meta(
            "tags",
            "tags",
            "/instanceDetails/tags",
            SettingKind::Texts,
            "Topics of your stream, without the #.",
        ),
    ),
    default: || vec!["rillcast".into(), "streaming".into()],
    rule: rules::tags,
};

/// What is on right now.
pub static STREAM_TITLE: Setting<String> = Setting {
    meta: max_chars(
        200,
        meta(
            "stream_title",
            "streamtitle",
            "/instanceDetails/streamTitle",
            SettingKind::Text,
            "What you are streaming now; shown under the player and in go-live posts.",
        ),
    ),
    default: String::new,
    rule: rules::line::<200>,
};

/// What the page says while nothing is on.
pub static OFFLINE_MESSAGE: Setting<String> = Setting {
    meta: max_chars(
        2500,
        meta(
            "offline_message",
            "offlinemessage",
            "/instanceDetails/offlineMessage",
            SettingKind::Markdown,
            "What visitors see while you are not live (Markdown).",
        ),
    ),
    default: String::new,
    rule: rules::lines::<2500>,
};

/// The About tab.
pub static PAGE_CONTENT: Setting<String> = Setting {
    meta: max_chars(
        50_000,
        meta(
            "page_content",
            "pagecontent",
            "/instanceDetails/extraPageContent",
            SettingKind::Markdown,
            "The About text below the player (Markdown).",
        ),
    ),
    default: || "# Welcome\n\nThis server is ready. Its operator will say more here soon.".into(),
    rule: rules::lines::<50_000>,
};

/// Links elsewhere.
pub static SOCIAL_HANDLES: Setting<Vec<SocialHandle>> = Setting {
    meta: meta(
        "social_handles",
        "socialhandles",
        "/instanceDetails/socialHandles",
        SettingKind::Social,
        "Where else people find you.",
    ),
    default: Vec::new,
    rule: rules::social,
};

/// Mature content.
pub static NSFW: Setting<bool> = Setting {
    meta: meta(
        "nsfw",
        "nsfw",
        "/instanceDetails/nsfw",
        SettingKind::Bool,
        "Mark the stream as not safe for everybody.",
    ),
    default: || false,
    rule: rules::any,
};

/// The public address.
pub static SERVER_URL: Setting<String> = Setting {
    meta: meta(
        "server_url",
        "serverurl",
        "/yp/instanceUrl",
        SettingKind::Url,
        "The public address of this server, such as https://live.example.org.",
    ),
    default: String::new,
    rule: rules::server_url,
};

/// Keep the number of viewers to the operator.
pub static HIDE_VIEWER_COUNT: Setting<bool> = Setting {
    meta: meta(
        "hide_viewer_count",
        "hideviewercount",
        "/hideViewerCount",
        SettingKind::Bool,
        "Do not show visitors how many people watch.",
    ),
    default: || false,
    rule: rules::any,
};

/// robots.txt.
pub static DISABLE_SEARCH_INDEXING: Setting<bool> = Setting {
    meta: meta(
        "disable_search_indexing",
        "disablesearchindexing",
        "/disableSearchIndexing",
        SettingKind::Bool,
        "Ask search engines not to list this server.",
    ),
    default: || false,
    rule: rules::any,
};

/// The operator's own style sheet.
pub static CUSTOM_STYLES: Setting<String> = Setting {
    meta: max_chars(
        50_000,
        meta(
            "custom_styles",
            "customstyles",
            "/instanceDetails/customStyles",
            SettingKind::Css,
            "CSS added to the viewer page.",
        ),
    ),
    default: String::new,
    rule: rules::lines::<50_000>,
};

/// The theme's variables.
pub static APPEARANCE: Setting<BTreeMap<String, String>> = Setting {
    meta: meta(
        "appearance",
        "appearance",
        "/instanceDetails/appearanceVariables",
        SettingKind::Map,
        "Colours of the viewer page, as CSS variables such as --theme-color-action.",
    ),
    default: BTreeMap::new,
    rule: rules::css_variables,
};

/// The keys broadcasters publish with; the first start puts a random one into the database.
pub static STREAM_KEYS: Setting<Vec<StreamKey>> = Setting {
    meta: Meta {
        is_secret: true,
        ..meta(
            "stream_keys",
            "streamkeys",
            "/streamKeys",
            SettingKind::StreamKeys,
            "The keys your broadcasting software may publish with.",
        )
    },
    default: Vec::new,
    rule: rules::stream_keys,
};

/// How close to live the stream is played.
pub static LATENCY_LEVEL: Setting<u8> = Setting {
    meta: next_stream(meta(
        "latency_level",
        "video/streamlatencylevel",
        "/videoSettings/latencyLevel",
        SettingKind::Number { min: 0, max: 4 },
        "How close to live viewers are: 0 is closest (about 1 s), 2 is the default (about 1.5 s), 4 the most patient (18 s, without low latency).",
    )),
    default: || 2,
    rule: |level| {
        rules::between::<0, 4>(level.into())?;
        Ok(level)
    },
};

/// How long a lost broadcaster is waited for.
pub static GRACE_SECONDS: Setting<u32> = Setting {
    meta: meta(
        "grace_seconds",
        "video/graceseconds",
        "/videoSettings/graceSeconds",
        SettingKind::Number { min: 0, max: 300 },
        "How many seconds a broadcaster whose connection was lost has to come back before the stream ends.",
    ),
    default: || 30,
    rule: rules::between::<0, 300>,
};

/// How long a silent broadcaster counts as connected.
pub static PUBLISHER_TIMEOUT_SECONDS: Setting<u32> = Setting {
    meta: meta(
        "publisher_timeout_seconds",
        "video/publishertimeout",
        "/videoSettings/publisherTimeoutSeconds",
        SettingKind::Number { min: 3, max: 60 },
        "After how many seconds without data the broadcaster's connection counts as lost.",
    ),
    default: || 15,
    rule: rules::between::<3, 60>,
};

/// Sound as a variant of its own.
pub static AUDIO_ONLY_VARIANT: Setting<bool> = Setting {
    meta: next_stream(meta(
        "audio_only_variant",
        "video/audioonlyvariant",
        "/videoSettings/audioOnlyVariant",
        SettingKind::Bool,
        "Offer an audio-only quality, for listeners and for very slow connections.",
    )),
    default: || false,
    rule: rules::any,
};
