//! Removes followers, by their own wish, the operator's, or because they are gone.

use jiff::Timestamp;
use sqlx::Row;

use super::{FollowerState, state_of};
use crate::error::StoreError;
use crate::federation::engagement;
use crate::federation::outgoing::forget_secrets;
use crate::federation::seen::remember_undone;
use crate::federation::{ChangeResult, Effects, FederationTables, is_within};
use crate::writer::Tx;

/// Those who block us that are remembered; beyond that the oldest are forgotten, who do not follow in any case.
pub const MAX_BLOCKED_BY: i64 = 10_000;

/// What an Undo that names only an activity's id has undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoResult {
    /// Their follow.
    Follow,
    /// Their like or share.
    Engagement,
    /// Nothing yet: if a Follow with that id comes, it is discarded.
    Nothing,
}

impl FederationTables {
    /// Removes a follower who is not blocked, and cancels what waits for them alone; false if there is none: then
    /// nothing is sent either.
    pub async fn remove_follower(
        &self,
        iri: String,
        effects: Effects,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let is_removed = remove(tx, &iri).await?;
                Ok((is_removed, ChangeResult::when(is_removed)))
            })
        })
        .await
    }

    /// Undoes a Follow. If it has not arrived yet, it is discarded when it does. Never ends a block.
    pub async fn undo_follow(
        &self,
        actor: String,
        follow_id: Option<String>,
        effects: Effects,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let is_removed = remove(&mut *tx, &actor).await?;
                if let Some(follow_id) = follow_id.filter(|_| !is_removed) {
                    remember_undone(tx, &follow_id, &actor, at).await?;
                }
                Ok((is_removed, ChangeResult::when(is_removed)))
            })
        })
        .await
    }

    /// Undoes whatever an activity did, given only its id.
    pub async fn undo_activity(
        &self,
        actor: String,
        activity_id: String,
        effects: Effects,
        at: Timestamp,
    ) -> Result<UndoResult, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let row = sqlx::query("SELECT follow_id FROM ap_followers WHERE iri = $1")
                    .bind(actor.clone())
                    .fetch_optional(&mut *tx)
                    .await?;
                let follow_id: Option<String> = row.map(|row| row.try_get(0)).transpose()?;
                if follow_id.as_ref() == Some(&activity_id) && remove(&mut *tx, &actor).await? {
                    return Ok((UndoResult::Follow, ChangeResult::Done));
                }
                if engagement::undo_activity(&mut *tx, &activity_id, &actor, at).await? {
                    return Ok((UndoResult::Engagement, ChangeResult::Done));
                }
                remember_undone(tx, &activity_id, &actor, at).await?;
                Ok((UndoResult::Nothing, ChangeResult::Nothing))
            })
        })
        .await
    }

    /// Records that an actor blocks us: they no longer follow, and nothing more is sent to them.
    pub async fn note_blocked_by(
        &self,
        actor: String,
        effects: Effects,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                cancel_all_for(&mut *tx, &actor).await?;
                remove(&mut *tx, &actor).await?;
                sqlx::query(
                    "INSERT INTO ap_blocked_by (actor, at) VALUES ($1, $2) ON CONFLICT (actor) DO NOTHING",
                )
                .bind(actor)
                .bind(at.as_millisecond())
                .execute(&mut *tx)
                .await?;
                sqlx::query(
                    "DELETE FROM ap_blocked_by WHERE at <= \
                     (SELECT at FROM ap_blocked_by ORDER BY at DESC LIMIT 1 OFFSET $1)",
                )
                .bind(MAX_BLOCKED_BY)
                .execute(tx)
                .await?;
                Ok(((), ChangeResult::Done))
            })
        })
        .await
    }

    /// Records that an actor no longer blocks us; false if they did not.
    pub async fn clear_blocked_by(
        &self,
        actor: String,
        effects: Effects,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let done = sqlx::query("DELETE FROM ap_blocked_by WHERE actor = $1")
                    .bind(actor)
                    .execute(tx)
                    .await?;
                let is_cleared = done.rows_affected() > 0;
                Ok((is_cleared, ChangeResult::when(is_cleared)))
            })
        })
        .await
    }

    /// Whether an actor blocks us.
    pub async fn is_blocked_by(&self, actor: &str) -> Result<bool, StoreError> {
        let found: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM ap_blocked_by WHERE actor = $1")
            .bind(actor)
            .fetch_one(&self.store.readers)
            .await?;
        Ok(found > 0)
    }

    /// Removes a deleted account: its follow, its keys, its posts, and what waits for it. A block stays.
    pub async fn forget_actor(
        &self,
        iri: String,
        effects: Effects,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                cancel_all_for(&mut *tx, &iri).await?;
                remove(&mut *tx, &iri).await?;
                for statement in [
                    "DELETE FROM ap_keys WHERE owner = $1",
                    "DELETE FROM ap_inbound_posts WHERE actor = $1",
                    "DELETE FROM ap_blocked_by WHERE actor = $1",
                ] {
                    sqlx::query(statement)
                        .bind(iri.clone())
                        .execute(&mut *tx)
                        .await?;
                }
                Ok(((), ChangeResult::Done))
            })
        })
        .await
    }

    /// Removes the followers that have this inbox as their own; returns how many. A block stays.
    pub async fn remove_followers_with_inbox(&self, inbox: String) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| Box::pin(async move { remove_with_inbox(tx, &inbox).await }))
            .await
    }

    /// Applies a block of a domain and its subdomains: removes its followers, what waits for them, and its servers
    /// shown beside the stream. Returns how many followers were removed.
    pub async fn remove_domain(&self, domain: String) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let mut removed = 0;
                    for host in hosts_within(&mut *tx, &domain).await? {
                        for statement in [
                            "DELETE FROM deliveries WHERE host = $1 AND state = 'pending'",
                            "DELETE FROM federated_servers WHERE host = $1",
                            "DELETE FROM ap_hosts WHERE host = $1",
                        ] {
                            sqlx::query(statement)
                                .bind(host.clone())
                                .execute(&mut *tx)
                                .await?;
                        }
                        removed += remove_host(&mut *tx, &host).await?;
                    }
                    forget_secrets(tx).await?;
                    Ok(removed)
                })
            })
            .await
    }
}

async fn hosts_within(tx: &mut Tx, domain: &str) -> Result<Vec<String>, StoreError> {
    let known: Vec<String> = sqlx::query_scalar(
        "SELECT host FROM ap_followers UNION SELECT host FROM federated_servers UNION SELECT host FROM ap_hosts \
         UNION SELECT host FROM deliveries WHERE state = 'pending'",
    )
    .fetch_all(tx)
    .await?;
    let domain = domain.to_ascii_lowercase();
    Ok(known
        .into_iter()
        .filter(|host| is_within(host, &domain))
        .collect())
}

/// Removes a host's followers who are not blocked; returns how many.
pub(in crate::federation) async fn remove_host(tx: &mut Tx, host: &str) -> Result<u64, StoreError> {
    let done = sqlx::query("DELETE FROM ap_followers WHERE host = $1 AND state <> 'blocked'")
        .bind(host.to_owned())
        .execute(tx)
        .await?;
    Ok(done.rows_affected())
}

pub(in crate::federation) async fn remove_with_inbox(
    tx: &mut Tx,
    inbox: &str,
) -> Result<u64, StoreError> {
    let done = sqlx::query("DELETE FROM ap_followers WHERE inbox = $1 AND state <> 'blocked'")
        .bind(inbox.to_owned())
        .execute(&mut *tx)
        .await?;
    if done.rows_affected() > 0 {
        sqlx::query("DELETE FROM deliveries WHERE inbox = $1 AND state = 'pending'")
            .bind(inbox.to_owned())
            .execute(&mut *tx)
            .await?;
        forget_secrets(tx).await?;
    }
    Ok(done.rows_affected())
}

/// Removes an actor who is not blocked, and cancels what waits for them alone.
async fn remove(tx: &mut Tx, iri: &str) -> Result<bool, StoreError> {
    match state_of(&mut *tx, iri).await? {
        None | Some(FollowerState::Blocked) => Ok(false),
        Some(FollowerState::Pending | FollowerState::Accepted) => {
            cancel_for(&mut *tx, iri).await?;
            delete_row(tx, iri).await?;
            Ok(true)
        }
    }
}

pub(super) async fn delete_row(tx: &mut Tx, iri: &str) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM ap_followers WHERE iri = $1")
        .bind(iri.to_owned())
        .execute(tx)
        .await?;
    Ok(())
}

/// A follower's inbox that no other follower uses, and what waits there; a macro, because statements are static.
macro_rules! cancel {
    ($which:literal) => {
        concat!(
            "DELETE FROM deliveries WHERE state = 'pending' ",
            $which,
            "AND inbox = (SELECT inbox FROM ap_followers WHERE iri = $1) ",
            "AND NOT EXISTS (SELECT 1 FROM ap_followers other WHERE other.iri <> $1 ",
            "AND (other.inbox = deliveries.inbox OR other.shared_inbox = deliveries.inbox))"
        )
    };
}

/// Cancels what waits for one follower because they follow, unless another follower uses the same inbox. Our requests
/// to them, answers to their other requests and what is for them alone stay.
pub(super) async fn cancel_for(tx: &mut Tx, iri: &str) -> Result<(), StoreError> {
    sqlx::query(cancel!(
        "AND kind NOT IN ('follow', 'undo', 'quote', 'direct') "
    ))
    .bind(iri.to_owned())
    .execute(tx)
    .await?;
    Ok(())
}

/// As [`cancel_for`], for an actor who blocks us or is gone.
async fn cancel_all_for(tx: &mut Tx, iri: &str) -> Result<(), StoreError> {
    sqlx::query(cancel!(""))
        .bind(iri.to_owned())
        .execute(&mut *tx)
        .await?;
    forget_secrets(tx).await
}
