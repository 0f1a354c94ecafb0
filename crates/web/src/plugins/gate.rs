//! The viewers' gate: who has to sign in with a plugin before they see anything.

use ::plugins::engine::CallKind;
use ::plugins::gate::{self, AccessMode, Asking, Door, Verdict, is_exempt};
use ::plugins::host::wire::User;
use ::plugins::http::RequestPath;
use ::plugins::shelf::Board;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use model::Secret;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::passes::{self, Holder};
use super::{operator, session};
use crate::app::App;
use crate::client::Client;
use crate::{assets, chat};

const CLOSED: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Sign-in unavailable</title></head>\
<body><h1>Authentication temporarily unavailable</h1><p>Nobody can sign in at the moment. Please try again in a while.</p></body></html>";

/// What becomes of a request.
enum Passage {
    Free,
    /// They may pass, and their browser gets this cookie.
    Renewed(String),
    Stopped(Response),
}

/// Somebody at the gate.
struct Asker<'a> {
    holder: Option<&'a Holder>,
    method: &'a Method,
    uri: &'a Uri,
    headers: &'a HeaderMap,
    is_https: bool,
}

/// What a plugin says about somebody who has a session.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Told {
    action: String,
    ttl: i64,
}

/// In front of all routes but media.
pub(crate) async fn pass(app: App, mut request: Request, next: Next) -> Response {
    match passes::take(&app, &mut request).await {
        Ok(Some(holder)) => drop(request.extensions_mut().insert(holder)),
        Ok(None) => {}
        Err(refusal) => return refusal,
    }
    let client = request.extensions().get::<Client>();
    let asker = Asker {
        holder: request.extensions().get::<Holder>(),
        method: request.method(),
        uri: request.uri(),
        headers: request.headers(),
        is_https: client.is_some_and(|client| client.is_secure),
    };
    match passage(&app, &asker).await {
        Passage::Free => next.run(request).await,
        Passage::Renewed(cookie) => {
            let mut response = next.run(request).await;
            set_cookie(&mut response, &cookie);
            response
        }
        Passage::Stopped(response) => response,
    }
}

/// In front of media, which has no layers; nothing when they may pass.
pub(crate) async fn stop_media(app: &App, request: &http::request::Parts) -> Option<Response> {
    // Nearly always there is no gate, and thousands of players ask.
    app.plugins.shelf.board().gate()?;
    let asker = Asker {
        holder: None,
        method: &request.method,
        uri: &request.uri,
        headers: &request.headers,
        is_https: false,
    };
    match passage(app, &asker).await {
        Passage::Stopped(response) => Some(response),
        Passage::Free | Passage::Renewed(_) => None,
    }
}

/// Whether pages are for those who signed in.
pub(crate) fn is_gated(app: &App) -> bool {
    app.plugins.shelf.board().gate().is_some()
}

/// Whether the video is for those who signed in. Then no copy of it may stay with anybody on the way.
pub(crate) fn is_media_guarded(app: &App) -> bool {
    let guard = app.plugins.shelf.board().guard();
    guard.is_some_and(AccessMode::guards_media)
}

/// Gives the files of the stream new names whenever more is guarded than before: whoever has the old ones from a time
/// before the gate, or finds them in a cache, has nothing. Until `stop`.
pub async fn renew_names(app: App, stop: CancellationToken) {
    let mut board = app.plugins.shelf.board_changes();
    let guarded = |board: &Board| board.guard().is_some_and(AccessMode::guards_media);
    let mut was_guarded = guarded(&board.borrow_and_update());
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            changed = board.changed() => if changed.is_err() {
                return;
            }
        }
        let is_guarded = guarded(&board.borrow_and_update());
        if is_guarded && !was_guarded {
            app.live.renew_names().await;
        }
        was_guarded = is_guarded;
    }
}

/// Whether directories may know of the stream.
pub(crate) fn is_listed(app: &App) -> bool {
    let board = app.plugins.shelf.board();
    board.gate().is_none_or(|gate| gate.access_mode.is_listed())
}

async fn passage(app: &App, asker: &Asker<'_>) -> Passage {
    let Some(door) = door(app).await else {
        return Passage::Free;
    };
    let session = session::session_token(app, asker.headers).await;
    let raw = asker.uri.path();
    let clean = RequestPath::read(raw);
    let clean = clean.as_ref().map_or(raw, RequestPath::as_str);
    // What is free must be free as it was written, for that is what leads to a route, and as it is understood there.
    let path = match is_exempt(raw, &door.slug, door.mode) {
        true => clean,
        false => raw,
    };
    let only_reads = matches!(*asker.method, Method::GET | Method::HEAD);
    let uri = asker.uri.path_and_query();
    let uri = uri.map_or("/", http::uri::PathAndQuery::as_str);
    let verdict = door.decide(&Asking {
        only_reads,
        path,
        uri,
        has_session: session.is_some() || is_known(app, asker, &door),
        is_built_in_asset: assets::is_built_in(raw) || matches!(raw, "/healthz" | "/readyz"),
    });
    match (verdict, session) {
        (Verdict::Allow, Some(token)) if only_reads && raw == "/" => {
            ask_again(app, asker, &door, &token).await
        }
        (Verdict::Allow, _) => Passage::Free,
        (Verdict::Unavailable, _) => Passage::Stopped(unavailable()),
        (Verdict::SignIn(to), _) => Passage::Stopped(lead(&to)),
        (Verdict::Refuse, _) => {
            let text = "sign in first\n";
            Passage::Stopped((StatusCode::UNAUTHORIZED, text).into_response())
        }
    }
}

/// Whether a page of a plugin asks, for somebody who signed in by this very gate or for the operator.
fn is_known(app: &App, asker: &Asker<'_>, door: &Door) -> bool {
    let holder = asker.holder;
    holder.is_some_and(|holder| holder.gate == door.slug)
        || operator::is_pass_at(asker.uri, app.clock.now())
}

/// The gate as it stands; nothing when the operator wants none.
async fn door(app: &App) -> Option<Door> {
    let board = app.plugins.shelf.board();
    let entry = board.gate()?;
    let slug = entry.slug.to_string();
    let is_running = app.plugins.guests.guest(&slug).is_some();
    Some(Door {
        is_ready: is_running && app.sessions.key(app).await.is_some(),
        mode: entry.access_mode,
        slug,
    })
}

/// Asks the plugin about somebody who comes back with a session. One that does not run is not asked: who has a session
/// may pass meanwhile.
async fn ask_again(app: &App, asker: &Asker<'_>, door: &Door, token: &Secret) -> Passage {
    let Some(guest) = app.plugins.guests.guest(&door.slug) else {
        return Passage::Free;
    };
    let told = match chat::viewer_by_token(app, token.expose()).await {
        Some(user) => {
            let answer = guest.ask(CallKind::Auth, question(&user)).await;
            answer.map_err(|error| {
                model::stranger_line!(
                    warn, "gate", plugin = door.slug, %error, "a viewer could not be checked"
                );
            })
        }
        None => Err(()),
    };
    let told = told.map(|text| serde_json::from_str::<Told>(&text).unwrap_or_default());
    match told {
        Ok(told) if told.action == "refresh" => {
            let cookie = session::cookie(app, token, gate::ttl(told.ttl), asker.is_https).await;
            cookie.map_or(Passage::Free, Passage::Renewed)
        }
        Ok(told) if told.action != "deny" => Passage::Free,
        _ => {
            let uri = asker.uri.path_and_query();
            let uri = uri.map_or("/", http::uri::PathAndQuery::as_str);
            let mut response = lead(&door.sign_in(uri));
            app.passes.end(token.expose(), app.clock.now());
            set_cookie(&mut response, &gate::clear_cookie(asker.is_https));
            Passage::Stopped(response)
        }
    }
}

fn question(user: &User) -> String {
    #[derive(serde::Serialize)]
    struct Question<'a> {
        user: &'a User,
    }
    // Texts and numbers: there is nothing that could fail.
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
