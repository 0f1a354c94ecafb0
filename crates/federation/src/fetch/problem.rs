//! Why there is no document.

use outbound::http::StatusCode;
use outbound::{FetchError, Retry};

use crate::signature::Unsignable;
use crate::wire::Unreadable;

#[derive(Debug, thiserror::Error)]
pub enum FetchProblem {
    /// The operator blocks the host, or it is our own.
    #[error("nothing is fetched from {0}")]
    Refused(String),
    /// The request to the host failed or is not allowed.
    #[error(transparent)]
    Outbound(#[from] FetchError),
    /// An answer other than 200.
    #[error("the answer was {status}")]
    Status {
        status: StatusCode,
        /// What the answer says about retrying.
        retry: Retry,
    },
    /// A redirect that is not followed.
    #[error("the redirect is not followed: {0}")]
    Redirect(&'static str),
    /// Not one of the media types of ActivityPub.
    #[error("the document is not served as activity JSON")]
    ContentType,
    /// Not JSON within our limits.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The `id` is missing, or does not match where the document was found.
    #[error("the id of the document is not believed: {0}")]
    Id(&'static str),
    /// The request could not be signed.
    #[error(transparent)]
    Signing(#[from] Unsignable),
    /// The request took too long, redirects included.
    #[error("the document did not come in time")]
    Deadline,
}

impl FetchProblem {
    /// Whether and when trying again makes sense.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::Outbound(error) => error.retry(),
            // Servers also answer so if they cannot fetch our key right now and thus cannot tell who is asking.
            Self::Status { status, .. } if is_denial(*status) => Retry::Backoff,
            Self::Status { retry, .. } => *retry,
            Self::Signing(_) | Self::Deadline => Retry::Backoff,
            Self::Refused(_)
            | Self::Redirect(_)
            | Self::ContentType
            | Self::Unreadable(_)
            | Self::Id(_) => Retry::Never,
        }
    }

    /// Whether the server says the document is gone for ever.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Status { status, .. } if *status == StatusCode::GONE)
    }

    /// Whether the request budget ran out, which says nothing about the document.
    #[must_use]
    pub fn is_out_of_budget(&self) -> bool {
        matches!(self, Self::Outbound(FetchError::BudgetExhausted { .. }))
    }
}

impl FetchProblem {
    /// Whether nobody is there, as far as we can tell: a refusal, one of our limits or a document of another kind says
    /// nothing about that.
    pub(crate) fn is_absence(&self) -> bool {
        match self {
            Self::Status { status, .. } => {
                *status == StatusCode::NOT_FOUND || status.is_server_error()
            }
            Self::Outbound(error) => matches!(
                error,
                FetchError::Unresolved {
                    is_certain: true,
                    ..
                } | FetchError::Unreachable { .. }
                    | FetchError::Untrusted { .. }
                    | FetchError::DeadlinePassed { .. }
                    | FetchError::BrokenAnswer { .. }
            ),
            Self::Deadline => true,
            Self::Refused(_)
            | Self::Redirect(_)
            | Self::ContentType
            | Self::Unreadable(_)
            | Self::Id(_)
            | Self::Signing(_) => false,
        }
    }
}

fn is_denial(status: StatusCode) -> bool {
    matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
}
