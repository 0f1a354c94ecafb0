//! What we publish: posts, the activities that carry them, and short-lived pings.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::{ChangeResult, Effects, FederationTables, PAGE_SIZE, offset_of};
use crate::error::StoreError;
use crate::users::{optional_time, time};
use crate::writer::Tx;

/// What is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Note,
    /// The activity that carries a post.
    Create,
    /// A ping to directories: live.
    Offer,
    /// A ping to directories: no longer live.
    Leave,
    /// Somebody's post may quote one of ours.
    QuoteAuthorization,
    Event,
}

impl ObjectKind {
    /// As stored.
    pub fn as_str(self) -> &'static str {
        match self {
            ObjectKind::Note => "Note",
            ObjectKind::Create => "Create",
            ObjectKind::Offer => "Offer",
            ObjectKind::Leave => "Leave",
            ObjectKind::QuoteAuthorization => "QuoteAuthorization",
            ObjectKind::Event => "Event",
        }
    }

    fn parse(text: &str) -> Result<Self, StoreError> {
        let all = [
            ObjectKind::Note,
            ObjectKind::Create,
            ObjectKind::Offer,
            ObjectKind::Leave,
            ObjectKind::QuoteAuthorization,
            ObjectKind::Event,
        ];
        all.into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| StoreError::unreadable("kind of an object", text))
    }
}

/// Something to be published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewObject {
    pub iri: String,
    /// As it is served.
    pub json: String,
    pub kind: ObjectKind,
    /// For a Create: the address of its post, which it is deleted with.
    pub note: Option<String>,
    /// For everybody. What was written for followers stays theirs when the server leaves private mode.
    pub is_public: bool,
    /// It says that the stream is live.
    pub is_live_notification: bool,
    pub at: Timestamp,
}

/// Something published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredObject {
    pub iri: String,
    /// As it is served; empty when it was deleted.
    pub json: String,
    pub kind: ObjectKind,
    /// For a Create: the address of its post.
    pub note: Option<String>,
    /// For everybody.
    pub is_public: bool,
    /// It says that the stream is live.
    pub is_live_notification: bool,
    pub created_at: Timestamp,
    /// Deleted since.
    pub deleted_at: Option<Timestamp>,
}

/// Stores it; one that is there stays as it is.
pub(super) async fn insert(tx: &mut Tx, object: &NewObject) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO ap_objects (iri, kind, json, note, is_public, is_live_notification, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (iri) DO NOTHING",
    )
    .bind(object.iri.clone())
    .bind(object.kind.as_str())
    .bind(object.json.clone())
    .bind(object.note.clone())
    .bind(i64::from(object.is_public))
    .bind(i64::from(object.is_live_notification))
    .bind(object.at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}

/// Leaves a gravestone where it was, and at the activity that carried it. What is not yet sent of it is not sent.
pub(super) async fn bury(tx: &mut Tx, iri: &str, at: Timestamp) -> Result<bool, StoreError> {
    sqlx::query(
        "DELETE FROM deliveries WHERE state = 'pending' AND activity_id IN \
         (SELECT iri FROM ap_objects WHERE iri = $1 OR note = $1)",
    )
    .bind(iri.to_owned())
    .execute(&mut *tx)
    .await?;
    let buried = sqlx::query(
        "UPDATE ap_objects SET json = '', deleted_at = $2 WHERE (iri = $1 OR note = $1) AND deleted_at IS NULL",
    )
    .bind(iri.to_owned())
    .bind(at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(buried.rows_affected() > 0)
}

impl FederationTables {
    /// Publishes something that has no other effect.
    pub async fn add_object(&self, object: NewObject) -> Result<(), StoreError> {
        self.store
            .write(move |tx| Box::pin(async move { insert(tx, &object).await }))
            .await
    }

    /// What is or was published at this address.
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

    /// Public posts as the activities that carry them, newest first, [`PAGE_SIZE`] on a page; and how many there are.
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

    /// Public posts there are.
    pub async fn count_posts(&self) -> Result<i64, StoreError> {
        let count = sqlx::query_scalar(
            "SELECT COUNT(*) FROM ap_objects WHERE kind = 'Create' AND deleted_at IS NULL AND is_public = 1",
        )
        .fetch_one(&self.store.readers)
        .await?;
        Ok(count)
    }

    /// When the stream was last said to be live, in a post that still stands or not.
    pub async fn last_live_notification(&self) -> Result<Option<Timestamp>, StoreError> {
        let at: Option<i64> = sqlx::query_scalar(
            "SELECT MAX(created_at) FROM ap_objects WHERE kind = 'Note' AND is_live_notification = 1",
        )
        .fetch_one(&self.store.readers)
        .await?;
        at.map(time).transpose()
    }

    /// Deletes what is published at this address, and the activity that carried it; false when there is nothing.
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

    /// Forgets what is of one kind and older; returns how many.
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
