//! Hidden lines, which moderators go on seeing.

use jiff::Timestamp;

use super::messages::{ChatMessage, oldest_first, select};
use crate::database::Store;
use crate::error::StoreError;

impl Store {
    /// The newest hidden lines that users wrote at `since` or later, oldest first; without those that their authors
    /// deleted, which nobody can show again.
    pub async fn hidden_messages(
        &self,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<ChatMessage>, StoreError> {
        let rows = sqlx::query(select!(
            "WHERE m.kind = 'CHAT' AND m.hidden_at IS NOT NULL AND m.deleted_at IS NULL AND m.is_held = 0 \
             AND m.user_id IS NOT NULL AND m.at >= $1 ORDER BY m.seq DESC LIMIT $2"
        ))
        .bind(since.as_millisecond())
        .bind(i64::from(limit))
        .fetch_all(&self.readers)
        .await?;
        oldest_first(&rows)
    }
}
