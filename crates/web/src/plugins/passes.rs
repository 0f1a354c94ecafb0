//! Passes of viewers: who looks at a page of a plugin, which has no origin and therefore no cookies.
//!
//! A page of ours asks for a pass and puts it into the path of the frame; everything the frame's page names by a relative
//! address comes with it. It is taken out of the path before anything else looks at it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ::plugins::gate::{PASS_SIGN, PASS_TTL, Pass, PassTag, SessionKey, take_pass};
use ::plugins::host::wire::User;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::uri::PathAndQuery;
use http::{HeaderMap, StatusCode, Uri, header};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::session;
use crate::app::App;
use crate::chat;
use crate::client::Client;
use crate::problem::Problem;

/// Passes that are renewed, and viewers who signed out, of which the server knows. When there are more, the oldest pass is
/// not renewed any more and its page is loaded again.
const MAX_KNOWN: usize = 50_000;

/// What the server knows about passes besides what they say themselves.
pub(crate) struct Passes {
    /// A key of this process: after a restart pages ask for new ones.
    key: SessionKey,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Passes whose pages are still open, and until when they are good.
    renewed: HashMap<PassTag, Timestamp>,
    /// Tokens of viewers who signed out, and until when their passes could be good.
    ended: HashMap<[u8; 32], Timestamp>,
}

impl Default for Passes {
    fn default() -> Self {
        let mut bytes = [0; 32];
        aws_lc_rs::rand::fill(&mut bytes)
            .expect("the system's random generator does not fail once the process runs");
        Self {
            key: SessionKey::new(&bytes),
            known: Mutex::default(),
        }
    }
}

impl std::fmt::Debug for Passes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Passes(…)")
    }
}

/// Somebody with a good pass, or somebody nobody knows.
#[derive(Clone, Debug)]
pub(crate) struct Holder {
    /// Who they are.
    pub(crate) user: Option<User>,
    /// By which plugin they signed in.
    pub(crate) gate: String,
}

impl Passes {
    /// The pass in a text, while it is good for this plugin.
    fn good(&self, slug: &str, text: &str, now: Timestamp) -> Option<(Pass, PassTag)> {
        let (pass, tag) = Pass::open(&self.key, text)?;
        let known = self.known();
        let renewed = known.renewed.get(&tag);
        let is_alive = now <= pass.expires || renewed.is_some_and(|until| now <= *until);
        let is_good = is_alive && pass.slug == slug && !known.ended.contains_key(&pass.viewer);
        is_good.then_some((pass, tag))
    }

    /// The pass is good for a while longer.
    fn renew(&self, tag: PassTag, now: Timestamp) {
        let mut known = self.known();
        keep_bounded(&mut known.renewed, now);
        known.renewed.insert(tag, now + PASS_TTL);
    }

    /// A viewer signed out: no pass of theirs is good any more.
    pub(super) fn end(&self, token: &str, now: Timestamp) {
        let mut known = self.known();
        keep_bounded(&mut known.ended, now);
        known
            .ended
            .insert(access::sha256(token), now + 2 * PASS_TTL);
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets what is over and, when that is not enough, what would be over next.
fn keep_bounded(known: &mut HashMap<[u8; 32], Timestamp>, now: Timestamp) {
    if known.len() < MAX_KNOWN {
        return;
    }
    known.retain(|_, until| now <= *until);
    if known.len() >= MAX_KNOWN {
        let first = known.iter().min_by_key(|(_, until)| **until);
        if let Some(first) = first.map(|(tag, _)| *tag) {
            known.remove(&first);
        }
    }
}

/// Takes the pass out of a request's address, and says who has it; `None` when there is none in it.
///
/// # Errors
/// The answer to somebody whose pass is not good, or not any more.
pub(super) async fn take(app: &App, uri: &mut Uri) -> Result<Option<Holder>, Response> {
    let Some((path, text)) = take_pass(uri.path()) else {
        return Ok(None);
    };
    let holder = match text {
        "" => Some(Holder {
            user: None,
            gate: String::new(),
        }),
        text => holder(app, &path, text).await,
    };
    let holder = holder.ok_or_else(refused)?;
    let with_query = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    };
    let clean = PathAndQuery::try_from(with_query).map_err(|_| refused())?;
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(clean);
    *uri = Uri::from_parts(parts).map_err(|_| refused())?;
    Ok(Some(holder))
}

async fn holder(app: &App, path: &str, text: &str) -> Option<Holder> {
    let slug = path.strip_prefix("/plugins/")?.split('/').next()?;
    let (pass, _) = app.passes.good(slug, text, app.clock.now())?;
    Some(Holder {
        user: Some(chat::viewer_by_hash(app, &pass.viewer).await?),
        gate: pass.gate,
    })
}

/// Not a way to the sign-in: that would be shown inside a frame.
fn refused() -> Response {
    let headers = [
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        // Scripts of the page, which has no origin, are to see that.
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    ];
    let text = "this page is not yours any more: open it again\n";
    (StatusCode::FORBIDDEN, headers, text).into_response()
}

/// What a page has, if it asks for more time.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct PassWish {
    /// The pass of a page that is still open.
    pass: String,
}

/// A pass for the pages of one plugin.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PluginPass {
    /// A segment for the path: `/plugins/<slug>/<pass>/…`; `~` alone when nobody knows who asks.
    pass: String,
    /// Seconds until it ends, unless it is renewed.
    expires_in: u64,
}

/// `POST /api/plugins/<slug>/pass`
pub(crate) async fn give(
    State(app): State<App>,
    Path(slug): Path<String>,
    Extension(client): Extension<Client>,
    uri: Uri,
    headers: HeaderMap,
    wish: Option<Json<PassWish>>,
) -> Result<Response, Problem> {
    if app.plugins.guests.guest(&slug).is_none() {
        return Err(Problem::NotFound);
    }
    let caller = chat::caller(&app, &client, &uri, &headers).await;
    let Some(caller) = caller else {
        return Ok(answer(PASS_SIGN.to_string()));
    };
    let board = app.plugins.shelf.board();
    // Those who had to sign in did so by a session; a chat token of before is not one.
    let session = session::session_token(&app, &headers).await;
    let gate = board.gate().filter(|_| session.is_some());
    let gate = gate.map(|entry| entry.slug.to_string()).unwrap_or_default();
    let now = app.clock.now();
    let old = wish.map(|Json(wish)| wish.pass).unwrap_or_default();
    let old = old.strip_prefix(PASS_SIGN).unwrap_or_default();
    let viewer = caller.token_hash;
    let kept = app.passes.good(&slug, old, now);
    let kept = kept.filter(|(pass, _)| pass.viewer == viewer && pass.gate == gate);
    let text = match kept {
        Some((_, tag)) => {
            app.passes.renew(tag, now);
            old.to_owned()
        }
        None => Pass {
            slug,
            gate,
            expires: now + PASS_TTL,
            viewer,
        }
        .seal(&app.passes.key),
    };
    Ok(answer(format!("{PASS_SIGN}{text}")))
}

fn answer(pass: String) -> Response {
    let pass = PluginPass {
        pass,
        expires_in: PASS_TTL.as_secs(),
    };
    ([(header::CACHE_CONTROL, "no-store")], Json(pass)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn made(passes: &Passes) -> String {
        let pass = Pass {
            slug: "poll".into(),
            gate: String::new(),
            expires: at(600),
            viewer: access::sha256("token"),
        };
        pass.seal(&passes.key)
    }

    #[test]
    fn a_pass_ends_unless_its_page_renews_it() {
        let passes = Passes::default();
        let text = made(&passes);
        let (_, tag) = passes.good("poll", &text, at(600)).unwrap();
        assert!(passes.good("poll", &text, at(601)).is_none());
        passes.renew(tag, at(500));
        assert!(passes.good("poll", &text, at(1100)).is_some());
        assert!(passes.good("poll", &text, at(1101)).is_none());
    }

    #[test]
    fn a_pass_is_good_for_its_plugin_alone_and_not_after_its_viewer_signed_out() {
        let passes = Passes::default();
        let text = made(&passes);
        assert!(passes.good("dice", &text, at(1)).is_none());
        assert!(Passes::default().good("poll", &text, at(1)).is_none());
        passes.end("other", at(1));
        assert!(passes.good("poll", &text, at(1)).is_some());
        passes.end("token", at(1));
        assert!(passes.good("poll", &text, at(1)).is_none());
    }

    #[test]
    fn what_is_known_about_passes_is_bounded() {
        let mut known = HashMap::new();
        for number in 0..MAX_KNOWN + 10 {
            let mut tag = [0; 32];
            tag[..8].copy_from_slice(&number.to_le_bytes());
            keep_bounded(&mut known, at(0));
            known.insert(tag, at(i64::try_from(number).unwrap()));
        }
        assert_eq!(known.len(), MAX_KNOWN);
        keep_bounded(&mut known, at(i64::MAX / 1_000_000_000_000));
        assert!(known.len() < MAX_KNOWN);
    }
}
