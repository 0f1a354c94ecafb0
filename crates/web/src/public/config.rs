//! `GET /api/config`: what a page needs to draw itself.

use std::collections::BTreeMap;

use ::federation::names::Names;
use ::plugins::host::wire::User;
use ::plugins::manifest::Action;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Uri};
use model::product;
use model::settings::table::{
    APPEARANCE, CUSTOM_STYLES, HIDE_VIEWER_COUNT, NAME, NSFW, SERVER_URL, SOCIAL_HANDLES,
    STREAM_TITLE, SUMMARY, TAGS, chat, federation, page, recording,
};
use model::settings::{ExternalAction, Layers};
use serde::Serialize;
use utoipa::ToSchema;

use super::{NO_CACHE, SocialLink};
use crate::chat::viewer;
use crate::html::cleaned;
use crate::offline_picture;
use crate::plugins::{PageAdditions, PluginContent, PluginTab, added};
use crate::schedule::ScheduleConfig;
use crate::state::App;

/// What a page needs to draw itself.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Config {
    name: String,
    summary: String,
    logo: &'static str,
    tags: Vec<String>,
    version: String,
    nsfw: bool,
    hide_viewer_count: bool,
    chat_disabled: bool,
    /// Only moderators can write for now; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    chat_paused: bool,
    chat_require_authentication: bool,
    /// As existing clients know it: true while the protection is on.
    chat_spam_protection_disabled: bool,
    chat_spam_protection_enabled: bool,
    chat_slow_mode_seconds: u32,
    chat_max_line_chars: usize,
    /// How long people can delete a message of their own.
    chat_own_deletion_seconds: u64,
    chat_open_when_offline: String,
    /// Nobody can write yet, because the server has not been set up; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    chat_awaits_setup: bool,
    /// What is written while a stream is recorded is kept as long as the recording; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    chat_recorded: bool,
    max_socket_payload_size: u32,
    /// What plugins add, as they wrote it, and then the operator's text as harmless HTML.
    extra_page_content: String,
    offline_message: String,
    /// The address of the picture behind the offline message; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    offline_picture: Option<String>,
    custom_styles: String,
    appearance_variables: BTreeMap<String, String>,
    /// Absent when empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    stream_title: String,
    social_handles: Vec<SocialLink>,
    #[schema(value_type = Vec<Button>)]
    external_actions: Vec<ExternalAction>,
    federation: FederationConfig,
    notifications: NotificationsConfig,
    authentication: AuthenticationConfig,
    schedule: ScheduleConfig,
    autoplay: String,
    /// Absent when empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    socket_host_override: String,
    /// Styles of plugins, below the operator's own.
    plugin_styles: String,
    /// The texts of plugins that `extraPageContent` begins with, one after the other and each by itself.
    plugin_content: Vec<PluginContent>,
    /// Tabs of plugins.
    plugin_tabs: Vec<PluginTab>,
    /// There are recordings for everybody to watch; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    videos: bool,
    /// How far viewers can go back in the live stream; absent if they cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    rewind: Option<RewindConfig>,
}

/// How far viewers can go back in the live stream.
#[derive(Debug, Serialize, ToSchema)]
struct RewindConfig {
    minutes: u32,
}

impl RewindConfig {
    fn of(settings: &Layers) -> Option<Self> {
        let minutes = *settings.get(&recording::REWIND_MINUTES);
        (minutes > 0).then_some(Self { minutes })
    }
}

/// A button below the player, as the settings keep it.
#[derive(ToSchema)]
#[schema(as = ExternalAction, rename_all = "camelCase")]
#[expect(dead_code, reason = "only the description is made from it")]
struct Button {
    /// Where it leads; empty when it shows `html`.
    url: String,
    /// What it shows, sanitised.
    html: String,
    title: String,
    description: String,
    /// The address of a small picture.
    icon: String,
    /// A CSS colour.
    color: String,
    /// In a tab of its own instead of above the page.
    open_externally: bool,
}

/// Whether the server is part of the Fediverse.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FederationConfig {
    enabled: bool,
    /// `user@host`; absent while it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    account: Option<String>,
    /// How many follow; absent while it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    follower_count: Option<i64>,
    /// The operator keeps the list of followers to themselves; absent while it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    hide_followers_tab: Option<bool>,
}

impl FederationConfig {
    async fn of(app: &App, settings: &Layers) -> Self {
        // Without a public address the server cannot be addressed by others.
        let names = Names::of(settings).filter(|_| *settings.get(&federation::ENABLED));
        let Some(names) = names else {
            return Self::default();
        };
        let counted = app.store.federation().count_followers().await;
        let follower_count = counted.inspect_err(|error| {
            model::stranger_line!(warn, "followers", %error, "followers cannot be counted; the page does without");
        });
        Self {
            enabled: true,
            account: Some(names.account()),
            follower_count: follower_count.ok(),
            hide_followers_tab: Some(*settings.get(&federation::HIDE_FOLLOWERS)),
        }
    }
}

/// Which notices visitors can ask for.
#[derive(Debug, Serialize, ToSchema)]
struct NotificationsConfig {
    browser: BrowserNotices,
}

/// Notices by the browser.
#[derive(Debug, Serialize, ToSchema)]
struct BrowserNotices {
    enabled: bool,
}

/// How people can sign in to the chat.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AuthenticationConfig {
    indie_auth_enabled: bool,
}

pub(crate) async fn get(State(app): State<App>, uri: Uri, headers: HeaderMap) -> Response {
    let viewer = viewer(&app, &uri, &headers).await;
    let config = config_document(&app, viewer.as_ref()).await;
    (NO_CACHE, Json(config)).into_response()
}

/// A button of a plugin among the operator's.
fn button(action: Action) -> ExternalAction {
    ExternalAction {
        url: action.url.unwrap_or_default(),
        html: cleaned(&action.html.unwrap_or_default()),
        title: action.title,
        description: action.description.unwrap_or_default(),
        icon: action.icon.unwrap_or_default(),
        color: action.color.unwrap_or_default(),
        open_externally: action.open_externally.unwrap_or_default(),
    }
}

/// The document for this viewer.
pub(crate) async fn config_document(app: &App, viewer: Option<&User>) -> Config {
    let PageAdditions {
        styles,
        content,
        tabs,
        actions,
    } = added(app, viewer).await;
    let settings = app.settings.now();
    let texts = app.texts.of(&settings);
    let is_set_up = *app.operator.identity.is_set_up().borrow();
    Config {
        name: settings.get(&NAME).clone(),
        summary: settings.get(&SUMMARY).clone(),
        logo: "/logo",
        tags: settings.get(&TAGS).clone(),
        version: version(),
        nsfw: *settings.get(&NSFW),
        hide_viewer_count: *settings.get(&HIDE_VIEWER_COUNT),
        chat_disabled: *settings.get(&chat::DISABLED),
        chat_paused: *settings.get(&chat::PAUSED),
        chat_require_authentication: *settings.get(&chat::REQUIRE_AUTHENTICATION),
        chat_spam_protection_disabled: *settings.get(&chat::SPAM_PROTECTION),
        chat_spam_protection_enabled: *settings.get(&chat::SPAM_PROTECTION),
        chat_slow_mode_seconds: *settings.get(&chat::SLOW_MODE_SECONDS),
        chat_max_line_chars: ::chat::MAX_LINE_CHARS,
        chat_own_deletion_seconds: ::chat::OWN_DELETION_WINDOW.as_secs(),
        chat_open_when_offline: settings.get(&chat::WHEN_OFFLINE).clone(),
        chat_awaits_setup: !is_set_up,
        chat_recorded: is_chat_recorded(app, &settings).await,
        max_socket_payload_size: 2048,
        extra_page_content: page_content(&content, &texts.page),
        offline_message: texts.offline.clone(),
        offline_picture: offline_picture::address(app).await,
        custom_styles: settings.get(&CUSTOM_STYLES).clone(),
        appearance_variables: settings.get(&APPEARANCE).clone(),
        stream_title: settings.get(&STREAM_TITLE).clone(),
        social_handles: settings
            .get(&SOCIAL_HANDLES)
            .iter()
            .map(SocialLink::from)
            .collect(),
        external_actions: texts
            .actions
            .iter()
            .cloned()
            .chain(actions.into_iter().map(button))
            .collect(),
        federation: FederationConfig::of(app, &settings).await,
        notifications: NotificationsConfig {
            browser: BrowserNotices { enabled: false },
        },
        authentication: AuthenticationConfig {
            indie_auth_enabled: !settings.text(&SERVER_URL).is_empty(),
        },
        schedule: ScheduleConfig::of(&settings),
        autoplay: settings.get(&page::AUTOPLAY).clone(),
        socket_host_override: settings.get(&page::SOCKET_HOST_OVERRIDE).clone(),
        plugin_styles: styles,
        plugin_content: content,
        plugin_tabs: tabs,
        videos: has_videos(app).await,
        rewind: RewindConfig::of(&settings),
    }
}

/// A page that is drawn without knowing is drawn all the same.
async fn has_videos(app: &App) -> bool {
    let found = app.store.has_public_recordings().await;
    let found = found.inspect_err(|error| {
        model::stranger_line!(warn, "recordings", %error, "recordings cannot be counted; the page does without");
    });
    found.unwrap_or(false)
}

/// Whether messages may be kept beside a recording. The setting is for the next stream; what it was when this one began
/// counts as well.
async fn is_chat_recorded(app: &App, settings: &Layers) -> bool {
    if *settings.get(&recording::CHAT) {
        return true;
    }
    let found = app.store.is_chat_recorded().await.inspect_err(|error| {
        model::stranger_line!(warn, "recordings", %error, "cannot look up whether the chat is recorded; the page says so");
    });
    found.unwrap_or(true)
}

/// The operator's text below what plugins add.
fn page_content(added: &[PluginContent], own: &str) -> String {
    let mut all: String = added.iter().map(|part| part.html.as_str()).collect();
    all.push_str(own);
    all
}

/// `Rillcast v0.3.0-linux-x86_64`
fn version() -> String {
    let (title, version) = (product::TITLE, product::VERSION);
    format!(
        "{title} v{version}-{}-{}",
        std::env::consts::OS,
        std::env::consts::ARCH
    )
}
