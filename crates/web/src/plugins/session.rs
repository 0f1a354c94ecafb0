//! The session of viewers who signed in through a plugin.

use std::time::Duration;

use ::plugins::gate;
use http::{HeaderMap, header};
use model::Secret;

use crate::state::App;

/// The chat token in the request's session.
pub(crate) async fn session_token(app: &App, headers: &HeaderMap) -> Option<Secret> {
    let cookie = cookie_of(headers)?;
    let key = app.plugins.sessions.key(&app.store, &*app.clock).await?;
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
    let key = app.plugins.sessions.key(&app.store, &*app.clock).await?;
    let value = gate::seal(key, token, app.clock.now() + ttl);
    Some(gate::set_cookie(&value, ttl, is_https))
}
