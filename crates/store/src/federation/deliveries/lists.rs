//! The delivery queue as the operator sees it.

use jiff::Timestamp;
use sqlx::Row;

use super::{Delivery, DeliveryState, columns, from_row};
use crate::error::StoreError;
use crate::federation::FederationTables;
use crate::federation::outgoing::forget_secrets;
use crate::users::time;
use crate::writer::Tx;

/// Which deliveries to list; `None` matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    pub state: Option<DeliveryState>,
    pub host: Option<String>,
}

/// Counts of the queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueSummary {
    /// Waiting to be sent.
    pub waiting: i64,
    /// Of these, tried before.
    pub retrying: i64,
    /// Being sent.
    pub in_flight: i64,
    /// Delivered and not yet pruned.
    pub delivered: i64,
    /// Given up and not yet pruned.
    pub failed: i64,
    /// When the oldest waiting one was queued.
    pub oldest: Option<Timestamp>,
    /// Hosts that are held back for a while.
    pub held_hosts: i64,
}

impl FederationTables {
    /// Deliveries, newest first, and their total.
    pub async fn deliveries_page(
        &self,
        filter: DeliveryFilter,
        offset: u32,
        limit: u32,
    ) -> Result<(Vec<Delivery>, i64), StoreError> {
        let state = filter.state.map_or("", DeliveryState::as_str);
        let host = filter.host.unwrap_or_default();
        let rows = sqlx::query(columns!(
            "WHERE ($1 = '' OR state = $1) AND ($2 = '' OR host = $2) ORDER BY id DESC LIMIT $3 OFFSET $4"
        ))
        .bind(state)
        .bind(host.clone())
        .bind(i64::from(limit))
        .bind(i64::from(offset))
        .fetch_all(&self.store.readers)
        .await?;
        let total = sqlx::query_scalar(
            "SELECT COUNT(*) FROM deliveries WHERE ($1 = '' OR state = $1) AND ($2 = '' OR host = $2)",
        )
        .bind(state)
        .bind(host)
        .fetch_one(&self.store.readers)
        .await?;
        let deliveries = rows.iter().map(from_row).collect::<Result<_, _>>()?;
        Ok((deliveries, total))
    }

    pub async fn queue_summary(&self, now: Timestamp) -> Result<QueueSummary, StoreError> {
        let rows = sqlx::query("SELECT state, COUNT(*) AS count FROM deliveries GROUP BY state")
            .fetch_all(&self.store.readers)
            .await?;
        let mut summary = QueueSummary::default();
        for row in &rows {
            let count: i64 = row.try_get("count")?;
            match DeliveryState::parse(&row.try_get::<String, _>("state")?)? {
                DeliveryState::Pending => summary.waiting = count,
                DeliveryState::InFlight => summary.in_flight = count,
                DeliveryState::Delivered => summary.delivered = count,
                DeliveryState::Failed => summary.failed = count,
            }
        }
        summary.retrying = sqlx::query_scalar(
            "SELECT COUNT(*) FROM deliveries WHERE state = 'pending' AND is_backlog = 1",
        )
        .fetch_one(&self.store.readers)
        .await?;
        let oldest: Option<i64> =
            sqlx::query_scalar("SELECT MIN(created_at) FROM deliveries WHERE state = 'pending'")
                .fetch_one(&self.store.readers)
                .await?;
        summary.oldest = oldest.map(time).transpose()?;
        summary.held_hosts = sqlx::query_scalar(
            "SELECT COUNT(*) FROM ap_hosts WHERE held_until > $1 OR probe_at IS NOT NULL",
        )
        .bind(now.as_millisecond())
        .fetch_one(&self.store.readers)
        .await?;
        Ok(summary)
    }

    /// Retries these now, with their full lifetime; whatever waits before them for the same inbox goes too. Returns how
    /// many of them wait now: delivered ones, those under way and those whose body was deleted do not.
    pub async fn retry(&self, ids: Vec<i64>, at: Timestamp) -> Result<u64, StoreError> {
        let wakeups = self.store.outgoing.clone();
        let retried = self
            .store
            .write(move |tx| {
                Box::pin(async move {
                    let mut retried = 0;
                    for id in ids {
                        retried += retry_one(&mut *tx, id, at).await?;
                    }
                    Ok(retried)
                })
            })
            .await?;
        wakeups.send_replace(());
        Ok(retried)
    }

    /// Deletes these, unless they are under way; returns how many.
    pub async fn drop_deliveries(&self, ids: Vec<i64>) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let mut dropped = 0;
                    for id in ids {
                        let done = sqlx::query(
                            "DELETE FROM deliveries WHERE id = $1 AND state <> 'in_flight'",
                        )
                        .bind(id)
                        .execute(&mut *tx)
                        .await?;
                        dropped += done.rows_affected();
                    }
                    forget_secrets(tx).await?;
                    Ok(dropped)
                })
            })
            .await
    }
}

async fn retry_one(tx: &mut Tx, id: i64, at: Timestamp) -> Result<u64, StoreError> {
    let done = sqlx::query(
        "UPDATE deliveries SET state = 'pending', is_backlog = 0, attempts = 0, next_at = $2, \
         expires_at = $2 + expires_at - created_at WHERE id = $1 AND state IN ('pending', 'failed') \
         AND NOT EXISTS (SELECT 1 FROM outbound_activities a WHERE a.id = deliveries.activity_id AND a.json = '')",
    )
    .bind(id)
    .bind(at.as_millisecond())
    .execute(&mut *tx)
    .await?;
    if done.rows_affected() > 0 {
        sqlx::query(
            "UPDATE deliveries SET next_at = $2 WHERE inbox = (SELECT inbox FROM deliveries WHERE id = $1) \
             AND state = 'pending' AND id < $1 AND next_at > $2",
        )
        .bind(id)
        .bind(at.as_millisecond())
        .execute(&mut *tx)
        .await?;
        // A manual retry overrides the pause of its host.
        sqlx::query(
            "UPDATE ap_hosts SET held_until = NULL WHERE host = (SELECT host FROM deliveries WHERE id = $1)",
        )
        .bind(id)
        .execute(tx)
        .await?;
    }
    Ok(done.rows_affected())
}
