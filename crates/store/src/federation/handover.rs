//! Which servers know our key, and which only the previous one: a new key is handed over server by server.

use std::collections::HashMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sqlx::Row;
use sqlx::any::AnyRow;

use super::outgoing::CONTACT_AGE;
use super::{ChangeResult, Effects, FederationTables};
use crate::error::StoreError;
use crate::secrets::put_sealed;
use crate::users::time;
use crate::writer::Tx;

/// Servers that are remembered; beyond that those that were sent something longest ago are forgotten.
pub const MAX_CONTACTS: i64 = 20_000;
/// A server is written down once in this time, however much it is sent.
pub const CONTACT_EVERY: Duration = Duration::from_secs(24 * 3600);

/// How long it is tried to tell a server of a new key.
const TOLD_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The outcome of a message that told a server about a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandoverOutcome {
    /// The server accepted it.
    Taken,
    /// The message was given up.
    GivenUp,
}

/// A server that was sent something signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    /// Its name, with a port where it has one.
    pub host: String,
    /// An inbox where it can be reached.
    pub inbox: Option<String>,
}

/// How other servers learn about a key change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyChange {
    /// Servers that may know the present key are told about the new one with it.
    HandOver,
    /// The same, back to the previous key: servers that were not told about the present one still know it.
    TakeBack,
    /// The present key is not used any more, whoever knows it.
    AtOnce,
}

/// The progress of a key handover.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandoverProgress {
    /// Servers that still get requests signed with the previous key.
    pub waiting: Vec<String>,
    /// For how many of them a message about the new key is under way.
    pub under_way: i64,
    /// The number of servers that may know a key of ours.
    pub known_to: i64,
}

/// All servers that may know a key of ours; `$1` is the earliest contact that counts. A macro, because statements are
/// static.
macro_rules! known_hosts {
    () => {
        "SELECT host FROM ap_contacts WHERE contacted_at >= $1 UNION SELECT host FROM ap_followers WHERE state <> 'blocked' \
         UNION SELECT host FROM federated_servers WHERE follow_status IN ('pending', 'accepted')"
    };
}

impl FederationTables {
    /// Records that a server was sent something signed.
    pub async fn note_contact(&self, contact: Contact, at: Timestamp) -> Result<(), StoreError> {
        self.store
            .write(move |tx| Box::pin(async move { note(tx, contact, at).await }))
            .await
    }

    /// Stores `secret` under `name`, sealed, together with who knows which key and the activities to send, in one
    /// transaction. Returns the servers that know only the previous key, and since when they are being told.
    pub async fn change_key(
        &self,
        change: KeyChange,
        name: &'static str,
        secret: &[u8],
        effects: Effects,
        at: Timestamp,
    ) -> Result<HashMap<String, Timestamp>, StoreError> {
        let sealed = self.store.vault.seal(name, secret)?;
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                put_sealed(&mut *tx, name, sealed, at).await?;
                let knew_the_one_before: Vec<String> =
                    sqlx::query_scalar("SELECT host FROM ap_key_handovers")
                        .fetch_all(&mut *tx)
                        .await?;
                sqlx::query("DELETE FROM ap_key_handovers")
                    .execute(&mut *tx)
                    .await?;
                if change != KeyChange::AtOnce {
                    begin(&mut *tx, at).await?;
                }
                if change == KeyChange::TakeBack {
                    for host in knew_the_one_before {
                        end(&mut *tx, host, at, HandoverOutcome::Taken).await?;
                    }
                }
                let rows = sqlx::query("SELECT host, since FROM ap_key_handovers")
                    .fetch_all(tx)
                    .await?;
                Ok((by_host(&rows)?, ChangeResult::Done))
            })
        })
        .await
    }

    /// Servers that know only the previous key, and since when they are being told.
    pub async fn key_handovers(&self) -> Result<HashMap<String, Timestamp>, StoreError> {
        let rows = sqlx::query("SELECT host, since FROM ap_key_handovers")
            .fetch_all(&self.store.readers)
            .await?;
        by_host(&rows)
    }

    /// Records that a server knows the key that was new at `at`.
    pub async fn end_handover(&self, host: String, at: Timestamp) -> Result<(), StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    end(tx, host, at, HandoverOutcome::Taken).await?;
                    Ok(())
                })
            })
            .await
    }

    /// The progress of the handover; names up to `limit` servers.
    pub async fn handover_progress(
        &self,
        limit: u32,
        now: Timestamp,
    ) -> Result<HandoverProgress, StoreError> {
        let readers = &self.store.readers;
        let waiting =
            sqlx::query_scalar("SELECT host FROM ap_key_handovers ORDER BY host LIMIT $1")
                .bind(i64::from(limit))
                .fetch_all(readers)
                .await?;
        let under_way = sqlx::query_scalar(
            "SELECT COUNT(*) FROM ap_key_handovers k WHERE EXISTS (SELECT 1 FROM deliveries d WHERE d.host = k.host \
             AND d.state IN ('pending', 'in_flight') AND d.kind = 'update' AND d.created_at >= k.since)",
        )
        .fetch_one(readers)
        .await?;
        Ok(HandoverProgress {
            waiting,
            under_way,
            known_to: self.known_host_count(now).await?,
        })
    }

    /// How many servers may know a key of ours.
    pub async fn known_host_count(&self, now: Timestamp) -> Result<i64, StoreError> {
        let known =
            sqlx::query_scalar(concat!("SELECT COUNT(*) FROM (", known_hosts!(), ") known"))
                .bind((now - CONTACT_AGE).as_millisecond())
                .fetch_one(&self.store.readers)
                .await?;
        Ok(known)
    }

    /// Deletes servers that were sent nothing for long, and the oldest beyond [`MAX_CONTACTS`]; returns how many.
    pub async fn prune_contacts(&self, now: Timestamp) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let old = sqlx::query("DELETE FROM ap_contacts WHERE contacted_at < $1")
                        .bind((now - CONTACT_AGE).as_millisecond())
                        .execute(&mut *tx)
                        .await?;
                    let many = sqlx::query(
                        "DELETE FROM ap_contacts WHERE host IN \
                         (SELECT host FROM ap_contacts ORDER BY contacted_at DESC, host LIMIT 1000000 OFFSET $1)",
                    )
                    .bind(MAX_CONTACTS)
                    .execute(tx)
                    .await?;
                    Ok(old.rows_affected() + many.rows_affected())
                })
            })
            .await
    }
}

/// A request without an inbox does not erase a known one.
pub(super) async fn note(tx: &mut Tx, contact: Contact, at: Timestamp) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO ap_contacts (host, inbox, contacted_at) VALUES ($1, $2, $3) ON CONFLICT (host) DO UPDATE \
         SET contacted_at = excluded.contacted_at, inbox = COALESCE(excluded.inbox, ap_contacts.inbox)",
    )
    .bind(contact.host)
    .bind(contact.inbox)
    .bind(at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}

/// Ends the handover to `host`, if a message sent at `at` told it about the new key, or if it was given up and no other
/// such message is under way. True if `host` knew only the previous key until now.
pub(super) async fn end(
    tx: &mut Tx,
    host: String,
    at: Timestamp,
    answered: HandoverOutcome,
) -> Result<bool, StoreError> {
    let statement = match answered {
        HandoverOutcome::Taken => "DELETE FROM ap_key_handovers WHERE host = $1 AND since <= $2",
        HandoverOutcome::GivenUp => {
            "DELETE FROM ap_key_handovers WHERE host = $1 AND since <= $2 AND NOT EXISTS (SELECT 1 FROM deliveries d \
             WHERE d.host = ap_key_handovers.host AND d.kind = 'update' AND d.state IN ('pending', 'in_flight') \
             AND d.created_at >= ap_key_handovers.since)"
        }
    };
    let done = sqlx::query(statement)
        .bind(host)
        .bind(at.as_millisecond())
        .execute(tx)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Tells a server about the new key, after it accepted something signed with the previous one while no such message was
/// under way: it was unavailable when the others were told, or its inbox was not known.
pub(super) async fn tell(
    tx: &mut Tx,
    host: String,
    inbox: String,
    at: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO deliveries (activity_id, inbox, host, kind, state, is_backlog, is_answer, attempts, next_at, \
         expires_at, created_at) SELECT a.id, $2, k.host, 'update', 'pending', 0, 0, 0, $3, $3 + $4, $3 \
         FROM ap_key_handovers k JOIN outbound_activities a ON a.created_at = k.since AND a.id LIKE '%#keys/%' \
         WHERE k.host = $1 AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.host = k.host AND d.kind = 'update' \
         AND d.state IN ('pending', 'in_flight') AND d.created_at >= k.since) ON CONFLICT (activity_id, inbox) DO NOTHING",
    )
    .bind(host)
    .bind(inbox)
    .bind(at.as_millisecond())
    .bind(TOLD_FOR.as_millis() as i64)
    .execute(tx)
    .await?;
    Ok(())
}

fn by_host(rows: &[AnyRow]) -> Result<HashMap<String, Timestamp>, StoreError> {
    rows.iter()
        .map(|row| Ok((row.try_get("host")?, time(row.try_get("since")?)?)))
        .collect()
}

async fn begin(tx: &mut Tx, at: Timestamp) -> Result<(), StoreError> {
    sqlx::query(concat!(
        "INSERT INTO ap_key_handovers (host, since) SELECT host, $2 FROM (",
        known_hosts!(),
        ") known"
    ))
    .bind((at - CONTACT_AGE).as_millisecond())
    .bind(at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}
