//! A delivery to one webhook, as it is stored.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::users::{optional_time, time};

/// The state of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookDeliveryState {
    /// To be sent, or to be sent again.
    Waiting,
    /// Accepted by the receiver.
    Delivered,
    /// Given up.
    Failed,
}

impl WebhookDeliveryState {
    /// As stored and as the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            WebhookDeliveryState::Waiting => "waiting",
            WebhookDeliveryState::Delivered => "delivered",
            WebhookDeliveryState::Failed => "failed",
        }
    }

    fn parse(text: &str) -> Result<Self, StoreError> {
        match text {
            "waiting" => Ok(WebhookDeliveryState::Waiting),
            "delivered" => Ok(WebhookDeliveryState::Delivered),
            "failed" => Ok(WebhookDeliveryState::Failed),
            other => Err(StoreError::unreadable("state of a delivery", other)),
        }
    }
}

/// A notice on its way to one webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookDelivery {
    /// Its position in the queue.
    pub id: i64,
    /// The id the receiver sees, the same for every attempt.
    pub key: String,
    pub webhook_id: i64,
    pub kind: String,
    /// The whole body; empty once it is no longer needed.
    pub body: String,
    /// Whether it is a test by the operator.
    pub is_test: bool,
    /// Whether it has stepped aside and holds up no others.
    pub is_aside: bool,
    pub state: WebhookDeliveryState,
    /// The number of attempts.
    pub attempts: i64,
    pub created_at: Timestamp,
    /// Not before then.
    pub next_at: Timestamp,
    pub last_at: Option<Timestamp>,
    pub status: Option<i64>,
    /// The start of the last answer.
    pub response: Option<String>,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// How long the last attempt took.
    pub duration_ms: Option<i64>,
}

/// A query for whole deliveries; a macro, because statements are static.
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, delivery_key, webhook_id, kind, body, is_test, is_aside, state, attempts, created_at, ",
            "next_at, last_at, status, response, error, duration_ms FROM webhook_deliveries ",
            $rest
        )
    };
}
pub(super) use columns;

pub(super) fn from_row(row: &AnyRow) -> Result<WebhookDelivery, StoreError> {
    Ok(WebhookDelivery {
        id: row.try_get("id")?,
        key: row.try_get("delivery_key")?,
        webhook_id: row.try_get("webhook_id")?,
        kind: row.try_get("kind")?,
        body: row.try_get("body")?,
        is_test: row.try_get::<i64, _>("is_test")? != 0,
        is_aside: row.try_get::<i64, _>("is_aside")? != 0,
        state: WebhookDeliveryState::parse(&row.try_get::<String, _>("state")?)?,
        attempts: row.try_get("attempts")?,
        created_at: time(row.try_get("created_at")?)?,
        next_at: time(row.try_get("next_at")?)?,
        last_at: optional_time(row, "last_at")?,
        status: row.try_get("status")?,
        response: row.try_get("response")?,
        error: row.try_get("error")?,
        duration_ms: row.try_get("duration_ms")?,
    })
}
