//! Posts others wrote to us: kept for the operator, for a while.

use std::time::Duration;

use jiff::Timestamp;
use model::fediverse::RemotePost;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::engagement::{Engagement, EngagementKind, RecordResult, record, undo_activity};
use super::{ChangeResult, Effects, FederationTables};
use crate::error::StoreError;
use crate::users::time;
use crate::writer::Tx;

/// How long posts and complaints are kept.
pub const INBOUND_AGE: Duration = Duration::from_secs(30 * 24 * 3600);
/// Posts kept; beyond that the oldest is forgotten.
pub const MAX_INBOUND_POSTS: i64 = 10_000;

/// Why a post concerns us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboundKind {
    /// It replies to a post of ours.
    Reply,
    /// It mentions us, or is addressed to us.
    Mention,
}

impl InboundKind {
    /// As stored and as the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            InboundKind::Reply => "reply",
            InboundKind::Mention => "mention",
        }
    }

    fn parse(text: &str) -> Result<Self, StoreError> {
        match text {
            "reply" => Ok(InboundKind::Reply),
            "mention" => Ok(InboundKind::Mention),
            other => Err(StoreError::unreadable("kind of a post", other)),
        }
    }
}

/// A received post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInboundPost {
    pub iri: String,
    pub kind: InboundKind,
    pub post: RemotePost,
}

/// The reply engagement of a post. It names the post instead of the activity, so that deleting the post undoes it.
fn answer(new: &NewInboundPost, at: Timestamp) -> Option<Engagement> {
    let object = new.post.in_reply_to.clone()?;
    (new.kind == InboundKind::Reply).then(|| Engagement {
        object,
        actor: new.post.actor.iri.clone(),
        kind: EngagementKind::Reply,
        activity_id: Some(new.iri.clone()),
        at,
    })
}

/// A stored post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboundPost {
    pub id: i64,
    pub iri: String,
    pub kind: InboundKind,
    pub post: RemotePost,
    pub created_at: Timestamp,
}

impl FederationTables {
    /// Stores a post, once. If it is already known, no event is logged.
    pub async fn add_inbound_post(
        &self,
        new: NewInboundPost,
        effects: Effects,
        at: Timestamp,
    ) -> Result<RecordResult, StoreError> {
        let json = serde_json::to_string(&new.post)
            .map_err(|error| StoreError::unreadable("post", error))?;
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let answer = answer(&new, at);
                let added = sqlx::query(
                    "INSERT INTO ap_inbound_posts (iri, actor, kind, json, created_at) VALUES ($1, $2, $3, $4, $5) \
                     ON CONFLICT (iri) DO NOTHING",
                )
                .bind(new.iri)
                .bind(new.post.actor.iri)
                .bind(new.kind.as_str())
                .bind(json)
                .bind(at.as_millisecond())
                .execute(&mut *tx)
                .await?;
                if added.rows_affected() == 0 {
                    return Ok((RecordResult::Known, ChangeResult::Nothing));
                }
                if let Some(answer) = answer {
                    record(tx, &answer).await?;
                }
                keep_newest(
                    tx,
                    "DELETE FROM ap_inbound_posts WHERE id <= \
                     (SELECT id FROM ap_inbound_posts ORDER BY id DESC LIMIT 1 OFFSET $1)",
                    MAX_INBOUND_POSTS,
                )
                .await?;
                Ok((RecordResult::New, ChangeResult::Done))
            })
        })
        .await
    }

    /// Received posts, newest first, and their total.
    pub async fn inbound_posts_page(
        &self,
        offset: u32,
        limit: u32,
    ) -> Result<(Vec<InboundPost>, i64), StoreError> {
        let rows = sqlx::query(
            "SELECT id, iri, kind, json, created_at FROM ap_inbound_posts ORDER BY id DESC LIMIT $1 OFFSET $2",
        )
        .bind(i64::from(limit))
        .bind(i64::from(offset))
        .fetch_all(&self.store.readers)
        .await?;
        let total = sqlx::query_scalar("SELECT COUNT(*) FROM ap_inbound_posts")
            .fetch_one(&self.store.readers)
            .await?;
        let posts = rows.iter().map(post_from).collect::<Result<_, _>>()?;
        Ok((posts, total))
    }

    /// Deletes a post on behalf of its author; false if it is not here, or not theirs.
    pub async fn delete_inbound_post(
        &self,
        iri: String,
        actor: String,
        effects: Effects,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let done =
                    sqlx::query("DELETE FROM ap_inbound_posts WHERE iri = $1 AND actor = $2")
                        .bind(iri.clone())
                        .bind(actor.clone())
                        .execute(&mut *tx)
                        .await?;
                let is_deleted = done.rows_affected() > 0;
                if is_deleted {
                    undo_activity(tx, &iri, &actor, at).await?;
                }
                Ok((is_deleted, ChangeResult::when(is_deleted)))
            })
        })
        .await
    }

    /// Removes a post at the operator's wish; false if there is none.
    pub async fn dismiss_inbound_post(&self, id: i64) -> Result<bool, StoreError> {
        self.dismiss("DELETE FROM ap_inbound_posts WHERE id = $1", id)
            .await
    }

    pub(super) async fn dismiss(
        &self,
        statement: &'static str,
        id: i64,
    ) -> Result<bool, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let done = sqlx::query(statement).bind(id).execute(tx).await?;
                    Ok(done.rows_affected() > 0)
                })
            })
            .await
    }

    /// Deletes posts and complaints older than [`INBOUND_AGE`]; returns how many.
    pub async fn prune_inbound(&self, now: Timestamp) -> Result<u64, StoreError> {
        let before = (now - INBOUND_AGE).as_millisecond();
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let mut forgotten = 0;
                    for statement in [
                        "DELETE FROM ap_inbound_posts WHERE created_at < $1",
                        "DELETE FROM ap_reports WHERE created_at < $1",
                    ] {
                        let done = sqlx::query(statement)
                            .bind(before)
                            .execute(&mut *tx)
                            .await?;
                        forgotten += done.rows_affected();
                    }
                    Ok(forgotten)
                })
            })
            .await
    }
}

pub(super) async fn keep_newest(
    tx: &mut Tx,
    statement: &'static str,
    most: i64,
) -> Result<(), StoreError> {
    sqlx::query(statement).bind(most).execute(tx).await?;
    Ok(())
}

fn post_from(row: &AnyRow) -> Result<InboundPost, StoreError> {
    let json: String = row.try_get("json")?;
    Ok(InboundPost {
        id: row.try_get("id")?,
        iri: row.try_get("iri")?,
        kind: InboundKind::parse(&row.try_get::<String, _>("kind")?)?,
        post: serde_json::from_str(&json).map_err(|error| StoreError::unreadable("post", error))?,
        created_at: time(row.try_get("created_at")?)?,
    })
}
