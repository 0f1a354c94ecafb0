//! Authenticates and authorizes callers with an access token.

use access::Bearer;
use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use http_server::client::{ClientInfo, text};

use crate::access_rule::Access;
use crate::chat::parameter;
use crate::problem::Problem;
use crate::state::App;

/// The rule for routes of access tokens. It runs before anything else in the request is checked, so callers without a
/// token learn nothing else.
pub(crate) async fn check(app: App, access: Access, mut request: Request, next: Next) -> Response {
    let secret = match access {
        // A browser cannot set headers on a socket or an event stream.
        Access::AnyToken => bearer_secret(request.headers())
            .map(str::to_owned)
            .or_else(|| parameter(request.uri(), "accessToken")),
        _ => bearer_secret(request.headers()).map(str::to_owned),
    };
    let bearer = match app.bots.tokens.bearer(&secret.unwrap_or_default()).await {
        Ok(bearer) => bearer.filter(|bearer| may(bearer, access)),
        Err(error) => return Problem::from(error).into_response(),
    };
    let Some(bearer) = bearer else {
        log_refusal(&request, access);
        return (StatusCode::UNAUTHORIZED, "unauthorized").into_response();
    };
    let id = bearer.token.id.clone();
    if let Err(retry_after) = app.bots.tokens.admit(&id) {
        let message = "too many calls with this token; wait as long as Retry-After says".into();
        let problem = Problem::TooMany {
            message,
            retry_after,
        };
        return problem.into_response();
    }
    request.extensions_mut().insert(bearer);
    let response = next.run(request).await;
    app.bots.tokens.note_use(&id);
    response
}

fn may(bearer: &Bearer, access: Access) -> bool {
    match access {
        // Scopes do not imply each other.
        Access::Token(scope) => bearer.token.scopes.contains(&scope),
        _ => true,
    }
}

fn log_refusal(request: &Request, access: Access) {
    let client = request.extensions().get::<ClientInfo>();
    let address = client.map(|client| client.address.to_string());
    let scope = match access {
        Access::Token(scope) => scope.as_str(),
        _ => "any",
    };
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map(MatchedPath::as_str);
    model::stranger_line!(
        info, "token_refused", address, method = %request.method(), route, scope,
        "refused a call without a sufficient token"
    );
}

/// The value after `Bearer`, in any case.
fn bearer_secret(headers: &HeaderMap) -> Option<&str> {
    let value = text(headers, header::AUTHORIZATION);
    let (scheme, secret) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn secret_of(value: &str) -> Option<String> {
        let value = HeaderValue::from_str(value).unwrap();
        let headers = HeaderMap::from_iter([(header::AUTHORIZATION, value)]);
        bearer_secret(&headers).map(str::to_owned)
    }

    #[test]
    fn the_word_bearer_may_be_written_in_any_case() {
        for word in ["Bearer", "bearer", "BEARER", "bEaReR"] {
            assert_eq!(secret_of(&format!("{word} abc=")).as_deref(), Some("abc="));
        }
    }

    #[test]
    fn other_schemes_and_bare_secrets_are_no_bearer() {
        for value in ["", "abc=", "Basic abc=", "Bearerabc=", "Bearer"] {
            assert_eq!(secret_of(value), None, "{value}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_header_can_do_more_than_be_refused(value in "[ -~]{0,200}") {
            let _secret = secret_of(&value);
        }
    }
}
