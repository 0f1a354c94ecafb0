//! Hands out due deliveries: one at a time per inbox and in order, a few per host, new ones before the backlog. A host
//! that answers at once may be given many while nobody else waits.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use sqlx::Row;
use tokio::sync::watch;

use super::due::{ClaimedDelivery, due, due_of_host, probes};
use super::handful::{self, handful};
use crate::error::StoreError;
use crate::federation::FederationTables;
use crate::federation::outgoing::forget_secrets;
use crate::users::time;
use crate::writer::Tx;

/// Looks at the queue in one call. Each takes at least one delivery while there are any; what is left when they are used
/// up is found by the next call.
const MAX_LOOKS: usize = 16;
/// Deliveries one look reads at least, so that one host with many inboxes is passed over in few looks.
const MIN_LOOK: i64 = 64;

impl FederationTables {
    /// Signals only that something was queued.
    pub fn delivery_wakeups(&self) -> watch::Receiver<()> {
        self.store.outgoing.subscribe()
    }

    /// Claims up to `limit` due deliveries. No inbox gets a second one while one is under way, and each gets its
    /// deliveries in the order they were queued; one that waits for a retry holds up only those that must not overtake
    /// it. No host has more than `per_host` under way, and a host that was held back gets one delivery as a probe.
    /// Untried deliveries come before retries. Expired ones are given up.
    pub async fn claim(
        &self,
        limit: u32,
        per_host: u32,
        now: Timestamp,
    ) -> Result<Vec<ClaimedDelivery>, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    expire(&mut *tx, now).await?;
                    let limit = limit as usize;
                    let mut busy = under_way(&mut *tx).await?;
                    let mut taken = Vec::new();
                    let room = i64::try_from(limit).unwrap_or(i64::MAX);
                    let found = probes(&mut *tx, now, room).await?;
                    take(&mut *tx, found, &mut taken).await?;
                    for is_backlog in [0, 1] {
                        for _ in 0..MAX_LOOKS {
                            let room = limit - taken.len();
                            if room == 0 {
                                break;
                            }
                            let look = i64::try_from(room).unwrap_or(i64::MAX).max(MIN_LOOK);
                            let mut found = due(&mut *tx, is_backlog, per_host, now, look).await?;
                            let is_last = (found.len() as i64) < look;
                            found.retain(|one| has_room(&mut busy, &one.host, per_host));
                            found.truncate(room);
                            take(&mut *tx, found, &mut taken).await?;
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

    /// Claims up to `at_most` due deliveries for each of these hosts, in the order of [`FederationTables::claim`] and
    /// regardless of how many are under way: for hosts that answer at once, while nobody else waits.
    pub async fn claim_runs(
        &self,
        hosts: Vec<String>,
        at_most: u32,
        now: Timestamp,
    ) -> Result<Vec<ClaimedDelivery>, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    expire(&mut *tx, now).await?;
                    let mut taken = Vec::new();
                    for host in hosts {
                        let found = due_of_host(&mut *tx, host, at_most, now).await?;
                        take(&mut *tx, found, &mut taken).await?;
                    }
                    with_activities(tx, taken).await
                })
            })
            .await
    }

    /// Gives up expired deliveries, as [`FederationTables::claim`] does too: for times when nothing is claimed.
    pub async fn expire_deliveries(&self, now: Timestamp) -> Result<(), StoreError> {
        self.store
            .write(move |tx| Box::pin(async move { expire(tx, now).await }))
            .await
    }

    /// When the next delivery is due; `None` when nothing waits.
    pub async fn next_delivery_at(&self) -> Result<Option<Timestamp>, StoreError> {
        // Two queries, because the index keeps untried deliveries apart from retries.
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

    /// Puts back deliveries that were claimed but not tried.
    pub async fn release(&self, ids: Vec<i64>) -> Result<(), StoreError> {
        self.store
            .write(move |tx| Box::pin(async move { put_back(tx, &ids).await }))
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

/// How many deliveries are under way for each host.
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

/// Whether one more may be under way for this host; if so, counts it.
fn has_room(busy: &mut HashMap<String, i64>, host: &str, per_host: u32) -> bool {
    let under_way = busy.entry(host.to_owned()).or_default();
    let has_room = *under_way < i64::from(per_host);
    *under_way += i64::from(has_room);
    has_room
}

/// `found` has at most one delivery per inbox, because only the first of each is looked at.
async fn take(
    tx: &mut Tx,
    found: Vec<ClaimedDelivery>,
    taken: &mut Vec<ClaimedDelivery>,
) -> Result<(), StoreError> {
    let ids: Vec<i64> = found.iter().map(|one| one.id).collect();
    for some in handful::chunks(&ids) {
        handful::bind(
            sqlx::query(handful!(
                "UPDATE deliveries SET state = 'in_flight' WHERE id IN (",
                ")"
            )),
            &some,
        )
        .execute(&mut *tx)
        .await?;
    }
    taken.extend(found);
    Ok(())
}

/// Returns claimed deliveries to waiting, as they were.
pub(super) async fn put_back(tx: &mut Tx, ids: &[i64]) -> Result<(), StoreError> {
    for some in handful::chunks(ids) {
        handful::bind(
            sqlx::query(handful!(
                "UPDATE deliveries SET state = 'pending' WHERE state = 'in_flight' AND id IN (",
                ")"
            )),
            &some,
        )
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

/// Adds the activities, reading each only once.
async fn with_activities(
    tx: &mut Tx,
    mut taken: Vec<ClaimedDelivery>,
) -> Result<Vec<ClaimedDelivery>, StoreError> {
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
