//! Webhooks: addresses that the operator wants notified of events.
//!
//! A [`delivery`] is one notice for one of them. Pending ones are in [`queue`], their outcomes in [`deliveries`]. When to retry and when to stop is not decided
//! here.

mod deliveries;
mod delivery;
mod queue;

pub use deliveries::{ResendResult, WebhookAttempt, WebhookHealth, WebhookVerdict};
pub use delivery::{WebhookDelivery, WebhookDeliveryState};
pub use queue::{MAX_WAITING, MAX_WAITING_AGE, NextDelivery, WebhookNotice, WebhookQueue};

use jiff::Timestamp;
use model::Secret;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::error::StoreError;
use crate::secrets::put_sealed;
use crate::users::{optional_time, time};
use crate::writer::Tx;

/// Limit (operators): webhooks; a further one is refused. With [`MAX_WAITING`] it bounds what can wait in all.
pub const MAX_WEBHOOKS: i64 = 50;

/// A webhook to be stored.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    pub url: String,
    /// Names of the events it subscribes to.
    pub events: Vec<String>,
    /// The secret that signs its notices.
    pub secret: Secret,
    /// Whether it may be on the operator's own network.
    pub allows_internal: bool,
}

/// An operator's change of a webhook; `None` leaves a value as it is.
#[derive(Clone, Debug, Default)]
pub struct WebhookChange {
    pub url: Option<String>,
    /// Names of the events it subscribes to.
    pub events: Option<Vec<String>>,
    /// Whether it may be on the operator's own network.
    pub allows_internal: Option<bool>,
    /// Whether it gets notices at all.
    pub is_enabled: Option<bool>,
}

/// A stored webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Its number; never reused.
    pub id: i64,
    pub url: String,
    /// Names of the events it subscribes to.
    pub events: Vec<String>,
    /// Whether it may be on the operator's own network.
    pub allows_internal: bool,
    /// Whether it gets notices at all.
    pub is_enabled: bool,
    /// Why it was switched off, unless the operator did it.
    pub disabled_why: Option<String>,
    pub created_at: Timestamp,
    /// When a notice last arrived.
    pub last_used_at: Option<Timestamp>,
    /// The first failure since then.
    pub failing_since: Option<Timestamp>,
    /// When the operator was warned about that.
    pub warned_at: Option<Timestamp>,
    /// Consecutive failures.
    pub failures: i64,
    /// How many notices were given up because too many were waiting, since the operator's last change.
    pub dropped: i64,
    /// How many notices wait for it.
    pub waiting: i64,
    /// How many of those were refused, and let the rest pass.
    pub aside: i64,
    /// How often the operator has changed it.
    pub revision: i64,
}

/// A query for whole webhooks; a macro, because statements are static.
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, url, events, allow_internal, is_enabled, disabled_why, created_at, last_used_at, ",
            "failing_since, warned_at, failures, dropped, revision, ",
            "(SELECT COUNT(*) FROM webhook_deliveries d WHERE d.webhook_id = webhooks.id AND d.state = 'waiting') ",
            "AS waiting, ",
            "(SELECT COUNT(*) FROM webhook_deliveries d WHERE d.webhook_id = webhooks.id AND d.state = 'waiting' ",
            "AND d.is_aside = 1) AS aside FROM webhooks ",
            $rest
        )
    };
}

impl Store {
    /// Stores a new webhook, which gets events from now on; `None` if the limit is reached.
    pub async fn add_webhook(
        &self,
        new: NewWebhook,
        at: Timestamp,
    ) -> Result<Option<Webhook>, StoreError> {
        let vault = std::sync::Arc::clone(&self.vault);
        self.write(move |tx| {
            Box::pin(async move {
                let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM webhooks")
                    .fetch_one(&mut *tx)
                    .await?;
                if count >= MAX_WEBHOOKS {
                    return Ok(None);
                }
                let id: i64 = sqlx::query_scalar(
                    "INSERT INTO webhooks (url, events, allow_internal, is_enabled, created_at, failures, dropped, \
                     since_seq, revision) \
                     SELECT $1, $2, $3, 1, $4, 0, 0, COALESCE(MAX(seq), 0), 0 FROM events RETURNING id",
                )
                .bind(new.url)
                .bind(joined(&new.events))
                .bind(i64::from(new.allows_internal))
                .bind(at.as_millisecond())
                .fetch_one(&mut *tx)
                .await?;
                let name = secret_name(id);
                let sealed = vault.seal(&name, new.secret.expose().as_bytes())?;
                put_sealed(&mut *tx, &name, sealed, at).await?;
                by_id(tx, id).await
            })
        })
        .await
    }

    /// All webhooks, oldest first.
    pub async fn webhooks(&self) -> Result<Vec<Webhook>, StoreError> {
        let rows = sqlx::query(columns!("ORDER BY id"))
            .fetch_all(&self.readers)
            .await?;
        rows.iter().map(from_row).collect()
    }

    /// The webhook with this number.
    pub async fn webhook(&self, id: i64) -> Result<Option<Webhook>, StoreError> {
        let row = sqlx::query(columns!("WHERE id = $1"))
            .bind(id)
            .fetch_optional(&self.readers)
            .await?;
        row.map(|row| from_row(&row)).transpose()
    }

    /// The secret that signs the webhook's notices.
    pub async fn webhook_secret(&self, id: i64) -> Result<Option<Secret>, StoreError> {
        let Some(clear) = self.secret(&secret_name(id)).await? else {
            return Ok(None);
        };
        let text = String::from_utf8(clear)
            .map_err(|_| StoreError::unreadable("secret", "a webhook's secret is no text"))?;
        Ok(Some(Secret::new(text)))
    }

    /// Changes a webhook and resets its state: its failures are forgotten, and waiting notices go out now. One that is
    /// switched on again gets events from now on. `None` if there is none.
    pub async fn change_webhook(
        &self,
        id: i64,
        change: WebhookChange,
        at: Timestamp,
    ) -> Result<Option<Webhook>, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let Some(before) = by_id(&mut *tx, id).await? else {
                    return Ok(None);
                };
                let is_enabled = change.is_enabled.unwrap_or(before.is_enabled);
                // The reason stays readable until the webhook is on again, or the operator switches it off.
                let disabled_why = match change.is_enabled {
                    Some(_) => None,
                    None => before.disabled_why,
                };
                sqlx::query(
                    "UPDATE webhooks SET url = $2, events = $3, allow_internal = $4, is_enabled = $5, \
                     disabled_why = $6, failing_since = NULL, warned_at = NULL, failures = 0, dropped = 0, \
                     revision = revision + 1 WHERE id = $1",
                )
                .bind(id)
                .bind(change.url.unwrap_or(before.url))
                .bind(joined(&change.events.unwrap_or(before.events)))
                .bind(i64::from(change.allows_internal.unwrap_or(before.allows_internal)))
                .bind(i64::from(is_enabled))
                .bind(disabled_why)
                .execute(&mut *tx)
                .await?;
                if is_enabled && !before.is_enabled {
                    sqlx::query(
                        "UPDATE webhooks SET since_seq = (SELECT COALESCE(MAX(seq), 0) FROM events) WHERE id = $1",
                    )
                    .bind(id)
                    .execute(&mut *tx)
                    .await?;
                }
                sqlx::query(
                    "UPDATE webhook_deliveries SET next_at = $2 WHERE webhook_id = $1 AND state = 'waiting'",
                )
                .bind(id)
                .bind(at.as_millisecond())
                .execute(&mut *tx)
                .await?;
                by_id(tx, id).await
            })
        })
        .await
    }

    /// Deletes a webhook and everything that waits for it; false if there is none.
    pub async fn delete_webhook(&self, id: i64) -> Result<bool, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query("DELETE FROM secrets WHERE name = $1")
                    .bind(secret_name(id))
                    .execute(&mut *tx)
                    .await?;
                sqlx::query("DELETE FROM webhook_deliveries WHERE webhook_id = $1")
                    .bind(id)
                    .execute(&mut *tx)
                    .await?;
                let done = sqlx::query("DELETE FROM webhooks WHERE id = $1")
                    .bind(id)
                    .execute(tx)
                    .await?;
                Ok(done.rows_affected() > 0)
            })
        })
        .await
    }
}

fn secret_name(id: i64) -> String {
    format!("webhook-{id}")
}

/// A comma at each end, so that one search finds a name and never a part of another.
fn joined(events: &[String]) -> String {
    format!(",{},", events.join(","))
}

async fn by_id(tx: &mut Tx, id: i64) -> Result<Option<Webhook>, StoreError> {
    let row = sqlx::query(columns!("WHERE id = $1"))
        .bind(id)
        .fetch_optional(tx)
        .await?;
    row.map(|row| from_row(&row)).transpose()
}

fn from_row(row: &AnyRow) -> Result<Webhook, StoreError> {
    let events: String = row.try_get("events")?;
    Ok(Webhook {
        id: row.try_get("id")?,
        url: row.try_get("url")?,
        events: events
            .split(',')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect(),
        allows_internal: row.try_get::<i64, _>("allow_internal")? != 0,
        is_enabled: row.try_get::<i64, _>("is_enabled")? != 0,
        disabled_why: row.try_get("disabled_why")?,
        created_at: time(row.try_get("created_at")?)?,
        last_used_at: optional_time(row, "last_used_at")?,
        failing_since: optional_time(row, "failing_since")?,
        warned_at: optional_time(row, "warned_at")?,
        failures: row.try_get("failures")?,
        dropped: row.try_get("dropped")?,
        waiting: row.try_get("waiting")?,
        aside: row.try_get("aside")?,
        revision: row.try_get("revision")?,
    })
}
