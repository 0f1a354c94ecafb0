//! Chat users, people and bots alike.

use jiff::Timestamp;
use model::UserId;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::error::StoreError;

/// A person in the chat, or the identity of an access token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserKind {
    /// A person.
    Standard,
    /// A bot.
    Api,
}

impl UserKind {
    fn as_str(self) -> &'static str {
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
    /// Who.
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
    /// Signed in with another identity since.
    pub authenticated_at: Option<Timestamp>,
    /// Banned since.
    pub disabled_at: Option<Timestamp>,
    /// May moderate.
    pub is_moderator: bool,
}

impl Store {
    /// Stores a new user.
    pub async fn add_user(&self, user: NewUser, at: Timestamp) -> Result<(), StoreError> {
        let names = names_to_json(std::slice::from_ref(&user.display_name))?;
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "INSERT INTO users (id, kind, display_name, display_color, previous_names, created_at) \
                     VALUES ($1, $2, $3, $4, $5, $6)",
                )
                .bind(user.id.as_str())
                .bind(user.kind.as_str())
                .bind(user.display_name)
                .bind(user.display_color)
                .bind(names)
                .bind(at.as_millisecond())
                .execute(tx)
                .await?;
                Ok(())
            })
        })
        .await
    }

    /// The user with this id.
    pub async fn user(&self, id: &UserId) -> Result<Option<User>, StoreError> {
        let row = sqlx::query(
            "SELECT id, kind, display_name, display_color, previous_names, created_at, name_changed_at, \
             authenticated_at, disabled_at, is_moderator FROM users WHERE id = $1",
        )
        .bind(id.as_str())
        .fetch_optional(&self.readers)
        .await?;
        row.map(|row| from_row(&row)).transpose()
    }

    /// Gives a user another name and remembers the former one; false when there is no such user.
    pub async fn rename_user(
        &self,
        id: &UserId,
        name: String,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let id = id.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let row = sqlx::query("SELECT previous_names FROM users WHERE id = $1")
                    .bind(id.as_str())
                    .fetch_optional(&mut *tx)
                    .await?;
                let Some(row) = row else { return Ok(false) };
                let mut names = names_from_json(&row.try_get::<String, _>(0)?)?;
                names.push(name.clone());
                sqlx::query("UPDATE users SET display_name = $1, previous_names = $2, name_changed_at = $3 WHERE id = $4")
                    .bind(name)
                    .bind(names_to_json(&names)?)
                    .bind(at.as_millisecond())
                    .bind(id.as_str())
                    .execute(tx)
                    .await?;
                Ok(true)
            })
        })
        .await
    }

    /// Bans (`Some`) or readmits (`None`) a user; false when there is no such user.
    pub async fn set_user_disabled(
        &self,
        id: &UserId,
        since: Option<Timestamp>,
    ) -> Result<bool, StoreError> {
        let id = id.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let done = sqlx::query("UPDATE users SET disabled_at = $1 WHERE id = $2")
                    .bind(since.map(Timestamp::as_millisecond))
                    .bind(id.as_str())
                    .execute(tx)
                    .await?;
                Ok(done.rows_affected() == 1)
            })
        })
        .await
    }
}

fn names_to_json(names: &[String]) -> Result<String, StoreError> {
    serde_json::to_string(names).map_err(|error| StoreError::unreadable("user names", error))
}

fn names_from_json(json: &str) -> Result<Vec<String>, StoreError> {
    serde_json::from_str(json).map_err(|error| StoreError::unreadable("user names", error))
}

fn from_row(row: &AnyRow) -> Result<User, StoreError> {
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
    })
}

pub(crate) fn time(millis: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_millisecond(millis).map_err(|error| StoreError::unreadable("time", error))
}

pub(crate) fn optional_time(row: &AnyRow, column: &str) -> Result<Option<Timestamp>, StoreError> {
    row.try_get::<Option<i64>, _>(column)?.map(time).transpose()
}
