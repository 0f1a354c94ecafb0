//! What a POST answers, and every error.

use std::time::Duration;

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use utoipa::ToSchema;

/// What a POST answers, and every error.
#[derive(Debug, Serialize, ToSchema)]
pub struct Envelope<'a> {
    /// Was it done?
    success: bool,
    /// What happened, for people.
    message: &'a str,
    /// The message again: two error shapes are in use among existing clients. Only in errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<&'a str>,
}

/// `{"success": true, "message": …}`, what every successful POST answers.
pub fn done(message: &str) -> Response {
    let body = Envelope {
        success: true,
        message,
        error: None,
    };
    Json(body).into_response()
}

/// An answer other than success. The text is shown to the client.
pub fn failed(status: StatusCode, message: &str, retry_after: Option<Duration>) -> Response {
    let body = Envelope {
        success: false,
        message,
        error: Some(message),
    };
    let mut response = (status, Json(body)).into_response();
    if let Some(wait) = retry_after {
        let seconds = wait.as_secs().max(1);
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
