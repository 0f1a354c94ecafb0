//! The access rule of a route, checked before its handler sees the request.

use std::time::Duration;

use access::{SignInError, Visitor};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use http_server::client::{ClientInfo, may_be_browser, text};
use model::Secret;
use model::settings::table::SERVER_URL;
use url::Url;

use crate::access_rule::Access;
use crate::pages;
use crate::problem::Problem;
use crate::state::App;

/// The session cookie over plain HTTP.
const COOKIE: &str = "rillcast_admin";
/// Over TLS: the prefix makes browsers refuse it from anywhere but this very host.
const SECURE_COOKIE: &str = "__Host-rillcast_admin";
/// The same for the cookie that makes a browser known.
const DEVICE: &str = "rillcast_device";
const SECURE_DEVICE: &str = "__Host-rillcast_device";
/// How long a browser is known without signing in again; a new password ends it.
const DEVICE_LENGTH: Duration = Duration::from_secs(365 * 24 * 3600);
/// All of them; no plugin may set them.
pub(crate) const ADMIN_COOKIES: [&str; 4] = [COOKIE, SECURE_COOKIE, DEVICE, SECURE_DEVICE];
/// A request by cookie that changes something must carry one of these; no foreign page can make a browser send them.
const CSRF_HEADERS: [&str; 2] = ["x-rillcast-csrf", "x-owncast-csrf-protection"];

/// What a request without such a header is told.
pub(crate) const CSRF_ADVICE: &str = "this request needs the header X-Rillcast-CSRF: 1\n";
/// What an answer repeats of a header.
const MAX_SHOWN_CHARS: usize = 100;

/// What the guard found out about an admin request.
#[derive(Clone, Debug)]
enum Caller {
    Operator,
    Stranger,
}

/// Checks every rule except [`Access::Public`], whose routes do not come here.
pub(crate) async fn check(app: App, access: Access, request: Request, next: Next) -> Response {
    let Some(client) = request.extensions().get::<ClientInfo>().cloned() else {
        return unauthorized(request.headers(), "Unauthorized\n");
    };
    if let Some(origin) = foreign_origin(&app, &client, request.headers()) {
        return forbidden(&origin, &client);
    }
    if access == Access::AdminAuth {
        return next.run(request).await;
    }
    let caller = match identify(&app, &client, request.method(), request.headers()).await {
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

/// Whether the request is the operator's, for routes where that depends on more than the row. The error is the answer
/// for a client that is not even asked to sign in.
pub(crate) async fn is_operator(
    app: &App,
    client: &ClientInfo,
    method: &Method,
    headers: &HeaderMap,
) -> Result<bool, Response> {
    if let Some(origin) = foreign_origin(app, client, headers) {
        return Err(forbidden(&origin, client));
    }
    let caller = identify(app, client, method, headers).await?;
    Ok(matches!(caller, Caller::Operator))
}

async fn identify(
    app: &App,
    client: &ClientInfo,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Caller, Response> {
    if let Some((user, password)) = basic_credentials(headers) {
        return match app
            .operator
            .identity
            .check_basic(&user, password, &visitor(client, headers))
            .await
        {
            Ok(()) if !is_safe(method) && may_be_led(headers) => Err(needs_proof()),
            Ok(()) => Ok(Caller::Operator),
            Err(SignInError::Wrong | SignInError::WrongLink | SignInError::NotSetUp) => {
                Ok(Caller::Stranger)
            }
            Err(other) => Err(Problem::from(other).into_response()),
        };
    }
    let Some(cookie) = session_cookie(headers, client) else {
        return Ok(Caller::Stranger);
    };
    match app.operator.identity.has_session(&cookie).await {
        Ok(true) if may_be_forged(method, headers) => Err(needs_proof()),
        Ok(true) => Ok(Caller::Operator),
        Ok(false) => Ok(Caller::Stranger),
        Err(error) => Err(Problem::from(error).into_response()),
    }
}

/// The client together with what it claims to be.
pub(crate) fn visitor(client: &ClientInfo, headers: &HeaderMap) -> Visitor {
    Visitor {
        address: client.address,
        user_agent: text(headers, header::USER_AGENT).to_owned(),
        device: device_cookie(headers, client),
    }
}

fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

fn has_proof(headers: &HeaderMap) -> bool {
    CSRF_HEADERS.iter().any(|name| text(headers, *name) == "1")
}

fn needs_proof() -> Response {
    (StatusCode::FORBIDDEN, CSRF_ADVICE).into_response()
}

/// Whether a request with a cookie changes something and could have been triggered by another site's page.
pub(crate) fn may_be_forged(method: &Method, headers: &HeaderMap) -> bool {
    let is_own = text(headers, "sec-fetch-site") == "same-origin";
    !(is_safe(method) || is_own || has_proof(headers))
}

/// Whether a request carries a password that a browser may have stored and sends wherever a page leads it. Scripts are
/// trusted.
pub(crate) fn may_be_led(headers: &HeaderMap) -> bool {
    may_be_browser(headers) && !has_proof(headers)
}

/// An `Origin` that is neither a name this server was addressed by nor its configured public one.
///
/// Compares hosts, not schemes: behind an untrusted proxy we cannot know which scheme the browser used.
fn foreign_origin(app: &App, client: &ClientInfo, headers: &HeaderMap) -> Option<String> {
    if !headers.contains_key(header::ORIGIN) {
        return None;
    }
    let whole = text(headers, header::ORIGIN);
    let shown: String = whole.chars().take(MAX_SHOWN_CHARS).collect();
    let origin = Url::parse(whole)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"));
    let Some(origin) = origin else {
        return Some(shown);
    };
    let place = |url: &Url| {
        (
            url.host_str().map(str::to_owned),
            url.port_or_known_default(),
        )
    };
    // Parsed with the origin's scheme, so that a default port may be present or absent.
    let addressed = client
        .hosts
        .iter()
        .map(|host| format!("{}://{host}", origin.scheme()));
    let configured = app.settings.now().text(&SERVER_URL).to_owned();
    let mut ours = addressed
        .chain([configured])
        .filter_map(|url| Url::parse(&url).ok());
    let is_ours = ours.any(|url| place(&url) == place(&origin));
    if is_ours { None } else { Some(shown) }
}

/// Says what does not match, because behind a proxy it is the operator who reads this.
fn forbidden(origin: &str, client: &ClientInfo) -> Response {
    let addressed: String = client
        .hosts
        .join(" or ")
        .chars()
        .take(MAX_SHOWN_CHARS)
        .collect();
    let text = format!(
        "Forbidden: the page is from {origin:?}, but this server was addressed as {addressed:?}. If that is its public \
         address, set it with --server-url, or let the proxy pass the Host header on.\n"
    );
    (StatusCode::FORBIDDEN, text).into_response()
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

/// The value of the session cookie. Over TLS only the bound name counts: the other may be planted or stale.
pub(crate) fn session_cookie(headers: &HeaderMap, client: &ClientInfo) -> Option<Secret> {
    cookie(headers, cookie_name(client))
}

fn cookie(headers: &HeaderMap, wanted: &str) -> Option<Secret> {
    let cookies = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut pairs = cookies
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs
        .find(|(name, _)| *name == wanted)
        .map(|(_, value)| Secret::new(value))
}

/// The cookie of a browser in which the operator has signed in before; it grants nothing by itself.
fn device_cookie(headers: &HeaderMap, client: &ClientInfo) -> Option<Secret> {
    cookie(headers, device_name(client))
}

fn device_name(client: &ClientInfo) -> &'static str {
    if client.is_secure {
        SECURE_DEVICE
    } else {
        DEVICE
    }
}

/// The `Set-Cookie` header that marks a browser as known.
pub(crate) fn set_device_cookie(
    value: &Secret,
    client: &ClientInfo,
) -> (header::HeaderName, String) {
    let (name, value) = (device_name(client), value.expose());
    let secure = if client.is_secure { "; Secure" } else { "" };
    let age = DEVICE_LENGTH.as_secs();
    let cookie =
        format!("{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}");
    (header::SET_COOKIE, cookie)
}

fn cookie_name(client: &ClientInfo) -> &'static str {
    if client.is_secure {
        SECURE_COOKIE
    } else {
        COOKIE
    }
}

/// The `Set-Cookie` header that gives a browser its session, or with an empty value removes it.
pub(crate) fn set_cookie(
    value: &str,
    max_age_seconds: u64,
    client: &ClientInfo,
) -> (header::HeaderName, String) {
    let name = cookie_name(client);
    let secure = if client.is_secure { "; Secure" } else { "" };
    let cookie = format!(
        "{name}={value}; Path=/; Max-Age={max_age_seconds}; HttpOnly; SameSite=Lax{secure}"
    );
    (header::SET_COOKIE, cookie)
}

/// 401. Only scripts get the Basic challenge: browsers would open their own dialog over our page.
pub(crate) fn unauthorized(headers: &HeaderMap, body: impl IntoResponse) -> Response {
    let mut response = (StatusCode::UNAUTHORIZED, body).into_response();
    if !headers.contains_key("sec-fetch-mode") {
        let challenge = HeaderValue::from_static("Basic realm=\"Rillcast admin\"");
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(is_secure: bool) -> ClientInfo {
        ClientInfo {
            address: "192.0.2.1".parse().unwrap(),
            is_secure,
            hosts: Vec::new(),
        }
    }

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderValue::from_str(value)
            .map(|value| HeaderMap::from_iter([(name, value)]))
            .unwrap_or_default()
    }

    #[test]
    fn the_cookie_is_found_among_others_and_only_by_its_own_name() {
        let value = "a=b; rillcast_admin=plain;  __Host-rillcast_admin=bound; c";
        let found = |is_secure| {
            session_cookie(&headers(header::COOKIE, value), &client(is_secure)).unwrap()
        };
        assert_eq!(found(false).expose(), "plain");
        assert_eq!(found(true).expose(), "bound");
        let other = headers(header::COOKIE, "xrillcast_admin=1; rillcast_adminx=2");
        assert!(session_cookie(&other, &client(false)).is_none());
    }

    proptest::proptest! {
        #[test]
        fn credentials_are_read_back_as_they_were_written(user in "[^:\\x00]{0,20}", password in "\\PC{0,40}") {
            let value = format!("bAsIc {}", STANDARD.encode(format!("{user}:{password}")));
            let (read_user, read_password) = basic_credentials(&headers(header::AUTHORIZATION, &value)).unwrap();
            proptest::prop_assert_eq!((read_user.as_str(), read_password.expose()), (user.as_str(), password.as_str()));
        }

        #[test]
        fn no_header_can_do_more_than_be_ignored(value in "[ -~]{0,80}") {
            let mut all = headers(header::AUTHORIZATION, &value);
            all.extend(headers(header::COOKIE, &value));
            let _read = (basic_credentials(&all), session_cookie(&all, &client(true)), may_be_forged(&Method::POST, &all));
        }
    }
}
