//! How a request can fail, and what its sender is told.

use std::time::Duration;

use access::{ChangeError, SetupError, SignInError};
use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use store::StoreError;
use store::settings::SetError;
use utoipa::ToSchema;

/// What a POST answers, and every error.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Envelope<'a> {
    /// Was it done?
    success: bool,
    /// What happened, for people.
    message: &'a str,
    /// The message again: two error shapes are in use among existing clients. Only in errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<&'a str>,
}

/// An answer other than success. The text is safe to show; what is not goes to the log where the problem is made.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The request makes no sense; the text says why.
    BadRequest(String),
    /// The password or link is wrong; for the endpoints that take one in their body.
    WrongSecret(String),
    /// Known, and not allowed; the text says why.
    Forbidden(String),
    /// Nothing there.
    NotFound,
    /// Nothing there; the text says what was looked for.
    Missing(String),
    /// Another server that this needs does not answer as it should; the text says how.
    BadGateway(String),
    /// Right request, wrong moment.
    Conflict(String),
    /// More bytes than the route takes.
    TooLarge,
    /// Slow down.
    TooMany {
        message: String,
        retry_after: Duration,
    },
    /// Try again later.
    Unavailable(String),
    /// Our fault.
    Internal,
}

impl Problem {
    /// For what an address may do a few times a minute.
    pub(crate) fn too_many_from_address(retry_after: Duration) -> Self {
        let message = "too many requests from your address, please try again in a minute";
        Problem::TooMany {
            message: message.into(),
            retry_after,
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Problem::BadRequest(_) => StatusCode::BAD_REQUEST,
            Problem::WrongSecret(_) => StatusCode::UNAUTHORIZED,
            Problem::Forbidden(_) => StatusCode::FORBIDDEN,
            Problem::NotFound | Problem::Missing(_) => StatusCode::NOT_FOUND,
            Problem::BadGateway(_) => StatusCode::BAD_GATEWAY,
            Problem::Conflict(_) => StatusCode::CONFLICT,
            Problem::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Problem::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            Problem::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            Problem::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn message(&self) -> &str {
        match self {
            Problem::BadRequest(text)
            | Problem::WrongSecret(text)
            | Problem::Forbidden(text)
            | Problem::Missing(text)
            | Problem::BadGateway(text)
            | Problem::Conflict(text)
            | Problem::Unavailable(text) => text,
            Problem::TooMany { message, .. } => message,
            Problem::NotFound => "not found",
            Problem::TooLarge => "the request is too large",
            Problem::Internal => "something went wrong on the server; see its log",
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let message = self.message();
        let body = Envelope {
            success: false,
            message,
            error: Some(message),
        };
        let mut response = (self.status(), Json(body)).into_response();
        let retry_after = match &self {
            Problem::TooMany { retry_after, .. } => Some(retry_after.as_secs().max(1)),
            Problem::Unavailable(_) => Some(5),
            _ => None,
        };
        if let Some(seconds) = retry_after {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => {
                model::stranger_line!(warn, "database", %error, "the database is unavailable");
                Problem::Unavailable(
                    "the server cannot use its database right now, please try again".into(),
                )
            }
            other => {
                model::stranger_line!(error, "database", error = %other, "a database call failed");
                Problem::Internal
            }
        }
    }
}

impl From<SetError> for Problem {
    fn from(error: SetError) -> Self {
        match error {
            SetError::Refused { .. } => Problem::BadRequest(error.to_string()),
            SetError::Locked { .. } => Problem::Conflict(error.to_string()),
            SetError::Store(error) => error.into(),
        }
    }
}

impl From<SignInError> for Problem {
    fn from(error: SignInError) -> Self {
        match error {
            SignInError::Wrong | SignInError::WrongLink | SignInError::NotSetUp => {
                Problem::WrongSecret(error.to_string())
            }
            SignInError::TooMany(wait) => Problem::TooMany {
                message: error.to_string(),
                retry_after: wait,
            },
            SignInError::Store(error) => error.into(),
        }
    }
}

impl From<SetupError> for Problem {
    fn from(error: SetupError) -> Self {
        match error {
            SetupError::WrongToken => Problem::WrongSecret(error.to_string()),
            SetupError::TooMany(wait) => Problem::TooMany {
                message: error.to_string(),
                retry_after: wait,
            },
            SetupError::Password(_) => Problem::BadRequest(error.to_string()),
            SetupError::Store(error) => error.into(),
        }
    }
}

impl From<ChangeError> for Problem {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Locked => Problem::Conflict(error.to_string()),
            ChangeError::Password(_) => Problem::BadRequest(error.to_string()),
            ChangeError::Store(error) => error.into(),
        }
    }
}

/// `{"success": true, "message": …}`, what every successful POST answers.
pub(crate) fn done(message: &str) -> Response {
    let body = Envelope {
        success: true,
        message,
        error: None,
    };
    Json(body).into_response()
}
