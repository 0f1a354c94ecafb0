//! The operator's own user in the chat.

use jiff::Timestamp;
use model::{Event, TokenId, UserId};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::error::StoreError;
use crate::tokens::{self, Token};
use crate::users::{self, NewUser, User};
use crate::writer::Tx;

/// The one identity that the operator's user has; no provider of sign-ins is called so.
const PROVIDER: &str = "Operator";
const SUBJECT: &str = "operator";

impl Store {
    /// Gives a new token to the operator's user, who is made first if there is none. The user gets `user`'s name, also
    /// where somebody else has it, and moderates.
    pub async fn chat_as_operator(
        &self,
        user: NewUser,
        token: Token,
        secret_hash: Vec<u8>,
    ) -> Result<User, StoreError> {
        let at = token.created_at;
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let known = sqlx::query(
                    "SELECT user_id FROM identities WHERE provider = $1 AND subject = $2",
                )
                .bind(PROVIDER)
                .bind(SUBJECT)
                .fetch_optional(&mut *tx)
                .await?;
                let known: Option<String> = known.map(|row| row.try_get(0)).transpose()?;
                let known = known.map(user_id).transpose()?;
                let id = match known {
                    Some(id) => {
                        let before = users::by_id(tx, &id).await?;
                        if let Some(before) = before.filter(|it| it.display_name != user.display_name) {
                            users::rename(tx, &before, user.display_name, at).await?;
                        }
                        id
                    }
                    None => {
                        let id = user.id.clone();
                        users::insert(tx, user, at).await?;
                        identify(tx, &id, at).await?;
                        id
                    }
                };
                sqlx::query(
                    "UPDATE users SET is_moderator = 1, authenticated_at = COALESCE(authenticated_at, $1) \
                     WHERE id = $2",
                )
                .bind(at.as_millisecond())
                .bind(id.as_str())
                .execute(&mut *tx)
                .await?;
                let token = Token {
                    user_id: id.clone(),
                    ..token
                };
                tokens::insert(tx, token, secret_hash).await?;
                let Some(user) = users::by_id(tx, &id).await? else {
                    return Err(StoreError::Unavailable(format!("user {id} is gone")));
                };
                Ok((user, vec![Event::ChatUserChanged { user: id }]))
            })
        })
        .await
    }

    /// The tokens that the operator's user has now.
    pub async fn operator_tokens(&self) -> Result<Vec<TokenId>, StoreError> {
        let rows = sqlx::query(
            "SELECT id FROM tokens WHERE user_id IN \
             (SELECT user_id FROM identities WHERE provider = $1 AND subject = $2)",
        )
        .bind(PROVIDER)
        .bind(SUBJECT)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(token_id).collect()
    }

    /// The operator's user, once there is one.
    pub async fn operator_user(&self) -> Result<Option<UserId>, StoreError> {
        let row =
            sqlx::query("SELECT user_id FROM identities WHERE provider = $1 AND subject = $2")
                .bind(PROVIDER)
                .bind(SUBJECT)
                .fetch_optional(&self.readers)
                .await?;
        row.map(|row| user_id(row.try_get(0)?)).transpose()
    }
}

/// Takes the tokens of the operator's user away: whoever had the old password could have made one. Returns which.
pub(crate) async fn forget_tokens(tx: &mut Tx) -> Result<Vec<TokenId>, StoreError> {
    let rows = sqlx::query(
        "DELETE FROM tokens WHERE user_id IN \
         (SELECT user_id FROM identities WHERE provider = $1 AND subject = $2) RETURNING id",
    )
    .bind(PROVIDER)
    .bind(SUBJECT)
    .fetch_all(tx)
    .await?;
    rows.iter().map(token_id).collect()
}

fn token_id(row: &AnyRow) -> Result<TokenId, StoreError> {
    TokenId::parse(row.try_get::<String, _>(0)?)
        .map_err(|error| StoreError::unreadable("token id", error))
}

fn user_id(id: String) -> Result<UserId, StoreError> {
    UserId::parse(id).map_err(|error| StoreError::unreadable("user id", error))
}

async fn identify(tx: &mut Tx, id: &UserId, at: Timestamp) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO identities (provider, subject, user_id, created_at) VALUES ($1, $2, $3, $4)",
    )
    .bind(PROVIDER)
    .bind(SUBJECT)
    .bind(id.as_str())
    .bind(at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}
