//! The mock server's services: they record each call.

use std::collections::BTreeMap;

use futures_util::future::BoxFuture;
use model::Secret;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Mock, RecordedCalls};
use crate::host::events::EmittedEvent;
use crate::host::log::Level;
use crate::host::parts::{Deliveries, PluginData};
use crate::host::services::{
    Bot, HostServices, Identity, Push, RegisteredUser, ServiceFuture, SocialNotice,
};
use crate::host::wire::{
    Broadcaster, ChatClient, ChatMessage, Emote, FederationInfo, MaybeRaw, ServerInfo, Social,
    StreamNow, User, VideoConfig, VideoConfigChange,
};
use crate::manifest::Action;
use crate::permission::Permission;

fn ready<'a, T: Send + 'a>(value: T) -> ServiceFuture<'a, T> {
    Box::pin(std::future::ready(Ok(value)))
}

fn given<'a, T: Default + Send + 'a>(raw: Option<&RawValue>) -> ServiceFuture<'a, MaybeRaw<T>> {
    ready(match raw {
        Some(raw) => MaybeRaw::Raw(raw.to_owned()),
        None => MaybeRaw::Typed(T::default()),
    })
}

impl Mock {
    fn note<'a>(&self, write: impl FnOnce(&mut RecordedCalls)) -> ServiceFuture<'a, ()> {
        write(&mut self.record());
        ready(())
    }
}

impl HostServices for Mock {
    fn log(&self, slug: &str, level: Level, message: &str) {
        let line = (slug.to_owned(), level, message.to_owned());
        self.record().logs.push(line);
    }

    fn denied(&self, slug: &str, function: &str, missing: Permission) {
        let line = (slug.to_owned(), function.to_owned(), missing);
        self.record().denials.push(line);
    }

    fn event_emitted(&self, event: &EmittedEvent) {
        self.record().emits.push(event.clone());
    }

    fn frame_sent(&self, _slug: &str, channel: &str, event: &str, data: &str) {
        let frame = (channel.to_owned(), event.to_owned(), data.to_owned());
        self.record().sse_sends.push(frame);
    }

    fn send_chat<'a>(&'a self, _bot: &'a Bot, text: &'a str) -> ServiceFuture<'a, ()> {
        self.note(|all| all.chat_sends.push(text.into()))
    }

    fn send_chat_action<'a>(&'a self, _bot: &'a Bot, text: &'a str) -> ServiceFuture<'a, ()> {
        self.note(|all| all.chat_actions.push(text.into()))
    }

    fn send_chat_system<'a>(&'a self, body: &'a str) -> ServiceFuture<'a, ()> {
        self.note(|all| all.chat_systems.push(body.into()))
    }

    fn send_chat_to<'a>(&'a self, client: u64, text: &'a str) -> ServiceFuture<'a, ()> {
        self.note(|all| all.chat_to.push((client, text.into())))
    }

    fn chat_history(&self, limit: u32) -> ServiceFuture<'_, Vec<ChatMessage>> {
        let all = &self.given.chat_history;
        let newest = all.len().saturating_sub(limit as usize);
        ready(all[newest..].to_vec())
    }

    fn chat_clients(&self) -> ServiceFuture<'_, Vec<ChatClient>> {
        ready(self.given.chat_clients.clone())
    }

    fn delete_message<'a>(&'a self, _slug: &'a str, id: &'a str) -> ServiceFuture<'a, ()> {
        self.note(|all| all.deleted_messages.push(id.into()))
    }

    fn kick_client<'a>(&'a self, _slug: &'a str, client: u64) -> ServiceFuture<'a, ()> {
        self.note(|all| all.kicked_clients.push(client))
    }

    fn users(&self) -> ServiceFuture<'_, Vec<User>> {
        ready(self.given.users.clone())
    }

    fn user<'a>(&'a self, id: &'a str) -> ServiceFuture<'a, Option<User>> {
        let users = &mut self.given.users.iter();
        ready(users.find(|user| user.id == id).cloned())
    }

    fn set_user_enabled<'a>(
        &'a self,
        _slug: &'a str,
        id: &'a str,
        enabled: bool,
        reason: &'a str,
    ) -> ServiceFuture<'a, ()> {
        self.note(|all| {
            all.user_moderations
                .push((id.into(), enabled, reason.into()));
        })
    }

    fn ban_ip<'a>(&'a self, _slug: &'a str, ip: &'a str) -> ServiceFuture<'a, ()> {
        self.note(|all| all.banned_ips.push(ip.into()))
    }

    fn register_user<'a>(
        &'a self,
        _slug: &'a str,
        identity: &'a Identity,
    ) -> ServiceFuture<'a, RegisteredUser> {
        let mut record = self.record();
        let mut before = record.user_registrations.iter();
        let first = before.find(|one| one.auth_id == identity.auth_id);
        let first = first.unwrap_or(identity).clone();
        record.user_registrations.push(identity.clone());
        ready(RegisteredUser {
            user_id: format!("u-{}", first.auth_id),
            profile_url: first.profile_url,
            handle: first.handle,
            public: first.public,
        })
    }

    fn session_token<'a>(&'a self, _slug: &'a str, user: &'a str) -> ServiceFuture<'a, Secret> {
        self.record().session_tokens.push(user.into());
        // The token names the user, so that the session's owner can be checked.
        ready(Secret::new(user))
    }

    fn upload<'a>(
        &'a self,
        _slug: &'a str,
        name: &'a str,
        bytes: &'a [u8],
    ) -> ServiceFuture<'a, String> {
        self.record().uploads.push((name.into(), bytes.to_vec()));
        ready(format!("mock://uploads/{name}"))
    }

    fn stream(&self) -> ServiceFuture<'_, MaybeRaw<StreamNow>> {
        given(self.given.stream.as_deref())
    }

    fn broadcaster(&self) -> ServiceFuture<'_, MaybeRaw<Broadcaster>> {
        given(self.given.broadcaster.as_deref())
    }

    fn server_info(&self) -> ServiceFuture<'_, MaybeRaw<ServerInfo>> {
        given(self.given.server.as_deref())
    }

    fn socials(&self) -> ServiceFuture<'_, Vec<MaybeRaw<Social>>> {
        let socials = self.given.socials.iter().cloned();
        ready(socials.map(MaybeRaw::Raw).collect())
    }

    fn emotes(&self) -> ServiceFuture<'_, Vec<Emote>> {
        ready(vec![])
    }

    fn federation(&self) -> ServiceFuture<'_, MaybeRaw<FederationInfo>> {
        given(self.given.federation.as_deref())
    }

    fn tags(&self) -> ServiceFuture<'_, Vec<String>> {
        ready(self.given.tags.clone())
    }

    fn video_config(&self) -> ServiceFuture<'_, MaybeRaw<VideoConfig>> {
        given(self.given.video_config.as_deref())
    }

    fn write_video_config<'a>(
        &'a self,
        _slug: &'a str,
        change: &'a VideoConfigChange,
    ) -> ServiceFuture<'a, ()> {
        let raw = change.given.as_ref();
        let written = raw.and_then(|raw| serde_json::from_str(raw.get()).ok());
        self.note(|all| all.video_config_writes.extend(written))
    }

    fn notify_discord<'a>(&'a self, text: &'a str) -> ServiceFuture<'a, ()> {
        self.note(|all| all.discord_posts.push(text.into()))
    }

    fn notify_browser_push<'a>(&'a self, push: &'a Push) -> ServiceFuture<'a, bool> {
        self.record().browser_pushes.push(push.clone());
        ready(true)
    }

    fn notify_fediverse<'a>(&'a self, notice: &'a SocialNotice) -> ServiceFuture<'a, ()> {
        self.note(|all| all.fediverse_posts.push(notice.clone()))
    }

    fn fediverse_post<'a>(&'a self, slug: &'a str, text: &'a str) -> ServiceFuture<'a, String> {
        let mut record = self.record();
        record.fediverse_outbox.push(text.into());
        let count = record.fediverse_outbox.len();
        ready(format!("mock://fediverse/{slug}/{count}"))
    }
}

impl PluginData for Mock {
    fn kv_get<'a>(&'a self, _slug: &'a str, key: &'a str) -> ServiceFuture<'a, Option<String>> {
        ready(self.record().kv.get(key).cloned())
    }

    fn kv_set<'a>(&'a self, _slug: &'a str, key: &'a str, value: &'a str) -> ServiceFuture<'a, ()> {
        self.note(|all| {
            all.kv.insert(key.into(), value.into());
        })
    }

    fn config<'a>(&'a self, _slug: &'a str) -> ServiceFuture<'a, BTreeMap<String, Value>> {
        ready(self.given.config.clone())
    }

    fn actions<'a>(&'a self, _slug: &'a str) -> ServiceFuture<'a, Vec<Action>> {
        ready(self.record().actions.clone())
    }

    fn set_actions<'a>(&'a self, _slug: &'a str, actions: &'a [Action]) -> ServiceFuture<'a, ()> {
        self.note(|all| all.actions = actions.to_vec())
    }
}

impl Deliveries for Mock {
    fn emitted(&self, _event: EmittedEvent) {}

    fn timer_due<'a>(&'a self, _slug: &'a str, _id: i64) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }
}
