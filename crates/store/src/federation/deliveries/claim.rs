//! Handing out what is due: one at a time for each inbox and in order, a few for each host, new things before the backlog.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;
use tokio::sync::watch;

use crate::error::StoreError;
use crate::federation::Fediverse;
use crate::federation::outgoing::{DeliveryKind, forget_secrets};
use crate::users::time;
use crate::writer::Tx;

/// Looks at the queue in one call. Each takes at least one delivery while there are any; what is left when they are used
/// up is found by the next call.
const MAX_LOOKS: usize = 16;
/// Deliveries one look reads at least, so that one host with many inboxes is passed over in few looks.
const MIN_LOOK: i64 = 64;

/// A delivery that is the caller's to make, until it is finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// Its place in the queue.
    pub id: i64,
    /// The activity's id.
    pub activity_id: String,
    /// Where to.
    pub inbox: String,
    /// Whose inbox that is.
    pub host: String,
    /// Why.
    pub kind: DeliveryKind,
    /// The activity; one copy for all that were claimed together.
    pub json: Arc<str>,
    /// The former name that signs it; `None` for the present one.
    pub signer: Option<String>,
    /// How often it was tried before.
    pub attempts: i64,
    /// When it was queued.
    pub created_at: Timestamp,
    /// Not after that.
    pub expires_at: Timestamp,
}

impl Fediverse {
    /// Says "something was queued" and nothing more.
    pub fn delivery_wakeups(&self) -> watch::Receiver<()> {
        self.store.outgoing.subscribe()
    }

    /// Takes up to `limit` deliveries that are due. No inbox gets a second one while one is under way, and each gets its
    /// deliveries in the order they were queued, but that one which waits for its next try holds up only what must not go
    /// out before it; no host has more than `per_host` under way. What was never tried comes
    /// before what was. What has expired is given up.
    pub async fn claim(
        &self,
        limit: u32,
        per_host: u32,
        now: Timestamp,
    ) -> Result<Vec<Claimed>, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    expire(&mut *tx, now).await?;
                    let limit = limit as usize;
                    let mut busy = under_way(&mut *tx).await?;
                    let mut taken = Vec::new();
                    for is_backlog in [0, 1] {
                        for _ in 0..MAX_LOOKS {
                            let room = limit - taken.len();
                            if room == 0 {
                                break;
                            }
                            let look = i64::try_from(room).unwrap_or(i64::MAX).max(MIN_LOOK);
                            let found = due(&mut *tx, is_backlog, per_host, now, look).await?;
                            let is_last = (found.len() as i64) < look;
                            take(&mut *tx, found, room, per_host, &mut busy, &mut taken).await?;
                            if is_last {
                                break;
                            }
                        }
                    }
                    with_activities(tx, taken).await
                })
            })
            .await
    }

    /// Gives up what has expired, which [`Fediverse::claim`] does too: for times when nothing is claimed.
    pub async fn expire_deliveries(&self, now: Timestamp) -> Result<(), StoreError> {
        self.store
            .write(move |tx| Box::pin(async move { expire(tx, now).await }))
            .await
    }

    /// When the next delivery is due; `None` when nothing waits.
    pub async fn next_delivery_at(&self) -> Result<Option<Timestamp>, StoreError> {
        // Two looks, because the index has what was never tried apart from what was.
        let at: Option<i64> = sqlx::query_scalar(
            "SELECT MIN(next_at) FROM (\
             SELECT MIN(next_at) AS next_at FROM deliveries WHERE state = 'pending' AND is_backlog = 0 UNION ALL \
             SELECT MIN(next_at) AS next_at FROM deliveries WHERE state = 'pending' AND is_backlog = 1) first",
        )
        .fetch_one(&self.store.readers)
        .await?;
        at.map(time).transpose()
    }

    /// Puts back what was under way when the process ended; call it once, before anything is claimed. Returns how many.
    pub async fn release_all(&self) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let done = sqlx::query(
                        "UPDATE deliveries SET state = 'pending' WHERE state = 'in_flight'",
                    )
                    .execute(tx)
                    .await?;
                    Ok(done.rows_affected())
                })
            })
            .await
    }

    /// Puts back what was claimed and not tried, as it was.
    pub async fn release(&self, ids: Vec<i64>) -> Result<(), StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    for id in ids {
                        sqlx::query("UPDATE deliveries SET state = 'pending' WHERE id = $1 AND state = 'in_flight'")
                            .bind(id)
                            .execute(&mut *tx)
                            .await?;
                    }
                    Ok(())
                })
            })
            .await
    }
}

async fn expire(tx: &mut Tx, now: Timestamp) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE deliveries SET state = 'failed', error = COALESCE(error, 'it has waited too long') \
         WHERE state = 'pending' AND expires_at <= $1",
    )
    .bind(now.as_millisecond())
    .execute(&mut *tx)
    .await?;
    forget_secrets(tx).await
}

/// How many are under way for each host.
async fn under_way(tx: &mut Tx) -> Result<HashMap<String, i64>, StoreError> {
    let rows = sqlx::query(
        "SELECT host, COUNT(*) AS count FROM deliveries WHERE state = 'in_flight' GROUP BY host",
    )
    .fetch_all(tx)
    .await?;
    rows.iter()
        .map(|row| Ok((row.try_get("host")?, row.try_get("count")?)))
        .collect()
}

/// Whether `$later` may not go out before `$earlier`, however long that has to wait: a follow and its end, an answer and
/// the one that takes it back, a post and its deletion; and of two profiles or two pings the older one, which was under
/// way when the newer came, or it would have the last word. A macro, because statements are static.
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

/// The first delivery of each inbox that is due and whose host has room. One that waits for its next try holds up only
/// what must not go out before it.
async fn due(
    tx: &mut Tx,
    is_backlog: i64,
    per_host: u32,
    now: Timestamp,
    look: i64,
) -> Result<Vec<AnyRow>, StoreError> {
    // What is under way is looked up once for the whole statement, and not once for each delivery that waits.
    let rows = sqlx::query(
        concat!(
            "SELECT d.id, d.activity_id, d.inbox, d.host, d.kind, d.attempts, d.created_at, d.expires_at ",
            "FROM deliveries d WHERE d.state = 'pending' AND d.is_backlog = $1 AND d.next_at <= $2 AND d.host NOT IN ",
            "(SELECT host FROM deliveries WHERE state = 'in_flight' GROUP BY host HAVING COUNT(*) >= $3) ",
            "AND d.inbox NOT IN (SELECT inbox FROM deliveries WHERE state = 'in_flight') ",
            "AND NOT EXISTS (SELECT 1 FROM deliveries e WHERE e.inbox = d.inbox AND e.state = 'pending' AND e.id < d.id ",
            "AND (",
            keeps_behind!("e", "d"),
            " OR (e.next_at <= $2 AND NOT EXISTS (SELECT 1 FROM deliveries f WHERE f.inbox = e.inbox ",
            "AND f.state = 'pending' AND f.id < e.id AND ",
            keeps_behind!("f", "e"),
            ")))) ORDER BY d.next_at, d.id LIMIT $4"
        ),
    )
    .bind(is_backlog)
    .bind(now.as_millisecond())
    .bind(i64::from(per_host))
    .bind(look)
    .fetch_all(tx)
    .await?;
    Ok(rows)
}

/// Takes what fits. `found` has one row for each inbox at most, because only the first of each is looked at.
async fn take(
    tx: &mut Tx,
    found: Vec<AnyRow>,
    room: usize,
    per_host: u32,
    busy: &mut HashMap<String, i64>,
    taken: &mut Vec<Claimed>,
) -> Result<(), StoreError> {
    let full = taken.len() + room;
    for row in found {
        if taken.len() == full {
            break;
        }
        let claimed = from_row(&row)?;
        let under_way = busy.entry(claimed.host.clone()).or_default();
        if *under_way >= i64::from(per_host) {
            continue;
        }
        *under_way += 1;
        sqlx::query("UPDATE deliveries SET state = 'in_flight' WHERE id = $1")
            .bind(claimed.id)
            .execute(&mut *tx)
            .await?;
        taken.push(claimed);
    }
    Ok(())
}

/// Adds the activities, each read once.
async fn with_activities(tx: &mut Tx, mut taken: Vec<Claimed>) -> Result<Vec<Claimed>, StoreError> {
    let mut known: HashMap<String, (Arc<str>, Option<String>)> = HashMap::new();
    for claimed in &mut taken {
        if let Some((json, signer)) = known.get(&claimed.activity_id) {
            claimed.json = Arc::clone(json);
            claimed.signer.clone_from(signer);
            continue;
        }
        let row = sqlx::query("SELECT json, signer FROM outbound_activities WHERE id = $1")
            .bind(claimed.activity_id.clone())
            .fetch_one(&mut *tx)
            .await?;
        claimed.json = row.try_get::<String, _>("json")?.into();
        claimed.signer = row.try_get("signer")?;
        let pair = (Arc::clone(&claimed.json), claimed.signer.clone());
        known.insert(claimed.activity_id.clone(), pair);
    }
    Ok(taken)
}

fn from_row(row: &AnyRow) -> Result<Claimed, StoreError> {
    Ok(Claimed {
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
    })
}
