//! What we published, as the operator sees it and as the next process needs it.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::{FederationTables, ObjectKind};
use crate::error::StoreError;
use crate::users::time;

/// A post and the reactions to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedPost {
    pub iri: String,
    /// The JSON as served.
    pub json: String,
    /// Whether everybody may read it.
    pub is_public: bool,
    /// Whether it announces that the stream is live.
    pub is_live_notification: bool,
    pub created_at: Timestamp,
    pub likes: i64,
    pub reposts: i64,
    pub quotes: i64,
    pub replies: i64,
}

impl FederationTables {
    /// Posts that are not deleted, newest first, and their total.
    pub async fn published_page(
        &self,
        offset: u32,
        limit: u32,
    ) -> Result<(Vec<PublishedPost>, i64), StoreError> {
        let rows = sqlx::query(
            "SELECT iri, json, is_public, is_live_notification, created_at, \
             (SELECT COUNT(*) FROM ap_activity_log l WHERE l.iri = ap_objects.iri AND l.undone_at IS NULL \
              AND l.type = 'FEDIVERSE_ENGAGEMENT_LIKE') AS likes, \
             (SELECT COUNT(*) FROM ap_activity_log l WHERE l.iri = ap_objects.iri AND l.undone_at IS NULL \
              AND l.type = 'FEDIVERSE_ENGAGEMENT_REPOST') AS reposts, \
             (SELECT COUNT(*) FROM ap_activity_log l WHERE l.iri = ap_objects.iri AND l.undone_at IS NULL \
              AND l.type = 'FEDIVERSE_ENGAGEMENT_QUOTE') AS quotes, \
             (SELECT COUNT(*) FROM ap_activity_log l WHERE l.iri = ap_objects.iri AND l.undone_at IS NULL \
              AND l.type = 'FEDIVERSE_REPLY') AS replies \
             FROM ap_objects WHERE kind = 'Note' AND deleted_at IS NULL \
             ORDER BY created_at DESC, iri DESC LIMIT $1 OFFSET $2",
        )
        .bind(i64::from(limit))
        .bind(i64::from(offset))
        .fetch_all(&self.store.readers)
        .await?;
        let total = sqlx::query_scalar(
            "SELECT COUNT(*) FROM ap_objects WHERE kind = 'Note' AND deleted_at IS NULL",
        )
        .fetch_one(&self.store.readers)
        .await?;
        let posts = rows.iter().map(from_row).collect::<Result<_, _>>()?;
        Ok((posts, total))
    }

    /// The last ping to directories, and when: [`ObjectKind::Offer`] or [`ObjectKind::Leave`].
    pub async fn last_ping(&self) -> Result<Option<(ObjectKind, Timestamp)>, StoreError> {
        // Of two in the same moment, the Leave came second.
        let row = sqlx::query(
            "SELECT kind, created_at FROM ap_objects WHERE kind IN ('Offer', 'Leave') \
             ORDER BY created_at DESC, kind LIMIT 1",
        )
        .fetch_optional(&self.store.readers)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let kind = match row.try_get::<String, _>("kind")?.as_str() {
            "Leave" => ObjectKind::Leave,
            _ => ObjectKind::Offer,
        };
        Ok(Some((kind, time(row.try_get("created_at")?)?)))
    }

    /// Deletes the picture of a deleted post.
    pub async fn delete_media(&self, name: String) -> Result<(), StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    sqlx::query("DELETE FROM ap_media WHERE name = $1")
                        .bind(name)
                        .execute(tx)
                        .await?;
                    Ok(())
                })
            })
            .await
    }

    /// Records that an inbox is missing: the accounts that use it are checked next.
    pub async fn validate_soon(&self, inbox: String) -> Result<(), StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    sqlx::query(
                        "UPDATE ap_followers SET validated_at = 0 WHERE inbox = $1 OR shared_inbox = $1",
                    )
                    .bind(inbox)
                    .execute(tx)
                    .await?;
                    Ok(())
                })
            })
            .await
    }
}

fn from_row(row: &AnyRow) -> Result<PublishedPost, StoreError> {
    Ok(PublishedPost {
        iri: row.try_get("iri")?,
        json: row.try_get("json")?,
        is_public: row.try_get::<i64, _>("is_public")? != 0,
        is_live_notification: row.try_get::<i64, _>("is_live_notification")? != 0,
        created_at: time(row.try_get("created_at")?)?,
        likes: row.try_get("likes")?,
        reposts: row.try_get("reposts")?,
        quotes: row.try_get("quotes")?,
        replies: row.try_get("replies")?,
    })
}
