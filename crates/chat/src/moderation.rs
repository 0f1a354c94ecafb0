//! Actions of moderators, the operator and integrations. Everything is written to the store's log first.

use std::net::IpAddr;
use std::time::Duration;

use jiff::Timestamp;
use model::{Event, MessageId, TokenId, UserId};
use store::{Actor, AddressBan, PostResult, StoreError, User};
use tokio::sync::oneshot;

use crate::event::ChatEventKind;
use crate::member::MemberProfile;
use crate::room::{Removal, Room, RoomCommand};
use crate::sender::{ComposedLine, draft};
use crate::timeout_text;

/// Limit (operators): longest timeout for a chatter; a longer one is refused.
pub const MAX_TIMEOUT: Duration = Duration::from_secs(14 * 24 * 3600);
/// Limit (operators): longest ban with an end; a longer one is refused. One without an end lasts for ever.
pub const MAX_BAN: Duration = Duration::from_secs(366 * 24 * 3600);
/// Limit (operators): characters of the reason for a timeout or a ban; a longer one is refused.
pub const MAX_REASON_CHARS: usize = 200;
/// Lines that can be hidden or shown at once.
pub const MAX_IDS: usize = 1000;

impl Room {
    /// Hides lines or restores them. False if there are none to restore, because their authors have deleted them.
    pub async fn set_visibility(
        &self,
        ids: Vec<MessageId>,
        visible: bool,
        actor: Actor,
    ) -> Result<bool, StoreError> {
        let room = self.clone();
        to_the_end(async move {
            let (store, at) = (&room.shared.store, room.shared.clock.now());
            let ids = store.set_visibility(ids, visible, actor, at).await?;
            if ids.is_empty() {
                return Ok(false);
            }
            room.send(RoomCommand::Visibility(ids, visible)).await;
            room.load_pinned().await?;
            Ok(true)
        })
        .await
    }

    /// Bans a person for ever: hides their lines, closes their connections and bans the addresses they are connected
    /// from. False if there is no such person.
    pub async fn ban(
        &self,
        user: &UserId,
        reason: Option<String>,
        actor: Actor,
    ) -> Result<bool, StoreError> {
        self.ban_for(user, None, reason, actor).await
    }

    /// The same for a while, if there is a length.
    pub async fn ban_for(
        &self,
        user: &UserId,
        length: Option<Duration>,
        reason: Option<String>,
        actor: Actor,
    ) -> Result<bool, StoreError> {
        let (room, user) = (self.clone(), user.clone());
        to_the_end(async move {
            let (store, at) = (&room.shared.store, room.shared.clock.now());
            let until = length.map(|length| at + length.min(MAX_BAN));
            let bans = room.addresses_of(&user, at, until).await;
            let banned = store.ban_user_until(&user, bans, until, reason.clone(), actor, at);
            let Some((_, ids)) = banned.await? else {
                return Ok(false);
            };
            let removal = Removal::Banned { reason, until };
            room.send(RoomCommand::Remove(user, removal)).await;
            room.vanish(ids).await;
            room.load_pinned().await?;
            room.load_bans().await?;
            Ok(true)
        })
        .await
    }

    pub(crate) async fn addresses_of(
        &self,
        user: &UserId,
        at: Timestamp,
        until: Option<Timestamp>,
    ) -> Vec<AddressBan> {
        let connections = self.connections().await;
        let theirs = connections.iter().filter(|one| one.user.id == *user);
        // Banning a loopback address would ban everybody behind a proxy on this machine.
        let addresses = theirs.filter(|one| !one.address.is_loopback());
        let bans = addresses.map(|one| AddressBan {
            address: one.address.to_string(),
            note: format!("Banning of {}", one.user.display_name),
            created_at: at,
            expires_at: until,
            user_id: Some(user.clone()),
        });
        bans.collect()
    }

    /// Lifts the bans that are over: their people can come back.
    pub async fn lift_ended_bans(&self) -> Result<(), StoreError> {
        let room = self.clone();
        to_the_end(async move {
            let at = room.shared.clock.now();
            let lifted = room.shared.store.lift_ended_bans(at).await?;
            if lifted.is_empty() {
                return Ok(());
            }
            for user in lifted {
                room.refresh(Some(user)).await;
            }
            room.load_bans().await
        })
        .await
    }

    /// Lifts a ban. False if there is no such person.
    pub async fn unban(&self, user: &UserId, actor: Actor) -> Result<bool, StoreError> {
        let (room, user) = (self.clone(), user.clone());
        to_the_end(async move {
            let at = room.shared.clock.now();
            let user = room.shared.store.unban_user(&user, actor, at).await?;
            // Those that came with it are lifted too.
            room.load_bans().await?;
            Ok(room.refresh(user).await)
        })
        .await
    }

    /// Mutes a person for a while, and tells them the reason if there is one; zero unmutes them. False if there is no such
    /// person.
    pub async fn mute(
        &self,
        user: &UserId,
        length: Duration,
        reason: Option<String>,
        actor: Actor,
    ) -> Result<bool, StoreError> {
        let (room, id) = (self.clone(), user.clone());
        to_the_end(async move {
            let (store, at) = (&room.shared.store, room.shared.clock.now());
            let length = length.min(MAX_TIMEOUT);
            let until = (!length.is_zero()).then(|| at + length);
            let muted = store.mute_user_because(&id, until, reason.clone(), actor, at);
            let is_there = room.refresh(muted.await?).await;
            // Otherwise the change tells them, at whatever server they are.
            let is_told_here = room.is_said_directly();
            if let (true, Some(_), Some(reason)) = (is_there && is_told_here, until, reason) {
                room.tell(&id, timeout_text::told(length, &reason)).await;
            }
            Ok(is_there)
        })
        .await
    }

    /// Tells a person something privately, on all of their connections.
    async fn tell(&self, user: &UserId, kind: ChatEventKind) {
        let told = self.new_event(kind);
        let connections = self.connections().await;
        for connection in connections.iter().filter(|one| one.user.id == *user) {
            let command = RoomCommand::SendTo(connection.client_id, Box::new(told.clone()));
            self.send(command).await;
        }
    }

    /// A person has become a moderator by an invitation.
    pub async fn appointed(&self, user: User) {
        self.refresh(Some(user)).await;
    }

    /// Grants or revokes moderator rights. False if there is no such person.
    pub async fn set_moderator(
        &self,
        user: &UserId,
        is_moderator: bool,
        actor: Actor,
    ) -> Result<bool, StoreError> {
        let (room, user) = (self.clone(), user.clone());
        to_the_end(async move {
            let (store, at) = (&room.shared.store, room.shared.clock.now());
            let user = store.set_moderator(&user, is_moderator, actor, at).await?;
            Ok(room.refresh(user).await)
        })
        .await
    }

    /// Deletes a person and everything they wrote. False if there is no such person.
    pub async fn delete_user(&self, user: &UserId, actor: Actor) -> Result<bool, StoreError> {
        let (room, user) = (self.clone(), user.clone());
        to_the_end(async move {
            let at = room.shared.clock.now();
            let Some(ids) = room.shared.store.delete_user(&user, actor, at).await? else {
                return Ok(false);
            };
            room.send(RoomCommand::Remove(user, Removal::Deleted)).await;
            room.vanish(ids).await;
            room.load_pinned().await?;
            Ok(true)
        })
        .await
    }

    /// Hides a person's lines in the pages; of very many only the newest, which are those that pages show.
    async fn vanish(&self, mut ids: Vec<MessageId>) {
        let surplus = ids.len().saturating_sub(MAX_IDS);
        ids.drain(..surplus);
        if !ids.is_empty() {
            self.send(RoomCommand::Visibility(ids, false)).await;
        }
    }

    /// Bans an address and closes its connections. False if it is banned already.
    pub async fn ban_address(
        &self,
        address: IpAddr,
        note: String,
        actor: Actor,
    ) -> Result<bool, StoreError> {
        let address = address.to_canonical();
        let room = self.clone();
        to_the_end(async move {
            let ban = AddressBan {
                address: address.to_string(),
                note,
                created_at: room.shared.clock.now(),
                expires_at: None,
                user_id: None,
            };
            let is_new = room.shared.store.ban_address(ban, actor).await?;
            room.load_bans().await?;
            room.send(RoomCommand::RemoveAddress(address)).await;
            Ok(is_new)
        })
        .await
    }

    /// Lifts the ban on an address.
    pub async fn unban_address(&self, address: &str, actor: Actor) -> Result<bool, StoreError> {
        let canonical = address
            .parse::<IpAddr>()
            .map_or_else(|_| address.to_owned(), |ip| ip.to_canonical().to_string());
        let room = self.clone();
        to_the_end(async move {
            let (store, at) = (&room.shared.store, room.shared.clock.now());
            let was_there = store.unban_address(canonical, actor, at).await?;
            room.load_bans().await?;
            Ok(was_there)
        })
        .await
    }

    /// Approves or discards a held line. False if it is no longer held, or its author may not write now.
    pub async fn release(
        &self,
        id: &MessageId,
        is_approved: bool,
        actor: Actor,
    ) -> Result<bool, StoreError> {
        let (room, id) = (self.clone(), id.clone());
        to_the_end(async move {
            if is_approved {
                room.approve(id, actor).await
            } else {
                let at = room.shared.clock.now();
                room.shared.store.reject_message(id, actor, at).await
            }
        })
        .await
    }

    async fn approve(&self, id: MessageId, actor: Actor) -> Result<bool, StoreError> {
        let store = &self.shared.store;
        let Some(message) = store.held_message(&id).await? else {
            return Ok(false);
        };
        let Some(user) = message.user else {
            return Ok(false);
        };
        let line = ComposedLine {
            id: id.clone(),
            raw: message.raw_body,
            html: message.body,
            reply: message.reply,
        };
        let author = user.id.clone();
        let (message, event, chat_event) = draft(self, &MemberProfile::from(user), line, 0, false);
        let permit = self.reserve().await?;
        let is_said_here = self.is_said_directly();
        let announce = move |posting| {
            if matches!(posting, PostResult::Posted(_)) && is_said_here {
                permit.send(RoomCommand::Say(Box::new(chat_event)));
            }
        };
        // One transaction: the line is always either in the queue or in the room.
        let approved = store.approve_message(id, message, event, actor, announce);
        if !matches!(approved.await?, Some(PostResult::Posted(_))) {
            return Ok(false);
        }
        // The author's next lines are not held.
        let author = store.user(&author).await?;
        self.refresh(author).await;
        Ok(true)
    }

    /// Closes every connection that was made with a token.
    pub async fn revoke(&self, token: TokenId) {
        self.send(RoomCommand::RemoveToken(token)).await;
    }

    /// Closes connections of the operator's user whose token is gone: the password may have been changed by a program
    /// beside this one.
    pub async fn close_what_the_operator_lost(&self) -> Result<(), StoreError> {
        let Some(operator) = self.shared.store.operator_user().await? else {
            return Ok(());
        };
        let tokens = self.shared.store.operator_tokens().await?;
        self.send(RoomCommand::KeepTokens(operator, tokens)).await;
        Ok(())
    }

    /// Closes one connection; its user may come back. False if there is no such connection. Of one that is at another
    /// server nothing is known here: it is taken to be there.
    pub async fn kick(&self, client_id: u64) -> bool {
        if !self.is_elsewhere(client_id) {
            return self.kick_here(client_id).await;
        }
        let closed = Event::ChatConnectionClosed { client_id };
        let (store, at) = (&self.shared.store, self.shared.clock.now());
        let logged = store.log_event(closed, at).await;
        if let Err(error) = &logged {
            model::stranger_line!(
                warn, "chat_kick", %error,
                "cannot tell another server to close a connection to the chat"
            );
        }
        logged.is_ok()
    }

    pub(crate) async fn kick_here(&self, client_id: u64) -> bool {
        let (answer, was_there) = oneshot::channel();
        self.send(RoomCommand::RemoveClient(client_id, answer))
            .await;
        was_there.await.unwrap_or(false)
    }

    /// The holders of a token have proven who they are: they are notified, or have to reconnect as that user.
    pub async fn identified(&self, before: &UserId, token: TokenId, now: User) {
        if *before == now.id {
            self.refresh(Some(now)).await;
        } else {
            let command = RoomCommand::Reidentified(token, now.display_name);
            self.send(command).await;
        }
    }

    /// Somebody was changed: their connections are told.
    pub async fn changed(&self, user: User) {
        self.refresh(Some(user)).await;
    }

    /// Deletes lines older than the operator wants to keep.
    pub async fn forget_old(&self, before: Timestamp) -> Result<u64, StoreError> {
        let store = &self.shared.store;
        let pruned = store.prune_messages(before).await?;
        if store.is_shared() {
            let event = Event::ChatLinesForgotten { before };
            store.log_event(event, self.shared.clock.now()).await?;
        }
        self.send(RoomCommand::Forget(before)).await;
        Ok(pruned)
    }

    async fn refresh(&self, user: Option<User>) -> bool {
        let is_there = user.is_some();
        if let Some(user) = user {
            self.send(RoomCommand::Changed(Box::new(user))).await;
        }
        is_there
    }
}

/// Runs an action to its end even if the caller goes away: a ban must not be half done.
pub(crate) async fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) -> Result<T, StoreError> {
    let done = tokio::spawn(work).await;
    done.unwrap_or_else(|_| Err(StoreError::Unavailable("the server is stopping".into())))
}
