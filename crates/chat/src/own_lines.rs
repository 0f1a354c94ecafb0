//! What authors do with their own lines.

use std::time::Duration;

use model::rate_limit::Rate;
use model::{MessageId, UserId};
use store::{OwnDeletion, StoreError};

use crate::moderation::to_the_end;
use crate::room::{Room, RoomCommand};

/// Limit (viewers): time to delete a message of one's own; later only a moderator can hide it.
pub const OWN_DELETION_WINDOW: Duration = Duration::from_secs(5 * 60);
/// Limit (viewers): messages of their own that one person deletes; further ones get 429.
const OWN_DELETIONS: Rate = Rate::new(20, Duration::from_secs(60));

impl Room {
    /// Counts an attempt of a person to delete a line of their own; the error is how long to wait.
    pub fn admit_own_deletion(&self, author: &UserId) -> Result<(), Duration> {
        let shared = &self.shared;
        let now = shared.clock.uptime();
        shared.own_deletions.take(author, 1, OWN_DELETIONS, now)
    }

    /// Deletes a line for its author: everybody is told to hide it.
    pub async fn delete_own(
        &self,
        author: &UserId,
        id: MessageId,
    ) -> Result<OwnDeletion, StoreError> {
        let (room, author) = (self.clone(), author.clone());
        to_the_end(async move {
            let (store, at) = (&room.shared.store, room.shared.clock.now());
            let since = at - OWN_DELETION_WINDOW;
            let deletion = store.delete_own_message(&author, id.clone(), since, at);
            let deletion = deletion.await?;
            if deletion == OwnDeletion::Deleted {
                room.send(RoomCommand::Deleted(id)).await;
                room.load_pinned().await?;
            }
            Ok(deletion)
        })
        .await
    }
}
