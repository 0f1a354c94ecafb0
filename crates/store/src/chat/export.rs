//! The lines of a time, for the operator's files.

use jiff::Timestamp;
use sqlx::Row;

use crate::database::Store;
use crate::error::StoreError;

/// A line as it is exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedMessage {
    /// Its position in the order.
    pub seq: i64,
    pub at: Timestamp,
    /// As on the wire.
    pub kind: String,
    /// Empty for lines of the server.
    pub user_id: String,
    /// The author's name now; empty for lines of the server.
    pub display_name: String,
    /// As typed.
    pub text: String,
    pub is_hidden: bool,
}

impl Store {
    /// Lines between two times behind a position, in their order, without those that wait for a moderator and those that
    /// their authors deleted.
    pub async fn messages_between(
        &self,
        from: Timestamp,
        to: Timestamp,
        after: i64,
        limit: u32,
    ) -> Result<Vec<ExportedMessage>, StoreError> {
        let rows = sqlx::query(
            "SELECT m.seq, m.at, m.kind, m.raw_body, m.hidden_at, COALESCE(m.user_id, '') AS user_id, \
             COALESCE(u.display_name, '') AS display_name \
             FROM messages m LEFT JOIN users u ON u.id = m.user_id \
             WHERE m.seq > $1 AND m.at >= $2 AND m.at <= $3 AND m.is_held = 0 AND m.deleted_at IS NULL \
             ORDER BY m.seq LIMIT $4",
        )
        .bind(after)
        .bind(from.as_millisecond())
        .bind(to.as_millisecond())
        .bind(i64::from(limit))
        .fetch_all(&self.readers)
        .await?;
        let mut messages = Vec::with_capacity(rows.len());
        for row in &rows {
            let at: i64 = row.try_get("at")?;
            let hidden_at: Option<i64> = row.try_get("hidden_at")?;
            messages.push(ExportedMessage {
                seq: row.try_get("seq")?,
                at: Timestamp::from_millisecond(at)
                    .map_err(|error| StoreError::unreadable("message", error))?,
                kind: row.try_get("kind")?,
                user_id: row.try_get("user_id")?,
                display_name: row.try_get("display_name")?,
                text: row.try_get("raw_body")?,
                is_hidden: hidden_at.is_some(),
            });
        }
        Ok(messages)
    }
}
