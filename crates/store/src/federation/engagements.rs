//! What others did with our objects: each logged once, and listed for the operator.

use jiff::Timestamp;
use sqlx::Row;

use super::seen::pair;
use super::{ChangeResult, Effects, FederationTables};
use crate::error::StoreError;
use crate::users::{optional_time, time};
use crate::writer::Tx;

/// Entries kept; beyond that [`FederationTables::prune_engagements`] forgets the oldest.
pub const MAX_ENGAGEMENTS: i64 = 100_000;

/// The kind of an engagement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngagementKind {
    Follow,
    Like,
    Repost,
    Quote,
    /// Replied.
    Reply,
    /// Mentioned us.
    Mention,
}

impl EngagementKind {
    /// As stored and as the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            EngagementKind::Follow => "FEDIVERSE_ENGAGEMENT_FOLLOW",
            EngagementKind::Like => "FEDIVERSE_ENGAGEMENT_LIKE",
            EngagementKind::Repost => "FEDIVERSE_ENGAGEMENT_REPOST",
            EngagementKind::Quote => "FEDIVERSE_ENGAGEMENT_QUOTE",
            EngagementKind::Reply => "FEDIVERSE_REPLY",
            EngagementKind::Mention => "FEDIVERSE_MENTION",
        }
    }

    fn parse(text: &str) -> Result<Self, StoreError> {
        let all = [
            EngagementKind::Follow,
            EngagementKind::Like,
            EngagementKind::Repost,
            EngagementKind::Quote,
            EngagementKind::Reply,
            EngagementKind::Mention,
        ];
        all.into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| StoreError::unreadable("kind of an engagement", text))
    }
}

/// Something an actor did with an object of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engagement {
    /// Our object.
    pub object: String,
    pub actor: String,
    pub kind: EngagementKind,
    /// The activity that announced it.
    pub activity_id: Option<String>,
    pub at: Timestamp,
}

/// An engagement in the operator's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEngagement {
    /// Its position in the log.
    pub id: i64,
    pub engagement: Engagement,
    /// When it was undone.
    pub undone_at: Option<Timestamp>,
}

/// Whether it was already recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordResult {
    /// No.
    New,
    /// Yes, though it may have been undone meanwhile: it is not logged again.
    Known,
}

/// Records it, once per object, actor and kind.
pub(super) async fn record(
    tx: &mut Tx,
    engagement: &Engagement,
) -> Result<RecordResult, StoreError> {
    let key = engagement
        .activity_id
        .as_ref()
        .map(|id| pair(id, &engagement.actor));
    let added = sqlx::query(
        "INSERT INTO ap_activity_log (iri, actor, type, activity_id, pair, at) VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT DO NOTHING",
    )
    .bind(engagement.object.clone())
    .bind(engagement.actor.clone())
    .bind(engagement.kind.as_str())
    .bind(engagement.activity_id.clone())
    .bind(key.clone())
    .bind(engagement.at.as_millisecond())
    .execute(&mut *tx)
    .await?;
    if added.rows_affected() > 0 {
        return Ok(RecordResult::New);
    }
    // An undo would name the new activity now, unless its id is taken already.
    sqlx::query(
        "UPDATE ap_activity_log SET undone_at = NULL, activity_id = $4, pair = $5 \
         WHERE iri = $1 AND actor = $2 AND type = $3 AND NOT EXISTS \
         (SELECT 1 FROM ap_activity_log other WHERE other.pair = $5 AND other.id <> ap_activity_log.id)",
    )
    .bind(engagement.object.clone())
    .bind(engagement.actor.clone())
    .bind(engagement.kind.as_str())
    .bind(engagement.activity_id.clone())
    .bind(key)
    .execute(tx)
    .await?;
    Ok(RecordResult::Known)
}

/// Undoes what an activity announced; false if no such engagement of that actor stands.
pub(super) async fn undo_activity(
    tx: &mut Tx,
    activity_id: &str,
    actor: &str,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "UPDATE ap_activity_log SET undone_at = $2 WHERE pair = $1 AND undone_at IS NULL",
    )
    .bind(pair(activity_id, actor))
    .bind(at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(done.rows_affected() > 0)
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
