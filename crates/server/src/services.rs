//! What plugins may do with the rest of the server. Every effect here is one call of the room that owns it.

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
    Broadcaster, ChatClient, ChatMessage, Emote, Federation as FederationFacts, Reading,
    ServerInfo, Social, StreamNow, User, VideoConfig, VideoWish,
};
use plugins::host::{
    Answer, Bot, HostServices, Identity, Level, Push, Registered, SocialNotice, Uploads,
};
use store::settings::Settings;
use store::{Actor, Store};

/// The rooms, as plugins use them.
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

/// Who did it, for the moderators' log.
fn actor(slug: &str) -> Actor {
    Actor {
        id: format!("plugin:{slug}"),
        name: format!("plugin {slug}"),
    }
}

/// What a plugin hears when a room fails; the operator reads the rest in the log.
fn failed(error: impl std::fmt::Display) -> String {
    tracing::error!(%error, "what a plugin asked for failed");
    "the server could not do it, its log says why".into()
}

impl HostServices for Services {
    fn log(&self, slug: &str, level: Level, message: &str) {
        match level {
            Level::Info => tracing::info!(plugin = slug, "{message}"),
            Level::Warning => tracing::warn!(plugin = slug, "{message}"),
            Level::Error => tracing::error!(plugin = slug, "{message}"),
        }
    }

    fn send_chat<'a>(&'a self, bot: &'a Bot, text: &'a str) -> Answer<'a, ()> {
        Box::pin(self.say(bot, text))
    }

    fn send_chat_action<'a>(&'a self, bot: &'a Bot, text: &'a str) -> Answer<'a, ()> {
        Box::pin(self.act(bot, text))
    }

    fn send_chat_system<'a>(&'a self, body: &'a str) -> Answer<'a, ()> {
        Box::pin(async { self.chat.say_system(body.to_owned()).await.map_err(failed) })
    }

    fn send_chat_to<'a>(&'a self, client: u64, text: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            self.chat.say_to(client, text.to_owned()).await;
            Ok(())
        })
    }

    fn chat_history(&self, limit: u32) -> Answer<'_, Vec<ChatMessage>> {
        Box::pin(self.lines(limit))
    }

    fn chat_clients(&self) -> Answer<'_, Vec<ChatClient>> {
        Box::pin(async { Ok(self.connections().await) })
    }

    fn delete_message<'a>(&'a self, slug: &'a str, id: &'a str) -> Answer<'a, ()> {
        Box::pin(self.hide(slug, id))
    }

    fn kick_client<'a>(&'a self, _slug: &'a str, client: u64) -> Answer<'a, ()> {
        Box::pin(async move {
            match self.chat.kick(client).await {
                true => Ok(()),
                false => Err(format!("there is no connection {client}")),
            }
        })
    }

    fn users(&self) -> Answer<'_, Vec<User>> {
        Box::pin(self.everybody())
    }

    fn user<'a>(&'a self, id: &'a str) -> Answer<'a, Option<User>> {
        Box::pin(self.somebody(id))
    }

    fn set_user_enabled<'a>(
        &'a self,
        slug: &'a str,
        id: &'a str,
        enabled: bool,
        _reason: &'a str,
    ) -> Answer<'a, ()> {
        Box::pin(self.admit(slug, id, enabled))
    }

    fn ban_ip<'a>(&'a self, slug: &'a str, ip: &'a str) -> Answer<'a, ()> {
        Box::pin(self.keep_out(slug, ip))
    }

    fn register_user<'a>(
        &'a self,
        slug: &'a str,
        identity: &'a Identity,
    ) -> Answer<'a, Registered> {
        Box::pin(self.vouch(slug, identity))
    }

    fn session_token<'a>(&'a self, slug: &'a str, user: &'a str) -> Answer<'a, Secret> {
        Box::pin(self.token(slug, user))
    }

    fn upload<'a>(&'a self, slug: &'a str, name: &'a str, bytes: &'a [u8]) -> Answer<'a, String> {
        Box::pin(self.publish(slug, name, bytes))
    }

    fn stream(&self) -> Answer<'_, Reading<StreamNow>> {
        Box::pin(async { Ok(self.stream_now().into()) })
    }

    fn broadcaster(&self) -> Answer<'_, Reading<Broadcaster>> {
        Box::pin(async { Ok(self.publisher().into()) })
    }

    fn server_info(&self) -> Answer<'_, Reading<ServerInfo>> {
        Box::pin(async { Ok(self.about().into()) })
    }

    fn socials(&self) -> Answer<'_, Vec<Reading<Social>>> {
        Box::pin(async { Ok(self.accounts()) })
    }

    fn emotes(&self) -> Answer<'_, Vec<Emote>> {
        Box::pin(async { Ok(self.pictures()) })
    }

    fn federation(&self) -> Answer<'_, Reading<FederationFacts>> {
        Box::pin(async { Ok(self.fediverse().into()) })
    }

    fn tags(&self) -> Answer<'_, Vec<String>> {
        Box::pin(async { Ok(self.words()) })
    }

    fn video_config(&self) -> Answer<'_, Reading<VideoConfig>> {
        Box::pin(async { Ok(self.video().into()) })
    }

    fn write_video_config<'a>(&'a self, slug: &'a str, wish: &'a VideoWish) -> Answer<'a, ()> {
        Box::pin(self.change_video(slug, wish))
    }

    fn notify_discord<'a>(&'a self, text: &'a str) -> Answer<'a, ()> {
        Box::pin(self.discord(text))
    }

    fn notify_browser_push<'a>(&'a self, _push: &'a Push) -> Answer<'a, bool> {
        // Viewers cannot ask for these notes here, so there is nobody to send them to.
        Box::pin(async { Ok(false) })
    }

    fn notify_fediverse<'a>(&'a self, notice: &'a SocialNotice) -> Answer<'a, ()> {
        Box::pin(self.engagement(notice))
    }

    fn fediverse_post<'a>(&'a self, slug: &'a str, text: &'a str) -> Answer<'a, String> {
        Box::pin(self.post(slug, text))
    }
}
