//! Numbers for the operator's graphs.

use sqlx::Row;

use crate::database::Store;
use crate::error::StoreError;

/// How many people and lines are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChatCounts {
    /// People, not counting bots.
    pub users: i64,
    /// Lines everybody can see.
    pub visible_lines: i64,
    /// All stored lines, including hidden and held ones.
    pub lines: i64,
}

impl Store {
    pub async fn chat_counts(&self) -> Result<ChatCounts, StoreError> {
        let row = sqlx::query(
            "SELECT (SELECT COUNT(*) FROM users WHERE kind = 'STANDARD'), \
             (SELECT COUNT(*) FROM messages WHERE hidden_at IS NULL AND is_held = 0), \
             (SELECT COUNT(*) FROM messages)",
        )
        .fetch_one(&self.readers)
        .await?;
        Ok(ChatCounts {
            users: row.try_get(0)?,
            visible_lines: row.try_get(1)?,
            lines: row.try_get(2)?,
        })
    }
}
