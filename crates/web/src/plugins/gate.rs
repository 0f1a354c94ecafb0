//! The viewers' gate: who must sign in with a plugin before they see anything.

use ::plugins::engine::CallKind;
use ::plugins::gate::{self, AccessGate, AccessMode, GateRequest, GateVerdict, is_exempt};
use ::plugins::host::wire::User;
use ::plugins::http::RequestPath;
use ::plugins::installed::PluginList;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use http_server::client::ClientInfo;
use model::Secret;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::passes::{self, PassHolder};
use super::{operator, session};
use crate::state::{App, ViewerJudgement};
use crate::{assets, chat};

const CLOSED: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Sign-in unavailable</title></head>\
<body><h1>Authentication temporarily unavailable</h1><p>Nobody can sign in right now. Please try again later.</p></body></html>";

/// The outcome for a request.
enum GateOutcome {
    Free,
    /// The request may pass, and the browser gets this cookie.
    Renewed(String),
    Stopped(Response),
}

/// A request at the gate.
struct IncomingRequest<'a> {
    holder: Option<&'a PassHolder>,
    method: &'a Method,
    uri: &'a Uri,
    headers: &'a HeaderMap,
    is_https: bool,
}

/// A plugin's answer about a viewer with a session.
#[derive(Default, Deserialize)]
#[serde(default)]
struct AuthAnswer {
    action: String,
    ttl: i64,
}

/// Runs in front of all routes except media.
pub(crate) async fn pass(app: App, mut request: Request, next: Next) -> Response {
    match passes::take(&app, &mut request).await {
        Ok(Some(holder)) => drop(request.extensions_mut().insert(holder)),
        Ok(None) => {}
        Err(refusal) => return refusal,
    }
    let client = request.extensions().get::<ClientInfo>();
    let asker = IncomingRequest {
        holder: request.extensions().get::<PassHolder>(),
        method: request.method(),
        uri: request.uri(),
        headers: request.headers(),
        is_https: client.is_some_and(|client| client.is_secure),
    };
    match passage(&app, &asker).await {
        GateOutcome::Free => next.run(request).await,
        GateOutcome::Renewed(cookie) => {
            let mut response = next.run(request).await;
            set_cookie(&mut response, &cookie);
            response
        }
        GateOutcome::Stopped(response) => response,
    }
}

/// Runs in front of media, which has no layers; `None` if the request may pass.
pub(crate) async fn stop_media(app: &App, request: &http::request::Parts) -> Option<Response> {
    // Usually there is no gate, and thousands of players ask.
    app.plugins.installed.list().gate()?;
    let asker = IncomingRequest {
        holder: None,
        method: &request.method,
        uri: &request.uri,
        headers: &request.headers,
        is_https: false,
    };
    match passage(app, &asker).await {
        GateOutcome::Stopped(response) => Some(response),
        GateOutcome::Free | GateOutcome::Renewed(_) => None,
    }
}

/// Whether pages are only for viewers who signed in.
pub(crate) fn is_gated(app: &App) -> bool {
    app.plugins.installed.list().gate().is_some()
}

/// Whether the video is only for viewers who signed in. Then no cache may keep a copy of it.
pub(crate) fn is_media_guarded(app: &App) -> bool {
    let guard = app.plugins.installed.list().guard();
    guard.is_some_and(AccessMode::guards_media)
}

/// Renames the stream's files whenever more becomes guarded than before, so that names learned before the gate, or
/// found in a cache, are useless. Runs until `stop`.
pub async fn renew_names(app: App, stop: CancellationToken) {
    let mut list = app.plugins.installed.list_changes();
    let guarded = |list: &PluginList| list.guard().is_some_and(AccessMode::guards_media);
    let mut was_guarded = guarded(&list.borrow_and_update());
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            changed = list.changed() => if changed.is_err() {
                return;
            }
        }
        let is_guarded = guarded(&list.borrow_and_update());
        if is_guarded && !was_guarded {
            app.live.stream.renew_names().await;
        }
        was_guarded = is_guarded;
    }
}

/// Whether directories may list the stream.
pub(crate) fn is_listed(app: &App) -> bool {
    let list = app.plugins.installed.list();
    list.gate().is_none_or(|gate| gate.access_mode.is_listed())
}

async fn passage(app: &App, asker: &IncomingRequest<'_>) -> GateOutcome {
    let Some(access_gate) = access_gate(app) else {
        return GateOutcome::Free;
    };
    let session = session::session_token(app, asker.headers).await;
    let raw = asker.uri.path();
    let clean = RequestPath::read(raw);
    let clean = clean.as_ref().map_or(raw, RequestPath::as_str);
    // An exempt path must be exempt both as it was sent, which selects the route, and as it is decoded there.
    let path = match is_exempt(raw, &access_gate.slug, access_gate.mode) {
        true => clean,
        false => raw,
    };
    let only_reads = matches!(*asker.method, Method::GET | Method::HEAD);
    let uri = asker.uri.path_and_query();
    let uri = uri.map_or("/", http::uri::PathAndQuery::as_str);
    let verdict = access_gate.decide(&GateRequest {
        only_reads,
        path,
        uri,
        has_session: session.is_some() || is_known(app, asker, &access_gate),
        is_built_in_asset: assets::is_built_in(raw) || matches!(raw, "/healthz" | "/readyz"),
    });
    // Asked only where it matters: most requests come with a session.
    let is_shut = verdict != GateVerdict::Allow && !is_ready(app, &access_gate.slug).await;
    let verdict = match is_shut {
        true => GateVerdict::Unavailable,
        false => verdict,
    };
    match (verdict, session) {
        (GateVerdict::Allow, Some(token)) if only_reads && raw == "/" => {
            ask_again(app, asker, &access_gate, &token).await
        }
        (GateVerdict::Allow, _) => GateOutcome::Free,
        (GateVerdict::Unavailable, _) => GateOutcome::Stopped(unavailable()),
        (GateVerdict::SignIn(to), _) => GateOutcome::Stopped(lead(&to)),
        (GateVerdict::Refuse, _) => {
            let text = "sign in first\n";
            GateOutcome::Stopped((StatusCode::UNAUTHORIZED, text).into_response())
        }
    }
}

/// Whether the request comes from a plugin page of a viewer who signed in through this gate, or of the operator.
fn is_known(app: &App, asker: &IncomingRequest<'_>, access_gate: &AccessGate) -> bool {
    let holder = asker.holder;
    holder.is_some_and(|holder| holder.gate == access_gate.slug)
        || operator::is_pass_at(asker.uri, app.clock.now())
}

/// The current gate; `None` if the operator wants none. Whether it is ready, [`is_ready`] says.
fn access_gate(app: &App) -> Option<AccessGate> {
    let list = app.plugins.installed.list();
    let entry = list.gate()?;
    Some(AccessGate {
        slug: entry.slug.to_string(),
        mode: entry.access_mode,
        is_ready: true,
    })
}

/// Whether somebody could sign in now.
async fn is_ready(app: &App, slug: &str) -> bool {
    let is_running = match app.plugins.elsewhere() {
        Some(holder) => holder.is_ready(slug).await,
        None => is_plugin_ready(app, slug),
    };
    let sessions = &app.plugins.sessions;
    is_running && sessions.key(&app.store, &*app.clock).await.is_some()
}

/// Whether a plugin answers on this machine.
pub fn is_plugin_ready(app: &App, slug: &str) -> bool {
    app.plugins.running.running_plugin(slug).is_some()
}

/// What a plugin of this machine says about the viewer with this hash of a token.
pub async fn judge_viewer(
    app: &App,
    slug: &str,
    viewer: [u8; 32],
    question: String,
) -> ViewerJudgement {
    let Some(plugin) = app.plugins.running.running_plugin(slug) else {
        return ViewerJudgement::NotRunning;
    };
    let judgement = match plugin.ask(CallKind::Auth, question).await {
        Ok(text) => ViewerJudgement::Answer(text),
        Err(error) => {
            model::stranger_line!(
                warn, "gate", plugin = slug, %error, "a viewer could not be checked"
            );
            ViewerJudgement::Failed
        }
    };
    let is_denied = match &judgement {
        ViewerJudgement::Answer(text) => read_answer(text).action == "deny",
        ViewerJudgement::NotRunning | ViewerJudgement::Failed => true,
    };
    if is_denied {
        // Here, where the plugin's pages are served.
        app.plugins.passes.end_viewer(viewer, app.clock.now());
    }
    judgement
}

fn read_answer(text: &str) -> AuthAnswer {
    serde_json::from_str(text).unwrap_or_default()
}

/// Asks the plugin about a viewer who returns with a session. If the plugin is not running it is not asked, and viewers
/// with a session may pass meanwhile.
async fn ask_again(
    app: &App,
    asker: &IncomingRequest<'_>,
    access_gate: &AccessGate,
    token: &Secret,
) -> GateOutcome {
    let (slug, holder) = (access_gate.slug.as_str(), app.plugins.elsewhere());
    if holder.is_none() && !is_plugin_ready(app, slug) {
        return GateOutcome::Free;
    }
    let judgement = match chat::viewer_by_token(app, token.expose()).await {
        Some(user) => {
            let (viewer, question) = (access::sha256(token.expose()), question(&user));
            match holder {
                Some(holder) => holder.judge_viewer(slug, viewer, question).await,
                None => judge_viewer(app, slug, viewer, question).await,
            }
        }
        None => ViewerJudgement::Failed,
    };
    let auth_answer = match judgement {
        ViewerJudgement::NotRunning => return GateOutcome::Free,
        ViewerJudgement::Answer(text) => Some(read_answer(&text)),
        ViewerJudgement::Failed => None,
    };
    match auth_answer {
        Some(auth_answer) if auth_answer.action == "refresh" => {
            let cookie =
                session::cookie(app, token, gate::ttl(auth_answer.ttl), asker.is_https).await;
            cookie.map_or(GateOutcome::Free, GateOutcome::Renewed)
        }
        Some(auth_answer) if auth_answer.action != "deny" => GateOutcome::Free,
        _ => {
            let uri = asker.uri.path_and_query();
            let uri = uri.map_or("/", http::uri::PathAndQuery::as_str);
            let mut response = lead(&access_gate.sign_in(uri));
            app.plugins.passes.end(token.expose(), app.clock.now());
            set_cookie(&mut response, &gate::clear_cookie(asker.is_https));
            GateOutcome::Stopped(response)
        }
    }
}

fn question(user: &User) -> String {
    #[derive(serde::Serialize)]
    struct Question<'a> {
        user: &'a User,
    }
    // Only texts and numbers: serialization cannot fail.
    serde_json::to_string(&Question { user }).unwrap_or_default()
}

fn lead(to: &str) -> Response {
    let headers = [(header::LOCATION, to), (header::CACHE_CONTROL, "no-store")];
    (StatusCode::FOUND, headers).into_response()
}

fn unavailable() -> Response {
    let headers = [
        (header::CACHE_CONTROL, "no-store"),
        (header::RETRY_AFTER, "30"),
    ];
    (StatusCode::SERVICE_UNAVAILABLE, headers, Html(CLOSED)).into_response()
}

fn set_cookie(response: &mut Response, cookie: &str) {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}
