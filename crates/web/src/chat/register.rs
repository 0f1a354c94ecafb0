//! `POST /api/chat/register`: a name and a token for a newcomer.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use access::{random_access_token, sha256};
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::HeaderMap;
use model::address::network;
use model::{TokenId, UserId};
use serde::{Deserialize, Serialize};
use store::{NewUser, Token, UserKind};
use utoipa::ToSchema;

use crate::app::App;
use crate::client::{Client, text};
use crate::problem::Problem;
use crate::public::NO_CACHE;

/// Newcomers from one address at once.
const BURST: u32 = 60;
/// And then one per this long; a whole school comes in, a machine that makes accounts does not.
const INTERVAL: Duration = Duration::from_secs(1);
/// Addresses remembered; beyond that those that could come again anyway are forgotten, then all.
const MAX_TRACKED: usize = 10_000;
/// Characters of the token that lists show.
const PREFIX_CHARS: usize = 6;

/// How often an address may register.
#[derive(Debug, Default)]
pub(crate) struct Registrations(Mutex<HashMap<IpAddr, Duration>>);

impl Registrations {
    /// Counts one; the error is how long to wait.
    fn admit(&self, address: IpAddr, now: Duration) -> Result<(), Duration> {
        // A proxy on this machine that we were not told of stands for everybody.
        if address.to_canonical().is_loopback() {
            return Ok(());
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_TRACKED {
            known.retain(|_, full_at| *full_at > now);
        }
        if known.len() >= MAX_TRACKED {
            known.clear();
        }
        let full_at = known.entry(network(address)).or_insert(now);
        let ahead = (*full_at).saturating_sub(now);
        if ahead >= INTERVAL * BURST {
            return Err(ahead - INTERVAL * (BURST - 1));
        }
        *full_at = (*full_at).max(now) + INTERVAL;
        Ok(())
    }
}

/// How a newcomer wants to be called.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Registration)]
pub(crate) struct Wish {
    /// Without it, or when it is taken or forbidden, the server chooses one.
    display_name: Option<String>,
}

/// A newcomer's name and token.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Registered {
    #[schema(value_type = String)]
    id: UserId,
    /// Shown this once.
    access_token: String,
    display_name: String,
}

pub(crate) async fn register(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let admitted = app.registrations.admit(client.address, app.clock.uptime());
    admitted.map_err(|retry_after| Problem::TooMany {
        message: "too many new people come from your address, please try again later".into(),
        retry_after,
    })?;
    // Whatever else the body is, it is no reason to turn somebody away.
    let wish: Wish = serde_json::from_slice(&body).unwrap_or_default();
    let forwarded = text(&headers, "x-forwarded-user");
    let wanted = match forwarded {
        "" => wish.display_name.unwrap_or_default(),
        name => name.to_owned(),
    };
    let secret = random_access_token();
    let user = NewUser {
        id: chat::new_user_id(),
        kind: UserKind::Standard,
        display_name: app.chat.name_for(&wanted),
        display_color: chat::random_color(),
    };
    let token = Token {
        id: TokenId::parse(chat::short_id()).map_err(|_| Problem::Internal)?,
        user_id: user.id.clone(),
        prefix: secret.expose().chars().take(PREFIX_CHARS).collect(),
        scopes: Vec::new(),
        created_at: app.clock.now(),
        last_used_at: None,
    };
    let hash = sha256(secret.expose()).to_vec();
    let suffix = chat::short_id()[..4].to_owned();
    let user = app.store.register_user(user, suffix, token, hash).await?;
    let answer = Registered {
        id: user.id,
        access_token: secret.expose().to_owned(),
        display_name: user.display_name,
    };
    Ok((NO_CACHE, Json(answer)).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_comes_in_and_a_machine_does_not() {
        let registrations = Registrations::default();
        let address = IpAddr::from([192, 0, 2, 1]);
        let now = Duration::from_secs(100);
        let admitted = (0..500).filter(|_| registrations.admit(address, now).is_ok());
        assert_eq!(admitted.count(), BURST as usize);
        let wait = registrations.admit(address, now).unwrap_err();
        assert_eq!(wait, INTERVAL);
        assert!(registrations.admit(address, now + wait).is_ok());
        assert!(
            registrations
                .admit(IpAddr::from([192, 0, 2, 2]), now)
                .is_ok()
        );
    }

    #[test]
    fn memory_is_bounded() {
        let registrations = Registrations::default();
        for number in 0..25_000u32 {
            let address = IpAddr::from((number + (11 << 24)).to_be_bytes());
            assert!(registrations.admit(address, Duration::ZERO).is_ok());
        }
        assert!(registrations.0.lock().unwrap().len() <= MAX_TRACKED);
    }
}
