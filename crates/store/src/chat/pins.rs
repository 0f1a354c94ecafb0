//! The line that stands above the chat: one at most.

use jiff::Timestamp;
use model::{Event, MessageId};
use sqlx::Row;

use super::log::{Action, Actor, ModerationTarget, note};
use super::messages::ChatMessage;
use crate::database::Store;
use crate::error::StoreError;
use crate::users::time;

/// The line that stands above the chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedMessage {
    pub message: ChatMessage,
    /// The name of who pinned it, at that time.
    pub pinned_by: String,
    pub pinned_at: Timestamp,
}

impl Store {
    /// Puts a line above the chat, in place of another. False if there is no such line of a person that everybody can
    /// read.
    pub async fn pin_message(
        &self,
        id: MessageId,
        actor: Actor,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let row = sqlx::query(
                    "SELECT u.display_name, m.raw_body FROM messages m JOIN users u ON u.id = m.user_id \
                     WHERE m.id = $1 AND m.kind = 'CHAT' AND m.hidden_at IS NULL AND m.is_held = 0",
                )
                .bind(id.as_str())
                .fetch_optional(&mut *tx)
                .await?;
                let Some(row) = row else {
                    return Ok((false, vec![]));
                };
                let target = ModerationTarget {
                    id: id.to_string(),
                    name: row.try_get("display_name")?,
                    detail: row.try_get("raw_body")?,
                    ..ModerationTarget::default()
                };
                sqlx::query(
                    "INSERT INTO pinned_message (slot, message_id, pinned_by_name, pinned_at) \
                     VALUES (1, $1, $2, $3) ON CONFLICT (slot) DO UPDATE SET message_id = excluded.message_id, \
                     pinned_by_name = excluded.pinned_by_name, pinned_at = excluded.pinned_at",
                )
                .bind(id.as_str())
                .bind(actor.name.clone())
                .bind(at.as_millisecond())
                .execute(&mut *tx)
                .await?;
                note(tx, at, &actor, Action::Pin, target).await?;
                Ok((true, vec![Event::ChatPinChanged]))
            })
        })
        .await
    }

    /// Takes a line from above the chat; false if it is not there.
    pub async fn unpin_message(
        &self,
        id: MessageId,
        actor: Actor,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let done = sqlx::query("DELETE FROM pinned_message WHERE message_id = $1")
                    .bind(id.as_str())
                    .execute(&mut *tx)
                    .await?;
                if done.rows_affected() == 0 {
                    return Ok((false, vec![]));
                }
                let target = ModerationTarget {
                    id: id.to_string(),
                    ..ModerationTarget::default()
                };
                note(tx, at, &actor, Action::Unpin, target).await?;
                Ok((true, vec![Event::ChatPinChanged]))
            })
        })
        .await
    }

    /// The line that stands above the chat.
    pub async fn pinned_message(&self) -> Result<Option<PinnedMessage>, StoreError> {
        let row = sqlx::query("SELECT message_id, pinned_by_name, pinned_at FROM pinned_message")
            .fetch_optional(&self.readers)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let id = MessageId::parse(row.try_get::<String, _>("message_id")?)
            .map_err(|error| StoreError::unreadable("message id", error))?;
        let Some(message) = self.readable_message(&id).await? else {
            return Ok(None);
        };
        Ok(Some(PinnedMessage {
            message,
            pinned_by: row.try_get("pinned_by_name")?,
            pinned_at: time(row.try_get("pinned_at")?)?,
        }))
    }
}
