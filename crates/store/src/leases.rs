//! Leases: work that several servers on one database could do, and only one of them may.
//!
//! A lease is a row. Its holder counts `renewals` up every two seconds and stops working five seconds after it *sent* its
//! last good renewal; whoever has watched the row unchanged for seven seconds takes it, and raises its `fence`. Nobody
//! compares clocks with anybody, each only measures time that has passed. That keeps two holders apart as long as
//! processes run. A process that is paused in the middle of its work wakes up as a holder that is none any more, which no
//! timing can prevent: so whatever is written under a lease reads the fence first, in the same transaction, and is rolled
//! back if there is another one.
//!
//! In reading order: `keeping.rs` holds the rules and neither clock nor database, `keeper.rs` runs them,
//! `simulation.rs` tries to break them. A server that is alone has [`Lease::always`], which costs nothing.

mod keeper;
mod keeping;
#[cfg(test)]
mod simulation;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use sqlx::Row;
use tokio_util::sync::CancellationToken;

use crate::database::Store;
use crate::error::StoreError;
use crate::writer::Tx;

pub use keeper::Leases;

/// What can be leased.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LeaseName {
    Ingest,
    Deliveries,
    Inbox,
    Publishing,
    Webhooks,
    Schedule,
    Engagement,
    Housekeeping,
    Plugins,
    Uploads,
}

impl LeaseName {
    pub const ALL: [Self; 10] = [
        Self::Ingest,
        Self::Deliveries,
        Self::Inbox,
        Self::Publishing,
        Self::Webhooks,
        Self::Schedule,
        Self::Engagement,
        Self::Housekeeping,
        Self::Plugins,
        Self::Uploads,
    ];

    /// Its name in the database and for the operator.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Deliveries => "deliveries",
            Self::Inbox => "inbox",
            Self::Publishing => "publishing",
            Self::Webhooks => "webhooks",
            Self::Schedule => "schedule",
            Self::Engagement => "engagement",
            Self::Housekeeping => "housekeeping",
            Self::Plugins => "plugins",
            Self::Uploads => "uploads",
        }
    }

    /// `None` for a name of a later version.
    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }
}

/// A lease as it is stored; `holder` is empty while nobody has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseRow {
    pub holder: String,
    /// Counts holders up, and never the same one twice.
    pub fence: i64,
    /// Changes whenever the holder shows that it is there.
    pub renewals: i64,
}

/// The right to do some work. Cheap to clone; all clones tell of the same lease.
#[derive(Clone, Debug)]
pub struct Lease(Option<Arc<Grant>>);

#[derive(Debug)]
struct Grant {
    name: LeaseName,
    holder: String,
    fence: i64,
    /// Milliseconds of [`model::Clock::uptime`].
    valid_until: AtomicU64,
    lost: CancellationToken,
}

impl Lease {
    /// The lease of a server that has its database to itself: it is never lost and checks nothing.
    pub fn always() -> Self {
        Self(None)
    }

    /// Whether this server is alone with its database.
    pub fn is_always(&self) -> bool {
        self.0.is_none()
    }

    fn new(name: LeaseName, holder: String, fence: i64, valid_until: Duration) -> Self {
        let grant = Grant {
            name,
            holder,
            fence,
            valid_until: AtomicU64::new(0),
            lost: CancellationToken::new(),
        };
        let lease = Self(Some(Arc::new(grant)));
        lease.extend(valid_until);
        lease
    }

    /// What it is for; `None` for [`Lease::always`].
    pub fn name(&self) -> Option<LeaseName> {
        self.0.as_ref().map(|grant| grant.name)
    }

    /// The number of this holder; 0 for [`Lease::always`].
    pub fn fence(&self) -> i64 {
        self.0.as_ref().map_or(0, |grant| grant.fence)
    }

    /// Whether it is still held at this uptime. To be asked before every request to the outside, which no transaction
    /// can take back.
    pub fn is_valid(&self, uptime: Duration) -> bool {
        self.0.as_ref().is_none_or(|grant| {
            !grant.lost.is_cancelled()
                && uptime < Duration::from_millis(grant.valid_until.load(Ordering::Acquire))
        })
    }

    /// Completes once it is lost.
    pub async fn lost(&self) {
        match &self.0 {
            Some(grant) => grant.lost.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// Nobody but the keeper knows of it any more.
    fn is_abandoned(&self) -> bool {
        self.0
            .as_ref()
            .is_some_and(|grant| Arc::strong_count(grant) == 1)
    }

    fn extend(&self, valid_until: Duration) {
        if let Some(grant) = &self.0 {
            let millis = u64::try_from(valid_until.as_millis()).unwrap_or(u64::MAX);
            grant.valid_until.fetch_max(millis, Ordering::AcqRel);
        }
    }

    fn lose(&self) {
        if let Some(grant) = &self.0 {
            grant.lost.cancel();
        }
    }

    /// Fails if another server has it, as seen by this transaction: the writer's lock keeps it so until the commit.
    pub(crate) async fn check(&self, tx: &mut Tx) -> Result<(), StoreError> {
        let Some(grant) = &self.0 else {
            return Ok(());
        };
        let row = sqlx::query("SELECT holder, fence FROM leases WHERE name = $1")
            .bind(grant.name.as_str())
            .fetch_optional(tx)
            .await?;
        let is_held = match row {
            Some(row) => {
                row.try_get::<String, _>("holder")? == grant.holder
                    && row.try_get::<i64, _>("fence")? == grant.fence
            }
            None => false,
        };
        match is_held {
            true => Ok(()),
            false => {
                grant.lost.cancel();
                Err(StoreError::LeaseLost(grant.name.as_str()))
            }
        }
    }
}

impl Store {
    /// A handle whose writes are all done under a lease: [`StoreError::LeaseLost`] once another server has it, and
    /// nothing is written.
    pub fn under(&self, lease: &Lease) -> Self {
        Self {
            writer: self.writer.under(lease),
            ..self.clone()
        }
    }

    /// Runs one unit of work under a lease; see [`Store::under`].
    pub async fn write_under<T, F>(&self, lease: &Lease, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Tx) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
    {
        self.under(lease).write(work).await
    }

    /// All leases that were ever taken.
    pub async fn leases(&self) -> Result<Vec<(LeaseName, LeaseRow)>, StoreError> {
        let rows = sqlx::query("SELECT name, holder, fence, renewals FROM leases ORDER BY name")
            .fetch_all(&self.readers)
            .await?;
        let mut leases = Vec::with_capacity(rows.len());
        for row in rows {
            let Some(name) = LeaseName::parse(&row.try_get::<String, _>("name")?) else {
                continue;
            };
            let row = LeaseRow {
                holder: row.try_get("holder")?,
                fence: row.try_get("fence")?,
                renewals: row.try_get("renewals")?,
            };
            leases.push((name, row));
        }
        Ok(leases)
    }

    /// Takes a lease if its row still is as it was `seen`; returns the new fence.
    pub async fn take_lease(
        &self,
        name: LeaseName,
        seen: Option<LeaseRow>,
        holder: String,
    ) -> Result<Option<i64>, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let Some(seen) = seen else {
                    let fence: Option<i64> = sqlx::query_scalar(
                        "INSERT INTO leases (name, holder, fence, renewals) VALUES ($1, $2, 1, 0) \
                         ON CONFLICT (name) DO NOTHING RETURNING fence",
                    )
                    .bind(name.as_str())
                    .bind(holder)
                    .fetch_optional(tx)
                    .await?;
                    return Ok(fence);
                };
                let fence: Option<i64> = sqlx::query_scalar(
                    "UPDATE leases SET holder = $2, fence = fence + 1, renewals = renewals + 1 \
                     WHERE name = $1 AND holder = $3 AND fence = $4 AND renewals = $5 RETURNING fence",
                )
                .bind(name.as_str())
                .bind(holder)
                .bind(seen.holder)
                .bind(seen.fence)
                .bind(seen.renewals)
                .fetch_optional(tx)
                .await?;
                Ok(fence)
            })
        })
        .await
    }

    /// Renews these leases, given with their fences; returns those that are still the holder's.
    pub async fn renew_leases(
        &self,
        held: Vec<(LeaseName, i64)>,
        holder: String,
    ) -> Result<Vec<LeaseName>, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let mut renewed = Vec::new();
                for (name, fence) in held {
                    let done = sqlx::query(
                        "UPDATE leases SET renewals = renewals + 1 WHERE name = $1 AND holder = $2 AND fence = $3",
                    )
                    .bind(name.as_str())
                    .bind(holder.clone())
                    .bind(fence)
                    .execute(&mut *tx)
                    .await?;
                    renewed.extend((done.rows_affected() > 0).then_some(name));
                }
                Ok(renewed)
            })
        })
        .await
    }

    /// Gives a lease back, so that nobody has to wait for it.
    pub async fn release_lease(
        &self,
        name: LeaseName,
        fence: i64,
        holder: String,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "UPDATE leases SET holder = '', renewals = renewals + 1 \
                     WHERE name = $1 AND holder = $2 AND fence = $3",
                )
                .bind(name.as_str())
                .bind(holder)
                .bind(fence)
                .execute(tx)
                .await?;
                Ok(())
            })
        })
        .await
    }
}
