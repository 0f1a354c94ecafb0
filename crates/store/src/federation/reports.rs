//! Complaints of other servers about us: kept for the operator, for a while.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::engagement::RecordResult;
use super::posts::keep_newest;
use super::{ChangeResult, Effects, FederationTables};
use crate::error::StoreError;
use crate::users::time;

/// Complaints kept; beyond that the oldest is forgotten.
pub const MAX_REPORTS: i64 = 1_000;

/// A received complaint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAbuseReport {
    pub iri: Option<String>,
    /// The complaining actor, usually a server.
    pub actor: String,
    /// The text, without markup.
    pub content: String,
    /// The objects it is about.
    pub objects: Vec<String>,
}

/// A stored complaint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbuseReport {
    pub id: i64,
    pub report: NewAbuseReport,
    pub created_at: Timestamp,
}

impl FederationTables {
    /// Stores a complaint, once.
    pub async fn add_report(
        &self,
        new: NewAbuseReport,
        effects: Effects,
        at: Timestamp,
    ) -> Result<RecordResult, StoreError> {
        let objects = serde_json::to_string(&new.objects)
            .map_err(|error| StoreError::unreadable("complaint", error))?;
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let added = sqlx::query(
                    "INSERT INTO ap_reports (iri, actor, content, objects, created_at) VALUES ($1, $2, $3, $4, $5) \
                     ON CONFLICT (iri) DO NOTHING",
                )
                .bind(new.iri)
                .bind(new.actor)
                .bind(new.content)
                .bind(objects)
                .bind(at.as_millisecond())
                .execute(&mut *tx)
                .await?;
                if added.rows_affected() == 0 {
                    return Ok((RecordResult::Known, ChangeResult::Nothing));
                }
                keep_newest(
                    tx,
                    "DELETE FROM ap_reports WHERE id <= \
                     (SELECT id FROM ap_reports ORDER BY id DESC LIMIT 1 OFFSET $1)",
                    MAX_REPORTS,
                )
                .await?;
                Ok((RecordResult::New, ChangeResult::Done))
            })
        })
        .await
    }

    /// Complaints, newest first, and their total.
    pub async fn reports_page(
        &self,
        offset: u32,
        limit: u32,
    ) -> Result<(Vec<AbuseReport>, i64), StoreError> {
        let rows = sqlx::query(
            "SELECT id, iri, actor, content, objects, created_at FROM ap_reports ORDER BY id DESC LIMIT $1 OFFSET $2",
        )
        .bind(i64::from(limit))
        .bind(i64::from(offset))
        .fetch_all(&self.store.readers)
        .await?;
        let total = sqlx::query_scalar("SELECT COUNT(*) FROM ap_reports")
            .fetch_one(&self.store.readers)
            .await?;
        let reports = rows.iter().map(report_from).collect::<Result<_, _>>()?;
        Ok((reports, total))
    }

    /// Dismisses a complaint; false if there is none.
    pub async fn dismiss_report(&self, id: i64) -> Result<bool, StoreError> {
        self.dismiss("DELETE FROM ap_reports WHERE id = $1", id)
            .await
    }
}

fn report_from(row: &AnyRow) -> Result<AbuseReport, StoreError> {
    let objects: String = row.try_get("objects")?;
    Ok(AbuseReport {
        id: row.try_get("id")?,
        report: NewAbuseReport {
            iri: row.try_get("iri")?,
            actor: row.try_get("actor")?,
            content: row.try_get("content")?,
            objects: serde_json::from_str(&objects)
                .map_err(|error| StoreError::unreadable("complaint", error))?,
        },
        created_at: time(row.try_get("created_at")?)?,
    })
}
