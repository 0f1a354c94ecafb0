//! Endless headers are refused at their limit while other clients are served.

use server::testing::TestServer;
use testkit::DEADLINE;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::http::{get, server_with};

/// Who floods at once.
const FLOODERS: usize = 20;
/// What a header may have over HTTP/1.
const MOST_BYTES: usize = 64 * 1024;
/// What is sent over HTTP/2 at most: thousands of times what a header may have there, and more than sockets hold.
const MOST_FRAMES: usize = 4_096;

/// Kinds of frames of HTTP/2 (RFC 9113, 6).
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const CONTINUATION: u8 = 9;

async fn begun(server: &TestServer, start: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(start).await.unwrap();
    stream
}

/// The first line received before the server closes the connection.
async fn refusal(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    let read = timeout(DEADLINE, stream.read_to_end(&mut answer)).await;
    read.expect("the server closes the connection").unwrap();
    let answer = String::from_utf8_lossy(&answer);
    answer.lines().next().unwrap_or_default().to_owned()
}

async fn others_are_answered(server: &TestServer) {
    assert_eq!(get("/api/status").send(server).await.status, 200);
}

#[tokio::test]
async fn a_header_without_end_is_refused_at_its_limit_and_others_are_answered_meanwhile() {
    let server = server_with(&[]).await;
    let start = "GET / HTTP/1.1\r\nhost: x\r\nx-flood: ";
    let value = vec![b'a'; MOST_BYTES - start.len()];
    let (half, rest) = value.split_at(value.len() / 2);
    let mut flood = Vec::new();
    for _ in 0..FLOODERS {
        let mut flooder = begun(&server, start.as_bytes()).await;
        flooder.write_all(half).await.unwrap();
        flood.push(flooder);
    }
    others_are_answered(&server).await;
    for mut flooder in flood {
        flooder.write_all(rest).await.unwrap();
        let refusal = refusal(flooder).await;
        assert!(refusal.starts_with("HTTP/1.1 431 "), "{refusal}");
    }
    others_are_answered(&server).await;
}

#[tokio::test]
async fn more_headers_than_anybody_needs_are_refused() {
    let server = server_with(&[]).await;
    let many = "x-flood: a\r\n".repeat(200);
    let whole = format!("GET / HTTP/1.1\r\nhost: x\r\n{many}\r\n");
    let refusal = refusal(begun(&server, whole.as_bytes()).await).await;
    assert!(refusal.starts_with("HTTP/1.1 431 "), "{refusal}");
}

fn frame(kind: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    // Without the end flags, so neither the header nor the request ends.
    let mut bytes = vec![length[1], length[2], length[3], kind, 0];
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

#[tokio::test]
async fn a_header_without_end_over_http2_costs_the_connection_and_nobody_else() {
    let server = server_with(&[]).await;
    let mut start = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    start.extend(frame(SETTINGS, 0, &[]));
    // `:method: GET`, by its index in the static table (RFC 7541, A).
    start.extend(frame(HEADERS, 1, &[0x82]));
    let mut flooder = begun(&server, &start).await;
    others_are_answered(&server).await;
    // `x: aaa…`, not to be indexed.
    let field = [&[0, 1, b'x', 100][..], &[b'a'; 100]].concat();
    let more = frame(CONTINUATION, 1, &field.repeat(150));
    let flood = async {
        for sent in 0..MOST_FRAMES {
            if flooder.write_all(&more).await.is_err() {
                return sent;
            }
        }
        MOST_FRAMES
    };
    let sent = timeout(DEADLINE, flood).await.expect("it is not kept");
    assert!(sent < MOST_FRAMES);
    others_are_answered(&server).await;
}

#[tokio::test]
async fn a_request_without_a_host_or_with_two_is_refused() {
    let server = server_with(&[]).await;
    for (head, status) in [
        ("GET /healthz HTTP/1.1\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\nhost: a\r\nHost: a\r\n", "400"),
        ("GET /hls/stream.m3u8 HTTP/1.1\r\n", "400"),
        ("GET /healthz HTTP/1.0\r\nhost: a\r\nhost: b\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\nhost: a\r\n", "200"),
        ("GET /healthz HTTP/1.0\r\n", "200"),
    ] {
        let whole = format!("{head}connection: close\r\n\r\n");
        let answer = refusal(begun(&server, whole.as_bytes()).await).await;
        assert_eq!(answer.split(' ').nth(1), Some(status), "{head:?}");
    }
}
