//! Other servers: those the operator shows beside the stream, and those that announced themselves. This file has the
//! types; [`changes`] and [`status`] modify them.

mod changes;
mod status;

pub use changes::{AddServerResult, Direction, MAX_SERVERS};
pub use status::{MAX_UNSOLICITED, OFFER_SPACING, OfferResult};

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::FederationTables;
use crate::error::StoreError;
use crate::users::{optional_time, time};

/// A server's answer to our follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowStatus {
    /// We never asked.
    None,
    /// No answer yet.
    Pending,
    /// It accepted.
    Accepted,
    /// It rejected, perhaps after accepting.
    Rejected,
}

impl FollowStatus {
    /// As stored and as the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            FollowStatus::None => "none",
            FollowStatus::Pending => "pending",
            FollowStatus::Accepted => "accepted",
            FollowStatus::Rejected => "rejected",
        }
    }

    fn parse(text: &str) -> Result<Self, StoreError> {
        match text {
            "none" => Ok(FollowStatus::None),
            "pending" => Ok(FollowStatus::Pending),
            "accepted" => Ok(FollowStatus::Accepted),
            "rejected" => Ok(FollowStatus::Rejected),
            other => Err(StoreError::unreadable("status of a server", other)),
        }
    }
}

/// A server account's profile; texts are cut to size and plain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerProfile {
    /// The user name in its handle.
    pub username: String,
    /// The name in the account's document.
    pub name: String,
    /// The name that is shown.
    pub display_name: String,
    pub summary: String,
    pub logo_url: Option<String>,
}

/// A server to show beside the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewServer {
    /// `scheme://host`, as the operator typed it.
    pub iri: String,
    pub actor_iri: String,
    /// Its account's inbox.
    pub inbox: String,
    /// The id of our Follow.
    pub follow_id: String,
    /// Our username at the time of the Follow.
    pub followed_as: String,
    pub profile: ServerProfile,
}

/// The content of a ping; texts are cut to size and plain. `None` was not stated and leaves the stored value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamMetadata {
    pub title: Option<String>,
    /// The description of the stream.
    pub description: Option<String>,
    pub server_name: Option<String>,
    pub logo_url: Option<String>,
    /// A picture of the stream.
    pub thumbnail_url: Option<String>,
    /// The tags of the stream.
    pub tags: Option<Vec<String>>,
}

/// Another server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    pub id: i64,
    /// `scheme://host`.
    pub iri: String,
    /// Whether it announced itself, unasked. Never shown to viewers.
    pub is_unsolicited: bool,
    pub actor_iri: String,
    /// Its account's inbox, if known.
    pub inbox: Option<String>,
    /// The id of our Follow.
    pub follow_id: Option<String>,
    /// Our username at the time of the Follow: the server knows our Follow by no other.
    pub followed_as: Option<String>,
    pub profile: ServerProfile,
    pub follow_status: FollowStatus,
    /// Whether it is streaming.
    pub is_online: bool,
    pub stream_title: String,
    /// The description of the stream.
    pub stream_description: String,
    /// The tags of the stream.
    pub stream_tags: Vec<String>,
    /// A picture of the stream.
    pub thumbnail_url: Option<String>,
    /// The new account, if its account announced a move.
    pub moved_to: Option<String>,
    /// Sort order, lowest first.
    pub priority: i64,
    pub added_at: Timestamp,
    pub followed_at: Option<Timestamp>,
    /// When it accepted.
    pub accepted_at: Option<Timestamp>,
    /// When it rejected.
    pub rejected_at: Option<Timestamp>,
    /// When it last announced that it is live.
    pub last_seen_online: Option<Timestamp>,
    /// When it last announced any status.
    pub last_status_update: Option<Timestamp>,
}

/// A query for whole servers; a macro, because statements are static.
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, iri, is_unsolicited, actor_iri, inbox, follow_id, followed_as, username, name, display_name, summary, logo_url, ",
            "follow_status, is_online, stream_title, stream_description, stream_tags, thumbnail_url, moved_to, priority, ",
            "added_at, followed_at, accepted_at, rejected_at, last_seen_online, last_status_update ",
            "FROM federated_servers ",
            $rest
        )
    };
}
use columns;

impl FederationTables {
    /// The servers the operator wants, in display order: accepted ones first.
    pub async fn servers(&self) -> Result<Vec<Server>, StoreError> {
        let rows = sqlx::query(columns!(
            "WHERE is_unsolicited = 0 \
             ORDER BY CASE WHEN follow_status = 'accepted' THEN 0 ELSE 1 END, priority, id"
        ))
        .fetch_all(&self.store.readers)
        .await?;
        rows.iter().map(from_row).collect()
    }

    /// Servers that announced themselves, most recent first, and their total.
    pub async fn unsolicited_servers(
        &self,
        offset: u32,
        limit: u32,
    ) -> Result<(Vec<Server>, i64), StoreError> {
        let rows = sqlx::query(columns!(
            "WHERE is_unsolicited = 1 ORDER BY last_status_update DESC, id LIMIT $1 OFFSET $2"
        ))
        .bind(i64::from(limit))
        .bind(i64::from(offset))
        .fetch_all(&self.store.readers)
        .await?;
        let total =
            sqlx::query_scalar("SELECT COUNT(*) FROM federated_servers WHERE is_unsolicited = 1")
                .fetch_one(&self.store.readers)
                .await?;
        let servers = rows.iter().map(from_row).collect::<Result<_, _>>()?;
        Ok((servers, total))
    }

    /// The server with this number.
    pub async fn server(&self, id: i64) -> Result<Option<Server>, StoreError> {
        let row = sqlx::query(columns!("WHERE id = $1"))
            .bind(id)
            .fetch_optional(&self.store.readers)
            .await?;
        row.map(|row| from_row(&row)).transpose()
    }

    /// The server at `scheme://host`.
    pub async fn server_by_iri(&self, iri: &str) -> Result<Option<Server>, StoreError> {
        let row = sqlx::query(columns!("WHERE iri = $1"))
            .bind(iri)
            .fetch_optional(&self.store.readers)
            .await?;
        row.map(|row| from_row(&row)).transpose()
    }

    /// The server with this account.
    pub async fn server_by_actor(&self, actor: &str) -> Result<Option<Server>, StoreError> {
        let row = sqlx::query(columns!(
            "WHERE actor_iri = $1 ORDER BY is_unsolicited, id LIMIT 1"
        ))
        .bind(actor)
        .fetch_optional(&self.store.readers)
        .await?;
        row.map(|row| from_row(&row)).transpose()
    }

    /// The server we sent this Follow to.
    pub async fn server_by_follow(&self, follow_id: &str) -> Result<Option<Server>, StoreError> {
        let row = sqlx::query(columns!("WHERE follow_id = $1"))
            .bind(follow_id)
            .fetch_optional(&self.store.readers)
            .await?;
        row.map(|row| from_row(&row)).transpose()
    }
}

fn from_row(row: &AnyRow) -> Result<Server, StoreError> {
    let tags: String = row.try_get("stream_tags")?;
    Ok(Server {
        id: row.try_get("id")?,
        iri: row.try_get("iri")?,
        is_unsolicited: row.try_get::<i64, _>("is_unsolicited")? != 0,
        actor_iri: row.try_get("actor_iri")?,
        inbox: row.try_get("inbox")?,
        follow_id: row.try_get("follow_id")?,
        followed_as: row.try_get("followed_as")?,
        profile: ServerProfile {
            username: row.try_get("username")?,
            name: row.try_get("name")?,
            display_name: row.try_get("display_name")?,
            summary: row.try_get("summary")?,
            logo_url: row.try_get("logo_url")?,
        },
        follow_status: FollowStatus::parse(&row.try_get::<String, _>("follow_status")?)?,
        is_online: row.try_get::<i64, _>("is_online")? != 0,
        stream_title: row.try_get("stream_title")?,
        stream_description: row.try_get("stream_description")?,
        stream_tags: serde_json::from_str(&tags)
            .map_err(|error| StoreError::unreadable("tags of a server", error))?,
        thumbnail_url: row.try_get("thumbnail_url")?,
        moved_to: row.try_get("moved_to")?,
        priority: row.try_get("priority")?,
        added_at: time(row.try_get("added_at")?)?,
        followed_at: optional_time(row, "followed_at")?,
        accepted_at: optional_time(row, "accepted_at")?,
        rejected_at: optional_time(row, "rejected_at")?,
        last_seen_online: optional_time(row, "last_seen_online")?,
        last_status_update: optional_time(row, "last_status_update")?,
    })
}
