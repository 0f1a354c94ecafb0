//! Derives the room's commands from the event log, for a server that is one of several on a database.
//!
//! Then the log is the only way into the room, for what this server wrote as well: so every server says the same lines in
//! the same order, and none twice. Events that carry no contents are looked up, which shows what is true now.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use model::chat::ChatUser;
use model::{Event, LoggedEvent, MessageId, UserId};
use store::{ChatMessage, LogFollower, MessageKind, StoreError, User};
use tokio_util::sync::CancellationToken;

use super::{Removal, Room, RoomCommand};
use crate::event::{ChatEvent, ChatEventKind};
use crate::moderation::MAX_IDS;
use crate::rules;

/// Between two attempts to look something up.
const RETRY: Duration = Duration::from_millis(500);

impl RoomCommand {
    /// Whether a server that shares its database gets this from the event log, where it stands in its order.
    pub(super) fn is_in_the_log(&self) -> bool {
        match self {
            Self::Say(_)
            | Self::Show(_)
            | Self::Changed(_)
            | Self::Renamed { .. }
            | Self::Visibility(..)
            | Self::Deleted(_)
            | Self::SetHidden(..)
            | Self::Remove(..)
            | Self::RemoveAddress(_)
            | Self::Reidentified(..)
            | Self::RemoveToken(_)
            | Self::Forget(_) => true,
            Self::Enter(..)
            | Self::Leave(_)
            | Self::WriteDirectly(..)
            | Self::SendTo(..)
            | Self::Punish(_)
            | Self::Pinned(_)
            | Self::KeepTokens(..)
            | Self::RemoveClient(..)
            | Self::Connections(_) => false,
        }
    }
}

#[derive(Debug)]
pub(super) struct LogReader {
    room: Room,
    log: LogFollower,
    /// Lines of the restored history: the log may tell of them once more.
    restored: HashSet<MessageId>,
}

impl LogReader {
    pub(super) fn new(room: Room, log: LogFollower, restored: &[ChatEvent]) -> Self {
        Self {
            room,
            log,
            restored: restored.iter().map(|event| event.id.clone()).collect(),
        }
    }

    pub(super) async fn run(mut self, stop: CancellationToken) {
        // Whatever waits here may be given up at any point: the room ends with it.
        let ended = stop.run_until_cancelled_owned(async move {
            while let Some(events) = self.log.next().await {
                for logged in &events {
                    self.apply_at_last(logged).await;
                }
            }
        });
        ended.await;
    }

    /// Nothing is passed over because the database was away: it might be a ban. What cannot be read there will not be
    /// read later either, and the chat goes on without it.
    async fn apply_at_last(&mut self, logged: &LoggedEvent) {
        while let Err(error) = self.apply(logged).await {
            if self.log.is_closed() {
                return;
            }
            if matches!(error, StoreError::Unreadable { .. }) {
                model::stranger_line!(
                    error, "chat_log", %error, seq = logged.seq,
                    "what happened in the chat cannot be read; it is passed over"
                );
                return;
            }
            tracing::warn!(%error, seq = logged.seq, "cannot look up what happened in the chat; trying again");
            tokio::time::sleep(RETRY).await;
        }
    }

    /// What is looked up comes before what is sent, so that an attempt that fails has done nothing.
    async fn apply(&mut self, logged: &LoggedEvent) -> Result<(), StoreError> {
        let store = &self.room.shared.store;
        match &logged.event {
            Event::ChatMessagePosted {
                id,
                user,
                body,
                raw_body,
                reply,
                ..
            } => {
                let shared = &self.room.shared;
                let uptime = shared.clock.uptime();
                shared.rules.remember(raw_body, uptime);
                rules::note_copy(&shared.rules, user, raw_body, (logged.at, uptime));
                if !self.restored.remove(id) {
                    let kind = ChatEventKind::Line {
                        user: Arc::new(user.clone()),
                        body: body.clone(),
                        reply: reply.clone(),
                    };
                    self.say(id.clone(), logged.at, kind).await;
                }
            }
            Event::ChatNoticePosted { id } => {
                if self.restored.contains(id) {
                    return Ok(());
                }
                let message = store.readable_message(id).await?;
                let server_name = self.room.server_name();
                if let Some(event) = message.and_then(|stored| from_stored(stored, server_name)) {
                    self.command(RoomCommand::Say(Box::new(event))).await;
                }
            }
            Event::ChatVisibilityChanged {
                ids,
                visible,
                moderator,
            } => {
                self.room.load_pinned().await?;
                let by_author = match (ids.as_slice(), visible, moderator) {
                    ([id], false, None) => store.is_deleted_by_author(id).await?,
                    _ => false,
                };
                self.set_visibility(logged, ids.clone(), *visible, by_author)
                    .await;
            }
            Event::ChatUserJoined {
                user,
                is_live: true,
                ..
            } => {
                let joined = ChatEventKind::Joined(Arc::new(user.clone()));
                self.command(RoomCommand::Show(Box::new(joined))).await;
            }
            Event::ChatUserParted { user, .. } => {
                let parted = ChatEventKind::Parted(Arc::new(user.clone()));
                self.command(RoomCommand::Show(Box::new(parted))).await;
            }
            Event::ChatUserRenamed { user, old_name, .. } => {
                if let Some(stored) = store.user(&user.id).await? {
                    self.renamed(logged, user, old_name, stored).await;
                }
            }
            Event::ChatUserChanged { user } => {
                if let Some(user) = store.user(user).await? {
                    self.command(RoomCommand::Changed(Box::new(user))).await;
                }
            }
            Event::ChatUserRemoved { user, ids } => {
                self.room.load_bans().await?;
                self.room.load_pinned().await?;
                let stored = store.user(user).await?;
                if let Some(banned) = &stored {
                    self.room.ban_addresses_here(banned).await?;
                }
                self.removed(user, stored).await;
                if !ids.is_empty() {
                    self.set_visibility(logged, ids.clone(), false, false).await;
                }
            }
            Event::ChatAddressBansChanged { banned } => {
                self.room.load_bans().await?;
                let address = banned
                    .as_deref()
                    .and_then(|text| text.parse::<IpAddr>().ok());
                let is_banned = |address: &IpAddr| self.room.is_banned(*address);
                if let Some(address) = address.filter(is_banned) {
                    self.command(RoomCommand::RemoveAddress(address)).await;
                }
            }
            Event::ChatTokenRevoked { token } => {
                self.command(RoomCommand::RemoveToken(token.clone())).await;
            }
            Event::ChatTokenReidentified { token, name } => {
                let command = RoomCommand::Reidentified(token.clone(), name.clone());
                self.command(command).await;
            }
            Event::ChatConnectionClosed { client_id } => {
                self.room.kick_here(*client_id).await;
            }
            Event::ChatPinChanged => self.room.load_pinned().await?,
            Event::ChatLinesForgotten { before } => {
                self.command(RoomCommand::Forget(*before)).await;
            }
            _ => {}
        }
        Ok(())
    }

    async fn renamed(&self, logged: &LoggedEvent, event: &ChatUser, old_name: &str, user: User) {
        let settings = self.room.shared.settings.now();
        // Others have not seen somebody whose first line is held.
        if !rules::is_held(&settings, &user) {
            let kind = ChatEventKind::Renamed {
                // With the name of that time: a later one has an event of its own.
                user: Arc::new(event.clone()),
                old_name: old_name.to_owned(),
            };
            self.say(place_id(logged), logged.at, kind).await;
        }
        self.command(RoomCommand::Changed(Box::new(user))).await;
    }

    /// A ban that was lifted meanwhile has closed the connections of the time as well.
    async fn removed(&self, id: &UserId, stored: Option<User>) {
        let removal = match stored {
            Some(user) => Removal::Banned {
                reason: user.disabled_reason,
                until: user.disabled_until,
            },
            None => Removal::Deleted,
        };
        let command = RoomCommand::Remove(id.clone(), removal);
        self.command(command).await;
    }

    /// Of very many lines only the newest, which are those that pages show.
    async fn set_visibility(
        &self,
        logged: &LoggedEvent,
        mut ids: Vec<MessageId>,
        visible: bool,
        by_author: bool,
    ) {
        let surplus = ids.len().saturating_sub(MAX_IDS);
        ids.drain(..surplus);
        let hide = RoomCommand::SetHidden(ids.clone(), !visible);
        self.command(hide).await;
        let kind = ChatEventKind::Visibility {
            ids,
            visible,
            by_author,
        };
        self.say(place_id(logged), logged.at, kind).await;
    }

    async fn say(&self, id: MessageId, at: Timestamp, kind: ChatEventKind) {
        let event = ChatEvent { id, at, kind };
        self.command(RoomCommand::Say(Box::new(event))).await;
    }

    async fn command(&self, command: RoomCommand) {
        self.room.send_derived(command).await;
    }
}

/// The id of an announcement, made from the place of its event in the log: the same on every server, so that somebody who
/// comes back to another one is told what they missed.
fn place_id(logged: &LoggedEvent) -> MessageId {
    MessageId::parse(format!("log-{}", logged.seq)).expect("a number makes an id")
}

/// A stored line as everybody sees it.
pub(super) fn from_stored(message: ChatMessage, server_name: String) -> Option<ChatEvent> {
    let body = message.body;
    let kind = match (message.kind, message.user, message.card) {
        (MessageKind::Chat, Some(user), _) => ChatEventKind::Line {
            user: Arc::new(user.public()),
            body,
            reply: message.reply,
        },
        (MessageKind::System, ..) => ChatEventKind::System { body, server_name },
        (MessageKind::Action, user, _) => ChatEventKind::Action {
            user: user.map(|user| Arc::new(user.public())),
            body,
            notice: None,
            sentence: None,
        },
        (kind, _, Some(card)) => ChatEventKind::Engagement {
            kind,
            body,
            card,
            server_name,
        },
        _ => return None,
    };
    Some(ChatEvent {
        id: message.id,
        at: message.at,
        kind,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_announcement_has_one_id_on_every_server() {
        let logged = LoggedEvent {
            seq: 4711,
            at: Timestamp::UNIX_EPOCH,
            event: Event::ChatPinChanged,
        };
        assert_eq!(place_id(&logged).as_str(), "log-4711");
    }
}
