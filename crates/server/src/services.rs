//! What plugins may do with the rest of the server. Every effect here is one call to the crate that owns it.

mod chat;
mod people;
mod server;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use ::chat::Room;
use federation::Federation;
use media::stream::Stream;
use model::{Clock, Secret};
use outbound::Client;
use plugins::host::wire::{
    Broadcaster, ChatClient, ChatMessage, Emote, FederationInfo, MaybeRaw, ServerInfo, Social,
    StreamNow, User, VideoConfig, VideoConfigChange,
};
use plugins::host::{
    Bot, HostServices, Identity, Level, Push, RegisteredUser, ServiceFuture, SocialNotice, Uploads,
};
use store::settings::Settings;
use store::{Actor, Store};

/// The components that plugins use.
#[derive(Debug)]
pub(crate) struct Services {
    pub(crate) store: Store,
    pub(crate) settings: Settings,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chat: Room,
    pub(crate) live: Stream,
    pub(crate) federation: Federation,
    pub(crate) outbound: Client,
    /// Public files of plugins.
    pub(crate) uploads: Arc<Uploads>,
}

/// The plugin as the actor in the moderation log.
fn actor(slug: &str) -> Actor {
    Actor {
        id: format!("plugin:{slug}"),
        name: format!("plugin {slug}"),
    }
}

/// The error a plugin gets when a call fails; the details are in the operator's log.
fn failed(error: impl std::fmt::Display) -> String {
    tracing::error!(%error, "cannot do what a plugin, or its command, asked for");
    "the server failed to do it; see its log".into()
}

impl HostServices for Services {
    fn log(&self, slug: &str, level: Level, message: &str) {
        match level {
            Level::Info => tracing::info!(plugin = slug, "{message}"),
            Level::Warning => tracing::warn!(plugin = slug, "{message}"),
            Level::Error => tracing::error!(plugin = slug, "{message}"),
        }
    }

    fn send_chat<'a>(&'a self, bot: &'a Bot, text: &'a str) -> ServiceFuture<'a, ()> {
        Box::pin(self.send_chat(bot, text))
    }

    fn send_chat_action<'a>(&'a self, bot: &'a Bot, text: &'a str) -> ServiceFuture<'a, ()> {
        Box::pin(self.send_chat_action(bot, text))
    }

    fn send_chat_system<'a>(&'a self, body: &'a str) -> ServiceFuture<'a, ()> {
        Box::pin(async { self.chat.say_system(body.to_owned()).await.map_err(failed) })
    }

    fn send_chat_to<'a>(&'a self, client: u64, text: &'a str) -> ServiceFuture<'a, ()> {
        Box::pin(async move {
            self.chat.say_to(client, text.to_owned()).await;
            Ok(())
        })
    }

    fn chat_history(&self, limit: u32) -> ServiceFuture<'_, Vec<ChatMessage>> {
        Box::pin(self.chat_history(limit))
    }

    fn chat_clients(&self) -> ServiceFuture<'_, Vec<ChatClient>> {
        Box::pin(async { Ok(self.connections().await) })
    }

    fn delete_message<'a>(&'a self, slug: &'a str, id: &'a str) -> ServiceFuture<'a, ()> {
        Box::pin(self.delete_message(slug, id))
    }

    fn kick_client<'a>(&'a self, _slug: &'a str, client: u64) -> ServiceFuture<'a, ()> {
        Box::pin(async move {
            match self.chat.kick(client).await {
                true => Ok(()),
                false => Err(format!("there is no connection {client}")),
            }
        })
    }

    fn users(&self) -> ServiceFuture<'_, Vec<User>> {
        Box::pin(self.users())
    }

    fn user<'a>(&'a self, id: &'a str) -> ServiceFuture<'a, Option<User>> {
        Box::pin(self.user(id))
    }

    fn set_user_enabled<'a>(
        &'a self,
        slug: &'a str,
        id: &'a str,
        enabled: bool,
        reason: &'a str,
    ) -> ServiceFuture<'a, ()> {
        Box::pin(self.set_user_enabled(slug, id, enabled, reason))
    }

    fn ban_ip<'a>(&'a self, slug: &'a str, ip: &'a str) -> ServiceFuture<'a, ()> {
        Box::pin(self.ban_ip(slug, ip))
    }

    fn register_user<'a>(
        &'a self,
        slug: &'a str,
        identity: &'a Identity,
    ) -> ServiceFuture<'a, RegisteredUser> {
        Box::pin(self.register_user(slug, identity))
    }

    fn session_token<'a>(&'a self, slug: &'a str, user: &'a str) -> ServiceFuture<'a, Secret> {
        Box::pin(self.session_token(slug, user))
    }

    fn upload<'a>(
        &'a self,
        slug: &'a str,
        name: &'a str,
        bytes: &'a [u8],
    ) -> ServiceFuture<'a, String> {
        Box::pin(self.upload(slug, name, bytes))
    }

    fn stream(&self) -> ServiceFuture<'_, MaybeRaw<StreamNow>> {
        Box::pin(async { Ok(self.stream_now().into()) })
    }

    fn broadcaster(&self) -> ServiceFuture<'_, MaybeRaw<Broadcaster>> {
        Box::pin(async { Ok(self.publisher().into()) })
    }

    fn server_info(&self) -> ServiceFuture<'_, MaybeRaw<ServerInfo>> {
        Box::pin(async { Ok(self.about().into()) })
    }

    fn socials(&self) -> ServiceFuture<'_, Vec<MaybeRaw<Social>>> {
        Box::pin(async { Ok(self.accounts()) })
    }

    fn emotes(&self) -> ServiceFuture<'_, Vec<Emote>> {
        Box::pin(async { Ok(self.emotes()) })
    }

    fn federation(&self) -> ServiceFuture<'_, MaybeRaw<FederationInfo>> {
        Box::pin(async { Ok(self.fediverse().into()) })
    }

    fn tags(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(async { Ok(self.tags()) })
    }

    fn video_config(&self) -> ServiceFuture<'_, MaybeRaw<VideoConfig>> {
        Box::pin(async { Ok(self.video().into()) })
    }

    fn write_video_config<'a>(
        &'a self,
        slug: &'a str,
        change: &'a VideoConfigChange,
    ) -> ServiceFuture<'a, ()> {
        Box::pin(self.write_video_config(slug, change))
    }

    fn notify_discord<'a>(&'a self, text: &'a str) -> ServiceFuture<'a, ()> {
        Box::pin(self.notify_discord(text))
    }

    fn notify_browser_push<'a>(&'a self, _push: &'a Push) -> ServiceFuture<'a, bool> {
        // Viewers cannot subscribe to these notifications here, so there is nobody to send them to.
        Box::pin(async { Ok(false) })
    }

    fn notify_fediverse<'a>(&'a self, notice: &'a SocialNotice) -> ServiceFuture<'a, ()> {
        Box::pin(self.notify_fediverse(notice))
    }

    fn fediverse_post<'a>(&'a self, slug: &'a str, text: &'a str) -> ServiceFuture<'a, String> {
        Box::pin(self.fediverse_post(slug, text))
    }
}
