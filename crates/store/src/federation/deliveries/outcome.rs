//! Records the outcomes of deliveries.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::claim::put_back;
use super::due::keeps_behind;
use super::handful::{self, handful};
use crate::error::StoreError;
use crate::federation::hosts::{SignatureScheme, host_failed, remember_scheme};
use crate::federation::outgoing::forget_secrets;
use crate::federation::{Contact, FederationTables, HandoverOutcome, handover};
use crate::writer::Tx;

/// Finished deliveries one transaction forgets, so that nobody waits long for the writer.
const PRUNE_AT_ONCE: u64 = 2_000;
/// The longest reason that is kept, in characters; the rest is cut off.
const MAX_ERROR: usize = 300;

/// The outcome of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// It was accepted.
    Delivered { status: u16 },
    /// It is retried. What waits behind it for the same inbox waits as long.
    Retry {
        /// Not before then.
        next_at: Timestamp,
        /// The status of the answer, if any.
        status: Option<u16>,
        /// The reason.
        error: String,
    },
    /// It is given up.
    Failed {
        /// The status of the answer, if any.
        status: Option<u16>,
        /// The reason.
        error: String,
    },
}

/// A host that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFailure {
    pub host: String,
    /// Until when nothing is sent to it.
    pub held_until: Timestamp,
    pub error: String,
}

/// The outcomes of many deliveries, recorded in one transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settlement {
    /// Claimed but not tried: these wait again, as long as their host is held back.
    pub put_back: Vec<i64>,
    /// Claimed and tried.
    pub outcomes: Vec<(i64, DeliveryOutcome)>,
    /// Hosts that failed.
    pub failures: Vec<HostFailure>,
    /// The signature schemes hosts want, and until when we rely on that. Recorded with the outcomes, so that the next
    /// delivery to the same inbox knows.
    pub schemes: Vec<(String, SignatureScheme, Timestamp)>,
    /// Hosts to remember as having been sent something.
    pub contacts: Vec<Contact>,
    /// Hosts that were told about the key that was new at that moment, or that will not be.
    pub handed_over: Vec<(String, Timestamp, HandoverOutcome)>,
    /// Hosts, with an inbox, that accepted something signed with the previous key.
    pub behind: Vec<Contact>,
}

impl FederationTables {
    /// Records the outcomes of claimed deliveries. Deliveries cancelled meanwhile stay cancelled.
    pub async fn finish(
        &self,
        outcomes: Vec<(i64, DeliveryOutcome)>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let settlement = Settlement {
            outcomes,
            ..Settlement::default()
        };
        self.settle(settlement, at).await.map(drop)
    }

    /// As [`FederationTables::finish`], together with what was not tried and the hosts that failed. Returns the hosts
    /// that thereby turned out to know the new key and did not before.
    pub async fn settle(
        &self,
        settlement: Settlement,
        at: Timestamp,
    ) -> Result<Vec<String>, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let mut ended = Vec::new();
                    // First, so that what waits again is held back with the rest.
                    put_back(&mut *tx, &settlement.put_back).await?;
                    let (taken, others) = by_answer(settlement.outcomes);
                    for (status, ids) in taken {
                        delivered(&mut *tx, &ids, status, at).await?;
                    }
                    for (id, outcome) in others {
                        keep(&mut *tx, id, outcome, at).await?;
                    }
                    for (host, scheme, until) in settlement.schemes {
                        remember_scheme(&mut *tx, host, scheme, until).await?;
                    }
                    for contact in settlement.contacts {
                        handover::note(&mut *tx, contact, at).await?;
                    }
                    for (host, at, answered) in settlement.handed_over {
                        if handover::end(&mut *tx, host.clone(), at, answered).await? {
                            ended.push(host);
                        }
                    }
                    for Contact { host, inbox } in settlement.behind {
                        if let Some(inbox) = inbox {
                            handover::tell(&mut *tx, host, inbox, at).await?;
                        }
                    }
                    for HostFailure {
                        host,
                        held_until,
                        error,
                    } in settlement.failures
                    {
                        host_failed(&mut *tx, &host, Some(held_until), &error, at).await?;
                    }
                    forget_secrets(tx).await?;
                    Ok(ended)
                })
            })
            .await
    }

    /// Cancels what waits for an inbox; returns how many.
    pub async fn cancel_inbox(&self, inbox: String) -> Result<u64, StoreError> {
        self.cancel(
            "DELETE FROM deliveries WHERE inbox = $1 AND state = 'pending'",
            inbox,
        )
        .await
    }

    /// Cancels what waits for a host; returns how many.
    pub async fn cancel_host(&self, host: String) -> Result<u64, StoreError> {
        self.cancel(
            "DELETE FROM deliveries WHERE host = $1 AND state = 'pending'",
            host,
        )
        .await
    }

    async fn cancel(&self, statement: &'static str, whose: String) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let done = sqlx::query(statement).bind(whose).execute(&mut *tx).await?;
                    forget_secrets(tx).await?;
                    Ok(done.rows_affected())
                })
            })
            .await
    }

    /// Deletes finished deliveries that were queued before `before`, and activities no delivery needs; returns how many
    /// deliveries were deleted.
    pub async fn prune_deliveries(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        for statement in [
            "DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE state = 'delivered' AND created_at < $1 \
             LIMIT $2)",
            "DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE state = 'failed' AND created_at < $1 \
             LIMIT $2)",
        ] {
            forgotten += self.prune_in_steps(statement, before).await?;
        }
        self.prune_in_steps(
            "DELETE FROM outbound_activities WHERE id IN (SELECT a.id FROM outbound_activities a \
             WHERE a.created_at < $1 AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.activity_id = a.id) LIMIT $2)",
            before,
        )
        .await?;
        Ok(forgotten)
    }

    async fn prune_in_steps(
        &self,
        statement: &'static str,
        before: Timestamp,
    ) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            let step = self
                .store
                .write(move |tx| {
                    Box::pin(async move {
                        let done = sqlx::query(statement)
                            .bind(before.as_millisecond())
                            .bind(PRUNE_AT_ONCE as i64)
                            .execute(tx)
                            .await?;
                        Ok(done.rows_affected())
                    })
                })
                .await?;
            forgotten += step;
            if step < PRUNE_AT_ONCE {
                return Ok(forgotten);
            }
        }
    }
}

type ByStatus = BTreeMap<u16, Vec<i64>>;

/// Splits delivered ones, by the status of the answer, from the others.
fn by_answer(outcomes: Vec<(i64, DeliveryOutcome)>) -> (ByStatus, Vec<(i64, DeliveryOutcome)>) {
    let (mut taken, mut others) = (ByStatus::new(), Vec::new());
    for (id, outcome) in outcomes {
        match outcome {
            DeliveryOutcome::Delivered { status } => taken.entry(status).or_default().push(id),
            outcome => others.push((id, outcome)),
        }
    }
    (taken, others)
}

async fn delivered(tx: &mut Tx, ids: &[i64], status: u16, at: Timestamp) -> Result<(), StoreError> {
    for some in handful::chunks(ids) {
        handful::bind(
            sqlx::query(handful!(
                "UPDATE deliveries SET state = 'delivered', is_backlog = 1, attempts = attempts + 1, next_at = $33, \
                 last_at = $33, status = $34, error = NULL WHERE state = 'in_flight' AND id IN (",
                ")"
            )),
            &some,
        )
        .bind(at.as_millisecond())
        .bind(i64::from(status))
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

async fn keep(
    tx: &mut Tx,
    id: i64,
    outcome: DeliveryOutcome,
    at: Timestamp,
) -> Result<(), StoreError> {
    let (state, next_at, status, error) = match outcome {
        DeliveryOutcome::Delivered { status } => ("delivered", at, Some(status), None),
        DeliveryOutcome::Retry {
            next_at,
            status,
            error,
        } => ("pending", next_at, status, Some(error)),
        DeliveryOutcome::Failed { status, error } => ("failed", at, status, Some(error)),
    };
    let done = sqlx::query(
        "UPDATE deliveries SET state = $2, is_backlog = 1, attempts = attempts + 1, next_at = $3, last_at = $4, \
         status = $5, error = $6 WHERE id = $1 AND state = 'in_flight'",
    )
    .bind(id)
    .bind(state)
    .bind(next_at.as_millisecond())
    .bind(at.as_millisecond())
    .bind(status.map(i64::from))
    .bind(error.map(|error| error.chars().take(MAX_ERROR).collect::<String>()))
    .execute(&mut *tx)
    .await?;
    if done.rows_affected() > 0 && state == "pending" {
        hold_those_behind(tx, id, next_at).await?;
    }
    Ok(())
}

/// Holds back those that must not overtake it, so that no look finds them in vain meanwhile.
async fn hold_those_behind(tx: &mut Tx, id: i64, next_at: Timestamp) -> Result<(), StoreError> {
    sqlx::query(
        concat!(
            "UPDATE deliveries SET next_at = $2 WHERE id IN (SELECT d.id FROM deliveries d, deliveries e ",
            "WHERE e.id = $1 AND d.inbox = e.inbox AND d.state = 'pending' AND d.id > e.id AND d.next_at < $2 AND ",
            keeps_behind!("e", "d"),
            ")"
        ),
    )
    .bind(id)
    .bind(next_at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}
