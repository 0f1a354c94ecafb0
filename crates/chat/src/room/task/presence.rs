//! Presence: joins and leaves, and the welcome message for newcomers.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::Timestamp;
use model::chat::ChatUser;
use model::settings::Layers;
use model::settings::table::STREAM_TITLE;
use model::settings::table::chat::{
    JOIN_MESSAGES, KNOWN_ONLY, PAUSED, SLOW_MODE_SECONDS, WELCOME_MESSAGE,
};
use model::{Event, StreamState, UserId};
use store::User;

use super::{RoomTask, announcements};
use crate::event::{ChatEvent, ChatEventKind};
use crate::member::Member;
use crate::{render, timeout_text};

/// Somebody who is back within this long has not left.
pub(in crate::room) const PART_DELAY: Duration = Duration::from_secs(10);
/// When newcomers are welcomed.
const WELCOME_DELAY: Duration = Duration::from_secs(7);
/// Comings and goings shown in a second; in a rush nobody could read them, and telling all of all would be too much.
const SHOWN_PER_TICK: u32 = 5;

/// A person who is in the room, or was until a moment ago.
#[derive(Debug)]
struct PresenceEntry {
    member: Arc<Member>,
    connections: Vec<u64>,
    /// When the last connection ended, and its number.
    left: Option<(Duration, u64)>,
}

#[derive(Debug, Default)]
pub(super) struct Presence {
    people: HashMap<UserId, PresenceEntry>,
    /// People who may have left, by the time when that is final.
    leaving: VecDeque<(Duration, UserId)>,
    /// Newcomers to welcome, by time.
    arriving: VecDeque<(Duration, u64)>,
    shown: u32,
    /// The welcome message under these settings.
    welcome: Option<(Arc<Layers>, Option<ChatEventKind>)>,
}

impl Presence {
    /// Applies a person's stored state.
    pub(super) fn update(&mut self, user: User) {
        if let Some(present) = self.people.get(&user.id) {
            present.member.set(user);
        }
    }

    /// The connections of a person.
    pub(super) fn connections_of(&self, user: &UserId) -> Vec<u64> {
        let present = self.people.get(user);
        present
            .map(|one| one.connections.clone())
            .unwrap_or_default()
    }

    /// The name of a connected person.
    pub(super) fn name_of(&self, user: &UserId) -> Option<String> {
        let present = self.people.get(user)?;
        let is_here = !present.connections.is_empty();
        is_here.then(|| present.member.now().public.display_name.clone())
    }

    pub(super) fn member(&self, user: &UserId) -> Option<&Member> {
        self.people.get(user).map(|present| &*present.member)
    }

    /// Notes that a person has written.
    pub(super) fn spoke(&self, user: &UserId, at: Timestamp) {
        if let Some(member) = self.member(user) {
            member.spoke(at);
        }
    }

    /// Silences a person who was too fast at another server.
    pub(super) fn punish(&self, user: &UserId, now: Duration) {
        if let Some(member) = self.member(user) {
            member.limiter().punish(now);
        }
    }

    /// Forgets a disconnected person without announcing that they left.
    pub(super) fn forget(&mut self, user: &UserId) {
        self.people.remove(user);
    }
}

impl RoomTask {
    /// Adds a connection of a person.
    pub(super) fn arrive(&mut self, user: User, client_id: u64) -> Arc<Member> {
        let now = self.shared.clock.uptime();
        let id = user.id.clone();
        let present = self
            .presence
            .people
            .entry(id.clone())
            .or_insert_with(|| PresenceEntry {
                member: Arc::new(Member::new(user.clone())),
                connections: Vec::new(),
                left: None,
            });
        let is_first = present.connections.is_empty();
        let was_here = present
            .left
            .take()
            .is_some_and(|(at, _)| now < at + PART_DELAY);
        // At several servers only one of them says that they join.
        let is_elsewhere = is_first && self.shared.came(&id);
        if is_first {
            self.shared.people.fetch_add(1, Ordering::Relaxed);
            // Fresh from the store; later changes of a connected person arrive as commands.
            present.member.set(user);
        }
        present.connections.push(client_id);
        let member = Arc::clone(&present.member);
        let is_live = self.shared.stream.borrow().state == StreamState::Live;
        if is_live {
            self.presence
                .arriving
                .push_back((now + WELCOME_DELAY, client_id));
        }
        if is_first && !was_here && !is_elsewhere {
            let user = Arc::clone(&member.now().public);
            // Otherwise every server shows it when the log tells of it.
            if is_live && !self.shared.is_following {
                self.show(ChatEventKind::Joined(Arc::clone(&user)));
            }
            self.log(Event::ChatUserJoined {
                user: ChatUser::clone(&user),
                client_id,
                is_live,
            });
        }
        member
    }

    /// Removes a connection of a person.
    pub(super) fn depart(&mut self, user: &UserId, client_id: u64) {
        let now = self.shared.clock.uptime();
        let Some(present) = self.presence.people.get_mut(user) else {
            return;
        };
        present.connections.retain(|one| *one != client_id);
        if present.connections.is_empty() {
            self.shared.people.fetch_sub(1, Ordering::Relaxed);
            present.left = Some((now, client_id));
            let leaving = (now + PART_DELAY, user.clone());
            self.presence.leaving.push_back(leaving);
            self.shared.left(user);
        }
    }

    /// Announces a join or leave to everybody, if the settings say so.
    pub(super) fn show(&mut self, kind: ChatEventKind) {
        let settings = self.shared.settings.now();
        // In a raid the joining names are themselves the message.
        let is_raid = *settings.get(&KNOWN_ONLY) || *settings.get(&PAUSED);
        let is_shown = *settings.get(&JOIN_MESSAGES) && !is_raid;
        if is_shown && self.presence.shown < SHOWN_PER_TICK {
            self.presence.shown += 1;
            self.broadcast_unrecorded(kind);
        }
    }

    /// Logs a join or leave, for plugins and webhooks.
    fn log(&self, event: Event) {
        let (store, at) = (self.shared.store.clone(), self.shared.clock.now());
        tokio::spawn(async move {
            if let Err(error) = store.log_event(event, at).await {
                tracing::debug!(%error, "cannot log who joined or left");
            }
        });
    }

    /// Runs once a second.
    pub(super) fn tick(&mut self) {
        let now = self.shared.clock.uptime();
        self.presence.shown = 0;
        while let Some((due, _)) = self.presence.arriving.front()
            && *due <= now
        {
            if let Some((_, client_id)) = self.presence.arriving.pop_front() {
                self.welcome(client_id);
            }
        }
        while let Some((due, _)) = self.presence.leaving.front()
            && *due <= now
        {
            if let Some((_, user)) = self.presence.leaving.pop_front() {
                self.part(&user, now);
            }
        }
        self.forget_absent(now);
        self.notice_title();
        self.notice_switches();
    }

    fn part(&mut self, user: &UserId, now: Duration) {
        let Some(present) = self.presence.people.get_mut(user) else {
            return;
        };
        // They are back, or left again since, in which case there is a later entry.
        let Some((at, client_id)) = present.left.filter(|(at, _)| *at + PART_DELAY <= now) else {
            return;
        };
        tracing::trace!(?at, client_id, "left");
        present.left = None;
        let public = Arc::clone(&present.member.now().public);
        if !self.shared.is_last_to_see(user) {
            return;
        }
        if !self.shared.is_following {
            self.show(ChatEventKind::Parted(Arc::clone(&public)));
        }
        self.log(Event::ChatUserParted {
            user: ChatUser::clone(&public),
            client_id,
        });
    }

    /// Forgets absent people who would be treated the same if they were new.
    fn forget_absent(&mut self, now: Duration) {
        let slow_mode = *self.shared.settings.now().get(&SLOW_MODE_SECONDS);
        let slow_mode = Duration::from_secs(slow_mode.into());
        self.presence.people.retain(|_, present| {
            !present.connections.is_empty()
                || present.left.is_some()
                || !present.member.limiter().is_idle(now, slow_mode)
        });
    }

    /// What somebody is told whom a moderator has timed out with a reason, at this server or another one.
    pub(super) fn new_timeout(&self, user: &User) -> Option<ChatEvent> {
        if !self.shared.is_following {
            // The moderator's action has told them.
            return None;
        }
        let reason = user.muted_reason.as_deref()?;
        let known = self.presence.member(&user.id)?.now();
        if known.user.muted_until == user.muted_until {
            return None;
        }
        let length = timeout_text::length_of(self.shared.muted_for(user)?);
        Some(self.new_event(timeout_text::told(length, reason)))
    }

    fn welcome(&mut self, client_id: u64) {
        if !self.sessions.contains_key(&client_id) {
            return;
        }
        if let Some(kind) = self.welcome_words() {
            let chat_event = self.new_event(kind);
            self.send_to(client_id, &chat_event);
        }
    }

    /// Renders the welcome message once per change of the settings.
    fn welcome_words(&mut self) -> Option<ChatEventKind> {
        let settings = self.shared.settings.now();
        if let Some((known, words)) = &self.presence.welcome
            && Arc::ptr_eq(known, &settings)
        {
            return words.clone();
        }
        let text = settings.get(&WELCOME_MESSAGE);
        let words = (!text.is_empty()).then(|| ChatEventKind::System {
            body: render::trusted(text, super::super::keeps_html(&settings)),
            server_name: super::super::server_name(&settings),
        });
        self.presence.welcome = Some((settings, words.clone()));
        words
    }

    /// Handles the start or end of the stream.
    pub(super) fn notice_stream(&mut self) {
        let is_on = self.shared.stream.borrow().state != StreamState::Offline;
        if is_on == self.was_on {
            return;
        }
        self.was_on = is_on;
        self.broadcast_unrecorded(if is_on {
            announcements::stream_starts()
        } else {
            announcements::stream_ends()
        });
        if is_on && let Some(kind) = self.welcome_words() {
            self.broadcast_unrecorded(kind);
        }
    }

    fn notice_title(&mut self) {
        let settings = self.shared.settings.now();
        let title = settings.get(&STREAM_TITLE);
        if *title == self.title {
            return;
        }
        self.title.clone_from(title);
        if !self.title.is_empty() {
            let kind = announcements::title_changed(&self.title);
            self.broadcast_unrecorded(kind);
        }
    }
}
