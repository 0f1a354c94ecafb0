//! Users that plugins vouch for, and the bots that plugins speak as.

use jiff::Timestamp;
use model::UserId;
use serde::{Deserialize, Serialize};
use sqlx::Row;
use thiserror::Error;

use crate::chat::people::is_taken;
use crate::database::Store;
use crate::error::StoreError;
use crate::users::{self, NewUser, User};
use crate::writer::Tx;

/// Users that a plugin may make in a minute. Further ones are refused: each is a row that stays, and counts as signed in.
pub const MAX_VOUCHED_PER_MINUTE: i64 = 60;
/// Users that a plugin may have made. Further ones are refused until some are deleted.
pub const MAX_VOUCHED_USERS: i64 = 10_000;

const MINUTE_MILLIS: i64 = 60_000;

/// Why no user was created.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum RegistrationLimit {
    /// Too many in a short time.
    #[error("a plugin may register {MAX_VOUCHED_PER_MINUTE} new users a minute: try again later")]
    Minute,
    /// Too many altogether.
    #[error(
        "a plugin may register {MAX_VOUCHED_USERS} users at most, and this one has: the operator can delete some"
    )]
    Total,
}

/// The users that a plugin created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginUsers {
    /// How many there are.
    pub total: i64,
    /// Moderators first, since nobody should overlook them, then the others; newest first in both.
    pub newest: Vec<User>,
}

/// The provider name that tells a plugin's identities from all others.
fn provider(slug: &str) -> String {
    format!("plugin:{slug}")
}

/// What a plugin says about somebody it knows from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PluginProfile {
    /// Their profile page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_url: Option<String>,
    /// Their name there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Whether others may see where they come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public: Option<bool>,
}

/// An identity that a plugin vouches for.
#[derive(Clone, Debug)]
pub struct PluginIdentity {
    /// Their id elsewhere; together with the plugin's slug it is the key.
    pub subject: String,
    /// Kept from the first time.
    pub profile: PluginProfile,
}

impl Store {
    /// The user for this plugin's subject, with the profile given the first time: an existing one, or else `new`, who
    /// counts as signed in. If the name belongs to a bot or a user who has signed in, `suffix` is added. The inner
    /// error is a quota, and then no user was created.
    pub async fn vouched_user(
        &self,
        slug: &str,
        voucher: PluginIdentity,
        new: NewUser,
        suffix: String,
        at: Timestamp,
    ) -> Result<Result<(User, PluginProfile), RegistrationLimit>, StoreError> {
        let provider = provider(slug);
        self.write(move |tx| {
            Box::pin(async move {
                let PluginIdentity { subject, profile } = voucher;
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
                        if let Some(refusal) = refusal(tx, &provider, at).await? {
                            return Ok(Err(refusal));
                        }
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
                Ok(Ok((user, profile)))
            })
        })
        .await
    }

    /// Users this plugin created, at most `limit`: moderators first, newest first.
    pub async fn vouched_users(&self, slug: &str, limit: u32) -> Result<PluginUsers, StoreError> {
        let provider = provider(slug);
        let total = sqlx::query("SELECT COUNT(*) FROM identities WHERE provider = $1")
            .bind(provider.as_str())
            .fetch_one(&self.readers)
            .await?
            .try_get(0)?;
        let rows = sqlx::query(users::columns!(
            "FROM users WHERE id IN (SELECT user_id FROM identities WHERE provider = $1) \
             ORDER BY is_moderator DESC, created_at DESC, id LIMIT $2"
        ))
        .bind(provider)
        .bind(i64::from(limit))
        .fetch_all(&self.readers)
        .await?;
        let newest = rows.iter().map(users::from_row).collect::<Result<_, _>>()?;
        Ok(PluginUsers { total, newest })
    }

    /// Whether this plugin vouches for a user.
    pub async fn is_vouched_by(&self, slug: &str, user: &UserId) -> Result<bool, StoreError> {
        let providers = self.providers_of(user).await?;
        Ok(providers.contains(&provider(slug)))
    }

    /// The bot with this id; created if missing, renamed if its name differs.
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

/// Why this plugin may not create a user now.
async fn refusal(
    tx: &mut Tx,
    provider: &str,
    at: Timestamp,
) -> Result<Option<RegistrationLimit>, StoreError> {
    let row = sqlx::query(
        "SELECT COUNT(*), COUNT(CASE WHEN created_at > $2 THEN 1 END) FROM identities WHERE provider = $1",
    )
    .bind(provider)
    .bind(at.as_millisecond() - MINUTE_MILLIS)
    .fetch_one(tx)
    .await?;
    let (total, lately): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    Ok(if total >= MAX_VOUCHED_USERS {
        Some(RegistrationLimit::Total)
    } else if lately >= MAX_VOUCHED_PER_MINUTE {
        Some(RegistrationLimit::Minute)
    } else {
        None
    })
}

fn write_profile(profile: &PluginProfile) -> Result<Option<String>, StoreError> {
    if *profile == PluginProfile::default() {
        return Ok(None);
    }
    let text = serde_json::to_string(profile);
    text.map(Some)
        .map_err(|error| StoreError::unreadable("profile", error))
}

fn read_profile(text: Option<&str>) -> Result<PluginProfile, StoreError> {
    let profile = text.map(serde_json::from_str).transpose();
    let profile = profile.map_err(|error| StoreError::unreadable("profile", error))?;
    Ok(profile.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DatabaseUrl, UserKind};

    #[tokio::test]
    async fn a_plugin_that_made_ten_thousand_users_makes_no_more_until_one_is_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(folder.path().join("test.db"));
        let key = folder.path().join("secret.key");
        let store = Store::open(&url, &key).await.unwrap();
        for statement in [
            "INSERT INTO users (id, kind, display_name, display_color, previous_names, created_at) \
             WITH RECURSIVE one(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM one WHERE n < 10000) \
             SELECT 'm' || n, 'STANDARD', 'm' || n, 0, '[]', n FROM one",
            "INSERT INTO identities (provider, subject, user_id, created_at) \
             SELECT 'plugin:gate', id, id, created_at FROM users",
        ] {
            let written = store.write(move |tx| {
                Box::pin(async move {
                    sqlx::query(statement).execute(tx).await?;
                    Ok(())
                })
            });
            written.await.unwrap();
        }
        let vouch = async |subject: &str| {
            let new = NewUser {
                id: UserId::parse(format!("new-{subject}")).unwrap(),
                kind: UserKind::Standard,
                display_name: "Ana".into(),
                display_color: 1,
            };
            let voucher = PluginIdentity {
                subject: subject.into(),
                profile: PluginProfile::default(),
            };
            let at = Timestamp::from_second(1_000_000).unwrap();
            let vouched = store.vouched_user("gate", voucher, new, "x1".into(), at);
            vouched.await.unwrap().map(|(user, _)| user.id.to_string())
        };
        assert_eq!(vouch("one-more").await, Err(RegistrationLimit::Total));
        assert_eq!(vouch("m7").await, Ok("m7".into()), "known ones are found");
        let deleted = store.write(|tx| {
            Box::pin(async move {
                let query = sqlx::query("DELETE FROM users WHERE id = 'm8'");
                query.execute(tx).await?;
                Ok(())
            })
        });
        deleted.await.unwrap();
        assert_eq!(vouch("one-more").await, Ok("new-one-more".into()));
        let newest = store.vouched_users("gate", 3).await.unwrap();
        let ids: Vec<_> = newest.newest.iter().map(|user| user.id.as_str()).collect();
        assert_eq!(newest.total, 10_000);
        assert_eq!(ids, ["new-one-more", "m10000", "m9999"]);
    }
}
