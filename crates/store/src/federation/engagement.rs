//! Something somebody did with an object of ours: logged once, and undone by the activity that announced it.

use jiff::Timestamp;

use super::seen::pair;
use crate::error::StoreError;
use crate::writer::Tx;

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

    pub(super) fn parse(text: &str) -> Result<Self, StoreError> {
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
