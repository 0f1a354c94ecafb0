//! Former names of the account, and cursors of event log readers.

use jiff::Timestamp;
use sqlx::Row;

use super::{ChangeResult, Effects, FederationTables};
use crate::error::StoreError;
use crate::users::time;

/// A former name of the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerUsername {
    pub name: String,
    /// Until when the account had it.
    pub at: Timestamp,
}

impl FederationTables {
    /// Renames the account; a former name it returns to is no longer a former one.
    pub async fn rename(
        &self,
        old: String,
        new: String,
        effects: Effects,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "INSERT INTO ap_former_usernames (name, at) VALUES ($1, $2) \
                     ON CONFLICT (name) DO UPDATE SET at = excluded.at",
                )
                .bind(old)
                .bind(at.as_millisecond())
                .execute(&mut *tx)
                .await?;
                sqlx::query("DELETE FROM ap_former_usernames WHERE name = $1")
                    .bind(new)
                    .execute(tx)
                    .await?;
                Ok(((), ChangeResult::Done))
            })
        })
        .await
    }

    /// Former names of the account, most recent first.
    pub async fn former_usernames(&self) -> Result<Vec<FormerUsername>, StoreError> {
        let rows = sqlx::query("SELECT name, at FROM ap_former_usernames ORDER BY at DESC, name")
            .fetch_all(&self.store.readers)
            .await?;
        rows.iter()
            .map(|row| {
                Ok(FormerUsername {
                    name: row.try_get("name")?,
                    at: time(row.try_get("at")?)?,
                })
            })
            .collect()
    }

    /// Deletes a former name; false if there is none such.
    pub async fn forget_former_username(&self, name: String) -> Result<bool, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let done = sqlx::query("DELETE FROM ap_former_usernames WHERE name = $1")
                        .bind(name)
                        .execute(tx)
                        .await?;
                    Ok(done.rows_affected() > 0)
                })
            })
            .await
    }

    /// Where this reader continues in the event log. The first time that is the end: earlier events are not news.
    /// [`Effects::cursor`] advances it.
    pub async fn cursor(&self, name: &'static str, at: Timestamp) -> Result<i64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    sqlx::query(
                        "INSERT INTO cursors (name, seq, updated_at) \
                         SELECT $1, COALESCE(MAX(seq), 0), $2 FROM events WHERE 1 = 1 ON CONFLICT (name) DO NOTHING",
                    )
                    .bind(name)
                    .bind(at.as_millisecond())
                    .execute(&mut *tx)
                    .await?;
                    let seq = sqlx::query_scalar("SELECT seq FROM cursors WHERE name = $1")
                        .bind(name)
                        .fetch_one(tx)
                        .await?;
                    Ok(seq)
                })
            })
            .await
    }
}
