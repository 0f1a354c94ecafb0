//! Access tokens of bots and overlays: each token has its own user, under whose name it speaks.

use jiff::Timestamp;
use model::{Event, TokenId};
use sqlx::Row;

use crate::database::Store;
use crate::error::StoreError;
use crate::tokens::{self, Token};
use crate::users::{self, NewUser, User, UserKind};
use crate::writer::Tx;

/// Limit (operators): access tokens; a further one is refused until one is revoked.
pub const MAX_ACCESS_TOKENS: i64 = 500;

impl Store {
    /// Stores a bot with its token; `None` if the limit is reached.
    pub async fn add_access_token(
        &self,
        user: NewUser,
        token: Token,
        secret_hash: Vec<u8>,
        at: Timestamp,
    ) -> Result<Option<User>, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let count = sqlx::query("SELECT COUNT(*) FROM tokens WHERE scopes <> ''")
                    .fetch_one(&mut *tx)
                    .await?;
                if count.try_get::<i64, _>(0)? >= MAX_ACCESS_TOKENS {
                    return Ok(None);
                }
                let id = user.id.clone();
                users::insert(tx, user, at).await?;
                tokens::insert(tx, token, secret_hash).await?;
                users::by_id(tx, &id).await
            })
        })
        .await
    }

    /// Every access token with its user, newest first.
    pub async fn access_tokens(&self) -> Result<Vec<(Token, User)>, StoreError> {
        let rows = sqlx::query(concat!(
            "SELECT t.id AS token_id, t.user_id, t.prefix, t.scopes, t.created_at AS token_created_at, t.last_used_at, ",
            "u.id, u.kind, u.display_name, u.display_color, u.previous_names, u.created_at, u.name_changed_at, ",
            "u.authenticated_at, u.disabled_at, u.is_moderator, u.muted_until, u.spoke_at, u.muted_reason, ",
            "u.disabled_reason, u.disabled_until ",
            "FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.scopes <> '' AND u.disabled_at IS NULL ",
            "ORDER BY t.created_at DESC, t.id LIMIT $1"
        ))
        .bind(MAX_ACCESS_TOKENS)
        .fetch_all(&self.readers)
        .await?;
        rows.iter()
            .map(|row| {
                let token = tokens::from_columns(row, "token_id", "token_created_at")?;
                Ok((token, users::from_row(row)?))
            })
            .collect()
    }

    /// An existing token and its user.
    pub async fn access_token(&self, id: &TokenId) -> Result<Option<(Token, User)>, StoreError> {
        let Some(token) = self.token(id).await? else {
            return Ok(None);
        };
        let user = self.user(&token.user_id).await?;
        Ok(user.map(|user| (token, user)))
    }

    /// Deletes an access token for good; `None` if there is none. What its user wrote stays.
    pub async fn revoke_access_token(
        &self,
        by: TokenKey,
        at: Timestamp,
    ) -> Result<Option<TokenId>, StoreError> {
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let Some(token) = find(tx, by).await? else {
                    return Ok((None, vec![]));
                };
                sqlx::query("DELETE FROM tokens WHERE id = $1")
                    .bind(token.id.as_str())
                    .execute(&mut *tx)
                    .await?;
                sqlx::query(
                    "DELETE FROM users WHERE id = $1 AND kind = $2 \
                     AND id NOT IN (SELECT user_id FROM messages WHERE user_id IS NOT NULL)",
                )
                .bind(token.user_id.as_str())
                .bind(UserKind::Api.as_str())
                .execute(tx)
                .await?;
                let event = Event::ChatTokenRevoked {
                    token: token.id.clone(),
                };
                Ok((Some(token.id), vec![event]))
            })
        })
        .await
    }
}

/// Identifies a token to be revoked.
#[derive(Clone, Debug)]
pub enum TokenKey {
    /// By its id, as lists show it.
    Id(TokenId),
    /// By the hash of its secret.
    Hash(Vec<u8>),
}

async fn find(tx: &mut Tx, by: TokenKey) -> Result<Option<Token>, StoreError> {
    let found = match by {
        TokenKey::Id(id) => tokens::by_id(tx, &id).await?,
        TokenKey::Hash(hash) => tokens::by_hash(tx, hash).await?,
    };
    // The tokens of people are not access tokens.
    Ok(found.filter(|token| !token.scopes.is_empty()))
}
