//! How a request can fail, and what its sender is told.

use std::time::Duration;

use access::{ChangeError, MIN_PASSWORD_CHARS, PasswordError, SetupError, SignInError};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
pub(crate) use http_server::envelope::done;
use http_server::envelope::failed;
use http_server::json::BodyError;
use model::sentence::Sentence;
use model::settings::SettingError;
use store::StoreError;
use store::settings::SetError;

use crate::sentences;

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
    /// Another problem, as a sentence that pages say in their language.
    Worded {
        problem: Box<Problem>,
        sentence: Sentence,
    },
}

impl Problem {
    /// For what an address may do a few times a minute.
    pub(crate) fn too_many_from_address(retry_after: Duration) -> Self {
        let message = "too many requests from your address, please try again in a minute";
        let problem = Problem::TooMany {
            message: message.into(),
            retry_after,
        };
        problem.worded(sentences::TOO_MANY_REQUESTS.plain())
    }

    /// The same, as a sentence that pages say in their language.
    pub(crate) fn worded(self, sentence: Sentence) -> Self {
        Problem::Worded {
            problem: Box::new(self),
            sentence,
        }
    }

    /// As [`worded`](Self::worded), if there is a sentence.
    pub(crate) fn worded_if(self, sentence: Option<Sentence>) -> Self {
        match sentence {
            Some(sentence) => self.worded(sentence),
            None => self,
        }
    }

    fn sentence(&self) -> Option<Sentence> {
        match self {
            Problem::Worded { sentence, .. } => Some(sentence.clone()),
            Problem::NotFound => Some(sentences::NOT_FOUND.plain()),
            Problem::TooLarge => Some(sentences::TOO_LARGE.plain()),
            Problem::Internal => Some(sentences::INTERNAL.plain()),
            _ => None,
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Problem::TooMany { retry_after, .. } => Some(*retry_after),
            Problem::Unavailable(_) => Some(UNAVAILABLE_RETRY),
            Problem::Worded { problem, .. } => problem.retry_after(),
            _ => None,
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
            Problem::Worded { problem, .. } => problem.status(),
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
            Problem::Worded { problem, .. } => problem.message(),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        failed(
            self.status(),
            self.message(),
            self.sentence().as_ref(),
            self.retry_after(),
        )
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
                let text = "the server cannot use its database right now, please try again";
                Problem::Unavailable(text.into()).worded(sentences::DATABASE_UNAVAILABLE.plain())
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
        let text = error.to_string();
        match error {
            SetError::Refused { key, error } => refused_setting(key, error, text),
            SetError::Locked { key, source_name } => {
                let sentence = sentences::SETTING_LOCKED.with([source_name.into()]);
                Problem::Conflict(text).worded(sentence.and("setting", key))
            }
            SetError::OnlyOperator { key } => {
                // Pages of viewers say it as it is in English.
                let sentence = sentences::RESTRICTION_OF_OPERATOR.plain();
                Problem::Forbidden(sentence.english()).worded(sentence.and("setting", key))
            }
            SetError::Store(error) => error.into(),
        }
    }
}

/// A value breaks the rule of its setting.
pub(crate) fn refused_setting(key: &'static str, error: SettingError, text: String) -> Problem {
    let sentence = error.into_sentence().map(|why| why.and("setting", key));
    Problem::BadRequest(text).worded_if(sentence)
}

fn too_many_attempts(message: String, wait: Duration) -> Problem {
    let seconds = wait.as_secs().max(1);
    let problem = Problem::TooMany {
        message,
        retry_after: wait,
    };
    problem.worded(sentences::TOO_MANY_ATTEMPTS.with([seconds.into()]))
}

fn unfit_password(error: &PasswordError) -> Problem {
    let sentence = match error {
        PasswordError::TooShort => {
            let least = MIN_PASSWORD_CHARS as u64;
            sentences::PASSWORD_TOO_SHORT.with([least.into()])
        }
        PasswordError::TooLong => sentences::PASSWORD_TOO_LONG.plain(),
        PasswordError::Failed => sentences::PASSWORD_FAILED.plain(),
    };
    Problem::BadRequest(error.to_string()).worded(sentence)
}

impl From<SignInError> for Problem {
    fn from(error: SignInError) -> Self {
        let text = error.to_string();
        let sentence = match error {
            SignInError::Wrong => &sentences::WRONG_PASSWORD,
            SignInError::WrongLink => &sentences::SIGN_IN_LINK_VOID,
            SignInError::NotSetUp => &sentences::NOT_SET_UP,
            SignInError::TooMany(wait) => return too_many_attempts(text, wait),
            SignInError::Store(error) => return error.into(),
        };
        Problem::WrongSecret(text).worded(sentence.plain())
    }
}

impl From<SetupError> for Problem {
    fn from(error: SetupError) -> Self {
        let text = error.to_string();
        match error {
            SetupError::WrongToken => {
                Problem::WrongSecret(text).worded(sentences::SETUP_LINK_VOID.plain())
            }
            SetupError::TooMany(wait) => too_many_attempts(text, wait),
            SetupError::Password(error) => unfit_password(&error),
            SetupError::Store(error) => error.into(),
        }
    }
}

impl From<ChangeError> for Problem {
    fn from(error: ChangeError) -> Self {
        let text = error.to_string();
        match error {
            ChangeError::Locked => {
                Problem::Conflict(text).worded(sentences::PASSWORD_LOCKED.plain())
            }
            ChangeError::Password(error) => unfit_password(&error),
            ChangeError::Store(error) => error.into(),
        }
    }
}
