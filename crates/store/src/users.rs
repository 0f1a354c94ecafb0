//! Chat users, both people and bots.

use jiff::Timestamp;
use model::UserId;
use model::chat::{ChatUser, name_key};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::error::StoreError;
use crate::writer::Tx;

/// Former names that are remembered.
const MAX_NAMES: usize = 20;

/// A person in the chat, or the bot of an access token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserKind {
    Standard,
    Api,
}

impl UserKind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            UserKind::Standard => "STANDARD",
            UserKind::Api => "API",
        }
    }
}

/// A user to be stored.
#[derive(Clone, Debug)]
pub struct NewUser {
    /// Chosen by the caller.
    pub id: UserId,
    /// Person or bot.
    pub kind: UserKind,
    /// As shown.
    pub display_name: String,
    /// 0 to 7.
    pub display_color: i64,
}

/// A stored user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    /// Person or bot.
    pub kind: UserKind,
    /// As shown.
    pub display_name: String,
    /// 0 to 7.
    pub display_color: i64,
    /// Former names, oldest first, the present one last.
    pub previous_names: Vec<String>,
    /// First seen.
    pub created_at: Timestamp,
    /// Last rename.
    pub name_changed_at: Option<Timestamp>,
    /// When they signed in with another identity.
    pub authenticated_at: Option<Timestamp>,
    /// When they were banned.
    pub disabled_at: Option<Timestamp>,
    /// Whether they may moderate.
    pub is_moderator: bool,
    /// Until when they are muted.
    pub muted_until: Option<Timestamp>,
    /// What the moderator wrote about that.
    pub muted_reason: Option<String>,
    /// What the moderator wrote about the ban.
    pub disabled_reason: Option<String>,
    /// When the ban is over; one without an end never is.
    pub disabled_until: Option<Timestamp>,
    /// When they first wrote.
    pub spoke_at: Option<Timestamp>,
}

impl User {
    /// Whether they are banned, and the ban is not over.
    pub fn is_banned(&self, now: Timestamp) -> bool {
        self.disabled_at.is_some() && self.disabled_until.is_none_or(|until| until > now)
    }

    /// The public view of a user.
    pub fn public(&self) -> ChatUser {
        ChatUser {
            id: self.id.clone(),
            display_name: self.display_name.clone(),
            display_color: self.display_color,
            created_at: self.created_at,
            previous_names: self.previous_names.clone(),
            name_changed_at: self.name_changed_at,
            is_bot: self.kind == UserKind::Api,
            is_authenticated: self.authenticated_at.is_some(),
            is_moderator: self.is_moderator,
        }
    }
}

/// A query for whole users; a macro, because statements are static.
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, kind, display_name, display_color, previous_names, created_at, name_changed_at, ",
            "authenticated_at, disabled_at, is_moderator, muted_until, spoke_at, muted_reason, disabled_reason, ",
            "disabled_until ",
            $rest
        )
    };
}
pub(crate) use columns;

impl Store {
    /// Stores a new user.
    pub async fn add_user(&self, user: NewUser, at: Timestamp) -> Result<(), StoreError> {
        self.write(move |tx| Box::pin(insert(tx, user, at))).await
    }

    /// The user with this id.
    pub async fn user(&self, id: &UserId) -> Result<Option<User>, StoreError> {
        let row = sqlx::query(columns!("FROM users WHERE id = $1"))
            .bind(id.as_str())
            .fetch_optional(&self.readers)
            .await?;
        row.map(|row| from_row(&row)).transpose()
    }
}

pub(crate) async fn insert(tx: &mut Tx, user: NewUser, at: Timestamp) -> Result<(), StoreError> {
    let names = names_to_json(std::slice::from_ref(&user.display_name))?;
    sqlx::query(
        "INSERT INTO users (id, kind, display_name, name_key, display_color, previous_names, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(user.id.as_str())
    .bind(user.kind.as_str())
    .bind(user.display_name.clone())
    .bind(name_key(&user.display_name))
    .bind(user.display_color)
    .bind(names)
    .bind(at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}

pub(crate) async fn by_id(tx: &mut Tx, id: &UserId) -> Result<Option<User>, StoreError> {
    let row = sqlx::query(columns!("FROM users WHERE id = $1"))
        .bind(id.as_str())
        .fetch_optional(tx)
        .await?;
    row.map(|row| from_row(&row)).transpose()
}

/// Renames `user` and remembers the former names.
pub(crate) async fn rename(
    tx: &mut Tx,
    user: &User,
    name: String,
    at: Timestamp,
) -> Result<(), StoreError> {
    let mut names = user.previous_names.clone();
    names.push(name.clone());
    // The oldest go: a user who renames often must not make every list heavy.
    let surplus = names.len().saturating_sub(MAX_NAMES);
    names.drain(..surplus);
    sqlx::query("UPDATE users SET display_name = $1, name_key = $2, previous_names = $3, name_changed_at = $4 WHERE id = $5")
        .bind(name.clone())
        .bind(name_key(&name))
        .bind(names_to_json(&names)?)
        .bind(at.as_millisecond())
        .bind(user.id.as_str())
        .execute(tx)
        .await?;
    Ok(())
}

fn names_to_json(names: &[String]) -> Result<String, StoreError> {
    serde_json::to_string(names).map_err(|error| StoreError::unreadable("user names", error))
}

fn names_from_json(json: &str) -> Result<Vec<String>, StoreError> {
    serde_json::from_str(json).map_err(|error| StoreError::unreadable("user names", error))
}

pub(crate) fn from_row(row: &AnyRow) -> Result<User, StoreError> {
    let kind: String = row.try_get("kind")?;
    let created_at: i64 = row.try_get("created_at")?;
    Ok(User {
        id: UserId::parse(row.try_get::<String, _>("id")?)
            .map_err(|error| StoreError::unreadable("user id", error))?,
        kind: if kind == UserKind::Api.as_str() {
            UserKind::Api
        } else {
            UserKind::Standard
        },
        display_name: row.try_get("display_name")?,
        display_color: row.try_get("display_color")?,
        previous_names: names_from_json(&row.try_get::<String, _>("previous_names")?)?,
        created_at: time(created_at)?,
        name_changed_at: optional_time(row, "name_changed_at")?,
        authenticated_at: optional_time(row, "authenticated_at")?,
        disabled_at: optional_time(row, "disabled_at")?,
        is_moderator: row.try_get::<i64, _>("is_moderator")? != 0,
        muted_until: optional_time(row, "muted_until")?,
        spoke_at: optional_time(row, "spoke_at")?,
        muted_reason: row.try_get("muted_reason")?,
        disabled_reason: row.try_get("disabled_reason")?,
        disabled_until: optional_time(row, "disabled_until")?,
    })
}

pub(crate) fn time(millis: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_millisecond(millis).map_err(|error| StoreError::unreadable("time", error))
}

pub(crate) fn optional_time(row: &AnyRow, column: &str) -> Result<Option<Timestamp>, StoreError> {
    row.try_get::<Option<i64>, _>(column)?.map(time).transpose()
}
