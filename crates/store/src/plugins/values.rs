//! A key-value store for each plugin, with quotas.

use jiff::Timestamp;
use sqlx::Row;
use thiserror::Error;

use super::records;
use crate::database::Store;
use crate::error::StoreError;
use crate::writer::Tx;

/// Bytes a key may have; a longer one is refused.
pub const MAX_KEY_BYTES: usize = 512;
/// Limit (plugins): size of a value in `kv`; a larger one is refused and the old one stays.
pub const MAX_VALUE_BYTES: usize = 1024 * 1024;
/// Keys a plugin may have; another one is refused until one is deleted.
pub const MAX_KEYS: i64 = 10_000;
/// Limit (plugins): size of all keys and values in `kv`; what would go beyond it is refused.
pub const MAX_VALUES_BYTES: i64 = 16 * 1024 * 1024;

/// A plugin and one of its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueKey {
    pub slug: String,
    /// The key it chose.
    pub key: String,
}

/// Why a value was not stored.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum KvRefusal {
    /// The key is empty or too long.
    #[error("a key must have between 1 and {MAX_KEY_BYTES} bytes")]
    Key,
    /// The value is too large.
    #[error("a value may have {MAX_VALUE_BYTES} bytes at most")]
    Value,
    /// There are too many keys.
    #[error("a plugin may keep {MAX_KEYS} keys at most: delete one first")]
    Keys,
    /// The total size is too large.
    #[error("a plugin may keep {MAX_VALUES_BYTES} bytes at most: delete something first")]
    Total,
}

impl Store {
    /// The value under a key; an empty value is never stored, so it reads as absent.
    pub async fn plugin_value(&self, at: &ValueKey) -> Result<Option<String>, StoreError> {
        let row = sqlx::query("SELECT value FROM plugin_values WHERE slug = $1 AND key = $2")
            .bind(at.slug.as_str())
            .bind(at.key.as_bytes())
            .fetch_optional(&self.readers)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let text = String::from_utf8(row.try_get(0)?);
        text.map(Some)
            .map_err(|error| StoreError::unreadable("value of a plugin", error))
    }

    /// Stores a value; an empty one deletes the key. The inner error is a quota, and then nothing has changed.
    pub async fn set_plugin_value(
        &self,
        at: ValueKey,
        value: String,
        now: Timestamp,
    ) -> Result<Result<(), KvRefusal>, StoreError> {
        if at.key.is_empty() || at.key.len() > MAX_KEY_BYTES {
            return Ok(Err(KvRefusal::Key));
        }
        if value.len() > MAX_VALUE_BYTES {
            return Ok(Err(KvRefusal::Value));
        }
        self.write(move |tx| Box::pin(async move { put(tx, at, value, now).await }))
            .await
    }
}

async fn put(
    tx: &mut Tx,
    at: ValueKey,
    value: String,
    now: Timestamp,
) -> Result<Result<(), KvRefusal>, StoreError> {
    records::make(tx, &at.slug, now).await?;
    let used = sqlx::query("SELECT kv_keys, kv_bytes FROM plugins WHERE slug = $1")
        .bind(at.slug.as_str())
        .fetch_one(&mut *tx)
        .await?;
    let (keys, bytes): (i64, i64) = (used.try_get(0)?, used.try_get(1)?);
    let former = former_size(tx, &at).await?;
    let size = (!value.is_empty()).then(|| i64::try_from(at.key.len() + value.len()));
    let size = size
        .transpose()
        .map_err(|error| StoreError::unreadable("size of a value", error))?;
    let keys = keys - i64::from(former.is_some()) + i64::from(size.is_some());
    let bytes = bytes - former.unwrap_or(0) + size.unwrap_or(0);
    // A change that frees space is always allowed, even where a former version allowed more.
    if size > former {
        if keys > MAX_KEYS {
            return Ok(Err(KvRefusal::Keys));
        }
        if bytes > MAX_VALUES_BYTES {
            return Ok(Err(KvRefusal::Total));
        }
    }
    sqlx::query("UPDATE plugins SET kv_keys = $2, kv_bytes = $3 WHERE slug = $1")
        .bind(at.slug.as_str())
        .bind(keys)
        .bind(bytes)
        .execute(&mut *tx)
        .await?;
    let query = if size.is_some() {
        sqlx::query(
            "INSERT INTO plugin_values (slug, key, value) VALUES ($1, $2, $3) \
             ON CONFLICT (slug, key) DO UPDATE SET value = excluded.value",
        )
    } else {
        sqlx::query("DELETE FROM plugin_values WHERE slug = $1 AND key = $2")
    };
    let mut query = query.bind(at.slug).bind(at.key.into_bytes());
    if size.is_some() {
        query = query.bind(value.into_bytes());
    }
    query.execute(tx).await?;
    Ok(Ok(()))
}

/// The size in bytes of a key and its value, if present.
async fn former_size(tx: &mut Tx, at: &ValueKey) -> Result<Option<i64>, StoreError> {
    let row = sqlx::query(
        "SELECT CAST(LENGTH(key) + LENGTH(value) AS BIGINT) FROM plugin_values WHERE slug = $1 AND key = $2",
    )
    .bind(at.slug.as_str())
    .bind(at.key.as_bytes())
    .fetch_optional(tx)
    .await?;
    row.map(|row| Ok(row.try_get(0)?)).transpose()
}
