//! Signing in to the chat with an address of one's own.

use access::indieauth::{SignInProblem, SignInRequester};
use axum::extract::State;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::{Extension, Json};
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use http_server::client::ClientInfo;
use http_server::json::ApiJson;
use model::settings::table::SERVER_URL;
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::caller::{ChatCaller, parameter};
use crate::html::escaped;
use crate::problem::Problem;
use crate::sentences;
use crate::state::App;

/// Ties the browser that comes back to the one that left.
const COOKIE: &str = "rillcast_signin";
/// As the store and lists call it.
const PROVIDER: &str = "IndieAuth";

/// Whose page somebody wants to prove.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SignInWish)]
pub(crate) struct SignInRequest {
    /// The address of the page.
    auth_host: String,
}

/// Where the browser has to go.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SignInBegun)]
pub(crate) struct SignInRedirect {
    #[schema(value_type = String)]
    redirect: Url,
}

/// `POST /api/auth/indieauth`: where the browser has to go.
pub(crate) async fn begin(
    State(app): State<App>,
    Extension(caller): Extension<ChatCaller>,
    Extension(client): Extension<ClientInfo>,
    ApiJson(request): ApiJson<SignInRequest>,
) -> Result<Response, Problem> {
    let server_url = app.settings.now().get(&SERVER_URL).clone();
    let server_url = Url::parse(&server_url).map_err(|_| {
        let text = "nobody can sign in here until the operator has set the server's public address";
        Problem::BadRequest(text.into()).worded(sentences::NO_SIGN_IN.plain())
    })?;
    let requester = SignInRequester {
        user: caller.user.id,
        token_hash: caller.token_hash,
    };
    let begun = app
        .chat
        .sign_in
        .begin(&request.auth_host, requester, &server_url)
        .await;
    let redirect = begun.map_err(|problem| bad_request(&problem))?;
    let state = parameter_of(&redirect, "state");
    let secure = if client.is_secure { "; Secure" } else { "" };
    let cookie =
        format!("{COOKIE}={state}; Path=/api/auth; Max-Age=600; HttpOnly; SameSite=Lax{secure}");
    let mut response = Json(SignInRedirect { redirect }).into_response();
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// `GET /api/auth/indieauth/callback`: the browser is back.
pub(crate) async fn finish(State(app): State<App>, uri: Uri, headers: HeaderMap) -> Response {
    let state = parameter(&uri, "state").unwrap_or_default();
    let code = parameter(&uri, "code").unwrap_or_default();
    // Otherwise somebody could be tricked into linking their page to another person's chat user.
    if state.is_empty() || cookie(&headers) != Some(state.as_str()) {
        return failed("This sign-in was started in another browser. Please start again.");
    }
    let proven = match app.chat.sign_in.finish(&state, &code).await {
        Ok(proven) => proven,
        Err(problem) => return failed(&error_text(&problem)),
    };
    let (user, at) = (&proven.requester.user, app.clock.now());
    let subject = proven.me.to_string();
    let hash = proven.requester.token_hash.to_vec();
    let attached = app.store.attach_identity(PROVIDER, subject, user, hash, at);
    match attached.await {
        Ok(Some(attached)) => {
            let (token, now) = (attached.token, attached.user);
            app.chat.room.identified(user, token, now).await;
            Redirect::temporary("/").into_response()
        }
        Ok(None) => failed("The chat user you started with no longer exists."),
        Err(error) => Problem::from(error).into_response(),
    }
}

fn parameter_of(url: &Url, name: &str) -> String {
    let mut pairs = url.query_pairs();
    let found = pairs.find(|(key, _)| key == name);
    found
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    // HTTP/2 may send each cookie in its own header.
    let lines = headers.get_all(header::COOKIE).iter();
    let mut pairs = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split("; "));
    pairs.find_map(|pair| pair.strip_prefix(COOKIE)?.strip_prefix('='))
}

fn bad_request(problem: &SignInProblem) -> Problem {
    let sentence = match problem {
        SignInProblem::Address => &sentences::SITE_INVALID,
        SignInProblem::Unreachable(_) => &sentences::SITE_UNREACHABLE,
        SignInProblem::NoEndpoint => &sentences::SITE_NO_ENDPOINT,
        SignInProblem::Busy => &sentences::SIGN_INS_BUSY,
        SignInProblem::Hasty => &sentences::SIGN_IN_HASTY,
        SignInProblem::UnknownState => &sentences::SIGN_IN_UNKNOWN,
        SignInProblem::ProviderUnreachable(_) => &sentences::PROVIDER_UNREACHABLE,
        SignInProblem::NotConfirmed => &sentences::PROVIDER_REFUSED,
        SignInProblem::OtherIdentity => &sentences::OTHER_IDENTITY,
    };
    Problem::BadRequest(error_text(problem)).worded(sentence.plain())
}

fn error_text(problem: &SignInProblem) -> String {
    tracing::debug!(error = ?problem, "a sign-in to the chat failed");
    problem.to_string()
}

fn failed(reason: &str) -> Response {
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Sign-in failed</title>\
         <h1>Sign-in failed</h1><p>{}</p><p><a href=\"/\">Back to the stream</a></p></html>",
        escaped(reason)
    );
    (StatusCode::BAD_REQUEST, Html(page)).into_response()
}
