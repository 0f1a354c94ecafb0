//! Reads a response under its caps.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, TRANSFER_ENCODING};
use url::Url;

use crate::client::fault;
use crate::error::{FetchError, Retry, shown_host};
use crate::policy::Policy;
use crate::response::{Response, retry_of};

/// Most headers in a response.
/// Protects the header table; busy sites behind two proxies send about forty.
pub(super) const MAX_HEADERS: usize = 100;

/// Most bytes of header names and values in a response.
/// Protects memory kept per answer; the largest honest policies and cookies stay below half.
pub(super) const MAX_HEADER_BYTES: u32 = 64 * 1024;

/// How long the start of a body is waited for when only the status counts.
/// Protects workers from answers that trickle; who answers at all sends the first bytes at once.
const START_TIMEOUT: Duration = Duration::from_secs(1);

/// Why a body was not read to its end.
#[derive(Debug)]
enum BodyFault<E> {
    TooLarge,
    Broken(E),
}

/// Checks the size of the head; [`finish`] checks what it says.
pub(super) fn check_head(url: &Url, head: &reqwest::Response) -> Result<(), FetchError> {
    let limit = MAX_HEADER_BYTES as usize;
    let size =
        |(name, value): (&http::HeaderName, &http::HeaderValue)| name.as_str().len() + value.len();
    let total: usize = head.headers().iter().map(size).sum();
    if total > limit || head.headers().len() > MAX_HEADERS {
        return Err(FetchError::TooLarge {
            host: shown_host(url),
            limit,
            retry: retry_of_bad_answer(head),
        });
    }
    Ok(())
}

/// Reads the body and puts the response together.
pub(super) async fn finish(
    url: Url,
    head: reqwest::Response,
    policy: &Policy,
) -> Result<Response, FetchError> {
    if policy.keeps_only_the_start() {
        return Ok(finish_early(url, head, policy).await);
    }
    let retry = retry_of_bad_answer(&head);
    if !is_plain(head.headers()) {
        return Err(FetchError::Compressed {
            host: shown_host(&url),
            retry,
        });
    }
    let limit = policy.max_response_bytes();
    let status = head.status();
    let headers = head.headers().clone();
    let declared = head.content_length();
    match read_capped(head.bytes_stream(), declared, limit).await {
        Ok(body) => Ok(Response {
            status,
            headers,
            final_url: url,
            body,
        }),
        Err(BodyFault::TooLarge) => Err(FetchError::TooLarge {
            host: shown_host(&url),
            limit,
            retry,
        }),
        Err(BodyFault::Broken(error)) => Err(fault::classify(&url, error)),
    }
}

/// As [`finish`], for callers that only need the status.
async fn finish_early(url: Url, head: reqwest::Response, policy: &Policy) -> Response {
    let status = head.status();
    let headers = head.headers().clone();
    let body = if is_plain(&headers) {
        start_of(head.bytes_stream(), policy.max_response_bytes()).await
    } else {
        Bytes::new()
    };
    Response {
        status,
        headers,
        final_url: url,
        body,
    }
}

/// Whatever arrives of a body within its limits; nothing more is requested.
async fn start_of<S, E>(stream: S, limit: usize) -> Bytes
where
    S: Stream<Item = Result<Bytes, E>>,
{
    let mut stream = std::pin::pin!(stream);
    let mut start = BytesMut::new();
    let reading = async {
        while start.len() < limit
            && let Some(Ok(chunk)) = stream.next().await
        {
            let capacity = limit - start.len();
            start.extend_from_slice(&chunk[..chunk.len().min(capacity)]);
        }
    };
    // A timeout is as good an end as any other.
    drop(tokio::time::timeout(START_TIMEOUT, reading).await);
    start.freeze()
}

/// A success we cannot use will be the same next time; a failure keeps the retry class of its status.
fn retry_of_bad_answer(head: &reqwest::Response) -> Retry {
    retry_of(head.status(), head.headers())
}

/// Whether the body has no coding except the framing itself.
fn is_plain(headers: &HeaderMap) -> bool {
    let all_are = |name, allowed: &str| {
        headers.get_all(name).iter().all(|value| {
            value.to_str().is_ok_and(|text| {
                let mut codings = text.split(',').map(str::trim);
                codings.all(|coding| coding.is_empty() || coding.eq_ignore_ascii_case(allowed))
            })
        })
    };
    all_are(CONTENT_ENCODING, "identity") && all_are(TRANSFER_ENCODING, "chunked")
}

/// Collects a body, giving up at the first chunk that passes the limit.
async fn read_capped<S, E>(
    stream: S,
    declared: Option<u64>,
    limit: usize,
) -> Result<Bytes, BodyFault<E>>
where
    S: Stream<Item = Result<Bytes, E>>,
{
    // A declared length that is too large needs no reading; one that fits is not trusted either.
    if declared.is_some_and(|length| length > limit as u64) {
        return Err(BodyFault::TooLarge);
    }
    let mut stream = std::pin::pin!(stream);
    let mut body = BytesMut::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(BodyFault::Broken)?;
        if chunk.len() > limit - body.len() {
            return Err(BodyFault::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Far more chunks than any limit below admits; finite, so that a missing cap fails at once.
    const MANY: usize = 1_000;

    /// A practically endless body that counts what was read from it.
    fn endless(chunk: usize, taken: &AtomicUsize) -> impl Stream<Item = Result<Bytes, ()>> {
        futures_util::stream::repeat_with(move || {
            taken.fetch_add(chunk, Ordering::Relaxed);
            Ok(Bytes::from(vec![0; chunk]))
        })
        .take(MANY)
    }

    #[tokio::test]
    async fn takes_at_most_one_chunk_more_than_the_limit() {
        for (chunk, limit) in [
            (1, 100),
            (7, 100),
            (100, 100),
            (101, 100),
            (1, 0),
            (8192, 1024 * 1024),
        ] {
            let taken = AtomicUsize::new(0);
            let outcome = read_capped(endless(chunk, &taken), None, limit).await;
            assert!(matches!(outcome, Err(BodyFault::TooLarge)));
            assert!(
                taken.load(Ordering::Relaxed) <= limit + chunk,
                "{chunk} {limit}"
            );
        }
    }

    #[tokio::test]
    async fn a_declared_length_above_the_limit_reads_nothing() {
        let taken = AtomicUsize::new(0);
        let outcome = read_capped(endless(10, &taken), Some(101), 100).await;
        assert!(matches!(outcome, Err(BodyFault::TooLarge)));
        assert_eq!(taken.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn a_body_of_exactly_the_limit_is_taken() {
        let chunks = futures_util::stream::iter([
            Ok::<_, ()>(Bytes::from_static(b"12345")),
            Ok(Bytes::from_static(b"67890")),
        ]);
        let body = read_capped(chunks, Some(10), 10).await.unwrap();
        assert_eq!(&body[..], b"1234567890");
    }

    #[test]
    fn only_identity_counts_as_plain() {
        let plain = |name: &'static str, value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            is_plain(&headers)
        };
        assert!(is_plain(&HeaderMap::new()));
        for value in ["identity", "Identity", "", "identity, identity"] {
            assert!(plain("content-encoding", value), "{value}");
        }
        for value in [
            "gzip",
            "br",
            "zstd",
            "deflate",
            "identity, gzip",
            "aes128gcm",
            "x",
        ] {
            assert!(!plain("content-encoding", value), "{value}");
        }
        assert!(plain("transfer-encoding", "chunked"));
        assert!(!plain("transfer-encoding", "gzip, chunked"));
    }
}
