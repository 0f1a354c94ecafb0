//! The right to do some work, as its holder has it; [`crate::Leases`] hands it out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sqlx::{AnyConnection, Row};
use tokio_util::sync::CancellationToken;

use crate::error::StoreError;

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
    pub(crate) fn parse(name: &str) -> Option<Self> {
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
pub struct Lease(Option<Arc<LeaseGrant>>);

#[derive(Debug)]
struct LeaseGrant {
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

    pub(crate) fn new(name: LeaseName, holder: String, fence: i64, valid_until: Duration) -> Self {
        let grant = LeaseGrant {
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

    /// Who has it; empty for [`Lease::always`].
    pub fn holder(&self) -> &str {
        self.0.as_ref().map_or("", |grant| grant.holder.as_str())
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
    pub(crate) fn is_abandoned(&self) -> bool {
        self.0
            .as_ref()
            .is_some_and(|grant| Arc::strong_count(grant) == 1)
    }

    pub(crate) fn extend(&self, valid_until: Duration) {
        if let Some(grant) = &self.0 {
            let millis = u64::try_from(valid_until.as_millis()).unwrap_or(u64::MAX);
            grant.valid_until.fetch_max(millis, Ordering::AcqRel);
        }
    }

    pub(crate) fn lose(&self) {
        if let Some(grant) = &self.0 {
            grant.lost.cancel();
        }
    }

    /// Fails if another server has it, as seen by this transaction: the writer's lock keeps it so until the commit.
    pub(crate) async fn check(&self, tx: &mut AnyConnection) -> Result<(), StoreError> {
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
