//! Other servers: which fail, since when, and which signatures they want. [`health`] changes their state.

mod health;

pub(super) use health::host_failed;
pub use health::{GoneInboxResult, UNAVAILABLE_AFTER_DAYS};

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::FederationTables;
use crate::error::StoreError;
use crate::users::{optional_time, time};
use crate::writer::Tx;

/// The state of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostState {
    /// No known problem.
    Well,
    /// It failed: nothing is sent for a while.
    Held {
        /// Until then.
        until: Timestamp,
    },
    /// It failed for days: nothing is queued for it, except one delivery a day.
    Unavailable {
        /// When something is queued for it again.
        probe_at: Timestamp,
    },
    /// It says it is gone for good.
    Gone,
}

/// A signature scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureScheme {
    /// draft-cavage.
    Cavage,
    /// RFC 9421.
    Rfc9421,
}

impl SignatureScheme {
    /// As stored.
    pub fn as_str(self) -> &'static str {
        match self {
            SignatureScheme::Cavage => "cavage",
            SignatureScheme::Rfc9421 => "rfc9421",
        }
    }

    fn parse(text: &str) -> Result<Self, StoreError> {
        match text {
            "cavage" => Ok(SignatureScheme::Cavage),
            "rfc9421" => Ok(SignatureScheme::Rfc9421),
            other => Err(StoreError::unreadable("scheme of a host", other)),
        }
    }
}

/// What we know about a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    pub host: String,
    /// Its state at the requested moment.
    pub state: HostState,
    /// Consecutive failures.
    pub failures: i64,
    /// Days on which it failed.
    pub failing_days: i64,
    pub last_failure_at: Option<Timestamp>,
    pub last_error: Option<String>,
    /// The signature scheme it wants, if known and recent.
    pub scheme: Option<SignatureScheme>,
    /// Deliveries that wait for it.
    pub waiting: i64,
}

/// A server that refuses everything it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusingHost {
    pub host: String,
    /// How many deliveries it refused.
    pub refused: i64,
    pub last_at: Timestamp,
    /// The reason it gives, if any.
    pub error: Option<String>,
}

/// A query for whole hosts; a macro, because statements are static.
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT host, failures, failing_days, last_failure_at, last_error, held_until, unavailable_since, gone_at, ",
            "probe_at, scheme, scheme_until, (SELECT COUNT(*) FROM deliveries d WHERE d.host = ap_hosts.host ",
            "AND d.state = 'pending') AS waiting FROM ap_hosts ",
            $rest
        )
    };
}
use columns;

impl FederationTables {
    /// What we know about a host; `None` if nothing.
    pub async fn host(&self, host: &str, now: Timestamp) -> Result<Option<Host>, StoreError> {
        let row = sqlx::query(columns!("WHERE host = $1"))
            .bind(host)
            .fetch_optional(&self.store.readers)
            .await?;
        row.map(|row| from_row(&row, now)).transpose()
    }

    /// Hosts we know something about, most recent failure first, and their total.
    pub async fn hosts_page(
        &self,
        offset: u32,
        limit: u32,
        now: Timestamp,
    ) -> Result<(Vec<Host>, i64), StoreError> {
        let rows = sqlx::query(columns!(
            "ORDER BY COALESCE(last_failure_at, 0) DESC, host LIMIT $1 OFFSET $2"
        ))
        .bind(i64::from(limit))
        .bind(i64::from(offset))
        .fetch_all(&self.store.readers)
        .await?;
        let total = sqlx::query_scalar("SELECT COUNT(*) FROM ap_hosts")
            .fetch_one(&self.store.readers)
            .await?;
        let hosts = rows
            .iter()
            .map(|row| from_row(row, now))
            .collect::<Result<_, _>>()?;
        Ok((hosts, total))
    }

    /// Hosts that have refused at least `least` deliveries since then, and accepted none after the first of these: most
    /// recent refusal first, with the last reason.
    pub async fn refusing_hosts(
        &self,
        since: Timestamp,
        least: u32,
        limit: u32,
    ) -> Result<Vec<RefusingHost>, StoreError> {
        let rows = sqlx::query(
            "SELECT r.host, r.refused, r.last_at, (SELECT d.error FROM deliveries d WHERE d.host = r.host \
             AND d.last_at = r.last_at ORDER BY d.id DESC LIMIT 1) AS error FROM (\
             SELECT f.host, COUNT(*) AS refused, MAX(f.last_at) AS last_at FROM deliveries f WHERE f.last_at >= $1 \
             AND f.status >= 400 AND f.status < 500 AND f.status NOT IN (408, 410, 425, 429) AND NOT EXISTS \
             (SELECT 1 FROM deliveries t WHERE t.host = f.host AND t.state = 'delivered' AND t.last_at >= f.last_at) \
             GROUP BY f.host HAVING COUNT(*) >= $2) r ORDER BY r.last_at DESC, r.host LIMIT $3",
        )
        .bind(since.as_millisecond())
        .bind(i64::from(least))
        .bind(i64::from(limit))
        .fetch_all(&self.store.readers)
        .await?;
        rows.iter()
            .map(|row| {
                Ok(RefusingHost {
                    host: row.try_get("host")?,
                    refused: row.try_get("refused")?,
                    last_at: time(row.try_get("last_at")?)?,
                    error: row.try_get("error")?,
                })
            })
            .collect()
    }

    /// Deletes outdated signature schemes, and hosts we know nothing about; returns how many.
    pub async fn prune_hosts(&self, now: Timestamp) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    // The next delivery queued for them shows how they are.
                    sqlx::query(
                        "UPDATE ap_hosts SET held_until = NULL WHERE held_until <= $1 AND NOT EXISTS \
                         (SELECT 1 FROM deliveries d WHERE d.host = ap_hosts.host \
                         AND d.state IN ('pending', 'in_flight'))",
                    )
                    .bind(now.as_millisecond())
                    .execute(&mut *tx)
                    .await?;
                    let done = sqlx::query(
                        "DELETE FROM ap_hosts WHERE failures = 0 AND (scheme_until IS NULL OR scheme_until < $1)",
                    )
                    .bind(now.as_millisecond())
                    .execute(tx)
                    .await?;
                    Ok(done.rows_affected())
                })
            })
            .await
    }
}

/// Remembers the signature scheme a host wants.
pub(super) async fn remember_scheme(
    tx: &mut Tx,
    host: String,
    scheme: SignatureScheme,
    until: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO ap_hosts (host, failures, failing_days, scheme, scheme_until) \
         VALUES ($1, 0, 0, $2, $3) ON CONFLICT (host) DO UPDATE \
         SET scheme = excluded.scheme, scheme_until = excluded.scheme_until",
    )
    .bind(host)
    .bind(scheme.as_str())
    .bind(until.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}

fn from_row(row: &AnyRow, now: Timestamp) -> Result<Host, StoreError> {
    let held_until = optional_time(row, "held_until")?.filter(|until| *until > now);
    let state = if row.try_get::<Option<i64>, _>("gone_at")?.is_some() {
        HostState::Gone
    } else if row
        .try_get::<Option<i64>, _>("unavailable_since")?
        .is_some()
    {
        let probe_at: Option<i64> = row.try_get("probe_at")?;
        HostState::Unavailable {
            probe_at: time(probe_at.unwrap_or_default())?,
        }
    } else {
        match held_until {
            Some(until) => HostState::Held { until },
            None => HostState::Well,
        }
    };
    Ok(Host {
        host: row.try_get("host")?,
        state,
        failures: row.try_get("failures")?,
        failing_days: row.try_get("failing_days")?,
        last_failure_at: optional_time(row, "last_failure_at")?,
        last_error: row.try_get("last_error")?,
        scheme: believed_scheme(row, now)?,
        waiting: row.try_get("waiting")?,
    })
}

/// The signature scheme a host wants, if learned recently.
pub(super) fn believed_scheme(
    row: &AnyRow,
    now: Timestamp,
) -> Result<Option<SignatureScheme>, StoreError> {
    let is_believed = optional_time(row, "scheme_until")?.is_some_and(|until| until > now);
    let scheme: Option<String> = row.try_get("scheme")?;
    let scheme = scheme.filter(|_| is_believed);
    scheme
        .map(|scheme| SignatureScheme::parse(&scheme))
        .transpose()
}
