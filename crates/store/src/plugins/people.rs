//! Users that plugins vouch for, and the bots plugins speak as.

use jiff::Timestamp;
use model::UserId;
use sqlx::Row;

use crate::chat::people::is_taken;
use crate::database::Store;
use crate::error::StoreError;
use crate::users::{self, NewUser, User};

/// How the identities that a plugin vouches for are told from all others.
fn provider(slug: &str) -> String {
    format!("plugin:{slug}")
}

impl Store {
    /// The user whom this plugin knows as `subject`: the one it named before, or else `new`, who counts as signed in. A
    /// name that somebody who signed in or a bot has gets `suffix`.
    pub async fn vouched_user(
        &self,
        slug: &str,
        subject: String,
        new: NewUser,
        suffix: String,
        at: Timestamp,
    ) -> Result<User, StoreError> {
        let provider = provider(slug);
        self.write(move |tx| {
            Box::pin(async move {
                let row = sqlx::query(
                    "SELECT user_id FROM identities WHERE provider = $1 AND subject = $2",
                )
                .bind(provider.clone())
                .bind(subject.clone())
                .fetch_optional(&mut *tx)
                .await?;
                let known: Option<String> = row.map(|row| row.try_get(0)).transpose()?;
                let id = match known {
                    Some(known) => UserId::parse(known)
                        .map_err(|error| StoreError::unreadable("user id", error))?,
                    None => {
                        let mut new = new;
                        if is_taken(tx, &new.display_name, &new.id).await? {
                            new.display_name.push_str(&suffix);
                        }
                        let id = new.id.clone();
                        users::insert(tx, new, at).await?;
                        sqlx::query("UPDATE users SET authenticated_at = $1 WHERE id = $2")
                            .bind(at.as_millisecond())
                            .bind(id.as_str())
                            .execute(&mut *tx)
                            .await?;
                        sqlx::query(
                            "INSERT INTO identities (provider, subject, user_id, created_at) \
                             VALUES ($1, $2, $3, $4)",
                        )
                        .bind(provider)
                        .bind(subject)
                        .bind(id.as_str())
                        .bind(at.as_millisecond())
                        .execute(&mut *tx)
                        .await?;
                        id
                    }
                };
                let user = users::by_id(tx, &id).await?;
                user.ok_or_else(|| StoreError::Unavailable(format!("user {id} is gone")))
            })
        })
        .await
    }

    /// Whether this plugin vouches for a user.
    pub async fn is_vouched_by(&self, slug: &str, user: &UserId) -> Result<bool, StoreError> {
        let providers = self.providers_of(user).await?;
        Ok(providers.contains(&provider(slug)))
    }

    /// The user with this id; made if there is none, and called by the new name if it has another.
    pub async fn plugin_bot(&self, bot: NewUser, at: Timestamp) -> Result<User, StoreError> {
        if let Some(known) = self.user(&bot.id).await?
            && known.display_name == bot.display_name
        {
            return Ok(known);
        }
        self.write(move |tx| {
            Box::pin(async move {
                let id = bot.id.clone();
                match users::by_id(tx, &id).await? {
                    None => users::insert(tx, bot, at).await?,
                    Some(known) => users::rename(tx, &known, bot.display_name, at).await?,
                }
                let user = users::by_id(tx, &id).await?;
                user.ok_or_else(|| StoreError::Unavailable(format!("user {id} is gone")))
            })
        })
        .await
    }
}
