//! Other servers: those the operator shows beside the stream, and those that told us of themselves. The words; what
//! changes them is in [`changes`] and [`status`].

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

/// What a server answered to our follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowStatus {
    /// We never asked.
    None,
    /// Nothing yet.
    Pending,
    /// Yes.
    Accepted,
    /// No, perhaps after a yes.
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

/// What a server's account says of itself; texts are clamped and plain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerProfile {
    /// The user part of its handle.
    pub username: String,
    /// As the account calls itself.
    pub name: String,
    /// As it is shown.
    pub display_name: String,
    /// What it is about.
    pub summary: String,
    pub logo_url: Option<String>,
}

/// A server to be shown beside the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewServer {
    /// `scheme://host`, as the operator typed it.
    pub iri: String,
    pub actor_iri: String,
    /// Where its account gets mail.
    pub inbox: String,
    /// The id of our Follow.
    pub follow_id: String,
    /// The name we had when we asked.
    pub followed_as: String,
    /// What it says of itself.
    pub profile: ServerProfile,
}

/// What a ping says; texts are clamped and plain. What is `None` was not said and stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamMetadata {
    pub title: Option<String>,
    /// What the stream is about.
    pub description: Option<String>,
    pub server_name: Option<String>,
    pub logo_url: Option<String>,
    /// A picture of the stream.
    pub thumbnail_url: Option<String>,
    /// What it is filed under.
    pub tags: Option<Vec<String>>,
}

/// Another server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    pub id: i64,
    /// `scheme://host`.
    pub iri: String,
    /// It told us of itself; nobody asked. Never shown to viewers.
    pub is_unsolicited: bool,
    pub actor_iri: String,
    /// Where its account gets mail, if we know.
    pub inbox: Option<String>,
    /// The id of our Follow.
    pub follow_id: Option<String>,
    /// The name we had when we asked: they know our Follow by no other.
    pub followed_as: Option<String>,
    /// What it says of itself.
    pub profile: ServerProfile,
    pub follow_status: FollowStatus,
    /// It streams.
    pub is_online: bool,
    pub stream_title: String,
    /// What the stream is about.
    pub stream_description: String,
    /// What it is filed under.
    pub stream_tags: Vec<String>,
    /// A picture of the stream.
    pub thumbnail_url: Option<String>,
    /// Its account says that it is now this one.
    pub moved_to: Option<String>,
    /// Smaller comes first.
    pub priority: i64,
    /// When the row was made.
    pub added_at: Timestamp,
    pub followed_at: Option<Timestamp>,
    /// When it said yes.
    pub accepted_at: Option<Timestamp>,
    /// When it said no.
    pub rejected_at: Option<Timestamp>,
    /// When it last said that it streams.
    pub last_seen_online: Option<Timestamp>,
    /// When it last said anything about that.
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
    /// The servers the operator wants, in the order they are shown: those that said yes first.
    pub async fn servers(&self) -> Result<Vec<Server>, StoreError> {
        let rows = sqlx::query(columns!(
            "WHERE is_unsolicited = 0 \
             ORDER BY CASE WHEN follow_status = 'accepted' THEN 0 ELSE 1 END, priority, id"
        ))
        .fetch_all(&self.store.readers)
        .await?;
        rows.iter().map(from_row).collect()
    }

    /// Servers that told us of themselves, the last one first, and how many there are.
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

    /// The server we asked with this Follow.
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
