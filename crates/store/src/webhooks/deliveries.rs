//! The outcomes of webhook deliveries.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::Row;

use super::delivery::{WebhookDelivery, WebhookDeliveryState, columns, from_row};
use super::queue::{self, WebhookQueue};
use crate::database::Store;
use crate::error::StoreError;
use crate::writer::Tx;

/// What happens to a notice after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookVerdict {
    /// It was accepted.
    Delivered,
    /// It is retried.
    Again {
        /// Not before then.
        at: Timestamp,
        /// Whether it steps aside and holds up no others any longer.
        is_aside: bool,
    },
    /// It is not retried automatically.
    GivenUp,
}

/// What an attempt says about the webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebhookHealth {
    /// Nothing.
    Unknown,
    /// It works.
    Well {
        /// Whether it failed before: waiting notices go out now.
        is_back: bool,
    },
    /// It fails.
    Failing {
        /// When it first failed.
        since: Timestamp,
        /// When the operator was warned.
        warned_at: Option<Timestamp>,
    },
    /// It is disabled and gets no more notices.
    Disabled {
        /// The reason, for the operator.
        why: String,
        /// When it first failed.
        since: Timestamp,
    },
}

/// An attempted delivery, and what follows from it.
#[derive(Clone, Debug)]
pub struct WebhookAttempt {
    pub delivery: i64,
    pub webhook: i64,
    /// [`super::Webhook::revision`] as it was before the attempt.
    pub revision: i64,
    /// When it ended.
    pub at: Timestamp,
    /// How long it took.
    pub duration: Duration,
    pub status: Option<u16>,
    /// The start of the answer.
    pub response: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// What happens to the notice.
    pub verdict: WebhookVerdict,
    /// What happens to the webhook.
    pub health: WebhookHealth,
}

/// The result of a request to resend a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResendResult {
    /// It is in this webhook's queue.
    Queued(WebhookQueue),
    /// There is no such notice.
    Unknown,
    /// It was already delivered.
    Arrived,
    /// It was dropped together with its body.
    Dropped,
    /// Its webhook is disabled.
    Disabled,
}

impl Store {
    /// Queues a test for a webhook, enabled or not; returns its number, or `None` if there is no such webhook.
    pub async fn add_test_delivery(
        &self,
        webhook: i64,
        notice: queue::WebhookNotice,
        at: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let id = sqlx::query_scalar(
                    "INSERT INTO webhook_deliveries (delivery_key, webhook_id, kind, body, is_test, is_aside, state, \
                     attempts, created_at, next_at) \
                     SELECT $1 || '-' || CAST(id AS TEXT), id, $2, $3, 1, 0, 'waiting', 0, $4, $4 FROM webhooks \
                     WHERE id = $5 RETURNING id",
                )
                .bind(notice.key)
                .bind(notice.kind)
                .bind(notice.body)
                .bind(at.as_millisecond())
                .bind(webhook)
                .fetch_optional(tx)
                .await?;
                Ok(id)
            })
        })
        .await
    }

    /// Records the outcome of an attempt. Its effect on the webhook counts only if the operator has not changed the
    /// webhook meanwhile; otherwise a failed notice is retried at once.
    pub async fn record_attempt(&self, attempt: WebhookAttempt) -> Result<(), StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let mut attempt = attempt;
                // A notice given up at the old address has not been tried at the new one.
                if attempt.verdict == WebhookVerdict::GivenUp && is_changed(&mut *tx, &attempt).await? {
                    attempt.verdict = WebhookVerdict::Again {
                        at: attempt.at,
                        is_aside: false,
                    };
                }
                keep_outcome(&mut *tx, &attempt).await?;
                let is_current = keep_health(&mut *tx, &attempt).await?;
                if !is_current && attempt.verdict != WebhookVerdict::Delivered {
                    sqlx::query(
                        "UPDATE webhook_deliveries SET next_at = $2 WHERE id = $1 AND state = 'waiting'",
                    )
                    .bind(attempt.delivery)
                    .bind(attempt.at.as_millisecond())
                    .execute(tx)
                    .await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Deliveries of one webhook or of all, newest first.
    pub async fn deliveries(
        &self,
        webhook: Option<i64>,
        limit: u32,
    ) -> Result<Vec<WebhookDelivery>, StoreError> {
        let rows = match webhook {
            Some(id) => {
                sqlx::query(columns!("WHERE webhook_id = $1 ORDER BY id DESC LIMIT $2"))
                    .bind(id)
                    .bind(i64::from(limit))
                    .fetch_all(&self.readers)
                    .await?
            }
            None => {
                sqlx::query(columns!("ORDER BY id DESC LIMIT $1"))
                    .bind(i64::from(limit))
                    .fetch_all(&self.readers)
                    .await?
            }
        };
        rows.iter().map(from_row).collect()
    }

    /// Sends a waiting or given-up notice now. One that was given up goes beside the queue and holds up no others.
    pub async fn resend_delivery(
        &self,
        id: i64,
        at: Timestamp,
    ) -> Result<ResendResult, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let row = sqlx::query(columns!("WHERE id = $1"))
                    .bind(id)
                    .fetch_optional(&mut *tx)
                    .await?;
                let Some(delivery) = row.map(|row| from_row(&row)).transpose()? else {
                    return Ok(ResendResult::Unknown);
                };
                if delivery.state == WebhookDeliveryState::Delivered {
                    return Ok(ResendResult::Arrived);
                }
                if delivery.body.is_empty() {
                    return Ok(ResendResult::Dropped);
                }
                let is_enabled: i64 = sqlx::query_scalar("SELECT is_enabled FROM webhooks WHERE id = $1")
                    .bind(delivery.webhook_id)
                    .fetch_one(&mut *tx)
                    .await?;
                if is_enabled == 0 && !delivery.is_test {
                    return Ok(ResendResult::Disabled);
                }
                // A waiting notice keeps its place, so those before it go out too.
                if delivery.state == WebhookDeliveryState::Waiting && !delivery.is_aside {
                    queue::hurry(&mut *tx, delivery.webhook_id, at).await?;
                }
                sqlx::query(
                    "UPDATE webhook_deliveries SET next_at = $2, \
                     is_aside = CASE WHEN state = 'failed' THEN 1 ELSE is_aside END, state = 'waiting' WHERE id = $1",
                )
                .bind(id)
                .bind(at.as_millisecond())
                .execute(tx)
                .await?;
                Ok(ResendResult::Queued(match delivery.is_test {
                    true => WebhookQueue::Tests(delivery.webhook_id),
                    false => WebhookQueue::Facts(delivery.webhook_id),
                }))
            })
        })
        .await
    }
}

/// Whether the operator has changed the webhook since the attempt began.
async fn is_changed(tx: &mut Tx, attempt: &WebhookAttempt) -> Result<bool, StoreError> {
    let row = sqlx::query("SELECT revision FROM webhooks WHERE id = $1")
        .bind(attempt.webhook)
        .fetch_optional(tx)
        .await?;
    let revision: Option<i64> = row.map(|row| row.try_get(0)).transpose()?;
    Ok(revision.is_some_and(|revision| revision != attempt.revision))
}

async fn keep_outcome(tx: &mut Tx, attempt: &WebhookAttempt) -> Result<(), StoreError> {
    let (state, next_at, is_aside) = match attempt.verdict {
        WebhookVerdict::Delivered => (WebhookDeliveryState::Delivered, attempt.at, false),
        WebhookVerdict::Again { at, is_aside } => (WebhookDeliveryState::Waiting, at, is_aside),
        WebhookVerdict::GivenUp => (WebhookDeliveryState::Failed, attempt.at, false),
    };
    // A notice dropped meanwhile stays dropped, unless it has arrived after all. The body of a delivered one is not
    // kept: it may contain what somebody wrote.
    sqlx::query(
        "UPDATE webhook_deliveries SET state = $2, next_at = $3, is_aside = $4, attempts = attempts + 1, \
         last_at = $5, status = $6, response = $7, error = $8, duration_ms = $9, \
         body = CASE WHEN $2 = 'delivered' THEN '' ELSE body END \
         WHERE id = $1 AND (state = 'waiting' OR $2 = 'delivered')",
    )
    .bind(attempt.delivery)
    .bind(state.as_str())
    .bind(next_at.as_millisecond())
    .bind(i64::from(is_aside))
    .bind(attempt.at.as_millisecond())
    .bind(attempt.status.map(i64::from))
    .bind(attempt.response.clone())
    .bind(attempt.error.clone())
    .bind(i64::try_from(attempt.duration.as_millis()).unwrap_or(i64::MAX))
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns false when the operator has changed the webhook since the attempt began.
async fn keep_health(tx: &mut Tx, attempt: &WebhookAttempt) -> Result<bool, StoreError> {
    let done = match &attempt.health {
        WebhookHealth::Unknown => return Ok(true),
        WebhookHealth::Well { is_back } => {
            if *is_back {
                queue::hurry(&mut *tx, attempt.webhook, attempt.at).await?;
            }
            sqlx::query(
                "UPDATE webhooks SET last_used_at = $3, failing_since = NULL, warned_at = NULL, failures = 0 \
                 WHERE id = $1 AND revision = $2",
            )
            .bind(attempt.webhook)
            .bind(attempt.revision)
            .bind(attempt.at.as_millisecond())
            .execute(tx)
            .await?
        }
        WebhookHealth::Failing { since, warned_at } => {
            sqlx::query(
                "UPDATE webhooks SET failures = failures + 1, failing_since = $3, warned_at = $4 \
                 WHERE id = $1 AND revision = $2",
            )
            .bind(attempt.webhook)
            .bind(attempt.revision)
            .bind(since.as_millisecond())
            .bind(warned_at.map(Timestamp::as_millisecond))
            .execute(tx)
            .await?
        }
        WebhookHealth::Disabled { why, since } => {
            sqlx::query(
                "UPDATE webhooks SET is_enabled = 0, disabled_why = $3, failures = failures + 1, failing_since = $4 \
                 WHERE id = $1 AND revision = $2",
            )
            .bind(attempt.webhook)
            .bind(attempt.revision)
            .bind(why.clone())
            .bind(since.as_millisecond())
            .execute(tx)
            .await?
        }
    };
    Ok(done.rows_affected() > 0)
}
