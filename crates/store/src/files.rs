//! Small uploaded files: the logo and the icon.

use jiff::Timestamp;
use model::Event;
use sqlx::Row;

use crate::database::Store;
use crate::error::StoreError;
use crate::users::time;

/// The name of the server's logo.
pub const LOGO: &str = "logo";

/// An uploaded file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// A media type we chose, never the uploader's.
    pub content_type: String,
    pub bytes: Vec<u8>,
}

/// A file's metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// A media type we chose.
    pub content_type: String,
    /// When it was stored.
    pub changed_at: Timestamp,
}

impl Store {
    /// Stores a file under one of our own names; the change is logged like that of a setting.
    pub async fn put_file(
        &self,
        name: &'static str,
        file: StoredFile,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "INSERT INTO files (name, content_type, bytes, updated_at) VALUES ($1, $2, $3, $4) \
                     ON CONFLICT (name) DO UPDATE SET content_type = excluded.content_type, \
                     bytes = excluded.bytes, updated_at = excluded.updated_at",
                )
                .bind(name)
                .bind(file.content_type)
                .bind(file.bytes)
                .bind(at.as_millisecond())
                .execute(tx)
                .await?;
                let key = name.to_owned();
                Ok(((), vec![Event::SettingChanged { key }]))
            })
        })
        .await
    }

    /// Deletes the file stored under `name`, if any.
    pub async fn delete_file(&self, name: &'static str) -> Result<(), StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query("DELETE FROM files WHERE name = $1")
                    .bind(name)
                    .execute(tx)
                    .await?;
                Ok(())
            })
        })
        .await
    }

    /// The file stored under `name`, without its content.
    pub async fn file_facts(&self, name: &str) -> Result<Option<FileFacts>, StoreError> {
        let row = sqlx::query("SELECT content_type, updated_at FROM files WHERE name = $1")
            .bind(name)
            .fetch_optional(&self.readers)
            .await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(FileFacts {
            content_type: row.try_get(0)?,
            changed_at: time(row.try_get(1)?)?,
        }))
    }

    /// The file stored under `name`.
    pub async fn file(&self, name: &str) -> Result<Option<StoredFile>, StoreError> {
        let row = sqlx::query("SELECT content_type, bytes FROM files WHERE name = $1")
            .bind(name)
            .fetch_optional(&self.readers)
            .await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(StoredFile {
            content_type: row.try_get(0)?,
            bytes: row.try_get(1)?,
        }))
    }
}
