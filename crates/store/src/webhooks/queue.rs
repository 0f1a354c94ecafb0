//! Webhook queues: from the event log into one queue per webhook, and out of it in order.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::Row;

use super::delivery::{self, WebhookDelivery};
use crate::database::Store;
use crate::error::StoreError;
use crate::events::advance;
use crate::writer::Tx;

/// How far the log of facts has been turned into notices.
const CURSOR: &str = "webhooks";

/// Notices that wait for one webhook; beyond that the oldest are given up and counted.
pub const MAX_WAITING: i64 = 5_000;
/// Limit (clients): age of a delivery that waits for a webhook; then it is given up and can be sent again by hand.
pub const MAX_WAITING_AGE: Duration = Duration::from_secs(3 * 24 * 3600);
/// Notices of one webhook that are over and kept for the operator to see; older ones are forgotten.
const MAX_LOGGED: i64 = 1_000;
/// How long a notice that is over is kept; then it is forgotten.
const MAX_LOG_AGE: Duration = Duration::from_secs(7 * 24 * 3600);

/// An event in the form receivers get.
#[derive(Clone, Debug)]
pub struct WebhookNotice {
    /// The event's position in the log.
    pub seq: i64,
    /// Random; the receivers' delivery ids are derived from it.
    pub key: String,
    pub kind: &'static str,
    pub body: String,
}

/// A queue: a webhook's events, or the tests the operator sends to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WebhookQueue {
    /// Events, in order.
    Facts(i64),
    /// Tests, which wait for nothing.
    Tests(i64),
}

impl WebhookQueue {
    /// The webhook's number.
    pub fn webhook(self) -> i64 {
        match self {
            WebhookQueue::Facts(id) | WebhookQueue::Tests(id) => id,
        }
    }

    fn is_test(self) -> i64 {
        match self {
            WebhookQueue::Facts(_) => 0,
            WebhookQueue::Tests(_) => 1,
        }
    }
}

/// What a queue has to send next.
#[derive(Clone, Debug)]
pub enum NextDelivery {
    /// This notice, now.
    Due(Box<WebhookDelivery>),
    /// A notice, at this time.
    At(Timestamp),
    /// Nothing.
    Empty,
}

impl Store {
    /// Where to continue in the event log. The first time that is the end: nobody subscribed to earlier events.
    pub async fn webhook_cursor(&self, at: Timestamp) -> Result<i64, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "INSERT INTO cursors (name, seq, updated_at) \
                     SELECT $1, COALESCE(MAX(seq), 0), $2 FROM events WHERE 1 = 1 ON CONFLICT (name) DO NOTHING",
                )
                .bind(CURSOR)
                .bind(at.as_millisecond())
                .execute(&mut *tx)
                .await?;
                cursor(tx).await
            })
        })
        .await
    }

    /// Names of the events that any webhook subscribes to now.
    pub async fn wanted_events(&self) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query("SELECT events FROM webhooks WHERE is_enabled = 1")
            .fetch_all(&self.readers)
            .await?;
        let mut names = Vec::new();
        for row in rows {
            let events: String = row.try_get(0)?;
            names.extend(
                events
                    .split(',')
                    .filter(|name| !name.is_empty())
                    .map(str::to_owned),
            );
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// Queues notices for all webhooks that subscribe to them and records, in the same transaction, that the log was
    /// read up to `up_to`. So an event is queued once, wherever the process is killed. Returns the webhooks that have
    /// something new.
    pub async fn add_notices(
        &self,
        notices: Vec<WebhookNotice>,
        up_to: i64,
        at: Timestamp,
    ) -> Result<Vec<i64>, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let known = cursor(&mut *tx).await?;
                let mut webhooks = Vec::new();
                for notice in notices.iter().filter(|notice| notice.seq > known) {
                    webhooks.extend(insert(&mut *tx, notice, at).await?);
                }
                webhooks.sort_unstable();
                webhooks.dedup();
                for id in &webhooks {
                    drop_oldest(&mut *tx, *id).await?;
                }
                advance(tx, CURSOR, up_to, at).await?;
                Ok(webhooks)
            })
        })
        .await
    }

    /// What a queue has to send at `now`: the oldest notice, or one that has stepped aside and is due.
    pub async fn next_delivery(
        &self,
        line: WebhookQueue,
        now: Timestamp,
    ) -> Result<NextDelivery, StoreError> {
        let row = sqlx::query(delivery::columns!(
            "WHERE webhook_id = $1 AND state = 'waiting' AND is_test = $2 AND is_aside = 0 ORDER BY id LIMIT 1"
        ))
        .bind(line.webhook())
        .bind(line.is_test())
        .fetch_optional(&self.readers)
        .await?;
        let head = row.map(|row| delivery::from_row(&row)).transpose()?;
        if let Some(head) = &head
            && head.next_at <= now
        {
            return Ok(NextDelivery::Due(Box::new(head.clone())));
        }
        let row = sqlx::query(delivery::columns!(
            "WHERE webhook_id = $1 AND state = 'waiting' AND is_test = $2 AND is_aside = 1 ORDER BY next_at, id LIMIT 1"
        ))
        .bind(line.webhook())
        .bind(line.is_test())
        .fetch_optional(&self.readers)
        .await?;
        let aside = row.map(|row| delivery::from_row(&row)).transpose()?;
        Ok(match (head, aside) {
            (_, Some(aside)) if aside.next_at <= now => NextDelivery::Due(Box::new(aside)),
            (Some(head), Some(aside)) => NextDelivery::At(head.next_at.min(aside.next_at)),
            (Some(only), None) | (None, Some(only)) => NextDelivery::At(only.next_at),
            (None, None) => NextDelivery::Empty,
        })
    }

    /// Gives up notices that waited too long and deletes old or surplus finished ones; returns how many were given up.
    pub async fn tidy_deliveries(&self, now: Timestamp) -> Result<u64, StoreError> {
        let waiting_since = now.as_millisecond() - MAX_WAITING_AGE.as_millis() as i64;
        let logged_since = now.as_millisecond() - MAX_LOG_AGE.as_millis() as i64;
        self.write(move |tx| {
            Box::pin(async move {
                let given_up = sqlx::query(
                    "UPDATE webhook_deliveries SET state = 'failed', \
                     error = COALESCE(error, 'it has waited too long') WHERE state = 'waiting' AND created_at < $1",
                )
                .bind(waiting_since)
                .execute(&mut *tx)
                .await?;
                sqlx::query("DELETE FROM webhook_deliveries WHERE state <> 'waiting' AND created_at < $1")
                    .bind(logged_since)
                    .execute(&mut *tx)
                    .await?;
                let webhooks: Vec<i64> = sqlx::query_scalar("SELECT id FROM webhooks")
                    .fetch_all(&mut *tx)
                    .await?;
                for id in webhooks {
                    sqlx::query(
                        "DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND state <> 'waiting' AND id <= \
                         (SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND state <> 'waiting' \
                         ORDER BY id DESC LIMIT 1 OFFSET $2)",
                    )
                    .bind(id)
                    .bind(MAX_LOGGED)
                    .execute(&mut *tx)
                    .await?;
                }
                Ok(given_up.rows_affected())
            })
        })
        .await
    }
}

async fn cursor(tx: &mut Tx) -> Result<i64, StoreError> {
    let seq: Option<i64> = sqlx::query_scalar("SELECT seq FROM cursors WHERE name = $1")
        .bind(CURSOR)
        .fetch_optional(tx)
        .await?;
    Ok(seq.unwrap_or(0))
}

/// Inserts one row per subscribed webhook; returns these webhooks.
async fn insert(
    tx: &mut Tx,
    notice: &WebhookNotice,
    at: Timestamp,
) -> Result<Vec<i64>, StoreError> {
    let webhooks = sqlx::query_scalar(
        "INSERT INTO webhook_deliveries (delivery_key, webhook_id, kind, body, is_test, is_aside, state, attempts, \
         created_at, next_at) \
         SELECT $1 || '-' || CAST(id AS TEXT), id, $2, $3, 0, 0, 'waiting', 0, $4, $4 FROM webhooks \
         WHERE is_enabled = 1 AND since_seq < $5 AND REPLACE(events, $6, '') <> events \
         RETURNING webhook_id",
    )
    .bind(notice.key.clone())
    .bind(notice.kind)
    .bind(notice.body.clone())
    .bind(at.as_millisecond())
    .bind(notice.seq)
    .bind(format!(",{},", notice.kind))
    .fetch_all(tx)
    .await?;
    Ok(webhooks)
}

/// Keeps the newest [`MAX_WAITING`]; the others are given up visibly to the operator.
async fn drop_oldest(tx: &mut Tx, webhook: i64) -> Result<(), StoreError> {
    let dropped = sqlx::query(
        "UPDATE webhook_deliveries SET state = 'failed', body = '', error = 'given up: too many were waiting' \
         WHERE webhook_id = $1 AND state = 'waiting' AND id <= \
         (SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'waiting' \
         ORDER BY id DESC LIMIT 1 OFFSET $2)",
    )
    .bind(webhook)
    .bind(MAX_WAITING)
    .execute(&mut *tx)
    .await?;
    if dropped.rows_affected() > 0 {
        sqlx::query("UPDATE webhooks SET dropped = dropped + $2 WHERE id = $1")
            .bind(webhook)
            .bind(i64::try_from(dropped.rows_affected()).unwrap_or(i64::MAX))
            .execute(tx)
            .await?;
    }
    Ok(())
}

/// Makes what waits for a webhook due now that it is back. Notices that stepped aside were refused, and keep their
/// time.
pub(super) async fn hurry(tx: &mut Tx, webhook: i64, at: Timestamp) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE webhook_deliveries SET next_at = $2 \
         WHERE webhook_id = $1 AND state = 'waiting' AND is_aside = 0 AND next_at > $2",
    )
    .bind(webhook)
    .bind(at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}
