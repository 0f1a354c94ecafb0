//! A small HTTP/1.1 client: one request per connection, the answer exactly as sent.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub(crate) const PASSWORD: &str = "correct horse battery";

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Lower-case names; repeated headers are joined with newlines.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
    /// The undecoded body.
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The session cookie as a request sends it back.
    pub(crate) fn cookie(&self) -> String {
        self.header("set-cookie")
            .split(';')
            .next()
            .unwrap()
            .to_owned()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Request {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

pub(crate) fn request(method: &str, path: &str) -> Request {
    Request {
        method: method.into(),
        path: path.into(),
        headers: Vec::new(),
        body: Vec::new(),
    }
}

pub(crate) fn get(path: &str) -> Request {
    request("GET", path)
}

pub(crate) fn post(path: &str, body: &Value) -> Request {
    request("POST", path).raw_body(&body.to_string())
}

impl Request {
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub(crate) fn raw_body(self, body: &str) -> Self {
        self.bytes(body.as_bytes())
    }

    pub(crate) fn bytes(mut self, body: &[u8]) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn basic(self, user: &str, password: &str) -> Self {
        let encoded = STANDARD.encode(format!("{user}:{password}"));
        self.header("authorization", &format!("Basic {encoded}"))
    }

    /// As the operator, with Basic credentials as scripts send them.
    pub(crate) fn by_admin(self) -> Self {
        self.basic("admin", PASSWORD)
    }

    pub(crate) async fn send(self, server: &TestServer) -> Answer {
        self.send_to(server.address()).await
    }

    pub(crate) async fn send_to(self, address: SocketAddr) -> Answer {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        let mut headers = self.headers;
        if !headers.iter().any(|(name, _)| name == "host") {
            headers.push(("host".into(), address.to_string()));
        }
        headers.push(("connection".into(), "close".into()));
        headers.push(("content-length".into(), self.body.len().to_string()));
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut stream = TcpStream::connect(address).await.unwrap();
        let whole = [format!("{head}\r\n").as_bytes(), &self.body].concat();
        stream.write_all(&whole).await.unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        parse(&bytes)
    }
}

fn parse(bytes: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, body) = text
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("no answer: {text:?}"));
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .unwrap()
        .split(' ')
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    for line in lines {
        let (name, value) = line.split_once(": ").unwrap();
        let entry = headers.entry(name.to_lowercase()).or_default();
        *entry = if entry.is_empty() {
            value.into()
        } else {
            format!("{entry}\n{value}")
        };
    }
    let end_of_head = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    Answer {
        status,
        headers,
        body: body.to_owned(),
        bytes: bytes[end_of_head.unwrap() + 4..].to_vec(),
    }
}

/// A server whose admin password is [`PASSWORD`], set through the setup link as a person would.
pub(crate) async fn set_up_server() -> TestServer {
    let server = TestServer::start().await;
    let body = json!({ "token": server.setup_token().unwrap(), "password": PASSWORD });
    let answer = post("/api/admin/setup", &body).send(&server).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    server
}

/// A server with settings given on the command line.
pub(crate) async fn server_with(set: &[&str]) -> TestServer {
    let options = Options {
        admin_password: Some(PASSWORD.into()),
        set: set.iter().map(|pair| (*pair).to_owned()).collect(),
        ..Options::default()
    };
    TestServer::start_with(options).await
}
