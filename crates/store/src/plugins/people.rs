//! Users that plugins vouch for, and the bots plugins speak as.

use jiff::Timestamp;
use model::UserId;
use serde::{Deserialize, Serialize};
use sqlx::Row;

use crate::chat::people::is_taken;
use crate::database::Store;
use crate::error::StoreError;
use crate::users::{self, NewUser, User};

/// How the identities that a plugin vouches for are told from all others.
fn provider(slug: &str) -> String {
    format!("plugin:{slug}")
}

/// What a plugin says about somebody it knows from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// A page about them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_url: Option<String>,
    /// Their name there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Whether others may see where they come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public: Option<bool>,
}

/// Who it is that a plugin vouches for.
#[derive(Clone, Debug)]
pub struct Voucher {
    /// Who it is elsewhere; with the plugin's slug it is the key.
    pub subject: String,
    /// Kept from the first time.
    pub profile: Profile,
}

impl Store {
    /// The user whom this plugin knows as the voucher's subject, and what it said of them the first time: the one it named
    /// before, or else `new`, who counts as signed in. A name that somebody who signed in or a bot has gets `suffix`.
    pub async fn vouched_user(
        &self,
        slug: &str,
        voucher: Voucher,
        new: NewUser,
        suffix: String,
        at: Timestamp,
    ) -> Result<(User, Profile), StoreError> {
        let provider = provider(slug);
        self.write(move |tx| {
            Box::pin(async move {
                let Voucher { subject, profile } = voucher;
                let row = sqlx::query(
                    "SELECT user_id, profile FROM identities WHERE provider = $1 AND subject = $2",
                )
                .bind(provider.clone())
                .bind(subject.clone())
                .fetch_optional(&mut *tx)
                .await?;
                let (id, profile) = match row {
                    Some(row) => {
                        let known = UserId::parse(row.try_get::<String, _>(0)?)
                            .map_err(|error| StoreError::unreadable("user id", error))?;
                        let kept: Option<String> = row.try_get(1)?;
                        (known, read_profile(kept.as_deref())?)
                    }
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
                            "INSERT INTO identities (provider, subject, user_id, created_at, profile) \
                             VALUES ($1, $2, $3, $4, $5)",
                        )
                        .bind(provider)
                        .bind(subject)
                        .bind(id.as_str())
                        .bind(at.as_millisecond())
                        .bind(write_profile(&profile)?)
                        .execute(&mut *tx)
                        .await?;
                        (id, profile)
                    }
                };
                let user = users::by_id(tx, &id).await?;
                let user = user
                    .ok_or_else(|| StoreError::Unavailable(format!("user {id} is gone")))?;
                Ok((user, profile))
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

fn write_profile(profile: &Profile) -> Result<Option<String>, StoreError> {
    if *profile == Profile::default() {
        return Ok(None);
    }
    let text = serde_json::to_string(profile);
    text.map(Some)
        .map_err(|error| StoreError::unreadable("profile", error))
}

fn read_profile(text: Option<&str>) -> Result<Profile, StoreError> {
    let profile = text.map(serde_json::from_str).transpose();
    let profile = profile.map_err(|error| StoreError::unreadable("profile", error))?;
    Ok(profile.unwrap_or_default())
}
