//! Admin sessions: a hash of the cookie, never the cookie.

use jiff::Timestamp;
use sqlx::Row;

use crate::database::Store;
use crate::error::StoreError;
use crate::operator::forget_operator;

/// A signed-in browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdminSession {
    /// SHA-256 of the cookie's value.
    pub token_hash: Vec<u8>,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub address: String,
    /// The user agent, cut to a sane length by the caller.
    pub user_agent: String,
}

impl Store {
    /// Stores a session and deletes expired ones.
    ///
    /// With `password_hash`, only if that is still the stored one; false otherwise. Check and insert are one unit, so a
    /// session cannot slip in after a password change that was meant to end all sessions.
    pub async fn add_session(
        &self,
        session: AdminSession,
        password_hash: Option<String>,
    ) -> Result<bool, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                if let Some(expected) = password_hash {
                    let row = sqlx::query("SELECT password_hash FROM admin WHERE id = 1").fetch_optional(&mut *tx).await?;
                    let stored: Option<String> = row.map(|row| row.try_get(0)).transpose()?;
                    if stored.as_ref() != Some(&expected) {
                        return Ok(false);
                    }
                }
                sqlx::query("DELETE FROM sessions WHERE expires_at <= $1")
                    .bind(session.created_at.as_millisecond())
                    .execute(&mut *tx)
                    .await?;
                sqlx::query(
                    "INSERT INTO sessions (token_hash, created_at, expires_at, address, user_agent) \
                     VALUES ($1, $2, $3, $4, $5)",
                )
                .bind(session.token_hash)
                .bind(session.created_at.as_millisecond())
                .bind(session.expires_at.as_millisecond())
                .bind(session.address)
                .bind(session.user_agent)
                .execute(tx)
                .await?;
                Ok(true)
            })
        })
        .await
    }

    /// Ends every session, and forgets where the operator signed in.
    pub async fn end_all_sessions(&self) -> Result<(), StoreError> {
        self.write(|tx| Box::pin(async move { forget_operator(tx).await.map(drop) }))
            .await
    }

    /// The addresses that sessions still open were opened from.
    pub async fn session_addresses(&self, now: Timestamp) -> Result<Vec<String>, StoreError> {
        let rows =
            sqlx::query("SELECT DISTINCT address FROM sessions WHERE expires_at > $1 LIMIT 1000")
                .bind(now.as_millisecond())
                .fetch_all(&self.readers)
                .await?;
        rows.into_iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// Whether the session exists and has not ended.
    pub async fn has_session(&self, token_hash: &[u8], now: Timestamp) -> Result<bool, StoreError> {
        let row =
            sqlx::query("SELECT COUNT(*) FROM sessions WHERE token_hash = $1 AND expires_at > $2")
                .bind(token_hash.to_vec())
                .bind(now.as_millisecond())
                .fetch_one(&self.readers)
                .await?;
        Ok(row.try_get::<i64, _>(0)? > 0)
    }

    /// Ends one session.
    pub async fn end_session(&self, token_hash: &[u8]) -> Result<(), StoreError> {
        let token_hash = token_hash.to_vec();
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query("DELETE FROM sessions WHERE token_hash = $1")
                    .bind(token_hash)
                    .execute(tx)
                    .await?;
                Ok(())
            })
        })
        .await
    }
}
