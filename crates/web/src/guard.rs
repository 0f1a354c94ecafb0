//! The access rule of a route, checked before its handler sees the request.

use access::SignInError;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use model::Secret;
use model::settings::table::SERVER_URL;
use url::Url;

use crate::app::App;
use crate::client::{Client, text};
use crate::pages;
use crate::problem::Problem;
use crate::route::Access;

/// The session cookie over plain HTTP.
const COOKIE: &str = "rillcast_admin";
/// Over TLS: the prefix makes browsers refuse it from anywhere but this very host.
const SECURE_COOKIE: &str = "__Host-rillcast_admin";
/// A request by cookie that changes something must carry one of these; no foreign page can make a browser send them.
const CSRF_HEADERS: [&str; 2] = ["x-rillcast-csrf", "x-owncast-csrf-protection"];

/// What the guard found out about an admin request.
#[derive(Clone, Debug)]
enum Caller {
    Operator,
    Stranger,
}

/// Every rule but [`Access::Public`], whose routes do not come here.
pub(crate) async fn check(app: App, access: Access, request: Request, next: Next) -> Response {
    if is_foreign_origin(&app, request.headers()) {
        return (StatusCode::FORBIDDEN, "Forbidden\n").into_response();
    }
    if access == Access::AdminDoor {
        return next.run(request).await;
    }
    let client = request.extensions().get::<Client>().cloned();
    let caller = match identify(&app, client, request.method(), request.headers()).await {
        Ok(caller) => caller,
        Err(response) => return response,
    };
    match (caller, access) {
        (Caller::Operator, _) => next.run(request).await,
        (Caller::Stranger, Access::AdminPage) => {
            let page = pages::admin_for_strangers(&app);
            unauthorized(request.headers(), page)
        }
        (Caller::Stranger, _) => unauthorized(request.headers(), "Unauthorized\n"),
    }
}

async fn identify(
    app: &App,
    client: Option<Client>,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Caller, Response> {
    if let Some((user, password)) = basic_credentials(headers) {
        let Some(client) = client else {
            return Ok(Caller::Stranger);
        };
        return match app
            .admin
            .check_basic(&user, password, &client.visitor(headers))
            .await
        {
            Ok(()) => Ok(Caller::Operator),
            Err(SignInError::Wrong | SignInError::NotSetUp) => Ok(Caller::Stranger),
            Err(other) => Err(Problem::from(other).into_response()),
        };
    }
    let Some(cookie) = session_cookie(headers) else {
        return Ok(Caller::Stranger);
    };
    match app.admin.has_session(&cookie).await {
        Ok(true) if may_be_forged(method, headers) => {
            let advice = "this request needs the header X-Rillcast-CSRF: 1\n";
            Err((StatusCode::FORBIDDEN, advice).into_response())
        }
        Ok(true) => Ok(Caller::Operator),
        Ok(false) => Ok(Caller::Stranger),
        Err(error) => Err(Problem::from(error).into_response()),
    }
}

/// A request that changes something and that a foreign page could have made the browser send.
fn may_be_forged(method: &Method, headers: &HeaderMap) -> bool {
    let is_safe = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    let is_own = text(headers, "sec-fetch-site") == "same-origin";
    let has_proof = CSRF_HEADERS.iter().any(|name| text(headers, *name) == "1");
    !(is_safe || is_own || has_proof)
}

/// An `Origin` that is neither the host the request was sent to nor the configured public one.
fn is_foreign_origin(app: &App, headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return false;
    };
    let Some(origin) = origin
        .to_str()
        .ok()
        .and_then(|origin| Url::parse(origin).ok())
    else {
        return true;
    };
    let authority = |url: &Url| match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.to_owned(),
        (None, _) => String::new(),
    };
    let own = text(headers, header::HOST);
    // Parsed with the origin's scheme, so that a default port may be written or not.
    let own = Url::parse(&format!("{}://{own}", origin.scheme())).ok();
    let configured = Url::parse(app.settings.now().text(&SERVER_URL)).ok();
    let is_ours = [own, configured]
        .into_iter()
        .flatten()
        .any(|url| authority(&url) == authority(&origin));
    !is_ours || authority(&origin).is_empty()
}

fn basic_credentials(headers: &HeaderMap) -> Option<(String, Secret)> {
    let value = text(headers, header::AUTHORIZATION);
    let (scheme, encoded) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (user, password) = decoded.split_once(':')?;
    Some((user.to_owned(), Secret::new(password)))
}

/// The value of the session cookie, of either name.
pub(crate) fn session_cookie(headers: &HeaderMap) -> Option<Secret> {
    let cookies = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut pairs = cookies
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs
        .find(|(name, _)| *name == COOKIE || *name == SECURE_COOKIE)
        .map(|(_, value)| Secret::new(value))
}

/// The header that hands a browser its session, or with an empty value takes it away.
pub(crate) fn set_cookie(
    value: &str,
    max_age_seconds: u64,
    is_secure: bool,
) -> (header::HeaderName, String) {
    let (name, secure) = if is_secure {
        (SECURE_COOKIE, "; Secure")
    } else {
        (COOKIE, "")
    };
    let cookie = format!(
        "{name}={value}; Path=/; Max-Age={max_age_seconds}; HttpOnly; SameSite=Lax{secure}"
    );
    (header::SET_COOKIE, cookie)
}

/// 401. Scripts are told about Basic; browsers are not, or they would open their own dialog over our page.
fn unauthorized(headers: &HeaderMap, body: impl IntoResponse) -> Response {
    let mut response = (StatusCode::UNAUTHORIZED, body).into_response();
    if !headers.contains_key("sec-fetch-mode") {
        let challenge = HeaderValue::from_static("Basic realm=\"Rillcast admin\"");
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}
