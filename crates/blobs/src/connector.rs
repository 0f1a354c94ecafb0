//! Lets `object_store` speak through our own client.

use async_trait::async_trait;
use http_body_util::BodyExt;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use outbound::http::StatusCode;
use outbound::http::header::{CONTENT_LENGTH, HOST, USER_AGENT};
use outbound::{Client, FetchBudget, FetchError, OutgoingRequest, Policy, Url};

/// What the client sets itself. None of it is signed, or it is signed as the client sends it.
const OWN_HEADERS: [outbound::http::HeaderName; 3] = [HOST, CONTENT_LENGTH, USER_AGENT];
/// Where the code of a refusal is looked for; it stands at the beginning.
const CODE_WITHIN_BYTES: usize = 4096;
/// Characters of a code; the longest have half as many.
const MAX_CODE_CHARS: usize = 80;

/// An answer that is no success. `object_store` keeps its status in some errors and loses it in others.
#[derive(Debug, thiserror::Error)]
#[error("the answer is {status} {code}")]
pub(crate) struct RefusedAnswer {
    pub(crate) status: StatusCode,
    /// Such as `NoSuchBucket`, or nothing.
    pub(crate) code: String,
}

#[derive(Clone, Debug)]
pub(crate) struct OutboundConnector {
    pub(crate) client: Client,
    pub(crate) policy: Policy,
}

impl HttpConnector for OutboundConnector {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for OutboundConnector {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let url = Url::parse(&parts.uri.to_string())
            .map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        let mut headers = parts.headers;
        for name in OWN_HEADERS {
            headers.remove(name);
        }
        let outgoing = OutgoingRequest {
            method: parts.method,
            headers,
            body,
        };
        let answer = self
            .client
            .send(&url, &self.policy, outgoing, &FetchBudget::new(1))
            .await
            .map_err(|error| HttpError::new(kind_of(&error), error))?;
        if !answer.status.is_success() {
            let refusal = RefusedAnswer {
                status: answer.status,
                code: code_in(&answer.body),
            };
            return Err(HttpError::new(HttpErrorKind::Unknown, refusal));
        }
        let mut response = HttpResponse::new(answer.body.into());
        *response.status_mut() = answer.status;
        *response.headers_mut() = answer.headers;
        Ok(response)
    }
}

fn kind_of(error: &FetchError) -> HttpErrorKind {
    match error {
        FetchError::Unresolved { .. }
        | FetchError::Unreachable { .. }
        | FetchError::Untrusted { .. } => HttpErrorKind::Connect,
        FetchError::DeadlinePassed { .. } => HttpErrorKind::Timeout,
        FetchError::BrokenAnswer { .. } => HttpErrorKind::Interrupted,
        FetchError::TooLarge { .. } | FetchError::Compressed { .. } => HttpErrorKind::Decode,
        FetchError::Refused { .. }
        | FetchError::BudgetExhausted { .. }
        | FetchError::Status { .. } => HttpErrorKind::Unknown,
    }
}

fn code_in(body: &[u8]) -> String {
    let start = String::from_utf8_lossy(&body[..body.len().min(CODE_WITHIN_BYTES)]);
    let code = start
        .split_once("<Code>")
        .and_then(|(_, rest)| rest.split_once("</Code>"))
        .map_or("", |(code, _)| code);
    match code.len() <= MAX_CODE_CHARS && code.chars().all(|c| c.is_ascii_alphanumeric()) {
        true => code.to_owned(),
        false => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_word_is_taken_for_the_code_of_a_refusal() {
        let of = |body: &str| code_in(body.as_bytes());
        assert_eq!(
            of("<Error><Code>NoSuchKey</Code><Key>a</Key></Error>"),
            "NoSuchKey"
        );
        for body in ["", "<Code>", "<Code>a\nb</Code>", "<Code><b>x</b></Code>"] {
            assert_eq!(of(body), "", "{body:?}");
        }
        assert_eq!(of(&format!("<Code>{}</Code>", "x".repeat(100))), "");
        assert_eq!(
            of(&format!(
                "{}<Code>Late</Code>",
                " ".repeat(CODE_WITHIN_BYTES)
            )),
            ""
        );
    }
}
