//! The session of viewers who signed in through a plugin.

use std::time::Duration;

use ::plugins::gate::{self, SessionKey};
use http::{HeaderMap, header};
use model::Secret;
use store::StoreError;
use tokio::sync::OnceCell;

use crate::app::App;

/// Where the key is kept.
const KEY_NAME: &str = "plugins.session_key";

/// The key that signs sessions, created with the first session.
#[derive(Debug, Default)]
pub(crate) struct Sessions(OnceCell<SessionKey>);

impl Sessions {
    pub(super) async fn key(&self, app: &App) -> Option<&SessionKey> {
        let key = self.0.get_or_try_init(|| find_or_make(app)).await;
        key.inspect_err(|error| {
            model::stranger_line!(error, "session_key", %error, "there is no key for viewers' sessions");
        })
        .ok()
    }
}

async fn find_or_make(app: &App) -> Result<SessionKey, StoreError> {
    let known = app.store.secret(KEY_NAME).await?;
    if let Some(Ok(bytes)) = known.map(<[u8; 32]>::try_from) {
        return Ok(SessionKey::new(&bytes));
    }
    let mut bytes = [0; 32];
    aws_lc_rs::rand::fill(&mut bytes)
        .expect("the system's random generator does not fail once the process runs");
    let now = app.clock.now();
    app.store.put_secret(KEY_NAME, &bytes, now).await?;
    Ok(SessionKey::new(&bytes))
}

/// The chat token in the request's session.
pub(crate) async fn session_token(app: &App, headers: &HeaderMap) -> Option<Secret> {
    let cookie = cookie_of(headers)?;
    let key = app.sessions.key(app).await?;
    gate::open(key, cookie, app.clock.now())
}

pub(super) fn cookie_of(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter();
    let pairs = cookies.filter_map(|value| value.to_str().ok());
    let mut pairs = pairs
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs
        .find(|(name, _)| *name == gate::COOKIE)
        .map(|(_, value)| value)
}

/// The header that gives a session to a browser; `None` when there is no key to sign it with.
pub(super) async fn cookie(
    app: &App,
    token: &Secret,
    ttl: Duration,
    is_https: bool,
) -> Option<String> {
    let key = app.sessions.key(app).await?;
    let value = gate::seal(key, token, app.clock.now() + ttl);
    Some(gate::set_cookie(&value, ttl, is_https))
}
