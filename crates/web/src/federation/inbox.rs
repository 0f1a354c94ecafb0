//! `POST /federation/user/{username}/inbox`: where other servers deliver.

use ::federation::inbox::{InboxError, InboxRequest, MAX_BODY_BYTES};
use axum::Extension;
use axum::Json;
use axum::body::to_bytes;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use http::uri::PathAndQuery;
use http::{HeaderName, HeaderValue, StatusCode, header};
use http_server::client::ClientInfo;
use serde_json::json;

use crate::state::App;

/// What a signature has to cover, for those who can be told.
const WANTED_SIGNATURE: &str = "sig1=(\"@method\" \"@target-uri\" \"content-digest\");created";

/// Answers as soon as the request is on disk, or says at once why it is rejected.
pub(crate) async fn inbox(
    State(app): State<App>,
    Path(username): Path<String>,
    Extension(client): Extension<ClientInfo>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    // Exactly as sent: the signature covers the text, not its meaning.
    let target = parts.uri.path_and_query().map_or("/", PathAndQuery::as_str);
    let inbox_request = InboxRequest {
        method: &parts.method,
        target,
        username: &username,
        headers: &parts.headers,
        address: client.address,
    };
    let taken = async {
        let accepted = app.federation.accept_headers(inbox_request)?;
        let body = to_bytes(body, MAX_BODY_BYTES).await;
        // Too long, or aborted, in which case nobody reads the answer.
        let body = body.map_err(|_| InboxError::TooLarge)?;
        app.federation.accept_body(accepted, body.into()).await
    };
    match taken.await {
        Ok(()) => StatusCode::ACCEPTED.into_response(),
        Err(refused) => refusal(&refused),
    }
}

fn refusal(refused: &InboxError) -> Response {
    match refused {
        InboxError::Store(error) => {
            model::stranger_line!(warn, "inbox", %error, "cannot store an activity");
        }
        refused => tracing::debug!(reason = %refused, "an activity was refused"),
    }
    let body = Json(json!({ "error": refused.to_string() }));
    let mut response = (refused.status(), body).into_response();
    let headers = response.headers_mut();
    if let Some(wait) = refused.retry_after() {
        let seconds = wait.as_secs().max(1);
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    match refused {
        InboxError::Unproven(_) => {
            let name = HeaderName::from_static("accept-signature");
            headers.insert(name, HeaderValue::from_static(WANTED_SIGNATURE));
        }
        InboxError::Method => {
            headers.insert(header::ALLOW, HeaderValue::from_static("POST"));
        }
        _ => {}
    }
    response
}
