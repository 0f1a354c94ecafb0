//! What can be done to a chat user: ban, mute, trust, delete.

use jiff::Timestamp;
use model::{Event, MessageId, UserId};
use sqlx::Row;

use super::bans::{self, AddressBan};
use super::log::{Action, Actor, ModerationTarget, moderator, note};
use super::pins::unpin_hidden;
use crate::database::Store;
use crate::error::StoreError;
use crate::users::{self, User};
use crate::writer::Tx;

impl Store {
    /// Bans a user: their lines are hidden, new ones are refused, and `addresses` are banned. Returns the lines that
    /// were hidden; `None` if there is no such user.
    pub async fn ban_user(
        &self,
        id: &UserId,
        addresses: Vec<AddressBan>,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Option<(User, Vec<MessageId>)>, StoreError> {
        let id = id.clone();
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                sqlx::query("UPDATE users SET disabled_at = $1 WHERE id = $2")
                    .bind(at.as_millisecond())
                    .bind(id.as_str())
                    .execute(&mut *tx)
                    .await?;
                let Some(user) = users::by_id(tx, &id).await? else {
                    return Ok((None, vec![]));
                };
                let ids = hide_all(tx, &id, at).await?;
                for ban in &addresses {
                    bans::insert(tx, ban).await?;
                }
                note(tx, at, &actor, Action::Ban, target(&user)).await?;
                let event = Event::ChatVisibilityChanged {
                    ids: ids.clone(),
                    visible: false,
                    moderator: moderator(tx, &actor).await?,
                };
                let events = if ids.is_empty() { vec![] } else { vec![event] };
                Ok((Some((user, ids)), events))
            })
        })
        .await
    }

    /// Unbans a user; hidden lines stay hidden. `None` if there is no such user.
    pub async fn unban_user(
        &self,
        id: &UserId,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Option<User>, StoreError> {
        self.change_user(id, actor, Action::Unban, at, |tx, id| {
            Box::pin(async move {
                sqlx::query("UPDATE users SET disabled_at = NULL WHERE id = $1")
                    .bind(id.as_str())
                    .execute(tx)
                    .await?;
                Ok(String::new())
            })
        })
        .await
    }

    /// Mutes a user until a given time, or unmutes them. `None` if there is no such user.
    pub async fn mute_user(
        &self,
        id: &UserId,
        until: Option<Timestamp>,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Option<User>, StoreError> {
        let action = match until {
            Some(_) => Action::Timeout,
            None => Action::Untimeout,
        };
        self.change_user(id, actor, action, at, move |tx, id| {
            Box::pin(async move {
                sqlx::query("UPDATE users SET muted_until = $1 WHERE id = $2")
                    .bind(until.map(Timestamp::as_millisecond))
                    .bind(id.as_str())
                    .execute(tx)
                    .await?;
                Ok(until.map(|until| until.to_string()).unwrap_or_default())
            })
        })
        .await
    }

    /// Makes a user a moderator, or no longer one. `None` if there is no such user.
    pub async fn set_moderator(
        &self,
        id: &UserId,
        is_moderator: bool,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Option<User>, StoreError> {
        let action = if is_moderator {
            Action::Moderator
        } else {
            Action::Unmoderator
        };
        self.change_user(id, actor, action, at, move |tx, id| {
            Box::pin(async move {
                sqlx::query("UPDATE users SET is_moderator = $1 WHERE id = $2")
                    .bind(i64::from(is_moderator))
                    .bind(id.as_str())
                    .execute(tx)
                    .await?;
                Ok(String::new())
            })
        })
        .await
    }

    /// Deletes a user: their row, tokens, identities and lines. Returns the lines; `None` if there is no such user.
    pub async fn delete_user(
        &self,
        id: &UserId,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Option<Vec<MessageId>>, StoreError> {
        let id = id.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let Some(user) = users::by_id(tx, &id).await? else {
                    return Ok(None);
                };
                let ids = hide_all(tx, &id, at).await?;
                sqlx::query("DELETE FROM users WHERE id = $1")
                    .bind(id.as_str())
                    .execute(&mut *tx)
                    .await?;
                note(tx, at, &actor, Action::DeleteUser, target(&user)).await?;
                Ok(Some(ids))
            })
        })
        .await
    }

    async fn change_user<F>(
        &self,
        id: &UserId,
        actor: Actor,
        action: Action,
        at: Timestamp,
        change: F,
    ) -> Result<Option<User>, StoreError>
    where
        F: for<'c> FnOnce(
                &'c mut Tx,
                UserId,
            )
                -> futures_util::future::BoxFuture<'c, Result<String, StoreError>>
            + Send
            + 'static,
    {
        let id = id.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let detail = change(tx, id.clone()).await?;
                let Some(user) = users::by_id(tx, &id).await? else {
                    return Ok(None);
                };
                let about = ModerationTarget {
                    detail,
                    ..target(&user)
                };
                note(tx, at, &actor, action, about).await?;
                Ok(Some(user))
            })
        })
        .await
    }
}

fn target(user: &User) -> ModerationTarget {
    ModerationTarget {
        id: user.id.to_string(),
        name: user.display_name.clone(),
        detail: String::new(),
    }
}

/// Hides all lines of a user; returns those that were visible until now.
async fn hide_all(tx: &mut Tx, id: &UserId, at: Timestamp) -> Result<Vec<MessageId>, StoreError> {
    let rows = sqlx::query(
        "SELECT id FROM messages WHERE user_id = $1 AND hidden_at IS NULL AND is_held = 0 ORDER BY seq",
    )
    .bind(id.as_str())
    .fetch_all(&mut *tx)
    .await?;
    sqlx::query("UPDATE messages SET hidden_at = $1 WHERE user_id = $2 AND hidden_at IS NULL")
        .bind(at.as_millisecond())
        .bind(id.as_str())
        .execute(&mut *tx)
        .await?;
    sqlx::query(
        "UPDATE messages SET reply = NULL WHERE reply_id IN (SELECT id FROM messages WHERE user_id = $1)",
    )
    .bind(id.as_str())
    .execute(&mut *tx)
    .await?;
    unpin_hidden(tx).await?;
    rows.iter()
        .map(|row| {
            MessageId::parse(row.try_get::<String, _>(0)?)
                .map_err(|error| StoreError::unreadable("message id", error))
        })
        .collect()
}
