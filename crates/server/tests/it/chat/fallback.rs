//! Events over HTTP, for clients whose sockets do not get through.

use std::time::Duration;

use serde_json::{Value, json};
use server::testing::TestServer;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::chatter::{Chatter, register};
use super::events::TALKATIVE;
use crate::http::{post, server_with};

struct Listener {
    lines: BufReader<TcpStream>,
}

impl Listener {
    async fn open(server: &TestServer, query: &str) -> Self {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        let host = server.address();
        let request = format!("GET /api/chat/events{query} HTTP/1.1\r\nhost: {host}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        Self {
            lines: BufReader::new(stream),
        }
    }

    /// The rest of the next line that starts with `prefix`.
    async fn line(&mut self, prefix: &str) -> String {
        let reading = async {
            loop {
                let mut line = String::new();
                let count = self.lines.read_line(&mut line).await.unwrap();
                assert!(count > 0, "the events ended before {prefix:?}");
                if let Some(rest) = line.strip_prefix(prefix) {
                    return rest.trim_end().to_owned();
                }
            }
        };
        let patience = Duration::from_secs(20);
        tokio::time::timeout(patience, reading).await.unwrap()
    }

    async fn event(&mut self) -> Value {
        serde_json::from_str(&self.line("data: ").await).unwrap()
    }
}

#[tokio::test]
async fn who_cannot_have_a_socket_hears_and_says_the_same_over_http() {
    let server = server_with(&[TALKATIVE]).await;
    let bob = register(&server, "bob").await;
    let mut listener = Listener::open(&server, &format!("?accessToken={}", bob.token)).await;
    let session = listener.event().await["session"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(listener.event().await["type"], "CONNECTED_USER_INFO");
    let mut ada = Chatter::join(&server, "ada").await;
    let said = ada.say_and_hear("hello").await;
    assert_eq!(listener.line("id: ").await, said["id"].as_str().unwrap());
    assert_eq!(listener.event().await, said);
    let say = |token: &str, session: &str| {
        let path = format!("/api/chat/events?accessToken={token}&session={session}");
        post(&path, &json!({ "type": "CHAT", "body": "by post" }))
    };
    assert_eq!(say(&bob.token, &session).send(&server).await.status, 204);
    assert_eq!(ada.line().await, "<p>by post</p>");
    assert_eq!(
        say(&ada.person.token, &session).send(&server).await.status,
        404,
        "not hers"
    );
    assert_eq!(say(&bob.token, "wrong").send(&server).await.status, 404);
    assert_eq!(say("wrong", &session).send(&server).await.status, 401);
    drop(listener);
    let last = said["id"].as_str().unwrap();
    let query = format!("?accessToken={}&lastId={last}", bob.token);
    let mut listener = Listener::open(&server, &query).await;
    listener.event().await;
    assert_eq!(listener.event().await["type"], "CONNECTED_USER_INFO");
    assert_eq!(listener.event().await["body"], "<p>by post</p>");
}
