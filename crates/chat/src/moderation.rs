//! What moderators, the operator and integrations can do. Everything is written to the log of the store first.

use std::net::IpAddr;
use std::time::Duration;

use jiff::Timestamp;
use model::{MessageId, TokenId, UserId};
use store::{Actor, AddressBan, Message, Posting, StoreError, User};

use crate::member::Known;
use crate::render;
use crate::room::{Command, Removal, Room};
use crate::speaker::{Text, post_line};

/// The longest time somebody can be silenced for; a ban has no end.
pub const MAX_TIMEOUT: Duration = Duration::from_secs(14 * 24 * 3600);
/// Lines that can be hidden or shown at once.
pub const MAX_IDS: usize = 1000;

impl Room {
    /// Hides lines or shows them again.
    pub async fn set_visibility(
        &self,
        ids: Vec<MessageId>,
        visible: bool,
        actor: Actor,
    ) -> Result<(), StoreError> {
        let at = self.shared.clock.now();
        let store = &self.shared.store;
        store
            .set_visibility(ids.clone(), visible, actor, at)
            .await?;
        self.send(Command::Visibility(ids, visible)).await;
        Ok(())
    }

    /// Bans somebody: their lines vanish, their connections end, their addresses are kept out. False when there is no
    /// such person.
    pub async fn ban(&self, user: &UserId, actor: Actor) -> Result<bool, StoreError> {
        let at = self.shared.clock.now();
        let connections = self.connections().await;
        let theirs = connections.iter().filter(|one| one.user.id == *user);
        // Everybody behind a proxy on this machine would be kept out with them.
        let addresses = theirs.filter(|one| !one.address.is_loopback());
        let bans = addresses.map(|one| AddressBan {
            address: one.address.to_string(),
            note: format!("Banning of {}", one.user.display_name),
            created_at: at,
        });
        let store = &self.shared.store;
        let Some((_, ids)) = store.ban_user(user, bans.collect(), actor, at).await? else {
            return Ok(false);
        };
        self.load_bans().await?;
        self.send(Command::Remove(user.clone(), Removal::Banned))
            .await;
        if !ids.is_empty() {
            self.send(Command::Visibility(ids, false)).await;
        }
        Ok(true)
    }

    /// Readmits somebody. False when there is no such person.
    pub async fn unban(&self, user: &UserId, actor: Actor) -> Result<bool, StoreError> {
        let at = self.shared.clock.now();
        let user = self.shared.store.unban_user(user, actor, at).await?;
        Ok(self.refresh(user).await)
    }

    /// Silences somebody for a while; zero lets them speak again. False when there is no such person.
    pub async fn mute(
        &self,
        user: &UserId,
        length: Duration,
        actor: Actor,
    ) -> Result<bool, StoreError> {
        let at = self.shared.clock.now();
        let until = (!length.is_zero()).then(|| at + length.min(MAX_TIMEOUT));
        let user = self.shared.store.mute_user(user, until, actor, at).await?;
        Ok(self.refresh(user).await)
    }

    /// Makes somebody a moderator, or no longer one. False when there is no such person.
    pub async fn set_moderator(
        &self,
        user: &UserId,
        is_moderator: bool,
        actor: Actor,
    ) -> Result<bool, StoreError> {
        let at = self.shared.clock.now();
        let store = &self.shared.store;
        let user = store.set_moderator(user, is_moderator, actor, at).await?;
        Ok(self.refresh(user).await)
    }

    /// Forgets somebody and everything they wrote. False when there is no such person.
    pub async fn delete_user(&self, user: &UserId, actor: Actor) -> Result<bool, StoreError> {
        let at = self.shared.clock.now();
        let Some(ids) = self.shared.store.delete_user(user, actor, at).await? else {
            return Ok(false);
        };
        self.send(Command::Remove(user.clone(), Removal::Deleted))
            .await;
        if !ids.is_empty() {
            self.send(Command::Visibility(ids, false)).await;
        }
        Ok(true)
    }

    /// Keeps an address out and ends its connections. False when it is kept out already.
    pub async fn ban_address(
        &self,
        address: IpAddr,
        note: String,
        actor: Actor,
    ) -> Result<bool, StoreError> {
        let ban = AddressBan {
            address: address.to_canonical().to_string(),
            note,
            created_at: self.shared.clock.now(),
        };
        let is_new = self.shared.store.ban_address(ban, actor).await?;
        self.load_bans().await?;
        let address = address.to_canonical();
        self.send(Command::RemoveAddress(address)).await;
        Ok(is_new)
    }

    /// Lets an address in again.
    pub async fn unban_address(&self, address: &str, actor: Actor) -> Result<bool, StoreError> {
        let at = self.shared.clock.now();
        let canonical = address
            .parse::<IpAddr>()
            .map_or_else(|_| address.to_owned(), |ip| ip.to_canonical().to_string());
        let was_there = self
            .shared
            .store
            .unban_address(canonical, actor, at)
            .await?;
        self.load_bans().await?;
        Ok(was_there)
    }

    /// Shows a line that waits, or throws it away. False when it does not wait any more.
    pub async fn release(
        &self,
        id: &MessageId,
        is_approved: bool,
        actor: Actor,
    ) -> Result<bool, StoreError> {
        let at = self.shared.clock.now();
        let store = &self.shared.store;
        let held = store.release_message(id.clone(), is_approved, actor, at);
        let Some(message) = held.await? else {
            return Ok(false);
        };
        if !is_approved {
            return Ok(true);
        }
        let Message {
            user: Some(user), ..
        } = message
        else {
            return Ok(true);
        };
        let text = Text {
            raw: message.raw_body,
            html: message.body,
            reply: message.reply,
        };
        let id = user.id.clone();
        let posting = post_line(self, &Known::from(user), text, 0, false).await?;
        if matches!(posting, Posting::Posted(_)) {
            // Their next lines are not held.
            let user = store.user(&id).await?;
            self.refresh(user).await;
        }
        Ok(true)
    }

    /// A line of a bot. Nothing when it is empty.
    pub async fn say_as(&self, bot: User, text: &str) -> Result<Option<Posting>, StoreError> {
        let Some(html) = render::line(text, &self.shared.emoji) else {
            return Ok(None);
        };
        let text = Text {
            raw: text.to_owned(),
            html,
            reply: None,
        };
        let posting = post_line(self, &Known::from(bot), text, 0, false).await?;
        Ok(Some(posting))
    }

    /// Ends every connection that was made with a token.
    pub async fn revoke(&self, token: TokenId) {
        self.send(Command::RemoveToken(token)).await;
    }

    /// A person has proven who they are: their connections hear it, or start anew as the person they are.
    pub async fn identified(&self, before: &UserId, now: User) {
        if *before == now.id {
            self.refresh(Some(now)).await;
        } else {
            let removal = Removal::Reidentified(now.display_name);
            self.send(Command::Remove(before.clone(), removal)).await;
        }
    }

    /// Drops what is older than the operator wants to keep.
    pub async fn forget_old(&self, before: Timestamp) -> Result<u64, StoreError> {
        let pruned = self.shared.store.prune_messages(before).await?;
        self.send(Command::Forget(before)).await;
        Ok(pruned)
    }

    async fn refresh(&self, user: Option<User>) -> bool {
        let is_there = user.is_some();
        if let Some(user) = user {
            self.send(Command::Changed(Box::new(user))).await;
        }
        is_there
    }
}
