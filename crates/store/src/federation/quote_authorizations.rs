//! Which posts of others may quote ours.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::engagement::{Engagement, EngagementKind, RecordResult, record};
use super::{ChangeResult, Effects, FederationTables, object};
use crate::error::StoreError;
use crate::users::{optional_time, time};

/// Quotes that were allowed or taken back again, in all; a further request is refused. The oldest cannot make room: servers
/// that look for the proof of a quote would find it missing.
pub const MAX_QUOTE_AUTHORIZATIONS: i64 = 100_000;

/// A quote to be authorized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewQuoteAuthorization {
    pub iri: String,
    /// The quoting post.
    pub quote_post: String,
    /// Our post.
    pub quoted_post: String,
    pub requester: String,
    pub request_id: String,
}

/// A quote that is or was authorized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuoteAuthorization {
    pub grant: NewQuoteAuthorization,
    pub created_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// A query for whole quote authorizations; a macro, because statements are static.
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT stamp, quote_post, quoted_post, requester, request_id, created_at, revoked_at FROM ap_quote_stamps ",
            $rest
        )
    };
}

impl FederationTables {
    /// The authorization an actor was given for this pair of posts, revoked or not: a further request gets the same
    /// one. Requests of other actors do not matter.
    pub async fn quote_authorization_for(
        &self,
        quote_post: &str,
        quoted_post: &str,
        requester: &str,
    ) -> Result<Option<QuoteAuthorization>, StoreError> {
        let row = sqlx::query(columns!(
            "WHERE quote_post = $1 AND quoted_post = $2 AND requester = $3"
        ))
        .bind(quote_post)
        .bind(quoted_post)
        .bind(requester)
        .fetch_optional(&self.store.readers)
        .await?;
        row.map(|row| from_row(&row)).transpose()
    }

    /// Whether an authorization for this pair of posts was revoked, whoever held it.
    pub async fn is_quote_revoked(
        &self,
        quote_post: &str,
        quoted_post: &str,
    ) -> Result<bool, StoreError> {
        let revoked: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM ap_quote_stamps \
             WHERE quote_post = $1 AND quoted_post = $2 AND revoked_at IS NOT NULL",
        )
        .bind(quote_post)
        .bind(quoted_post)
        .fetch_one(&self.store.readers)
        .await?;
        Ok(revoked > 0)
    }

    /// Whether the number is below [`MAX_QUOTE_AUTHORIZATIONS`].
    pub async fn has_room_for_quote_authorizations(&self) -> Result<bool, StoreError> {
        let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM ap_quote_stamps")
            .fetch_one(&self.store.readers)
            .await?;
        Ok(count < MAX_QUOTE_AUTHORIZATIONS)
    }

    /// The authorization at this address, revoked or not.
    pub async fn quote_authorization(
        &self,
        iri: &str,
    ) -> Result<Option<QuoteAuthorization>, StoreError> {
        let row = sqlx::query(columns!("WHERE stamp = $1"))
            .bind(iri)
            .fetch_optional(&self.store.readers)
            .await?;
        row.map(|row| from_row(&row)).transpose()
    }

    /// Authorizes a quote. The authorization itself is in `effects.objects`, the answer in `effects.outgoing`. If this
    /// very authorization was granted before, the answer is sent again and no event is logged. [`StoreError::Conflict`]
    /// if the actor was given another one for that pair meanwhile: look it up and use that one.
    pub async fn grant(
        &self,
        new: NewQuoteAuthorization,
        effects: Effects,
        at: Timestamp,
    ) -> Result<RecordResult, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let quote = Engagement {
                    object: new.quoted_post.clone(),
                    actor: new.requester.clone(),
                    kind: EngagementKind::Quote,
                    activity_id: Some(new.request_id.clone()),
                    at,
                };
                // Another authorization for the same pair and actor violates the other unique key, which undoes
                // everything.
                let added = sqlx::query(
                    "INSERT INTO ap_quote_stamps (stamp, quote_post, quoted_post, requester, request_id, created_at) \
                     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (stamp) DO NOTHING",
                )
                .bind(new.iri)
                .bind(new.quote_post)
                .bind(new.quoted_post)
                .bind(new.requester)
                .bind(new.request_id)
                .bind(at.as_millisecond())
                .execute(&mut *tx)
                .await?;
                if added.rows_affected() == 0 {
                    return Ok((RecordResult::Known, ChangeResult::Known));
                }
                record(tx, &quote).await?;
                Ok((RecordResult::New, ChangeResult::Done))
            })
        })
        .await
    }

    /// Revokes an authorization; its address answers that it is gone. False if there is none in force.
    pub async fn revoke_quote_authorization(
        &self,
        iri: String,
        effects: Effects,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let done = sqlx::query(
                    "UPDATE ap_quote_stamps SET revoked_at = $2 WHERE stamp = $1 AND revoked_at IS NULL",
                )
                .bind(iri.clone())
                .bind(at.as_millisecond())
                .execute(&mut *tx)
                .await?;
                let is_revoked = done.rows_affected() > 0;
                if is_revoked {
                    object::bury(tx, &iri, at).await?;
                }
                Ok((is_revoked, ChangeResult::when(is_revoked)))
            })
        })
        .await
    }

    /// Quote authorizations, newest first, and their total.
    pub async fn quote_authorizations_page(
        &self,
        offset: u32,
        limit: u32,
    ) -> Result<(Vec<QuoteAuthorization>, i64), StoreError> {
        let rows = sqlx::query(columns!(
            "ORDER BY created_at DESC, stamp LIMIT $1 OFFSET $2"
        ))
        .bind(i64::from(limit))
        .bind(i64::from(offset))
        .fetch_all(&self.store.readers)
        .await?;
        let total = sqlx::query_scalar("SELECT COUNT(*) FROM ap_quote_stamps")
            .fetch_one(&self.store.readers)
            .await?;
        let authorizations = rows.iter().map(from_row).collect::<Result<_, _>>()?;
        Ok((authorizations, total))
    }
}

fn from_row(row: &AnyRow) -> Result<QuoteAuthorization, StoreError> {
    Ok(QuoteAuthorization {
        grant: NewQuoteAuthorization {
            iri: row.try_get("stamp")?,
            quote_post: row.try_get("quote_post")?,
            quoted_post: row.try_get("quoted_post")?,
            requester: row.try_get("requester")?,
            request_id: row.try_get("request_id")?,
        },
        created_at: time(row.try_get("created_at")?)?,
        revoked_at: optional_time(row, "revoked_at")?,
    })
}
