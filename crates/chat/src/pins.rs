//! The line that stands above the chat.

use std::sync::Arc;

use jiff::Timestamp;
use model::MessageId;
use model::chat::ChatUser;
use store::{Actor, PinnedMessage, StoreError};

use crate::moderation::to_the_end;
use crate::room::{PastLine, Room, RoomCommand, RoomShared};

/// The line that stands above the chat.
#[derive(Clone, Debug, PartialEq)]
pub struct PinnedLine {
    pub line: PastLine,
    /// The name of who pinned it, at that time.
    pub pinned_by: String,
    pub pinned_at: Timestamp,
}

impl PinnedLine {
    /// `None` for a line whose author is gone.
    fn from_stored(pinned: PinnedMessage) -> Option<Self> {
        let message = pinned.message;
        Some(Self {
            line: PastLine {
                id: message.id,
                at: message.at,
                user: Arc::new(message.user?.public()),
                body: message.body,
                reply: message.reply,
            },
            pinned_by: pinned.pinned_by,
            pinned_at: pinned.pinned_at,
        })
    }

    /// Whether both are the same act of pinning.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.line.id, self.pinned_at) == (&other.line.id, other.pinned_at)
    }
}

impl Room {
    /// The line that stands above the chat.
    pub fn pinned(&self) -> Option<Arc<PinnedLine>> {
        self.shared.pinned.load_full()
    }

    /// Puts a line above the chat, in place of another. False if there is no such line that everybody can read.
    pub async fn pin(&self, id: MessageId, actor: Actor) -> Result<bool, StoreError> {
        let room = self.clone();
        to_the_end(async move {
            let (store, at) = (&room.shared.store, room.shared.clock.now());
            let is_there = store.pin_message(id, actor, at).await?;
            room.load_pinned().await?;
            Ok(is_there)
        })
        .await
    }

    /// Takes a line from above the chat; false if it was not there.
    pub async fn unpin(&self, id: MessageId, actor: Actor) -> Result<bool, StoreError> {
        let room = self.clone();
        to_the_end(async move {
            let (store, at) = (&room.shared.store, room.shared.clock.now());
            let was_there = store.unpin_message(id, actor, at).await?;
            room.load_pinned().await?;
            Ok(was_there)
        })
        .await
    }

    /// Shows what the store has: after a change of the pin, and after lines were hidden.
    pub(crate) async fn load_pinned(&self) -> Result<(), StoreError> {
        // One at a time, or an older answer could replace a newer one.
        let _turn = self.shared.loading_pinned.lock().await;
        let pinned = self.stored_pinned().await?;
        self.send(RoomCommand::Pinned(pinned)).await;
        Ok(())
    }

    pub(crate) async fn stored_pinned(&self) -> Result<Option<Arc<PinnedLine>>, StoreError> {
        let stored = self.shared.store.pinned_message().await?;
        Ok(stored.and_then(PinnedLine::from_stored).map(Arc::new))
    }
}

impl RoomShared {
    /// Shows the author of the line under their present name; called by the room task alone.
    pub(crate) fn refresh_pinned(&self, user: &Arc<ChatUser>) {
        let pinned = self.pinned.load_full();
        let Some(pinned) = pinned.filter(|pinned| pinned.line.user.id == user.id) else {
            return;
        };
        let mut renamed = Arc::unwrap_or_clone(pinned);
        renamed.line.user = Arc::clone(user);
        self.pinned.store(Some(Arc::new(renamed)));
    }
}
