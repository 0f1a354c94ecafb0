//! The operator's password hash.

use jiff::Timestamp;
use model::{Event, TokenId};
use sqlx::Row;

use crate::database::Store;
use crate::error::StoreError;
use crate::operator::forget_operator;

/// The stored admin password.
#[derive(Clone)]
pub struct AdminPassword {
    /// The argon2id hash in PHC form.
    pub hash: String,
}

impl std::fmt::Debug for AdminPassword {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AdminPassword(…)")
    }
}

impl Store {
    /// The stored password hash; `None` until the set-up is done.
    pub async fn admin_password(&self) -> Result<Option<AdminPassword>, StoreError> {
        let row = sqlx::query("SELECT password_hash FROM admin WHERE id = 1")
            .fetch_optional(&self.readers)
            .await?;
        Ok(row
            .map(|row| row.try_get(0))
            .transpose()?
            .map(|hash| AdminPassword { hash }))
    }

    /// Stores the first password; returns false and changes nothing if there already is one.
    pub async fn create_admin_password(
        &self,
        hash: String,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let done = sqlx::query(
                    "INSERT INTO admin (id, password_hash, updated_at) VALUES (1, $1, $2) ON CONFLICT (id) DO NOTHING",
                )
                .bind(hash)
                .bind(at.as_millisecond())
                .execute(tx)
                .await?;
                let created = done.rows_affected() == 1;
                let events = if created { vec![Event::SetupCompleted] } else { Vec::new() };
                Ok((created, events))
            })
        })
        .await
    }

    /// Replaces the password, and in the same transaction ends every session and forgets the operator's known browsers,
    /// networks and links. Returns the tokens of the operator's chat user, which end with it.
    pub async fn replace_admin_password(
        &self,
        hash: String,
        at: Timestamp,
    ) -> Result<Vec<TokenId>, StoreError> {
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "INSERT INTO admin (id, password_hash, updated_at) VALUES (1, $1, $2) ON CONFLICT (id) DO UPDATE \
                     SET password_hash = excluded.password_hash, updated_at = excluded.updated_at",
                )
                .bind(hash)
                .bind(at.as_millisecond())
                .execute(&mut *tx)
                .await?;
                let tokens = forget_operator(tx).await?;
                let mut events = vec![Event::AdminPasswordChanged];
                let revoked = |token: &TokenId| Event::ChatTokenRevoked {
                    token: token.clone(),
                };
                events.extend(tokens.iter().map(revoked));
                Ok((tokens, events))
            })
        })
        .await
    }
}
