//! Who is banned or timed out, for moderators.

use jiff::Timestamp;
use sqlx::Row;

use super::people::UserPage;
use crate::database::Store;
use crate::error::StoreError;
use crate::users::{self, columns};

impl Store {
    /// People who are banned, or timed out at `now`: a part of the list, the latest first.
    pub async fn sanctioned_users(
        &self,
        now: Timestamp,
        offset: u32,
        limit: u32,
    ) -> Result<UserPage, StoreError> {
        // A union, because with OR the whole table is read.
        let row = sqlx::query(
            "SELECT COUNT(*) FROM users WHERE kind = 'STANDARD' AND id IN \
             (SELECT id FROM users WHERE disabled_at IS NOT NULL AND (disabled_until IS NULL OR disabled_until > $1) UNION SELECT id FROM users WHERE muted_until > $1)",
        )
        .bind(now.as_millisecond())
        .fetch_one(&self.readers)
        .await?;
        let rows = sqlx::query(columns!(
            "FROM users WHERE kind = 'STANDARD' AND id IN \
             (SELECT id FROM users WHERE disabled_at IS NOT NULL AND (disabled_until IS NULL OR disabled_until > $1) UNION SELECT id FROM users WHERE muted_until > $1) \
             ORDER BY COALESCE(disabled_at, muted_until) DESC, id LIMIT $2 OFFSET $3"
        ))
        .bind(now.as_millisecond())
        .bind(i64::from(limit))
        .bind(i64::from(offset))
        .fetch_all(&self.readers)
        .await?;
        Ok(UserPage {
            total: row.try_get(0)?,
            users: rows.iter().map(users::from_row).collect::<Result<_, _>>()?,
        })
    }
}
