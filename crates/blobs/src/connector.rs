//! Lets `object_store` speak through our own client.

use async_trait::async_trait;
use http_body_util::BodyExt;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use outbound::http::header::{CONTENT_LENGTH, HOST, USER_AGENT};
use outbound::{Client, FetchBudget, FetchError, OutgoingRequest, Policy, Url};

/// What the client sets itself. None of it is signed, or it is signed as the client sends it.
const OWN_HEADERS: [outbound::http::HeaderName; 3] = [HOST, CONTENT_LENGTH, USER_AGENT];

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
