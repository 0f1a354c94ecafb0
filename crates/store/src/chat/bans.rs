//! Banned addresses.

use jiff::Timestamp;
use model::Event;
use sqlx::Row;

use super::log::{Action, Actor, ModerationTarget, note};
use crate::database::Store;
use crate::error::StoreError;
use crate::users::time;
use crate::writer::Tx;

/// Addresses kept out at most; a ban beyond it is refused.
const MAX_BANS: i64 = 10_000;

/// A banned address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressBan {
    /// As text, in its canonical form.
    pub address: String,
    /// The reason.
    pub note: String,
    pub created_at: Timestamp,
}

/// Inserts a ban inside a unit of work; false if the address is banned already.
pub(super) async fn insert(tx: &mut Tx, ban: &AddressBan) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "INSERT INTO address_bans (address, note, created_at) \
         SELECT $1, $2, $3 WHERE (SELECT COUNT(*) FROM address_bans) < $4 \
         ON CONFLICT (address) DO NOTHING",
    )
    .bind(ban.address.clone())
    .bind(ban.note.clone())
    .bind(ban.created_at.as_millisecond())
    .bind(MAX_BANS)
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

impl Store {
    /// Bans an address; false if it is banned already.
    pub async fn ban_address(&self, ban: AddressBan, actor: Actor) -> Result<bool, StoreError> {
        self.write_with_events(ban.created_at, move |tx| {
            Box::pin(async move {
                let event = Event::ChatAddressBansChanged {
                    banned: Some(ban.address.clone()),
                };
                if !insert(tx, &ban).await? {
                    return Ok((false, vec![event]));
                }
                let target = ModerationTarget {
                    id: ban.address,
                    detail: ban.note,
                    ..ModerationTarget::default()
                };
                note(tx, ban.created_at, &actor, Action::AddressBan, target).await?;
                Ok((true, vec![event]))
            })
        })
        .await
    }

    /// Unbans an address; false if it was not banned.
    pub async fn unban_address(
        &self,
        address: String,
        actor: Actor,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let done = sqlx::query("DELETE FROM address_bans WHERE address = $1")
                    .bind(address.clone())
                    .execute(&mut *tx)
                    .await?;
                if done.rows_affected() == 0 {
                    return Ok((false, vec![]));
                }
                let target = ModerationTarget {
                    id: address,
                    ..ModerationTarget::default()
                };
                note(tx, at, &actor, Action::AddressUnban, target).await?;
                Ok((true, vec![Event::ChatAddressBansChanged { banned: None }]))
            })
        })
        .await
    }

    /// Every banned address, oldest ban first.
    pub async fn address_bans(&self) -> Result<Vec<AddressBan>, StoreError> {
        let rows = sqlx::query(
            "SELECT address, note, created_at FROM address_bans ORDER BY created_at, address",
        )
        .fetch_all(&self.readers)
        .await?;
        rows.iter()
            .map(|row| {
                Ok(AddressBan {
                    address: row.try_get("address")?,
                    note: row.try_get("note")?,
                    created_at: time(row.try_get("created_at")?)?,
                })
            })
            .collect()
    }
}
