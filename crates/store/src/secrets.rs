//! Secrets we must be able to read back: stored as the [`vault`](crate::vault) seals them.

use jiff::Timestamp;
use sqlx::Row;

use crate::database::Store;
use crate::error::StoreError;
use crate::vault::CANARY;
use crate::writer::Tx;

impl Store {
    /// Seals `clear` and stores it under `name`.
    pub async fn put_secret(
        &self,
        name: &'static str,
        clear: &[u8],
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let sealed = self.vault.seal(name, clear)?;
        self.write(move |tx| Box::pin(async move { put_sealed(tx, name, sealed, at).await }))
            .await
    }

    /// Stores a secret unless there is one under this name; returns the one that is there then.
    pub async fn keep_secret(
        &self,
        name: &'static str,
        clear: &[u8],
        at: Timestamp,
    ) -> Result<Vec<u8>, StoreError> {
        let sealed = self.vault.seal(name, clear)?;
        let kept: Vec<u8> = self
            .write(move |tx| {
                Box::pin(async move {
                    sqlx::query(
                        "INSERT INTO secrets (name, sealed, updated_at) VALUES ($1, $2, $3) \
                         ON CONFLICT (name) DO NOTHING",
                    )
                    .bind(name)
                    .bind(sealed)
                    .bind(at.as_millisecond())
                    .execute(&mut *tx)
                    .await?;
                    let row = sqlx::query("SELECT sealed FROM secrets WHERE name = $1")
                        .bind(name)
                        .fetch_one(tx)
                        .await?;
                    Ok(row.try_get(0)?)
                })
            })
            .await?;
        self.vault.unseal(name, &kept)
    }

    /// The secret stored under `name`.
    pub async fn secret(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let row = sqlx::query("SELECT sealed FROM secrets WHERE name = $1")
            .bind(name)
            .fetch_optional(&self.readers)
            .await?;
        row.map(|row| self.vault.unseal(name, &row.try_get::<Vec<u8>, _>(0)?))
            .transpose()
    }

    /// Seals a value once, so that [`open_known`](crate::vault::open_known) can tell at the next start whether the key is
    /// still the right one.
    pub(crate) async fn plant_canary(&self) -> Result<(), StoreError> {
        if self.secret(CANARY).await?.is_none() {
            self.put_secret(CANARY, CANARY.as_bytes(), Timestamp::UNIX_EPOCH)
                .await?;
        }
        Ok(())
    }
}

/// Stores what is sealed already, in the unit of work of its cause.
pub(crate) async fn put_sealed(
    tx: &mut Tx,
    name: &str,
    sealed: Vec<u8>,
    at: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO secrets (name, sealed, updated_at) VALUES ($1, $2, $3) \
         ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at",
    )
    .bind(name)
    .bind(sealed)
    .bind(at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}
