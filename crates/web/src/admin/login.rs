//! First setup, signing in and out.

use access::{SESSION_LENGTH, SessionCookies};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::{HeaderMap, Method, StatusCode};
use http_server::client::ClientInfo;
use http_server::json::ApiJson;
use model::Secret;
use model::settings::AnySetting;
use model::settings::table::{NAME, SERVER_URL};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::guard::{
    CSRF_ADVICE, may_be_forged, session_cookie, set_cookie, set_device_cookie, visitor,
};
use crate::problem::{Problem, done, refused_setting};
use crate::state::{App, OperatorState, Shared};

/// Whether the caller is signed in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdminSession {
    pub(crate) authenticated: bool,
    /// Nobody has chosen a password yet; the setup link is in the server's log.
    pub(crate) setup_required: bool,
}

impl AdminSession {
    pub(crate) fn new(app: &App, authenticated: bool) -> Self {
        Self {
            authenticated,
            setup_required: app.operator.identity.setup_token().is_some(),
        }
    }
}

/// `GET /api/admin/session`
pub(crate) async fn session(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    headers: HeaderMap,
) -> Result<Json<AdminSession>, Problem> {
    let authenticated = match session_cookie(&headers, &client) {
        Some(cookie) => app.operator.identity.has_session(&cookie).await?,
        None => false,
    };
    Ok(Json(AdminSession::new(&app, authenticated)))
}

/// The operator's password.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SignIn {
    #[schema(value_type = String)]
    password: Secret,
}

/// `POST /api/admin/session`
pub(crate) async fn sign_in(
    State(operator): State<Shared<OperatorState>>,
    Extension(client): Extension<ClientInfo>,
    headers: HeaderMap,
    ApiJson(body): ApiJson<SignIn>,
) -> Result<Response, Problem> {
    let visitor = visitor(&client, &headers);
    let signed_in = operator.identity.sign_in(body.password, &visitor).await?;
    Ok(entered(&signed_in, &client, "signed in"))
}

/// The secret of a link that `rillcast admin session` made.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SignInLink {
    #[schema(value_type = String)]
    token: Secret,
}

/// `POST /api/admin/session/link`
pub(crate) async fn sign_in_by_link(
    State(operator): State<Shared<OperatorState>>,
    Extension(client): Extension<ClientInfo>,
    headers: HeaderMap,
    ApiJson(body): ApiJson<SignInLink>,
) -> Result<Response, Problem> {
    let visitor = visitor(&client, &headers);
    let signed_in = operator
        .identity
        .sign_in_by_link(&body.token, &visitor)
        .await?;
    Ok(entered(&signed_in, &client, "signed in"))
}

/// `DELETE /api/admin/session`
pub(crate) async fn sign_out(
    State(operator): State<Shared<OperatorState>>,
    Extension(client): Extension<ClientInfo>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if may_be_forged(&Method::DELETE, &headers) {
        return Ok((StatusCode::FORBIDDEN, CSRF_ADVICE).into_response());
    }
    if let Some(cookie) = session_cookie(&headers, &client) {
        operator.identity.sign_out(&cookie).await?;
    }
    Ok(([set_cookie("", 0, &client)], done("signed out")).into_response())
}

/// The secret of the setup link.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SetupToken {
    #[schema(value_type = String)]
    token: Secret,
}

/// `POST /api/admin/setup/check`
pub(crate) async fn check_setup(
    State(operator): State<Shared<OperatorState>>,
    Extension(client): Extension<ClientInfo>,
    headers: HeaderMap,
    ApiJson(body): ApiJson<SetupToken>,
) -> Result<Response, Problem> {
    let visitor = visitor(&client, &headers);
    operator.identity.check_setup_token(&body.token, &visitor)?;
    Ok(done("the setup link is valid"))
}

/// The first password, and what else is good to know at once.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Setup {
    /// From the setup link.
    #[schema(value_type = String)]
    token: Secret,
    #[schema(value_type = String)]
    password: Secret,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    server_url: Option<String>,
}

/// `POST /api/admin/setup`
pub(crate) async fn setup(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    headers: HeaderMap,
    ApiJson(body): ApiJson<Setup>,
) -> Result<Response, Problem> {
    let given: [(&'static dyn AnySetting, Option<String>); 2] =
        [(&NAME, body.name), (&SERVER_URL, body.server_url)];
    let given: Vec<(&'static dyn AnySetting, Value)> = given
        .into_iter()
        .filter(|(setting, _)| !app.settings.now().current(*setting).source.is_outside())
        .filter_map(|(setting, value)| Some((setting, Value::from(value?))))
        .collect();
    // Check everything before doing anything: the link works only once.
    for (setting, value) in &given {
        let key = setting.meta().key;
        setting.accept(value.clone()).map_err(|error| {
            let text = format!("{key} {error}");
            refused_setting(key, error, text)
        })?;
    }
    let visitor = visitor(&client, &headers);
    app.operator
        .identity
        .complete_setup(&body.token, body.password, &visitor)
        .await?;
    for (setting, value) in given {
        app.settings.set(setting, value, app.clock.now()).await?;
    }
    let signed_in = app.operator.identity.enter(&visitor).await?;
    Ok(entered(&signed_in, &client, "the server is set up"))
}

/// Hands the browser its session, and what it is known by from now on.
fn entered(signed_in: &SessionCookies, client: &ClientInfo, text: &str) -> Response {
    let mut response = with_session(&signed_in.session, client, done(text));
    if let Some(device) = &signed_in.device {
        let (name, value) = set_device_cookie(device, client);
        if let Ok(value) = value.parse() {
            response.headers_mut().append(name, value);
        }
    }
    response
}

/// Hands the browser its session along with the answer.
pub(super) fn with_session(cookie: &Secret, client: &ClientInfo, response: Response) -> Response {
    (
        [set_cookie(
            cookie.expose(),
            SESSION_LENGTH.as_secs(),
            client,
        )],
        response,
    )
        .into_response()
}
