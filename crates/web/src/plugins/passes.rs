//! Viewer passes: they identify who views a plugin's page, which has an opaque origin and therefore no cookies.
//!
//! Our page requests a pass and puts it into the path of the frame; every relative address in the framed page inherits
//! it. The pass is removed from the path before anything else looks at it.

use ::plugins::gate::{PASS_SIGN, PASS_TTL, Pass, take_pass};
use ::plugins::host::wire::User;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use bytes::Bytes;
use http::uri::PathAndQuery;
use http::{HeaderMap, StatusCode, Uri, header};
use http_server::client::ClientInfo;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::session;
use super::shell::{self, destination};
use crate::chat;
use crate::problem::Problem;
use crate::state::App;

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
        false if address.is_some_and(|address| app.chat.room.is_banned(address)) => None,
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
    let pass = app.plugins.passes.good(slug, &text, app.clock.now())?;
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
    let kept = app.plugins.passes.good(&slug, old, now);
    let kept = kept.filter(|pass| pass.viewer == viewer && pass.gate == gate);
    let text = match kept {
        Some(pass) => {
            app.plugins.passes.renew(&pass, now);
            old.to_owned()
        }
        None => Pass {
            slug,
            gate,
            expires: now + PASS_TTL,
            viewer,
        }
        .seal(app.plugins.passes.key()),
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
