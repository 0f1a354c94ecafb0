//! Tokens of bots and chat users: hashes, never the secrets.

use jiff::Timestamp;
use model::{Scope, TokenId, UserId};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::error::StoreError;
use crate::users::{optional_time, time};
use crate::writer::Tx;

/// A stored token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Identifies it in lists and for deletion.
    pub id: TokenId,
    pub user_id: UserId,
    /// The first characters of the secret, so that its owner recognises it.
    pub prefix: String,
    /// Its permissions; empty for chat users.
    pub scopes: Vec<Scope>,
    pub created_at: Timestamp,
    /// When it was last presented.
    pub last_used_at: Option<Timestamp>,
}

impl Store {
    /// Stores a token by the SHA-256 of its secret.
    pub async fn add_token(&self, token: Token, secret_hash: Vec<u8>) -> Result<(), StoreError> {
        self.write(move |tx| Box::pin(insert(tx, token, secret_hash)))
            .await
    }

    /// The token whose secret has this hash. The look-up leaks nothing: the hash of a guess is not a guess of the hash.
    pub async fn token_by_hash(&self, secret_hash: &[u8]) -> Result<Option<Token>, StoreError> {
        let row = sqlx::query(
            "SELECT id, user_id, prefix, scopes, created_at, last_used_at FROM tokens WHERE secret_hash = $1",
        )
        .bind(secret_hash.to_vec())
        .fetch_optional(&self.readers)
        .await?;
        row.map(|row| from_row(&row)).transpose()
    }

    pub(crate) async fn token(&self, id: &TokenId) -> Result<Option<Token>, StoreError> {
        let row = sqlx::query(
            "SELECT id, user_id, prefix, scopes, created_at, last_used_at FROM tokens WHERE id = $1",
        )
        .bind(id.as_str())
        .fetch_optional(&self.readers)
        .await?;
        row.map(|row| from_row(&row)).transpose()
    }

    /// Records that a token was used.
    pub async fn touch_token(&self, id: &TokenId, at: Timestamp) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query("UPDATE tokens SET last_used_at = $1 WHERE id = $2")
                    .bind(at.as_millisecond())
                    .bind(id.as_str())
                    .execute(tx)
                    .await?;
                Ok(())
            })
        })
        .await
    }
}

pub(crate) async fn by_hash(
    tx: &mut Tx,
    secret_hash: Vec<u8>,
) -> Result<Option<Token>, StoreError> {
    let row = sqlx::query(
        "SELECT id, user_id, prefix, scopes, created_at, last_used_at FROM tokens WHERE secret_hash = $1",
    )
    .bind(secret_hash)
    .fetch_optional(tx)
    .await?;
    row.map(|row| from_row(&row)).transpose()
}

pub(crate) async fn by_id(tx: &mut Tx, id: &TokenId) -> Result<Option<Token>, StoreError> {
    let row = sqlx::query(
        "SELECT id, user_id, prefix, scopes, created_at, last_used_at FROM tokens WHERE id = $1",
    )
    .bind(id.as_str())
    .fetch_optional(tx)
    .await?;
    row.map(|row| from_row(&row)).transpose()
}

pub(crate) async fn insert(
    tx: &mut Tx,
    token: Token,
    secret_hash: Vec<u8>,
) -> Result<(), StoreError> {
    let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.as_str()).collect();
    sqlx::query(
        "INSERT INTO tokens (id, user_id, secret_hash, prefix, scopes, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(token.id.as_str())
    .bind(token.user_id.as_str())
    .bind(secret_hash)
    .bind(token.prefix)
    .bind(scopes.join(","))
    .bind(token.created_at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}

fn from_row(row: &AnyRow) -> Result<Token, StoreError> {
    from_columns(row, "id", "created_at")
}

/// Reads a token from a joined row, where some of its columns have other names.
pub(crate) fn from_columns(row: &AnyRow, id: &str, created_at: &str) -> Result<Token, StoreError> {
    let wrong_id = |error| StoreError::unreadable("token", error);
    let scopes: String = row.try_get("scopes")?;
    let scopes = scopes
        .split(',')
        .filter(|scope| !scope.is_empty())
        .map(str::parse);
    Ok(Token {
        id: TokenId::parse(row.try_get::<String, _>(id)?).map_err(wrong_id)?,
        user_id: UserId::parse(row.try_get::<String, _>("user_id")?).map_err(wrong_id)?,
        prefix: row.try_get("prefix")?,
        scopes: scopes
            .collect::<Result<_, _>>()
            .map_err(|error| StoreError::unreadable("scope", error))?,
        created_at: time(row.try_get(created_at)?)?,
        last_used_at: optional_time(row, "last_used_at")?,
    })
}
