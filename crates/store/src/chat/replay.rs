//! What was written during a broadcast, for those who watch its recording.
//!
//! Lines are read when somebody watches, never copied: what was hidden, deleted or written by somebody who is banned by
//! then is not among them.

use jiff::Timestamp;

use super::messages::{ChatMessage, from_row, select};
use crate::database::Store;
use crate::error::StoreError;

/// The line after which the next page begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayCursor {
    pub at: Timestamp,
    /// Its position in the order of all lines: several can have one time.
    pub seq: i64,
}

impl From<&ChatMessage> for ReplayCursor {
    fn from(message: &ChatMessage) -> Self {
        Self {
            at: message.at,
            seq: message.seq,
        }
    }
}

impl Store {
    /// Lines that people wrote from one time to another, both included, and everybody can read, in the order of their
    /// times.
    pub async fn replayed_messages(
        &self,
        from: Timestamp,
        to: Timestamp,
        after: Option<ReplayCursor>,
        limit: u32,
    ) -> Result<Vec<ChatMessage>, StoreError> {
        let from = from.as_millisecond();
        let (after, seq) = match after {
            Some(cursor) => (cursor.at.as_millisecond(), cursor.seq),
            None => (from.saturating_sub(1), i64::MAX),
        };
        // The greater of two lower bounds alone: the index on the times is walked from there.
        let rows = sqlx::query(select!(
            "WHERE m.at >= $1 AND m.at <= $2 AND (m.at > $3 OR m.seq > $4) AND m.kind = 'CHAT' \
             AND m.hidden_at IS NULL AND m.is_held = 0 AND u.id IS NOT NULL AND u.disabled_at IS NULL \
             ORDER BY m.at, m.seq LIMIT $5"
        ))
        .bind(from.max(after))
        .bind(to.as_millisecond())
        .bind(after)
        .bind(seq)
        .bind(i64::from(limit))
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(from_row).collect()
    }
}
