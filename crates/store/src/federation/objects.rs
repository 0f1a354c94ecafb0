//! What we publish: posts, the activities that carry them, and short-lived pings.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::object::{NewObject, ObjectKind, bury, insert};
use super::{ChangeResult, Effects, FederationTables, PAGE_SIZE, offset_of};
use crate::error::StoreError;
use crate::users::{optional_time, time};

/// A published object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredObject {
    pub iri: String,
    /// The JSON as served; empty once deleted.
    pub json: String,
    pub kind: ObjectKind,
    /// For a Create: the address of its post.
    pub note: Option<String>,
    /// Whether everybody may read it.
    pub is_public: bool,
    /// Whether it announces that the stream is live.
    pub is_live_notification: bool,
    pub created_at: Timestamp,
    /// When it was deleted.
    pub deleted_at: Option<Timestamp>,
}

impl FederationTables {
    /// Publishes an object that has no other effect.
    pub async fn add_object(&self, object: NewObject) -> Result<(), StoreError> {
        self.store
            .write(move |tx| Box::pin(async move { insert(tx, &object).await }))
            .await
    }

    /// The object that is or was published at this address.
    pub async fn object(&self, iri: &str) -> Result<Option<StoredObject>, StoreError> {
        let row = sqlx::query(
            "SELECT iri, kind, json, note, is_public, is_live_notification, created_at, deleted_at FROM ap_objects \
             WHERE iri = $1",
        )
        .bind(iri)
        .fetch_optional(&self.store.readers)
        .await?;
        row.map(|row| from_row(&row)).transpose()
    }

    /// Public posts as the activities that carry them, newest first, [`PAGE_SIZE`] per page; and their total.
    pub async fn outbox_page(&self, page: u32) -> Result<(Vec<String>, i64), StoreError> {
        let activities = sqlx::query_scalar(
            "SELECT json FROM ap_objects WHERE kind = 'Create' AND deleted_at IS NULL AND is_public = 1 \
             ORDER BY created_at DESC, iri DESC LIMIT $1 OFFSET $2",
        )
        .bind(i64::from(PAGE_SIZE))
        .bind(offset_of(page))
        .fetch_all(&self.store.readers)
        .await?;
        Ok((activities, self.count_posts().await?))
    }

    /// The number of public posts.
    pub async fn count_posts(&self) -> Result<i64, StoreError> {
        let count = sqlx::query_scalar(
            "SELECT COUNT(*) FROM ap_objects WHERE kind = 'Create' AND deleted_at IS NULL AND is_public = 1",
        )
        .fetch_one(&self.store.readers)
        .await?;
        Ok(count)
    }

    /// When a post last announced that the stream is live, whether it was deleted since or not.
    pub async fn last_live_notification(&self) -> Result<Option<Timestamp>, StoreError> {
        let at: Option<i64> = sqlx::query_scalar(
            "SELECT MAX(created_at) FROM ap_objects WHERE kind = 'Note' AND is_live_notification = 1",
        )
        .fetch_one(&self.store.readers)
        .await?;
        at.map(time).transpose()
    }

    /// Deletes the object at this address, and the activity that carried it; false if there is none.
    pub async fn delete_object(
        &self,
        iri: String,
        effects: Effects,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let is_buried = bury(tx, &iri, at).await?;
                Ok((is_buried, ChangeResult::when(is_buried)))
            })
        })
        .await
    }

    /// Deletes objects of one kind that are older than `before`; returns how many.
    pub async fn prune_objects(
        &self,
        kind: ObjectKind,
        before: Timestamp,
    ) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let done =
                        sqlx::query("DELETE FROM ap_objects WHERE kind = $1 AND created_at < $2")
                            .bind(kind.as_str())
                            .bind(before.as_millisecond())
                            .execute(tx)
                            .await?;
                    Ok(done.rows_affected())
                })
            })
            .await
    }
}

fn from_row(row: &AnyRow) -> Result<StoredObject, StoreError> {
    Ok(StoredObject {
        iri: row.try_get("iri")?,
        json: row.try_get("json")?,
        kind: ObjectKind::parse(&row.try_get::<String, _>("kind")?)?,
        note: row.try_get("note")?,
        is_public: row.try_get::<i64, _>("is_public")? != 0,
        is_live_notification: row.try_get::<i64, _>("is_live_notification")? != 0,
        created_at: time(row.try_get("created_at")?)?,
        deleted_at: optional_time(row, "deleted_at")?,
    })
}
