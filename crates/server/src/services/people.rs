//! What plugins do with people.

use std::net::IpAddr;

use access::{random_access_token, sha256};
use chat::MAX_REASON_CHARS;
use model::{Secret, TokenId, UserId};
use plugins::host::wire::{MODERATOR, User, time};
use plugins::host::{Identity, RegisteredUser};
use store::plugins::{PluginIdentity, PluginProfile};
use store::{NewUser, Token, UserFilter, UserKind};

use super::{Services, actor, failed};

/// People a plugin gets to see at once, those who came first.
const MAX_USERS: usize = 5000;
/// Of them, so many are read at a time.
const PAGE: u32 = 500;
/// Characters of a token that lists show.
const PREFIX_CHARS: usize = 6;

/// What a plugin says about a ban, as long as moderators may be about it, and on one line.
fn shortened(reason: &str) -> Option<String> {
    let reason = reason.replace(char::is_control, " ");
    let reason: String = reason.trim().chars().take(MAX_REASON_CHARS).collect();
    (!reason.is_empty()).then_some(reason)
}

impl Services {
    pub(super) async fn users(&self) -> Result<Vec<User>, String> {
        let mut users = Vec::new();
        let mut offset = 0;
        loop {
            let page = self
                .store
                .users_page(UserFilter::All, "", true, offset, PAGE)
                .await
                .map_err(failed)?;
            let is_last = page.users.len() < PAGE as usize;
            users.extend(page.users.iter().map(shown));
            if is_last || users.len() >= MAX_USERS {
                return Ok(users);
            }
            offset += PAGE;
        }
    }

    pub(super) async fn user(&self, id: &str) -> Result<Option<User>, String> {
        let Ok(id) = UserId::parse(id) else {
            return Ok(None);
        };
        let user = self.store.user(&id).await.map_err(failed)?;
        Ok(user.as_ref().map(shown))
    }

    pub(super) async fn set_user_enabled(
        &self,
        slug: &str,
        id: &str,
        enabled: bool,
        reason: &str,
    ) -> Result<(), String> {
        let nobody = || format!("there is no user {id:?}");
        let user = UserId::parse(id).map_err(|_| nobody())?;
        let was_there = match enabled {
            true => self.chat.unban(&user, actor(slug)).await,
            false => self.chat.ban(&user, shortened(reason), actor(slug)).await,
        };
        match was_there.map_err(failed)? {
            true => Ok(()),
            false => Err(nobody()),
        }
    }

    pub(super) async fn ban_ip(&self, slug: &str, ip: &str) -> Result<(), String> {
        let ip: IpAddr = ip
            .parse()
            .map_err(|_| format!("{ip:?} is not an IP address"))?;
        let note = format!("by the plugin {slug}");
        let banned = self.chat.ban_address(ip, note, actor(slug)).await;
        banned.map(drop).map_err(failed)
    }

    pub(super) async fn register_user(
        &self,
        slug: &str,
        who: &Identity,
    ) -> Result<RegisteredUser, String> {
        let wanted = who.display_name.as_deref().unwrap_or_default();
        let new = NewUser {
            id: chat::new_user_id(),
            kind: UserKind::Standard,
            display_name: self.chat.name_for(wanted),
            display_color: chat::random_color(),
        };
        let suffix = chat::short_id().chars().take(4).collect();
        let at = self.clock.now();
        let voucher = PluginIdentity {
            subject: who.auth_id.clone(),
            profile: PluginProfile {
                profile_url: who.profile_url.clone(),
                handle: who.handle.clone(),
                public: who.public,
            },
        };
        let vouched = self.store.vouched_user(slug, voucher, new, suffix, at);
        let vouched = vouched.await.map_err(failed)?;
        let (user, profile) = vouched.map_err(|refusal| refusal.to_string())?;
        if let Some(scopes) = who.scopes.as_ref().filter(|scopes| !scopes.is_empty()) {
            let moderates = scopes.iter().any(|scope| scope == MODERATOR);
            let set = self.chat.set_moderator(&user.id, moderates, actor(slug));
            set.await.map_err(failed)?;
        }
        Ok(RegisteredUser {
            user_id: user.id.to_string(),
            profile_url: profile.profile_url,
            handle: profile.handle,
            public: profile.public,
        })
    }

    pub(super) async fn session_token(&self, slug: &str, user: &str) -> Result<Secret, String> {
        let refused = || format!("the user {user:?} was not registered by this plugin");
        let user_id = UserId::parse(user).map_err(|_| refused())?;
        let is_theirs = self.store.is_vouched_by(slug, &user_id);
        if !is_theirs.await.map_err(failed)? {
            return Err(refused());
        }
        let secret = random_access_token();
        let token = Token {
            id: TokenId::parse(chat::short_id()).map_err(failed)?,
            user_id,
            prefix: secret.expose().chars().take(PREFIX_CHARS).collect(),
            scopes: Vec::new(),
            created_at: self.clock.now(),
            last_used_at: None,
        };
        let hash = sha256(secret.expose()).to_vec();
        self.store.add_token(token, hash).await.map_err(failed)?;
        Ok(secret)
    }
}

fn shown(user: &store::User) -> User {
    User {
        disabled_at: user.disabled_at.map(time),
        ..User::from(&user.public())
    }
}
