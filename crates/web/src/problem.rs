//! How a request can fail, and what its sender is told.

use std::time::Duration;

use access::{ChangeError, SetupError, SignInError};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
pub(crate) use http_server::envelope::done;
use http_server::envelope::failed;
use http_server::json::BodyError;
use store::StoreError;
use store::settings::SetError;

/// When to try again what is unavailable now.
const UNAVAILABLE_RETRY: Duration = Duration::from_secs(5);

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
        let retry_after = match &self {
            Problem::TooMany { retry_after, .. } => Some(*retry_after),
            Problem::Unavailable(_) => Some(UNAVAILABLE_RETRY),
            _ => None,
        };
        failed(self.status(), self.message(), retry_after)
    }
}

impl From<BodyError> for Problem {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge => Problem::TooLarge,
            BodyError::Malformed(text) => Problem::BadRequest(text),
        }
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
