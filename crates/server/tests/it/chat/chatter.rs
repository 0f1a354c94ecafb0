//! A chat client for tests.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use server::testing::TestServer;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::http::{Answer, post};

/// Long enough for a busy machine; waiting ends as soon as there is something to hear.
const PATIENCE: Duration = Duration::from_secs(20);

/// A registered user.
#[derive(Clone, Debug)]
pub(crate) struct Person {
    pub(crate) id: String,
    pub(crate) token: String,
    pub(crate) name: String,
}

pub(crate) async fn register(server: &TestServer, name: &str) -> Person {
    let body = json!({ "displayName": name });
    let answer = post("/api/chat/register", &body).send(server).await.json();
    let text = |key: &str| answer[key].as_str().unwrap().to_owned();
    Person {
        id: text("id"),
        token: text("accessToken"),
        name: text("displayName"),
    }
}

/// A connection, and the events it has received that no test has consumed yet.
#[derive(Debug)]
pub(crate) struct Chatter {
    socket: WebSocketStream<TcpStream>,
    pub(crate) person: Person,
}

/// What a connection receives last.
#[derive(Debug, PartialEq)]
pub(crate) enum Heard {
    Event(Value),
    Closed(Option<u16>),
}

pub(crate) async fn socket(server: &TestServer, query: &str) -> WebSocketStream<TcpStream> {
    let stream = TcpStream::connect(server.address()).await.unwrap();
    let url = format!("ws://{}/ws{query}", server.address());
    client_async(url, stream).await.unwrap().0
}

/// As [`socket`], with headers of the caller's choice.
pub(crate) async fn socket_with(
    server: &TestServer,
    query: &str,
    headers: &[(&str, &str)],
) -> WebSocketStream<TcpStream> {
    let stream = TcpStream::connect(server.address()).await.unwrap();
    let url = format!("ws://{}/ws{query}", server.address());
    let mut request = url.into_client_request().unwrap();
    for (name, value) in headers {
        let name: http::HeaderName = name.parse().unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    client_async(request, stream).await.unwrap().0
}

/// As [`socket`], with the smallest receive buffer the system allows.
pub(crate) async fn narrow_socket(server: &TestServer, query: &str) -> WebSocketStream<TcpStream> {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(1024).unwrap();
    let stream = socket.connect(server.address()).await.unwrap();
    let url = format!("ws://{}/ws{query}", server.address());
    client_async(url, stream).await.unwrap().0
}

/// The server's answer when it does not open a socket.
pub(crate) async fn refusal(server: &TestServer, query: &str) -> Answer {
    crate::http::get(&format!("/ws{query}"))
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
        .send(server)
        .await
}

impl Chatter {
    /// Registers and connects.
    pub(crate) async fn join(server: &TestServer, name: &str) -> Self {
        let person = register(server, name).await;
        Self::connect(server, person, "").await
    }

    /// Connects and waits for the greeting.
    pub(crate) async fn connect(server: &TestServer, person: Person, more: &str) -> Self {
        let query = format!("?accessToken={}{more}", person.token);
        let mut chatter = Self {
            socket: socket(server, &query).await,
            person,
        };
        let first = chatter.next().await;
        assert!(
            matches!(&first, Heard::Event(event) if event["type"] == "CONNECTED_USER_INFO"),
            "{first:?}"
        );
        chatter
    }

    /// Wraps a socket without any handshake.
    pub(crate) fn raw(socket: WebSocketStream<TcpStream>, person: Person) -> Self {
        Self { socket, person }
    }

    /// Discards events that have already arrived.
    pub(crate) async fn drain(&mut self) {
        while let Ok(Some(Ok(_))) =
            tokio::time::timeout(Duration::from_millis(1), self.socket.next()).await
        {}
    }

    pub(crate) async fn next(&mut self) -> Heard {
        let next = async {
            loop {
                match self.socket.next().await {
                    Some(Ok(Message::Text(text))) => {
                        return Heard::Event(serde_json::from_str(&text).unwrap());
                    }
                    Some(Ok(Message::Close(frame))) => {
                        return Heard::Closed(frame.map(|frame| frame.code.into()));
                    }
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return Heard::Closed(None),
                }
            }
        };
        let heard = tokio::time::timeout(PATIENCE, next).await;
        heard.unwrap_or_else(|_| panic!("{} hears nothing", self.person.name))
    }

    /// The next event of a kind; others are skipped.
    pub(crate) async fn hears(&mut self, kind: &str) -> Value {
        loop {
            match self.next().await {
                Heard::Event(event) if event["type"] == kind => return event,
                Heard::Event(_) => {}
                Heard::Closed(code) => panic!("closed with {code:?} instead of {kind}"),
            }
        }
    }

    /// The next event of any kind.
    pub(crate) async fn hears_any(&mut self) -> Value {
        match self.next().await {
            Heard::Event(event) => event,
            Heard::Closed(code) => panic!("closed with {code:?}"),
        }
    }

    /// The next chat line, whoever wrote it.
    pub(crate) async fn line(&mut self) -> String {
        self.hears("CHAT").await["body"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// The close code; events before it are skipped.
    pub(crate) async fn end(&mut self) -> Option<u16> {
        loop {
            if let Heard::Closed(code) = self.next().await {
                return code;
            }
        }
    }

    pub(crate) async fn send(&mut self, document: &Value) {
        self.send_text(&document.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        let message = Message::Text(text.into());
        self.socket.send(message).await.unwrap();
    }

    pub(crate) async fn say(&mut self, body: &str) {
        self.send(&json!({ "type": "CHAT", "body": body })).await;
    }

    /// Says something and waits until the room has published it.
    pub(crate) async fn say_and_hear(&mut self, body: &str) -> Value {
        self.say(body).await;
        self.hears("CHAT").await
    }

    /// Sends a close frame and returns the code that comes back.
    pub(crate) async fn close(&mut self, code: Option<u16>) -> Option<u16> {
        let frame = code.map(|code| CloseFrame {
            code: code.into(),
            reason: "".into(),
        });
        self.socket.close(frame).await.unwrap();
        match self.next().await {
            Heard::Closed(code) => code,
            Heard::Event(event) => panic!("{event}"),
        }
    }

    pub(crate) async fn leave(mut self) -> Person {
        self.socket.close(None).await.unwrap();
        self.end().await;
        self.person
    }
}

/// Keys of an object, sorted.
pub(crate) fn keys(event: &Value) -> Vec<&str> {
    event
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}
