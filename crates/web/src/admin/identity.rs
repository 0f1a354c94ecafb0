//! The operator signs in elsewhere with this server's address (IndieAuth).
//!
//! A browser shows who asks, and the operator has to confirm; a script that sends the password means it. The page is
//! generated here and has no script, because it is the last step between another site and the operator's identity.

use access::provider::{AuthorizationRequest, RedeemProblem, RedeemRequest};
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::{Extension, Json};
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use http_server::client::ClientInfo;
use model::Secret;
use model::settings::table::{NAME, SERVER_URL};
use serde::Serialize;
use url::{Url, form_urlencoded};
use utoipa::ToSchema;

use super::login::with_session;
use crate::chat::parameter;
use crate::guard::{may_be_led, session_cookie, visitor};
use crate::html::escaped;
use crate::pages;
use crate::problem::Problem;
use crate::state::{App, OperatorState, Shared};

/// Where another site finds the two handlers below.
pub(crate) const ENDPOINT: &str = "/api/auth/provider/indieauth";

const NO_STORE: (header::HeaderName, &str) = (header::CACHE_CONTROL, "no-store");

/// `GET /api/auth/provider/indieauth`: another site has sent the operator here.
pub(crate) async fn ask(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let request = match AuthorizationRequest::read(|name| parameter(&uri, name)) {
        Ok(request) => request,
        Err(problem) => return Ok(failed(&problem.to_string())),
    };
    let Some(me) = own_address(&app) else {
        let text = "This server does not know its public address. Set it in the admin pages first.";
        return Ok(failed(text));
    };
    let has_password = headers.contains_key(header::AUTHORIZATION);
    // A browser may have stored a password and send it along wherever another page leads it.
    if has_password && !may_be_led(&headers) {
        tracing::info!(site = %request.client_id(), "the operator signs in elsewhere");
        let redirect = app.operator.provider.grant(request).await;
        return Ok(([NO_STORE], Redirect::temporary(redirect.as_str())).into_response());
    }
    let session = session_cookie(&headers, &client).filter(|_| !has_password);
    match session {
        Some(session) => Ok(question(&app, &me, request, &session).await),
        None => {
            let session = app
                .operator
                .identity
                .open_session(&visitor(&client, &headers))
                .await?;
            let page = question(&app, &me, request, &session).await;
            Ok(with_session(&session, &client, page))
        }
    }
}

/// `POST /api/auth/provider/indieauth/approve`: what the operator says.
pub(crate) async fn answer(
    State(operator): State<Shared<OperatorState>>,
    Extension(client): Extension<ClientInfo>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let session = match session_cookie(&headers, &client) {
        Some(session) if operator.identity.has_session(&session).await? => session,
        _ => return Ok((StatusCode::UNAUTHORIZED, "Unauthorized\n").into_response()),
    };
    let field = |name: &str| field(&body, name).unwrap_or_default();
    let question = Secret::new(field("question"));
    let is_allowed = field("answer") == "allow";
    let redirect = match is_allowed {
        true => operator.provider.approve(&question, &session).await,
        false => operator.provider.refuse(&question, &session).await,
    };
    let Some(redirect) = redirect else {
        let text = "This request was already answered or has expired. Please start again at the other site.";
        return Ok(failed(text));
    };
    let site = redirect.origin().ascii_serialization();
    tracing::info!(
        site,
        is_allowed,
        "the operator was asked for their identity"
    );
    Ok(([NO_STORE], Redirect::to(redirect.as_str())).into_response())
}

/// What another site is told.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum IdentityAnswer {
    /// Whose address it is.
    Identity {
        #[schema(value_type = String)]
        me: Url,
        profile: IdentityProfile,
    },
    /// Nothing.
    Refused {
        error: &'static str,
        error_description: String,
    },
}

/// Whose server it is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IdentityProfile {
    name: String,
    #[schema(value_type = String)]
    url: Url,
    photo: String,
}

/// `POST /api/auth/provider/indieauth`: another site exchanges its code. Refusals are 200 too, as existing sites expect.
pub(crate) async fn tell(State(app): State<App>, body: Bytes) -> Result<Response, Problem> {
    let me = own_address(&app)
        .ok_or_else(|| Problem::BadRequest("this server does not know its address".into()))?;
    let redeem_request = RedeemRequest {
        grant_type: field(&body, "grant_type"),
        code: field(&body, "code"),
        client_id: field(&body, "client_id"),
        redirect_uri: field(&body, "redirect_uri"),
        code_verifier: field(&body, "code_verifier"),
    };
    let answer = match app.operator.provider.redeem(&redeem_request).await {
        Ok(()) => IdentityAnswer::Identity {
            profile: IdentityProfile {
                name: app.settings.now().get(&NAME).clone(),
                url: me.clone(),
                photo: format!("{}/logo", me.as_str().trim_end_matches('/')),
            },
            me,
        },
        Err(problem) => refused(&problem),
    };
    Ok(([NO_STORE], Json(answer)).into_response())
}

fn refused(problem: &RedeemProblem) -> IdentityAnswer {
    model::stranger_line!(info, "operator_code", error = %problem, "a code of the operator was not exchanged");
    IdentityAnswer::Refused {
        error: problem.code(),
        error_description: problem.to_string(),
    }
}

/// The operator's identity is the address of their server.
fn own_address(app: &App) -> Option<Url> {
    Url::parse(app.settings.now().text(&SERVER_URL)).ok()
}

fn field(body: &[u8], name: &str) -> Option<String> {
    let (_, value) = form_urlencoded::parse(body).find(|(key, _)| key == name)?;
    Some(value.into_owned())
}

async fn question(
    app: &App,
    me: &Url,
    request: AuthorizationRequest,
    session: &Secret,
) -> Response {
    let site = escaped(request.client_id().as_str());
    let place = request.redirect_uri().origin().ascii_serialization();
    let (shown_place, me) = (escaped(&place), escaped(me.as_str()));
    let question = app.operator.provider.ask(request, session).await;
    let question = question.expose();
    let body = format!(
        "<header class=\"stack-tight\"><h1>Sign in elsewhere?</h1>\
         <p class=\"muted\">{site} wants to know that you are {me}.</p></header>\
         <p>If you say yes, your browser goes back to <strong>{shown_place}</strong>, and that site learns your server's \
         address, name and logo. It gets no access to your server.</p>\
         <form class=\"stack\" method=\"post\" action=\"{ENDPOINT}/approve\">\
         <input type=\"hidden\" name=\"question\" value=\"{question}\">\
         <button class=\"button\" data-look=\"primary\" name=\"answer\" value=\"allow\">Yes, sign in</button>\
         <button class=\"button\" name=\"answer\" value=\"deny\">No</button></form>"
    );
    // Browsers check where a form finally redirects to.
    page(StatusCode::OK, "Sign in elsewhere?", &body, &place)
}

fn failed(reason: &str) -> Response {
    let body = format!(
        "<header class=\"stack-tight\"><h1>That did not work</h1></header><p>{}</p>",
        escaped(reason)
    );
    page(StatusCode::BAD_REQUEST, "That did not work", &body, "")
}

fn page(status: StatusCode, title: &str, body: &str, leads_to: &str) -> Response {
    let styles = pages::admin_styles();
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title} · Rillcast</title>{styles}</head>\
         <body><div class=\"door water\"><main class=\"door-card\">{body}</main></div></body></html>"
    );
    let policy = format!(
        "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self' {leads_to}; \
         frame-ancestors 'none'; base-uri 'none'"
    );
    let mut response = (status, [NO_STORE], Html(html)).into_response();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}
