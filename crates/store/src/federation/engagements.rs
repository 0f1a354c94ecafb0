//! What others did with our objects, listed for the operator.

use jiff::Timestamp;
use sqlx::Row;

use super::engagement::{Engagement, EngagementKind, RecordResult, record};
use super::{ChangeResult, Effects, FederationTables};
use crate::error::StoreError;
use crate::users::{optional_time, time};

/// Entries kept; beyond that [`FederationTables::prune_engagements`] forgets the oldest.
pub const MAX_ENGAGEMENTS: i64 = 100_000;

/// An engagement in the operator's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEngagement {
    /// Its position in the log.
    pub id: i64,
    pub engagement: Engagement,
    /// When it was undone.
    pub undone_at: Option<Timestamp>,
}

impl FederationTables {
    /// Records an engagement. If it is already known, `effects.events` are not logged.
    pub async fn record_engagement(
        &self,
        engagement: Engagement,
        effects: Effects,
        at: Timestamp,
    ) -> Result<RecordResult, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let recorded = record(tx, &engagement).await?;
                Ok((recorded, ChangeResult::when(recorded == RecordResult::New)))
            })
        })
        .await
    }

    /// Undoes an engagement with an object of ours; false if there is nothing to undo.
    pub async fn undo_engagement(
        &self,
        object: String,
        actor: String,
        kind: EngagementKind,
        effects: Effects,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let done = sqlx::query(
                    "UPDATE ap_activity_log SET undone_at = $4 \
                     WHERE iri = $1 AND actor = $2 AND type = $3 AND undone_at IS NULL",
                )
                .bind(object)
                .bind(actor)
                .bind(kind.as_str())
                .bind(at.as_millisecond())
                .execute(tx)
                .await?;
                let is_undone = done.rows_affected() > 0;
                Ok((is_undone, ChangeResult::when(is_undone)))
            })
        })
        .await
    }

    /// Engagements, newest first, and their total.
    pub async fn actions_page(
        &self,
        offset: u32,
        limit: u32,
    ) -> Result<(Vec<LoggedEngagement>, i64), StoreError> {
        let rows = sqlx::query(
            "SELECT id, iri, actor, type, activity_id, at, undone_at FROM ap_activity_log \
             ORDER BY id DESC LIMIT $1 OFFSET $2",
        )
        .bind(i64::from(limit))
        .bind(i64::from(offset))
        .fetch_all(&self.store.readers)
        .await?;
        let total = sqlx::query_scalar("SELECT COUNT(*) FROM ap_activity_log")
            .fetch_one(&self.store.readers)
            .await?;
        let mut actions = Vec::with_capacity(rows.len());
        for row in &rows {
            actions.push(LoggedEngagement {
                id: row.try_get("id")?,
                engagement: Engagement {
                    object: row.try_get("iri")?,
                    actor: row.try_get("actor")?,
                    kind: EngagementKind::parse(&row.try_get::<String, _>("type")?)?,
                    activity_id: row.try_get("activity_id")?,
                    at: time(row.try_get("at")?)?,
                },
                undone_at: optional_time(row, "undone_at")?,
            });
        }
        Ok((actions, total))
    }

    /// Deletes what exceeds [`MAX_ENGAGEMENTS`]; returns how many.
    pub async fn prune_engagements(&self) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let done = sqlx::query(
                        "DELETE FROM ap_activity_log WHERE id <= \
                         (SELECT id FROM ap_activity_log ORDER BY id DESC LIMIT 1 OFFSET $1)",
                    )
                    .bind(MAX_ENGAGEMENTS)
                    .execute(tx)
                    .await?;
                    Ok(done.rows_affected())
                })
            })
            .await
    }
}
