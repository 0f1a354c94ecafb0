//! The same caps over HTTP/2.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, StreamBody, combinators::BoxBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use outbound::{FetchError, MAX_RESPONSE_BYTES, Policy, Retry};
use tokio::net::TcpListener;

use crate::support::{authority, builder, get};

const CHUNK: usize = 16 * 1024;

fn answer(target: &str, sent: Arc<AtomicUsize>) -> Response<BoxBody<Bytes, Infallible>> {
    match target {
        "/endless" => {
            let frames = futures_util::stream::repeat_with(move || {
                sent.fetch_add(CHUNK, Ordering::SeqCst);
                Ok(Frame::data(Bytes::from(vec![b'x'; CHUNK])))
            });
            Response::new(BodyExt::boxed(StreamBody::new(frames)))
        }
        "/headers" => {
            let mut response = Response::new(BodyExt::boxed(Full::new(Bytes::new())));
            for n in 0..20 {
                let name =
                    hyper::header::HeaderName::from_bytes(format!("x-{n}").as_bytes()).unwrap();
                response
                    .headers_mut()
                    .insert(name, "a".repeat(10_000).parse().unwrap());
            }
            response
        }
        _ => Response::new(BodyExt::boxed(Full::new(Bytes::from_static(b"fine")))),
    }
}

/// An HTTP/2 peer named `peer.test` that counts the body bytes it could send.
async fn peer() -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let acceptor = authority().certify_http2("peer.test");
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, counter) = (acceptor.clone(), Arc::clone(&counter));
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else {
                    return;
                };
                let service = service_fn(move |request: Request<Incoming>| {
                    assert_eq!(request.version(), Version::HTTP_2);
                    let response = answer(request.uri().path(), Arc::clone(&counter));
                    async move { Ok::<_, Infallible>(response) }
                });
                let connection = auto::Builder::new(TokioExecutor::new());
                let _left = connection
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    });
    (address, sent)
}

#[tokio::test]
async fn an_endless_body_over_http2_is_cut_at_the_cap() {
    let (address, sent) = peer().await;
    let client = builder()
        .danger_resolve("peer.test", address)
        .build()
        .unwrap();
    let outcome = get(&client, "https://peer.test/endless", &Policy::federation()).await;
    assert!(
        matches!(&outcome, Err(error @ FetchError::TooLarge { .. }) if error.retry() == Retry::Never),
        "{outcome:?}"
    );
    let response = get(&client, "https://peer.test/ok", &Policy::federation())
        .await
        .unwrap();
    assert_eq!(&response.body[..], b"fine");
    // Flow control limits what is in flight: one stream window, and what the peer buffers.
    assert!(sent.load(Ordering::SeqCst) <= MAX_RESPONSE_BYTES + 2 * 1024 * 1024);
}

#[tokio::test]
async fn large_headers_over_http2_are_refused() {
    let (address, _sent) = peer().await;
    let client = builder()
        .danger_resolve("peer.test", address)
        .build()
        .unwrap();
    let outcome = get(&client, "https://peer.test/headers", &Policy::federation()).await;
    assert!(
        matches!(
            outcome,
            Err(FetchError::TooLarge { .. } | FetchError::BrokenAnswer { .. })
        ),
        "{outcome:?}"
    );
    let response = get(&client, "https://peer.test/ok", &Policy::federation())
        .await
        .unwrap();
    assert_eq!(&response.body[..], b"fine");
}
