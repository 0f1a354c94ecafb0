//! Pictures of posts, as they were when the post was published.

use jiff::Timestamp;
use sqlx::Row;

use super::FederationTables;
use crate::error::StoreError;
use crate::files::StoredFile;

impl FederationTables {
    /// Stores a picture under a name of ours; an existing one stays as it is.
    pub async fn put_media(
        &self,
        name: String,
        file: StoredFile,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    sqlx::query(
                        "INSERT INTO ap_media (name, content_type, bytes, created_at) VALUES ($1, $2, $3, $4) \
                         ON CONFLICT (name) DO NOTHING",
                    )
                    .bind(name)
                    .bind(file.content_type)
                    .bind(file.bytes)
                    .bind(at.as_millisecond())
                    .execute(tx)
                    .await?;
                    Ok(())
                })
            })
            .await
    }

    /// The picture with this name.
    pub async fn media(&self, name: &str) -> Result<Option<StoredFile>, StoreError> {
        let row = sqlx::query("SELECT content_type, bytes FROM ap_media WHERE name = $1")
            .bind(name)
            .fetch_optional(&self.store.readers)
            .await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(StoredFile {
            content_type: row.try_get(0)?,
            bytes: row.try_get(1)?,
        }))
    }

    /// Deletes pictures older than `before`; returns how many.
    pub async fn prune_media(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let done = sqlx::query("DELETE FROM ap_media WHERE created_at < $1")
                        .bind(before.as_millisecond())
                        .execute(tx)
                        .await?;
                    Ok(done.rows_affected())
                })
            })
            .await
    }
}
