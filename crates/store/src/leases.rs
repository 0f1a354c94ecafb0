//! Leases: work that several servers on one database could do, and only one of them may.
//!
//! A lease is a row. Its holder counts `renewals` up every two seconds and stops working five seconds after it *sent* its
//! last good renewal; whoever has watched the row unchanged for seven seconds takes it, and raises its `fence`. Nobody
//! compares clocks with anybody, each only measures time that has passed. That keeps two holders apart as long as
//! processes run. A process that is paused in the middle of its work wakes up as a holder that is none any more, which no
//! timing can prevent: so whatever is written under a lease reads the fence first, in the same transaction, and is rolled
//! back if there is another one.
//!
//! In reading order: `lease.rs` is what a worker gets, `rules.rs` holds the rules and neither clock nor database,
//! `keeper.rs` runs them, `simulation.rs` tries to break them. A server that is alone has [`Lease::always`], which costs nothing.

mod keeper;
mod rules;
#[cfg(test)]
mod simulation;

use futures_util::future::BoxFuture;
use sqlx::Row;

use crate::database::Store;
use crate::error::StoreError;
use crate::lease::{Lease, LeaseName, LeaseRow};
use crate::writer::Tx;

pub use keeper::Leases;

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
