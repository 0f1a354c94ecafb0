//! A small HTTP/1.1 client that reuses connections and reads complete responses.

use std::fmt;
use std::time::Duration;

use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::{Request, Version, header};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::time::{Instant, timeout};

use crate::playlist::http::HttpResponse;

/// Longer than any blocked request is held; a server that takes longer is reported as silent.
const PATIENCE: Duration = Duration::from_secs(40);

/// Why nothing could be checked.
#[derive(Debug)]
pub enum FetchError {
    /// The address is not an http:// address.
    Address(String),
    /// The connection failed or broke.
    Connection(String),
    /// There was no response.
    Silence,
    /// The multivariant playlist does not exist.
    NoStream(u16),
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(text) => write!(f, "not a usable http:// address: {text}"),
            Self::Connection(text) => write!(f, "the connection failed: {text}"),
            Self::Silence => write!(f, "no answer within {PATIENCE:?}"),
            Self::NoStream(status) => {
                write!(f, "the multivariant playlist was answered with {status}")
            }
        }
    }
}

impl std::error::Error for FetchError {}

/// A response with the times of request and arrival, from the start of the client.
#[derive(Clone, Debug)]
pub(super) struct TimedResponse {
    pub(super) asked_at: Duration,
    pub(super) at: Duration,
    pub(super) answer: HttpResponse,
}

#[derive(Clone, Debug)]
pub(super) struct HttpClient {
    inner: legacy::Client<HttpConnector, Empty<Bytes>>,
    started: Instant,
}

impl HttpClient {
    pub(super) fn new() -> Self {
        Self {
            inner: legacy::Client::builder(TokioExecutor::new()).build_http(),
            started: Instant::now(),
        }
    }

    /// A plain request.
    pub(super) async fn get(&self, url: &str) -> Result<TimedResponse, FetchError> {
        self.get_with(url, &[]).await
    }

    /// A request that accepts gzip, as players send it.
    pub(super) async fn get_gzip(&self, url: &str) -> Result<TimedResponse, FetchError> {
        self.get_with(url, &[(header::ACCEPT_ENCODING, "gzip")])
            .await
    }

    /// A request for the bytes `first..=last`.
    pub(super) async fn get_range(
        &self,
        url: &str,
        first: usize,
        last: usize,
    ) -> Result<TimedResponse, FetchError> {
        let range = format!("bytes={first}-{last}");
        self.get_with(url, &[(header::RANGE, &range)]).await
    }

    async fn get_with(
        &self,
        url: &str,
        headers: &[(header::HeaderName, &str)],
    ) -> Result<TimedResponse, FetchError> {
        let asked_at = self.started.elapsed();
        let mut request = Request::get(url).header(header::ORIGIN, "http://player.example");
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        let request = request
            .body(Empty::new())
            .map_err(|error| FetchError::Address(format!("{url}: {error}")))?;
        let answer = timeout(PATIENCE, self.send(request));
        let answer = answer.await.map_err(|_| FetchError::Silence)??;
        Ok(TimedResponse {
            asked_at,
            at: self.started.elapsed(),
            answer,
        })
    }

    async fn send(&self, request: Request<Empty<Bytes>>) -> Result<HttpResponse, FetchError> {
        let failed = |error: &dyn std::error::Error| {
            let cause = error.source().map(|cause| format!(": {cause}"));
            FetchError::Connection(format!("{error}{}", cause.unwrap_or_default()))
        };
        let response = self
            .inner
            .request(request)
            .await
            .map_err(|error| failed(&error))?;
        let headers = response.headers().iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        });
        let mut answer = HttpResponse {
            status: response.status().as_u16(),
            is_http_1_1: response.version() == Version::HTTP_11,
            headers: headers.collect(),
            body: Vec::new(),
        };
        let body = response.into_body().collect().await;
        answer.body = body.map_err(|error| failed(&error))?.to_bytes().to_vec();
        Ok(answer)
    }
}
