//! `/plugins/<slug>/…`: what plugins serve themselves.
//!
//! The order of decisions is a promise: whether the plugin is enabled and running, whether the path is for the operator
//! only, and then what [`route`] says.

use std::net::SocketAddr;
use std::sync::Arc;

use ::plugins::engine::CallError;
use ::plugins::gate;
use ::plugins::host::SessionChange;
use ::plugins::host::wire::User;
use ::plugins::http::{ACCESS_TOKEN, PluginResponse, RequestPath, Route, is_for_operator, route};
use ::plugins::http::{PluginRequest as Envelope, headers as plain_headers, query};
use ::plugins::instances::AskError;
use ::plugins::permission::Permission;
use ::plugins::runtime::LoadedPlugin;
use axum::Extension;
use axum::body::Body;
use axum::extract::{FromRequest, Request, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use http_server::client::{ClientInfo, PeerInfo};

use super::host_context::HostContext;
use super::operator::{self, PASS};
use super::passes::PassHolder;
use super::{events, files, shell};
use crate::guard::{self, ADMIN_COOKIES};
use crate::public::not_found;
use crate::state::App;

/// What pages of plugins, whose origin is their own, may send to plugins.
pub(crate) const METHODS: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
/// With these headers.
pub(crate) const HEADERS: &str = "*, Authorization, Content-Type";

/// Where plugins are.
const PREFIX: &str = "/plugins/";
/// A plugin whose instance ended is back within seconds, if it comes back at all.
const RETRY_AFTER_SECONDS: &str = "5";
/// What the next one reads when slow readers hold all the bytes that a plugin's answers may take.
const TOO_MUCH_WAITS: &str =
    "too many answers of this plugin are still being read, try again soon\n";

/// A request to a running plugin.
pub(super) struct Visit {
    pub(super) host: Arc<dyn HostContext>,
    pub(super) client: ClientInfo,
    pub(super) plugin: LoadedPlugin,
    pub(super) path: RequestPath,
    pub(super) parts: Parts,
    /// The path is for the operator only, and the operator asks.
    pub(super) is_for_operator: bool,
}

/// Every method of `/plugins/{slug}` and below.
pub(crate) async fn serve(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    request: Request,
) -> Response {
    visit(Arc::new(app), client, request).await
}

/// Handles a request to a plugin, on a server or a dev server.
pub(super) async fn visit(
    host: Arc<dyn HostContext>,
    client: ClientInfo,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let below = parts.uri.path().strip_prefix(PREFIX).unwrap_or_default();
    let (slug, rest) = match below.find('/') {
        Some(at) => below.split_at(at),
        None => (below, ""),
    };
    let Some(plugin) = host.running().running_plugin(slug) else {
        return match host.is_awaited(slug) {
            true => unavailable(),
            false => not_found().await,
        };
    };
    let Some(path) = RequestPath::read(rest) else {
        return not_found().await;
    };
    let visit = Visit {
        is_for_operator: is_for_operator(plugin.manifest(), &path),
        host,
        client,
        plugin,
        path,
        parts,
    };
    if let Some(response) = visit.host.opened_alone(&visit) {
        return response;
    }
    let response = visit.answer(body).await;
    let mut response = shell::framed(&visit, response).await;
    operator::confine(&mut response, visit.is_for_operator);
    // A page opened on its own gets a different answer.
    let vary = HeaderValue::from_static("Sec-Fetch-Dest");
    response.headers_mut().append(header::VARY, vary);
    response
}

pub(super) fn unavailable() -> Response {
    let retry_after = [(header::RETRY_AFTER, RETRY_AFTER_SECONDS)];
    let status = StatusCode::SERVICE_UNAVAILABLE;
    (status, retry_after, "plugin unavailable\n").into_response()
}

/// The answer when slow readers hold all the bytes allowed for plugin content.
pub(super) fn too_much_waits() -> Response {
    let retry_after = [(header::RETRY_AFTER, RETRY_AFTER_SECONDS)];
    let status = StatusCode::SERVICE_UNAVAILABLE;
    (status, retry_after, TOO_MUCH_WAITS).into_response()
}

impl Visit {
    async fn answer(&self, body: Body) -> Response {
        if self.is_for_operator {
            match self.is_by_operator().await {
                Ok(true) => {}
                Ok(false) => return guard::unauthorized(&self.parts.headers, "Unauthorized\n"),
                Err(response) => return response,
            }
        }
        let only_reads = matches!(self.parts.method, Method::GET | Method::HEAD);
        let may_serve = self.plugin.permissions().has(Permission::HttpServe);
        let package = self.plugin.package();
        let has_public = |name: &str| package.has_public(name);
        let response = match route(&self.path, only_reads, may_serve, has_public) {
            Route::Events(channel) => return events::listen(self, channel).await,
            Route::Nobody => return not_found().await,
            Route::File(name) => files::answer(self, name).await,
            Route::Folder => files::to_folder(self),
            Route::Code => self.run(body).await,
        };
        match self.is_for_operator {
            true => operator::inject_operator_pass(self, response).await,
            false => response,
        }
    }

    /// Whether the operator asks, by a pass of one of the plugin's own pages or in the usual way.
    pub(super) async fn is_by_operator(&self) -> Result<bool, Response> {
        if operator::has_pass(self) {
            return Ok(true);
        }
        self.host.is_by_operator(self).await
    }

    /// The requesting chat user.
    pub(super) async fn user(&self) -> Option<User> {
        if let Some(holder) = self.parts.extensions.get::<PassHolder>() {
            return holder.user.clone();
        }
        self.host.viewer(&self.parts).await
    }

    /// Calls the plugin's code.
    async fn run(&self, body: Body) -> Response {
        let streams = self.host.running().streams();
        if !streams.has_room(self.plugin.slug()) {
            return too_much_waits();
        }
        let whole = Request::from_parts(self.parts.clone(), body);
        let body = match Bytes::from_request(whole, &()).await {
            Ok(body) => body,
            Err(refused) => return (refused.status(), "request body too large\n").into_response(),
        };
        let request = self.envelope(&body).await.to_json();
        let answer = match self.plugin.http(request).await {
            Ok(answer) => answer,
            Err(why) => return self.failed(&why),
        };
        let mut read = match PluginResponse::read(&answer.text) {
            Ok(read) => read,
            Err(unfit) => {
                let plugin = self.plugin.slug();
                model::stranger_line!(
                    warn, "plugin_answer", about plugin, plugin, %unfit, "a plugin's answer cannot be sent"
                );
                let text = format!("{unfit}\n");
                return (StatusCode::INTERNAL_SERVER_ERROR, text).into_response();
            }
        };
        let [one, two, three, four] = ADMIN_COOKIES;
        read.drop_cookies(&[gate::COOKIE, one, two, three, four]);
        read.confine_cookies(self.plugin.slug());
        let body = std::mem::take(&mut read.body).into();
        // The code has run, so its decision about the session applies in either case.
        let mut response = match streams.hold_answer(self.plugin.slug(), body) {
            Some(body) => to_response(read, body),
            None => too_much_waits(),
        };
        self.change_session(&mut response, answer.session.last())
            .await;
        response
    }

    async fn envelope<'a>(&'a self, body: &'a [u8]) -> Envelope<'a> {
        let headers = self.parts.headers.iter();
        let headers = headers.map(|(name, value)| (name.as_str(), value.as_bytes()));
        let peer = self.parts.extensions.get::<PeerInfo>();
        let port = peer.map_or(0, |connection| connection.peer.port());
        // HEAD is handled as GET; the body is dropped later.
        let method = match self.parts.method {
            Method::HEAD => Method::GET.as_str(),
            ref other => other.as_str(),
        };
        Envelope {
            query: query(
                self.parts.uri.query().unwrap_or_default(),
                &[ACCESS_TOKEN, PASS],
            ),
            headers: plain_headers(headers),
            remote_addr: SocketAddr::new(self.client.address, port).to_string(),
            authenticated: self.is_for_operator || matches!(self.is_by_operator().await, Ok(true)),
            user: self.user().await,
            ..Envelope::new(method, self.path.as_str(), body)
        }
    }

    fn failed(&self, why: &AskError) -> Response {
        let plugin = self.plugin.slug();
        let (status, text) = match why {
            AskError::NotRunning | AskError::Busy | AskError::Failed(CallError::Dead) => {
                model::stranger_line!(
                    warn, "plugin_busy", about plugin, plugin, error = %why,
                    "a plugin cannot answer a request now"
                );
                return unavailable();
            }
            AskError::Late | AskError::Failed(CallError::OutOfTime(_)) => {
                (StatusCode::GATEWAY_TIMEOUT, "plugin timeout\n")
            }
            AskError::Failed(CallError::TooLarge { .. }) => {
                (StatusCode::INTERNAL_SERVER_ERROR, "response too large\n")
            }
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "plugin error\n"),
        };
        // The plugin's failure is in the log already, with the traceback.
        if !matches!(why, AskError::Failed(_)) {
            model::stranger_line!(
                warn, "plugin_failure", about plugin, plugin, error = %why,
                "a plugin failed to answer a request"
            );
        }
        (status, text).into_response()
    }

    /// Grants or ends the viewer's session, as the plugin decided.
    async fn change_session(&self, response: &mut Response, change: Option<&SessionChange>) {
        let is_https = self.client.is_secure;
        let cookie = match change {
            None => return,
            Some(SessionChange::End) => {
                self.host.end_session(&self.parts).await;
                Some(gate::clear_cookie(is_https))
            }
            Some(SessionChange::Grant { token, ttl }) => {
                self.host.session_cookie(token, *ttl, is_https).await
            }
        };
        if let Some(Ok(cookie)) = cookie.map(|cookie| HeaderValue::from_str(&cookie)) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
    }
}

fn to_response(answer: PluginResponse, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    // The status was checked to be between 200 and 599.
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or_default();
    for (name, value) in answer.headers {
        if let (Ok(name), Ok(value)) = (
            HeaderName::from_bytes(name.as_bytes()),
            HeaderValue::from_bytes(value.as_bytes()),
        ) {
            response.headers_mut().append(name, value);
        }
    }
    response
}
