//! Finds due deliveries in the order they go out: for all hosts that have capacity, or for one.

use std::sync::Arc;

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::federation::hosts::{SignatureScheme, believed_scheme};
use crate::federation::outgoing::DeliveryKind;
use crate::users::time;
use crate::writer::Tx;

/// A delivery that the caller has to make, until it is finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// Its position in the queue.
    pub id: i64,
    pub activity_id: String,
    pub inbox: String,
    /// The host of the inbox.
    pub host: String,
    pub kind: DeliveryKind,
    /// The activity; one copy shared by all that were claimed together.
    pub json: Arc<str>,
    /// The former name that signs it; `None` for the present one.
    pub signer: Option<String>,
    /// The number of earlier attempts.
    pub attempts: i64,
    pub created_at: Timestamp,
    /// Not to be sent after.
    pub expires_at: Timestamp,
    /// The host's consecutive failures when this was claimed.
    pub failures: i64,
    /// The signature scheme the host wants, if known and recent.
    pub scheme: Option<SignatureScheme>,
}

/// Whether `$later` may not go out before `$earlier`, however long that has to wait: a follow and its undo, an answer
/// and the one that revokes it, a post and its deletion. Of two profiles or two pings, the older one was under way when
/// the newer came, and must not arrive last. A macro, because statements are static.
macro_rules! keeps_behind {
    ($earlier:literal, $later:literal) => {
        concat!(
            "((",
            $earlier,
            ".kind IN ('follow', 'undo', 'accept', 'reject') AND ",
            $later,
            ".kind IN ('follow', 'undo', 'accept', 'reject')) OR (",
            $earlier,
            ".kind IN ('go_live', 'post') AND ",
            $later,
            ".kind = 'delete') OR (",
            $earlier,
            ".kind = 'update' AND ",
            $later,
            ".kind = 'update') OR (",
            $earlier,
            ".kind IN ('offer', 'leave') AND ",
            $later,
            ".kind IN ('offer', 'leave')))"
        )
    };
}
pub(super) use keeps_behind;

/// A query for claimable deliveries.
macro_rules! columns {
    ($rest:expr) => {
        concat!(
            "SELECT d.id, d.activity_id, d.inbox, d.host, d.kind, d.attempts, d.created_at, d.expires_at, ",
            "COALESCE(h.failures, 0) AS failures, h.scheme, h.scheme_until ",
            "FROM deliveries d LEFT JOIN ap_hosts h ON h.host = d.host WHERE d.state = 'pending' AND ",
            $rest
        )
    };
}

/// The first delivery of each inbox that is due at `$2`, of those that `$which` selects. One that waits for a retry
/// holds up only those that must not overtake it. Hosts that were held back get a [`probes`] delivery first.
macro_rules! first_of_each_inbox {
    ($which:literal, $order:literal) => {
        columns!(concat!(
            "d.next_at <= $2 AND h.held_until IS NULL AND ",
            $which,
            " AND NOT EXISTS (SELECT 1 FROM deliveries e WHERE e.inbox = d.inbox AND e.state = 'pending' AND e.id < d.id ",
            "AND (",
            keeps_behind!("e", "d"),
            " OR (e.next_at <= $2 AND NOT EXISTS (SELECT 1 FROM deliveries f WHERE f.inbox = e.inbox ",
            "AND f.state = 'pending' AND f.id < e.id AND ",
            keeps_behind!("f", "e"),
            ")))) ORDER BY ",
            $order
        ))
    };
}

/// The delivery that shows whether host `h` is back at `$1`: the newest untried one, which is worth most if the host is
/// back, before which no delivery of an ordered kind waits for the same inbox; otherwise the retry that has been due
/// longest.
macro_rules! probe_of_host {
    () => {
        concat!(
            "COALESCE((SELECT p.id FROM deliveries p WHERE p.host = h.host AND p.state = 'pending' AND p.is_backlog = 0 ",
            "AND p.next_at <= $1 AND NOT EXISTS (SELECT 1 FROM deliveries e WHERE e.inbox = p.inbox ",
            "AND e.state = 'pending' AND e.id < p.id AND (",
            keeps_behind!("e", "p"),
            " OR (e.next_at <= $1 AND e.kind IN ('follow', 'undo', 'accept', 'reject', 'offer', 'leave') ",
            "AND NOT EXISTS (SELECT 1 FROM deliveries f WHERE f.inbox = e.inbox AND f.state = 'pending' ",
            "AND f.id < e.id AND ",
            keeps_behind!("f", "e"),
            ")))) ",
            "ORDER BY p.next_at DESC, p.id DESC LIMIT 1), ",
            "(SELECT p.id FROM deliveries p WHERE p.host = h.host AND p.state = 'pending' AND p.is_backlog = 1 ",
            "AND p.next_at <= $1 AND NOT EXISTS (SELECT 1 FROM deliveries e WHERE e.inbox = p.inbox ",
            "AND e.state = 'pending' AND e.id < p.id AND ",
            keeps_behind!("e", "p"),
            ") ORDER BY p.next_at, p.id LIMIT 1))"
        )
    };
}

/// One delivery for each host that was held back until now and has nothing under way.
pub(super) async fn probes(
    tx: &mut Tx,
    now: Timestamp,
    look: i64,
) -> Result<Vec<ClaimedDelivery>, StoreError> {
    let rows = sqlx::query(columns!(concat!(
        "h.held_until <= $1 AND d.id = ",
        probe_of_host!(),
        " AND NOT EXISTS (SELECT 1 FROM deliveries u WHERE u.host = h.host AND u.state = 'in_flight') ",
        "ORDER BY d.next_at, d.id LIMIT $2"
    )))
    .bind(now.as_millisecond())
    .bind(look)
    .fetch_all(tx)
    .await?;
    rows.iter().map(|row| from_row(row, now)).collect()
}

/// Due deliveries of hosts that have fewer than `per_host` under way.
pub(super) async fn due(
    tx: &mut Tx,
    is_backlog: i64,
    per_host: u32,
    now: Timestamp,
    look: i64,
) -> Result<Vec<ClaimedDelivery>, StoreError> {
    // Deliveries under way are counted once for the whole statement, not once per waiting delivery.
    let rows = sqlx::query(first_of_each_inbox!(
        "d.is_backlog = $1 AND d.host NOT IN (SELECT host FROM deliveries WHERE state = 'in_flight' \
         GROUP BY host HAVING COUNT(*) >= $3) AND d.inbox NOT IN (SELECT inbox FROM deliveries WHERE state = 'in_flight')",
        "d.next_at, d.id LIMIT $4"
    ))
    .bind(is_backlog)
    .bind(now.as_millisecond())
    .bind(i64::from(per_host))
    .bind(look)
    .fetch_all(tx)
    .await?;
    rows.iter().map(|row| from_row(row, now)).collect()
}

/// Due deliveries of one host.
pub(super) async fn due_of_host(
    tx: &mut Tx,
    host: String,
    at_most: u32,
    now: Timestamp,
) -> Result<Vec<ClaimedDelivery>, StoreError> {
    let rows = sqlx::query(first_of_each_inbox!(
        "d.host = $1 AND d.inbox NOT IN (SELECT inbox FROM deliveries WHERE state = 'in_flight' AND host = $1)",
        "d.is_backlog, d.next_at, d.id LIMIT $3"
    ))
    .bind(host)
    .bind(now.as_millisecond())
    .bind(i64::from(at_most))
    .fetch_all(tx)
    .await?;
    rows.iter().map(|row| from_row(row, now)).collect()
}

/// The activity itself is added later, once for all deliveries that carry it.
fn from_row(row: &AnyRow, now: Timestamp) -> Result<ClaimedDelivery, StoreError> {
    Ok(ClaimedDelivery {
        id: row.try_get("id")?,
        activity_id: row.try_get("activity_id")?,
        inbox: row.try_get("inbox")?,
        host: row.try_get("host")?,
        kind: DeliveryKind::parse(&row.try_get::<String, _>("kind")?)?,
        json: Arc::from(""),
        signer: None,
        attempts: row.try_get("attempts")?,
        created_at: time(row.try_get("created_at")?)?,
        expires_at: time(row.try_get("expires_at")?)?,
        failures: row.try_get("failures")?,
        scheme: believed_scheme(row, now)?,
    })
}
