//! Connections that carry more than one request.

use server::testing::TestServer;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// A client that keeps its connection open and sends head and body in two packets.
struct KeepAliveClient {
    stream: BufReader<TcpStream>,
    version: &'static str,
}

impl KeepAliveClient {
    async fn new(server: &TestServer, version: &'static str) -> Self {
        let stream = TcpStream::connect(server.address()).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream: BufReader::new(stream),
            version,
        }
    }

    async fn head(&mut self, line: &str, headers: &str, length: usize) {
        let version = self.version;
        let head = format!(
            "{line} {version}\r\nHost: localhost\r\nConnection: keep-alive\r\n{headers}Content-Length: {length}\r\n\r\n"
        );
        self.stream.write_all(head.as_bytes()).await.unwrap();
    }

    async fn body(&mut self, length: usize) {
        self.stream.write_all(&vec![b'x'; length]).await.unwrap();
    }

    /// The status, and whether the server will close the connection.
    async fn answer(&mut self) -> (u16, bool) {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let count = self.stream.read_line(&mut head).await.unwrap();
            assert!(count > 0, "the connection was closed after {head:?}");
        }
        let head = head.to_lowercase();
        let value = |name: &str| {
            let mut lines = head.lines();
            lines.find_map(|line| line.strip_prefix(name).map(str::to_owned))
        };
        let length = value("content-length: ").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await.unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, value("connection: ").as_deref() == Some("close"))
    }
}

const REFUSED: [(&str, u16); 5] = [
    ("POST /api/admin/config/name", 401),
    ("POST /api/integrations/chat/send", 401),
    ("POST /nowhere", 404),
    ("POST /api/status", 405),
    ("POST /hls/0/stream.m3u8", 405),
];

#[tokio::test]
async fn a_connection_goes_on_after_a_request_that_was_refused_before_its_body_came() {
    let server = TestServer::start().await;
    for version in ["HTTP/1.1", "HTTP/1.0"] {
        let mut client = KeepAliveClient::new(&server, version).await;
        for _ in 0..10 {
            for (line, status) in REFUSED {
                client.head(line, "", 1_000).await;
                client.body(1_000).await;
                assert_eq!(client.answer().await, (status, false), "{line} {version}");
            }
        }
        client.head("GET /healthz", "", 0).await;
        assert_eq!(client.answer().await, (200, false));
    }
}

#[tokio::test]
async fn an_answer_says_so_when_the_rest_of_a_request_is_not_waited_for() {
    let server = TestServer::start().await;
    for (line, status) in REFUSED {
        let mut client = KeepAliveClient::new(&server, "HTTP/1.1").await;
        client.head(line, "", 64 * 1024 + 1).await;
        assert_eq!(client.answer().await, (status, true), "too long: {line}");
        let mut client = KeepAliveClient::new(&server, "HTTP/1.1").await;
        client.head(line, "Expect: 100-continue\r\n", 10).await;
        assert_eq!(client.answer().await, (status, true), "asks first: {line}");
    }
    let mut client = KeepAliveClient::new(&server, "HTTP/1.1").await;
    client.head("POST /nowhere", "", 10).await;
    client.body(9).await;
    assert_eq!(
        client.answer().await,
        (404, true),
        "the last byte never comes"
    );
}
