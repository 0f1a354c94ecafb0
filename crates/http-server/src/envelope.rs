//! What a POST answers, and every error.

use std::time::Duration;

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use model::sentence::{Sentence, SentenceParams};
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
    /// What went wrong, stable and for programs: a page says it in its own language, and shows the message where it does
    /// not know the code. Only in errors that people can run into; `docs/sentences.json` lists them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    code: Option<&'static str>,
    /// What stands in the gaps of that sentence: numbers and texts by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    params: Option<&'a SentenceParams>,
}

/// `{"success": true, "message": …}`, what every successful POST answers.
pub fn done(message: &str) -> Response {
    let body = Envelope {
        success: true,
        message,
        error: None,
        code: None,
        params: None,
    };
    Json(body).into_response()
}

/// An answer other than success. The text is shown to the client, or the sentence in its language.
pub fn failed(
    status: StatusCode,
    message: &str,
    sentence: Option<&Sentence>,
    retry_after: Option<Duration>,
) -> Response {
    let body = Envelope {
        success: false,
        message,
        error: Some(message),
        code: sentence.map(Sentence::code),
        params: sentence.map(Sentence::params),
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
