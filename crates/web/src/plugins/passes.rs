//! Viewer passes: they identify who views a plugin's page, which has an opaque origin and therefore no cookies.
//!
//! Our page requests a pass and puts it into the path of the frame; every relative address in the framed page inherits
//! it. The pass is removed from the path before anything else looks at it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::plugins::gate::{PASS_SIGN, PASS_TTL, Pass, SessionKey, take_pass};
use ::plugins::host::wire::User;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::uri::PathAndQuery;
use http::{HeaderMap, StatusCode, Uri, header};
use http_server::client::ClientInfo;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::session;
use super::shell::{self, destination};
use crate::app::App;
use crate::chat;
use crate::problem::Problem;

/// Viewers of one plugin each whose pages are open, and viewers who signed out, of which the server knows. When there are
/// more, those that were heard of first are forgotten, and their pages are loaded again.
const MAX_KNOWN: usize = 50_000;

/// A pass is not renewed for longer than this: whoever got hold of an old one has nothing.
const LONGEST_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// What the server knows about passes besides what they say themselves.
pub(crate) struct Passes {
    /// A key of this process: after a restart pages ask for new ones.
    key: SessionKey,
    known: Mutex<PassRecords>,
}

/// What passes do not say themselves.
#[derive(Default)]
struct PassRecords {
    /// Who has pages of which plugin open, as a hash, and until when their passes are good.
    renewed: HashMap<[u8; 32], Timestamp>,
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
pub(crate) struct PassHolder {
    /// The pass; empty for somebody nobody knows.
    text: String,
    /// Who they are.
    pub(crate) user: Option<User>,
    /// By which plugin they signed in.
    pub(crate) gate: String,
}

impl Passes {
    /// The pass in a text, while it is good for this plugin.
    fn good(&self, slug: &str, text: &str, now: Timestamp) -> Option<Pass> {
        let pass = Pass::open(&self.key, text)?;
        let known = self.known();
        let renewed = known.renewed.get(&pages_of(&pass));
        let is_renewed =
            now <= pass.expires + LONGEST_LIFE && renewed.is_some_and(|until| now <= *until);
        let is_alive = now <= pass.expires || is_renewed;
        let is_good = is_alive && pass.slug == slug && !known.ended.contains_key(&pass.viewer);
        is_good.then_some(pass)
    }

    /// The pages of this viewer are still open: their passes are good for a while longer.
    fn renew(&self, pass: &Pass, now: Timestamp) {
        let mut known = self.known();
        keep_bounded(&mut known.renewed, now);
        known.renewed.insert(pages_of(pass), now + PASS_TTL);
    }

    /// A viewer signed out: no pass of theirs is good any more.
    pub(super) fn end(&self, token: &str, now: Timestamp) {
        let mut known = self.known();
        keep_bounded(&mut known.ended, now);
        known
            .ended
            .insert(access::sha256(token), now + 2 * PASS_TTL);
    }

    fn known(&self) -> MutexGuard<'_, PassRecords> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One viewer and one plugin.
fn pages_of(pass: &Pass) -> [u8; 32] {
    let viewer = BASE64_URL_SAFE_NO_PAD.encode(pass.viewer);
    access::sha256(&format!("{}|{}|{viewer}", pass.slug, pass.gate))
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
pub(super) async fn take(app: &App, request: &mut Request) -> Result<Option<PassHolder>, Response> {
    let Some((path, text)) = take_pass(request.uri().path()) else {
        return Ok(None);
    };
    let text = text.to_owned();
    let with_query = match request.uri().query() {
        Some(query) => format!("{path}?{query}"),
        None => path.clone(),
    };
    let clean = PathAndQuery::try_from(with_query).map_err(|_| refused())?;
    let address = request.extensions().get::<ClientInfo>();
    let address = address.map(|client| client.address);
    let holder = match text.is_empty() {
        true => Some(PassHolder {
            text,
            user: None,
            gate: String::new(),
        }),
        false if address.is_some_and(|address| app.chat.is_banned(address)) => None,
        false => holder(app, slug_of(&path), text).await,
    };
    let Some(holder) = holder else {
        // An old address opened on its own redirects to the page, which finds out who the viewer is.
        return Err(match destination(request.headers()) {
            "document" => shell::without_pass(request.method(), clean.as_str()),
            _ => refused(),
        });
    };
    let mut parts = request.uri().clone().into_parts();
    parts.path_and_query = Some(clean);
    *request.uri_mut() = Uri::from_parts(parts).map_err(|_| refused())?;
    Ok(Some(holder))
}

fn slug_of(path: &str) -> &str {
    let below = path.strip_prefix("/plugins/").unwrap_or_default();
    below.split('/').next().unwrap_or_default()
}

async fn holder(app: &App, slug: &str, text: String) -> Option<PassHolder> {
    let pass = app.passes.good(slug, &text, app.clock.now())?;
    Some(PassHolder {
        user: Some(chat::viewer_by_hash(app, &pass.viewer).await?),
        gate: pass.gate,
        text,
    })
}

/// Whether somebody who came with a pass may still stay, with what goes on for long.
pub(super) async fn is_welcome(app: &App, slug: &str, holder: &PassHolder) -> bool {
    holder.text.is_empty() || self::holder(app, slug, holder.text.clone()).await.is_some()
}

/// Not a way to the sign-in: that would be shown inside a frame.
fn refused() -> Response {
    let headers = [
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        // The page's scripts, which have an opaque origin, need to read this.
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    ];
    let text = "this page is no longer valid: open it again\n";
    (StatusCode::FORBIDDEN, headers, text).into_response()
}

/// What a page has, if it asks for more time.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = PassWish)]
pub(crate) struct PassRequest {
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
    Extension(client): Extension<ClientInfo>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    if app.plugins.running.running_plugin(&slug).is_none() {
        return Err(Problem::NotFound);
    }
    let list = app.plugins.installed.list();
    // With a gate, the viewer is the one who signed in, whatever older token the browser has.
    let session = session::session_token(&app, &headers).await;
    let gate = list.gate().filter(|_| session.is_some());
    let token = match &session {
        Some(session) if gate.is_some() => Some(session.expose().to_owned()),
        _ => chat::token_of(&app, &uri, &headers).await,
    };
    let caller = chat::caller(&app, &client, token).await;
    let Some(caller) = caller else {
        return Ok(answer(PASS_SIGN.to_string()));
    };
    let gate = gate.map(|entry| entry.slug.to_string()).unwrap_or_default();
    let now = app.clock.now();
    // Even a body that cannot be parsed gets a pass.
    let old = serde_json::from_slice::<PassRequest>(&body).unwrap_or_default();
    let old = old.pass;
    let old = old.strip_prefix(PASS_SIGN).unwrap_or_default();
    let viewer = caller.token_hash;
    let kept = app.passes.good(&slug, old, now);
    let kept = kept.filter(|pass| pass.viewer == viewer && pass.gate == gate);
    let text = match kept {
        Some(pass) => {
            app.passes.renew(&pass, now);
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
    fn a_pass_ends_unless_its_page_renews_it_and_after_a_day_in_any_case() {
        let passes = Passes::default();
        let text = made(&passes);
        let pass = passes.good("poll", &text, at(600)).unwrap();
        assert!(passes.good("poll", &text, at(601)).is_none());
        passes.renew(&pass, at(500));
        assert!(passes.good("poll", &text, at(1100)).is_some());
        assert!(passes.good("poll", &text, at(1101)).is_none());
        passes.renew(&pass, at(87_000));
        assert!(passes.good("poll", &text, at(87_000)).is_some());
        assert!(passes.good("poll", &text, at(87_001)).is_none());
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
