//! The sending end of a connection: what a client may send, with all checks.

mod objections;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use model::chat::{ChatUser, MAX_COLOR, MAX_LINE_CHARS, is_too_long};
use model::sentence::Sentence;
use model::settings::Layers;
use model::settings::table::chat::{DISABLED, SPAM_PROTECTION};
use model::{Event, MessageId};
use store::{
    LineGap, MessageKind, NewMessage, PostResult, RenameResult, Reply, StoreError, User, UserKind,
};

use crate::event::{ChatEvent, ChatEventKind, Notice};
use crate::filter::{self, Draft, FilterVerdict};
use crate::ids::new_message_id;
use crate::listener_state::{seconds_to_wait, slow_mode};
use crate::member::{Member, MemberProfile};
use crate::rate_limit::{RateDecision, SHARED_INTERVAL};
use crate::room::{Room, RoomCommand, SessionShared};
use crate::{names, render, rules, sentences, timeout_text};

/// A message from a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientMessage {
    Line {
        /// As typed.
        body: String,
        /// The id of the line it replies to.
        reply_to: Option<String>,
    },
    /// Asks for this display name.
    Rename(String),
    /// Asks for this colour.
    Recolor(i64),
    /// A message that counts towards the rate limit and has no effect.
    Nothing,
}

/// The sending end of a connection.
#[derive(Debug)]
pub struct ClientSender {
    room: Room,
    client_id: u64,
    member: Arc<Member>,
    session_shared: Arc<SessionShared>,
}

impl ClientSender {
    pub(crate) fn new(
        room: Room,
        client_id: u64,
        member: Arc<Member>,
        session_shared: Arc<SessionShared>,
    ) -> Self {
        Self {
            room,
            client_id,
            member,
            session_shared,
        }
    }

    /// The user, as they are now.
    pub fn user(&self) -> Arc<ChatUser> {
        Arc::clone(&self.member.now().public)
    }

    /// The connection's number.
    pub fn client_id(&self) -> u64 {
        self.client_id
    }

    /// Handles a message, or tells the user why not. Returns once that is done: a connection sends one message at a
    /// time.
    pub async fn say(&self, message: ClientMessage) {
        if let Err(error) = self.try_say(message).await {
            model::stranger_line!(
                warn, "chat_store", %error, client_id = self.client_id,
                "cannot store a chat message"
            );
            let sentence = sentences::NOT_STORED.plain();
            self.refuse(Notice::Refused, sentence).await;
        }
    }

    /// Tells the user that their message was too long.
    pub async fn too_long(&self) {
        let uptime = self.room.shared.clock.uptime();
        let is_protected = self.is_protected(&self.room.shared.settings.now());
        if self.member.limiter().frame(uptime, is_protected) == RateDecision::Fine {
            let sentence = sentences::FRAME_TOO_LONG.plain();
            self.refuse(Notice::Refused, sentence).await;
        }
    }

    /// Whether the limit for people applies, not only the one for machines.
    fn is_protected(&self, settings: &Layers) -> bool {
        *settings.get(&SPAM_PROTECTION) && !self.member.now().user.is_moderator
    }

    async fn try_say(&self, message: ClientMessage) -> Result<(), StoreError> {
        let settings = self.room.shared.settings.now();
        let clock = &self.room.shared.clock;
        let profile = self.member.now();
        let user = &profile.user;
        let is_protected = self.is_protected(&settings);
        let decision = self.member.limiter().frame(clock.uptime(), is_protected);
        match decision {
            RateDecision::Fine => {}
            RateDecision::Muted => return Ok(()),
            RateDecision::Flood => {
                self.room.shared.punished(&user.id);
                let sentence = sentences::WRITING_TOO_FAST.plain();
                self.refuse(Notice::Flood, sentence).await;
                return Ok(());
            }
        }
        if let Some(left) = self.room.shared.muted_for(user) {
            let sentence = timeout_text::lasting(user.muted_reason.as_deref());
            let notice = Notice::Muted(Some(seconds_to_wait(left)));
            self.refuse(notice, sentence).await;
            return Ok(());
        }
        if message == ClientMessage::Nothing {
            return Ok(());
        }
        if user.kind == UserKind::Api {
            let sentence = sentences::BOTS_LISTEN.plain();
            self.refuse(Notice::Refused, sentence).await;
            return Ok(());
        }
        if *settings.get(&DISABLED) {
            let sentence = sentences::CHAT_OFF.plain();
            self.refuse(Notice::Refused, sentence).await;
            return Ok(());
        }
        let brake = rules::brake_since(&self.room.shared, &settings).await?;
        if let Some(sentence) = rules::barrier(&settings, user, brake, clock.now()) {
            self.refuse(Notice::Refused, sentence).await;
            return Ok(());
        }
        match message {
            ClientMessage::Line { body, reply_to } => {
                self.line(&settings, &profile, body, reply_to).await
            }
            ClientMessage::Rename(name) => self.rename(&settings, user, &name).await,
            ClientMessage::Recolor(color) => self.recolor(user, color).await,
            ClientMessage::Nothing => Ok(()),
        }
    }

    async fn line(
        &self,
        settings: &Arc<Layers>,
        profile: &MemberProfile,
        body: String,
        reply_to: Option<String>,
    ) -> Result<(), StoreError> {
        let shared = &self.room.shared;
        let (now, uptime) = (shared.clock.now(), shared.clock.uptime());
        if !rules::is_open_now(shared, settings, now) {
            return Ok(());
        }
        if is_too_long(&body) {
            let most = MAX_LINE_CHARS as u64;
            let sentence = sentences::MESSAGE_TOO_LONG.with([most.into()]);
            self.refuse(Notice::Refused, sentence).await;
            return Ok(());
        }
        if self.is_mistaken_for_server(settings, &profile.user).await? {
            let sentence = sentences::NAME_LOST.plain();
            self.refuse(Notice::Refused, sentence).await;
            return Ok(());
        }
        // PostgreSQL cannot store it, and nobody can see it.
        let body = body.replace('\0', "");
        // Filters see the line under its final id.
        let id = new_message_id();
        let Some(body) = self.filter(profile, &id, body).await else {
            return Ok(());
        };
        let Some(html) = self.room.rendered(body.clone()).await else {
            return Ok(());
        };
        if let Some((notice, why)) = self.objection(settings, &profile.user, &body, &html) {
            self.refuse(notice, why).await;
            return Ok(());
        }
        let reply = self.reply(reply_to).await?;
        // Last, because a line rejected for another reason must not cost its author their turn.
        let interval = slow_mode(settings, &profile.user);
        let turn = self.member.limiter().take_turn(uptime, interval);
        let before = match turn {
            Ok(before) => before,
            Err(wait) => {
                let seconds = wait.as_secs() + 1;
                let sentence = sentences::SLOW_MODE.with([seconds.into()]);
                self.refuse(Notice::SlowMode(seconds), sentence).await;
                return Ok(());
            }
        };
        let is_first = rules::is_held(settings, &profile.user);
        let times = (now, uptime);
        let is_copy = rules::is_held_as_copy(&shared.rules, settings, &profile.user, &body, times);
        let is_held = is_first || is_copy;
        let typed = body.clone();
        let line = ComposedLine {
            id,
            raw: body,
            html,
            reply,
        };
        let (message, event, chat_event) =
            draft(&self.room, profile, line, self.client_id, is_held);
        let gap = self.gap_between_servers(settings, interval);
        let at = message.at;
        let posted = self.room.post_after(gap, message, event, chat_event);
        let posted = posted.await;
        if matches!(posted, Ok(PostResult::Posted(_))) {
            self.member.limiter().said(at);
        } else {
            self.member.limiter().give_back(before);
        }
        match posted? {
            PostResult::Posted(_) if is_held => {
                let sentence = match is_first {
                    true => sentences::FIRST_HELD.plain(),
                    false => sentences::COPY_HELD.plain(),
                };
                self.refuse(Notice::Held, sentence).await;
            }
            PostResult::Posted(_) => {
                self.member.spoke(now);
                shared.rules.remember(&typed, uptime);
                self.session_shared.lines.fetch_add(1, Ordering::Relaxed);
            }
            PostResult::Muted => {
                // How long follows with the change of the user, which is on its way.
                let sentence = timeout_text::lasting(None);
                self.refuse(Notice::Muted(None), sentence).await;
            }
            PostResult::Waiting => {
                let sentence = match is_first {
                    true => sentences::FIRST_WAITS.plain(),
                    false => sentences::COPY_WAITS.plain(),
                };
                self.refuse(Notice::Held, sentence).await;
            }
            PostResult::TooSoon(wait) if interval.is_zero() => {
                self.room.shared.punished(&profile.user.id);
                self.member.limiter().punish(uptime);
                tracing::debug!(?wait, "wrote too fast at two servers");
                let sentence = sentences::WRITING_TOO_FAST.plain();
                self.refuse(Notice::Flood, sentence).await;
            }
            PostResult::TooSoon(wait) => {
                let seconds = wait.as_secs() + 1;
                let sentence = sentences::SLOW_MODE.with([seconds.into()]);
                self.refuse(Notice::SlowMode(seconds), sentence).await;
            }
            // They find out when their connections are closed.
            PostResult::Banned => {}
        }
        Ok(())
    }

    /// The time between two lines that the database sees to, because they may be said at different servers. For slow mode
    /// it is exact but for the difference of two clocks. The limit for machines is a looser one there: filters delay one
    /// line more than the other.
    fn gap_between_servers(&self, settings: &Layers, interval: Duration) -> LineGap {
        if self.room.is_said_directly() {
            return LineGap::default();
        }
        LineGap {
            least: match self.is_protected(settings) {
                true => interval.max(SHARED_INTERVAL),
                false => interval,
            },
            last_here: self.member.limiter().last_said(),
        }
    }

    async fn filter(&self, author: &MemberProfile, id: &MessageId, body: String) -> Option<String> {
        let draft = Draft {
            id: id.clone(),
            user: ChatUser::clone(&author.public),
            body: body.clone(),
            client_id: self.client_id,
        };
        match filter::ask(&**self.room.filter(), draft).await {
            FilterVerdict::Pass => Some(body),
            FilterVerdict::Replace(body) => Some(body),
            FilterVerdict::Drop(reason) => {
                if let Some(reason) = reason {
                    // Only the plugin knows what it says.
                    let told = self.told(Notice::Refused, &reason, None);
                    self.tell(told).await;
                }
                None
            }
        }
    }

    /// The line that is replied to; `None` if it is no longer visible, which makes the reply an ordinary line.
    async fn reply(&self, to: Option<String>) -> Result<Option<Reply>, StoreError> {
        let Some(id) = to.and_then(|id| MessageId::parse(id).ok()) else {
            return Ok(None);
        };
        let Some(message) = self.room.shared.store.readable_message(&id).await? else {
            return Ok(None);
        };
        Ok(message.user.map(|user| Reply {
            id,
            display_name: user.display_name,
            excerpt: render::excerpt(&message.body),
        }))
    }

    async fn rename(
        &self,
        settings: &Arc<Layers>,
        user: &User,
        name: &str,
    ) -> Result<(), StoreError> {
        let name = names::clean(name);
        if name == user.display_name {
            self.identify().await;
            return Ok(());
        }
        let is_operator = self.is_operator(user).await?;
        let refusal = match self.objection_to_name(settings, user, &name, is_operator) {
            Some(sentence) => Some(sentence),
            None => self.take_name(settings, user, name).await?,
        };
        if let Some(sentence) = refusal {
            self.refuse(Notice::Name, sentence).await;
            self.identify().await;
        }
        Ok(())
    }

    async fn take_name(
        &self,
        settings: &Layers,
        user: &User,
        name: String,
    ) -> Result<Option<Sentence>, StoreError> {
        let shared = &self.room.shared;
        let (at, client_id) = (shared.clock.now(), self.client_id);
        Ok(
            match shared
                .store
                .take_name(&user.id, name, client_id, at)
                .await?
            {
                RenameResult::Done(renamed) if rules::is_held(settings, user) => {
                    // Others have not seen them yet, so only their own connections are told.
                    self.room.send(RoomCommand::Changed(renamed)).await;
                    None
                }
                RenameResult::Done(renamed) => {
                    let command = RoomCommand::Renamed {
                        user: renamed,
                        old_name: user.display_name.clone(),
                        client_id,
                    };
                    self.room.send(command).await;
                    None
                }
                RenameResult::Taken => Some(sentences::NAME_TAKEN.plain()),
                RenameResult::Refused => Some(sentences::NO_RENAMES.plain()),
            },
        )
    }

    async fn recolor(&self, user: &User, color: i64) -> Result<(), StoreError> {
        if !(0..=MAX_COLOR).contains(&color) {
            return Ok(());
        }
        let shared = &self.room.shared;
        let at = shared.clock.now();
        if let Some(user) = shared.store.set_color(&user.id, color, at).await? {
            self.room.send(RoomCommand::Changed(Box::new(user))).await;
        }
        Ok(())
    }

    /// Tells the user who they are.
    async fn identify(&self) {
        let state = self.room.shared.state_of(&self.member);
        let chat_event = self
            .room
            .new_event(ChatEventKind::Identity(Box::new(state)));
        self.room
            .send(RoomCommand::SendTo(self.client_id, Box::new(chat_event)))
            .await;
    }

    /// The last event before a connection is closed for sending too much.
    pub fn last_warning(&self) -> ChatEvent {
        self.notice(Notice::Flood, sentences::SENT_TOO_MUCH.plain())
    }

    fn notice(&self, notice: Notice, sentence: Sentence) -> ChatEvent {
        self.told(notice, &sentence.english(), Some(sentence))
    }

    fn told(&self, notice: Notice, text: &str, sentence: Option<Sentence>) -> ChatEvent {
        self.room.new_event(ChatEventKind::Action {
            user: None,
            body: format!("<p>{}</p>", render::escaped(text)),
            notice: Some(notice),
            sentence,
        })
    }

    /// Tells the user privately why something was not done.
    async fn refuse(&self, notice: Notice, sentence: Sentence) {
        self.tell(self.notice(notice, sentence)).await;
    }

    async fn tell(&self, chat_event: ChatEvent) {
        self.room
            .send(RoomCommand::SendTo(self.client_id, Box::new(chat_event)))
            .await;
    }
}

/// A line as typed and as rendered.
pub(crate) struct ComposedLine {
    pub(crate) id: MessageId,
    pub(crate) raw: String,
    pub(crate) html: String,
    pub(crate) reply: Option<Reply>,
}

/// Stores a line of a person or a bot; everybody receives it once it is committed.
pub(crate) async fn post_line(
    room: &Room,
    profile: &MemberProfile,
    line: ComposedLine,
    client_id: u64,
    is_held: bool,
) -> Result<PostResult, StoreError> {
    let (message, event, chat_event) = draft(room, profile, line, client_id, is_held);
    room.post(message, event, chat_event).await
}

/// A line as it is stored, logged and sent to everybody.
pub(crate) fn draft(
    room: &Room,
    profile: &MemberProfile,
    line: ComposedLine,
    client_id: u64,
    is_held: bool,
) -> (NewMessage, Option<Event>, ChatEvent) {
    let chat_event = ChatEvent {
        id: line.id,
        ..room.new_event(ChatEventKind::Line {
            user: Arc::clone(&profile.public),
            body: line.html.clone(),
            reply: line.reply.clone(),
        })
    };
    let event = (!is_held).then(|| Event::ChatMessagePosted {
        id: chat_event.id.clone(),
        user: ChatUser::clone(&profile.public),
        body: line.html.clone(),
        raw_body: line.raw.clone(),
        client_id,
        reply: line.reply.clone(),
    });
    let message = NewMessage {
        id: chat_event.id.clone(),
        kind: MessageKind::Chat,
        user_id: Some(profile.user.id.clone()),
        body: line.html,
        raw_body: line.raw,
        reply: line.reply,
        card: None,
        is_held,
        at: chat_event.at,
    };
    (message, event, chat_event)
}
