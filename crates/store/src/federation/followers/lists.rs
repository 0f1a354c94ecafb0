//! Reads followers: one by one, in pages, and those due for a check.

use jiff::Timestamp;
use sqlx::Row;

use super::{Follower, FollowerFilter, columns, from_row};
use crate::error::StoreError;
use crate::federation::{FederationTables, PAGE_SIZE, offset_of};
use crate::users::time;
use crate::writer::Tx;

/// By which days are told apart.
const DAY_MILLIS: i64 = 24 * 3600 * 1000;

/// The result of checking a follower's account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValidationResult {
    /// The account exists.
    Found,
    /// The account or its server was not found.
    NotFound,
    /// The result is inconclusive.
    Unclear,
}

/// How long a follower has not been found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowerAbsence {
    /// Since when every check failed and nothing was received from them.
    pub since: Timestamp,
    /// On how many days a check failed.
    pub days: i64,
}

impl FederationTables {
    /// The follower with this address, in any state.
    pub async fn follower(&self, iri: &str) -> Result<Option<Follower>, StoreError> {
        let row = sqlx::query(columns!("WHERE iri = $1"))
            .bind(iri)
            .fetch_optional(&self.store.readers)
            .await?;
        row.map(|row| from_row(&row)).transpose()
    }

    /// Followers of one kind, newest first, and their total.
    pub async fn followers_page(
        &self,
        filter: FollowerFilter,
        offset: u32,
        limit: u32,
    ) -> Result<(Vec<Follower>, i64), StoreError> {
        let (state, directories) = match filter {
            FollowerFilter::Accepted => ("accepted", [0, 0]),
            FollowerFilter::Pending => ("pending", [0, 0]),
            FollowerFilter::Blocked => ("blocked", [0, 1]),
            FollowerFilter::Directories => ("accepted", [1, 1]),
            FollowerFilter::FeatureRequests => ("pending", [1, 1]),
        };
        let rows = sqlx::query(columns!(
            "WHERE state = $1 AND is_directory IN ($2, $3) ORDER BY created_at DESC, iri LIMIT $4 OFFSET $5"
        ))
        .bind(state)
        .bind(directories[0])
        .bind(directories[1])
        .bind(i64::from(limit))
        .bind(i64::from(offset))
        .fetch_all(&self.store.readers)
        .await?;
        let total = sqlx::query_scalar(
            "SELECT COUNT(*) FROM ap_followers WHERE state = $1 AND is_directory IN ($2, $3)",
        )
        .bind(state)
        .bind(directories[0])
        .bind(directories[1])
        .fetch_one(&self.store.readers)
        .await?;
        let followers = rows.iter().map(from_row).collect::<Result<_, _>>()?;
        Ok((followers, total))
    }

    /// Addresses of accepted followers, without directories, newest first, [`PAGE_SIZE`] per page; and their total.
    pub async fn follower_iris_page(&self, page: u32) -> Result<(Vec<String>, i64), StoreError> {
        let iris = sqlx::query_scalar(
            "SELECT iri FROM ap_followers WHERE state = 'accepted' AND is_directory = 0 \
             ORDER BY created_at DESC, iri LIMIT $1 OFFSET $2",
        )
        .bind(i64::from(PAGE_SIZE))
        .bind(offset_of(page))
        .fetch_all(&self.store.readers)
        .await?;
        Ok((iris, self.count_followers().await?))
    }

    /// How many followers are accepted, without directories.
    pub async fn count_followers(&self) -> Result<i64, StoreError> {
        let count = sqlx::query_scalar(
            "SELECT COUNT(*) FROM ap_followers WHERE state = 'accepted' AND is_directory = 0",
        )
        .fetch_one(&self.store.readers)
        .await?;
        Ok(count)
    }

    /// Accepted followers not checked since `before`, longest first.
    pub async fn followers_to_validate(
        &self,
        limit: u32,
        before: Timestamp,
    ) -> Result<Vec<Follower>, StoreError> {
        let rows = sqlx::query(columns!(
            "WHERE state = 'accepted' AND validated_at < $1 ORDER BY validated_at LIMIT $2"
        ))
        .bind(before.as_millisecond())
        .bind(i64::from(limit))
        .fetch_all(&self.store.readers)
        .await?;
        rows.iter().map(from_row).collect()
    }

    /// Accepted followers that were not found last time and not checked since `before`, longest first: they must not
    /// wait for all the others.
    pub async fn followers_away(
        &self,
        limit: u32,
        before: Timestamp,
    ) -> Result<Vec<Follower>, StoreError> {
        let rows = sqlx::query(columns!(
            "WHERE first_failure_at IS NOT NULL AND state = 'accepted' AND validated_at < $1 \
             ORDER BY validated_at LIMIT $2"
        ))
        .bind(before.as_millisecond())
        .bind(i64::from(limit))
        .fetch_all(&self.store.readers)
        .await?;
        rows.iter().map(from_row).collect()
    }

    /// Records the result of a check; returns how long the follower has not been found.
    pub async fn note_validation(
        &self,
        iri: String,
        outcome: ValidationResult,
        at: Timestamp,
    ) -> Result<Option<FollowerAbsence>, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    match outcome {
                        ValidationResult::Found => {
                            note_heard(&mut *tx, &iri).await?;
                            note_look(tx, iri, at).await?;
                            Ok(None)
                        }
                        ValidationResult::Unclear => {
                            note_look(tx, iri, at).await?;
                            Ok(None)
                        }
                        ValidationResult::NotFound => {
                            clear_if_delivered(&mut *tx, &iri).await?;
                            note_absence(tx, iri, at).await
                        }
                    }
                })
            })
            .await
    }

    /// Whether the newest delivery attempts, at least `attempts` of them, all failed: then our own network may be down,
    /// and nobody is removed for being away.
    pub async fn is_all_failing(&self, attempts: u32) -> Result<bool, StoreError> {
        let rows = sqlx::query(
            "SELECT state FROM deliveries WHERE last_at IS NOT NULL ORDER BY last_at DESC LIMIT $1",
        )
        .bind(i64::from(attempts))
        .fetch_all(&self.store.readers)
        .await?;
        for row in &rows {
            let state: String = row.try_get(0)?;
            if state == "delivered" {
                return Ok(false);
            }
        }
        Ok(attempts > 0 && rows.len() >= attempts as usize)
    }
}

async fn note_look(tx: &mut Tx, iri: String, at: Timestamp) -> Result<(), StoreError> {
    sqlx::query("UPDATE ap_followers SET validated_at = $2 WHERE iri = $1")
        .bind(iri)
        .bind(at.as_millisecond())
        .execute(tx)
        .await?;
    Ok(())
}

/// Each day counts once.
async fn note_absence(
    tx: &mut Tx,
    iri: String,
    at: Timestamp,
) -> Result<Option<FollowerAbsence>, StoreError> {
    let row = sqlx::query(
        "UPDATE ap_followers SET validated_at = $2, first_failure_at = COALESCE(first_failure_at, $2), \
         failing_days = failing_days + CASE WHEN last_failure_at / $3 = $2 / $3 THEN 0 ELSE 1 END, \
         last_failure_at = $2 WHERE iri = $1 RETURNING first_failure_at, failing_days",
    )
    .bind(iri)
    .bind(at.as_millisecond())
    .bind(DAY_MILLIS)
    .fetch_optional(tx)
    .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(FollowerAbsence {
        since: time(row.try_get("first_failure_at")?)?,
        days: row.try_get("failing_days")?,
    }))
}

/// A follower that accepted a delivery since the last failed check is there.
async fn clear_if_delivered(tx: &mut Tx, iri: &str) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE ap_followers SET first_failure_at = NULL, last_failure_at = NULL, failing_days = 0 WHERE iri = $1 \
         AND EXISTS (SELECT 1 FROM deliveries d WHERE d.inbox = ap_followers.inbox AND d.state = 'delivered' \
         AND d.last_at > ap_followers.last_failure_at)",
    )
    .bind(iri.to_owned())
    .execute(tx)
    .await?;
    Ok(())
}

/// An actor that sends something is there, whatever checks have shown.
pub(in crate::federation) async fn note_heard(tx: &mut Tx, iri: &str) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE ap_followers SET first_failure_at = NULL, last_failure_at = NULL, failing_days = 0 \
         WHERE iri = $1 AND first_failure_at IS NOT NULL",
    )
    .bind(iri.to_owned())
    .execute(tx)
    .await?;
    Ok(())
}
