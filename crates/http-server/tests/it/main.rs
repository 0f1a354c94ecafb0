//! The accept loop with a handler of its own: no route table, no database, no stream.
#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http_server::client::{self, ClientInfo};
use http_server::{ConnectionLimits, RequestHandler, Shutdown, TrustedProxies, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

struct RunningLoop {
    address: SocketAddr,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

/// Serves on a free port; the machine itself is a trusted proxy.
async fn start(handler: RequestHandler) -> RunningLoop {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let serving = tokio::spawn(serve(
        listener,
        None,
        handler,
        trusted(),
        ConnectionLimits::from_fd_limit(1024),
        Shutdown {
            requested: stop.clone(),
            grace: Duration::from_secs(30),
        },
    ));
    RunningLoop {
        address,
        stop,
        serving,
    }
}

fn trusted() -> TrustedProxies {
    TrustedProxies(vec!["127.0.0.0/8".parse().unwrap()])
}

/// Answers with the client's address.
fn client_address() -> RequestHandler {
    Arc::new(|mut request: http::Request<Body>| {
        client::identify(&trusted(), &mut request);
        let client = request.extensions().get::<ClientInfo>().unwrap();
        let address = client.address.to_string();
        Box::pin(async move { address.into_response() })
    })
}

/// The whole answer to a request after which the client closes.
async fn answer(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn a_function_answers_and_learns_who_is_asking() {
    let running = start(client_address()).await;
    let request = "GET / HTTP/1.1\r\nHost: live.example\r\nX-Forwarded-For: 192.0.2.7\r\nConnection: close\r\n\r\n";
    let text = answer(running.address, request).await;
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    assert!(text.ends_with("\r\n\r\n192.0.2.7"), "{text}");
    running.stop.cancel();
    running.serving.await.unwrap();
}

#[tokio::test]
async fn a_request_with_two_hosts_never_reaches_the_handler() {
    let handler: RequestHandler = Arc::new(|_| panic!("asked"));
    let running = start(handler).await;
    let request =
        "GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\nConnection: close\r\n\r\n";
    let text = answer(running.address, request).await;
    assert!(text.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{text}");
}

#[tokio::test]
async fn a_request_under_way_is_answered_after_the_stop() {
    let (arrived, released) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let signals = (Arc::clone(&arrived), Arc::clone(&released));
    let handler: RequestHandler = Arc::new(move |_| {
        let (arrived, released) = signals.clone();
        Box::pin(async move {
            arrived.notify_one();
            released.notified().await;
            Response::new(Body::from("late"))
        })
    });
    let running = start(handler).await;
    let address = running.address;
    let asking = tokio::spawn(async move {
        answer(address, "GET / HTTP/1.1\r\nHost: live.example\r\n\r\n").await
    });
    arrived.notified().await;
    running.stop.cancel();
    released.notify_one();
    assert!(asking.await.unwrap().ends_with("\r\n\r\nlate"));
    running.serving.await.unwrap();
}
