//! Adds, orders and removes servers, and records their answers.

use jiff::Timestamp;
use sqlx::Row;

use super::{FollowStatus, NewServer, Server, ServerProfile, columns, from_row};
use crate::error::StoreError;
use crate::federation::{ChangeResult, Effects, FederationTables, host_of};
use crate::writer::Tx;

/// Servers the operator can show; a further one is refused.
pub const MAX_SERVERS: i64 = 200;

/// The result of adding a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddServerResult {
    /// It has this number, and is sent a Follow.
    Asked(i64),
    /// It already existed.
    Known(i64),
    /// There are already [`MAX_SERVERS`].
    Full,
}

/// The direction of a move in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the first.
    Up,
    /// Towards the last.
    Down,
}

impl FederationTables {
    /// Adds a server at the end; its answer is pending. One that had announced itself becomes one the operator wants.
    /// Nothing is sent unless the result is [`AddServerResult::Asked`].
    pub async fn add_server(
        &self,
        new: NewServer,
        effects: Effects,
        at: Timestamp,
    ) -> Result<AddServerResult, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let row =
                    sqlx::query("SELECT id, is_unsolicited FROM federated_servers WHERE iri = $1")
                        .bind(new.iri.clone())
                        .fetch_optional(&mut *tx)
                        .await?;
                if let Some(row) = &row
                    && row.try_get::<i64, _>("is_unsolicited")? == 0
                {
                    return Ok((
                        AddServerResult::Known(row.try_get("id")?),
                        ChangeResult::Nothing,
                    ));
                }
                let count: i64 = sqlx::query_scalar(
                    "SELECT COUNT(*) FROM federated_servers WHERE is_unsolicited = 0",
                )
                .fetch_one(&mut *tx)
                .await?;
                if count >= MAX_SERVERS {
                    return Ok((AddServerResult::Full, ChangeResult::Nothing));
                }
                let id = put(tx, &new, at).await?;
                Ok((AddServerResult::Asked(id), ChangeResult::Done))
            })
        })
        .await
    }

    /// Stores a server's answer and its account's profile. One that rejects is offline. False if there is no such
    /// server or it announced itself.
    pub async fn set_server_status(
        &self,
        id: i64,
        status: FollowStatus,
        profile: Option<ServerProfile>,
        effects: Effects,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let moment = at.as_millisecond();
                let done = sqlx::query(
                    "UPDATE federated_servers SET follow_status = $2, accepted_at = COALESCE($3, accepted_at), \
                     rejected_at = $4, is_online = CASE WHEN $2 = 'accepted' THEN is_online ELSE 0 END \
                     WHERE id = $1 AND is_unsolicited = 0",
                )
                .bind(id)
                .bind(status.as_str())
                .bind((status == FollowStatus::Accepted).then_some(moment))
                .bind((status == FollowStatus::Rejected).then_some(moment))
                .execute(&mut *tx)
                .await?;
                let is_known = done.rows_affected() > 0;
                if let Some(profile) = profile.filter(|_| is_known) {
                    set_profile(tx, id, profile).await?;
                }
                Ok((is_known, ChangeResult::when(is_known)))
            })
        })
        .await
    }

    /// Stores the profile of a server's account; false if there is no such server.
    pub async fn set_server_profile(
        &self,
        id: i64,
        profile: ServerProfile,
    ) -> Result<bool, StoreError> {
        self.store
            .write(move |tx| Box::pin(async move { set_profile(tx, id, profile).await }))
            .await
    }

    /// Records that a server's account has moved. The operator decides what to do about it.
    pub async fn note_server_moved(
        &self,
        actor: String,
        moved_to: String,
        effects: Effects,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let done =
                    sqlx::query("UPDATE federated_servers SET moved_to = $2 WHERE actor_iri = $1")
                        .bind(actor)
                        .bind(moved_to)
                        .execute(tx)
                        .await?;
                let is_known = done.rows_affected() > 0;
                Ok((is_known, ChangeResult::when(is_known)))
            })
        })
        .await
    }

    /// Moves a server by one place; false if it is at the end or does not exist.
    pub async fn reorder_server(&self, id: i64, direction: Direction) -> Result<bool, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let mut ids: Vec<i64> = sqlx::query_scalar(
                        "SELECT id FROM federated_servers WHERE is_unsolicited = 0 \
                         ORDER BY CASE WHEN follow_status = 'accepted' THEN 0 ELSE 1 END, priority, id",
                    )
                    .fetch_all(&mut *tx)
                    .await?;
                    let Some(place) = ids.iter().position(|other| *other == id) else {
                        return Ok(false);
                    };
                    let other = match direction {
                        Direction::Up => place.checked_sub(1),
                        Direction::Down => Some(place + 1).filter(|other| *other < ids.len()),
                    };
                    let Some(other) = other else {
                        return Ok(false);
                    };
                    ids.swap(place, other);
                    for (priority, id) in (0_i64..).zip(ids) {
                        sqlx::query("UPDATE federated_servers SET priority = $2 WHERE id = $1")
                            .bind(id)
                            .bind(priority)
                            .execute(&mut *tx)
                            .await?;
                    }
                    Ok(true)
                })
            })
            .await
    }

    /// Removes a server; returns what was stored. Nothing is sent if there is none.
    pub async fn remove_server(
        &self,
        id: i64,
        effects: Effects,
        at: Timestamp,
    ) -> Result<Option<Server>, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let row = sqlx::query(columns!("WHERE id = $1"))
                    .bind(id)
                    .fetch_optional(&mut *tx)
                    .await?;
                let Some(row) = row else {
                    return Ok((None, ChangeResult::Nothing));
                };
                sqlx::query("DELETE FROM federated_servers WHERE id = $1")
                    .bind(id)
                    .execute(tx)
                    .await?;
                Ok((Some(from_row(&row)?), ChangeResult::Done))
            })
        })
        .await
    }
}

async fn put(tx: &mut Tx, new: &NewServer, at: Timestamp) -> Result<i64, StoreError> {
    let row = sqlx::query(
        "INSERT INTO federated_servers (iri, host, is_unsolicited, actor_iri, inbox, follow_id, username, name, \
         display_name, summary, logo_url, follow_status, is_online, stream_title, stream_description, stream_tags, \
         priority, added_at, followed_at, followed_as) \
         SELECT $1, $2, 0, $3, $4, $5, $6, $7, $8, $9, $10, 'pending', 0, '', '', '[]', COALESCE(MAX(priority), -1) + 1, \
         $11, $11, $12 FROM federated_servers WHERE is_unsolicited = 0 \
         ON CONFLICT (iri) DO UPDATE SET is_unsolicited = 0, actor_iri = excluded.actor_iri, inbox = excluded.inbox, \
         follow_id = excluded.follow_id, followed_as = excluded.followed_as, username = excluded.username, name = excluded.name, \
         display_name = excluded.display_name, summary = excluded.summary, logo_url = excluded.logo_url, \
         follow_status = 'pending', priority = excluded.priority, followed_at = excluded.followed_at RETURNING id",
    )
    .bind(new.iri.clone())
    .bind(host_of(&new.iri))
    .bind(new.actor_iri.clone())
    .bind(new.inbox.clone())
    .bind(new.follow_id.clone())
    .bind(new.profile.username.clone())
    .bind(new.profile.name.clone())
    .bind(new.profile.display_name.clone())
    .bind(new.profile.summary.clone())
    .bind(new.profile.logo_url.clone())
    .bind(at.as_millisecond())
    .bind(new.followed_as.clone())
    .fetch_one(tx)
    .await?;
    Ok(row.try_get("id")?)
}

async fn set_profile(tx: &mut Tx, id: i64, profile: ServerProfile) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "UPDATE federated_servers SET username = $2, name = $3, display_name = $4, summary = $5, logo_url = $6 \
         WHERE id = $1",
    )
    .bind(id)
    .bind(profile.username)
    .bind(profile.name)
    .bind(profile.display_name)
    .bind(profile.summary)
    .bind(profile.logo_url)
    .execute(tx)
    .await?;
    Ok(done.rows_affected() > 0)
}
