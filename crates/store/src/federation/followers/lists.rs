//! Followers as they are read: one by one, in pages, and those to look after.

use jiff::Timestamp;
use sqlx::Row;

use super::{Follower, FollowerFilter, columns, from_row};
use crate::error::StoreError;
use crate::federation::{Fediverse, PAGE_SIZE, offset_of};
use crate::users::optional_time;

/// What a look at a follower's server has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validation {
    /// They are there.
    Found,
    /// They could not be found, for whatever reason.
    NotFound,
}

impl Fediverse {
    /// The follower with this address, in whatever state.
    pub async fn follower(&self, iri: &str) -> Result<Option<Follower>, StoreError> {
        let row = sqlx::query(columns!("WHERE iri = $1"))
            .bind(iri)
            .fetch_optional(&self.store.readers)
            .await?;
        row.map(|row| from_row(&row)).transpose()
    }

    /// Followers of one sort, newest first, and how many there are.
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

    /// Addresses of those who were accepted, without directories, newest first, [`PAGE_SIZE`] on a page; and how many
    /// there are.
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

    /// How many were accepted, without directories.
    pub async fn count_followers(&self) -> Result<i64, StoreError> {
        let count = sqlx::query_scalar(
            "SELECT COUNT(*) FROM ap_followers WHERE state = 'accepted' AND is_directory = 0",
        )
        .fetch_one(&self.store.readers)
        .await?;
        Ok(count)
    }

    /// Accepted followers nobody has looked after since then, the longest first.
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

    /// Keeps what a look has shown; returns since when the follower is not found.
    pub async fn note_validation(
        &self,
        iri: String,
        outcome: Validation,
        at: Timestamp,
    ) -> Result<Option<Timestamp>, StoreError> {
        let failed_at = match outcome {
            Validation::Found => None,
            Validation::NotFound => Some(at.as_millisecond()),
        };
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let row = sqlx::query(
                        "UPDATE ap_followers SET validated_at = $2, \
                         first_failure_at = CASE WHEN $3 IS NULL THEN NULL ELSE COALESCE(first_failure_at, $3) END \
                         WHERE iri = $1 RETURNING first_failure_at",
                    )
                    .bind(iri)
                    .bind(at.as_millisecond())
                    .bind(failed_at)
                    .fetch_optional(tx)
                    .await?;
                    match row {
                        Some(row) => optional_time(&row, "first_failure_at"),
                        None => Ok(None),
                    }
                })
            })
            .await
    }

    /// Whether the newest attempts to deliver, at least so many, have all failed: then it may be our own network, and
    /// nobody is removed for being away.
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
