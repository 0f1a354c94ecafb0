//! Who follows the stream: the words. What changes them is in [`changes`], what reads them in [`lists`], and what tells
//! that one is gone in [`leaving`].

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

/// How far a follower has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowerState {
    /// The operator has yet to decide.
    Pending,
    /// Gets what is published.
    Accepted,
    /// The operator wants nothing from them.
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

/// What a follower says of itself. Addresses are at most 2,048 bytes long and on the host of the actor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowerProfile {
    /// Where it gets what is for it alone.
    pub inbox: String,
    /// Where its server gets what is for many.
    pub shared_inbox: Option<String>,
    /// The user part of the handle.
    pub username: String,
    /// `@alice@remote.example`.
    pub handle: String,
    /// As they call themselves.
    pub name: String,
    /// Their page.
    pub url: Option<String>,
    /// Their picture.
    pub image: Option<String>,
}

/// Somebody who wants to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFollower {
    pub iri: String,
    /// What they say of themselves.
    pub profile: FollowerProfile,
    /// The id of their Follow.
    pub follow_id: String,
    /// Their Follow, as it is embedded in the answer.
    pub follow_json: String,
    /// A directory: it wants pings, not posts.
    pub is_directory: bool,
}

/// Somebody who follows, wants to, or is blocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Follower {
    pub iri: String,
    /// What they say of themselves.
    pub profile: FollowerProfile,
    /// The id of their Follow.
    pub follow_id: String,
    /// Their Follow, as it is embedded in the answer.
    pub follow_json: String,
    /// A directory: it wants pings, not posts.
    pub is_directory: bool,
    /// How far they have come.
    pub state: FollowerState,
    /// When they asked first.
    pub created_at: Timestamp,
    /// Accepted since.
    pub approved_at: Option<Timestamp>,
    /// Blocked since.
    pub disabled_at: Option<Timestamp>,
    /// When somebody last looked whether they are still there.
    pub validated_at: Timestamp,
    /// Not found since.
    pub first_failure_at: Option<Timestamp>,
}

/// What became of a Follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowResult {
    New,
    /// They were there and in this state, which stays; the Follow is the new one.
    Known(FollowerState),
    /// They are blocked: nothing is sent and nothing told.
    Blocked,
    /// They have undone this very Follow before it came: nothing is sent and nothing told.
    Undone,
}

/// Which followers are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowerFilter {
    /// Accepted, without directories.
    Accepted,
    /// Waiting for the operator, without directories.
    Pending,
    /// Blocked, directories too.
    Blocked,
    /// Directories that were accepted.
    Directories,
    /// Directories that wait for the operator.
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
