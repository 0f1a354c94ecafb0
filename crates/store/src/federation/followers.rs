//! Followers of the stream: their types. [`changes`] modifies them, [`lists`] reads them, and [`leaving`] removes them.

mod changes;
mod leaving;
mod lists;

pub use leaving::{MAX_BLOCKED_BY, UndoResult};
pub(super) use leaving::{remove_host, remove_with_inbox};
pub(super) use lists::note_heard;
pub use lists::{FollowerAbsence, ValidationResult};

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::users::{optional_time, time};
use crate::writer::Tx;

/// The state of a follower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowerState {
    /// Waits for the operator's decision.
    Pending,
    /// Gets what is published.
    Accepted,
    /// Blocked by the operator.
    Blocked,
}

impl FollowerState {
    /// As stored and as the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            FollowerState::Pending => "pending",
            FollowerState::Accepted => "accepted",
            FollowerState::Blocked => "blocked",
        }
    }

    fn parse(text: &str) -> Result<Self, StoreError> {
        match text {
            "pending" => Ok(FollowerState::Pending),
            "accepted" => Ok(FollowerState::Accepted),
            "blocked" => Ok(FollowerState::Blocked),
            other => Err(StoreError::unreadable("state of a follower", other)),
        }
    }
}

/// A follower's profile. Addresses are at most 2,048 bytes long and on the actor's host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowerProfile {
    /// The actor's own inbox.
    pub inbox: String,
    /// The server's shared inbox.
    pub shared_inbox: Option<String>,
    /// The user name in the handle.
    pub username: String,
    /// `@alice@remote.example`.
    pub handle: String,
    /// The display name.
    pub name: String,
    /// Their profile page.
    pub url: Option<String>,
    /// Their avatar.
    pub image: Option<String>,
}

/// An actor who wants to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFollower {
    pub iri: String,
    pub profile: FollowerProfile,
    /// The id of their Follow.
    pub follow_id: String,
    /// Their Follow, in the form embedded in the answer.
    pub follow_json: String,
    /// Whether it is a directory, which wants pings, not posts.
    pub is_directory: bool,
}

/// An actor who follows, wants to, or is blocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Follower {
    pub iri: String,
    pub profile: FollowerProfile,
    /// The id of their Follow.
    pub follow_id: String,
    /// Their Follow, in the form embedded in the answer.
    pub follow_json: String,
    /// Whether it is a directory, which wants pings, not posts.
    pub is_directory: bool,
    pub state: FollowerState,
    /// When they first asked.
    pub created_at: Timestamp,
    /// When they were accepted.
    pub approved_at: Option<Timestamp>,
    /// When they were blocked.
    pub disabled_at: Option<Timestamp>,
    /// When their account was last checked.
    pub validated_at: Timestamp,
    /// Since when it has not been found.
    pub first_failure_at: Option<Timestamp>,
}

/// The result of a Follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowResult {
    New,
    /// They were already stored in this state, which stays; the Follow is replaced.
    Known(FollowerState),
    /// They are blocked: nothing is sent or logged.
    Blocked,
    /// Their Undo of this Follow came first: nothing is sent or logged.
    Undone,
}

/// Which followers to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowerFilter {
    /// Accepted, without directories.
    Accepted,
    /// Pending, without directories.
    Pending,
    /// Blocked, including directories.
    Blocked,
    /// Accepted directories.
    Directories,
    /// Pending directories.
    FeatureRequests,
}

/// A query for whole followers; a macro, because statements are static.
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT iri, inbox, shared_inbox, username, handle, name, url, image, follow_id, follow_json, is_directory, ",
            "state, created_at, approved_at, disabled_at, validated_at, first_failure_at FROM ap_followers ",
            $rest
        )
    };
}
use columns;

/// The state of the follower with this address, if there is one.
async fn state_of(tx: &mut Tx, iri: &str) -> Result<Option<FollowerState>, StoreError> {
    let row = sqlx::query("SELECT state FROM ap_followers WHERE iri = $1")
        .bind(iri.to_owned())
        .fetch_optional(tx)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let state: String = row.try_get(0)?;
    FollowerState::parse(&state).map(Some)
}

fn from_row(row: &AnyRow) -> Result<Follower, StoreError> {
    Ok(Follower {
        iri: row.try_get("iri")?,
        profile: FollowerProfile {
            inbox: row.try_get("inbox")?,
            shared_inbox: row.try_get("shared_inbox")?,
            username: row.try_get("username")?,
            handle: row.try_get("handle")?,
            name: row.try_get("name")?,
            url: row.try_get("url")?,
            image: row.try_get("image")?,
        },
        follow_id: row.try_get("follow_id")?,
        follow_json: row.try_get("follow_json")?,
        is_directory: row.try_get::<i64, _>("is_directory")? != 0,
        state: FollowerState::parse(&row.try_get::<String, _>("state")?)?,
        created_at: time(row.try_get("created_at")?)?,
        approved_at: optional_time(row, "approved_at")?,
        disabled_at: optional_time(row, "disabled_at")?,
        validated_at: time(row.try_get("validated_at")?)?,
        first_failure_at: optional_time(row, "first_failure_at")?,
    })
}
