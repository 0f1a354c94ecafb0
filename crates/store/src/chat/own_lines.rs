//! What authors do with their own lines.

use jiff::Timestamp;
use model::{Event, MessageId, UserId};
use sqlx::Row;

use super::hiding::unpin_hidden;
use crate::database::Store;
use crate::error::StoreError;
use crate::users::time;
use crate::writer::Tx;

/// What became of a line that its author wants to delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnDeletion {
    Deleted,
    /// It is too old.
    TooLate,
    /// They have no such line that anybody can see.
    Unknown,
}

impl Store {
    /// Whether its author has deleted a line.
    pub async fn is_deleted_by_author(&self, id: &MessageId) -> Result<bool, StoreError> {
        let row =
            sqlx::query("SELECT COUNT(*) FROM messages WHERE id = $1 AND deleted_at IS NOT NULL")
                .bind(id.as_str())
                .fetch_one(&self.readers)
                .await?;
        let count: i64 = row.try_get(0)?;
        Ok(count > 0)
    }

    /// Hides a line for good because its author wants that, if it was written at `since` or later. It stays stored for
    /// the moderators.
    pub async fn delete_own_message(
        &self,
        author: &UserId,
        id: MessageId,
        since: Timestamp,
        at: Timestamp,
    ) -> Result<OwnDeletion, StoreError> {
        let author = author.clone();
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let row = sqlx::query(
                    "SELECT at FROM messages WHERE id = $1 AND user_id = $2 AND kind = 'CHAT' \
                     AND is_held = 0 AND hidden_at IS NULL",
                )
                .bind(id.as_str())
                .bind(author.as_str())
                .fetch_optional(&mut *tx)
                .await?;
                let Some(row) = row else {
                    return Ok((OwnDeletion::Unknown, vec![]));
                };
                if time(row.try_get("at")?)? < since {
                    return Ok((OwnDeletion::TooLate, vec![]));
                }
                mark_deleted(tx, &id, at).await?;
                let event = Event::ChatVisibilityChanged {
                    ids: vec![id],
                    visible: false,
                    moderator: None,
                };
                Ok((OwnDeletion::Deleted, vec![event]))
            })
        })
        .await
    }
}

async fn mark_deleted(tx: &mut Tx, id: &MessageId, at: Timestamp) -> Result<(), StoreError> {
    sqlx::query("UPDATE messages SET hidden_at = $1, deleted_at = $2 WHERE id = $3")
        .bind(at.as_millisecond())
        .bind(at.as_millisecond())
        .bind(id.as_str())
        .execute(&mut *tx)
        .await?;
    // Replies must stop quoting what was deleted.
    sqlx::query("UPDATE messages SET reply = NULL WHERE reply_id = $1")
        .bind(id.as_str())
        .execute(&mut *tx)
        .await?;
    unpin_hidden(tx).await
}

/// Those of the lines that their authors have not deleted: the others are not to be shown again.
pub(super) async fn not_deleted(
    tx: &mut Tx,
    ids: Vec<MessageId>,
) -> Result<Vec<MessageId>, StoreError> {
    let mut left = Vec::with_capacity(ids.len());
    for id in ids {
        let row =
            sqlx::query("SELECT COUNT(*) FROM messages WHERE id = $1 AND deleted_at IS NOT NULL")
                .bind(id.as_str())
                .fetch_one(&mut *tx)
                .await?;
        let count: i64 = row.try_get(0)?;
        if count == 0 {
            left.push(id);
        }
    }
    Ok(left)
}
