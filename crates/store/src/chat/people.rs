//! Chat users: tokens, names, bans, identities elsewhere.

use jiff::Timestamp;
use model::chat::{SERVER_NAME, looks_like, name_key};
use model::{Event, TokenId, UserId};
use sqlx::Row;

use crate::database::Store;
use crate::error::StoreError;
use crate::tokens::{self, Token};
use crate::users::{self, NewUser, User, UserKind, columns};
use crate::writer::Tx;

/// Users one page of a list has at most.
pub const MAX_PAGE: u32 = 500;

/// Which users a list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserFilter {
    /// Everybody.
    All,
    /// People who are not banned.
    Active,
    /// Bots, which belong to access tokens.
    Bots,
}

/// One page of the user list.
#[derive(Clone, Debug)]
pub struct UserPage {
    /// The length of the whole list.
    pub total: i64,
    /// The users on this page.
    pub users: Vec<User>,
}

/// The result of a rename.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenameResult {
    /// The user, now under that name.
    Done(Box<User>),
    /// The name belongs to a bot or a user who has signed in.
    Taken,
    /// There is no such user, or they are banned or muted.
    Refused,
}

/// The user that a proven identity belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachedIdentity {
    /// The user as they are now.
    pub user: User,
    /// The token that proved the identity.
    pub token: TokenId,
    /// The identity was already known: the token now belongs to that older user.
    pub is_other: bool,
}

impl Store {
    /// Stores a new user and their token. If the name belongs to a bot or a user who has signed in, `suffix` is added.
    pub async fn register_user(
        &self,
        user: NewUser,
        suffix: String,
        token: Token,
        secret_hash: Vec<u8>,
    ) -> Result<User, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let mut user = user;
                if is_taken(tx, &user.display_name, &user.id).await? {
                    user.display_name.push_str(&suffix);
                }
                let id = user.id.clone();
                users::insert(tx, user, token.created_at).await?;
                tokens::insert(tx, token, secret_hash).await?;
                users::by_id(tx, &id).await?.ok_or_else(|| gone(&id))
            })
        })
        .await
    }

    /// The token with this secret hash, and its user.
    pub async fn user_by_token(
        &self,
        secret_hash: &[u8],
    ) -> Result<Option<(Token, User)>, StoreError> {
        let Some(token) = self.token_by_hash(secret_hash).await? else {
            return Ok(None);
        };
        let user = self.user(&token.user_id).await?;
        Ok(user.map(|user| (token, user)))
    }

    /// Renames a user, unless the name is taken, and logs it.
    pub async fn take_name(
        &self,
        id: &UserId,
        name: String,
        client_id: u64,
        at: Timestamp,
    ) -> Result<RenameResult, StoreError> {
        let id = id.clone();
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let before = users::by_id(tx, &id).await?;
                let Some(before) = before.filter(|user| may_act(user, at)) else {
                    return Ok((RenameResult::Refused, vec![]));
                };
                if is_taken(tx, &name, &id).await? {
                    return Ok((RenameResult::Taken, vec![]));
                }
                users::rename(tx, &before, name, at).await?;
                let after = users::by_id(tx, &id).await?.ok_or_else(|| gone(&id))?;
                let event = Event::ChatUserRenamed {
                    user: after.public(),
                    old_name: before.display_name,
                    client_id,
                };
                Ok((RenameResult::Done(Box::new(after)), vec![event]))
            })
        })
        .await
    }

    /// Changes a user's colour; `None` if there is no such user, or they are banned or muted.
    pub async fn set_color(
        &self,
        id: &UserId,
        color: i64,
        at: Timestamp,
    ) -> Result<Option<User>, StoreError> {
        let id = id.clone();
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let user = users::by_id(tx, &id).await?;
                if user.filter(|user| may_act(user, at)).is_none() {
                    return Ok((None, vec![]));
                }
                sqlx::query("UPDATE users SET display_color = $1 WHERE id = $2")
                    .bind(color)
                    .bind(id.as_str())
                    .execute(&mut *tx)
                    .await?;
                let user = users::by_id(tx, &id).await?;
                Ok((user, vec![Event::ChatUserChanged { user: id }]))
            })
        })
        .await
    }

    /// Attaches a proven identity to the user of a token. If it already belongs to another user, the token becomes
    /// theirs. Nothing is written if the token is not this user's, or the user is gone.
    pub async fn attach_identity(
        &self,
        provider: &'static str,
        subject: String,
        user_id: &UserId,
        token_hash: Vec<u8>,
        at: Timestamp,
    ) -> Result<Option<AttachedIdentity>, StoreError> {
        let id = user_id.clone();
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let token = tokens::by_hash(tx, token_hash.clone()).await?;
                let Some(token) = token.filter(|token| token.user_id == id) else {
                    return Ok((None, vec![]));
                };
                let row = sqlx::query(
                    "SELECT user_id FROM identities WHERE provider = $1 AND subject = $2",
                )
                .bind(provider)
                .bind(subject.clone())
                .fetch_optional(&mut *tx)
                .await?;
                let known: Option<String> = row.map(|row| row.try_get(0)).transpose()?;
                let owner = match known {
                    Some(known) => UserId::parse(known)
                        .map_err(|error| StoreError::unreadable("user id", error))?,
                    None => {
                        sqlx::query(
                            "INSERT INTO identities (provider, subject, user_id, created_at) \
                             SELECT $1, $2, id, $3 FROM users WHERE id = $4",
                        )
                        .bind(provider)
                        .bind(subject)
                        .bind(at.as_millisecond())
                        .bind(id.as_str())
                        .execute(&mut *tx)
                        .await?;
                        id.clone()
                    }
                };
                sqlx::query(
                    "UPDATE users SET authenticated_at = $1 WHERE id = $2 AND authenticated_at IS NULL",
                )
                .bind(at.as_millisecond())
                .bind(owner.as_str())
                .execute(&mut *tx)
                .await?;
                if owner != id {
                    sqlx::query(
                        "UPDATE tokens SET user_id = $1 WHERE user_id = $2 AND secret_hash = $3",
                    )
                    .bind(owner.as_str())
                    .bind(id.as_str())
                    .bind(token_hash)
                    .execute(&mut *tx)
                    .await?;
                }
                let is_other = owner != id;
                let Some(user) = users::by_id(tx, &owner).await? else {
                    return Ok((None, vec![]));
                };
                let token = token.id;
                let event = match is_other {
                    true => Event::ChatTokenReidentified {
                        token: token.clone(),
                        name: user.display_name.clone(),
                    },
                    false => Event::ChatUserChanged { user: owner },
                };
                let attached = AttachedIdentity {
                    user,
                    token,
                    is_other,
                };
                Ok((Some(attached), vec![event]))
            })
        })
        .await
    }

    /// The providers of a user's identities.
    pub async fn providers_of(&self, id: &UserId) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query(
            "SELECT DISTINCT provider FROM identities WHERE user_id = $1 ORDER BY provider",
        )
        .bind(id.as_str())
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// Banned users, in the order of their bans.
    pub async fn banned_users(&self) -> Result<Vec<User>, StoreError> {
        let rows = sqlx::query(columns!(
            "FROM users WHERE disabled_at IS NOT NULL AND kind = 'STANDARD' ORDER BY disabled_at LIMIT 1000"
        ))
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(users::from_row).collect()
    }

    /// Moderators, by name.
    pub async fn moderators(&self) -> Result<Vec<User>, StoreError> {
        let rows = sqlx::query(columns!(
            "FROM users WHERE is_moderator = 1 ORDER BY display_name LIMIT 1000"
        ))
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(users::from_row).collect()
    }

    /// A part of the list of users whose names contain `search`, by the time they were first seen.
    pub async fn users_page(
        &self,
        filter: UserFilter,
        search: &str,
        is_oldest_first: bool,
        offset: u32,
        limit: u32,
    ) -> Result<UserPage, StoreError> {
        let pattern = pattern(search);
        let filter = match filter {
            UserFilter::All => "all",
            UserFilter::Active => "active",
            UserFilter::Bots => "bots",
        };
        let count = sqlx::query(
            "SELECT COUNT(*) FROM users WHERE LOWER(display_name) LIKE $1 ESCAPE '!' \
             AND ($2 = 'all' OR ($2 = 'bots' AND kind = 'API') \
             OR ($2 = 'active' AND kind = 'STANDARD' AND disabled_at IS NULL))",
        )
        .bind(pattern.clone())
        .bind(filter)
        .fetch_one(&self.readers)
        .await?;
        let sql = if is_oldest_first {
            columns!(
                "FROM users WHERE LOWER(display_name) LIKE $1 ESCAPE '!' \
                 AND ($2 = 'all' OR ($2 = 'bots' AND kind = 'API') \
                 OR ($2 = 'active' AND kind = 'STANDARD' AND disabled_at IS NULL)) \
                 ORDER BY created_at, id LIMIT $3 OFFSET $4"
            )
        } else {
            columns!(
                "FROM users WHERE LOWER(display_name) LIKE $1 ESCAPE '!' \
                 AND ($2 = 'all' OR ($2 = 'bots' AND kind = 'API') \
                 OR ($2 = 'active' AND kind = 'STANDARD' AND disabled_at IS NULL)) \
                 ORDER BY created_at DESC, id LIMIT $3 OFFSET $4"
            )
        };
        let rows = sqlx::query(sql)
            .bind(pattern)
            .bind(filter)
            .bind(i64::from(limit.min(MAX_PAGE)))
            .bind(i64::from(offset))
            .fetch_all(&self.readers)
            .await?;
        Ok(UserPage {
            total: count.try_get(0)?,
            users: rows.iter().map(users::from_row).collect::<Result<_, _>>()?,
        })
    }

    /// Deletes users who were here before `before`, not since, and never wrote anything; returns how many.
    pub async fn prune_silent_users(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let done = sqlx::query(
                    "DELETE FROM users WHERE created_at < $1 AND kind = 'STANDARD' AND spoke_at IS NULL \
                     AND authenticated_at IS NULL AND disabled_at IS NULL AND is_moderator = 0 \
                     AND id NOT IN (SELECT user_id FROM messages WHERE user_id IS NOT NULL) \
                     AND id NOT IN (SELECT user_id FROM tokens WHERE last_used_at >= $1)",
                )
                .bind(before.as_millisecond())
                .execute(tx)
                .await?;
                Ok(done.rows_affected())
            })
        })
        .await
    }

    /// Deletes users who registered before `before` and never joined: programs that only create accounts. Returns how
    /// many.
    pub async fn prune_unused_users(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let done = sqlx::query(
                    "DELETE FROM users WHERE created_at < $1 AND kind = 'STANDARD' AND spoke_at IS NULL \
                     AND authenticated_at IS NULL AND disabled_at IS NULL AND is_moderator = 0 \
                     AND id IN (SELECT user_id FROM tokens WHERE last_used_at IS NULL) \
                     AND id NOT IN (SELECT user_id FROM tokens WHERE last_used_at IS NOT NULL) \
                     AND id NOT IN (SELECT user_id FROM messages WHERE user_id IS NOT NULL) \
                     AND id NOT IN (SELECT user_id FROM identities)",
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

fn may_act(user: &User, at: Timestamp) -> bool {
    user.disabled_at.is_none() && user.muted_until.is_none_or(|until| until <= at)
}

fn gone(id: &UserId) -> StoreError {
    StoreError::Unavailable(format!("user {id} is gone"))
}

/// A LIKE pattern for anything that contains `search`, whose special characters are escaped.
pub(crate) fn pattern(search: &str) -> String {
    let mut pattern = String::from("%");
    for sign in search.to_lowercase().chars() {
        if matches!(sign, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(sign);
    }
    pattern.push('%');
    pattern
}

pub(crate) async fn is_taken(tx: &mut Tx, name: &str, by: &UserId) -> Result<bool, StoreError> {
    let row = sqlx::query(
        "SELECT COUNT(*) FROM users WHERE name_key = $1 AND id <> $2 \
         AND (authenticated_at IS NOT NULL OR (kind = $3 AND id IN (SELECT user_id FROM tokens)))",
    )
    .bind(name_key(name))
    .bind(by.as_str())
    .bind(UserKind::Api.as_str())
    .fetch_one(&mut *tx)
    .await?;
    let count: i64 = row.try_get(0)?;
    Ok(count > 0 || is_trusted(tx, name, by).await?)
}

/// Whether readers would take a name for the server's or a moderator's, even one who has not signed in.
async fn is_trusted(tx: &mut Tx, name: &str, by: &UserId) -> Result<bool, StoreError> {
    if looks_like(name, SERVER_NAME) {
        return Ok(true);
    }
    let rows = sqlx::query("SELECT display_name FROM users WHERE is_moderator = 1 AND id <> $1")
        .bind(by.as_str())
        .fetch_all(tx)
        .await?;
    for row in rows {
        let moderator: String = row.try_get(0)?;
        if looks_like(name, &moderator) {
            return Ok(true);
        }
    }
    Ok(false)
}
