//! Records whether servers stream.

use std::time::Duration;

use jiff::Timestamp;

use super::{StreamMetadata, columns, from_row};
use crate::error::StoreError;
use crate::federation::{ChangeResult, Effects, FederationTables, host_of};
use crate::writer::Tx;

/// Servers kept that told us of themselves; beyond that the one heard of longest ago is forgotten.
pub const MAX_UNSOLICITED: i64 = 500;
/// Pings of one server that come faster than this are passed over.
pub const OFFER_SPACING: Duration = Duration::from_secs(30);

/// The result of a ping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferResult {
    /// The server is online, and the operator wants it.
    Online,
    /// The server is online; it announced itself.
    Unsolicited,
    /// It came too soon after the last one.
    TooSoon,
}

impl FederationTables {
    /// Records that a server streams. An unknown one is stored as having announced itself.
    pub async fn note_offer(
        &self,
        iri: String,
        actor: String,
        news: StreamMetadata,
        effects: Effects,
        at: Timestamp,
    ) -> Result<OfferResult, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let row = sqlx::query(columns!("WHERE iri = $1"))
                    .bind(iri.clone())
                    .fetch_optional(&mut *tx)
                    .await?;
                let known = row.map(|row| from_row(&row)).transpose()?;
                let is_unsolicited = known.as_ref().is_none_or(|server| server.is_unsolicited);
                // A server that was offline may announce its return at once.
                let last = known
                    .filter(|server| server.is_online)
                    .and_then(|server| server.last_status_update);
                if last.is_some_and(|last| at < last + OFFER_SPACING) {
                    return Ok((OfferResult::TooSoon, ChangeResult::Nothing));
                }
                set_online(&mut *tx, &iri, &actor, news, at).await?;
                if !is_unsolicited {
                    return Ok((OfferResult::Online, ChangeResult::Done));
                }
                make_room(tx).await?;
                Ok((OfferResult::Unsolicited, ChangeResult::Done))
            })
        })
        .await
    }

    /// Records that a server no longer streams; false if it is unknown or was offline.
    pub async fn note_leave(
        &self,
        iri: String,
        effects: Effects,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let done = sqlx::query(
                    "UPDATE federated_servers SET is_online = 0, thumbnail_url = NULL, last_status_update = $2 \
                     WHERE iri = $1 AND is_online = 1",
                )
                .bind(iri)
                .bind(at.as_millisecond())
                .execute(tx)
                .await?;
                let was_online = done.rows_affected() > 0;
                Ok((was_online, ChangeResult::when(was_online)))
            })
        })
        .await
    }

    /// Marks servers as offline that have been silent since `before`; returns how many.
    pub async fn sweep_servers(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let done = sqlx::query(
                        "UPDATE federated_servers SET is_online = 0, thumbnail_url = NULL \
                         WHERE is_online = 1 AND last_status_update < $1",
                    )
                    .bind(before.as_millisecond())
                    .execute(tx)
                    .await?;
                    Ok(done.rows_affected())
                })
            })
            .await
    }
}

async fn set_online(
    tx: &mut Tx,
    iri: &str,
    actor: &str,
    news: StreamMetadata,
    at: Timestamp,
) -> Result<(), StoreError> {
    let tags = news
        .tags
        .map(|tags| serde_json::to_string(&tags))
        .transpose()
        .map_err(|error| StoreError::unreadable("tags of a server", error))?;
    // The parameters stand alone in the update, because a value that was not stated must not become empty there.
    sqlx::query(
        "INSERT INTO federated_servers (iri, host, is_unsolicited, actor_iri, username, name, display_name, summary, \
         logo_url, follow_status, is_online, stream_title, stream_description, stream_tags, thumbnail_url, priority, \
         added_at, last_seen_online, last_status_update) \
         VALUES ($1, $2, 1, $3, '', '', COALESCE($4, ''), '', $5, 'none', 1, COALESCE($6, ''), COALESCE($7, ''), \
         COALESCE($8, '[]'), $9, 0, $10, $10, $10) \
         ON CONFLICT (iri) DO UPDATE SET is_online = 1, \
         display_name = COALESCE($4, federated_servers.display_name), \
         logo_url = COALESCE($5, federated_servers.logo_url), \
         stream_title = COALESCE($6, federated_servers.stream_title), \
         stream_description = COALESCE($7, federated_servers.stream_description), \
         stream_tags = COALESCE($8, federated_servers.stream_tags), \
         thumbnail_url = COALESCE($9, federated_servers.thumbnail_url), last_seen_online = $10, \
         last_status_update = $10",
    )
    .bind(iri.to_owned())
    .bind(host_of(iri))
    .bind(actor.to_owned())
    .bind(news.server_name)
    .bind(news.logo_url)
    .bind(news.title)
    .bind(news.description)
    .bind(tags)
    .bind(news.thumbnail_url)
    .bind(at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}

/// If there are too many, deletes the self-announced server heard from longest ago.
async fn make_room(tx: &mut Tx) -> Result<(), StoreError> {
    sqlx::query(
        "DELETE FROM federated_servers WHERE id IN (SELECT id FROM federated_servers WHERE is_unsolicited = 1 \
         ORDER BY last_status_update DESC, id DESC LIMIT 100 OFFSET $1)",
    )
    .bind(MAX_UNSOLICITED)
    .execute(tx)
    .await?;
    Ok(())
}
