//! Links that make somebody a moderator, each of them once: hashes, never the secrets.

use jiff::Timestamp;
use model::{Event, TokenId, UserId};
use sqlx::Row;

use super::log::{Action, Actor, ModerationTarget, note};
use super::sanctions::target;
use crate::database::Store;
use crate::error::StoreError;
use crate::users::{self, User, time};

/// Limit (operators): invitations for moderators that are open at once; a further one is refused.
pub const MAX_INVITATIONS: i64 = 20;

/// An invitation that nobody has accepted yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeratorInvitation {
    /// Identifies it in lists and for deletion.
    pub id: TokenId,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

impl Store {
    /// Stores an invitation by the SHA-256 of its secret; false if too many are open.
    pub async fn add_moderator_invitation(
        &self,
        invitation: ModeratorInvitation,
        token_hash: Vec<u8>,
        actor: Actor,
    ) -> Result<bool, StoreError> {
        let at = invitation.created_at;
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query("DELETE FROM moderator_invitations WHERE expires_at <= $1")
                    .bind(at.as_millisecond())
                    .execute(&mut *tx)
                    .await?;
                let row = sqlx::query("SELECT COUNT(*) FROM moderator_invitations")
                    .fetch_one(&mut *tx)
                    .await?;
                if row.try_get::<i64, _>(0)? >= MAX_INVITATIONS {
                    return Ok(false);
                }
                sqlx::query(
                    "INSERT INTO moderator_invitations (id, token_hash, created_at, expires_at) \
                     VALUES ($1, $2, $3, $4)",
                )
                .bind(invitation.id.as_str())
                .bind(token_hash)
                .bind(at.as_millisecond())
                .bind(invitation.expires_at.as_millisecond())
                .execute(&mut *tx)
                .await?;
                note(tx, at, &actor, Action::Invite, about(&invitation.id)).await?;
                Ok(true)
            })
        })
        .await
    }

    /// Invitations that are open at `now`, newest first.
    pub async fn moderator_invitations(
        &self,
        now: Timestamp,
    ) -> Result<Vec<ModeratorInvitation>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, created_at, expires_at FROM moderator_invitations WHERE expires_at > $1 \
             ORDER BY created_at DESC, id",
        )
        .bind(now.as_millisecond())
        .fetch_all(&self.readers)
        .await?;
        rows.iter()
            .map(|row| {
                Ok(ModeratorInvitation {
                    id: TokenId::parse(row.try_get::<String, _>("id")?)
                        .map_err(|error| StoreError::unreadable("invitation", error))?,
                    created_at: time(row.try_get("created_at")?)?,
                    expires_at: time(row.try_get("expires_at")?)?,
                })
            })
            .collect()
    }

    /// Takes an invitation back; false if there is none with this id.
    pub async fn revoke_moderator_invitation(
        &self,
        id: TokenId,
        actor: Actor,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let done = sqlx::query("DELETE FROM moderator_invitations WHERE id = $1")
                    .bind(id.as_str())
                    .execute(&mut *tx)
                    .await?;
                let was_there = done.rows_affected() > 0;
                if was_there {
                    note(tx, at, &actor, Action::Uninvite, about(&id)).await?;
                }
                Ok(was_there)
            })
        })
        .await
    }

    /// Makes a user who has signed in a moderator and uses the invitation up. `None` if it does not exist or no longer
    /// does, and if the user may not accept one.
    pub async fn accept_moderator_invitation(
        &self,
        token_hash: &[u8],
        user: &UserId,
        at: Timestamp,
    ) -> Result<Option<User>, StoreError> {
        let (token_hash, user) = (token_hash.to_vec(), user.clone());
        // Anybody may try a link, and a wrong one must not cost a write.
        let row = sqlx::query("SELECT COUNT(*) FROM moderator_invitations WHERE token_hash = $1")
            .bind(token_hash.clone())
            .fetch_one(&self.readers)
            .await?;
        if row.try_get::<i64, _>(0)? == 0 {
            return Ok(None);
        }
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let known = users::by_id(tx, &user).await?;
                let may = |user: &User| {
                    user.authenticated_at.is_some() && user.disabled_at.is_none()
                };
                let Some(mut accepting) = known.filter(may) else {
                    return Ok((None, vec![]));
                };
                let row = sqlx::query(
                    "DELETE FROM moderator_invitations WHERE token_hash = $1 AND expires_at > $2 RETURNING id",
                )
                .bind(token_hash)
                .bind(at.as_millisecond())
                .fetch_optional(&mut *tx)
                .await?;
                let Some(row) = row else {
                    return Ok((None, vec![]));
                };
                let invitation: String = row.try_get("id")?;
                sqlx::query("UPDATE users SET is_moderator = 1 WHERE id = $1")
                    .bind(user.as_str())
                    .execute(&mut *tx)
                    .await?;
                let actor = Actor {
                    id: user.to_string(),
                    name: accepting.display_name.clone(),
                };
                let about = ModerationTarget {
                    detail: format!("invitation {invitation}"),
                    ..target(&accepting)
                };
                note(tx, at, &actor, Action::Moderator, about).await?;
                accepting.is_moderator = true;
                Ok((Some(accepting), vec![Event::ChatUserChanged { user }]))
            })
        })
        .await
    }
}

fn about(id: &TokenId) -> ModerationTarget {
    ModerationTarget {
        id: id.to_string(),
        ..ModerationTarget::default()
    }
}
