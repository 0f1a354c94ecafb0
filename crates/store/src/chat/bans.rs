//! Banned addresses.

use jiff::Timestamp;
use model::{Event, UserId};
use sqlx::Row;

use super::log::{Action, Actor, ModerationTarget, note};
use crate::database::Store;
use crate::error::StoreError;
use crate::users::{self, optional_time, time};
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
    /// When it is over; one without an end never is.
    pub expires_at: Option<Timestamp>,
    /// Whose ban it is part of; it ends with it.
    pub user_id: Option<UserId>,
}

/// Inserts a ban inside a unit of work; false if the address is banned for as long already.
pub(super) async fn insert(tx: &mut Tx, ban: &AddressBan) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "INSERT INTO address_bans (address, note, created_at, expires_at, user_id) \
         SELECT $1, $2, CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS TEXT) \
         WHERE (SELECT COUNT(*) FROM address_bans) < $6 \
         ON CONFLICT (address) DO NOTHING",
    )
    .bind(ban.address.clone())
    .bind(ban.note.clone())
    .bind(ban.created_at.as_millisecond())
    .bind(ban.expires_at.map(Timestamp::as_millisecond))
    .bind(ban.user_id.as_ref().map(ToString::to_string))
    .bind(MAX_BANS)
    .execute(&mut *tx)
    .await?;
    if done.rows_affected() == 1 {
        return Ok(true);
    }
    // The longer of two bans counts. Of two without an end it is the one that nobody's return lifts.
    let done = sqlx::query(
        "UPDATE address_bans SET note = $1, expires_at = $2, user_id = $3 WHERE address = $4 \
         AND ((expires_at IS NOT NULL AND COALESCE(CAST($2 AS BIGINT), expires_at + 1) > expires_at) \
         OR (expires_at IS NULL AND user_id IS NOT NULL \
         AND CAST($2 AS BIGINT) IS NULL AND CAST($3 AS TEXT) IS NULL))",
    )
    .bind(ban.note.clone())
    .bind(ban.expires_at.map(Timestamp::as_millisecond))
    .bind(ban.user_id.as_ref().map(ToString::to_string))
    .bind(ban.address.clone())
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Tells apart, in what was stored before addresses said whose ban they are part of, those that came with the ban of a
/// user: they have its time and this note, which nobody else writes at the same millisecond.
pub(super) async fn adopt_old(tx: &mut Tx, user: &UserId) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE address_bans SET user_id = $1 WHERE user_id IS NULL AND note LIKE 'Banning of %' \
         AND created_at = (SELECT disabled_at FROM users WHERE id = $1)",
    )
    .bind(user.as_str())
    .execute(tx)
    .await?;
    Ok(())
}

/// Gives another end to the bans that came with the ban of a user.
pub(super) async fn reschedule(
    tx: &mut Tx,
    user: &UserId,
    until: Option<Timestamp>,
) -> Result<(), StoreError> {
    sqlx::query("UPDATE address_bans SET expires_at = $1 WHERE user_id = $2")
        .bind(until.map(Timestamp::as_millisecond))
        .bind(user.as_str())
        .execute(tx)
        .await?;
    Ok(())
}

/// Lifts the bans that came with the ban of a user.
pub(super) async fn lift_of(tx: &mut Tx, user: &UserId) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM address_bans WHERE user_id = $1")
        .bind(user.as_str())
        .execute(tx)
        .await?;
    Ok(())
}

impl Store {
    /// Bans an address; false if it is banned for as long already.
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

    /// Bans addresses that a banned user is connected from at one of several servers, unless the ban is lifted meanwhile.
    pub async fn ban_addresses_of(
        &self,
        user: &UserId,
        bans: Vec<AddressBan>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let user = user.clone();
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let stored = users::by_id(tx, &user).await?;
                if !stored.is_some_and(|user| user.is_banned(at)) {
                    return Ok(((), vec![]));
                }
                let mut is_news = false;
                for ban in &bans {
                    is_news |= insert(tx, ban).await?;
                }
                let event = Event::ChatAddressBansChanged { banned: None };
                Ok(((), is_news.then_some(event).into_iter().collect()))
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
            "SELECT address, note, created_at, expires_at, user_id FROM address_bans ORDER BY created_at, address",
        )
        .fetch_all(&self.readers)
        .await?;
        rows.iter()
            .map(|row| {
                Ok(AddressBan {
                    address: row.try_get("address")?,
                    note: row.try_get("note")?,
                    created_at: time(row.try_get("created_at")?)?,
                    expires_at: optional_time(row, "expires_at")?,
                    user_id: row
                        .try_get::<Option<String>, _>("user_id")?
                        .and_then(|id| UserId::parse(id).ok()),
                })
            })
            .collect()
    }
}
