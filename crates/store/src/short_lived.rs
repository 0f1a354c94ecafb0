//! What is worth nothing after minutes, for servers that share a database: codes that were sent, sign-ins under way.
//!
//! Somebody who begins at one server may go on at another. Values are sealed, and keys of secrets are hashes, as a backup
//! must not hold what lets somebody in. A server that is alone keeps all of this in memory.

use std::sync::Arc;

use jiff::Timestamp;
use sqlx::Row;

use crate::database::Store;
use crate::error::StoreError;
use crate::writer::Tx;

/// Something to be kept.
#[derive(Clone, Debug)]
pub struct ShortLived {
    /// What it is; keys are unique within a kind.
    pub kind: &'static str,
    pub key: String,
    /// Who it counts for.
    pub owner: String,
    /// It is sealed before it is stored.
    pub value: Vec<u8>,
    pub expires_at: Timestamp,
}

/// How much of a kind is kept.
#[derive(Clone, Copy, Debug)]
pub struct ShortLivedLimits {
    /// Of everybody; what is more is refused.
    pub most: usize,
    pub most_of_owner: usize,
    /// Whether the owner's oldest gives way to a further one; otherwise that is refused.
    pub gives_way: bool,
}

/// What becomes of a value that somebody looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Afterwards {
    Keep,
    Replace(Vec<u8>),
    Remove,
}

impl Store {
    /// Keeps something, in the place of what has the same key; false if there is too much of its kind. What has expired is
    /// deleted first.
    pub async fn keep_short_lived(
        &self,
        item: ShortLived,
        limits: ShortLivedLimits,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let sealed = self
            .vault
            .seal(&sealed_name(item.kind, &item.key), &item.value)?;
        self.write(move |tx| {
            Box::pin(async move {
                forget_expired(tx, now).await?;
                sqlx::query("DELETE FROM short_lived WHERE kind = $1 AND key = $2")
                    .bind(item.kind)
                    .bind(item.key.clone())
                    .execute(&mut *tx)
                    .await?;
                if !has_room(tx, &item, limits).await? {
                    return Ok(false);
                }
                insert(tx, item, sealed).await?;
                Ok(true)
            })
        })
        .await
    }

    /// Takes something out: it is there for one caller only, at whatever server.
    pub async fn take_short_lived(
        &self,
        kind: &'static str,
        key: &str,
        now: Timestamp,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.look_at_short_lived(kind, key, now, |value| {
            (Afterwards::Remove, value.map(<[u8]>::to_vec))
        })
        .await
    }

    /// Looks at something and decides what becomes of it, as one step: nobody else sees it in between. There is nothing
    /// to keep of what is not there.
    pub async fn look_at_short_lived<T, F>(
        &self,
        kind: &'static str,
        key: &str,
        now: Timestamp,
        decide: F,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(Option<&[u8]>) -> (Afterwards, T) + Send + 'static,
    {
        // Anybody may try a code, and a wrong one must not cost a write: there is one writer for all servers.
        if !self.has_short_lived(kind, key, now).await? {
            return Ok(decide(None).1);
        }
        let (key, vault) = (key.to_owned(), Arc::clone(&self.vault));
        self.write(move |tx| {
            Box::pin(async move {
                let row = sqlx::query(
                    "SELECT sealed FROM short_lived WHERE kind = $1 AND key = $2 AND expires_at > $3",
                )
                .bind(kind)
                .bind(key.clone())
                .bind(now.as_millisecond())
                .fetch_optional(&mut *tx)
                .await?;
                let Some(row) = row else {
                    return Ok(decide(None).1);
                };
                let name = sealed_name(kind, &key);
                let value = vault.unseal(&name, &row.try_get::<Vec<u8>, _>(0)?)?;
                let (afterwards, told) = decide(Some(value.as_slice()));
                match afterwards {
                    Afterwards::Keep => {}
                    Afterwards::Replace(value) => {
                        let sealed = vault.seal(&name, &value)?;
                        sqlx::query(
                            "UPDATE short_lived SET sealed = $3 WHERE kind = $1 AND key = $2",
                        )
                        .bind(kind)
                        .bind(key)
                        .bind(sealed)
                        .execute(tx)
                        .await?;
                    }
                    Afterwards::Remove => {
                        sqlx::query("DELETE FROM short_lived WHERE kind = $1 AND key = $2")
                            .bind(kind)
                            .bind(key)
                            .execute(tx)
                            .await?;
                    }
                }
                Ok(told)
            })
        })
        .await
    }

    async fn has_short_lived(
        &self,
        kind: &'static str,
        key: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let row = sqlx::query(
            "SELECT COUNT(*) FROM short_lived WHERE kind = $1 AND key = $2 AND expires_at > $3",
        )
        .bind(kind)
        .bind(key.to_owned())
        .bind(now.as_millisecond())
        .fetch_one(&self.readers)
        .await?;
        Ok(row.try_get::<i64, _>(0)? > 0)
    }

    /// Keeps something unless it is there already; returns what is there now. So all servers have the same.
    pub async fn share_short_lived(
        &self,
        item: ShortLived,
        now: Timestamp,
    ) -> Result<Vec<u8>, StoreError> {
        let vault = Arc::clone(&self.vault);
        self.write(move |tx| {
            Box::pin(async move {
                forget_expired(tx, now).await?;
                let name = sealed_name(item.kind, &item.key);
                let row =
                    sqlx::query("SELECT sealed FROM short_lived WHERE kind = $1 AND key = $2")
                        .bind(item.kind)
                        .bind(item.key.clone())
                        .fetch_optional(&mut *tx)
                        .await?;
                if let Some(row) = row {
                    return vault.unseal(&name, &row.try_get::<Vec<u8>, _>(0)?);
                }
                let value = item.value.clone();
                let sealed = vault.seal(&name, &value)?;
                insert(tx, item, sealed).await?;
                Ok(value)
            })
        })
        .await
    }
}

/// A row cannot be passed off as another.
fn sealed_name(kind: &str, key: &str) -> String {
    format!("short-lived {kind} {key}")
}

async fn forget_expired(tx: &mut Tx, now: Timestamp) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM short_lived WHERE expires_at <= $1")
        .bind(now.as_millisecond())
        .execute(tx)
        .await?;
    Ok(())
}

/// Whether one more may be kept; makes room if others have to give way.
async fn has_room(
    tx: &mut Tx,
    item: &ShortLived,
    limits: ShortLivedLimits,
) -> Result<bool, StoreError> {
    let row = sqlx::query("SELECT COUNT(*) FROM short_lived WHERE kind = $1 AND owner = $2")
        .bind(item.kind)
        .bind(item.owner.clone())
        .fetch_one(&mut *tx)
        .await?;
    let own: i64 = row.try_get(0)?;
    if usize::try_from(own).unwrap_or(usize::MAX) >= limits.most_of_owner {
        if !limits.gives_way {
            return Ok(false);
        }
        sqlx::query(
            "DELETE FROM short_lived WHERE kind = $1 AND key = (SELECT key FROM short_lived \
             WHERE kind = $1 AND owner = $2 ORDER BY expires_at, key LIMIT 1)",
        )
        .bind(item.kind)
        .bind(item.owner.clone())
        .execute(&mut *tx)
        .await?;
    }
    let row = sqlx::query("SELECT COUNT(*) FROM short_lived WHERE kind = $1")
        .bind(item.kind)
        .fetch_one(tx)
        .await?;
    let all: i64 = row.try_get(0)?;
    Ok(usize::try_from(all).unwrap_or(usize::MAX) < limits.most)
}

async fn insert(tx: &mut Tx, item: ShortLived, sealed: Vec<u8>) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO short_lived (kind, key, owner, sealed, expires_at) VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(item.kind)
    .bind(item.key)
    .bind(item.owner)
    .bind(sealed)
    .bind(item.expires_at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}
