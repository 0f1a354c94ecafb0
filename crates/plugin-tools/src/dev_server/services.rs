//! The in-memory server's services for plugins: they log each call.

use std::sync::Arc;

use model::Secret;
use plugins::host::wire::{
    Broadcaster, ChatClient, ChatMessage, Emote, FederationInfo, MaybeRaw, ServerInfo, Social,
    StreamNow, User, VideoConfig, VideoConfigChange,
};
use plugins::host::{
    Bot, EmittedEvent, FetchRequest, FetchResponse, HostServices, Identity, Level, Network, Push,
    RegisteredUser, ServiceFuture, SocialNotice,
};
use plugins::permission::Permission;
use serde_json::value::RawValue;

use super::sample;
use super::sample_server::SampleServer;

fn ready<'a, T: Send + 'a>(value: T) -> ServiceFuture<'a, T> {
    Box::pin(std::future::ready(Ok(value)))
}

impl SampleServer {
    fn done<'a>(&self, what: &str, about: &str) -> ServiceFuture<'a, ()> {
        self.note(what, about);
        ready(())
    }

    fn speak(&self, bot: &Bot, text: &str) {
        let user = User {
            id: format!("bot:{}", bot.slug),
            display_name: bot.display_name.clone(),
            is_bot: true,
            ..User::default()
        };
        self.add_line(self.draft(Some(user), None, text));
    }
}

impl HostServices for SampleServer {
    fn log(&self, _slug: &str, level: Level, message: &str) {
        self.note_as(level, "log", &format!("{}: {message}", level.as_str()));
    }

    fn failed(&self, _slug: &str, error: &str) {
        self.note_as(Level::Error, "error", error);
    }

    fn event_emitted(&self, event: &EmittedEvent) {
        let EmittedEvent {
            event_type,
            payload,
            ..
        } = event;
        self.note("event", &format!("{event_type} {payload}"));
    }

    fn frame_sent(&self, _slug: &str, channel: &str, event: &str, data: &str) {
        self.note("frame", &format!("{channel} {event} {data}"));
    }

    fn denied(&self, _slug: &str, function: &str, missing: Permission) {
        let missing = missing.as_str();
        let about = format!("{function} needs the permission {missing:?}: add it to the manifest");
        self.note_as(Level::Error, "refused", &about);
    }

    fn send_chat<'a>(&'a self, bot: &'a Bot, text: &'a str) -> ServiceFuture<'a, ()> {
        self.speak(bot, text);
        self.done("chat", text)
    }

    fn send_chat_action<'a>(&'a self, bot: &'a Bot, text: &'a str) -> ServiceFuture<'a, ()> {
        self.speak(bot, text);
        self.done("chat action", text)
    }

    fn send_chat_system<'a>(&'a self, body: &'a str) -> ServiceFuture<'a, ()> {
        self.add_line(self.draft(None, None, body));
        self.done("chat system", body)
    }

    fn send_chat_to<'a>(&'a self, client: u64, text: &'a str) -> ServiceFuture<'a, ()> {
        self.done("chat", &format!("to connection {client} alone: {text}"))
    }

    fn chat_history(&self, limit: u32) -> ServiceFuture<'_, Vec<ChatMessage>> {
        let mut all = self.chat();
        let newest = all.len().saturating_sub(limit as usize);
        ready(all.split_off(newest))
    }

    fn chat_clients(&self) -> ServiceFuture<'_, Vec<ChatClient>> {
        ready(sample::clients())
    }

    fn delete_message<'a>(&'a self, _slug: &'a str, id: &'a str) -> ServiceFuture<'a, ()> {
        self.hide(id);
        self.done("delete message", id)
    }

    fn kick_client<'a>(&'a self, _slug: &'a str, client: u64) -> ServiceFuture<'a, ()> {
        self.done("kick", &format!("connection {client}"))
    }

    fn users(&self) -> ServiceFuture<'_, Vec<User>> {
        ready(SampleServer::users(self))
    }

    fn user<'a>(&'a self, id: &'a str) -> ServiceFuture<'a, Option<User>> {
        ready(SampleServer::user(self, id))
    }

    fn set_user_enabled<'a>(
        &'a self,
        _slug: &'a str,
        id: &'a str,
        enabled: bool,
        reason: &'a str,
    ) -> ServiceFuture<'a, ()> {
        let what = if enabled { "let in" } else { "ban" };
        self.done(what, &format!("user {id}: {reason}"))
    }

    fn ban_ip<'a>(&'a self, _slug: &'a str, ip: &'a str) -> ServiceFuture<'a, ()> {
        self.done("ban address", ip)
    }

    fn register_user<'a>(
        &'a self,
        _slug: &'a str,
        identity: &'a Identity,
    ) -> ServiceFuture<'a, RegisteredUser> {
        let id = format!("u-{}", identity.auth_id);
        let mut state = self.state();
        let known = state.registered.iter().position(|user| user.id == id);
        let place = known.unwrap_or_else(|| {
            let name = identity.display_name.as_ref();
            state.registered.push(User {
                id: id.clone(),
                display_name: name.unwrap_or(&identity.auth_id).clone(),
                is_authenticated: true,
                ..User::default()
            });
            state.registered.len() - 1
        });
        if let Some(scopes) = &identity.scopes {
            state.registered[place].scopes.clone_from(scopes);
        }
        drop(state);
        self.note("register user", &id);
        ready(RegisteredUser {
            user_id: id,
            profile_url: identity.profile_url.clone(),
            handle: identity.handle.clone(),
            public: identity.public,
        })
    }

    fn session_token<'a>(&'a self, slug: &'a str, user: &'a str) -> ServiceFuture<'a, Secret> {
        let state = self.state();
        let is_known = state.registered.iter().any(|known| known.id == user);
        drop(state);
        self.note("grant session", user);
        let answer = match is_known {
            // Session tokens here are just user ids.
            true => Ok(Secret::new(user)),
            false => Err(format!("{slug} has not registered the user {user:?}")),
        };
        Box::pin(std::future::ready(answer))
    }

    fn upload<'a>(
        &'a self,
        _slug: &'a str,
        name: &'a str,
        bytes: &'a [u8],
    ) -> ServiceFuture<'a, String> {
        self.note("upload", &format!("{name}, {} bytes", bytes.len()));
        ready(format!("mock://uploads/{name}"))
    }

    fn stream(&self) -> ServiceFuture<'_, MaybeRaw<StreamNow>> {
        ready(sample::stream().into())
    }

    fn broadcaster(&self) -> ServiceFuture<'_, MaybeRaw<Broadcaster>> {
        ready(sample::broadcaster().into())
    }

    fn server_info(&self) -> ServiceFuture<'_, MaybeRaw<ServerInfo>> {
        ready(sample::server().into())
    }

    fn socials(&self) -> ServiceFuture<'_, Vec<MaybeRaw<Social>>> {
        ready(sample::socials().into_iter().map(MaybeRaw::from).collect())
    }

    fn emotes(&self) -> ServiceFuture<'_, Vec<Emote>> {
        ready(sample::emotes())
    }

    fn federation(&self) -> ServiceFuture<'_, MaybeRaw<FederationInfo>> {
        ready(sample::federation().into())
    }

    fn tags(&self) -> ServiceFuture<'_, Vec<String>> {
        ready(sample::tags())
    }

    fn video_config(&self) -> ServiceFuture<'_, MaybeRaw<VideoConfig>> {
        ready(sample::video_config().into())
    }

    fn write_video_config<'a>(
        &'a self,
        _slug: &'a str,
        change: &'a VideoConfigChange,
    ) -> ServiceFuture<'a, ()> {
        let given = change.given.as_deref().map_or("", RawValue::get);
        self.done("video config", given)
    }

    fn notify_discord<'a>(&'a self, text: &'a str) -> ServiceFuture<'a, ()> {
        self.done("discord", text)
    }

    fn notify_browser_push<'a>(&'a self, push: &'a Push) -> ServiceFuture<'a, bool> {
        self.note(
            "browser push",
            &format!("{}: {} {}", push.title, push.body, push.url),
        );
        ready(true)
    }

    fn notify_fediverse<'a>(&'a self, notice: &'a SocialNotice) -> ServiceFuture<'a, ()> {
        let SocialNotice {
            kind, body, link, ..
        } = notice;
        self.done("fediverse notice", &format!("{kind}: {body} {link}"))
    }

    fn fediverse_post<'a>(&'a self, slug: &'a str, text: &'a str) -> ServiceFuture<'a, String> {
        self.note("fediverse post", text);
        let mut state = self.state();
        state.posts += 1;
        ready(format!("mock://fediverse/{slug}/{}", state.posts))
    }
}

/// Outbound network access that logs every request.
#[derive(Debug)]
pub(super) struct LoggedNetwork {
    network: Arc<dyn Network>,
    sample_server: Arc<SampleServer>,
}

impl LoggedNetwork {
    pub(super) fn new(network: Arc<dyn Network>, sample_server: Arc<SampleServer>) -> Self {
        Self {
            network,
            sample_server,
        }
    }
}

impl Network for LoggedNetwork {
    fn send(&self, request: FetchRequest) -> ServiceFuture<'_, FetchResponse> {
        Box::pin(async move {
            let line = format!("{} {}", request.method, request.url);
            let answer = self.network.send(request).await;
            let outcome = match &answer {
                Ok(answered) => answered.status.to_string(),
                Err(why) => why.clone(),
            };
            self.sample_server
                .note("fetch", &format!("{line}: {outcome}"));
            answer
        })
    }
}
