//! An object to publish, and the tombstone in its place.

use jiff::Timestamp;

use crate::error::StoreError;
use crate::writer::Tx;

/// The kind of a published object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Note,
    /// The activity that carries a post.
    Create,
    /// A ping to directories: live.
    Offer,
    /// A ping to directories: no longer live.
    Leave,
    /// Permission for somebody's post to quote one of ours.
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

    pub(super) fn parse(text: &str) -> Result<Self, StoreError> {
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

/// An object to publish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewObject {
    pub iri: String,
    /// The JSON as served.
    pub json: String,
    pub kind: ObjectKind,
    /// For a Create: the address of its post, with which it is deleted.
    pub note: Option<String>,
    /// Whether everybody may read it. A post for followers stays theirs when the server leaves private mode.
    pub is_public: bool,
    /// Whether it announces that the stream is live.
    pub is_live_notification: bool,
    pub at: Timestamp,
}

/// Stores an object; an existing one stays as it is.
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

/// Leaves a tombstone in place of an object and of the activity that carried it. Deliveries of it that are still
/// pending are cancelled.
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
