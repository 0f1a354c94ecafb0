//! The delivery queue: its types. [`claim`] hands out what [`due`] finds, [`outcome`] records the results, [`lists`]
//! shows the queue and lets the operator intervene.

mod claim;
mod due;
mod handful;
mod lists;
mod outcome;

pub use due::ClaimedDelivery;
pub use lists::{DeliveryFilter, QueueSummary};
pub use outcome::{DeliveryOutcome, HostFailure, Settlement};

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::outgoing::DeliveryKind;
use crate::error::StoreError;
use crate::users::{optional_time, time};

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// To be sent, or sent again.
    Pending,
    /// Being sent.
    InFlight,
    /// Accepted by the inbox.
    Delivered,
    /// Given up.
    Failed,
}

impl DeliveryState {
    /// As stored and as the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            DeliveryState::Pending => "pending",
            DeliveryState::InFlight => "in_flight",
            DeliveryState::Delivered => "delivered",
            DeliveryState::Failed => "failed",
        }
    }

    /// Parses the stored form.
    pub fn parse(text: &str) -> Result<Self, StoreError> {
        match text {
            "pending" => Ok(DeliveryState::Pending),
            "in_flight" => Ok(DeliveryState::InFlight),
            "delivered" => Ok(DeliveryState::Delivered),
            "failed" => Ok(DeliveryState::Failed),
            other => Err(StoreError::unreadable("state of a delivery", other)),
        }
    }
}

/// An activity on its way to one inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Its position in the queue.
    pub id: i64,
    pub activity_id: String,
    pub inbox: String,
    /// The host of the inbox.
    pub host: String,
    pub kind: DeliveryKind,
    pub state: DeliveryState,
    /// The number of attempts.
    pub attempts: i64,
    /// Not to be sent before.
    pub next_at: Timestamp,
    /// Not to be sent after.
    pub expires_at: Timestamp,
    pub created_at: Timestamp,
    pub last_at: Option<Timestamp>,
    pub status: Option<i64>,
    /// Why the last attempt failed.
    pub error: Option<String>,
}

/// A query for whole deliveries; a macro, because statements are static.
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, activity_id, inbox, host, kind, state, attempts, next_at, expires_at, created_at, last_at, ",
            "status, error FROM deliveries ",
            $rest
        )
    };
}
use columns;

fn from_row(row: &AnyRow) -> Result<Delivery, StoreError> {
    Ok(Delivery {
        id: row.try_get("id")?,
        activity_id: row.try_get("activity_id")?,
        inbox: row.try_get("inbox")?,
        host: row.try_get("host")?,
        kind: DeliveryKind::parse(&row.try_get::<String, _>("kind")?)?,
        state: DeliveryState::parse(&row.try_get::<String, _>("state")?)?,
        attempts: row.try_get("attempts")?,
        next_at: time(row.try_get("next_at")?)?,
        expires_at: time(row.try_get("expires_at")?)?,
        created_at: time(row.try_get("created_at")?)?,
        last_at: optional_time(row, "last_at")?,
        status: row.try_get("status")?,
        error: row.try_get("error")?,
    })
}
