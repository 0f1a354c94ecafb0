//! Where the operator has signed in before: browsers, networks, and links made on the console.

use jiff::Timestamp;
use model::{Event, TokenId};
use sqlx::Row;

use crate::chat::operator::forget_tokens;
use crate::database::Store;
use crate::error::StoreError;
use crate::writer::Tx;

/// Browsers, and networks, that are remembered; the ones used longest ago are forgotten.
const MAX_REMEMBERED: i64 = 100;
/// Links that wait to be used; the ones made first are forgotten.
const MAX_LINKS: i64 = 20;

impl Store {
    /// Records where the operator just signed in: the network, and the browser if it has a cookie for it.
    pub async fn remember_operator(
        &self,
        network: String,
        device_hash: Option<Vec<u8>>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "INSERT INTO operator_networks (network, used_at) VALUES ($1, $2) \
                     ON CONFLICT (network) DO UPDATE SET used_at = excluded.used_at",
                )
                .bind(network)
                .bind(at.as_millisecond())
                .execute(&mut *tx)
                .await?;
                let statement = "DELETE FROM operator_networks WHERE network NOT IN \
                     (SELECT network FROM operator_networks ORDER BY used_at DESC LIMIT $1)";
                keep_newest(tx, statement, MAX_REMEMBERED).await?;
                let Some(device_hash) = device_hash else {
                    return Ok(());
                };
                sqlx::query(
                    "INSERT INTO operator_devices (token_hash, used_at) VALUES ($1, $2) \
                     ON CONFLICT (token_hash) DO UPDATE SET used_at = excluded.used_at",
                )
                .bind(device_hash)
                .bind(at.as_millisecond())
                .execute(&mut *tx)
                .await?;
                let statement = "DELETE FROM operator_devices WHERE token_hash NOT IN \
                     (SELECT token_hash FROM operator_devices ORDER BY used_at DESC LIMIT $1)";
                keep_newest(tx, statement, MAX_REMEMBERED).await?;
                Ok(())
            })
        })
        .await
    }

    /// Networks the operator has signed in from.
    pub async fn operator_networks(&self) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query("SELECT network FROM operator_networks")
            .fetch_all(&self.readers)
            .await?;
        rows.into_iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// Whether the operator has signed in with this browser.
    pub async fn has_operator_device(&self, device_hash: &[u8]) -> Result<bool, StoreError> {
        let row = sqlx::query("SELECT COUNT(*) FROM operator_devices WHERE token_hash = $1")
            .bind(device_hash.to_vec())
            .fetch_one(&self.readers)
            .await?;
        Ok(row.try_get::<i64, _>(0)? > 0)
    }

    /// Stores a link for one sign-in.
    pub async fn add_operator_link(
        &self,
        token_hash: Vec<u8>,
        expires_at: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query("INSERT INTO operator_links (token_hash, expires_at) VALUES ($1, $2)")
                    .bind(token_hash)
                    .bind(expires_at.as_millisecond())
                    .execute(&mut *tx)
                    .await?;
                let statement = "DELETE FROM operator_links WHERE token_hash NOT IN \
                     (SELECT token_hash FROM operator_links ORDER BY expires_at DESC LIMIT $1)";
                keep_newest(tx, statement, MAX_LINKS).await?;
                Ok(())
            })
        })
        .await
    }

    /// Uses a link up; false if it does not exist or no longer does. The use is logged with the address it came from.
    pub async fn use_operator_link(
        &self,
        token_hash: &[u8],
        address: String,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let token_hash = token_hash.to_vec();
        // Anybody may try a link, and a wrong one must not cost a write.
        let row = sqlx::query("SELECT COUNT(*) FROM operator_links WHERE token_hash = $1")
            .bind(token_hash.clone())
            .fetch_one(&self.readers)
            .await?;
        if row.try_get::<i64, _>(0)? == 0 {
            return Ok(false);
        }
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let used = sqlx::query(
                    "DELETE FROM operator_links WHERE token_hash = $1 AND expires_at > $2",
                )
                .bind(token_hash)
                .bind(at.as_millisecond())
                .execute(&mut *tx)
                .await?;
                let is_used = used.rows_affected() == 1;
                sqlx::query("DELETE FROM operator_links WHERE expires_at <= $1")
                    .bind(at.as_millisecond())
                    .execute(tx)
                    .await?;
                let event = is_used.then_some(Event::AdminSignedInByLink { address });
                Ok((is_used, event.into_iter().collect()))
            })
        })
        .await
    }
}

/// A changed password invalidates everything the old one had opened. Returns the tokens of the operator's chat user that
/// went with it.
pub(crate) async fn forget_operator(tx: &mut Tx) -> Result<Vec<TokenId>, StoreError> {
    for statement in [
        "DELETE FROM sessions",
        "DELETE FROM operator_devices",
        "DELETE FROM operator_networks",
        "DELETE FROM operator_links",
    ] {
        sqlx::query(statement).execute(&mut *tx).await?;
    }
    forget_tokens(tx).await
}

/// Runs a statement that keeps only `limit` rows.
async fn keep_newest(tx: &mut Tx, statement: &'static str, limit: i64) -> Result<(), StoreError> {
    sqlx::query(statement).bind(limit).execute(tx).await?;
    Ok(())
}
