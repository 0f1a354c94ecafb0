//! The server's services for plugins.

use std::fmt::Debug;

use futures_util::future::BoxFuture;
use serde::Serialize;

use crate::host::events::EmittedEvent;
use crate::host::log::Level;
use crate::host::wire::{
    Broadcaster, ChatClient, ChatMessage, Emote, FederationInfo, MaybeRaw, ServerInfo, Social,
    StreamNow, User, VideoConfig, VideoConfigChange,
};
use crate::permission::Permission;

/// The result of a service: a value, or a message for the plugin's author.
pub type ServiceFuture<'a, T> = BoxFuture<'a, Result<T, String>>;

/// The identity under which a plugin speaks in the chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bot {
    /// The plugin; each has one persistent user.
    pub slug: String,
    pub display_name: String,
}

/// A person whom a plugin knows from elsewhere; already validated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Their id there; together with the plugin's slug it is the key.
    pub auth_id: String,
    /// The name for a new user.
    pub display_name: Option<String>,
    /// Rights to set; `None` keeps them unchanged.
    pub scopes: Option<Vec<String>>,
    /// Their profile page, http or https.
    pub profile_url: Option<String>,
    /// Their name there.
    pub handle: Option<String>,
    /// Whether others may see where they come from.
    pub public: Option<bool>,
}

/// A stored user registered by a plugin; the field order is the wire order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegisteredUser {
    pub user_id: String,
    /// Their profile page, as first given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_url: Option<String>,
    /// Their name there, as first given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Whether others may see where they come from, as first given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public: Option<bool>,
}

/// A push notification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Push {
    pub title: String,
    pub body: String,
    pub url: String,
}

/// A chat entry about an event in the Fediverse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SocialNotice {
    /// `follow`, `like`, `repost`, or a word chosen by the plugin.
    pub kind: String,
    pub body: String,
    pub image: String,
    pub link: String,
}

/// Implemented by `server` with the real crates, and by [`crate::host::mock`] with lists in memory.
///
/// Permissions and arguments are checked before any of this is called; only the effect is left.
pub trait HostServices: Send + Sync + Debug {
    /// Stores a line of a plugin's own log.
    fn log(&self, slug: &str, level: Level, message: &str);

    /// Records a call that was refused because a permission is missing.
    fn denied(&self, slug: &str, function: &str, missing: Permission) {
        tracing::warn!(
            plugin = slug,
            function,
            permission = missing.as_str(),
            "refused a plugin's call: its manifest does not ask for the permission"
        );
    }

    /// Records a failed call with its traceback.
    fn failed(&self, slug: &str, error: &str) {
        tracing::warn!(plugin = slug, "{error}");
    }

    /// A plugin emitted an event; the runtime passes it to other plugins.
    fn event_emitted(&self, _event: &EmittedEvent) {}

    /// A plugin sent a frame to the pages that listen to its channel; the hub passes it to them.
    fn frame_sent(&self, _slug: &str, _channel: &str, _event: &str, _data: &str) {}

    /// Posts a chat line as the plugin's bot.
    fn send_chat<'a>(&'a self, bot: &'a Bot, text: &'a str) -> ServiceFuture<'a, ()>;
    /// Posts an action line as the plugin's bot.
    fn send_chat_action<'a>(&'a self, bot: &'a Bot, text: &'a str) -> ServiceFuture<'a, ()>;
    /// Posts a system message to everybody in the chat; the body is HTML.
    fn send_chat_system<'a>(&'a self, body: &'a str) -> ServiceFuture<'a, ()>;
    /// Sends a line to one connection; an unknown connection is no error.
    fn send_chat_to<'a>(&'a self, client: u64, text: &'a str) -> ServiceFuture<'a, ()>;
    /// The newest messages, oldest first.
    fn chat_history(&self, limit: u32) -> ServiceFuture<'_, Vec<ChatMessage>>;
    /// The connected clients.
    fn chat_clients(&self) -> ServiceFuture<'_, Vec<ChatClient>>;
    /// Hides a message.
    fn delete_message<'a>(&'a self, slug: &'a str, id: &'a str) -> ServiceFuture<'a, ()>;
    /// Disconnects a client.
    fn kick_client<'a>(&'a self, slug: &'a str, client: u64) -> ServiceFuture<'a, ()>;

    /// All chat users.
    fn users(&self) -> ServiceFuture<'_, Vec<User>>;
    fn user<'a>(&'a self, id: &'a str) -> ServiceFuture<'a, Option<User>>;
    /// Enables or disables a user; a disabled user is disconnected.
    fn set_user_enabled<'a>(
        &'a self,
        slug: &'a str,
        id: &'a str,
        enabled: bool,
        reason: &'a str,
    ) -> ServiceFuture<'a, ()>;
    /// Bans an IP address.
    fn ban_ip<'a>(&'a self, slug: &'a str, ip: &'a str) -> ServiceFuture<'a, ()>;
    /// Finds or creates the user that a plugin vouches for.
    fn register_user<'a>(
        &'a self,
        slug: &'a str,
        identity: &'a Identity,
    ) -> ServiceFuture<'a, RegisteredUser>;
    /// A new chat token for a user registered by this plugin; an error for anybody else.
    fn session_token<'a>(
        &'a self,
        slug: &'a str,
        user: &'a str,
    ) -> ServiceFuture<'a, model::Secret>;

    /// Stores a public file and returns its address.
    fn upload<'a>(
        &'a self,
        slug: &'a str,
        name: &'a str,
        bytes: &'a [u8],
    ) -> ServiceFuture<'a, String>;

    /// The current stream.
    fn stream(&self) -> ServiceFuture<'_, MaybeRaw<StreamNow>>;
    /// What the publisher sends.
    fn broadcaster(&self) -> ServiceFuture<'_, MaybeRaw<Broadcaster>>;
    fn server_info(&self) -> ServiceFuture<'_, MaybeRaw<ServerInfo>>;
    /// The operator's accounts elsewhere.
    fn socials(&self) -> ServiceFuture<'_, Vec<MaybeRaw<Social>>>;
    /// Custom emoji for the chat.
    fn emotes(&self) -> ServiceFuture<'_, Vec<Emote>>;
    /// The server's federation settings.
    fn federation(&self) -> ServiceFuture<'_, MaybeRaw<FederationInfo>>;
    /// The stream's tags.
    fn tags(&self) -> ServiceFuture<'_, Vec<String>>;
    /// The video settings.
    fn video_config(&self) -> ServiceFuture<'_, MaybeRaw<VideoConfig>>;
    /// Changes the named settings, from the next broadcast on.
    fn write_video_config<'a>(
        &'a self,
        slug: &'a str,
        change: &'a VideoConfigChange,
    ) -> ServiceFuture<'a, ()>;

    /// Posts to the operator's Discord channel; does nothing if there is none.
    fn notify_discord<'a>(&'a self, text: &'a str) -> ServiceFuture<'a, ()>;
    /// Sends a push notification to its subscribers; false where nobody can subscribe.
    fn notify_browser_push<'a>(&'a self, push: &'a Push) -> ServiceFuture<'a, bool>;
    /// Adds a chat entry in the form of a Fediverse engagement.
    fn notify_fediverse<'a>(&'a self, notice: &'a SocialNotice) -> ServiceFuture<'a, ()>;
    /// Posts as the server's account and returns the post's address if it is known.
    fn fediverse_post<'a>(&'a self, slug: &'a str, text: &'a str) -> ServiceFuture<'a, String>;
}
