//! What the rest of the server does for plugins.

use std::fmt::{self, Debug};

use futures_util::future::BoxFuture;
use serde::Serialize;

use crate::host::log::Level;
use crate::host::wire::{
    Broadcaster, ChatClient, ChatMessage, Emote, FederationInfo, MaybeRaw, ServerInfo, Social,
    StreamNow, User, VideoConfig, VideoConfigChange,
};
use crate::permission::Permission;

/// The outcome of a service: a value, or a sentence for the plugin's author.
pub type ServiceFuture<'a, T> = BoxFuture<'a, Result<T, String>>;

/// Under which name a plugin talks in the chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bot {
    /// The plugin; one persistent user for each.
    pub slug: String,
    /// As shown.
    pub display_name: String,
}

/// Somebody a plugin knows from elsewhere; checked already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Who it is there; with the plugin's slug it is the key.
    pub auth_id: String,
    /// The name to be shown when they are new.
    pub display_name: Option<String>,
    /// Rights to be applied; none leaves them as they are.
    pub scopes: Option<Vec<String>>,
    /// A page about them, http or https.
    pub profile_url: Option<String>,
    /// Their name there.
    pub handle: Option<String>,
    /// Whether others may see where they come from.
    pub public: Option<bool>,
}

/// Somebody a plugin vouches for, as they are kept; the order of the fields is that of the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegisteredUser {
    /// Which user they are.
    pub user_id: String,
    /// A page about them, as it was given the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_url: Option<String>,
    /// Their name there, as it was given the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Whether others may see where they come from, as it was given the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public: Option<bool>,
}

/// A note on people's screens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Push {
    pub title: String,
    pub body: String,
    pub url: String,
}

/// An entry in the chat about something that happened in the Fediverse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SocialNotice {
    /// `follow`, `like`, `repost`, or a word of the plugin's own.
    pub kind: String,
    pub body: String,
    pub image: String,
    pub link: String,
}

/// What `server` implements with the real crates, and [`crate::host::mock`] with lists in memory.
///
/// Permissions and arguments were checked before any of this is called; what is left is the effect.
pub trait HostServices: Send + Sync + Debug {
    /// Keeps a line of a plugin's own log.
    fn log(&self, slug: &str, level: Level, message: &str);

    /// Keeps note of a call that was refused for want of a permission.
    fn denied(&self, slug: &str, function: &str, missing: Permission) {
        tracing::warn!(
            plugin = slug,
            function,
            permission = missing.as_str(),
            "refused a plugin's call: its manifest does not ask for the permission"
        );
    }

    /// Keeps note of a call that failed, with its traceback.
    fn failed(&self, slug: &str, error: &str) {
        tracing::warn!(plugin = slug, "{error}");
    }

    /// Something of a plugin went past the server to others: an event of its own, a frame for pages that listen.
    fn passed_on(&self, _slug: &str, _what: &str, _about: fmt::Arguments<'_>) {}

    /// Says something in the chat as the plugin's bot.
    fn send_chat<'a>(&'a self, bot: &'a Bot, text: &'a str) -> ServiceFuture<'a, ()>;
    /// Does something in the chat as the plugin's bot.
    fn send_chat_action<'a>(&'a self, bot: &'a Bot, text: &'a str) -> ServiceFuture<'a, ()>;
    /// Announces something to everybody in the chat; the body is HTML.
    fn send_chat_system<'a>(&'a self, body: &'a str) -> ServiceFuture<'a, ()>;
    /// Tells one connection something; an unknown one hears nothing, and that is no failure.
    fn send_chat_to<'a>(&'a self, client: u64, text: &'a str) -> ServiceFuture<'a, ()>;
    /// The newest messages, oldest first.
    fn chat_history(&self, limit: u32) -> ServiceFuture<'_, Vec<ChatMessage>>;
    /// Who is connected.
    fn chat_clients(&self) -> ServiceFuture<'_, Vec<ChatClient>>;
    /// Hides a message.
    fn delete_message<'a>(&'a self, slug: &'a str, id: &'a str) -> ServiceFuture<'a, ()>;
    /// Ends a connection.
    fn kick_client<'a>(&'a self, slug: &'a str, client: u64) -> ServiceFuture<'a, ()>;

    /// Everybody the chat knows.
    fn users(&self) -> ServiceFuture<'_, Vec<User>>;
    /// One of them.
    fn user<'a>(&'a self, id: &'a str) -> ServiceFuture<'a, Option<User>>;
    /// Lets somebody in or keeps them out; those kept out are disconnected.
    fn set_user_enabled<'a>(
        &'a self,
        slug: &'a str,
        id: &'a str,
        enabled: bool,
        reason: &'a str,
    ) -> ServiceFuture<'a, ()>;
    /// Keeps an address out.
    fn ban_ip<'a>(&'a self, slug: &'a str, ip: &'a str) -> ServiceFuture<'a, ()>;
    /// Finds or makes the user a plugin vouches for.
    fn register_user<'a>(
        &'a self,
        slug: &'a str,
        identity: &'a Identity,
    ) -> ServiceFuture<'a, RegisteredUser>;
    /// A fresh chat token for a user this plugin registered; an error for anybody else.
    fn session_token<'a>(
        &'a self,
        slug: &'a str,
        user: &'a str,
    ) -> ServiceFuture<'a, model::Secret>;

    /// Keeps a file everybody may load, and gives its address.
    fn upload<'a>(
        &'a self,
        slug: &'a str,
        name: &'a str,
        bytes: &'a [u8],
    ) -> ServiceFuture<'a, String>;

    /// What is on.
    fn stream(&self) -> ServiceFuture<'_, MaybeRaw<StreamNow>>;
    /// What the broadcaster sends.
    fn broadcaster(&self) -> ServiceFuture<'_, MaybeRaw<Broadcaster>>;
    /// About this server.
    fn server_info(&self) -> ServiceFuture<'_, MaybeRaw<ServerInfo>>;
    /// Where the operator has accounts.
    fn socials(&self) -> ServiceFuture<'_, Vec<MaybeRaw<Social>>>;
    /// Pictures for the chat.
    fn emotes(&self) -> ServiceFuture<'_, Vec<Emote>>;
    /// How this server takes part in the Fediverse.
    fn federation(&self) -> ServiceFuture<'_, MaybeRaw<FederationInfo>>;
    /// Words about the stream.
    fn tags(&self) -> ServiceFuture<'_, Vec<String>>;
    /// How the video is made.
    fn video_config(&self) -> ServiceFuture<'_, MaybeRaw<VideoConfig>>;
    /// Changes what is named, from the next broadcast on.
    fn write_video_config<'a>(
        &'a self,
        slug: &'a str,
        change: &'a VideoConfigChange,
    ) -> ServiceFuture<'a, ()>;

    /// Writes to the operator's Discord channel; nothing happens when there is none.
    fn notify_discord<'a>(&'a self, text: &'a str) -> ServiceFuture<'a, ()>;
    /// Puts a note on the screens of those who asked for it; false where nobody can ask for it.
    fn notify_browser_push<'a>(&'a self, push: &'a Push) -> ServiceFuture<'a, bool>;
    /// Puts an entry into the chat, in the form of a Fediverse engagement.
    fn notify_fediverse<'a>(&'a self, notice: &'a SocialNotice) -> ServiceFuture<'a, ()>;
    /// Posts as the server's account, and gives the post's address as far as it is known.
    fn fediverse_post<'a>(&'a self, slug: &'a str, text: &'a str) -> ServiceFuture<'a, String>;
}
