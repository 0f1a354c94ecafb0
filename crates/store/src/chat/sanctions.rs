//! What can be done to a chat user: ban, mute, trust, delete.

use jiff::Timestamp;
use model::{Event, MessageId, UserId};
use sqlx::Row;

use super::bans::{self, AddressBan};
use super::hiding::unpin_hidden;
use super::log::{Action, Actor, ModerationTarget, moderator, note};
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
        self.ban_user_because(id, addresses, None, actor, at).await
    }

    /// The same, with a reason for the user and the log.
    pub async fn ban_user_because(
        &self,
        id: &UserId,
        addresses: Vec<AddressBan>,
        reason: Option<String>,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Option<(User, Vec<MessageId>)>, StoreError> {
        self.ban_user_until(id, addresses, None, reason, actor, at)
            .await
    }

    /// The same, with an end.
    pub async fn ban_user_until(
        &self,
        id: &UserId,
        addresses: Vec<AddressBan>,
        until: Option<Timestamp>,
        reason: Option<String>,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Option<(User, Vec<MessageId>)>, StoreError> {
        let id = id.clone();
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                bans::adopt_old(tx, &id).await?;
                sqlx::query(
                    "UPDATE users SET disabled_at = $1, disabled_reason = $2, disabled_until = $3 WHERE id = $4",
                )
                .bind(at.as_millisecond())
                .bind(reason.clone())
                .bind(until.map(Timestamp::as_millisecond))
                .bind(id.as_str())
                .execute(&mut *tx)
                .await?;
                let Some(user) = users::by_id(tx, &id).await? else {
                    return Ok((None, vec![]));
                };
                let ids = hide_all(tx, &id, at).await?;
                // Whoever is banned already is not here: their addresses stay banned as long as they are.
                bans::reschedule(tx, &id, until).await?;
                for ban in &addresses {
                    bans::insert(tx, ban).await?;
                }
                let about = ModerationTarget {
                    detail: until.map(|until| until.to_string()).unwrap_or_default(),
                    reason: reason.unwrap_or_default(),
                    ..target(&user)
                };
                note(tx, at, &actor, Action::Ban, about).await?;
                let mut events = vec![Event::ChatUserRemoved {
                    user: id,
                    ids: vec![],
                }];
                if !ids.is_empty() {
                    events.push(Event::ChatVisibilityChanged {
                        ids: ids.clone(),
                        visible: false,
                        moderator: moderator(tx, &actor).await?,
                    });
                }
                Ok((Some((user, ids)), events))
            })
        })
        .await
    }

    /// Unbans a user, and the addresses that were banned with them; hidden lines stay hidden. `None` if there is no such
    /// user.
    pub async fn unban_user(
        &self,
        id: &UserId,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Option<User>, StoreError> {
        self.change_user(id, actor, Action::Unban, at, |tx, id| {
            Box::pin(async move {
                bans::adopt_old(tx, &id).await?;
                sqlx::query(
                    "UPDATE users SET disabled_at = NULL, disabled_reason = NULL, disabled_until = NULL \
                     WHERE id = $1",
                )
                .bind(id.as_str())
                .execute(&mut *tx)
                .await?;
                bans::lift_of(tx, &id).await?;
                Ok(ChangeNote::default())
            })
        })
        .await
    }

    /// Lifts the bans that are over; returns whose.
    pub async fn lift_ended_bans(&self, now: Timestamp) -> Result<Vec<User>, StoreError> {
        let row = sqlx::query(
            "SELECT (SELECT COUNT(*) FROM users WHERE disabled_until <= $1) \
             + (SELECT COUNT(*) FROM address_bans WHERE expires_at <= $1)",
        )
        .bind(now.as_millisecond())
        .fetch_one(&self.readers)
        .await?;
        let ended: i64 = row.try_get(0)?;
        if ended == 0 {
            return Ok(vec![]);
        }
        self.write_with_events(now, move |tx| {
            Box::pin(async move {
                let rows = sqlx::query(
                    "UPDATE users SET disabled_at = NULL, disabled_reason = NULL, disabled_until = NULL \
                     WHERE disabled_until <= $1 RETURNING id",
                )
                .bind(now.as_millisecond())
                .fetch_all(&mut *tx)
                .await?;
                sqlx::query("DELETE FROM address_bans WHERE expires_at <= $1")
                    .bind(now.as_millisecond())
                    .execute(&mut *tx)
                    .await?;
                let mut lifted = Vec::with_capacity(rows.len());
                for row in rows {
                    let id = UserId::parse(row.try_get::<String, _>(0)?)
                        .map_err(|error| StoreError::unreadable("user id", error))?;
                    lifted.extend(users::by_id(tx, &id).await?);
                }
                let changed = lifted.iter().map(|user: &User| Event::ChatUserChanged {
                    user: user.id.clone(),
                });
                let mut events: Vec<Event> = changed.collect();
                events.push(Event::ChatAddressBansChanged { banned: None });
                Ok((lifted, events))
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
        self.mute_user_because(id, until, None, actor, at).await
    }

    /// The same, with a reason for the user and the log.
    pub async fn mute_user_because(
        &self,
        id: &UserId,
        until: Option<Timestamp>,
        reason: Option<String>,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Option<User>, StoreError> {
        let action = match until {
            Some(_) => Action::Timeout,
            None => Action::Untimeout,
        };
        self.change_user(id, actor, action, at, move |tx, id| {
            Box::pin(async move {
                sqlx::query("UPDATE users SET muted_until = $1, muted_reason = $2 WHERE id = $3")
                    .bind(until.map(Timestamp::as_millisecond))
                    .bind(reason.clone())
                    .bind(id.as_str())
                    .execute(tx)
                    .await?;
                Ok(ChangeNote {
                    detail: until.map(|until| until.to_string()).unwrap_or_default(),
                    reason: reason.unwrap_or_default(),
                })
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
                Ok(ChangeNote::default())
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
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let Some(user) = users::by_id(tx, &id).await? else {
                    return Ok((None, vec![]));
                };
                let ids = hide_all(tx, &id, at).await?;
                sqlx::query("DELETE FROM users WHERE id = $1")
                    .bind(id.as_str())
                    .execute(&mut *tx)
                    .await?;
                note(tx, at, &actor, Action::DeleteUser, target(&user)).await?;
                let event = Event::ChatUserRemoved {
                    user: id,
                    ids: ids.clone(),
                };
                Ok((Some(ids), vec![event]))
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
                -> futures_util::future::BoxFuture<'c, Result<ChangeNote, StoreError>>
            + Send
            + 'static,
    {
        let id = id.clone();
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let ChangeNote { detail, reason } = change(tx, id.clone()).await?;
                let Some(user) = users::by_id(tx, &id).await? else {
                    return Ok((None, vec![]));
                };
                let about = ModerationTarget {
                    detail,
                    reason,
                    ..target(&user)
                };
                note(tx, at, &actor, action, about).await?;
                let mut events = vec![Event::ChatUserChanged { user: id }];
                if action == Action::Unban {
                    events.push(Event::ChatAddressBansChanged { banned: None });
                }
                Ok((Some(user), events))
            })
        })
        .await
    }
}

/// What the log says about a change besides whom it is about.
#[derive(Debug, Default)]
struct ChangeNote {
    detail: String,
    reason: String,
}

pub(super) fn target(user: &User) -> ModerationTarget {
    ModerationTarget {
        id: user.id.to_string(),
        name: user.display_name.clone(),
        ..ModerationTarget::default()
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
