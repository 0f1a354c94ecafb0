//! A scripted receiver: records every request and answers as told.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// Lower-case names.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Received {
    pub(crate) fn delivery(&self) -> &str {
        &self.headers["rillcast-delivery"]
    }
}

/// What a receiver does with a request.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// A status, further header lines, a body.
    Status(u16, &'static str, String),
    /// Takes the request and never answers.
    Silence,
}

pub(crate) fn status(code: u16) -> Answer {
    Answer::Status(code, "", String::new())
}

type Script = Arc<dyn Fn(&Received) -> Answer + Send + Sync>;

/// A receiver; dropping it closes it.
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Received>>>,
    script: Arc<Mutex<Script>>,
    task: JoinHandle<()>,
}

impl Receiver {
    pub(crate) async fn start(
        script: impl Fn(&Received) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self::at("127.0.0.1:0".parse().unwrap(), script).await
    }

    /// Listens where an earlier receiver was.
    pub(crate) async fn at(
        address: SocketAddr,
        script: impl Fn(&Received) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let script: Arc<Mutex<Script>> = Arc::new(Mutex::new(Arc::new(script)));
        let (log, played) = (Arc::clone(&seen), Arc::clone(&script));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&log), Arc::clone(&played)));
            }
        });
        Self {
            address,
            seen,
            script,
            task,
        }
    }

    /// Answers 204 to everything.
    pub(crate) async fn friendly() -> Self {
        Self::start(|_| status(204)).await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook?key=hush", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Received> {
        self.seen.lock().unwrap().clone()
    }

    /// Changes the behaviour from now on.
    pub(crate) fn now(&self, script: impl Fn(&Received) -> Answer + Send + Sync + 'static) {
        *self.script.lock().unwrap() = Arc::new(script);
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(stream: TcpStream, seen: Arc<Mutex<Vec<Received>>>, script: Arc<Mutex<Script>>) {
    let mut stream = BufReader::new(stream);
    while let Some(received) = read(&mut stream).await {
        seen.lock().unwrap().push(received.clone());
        let script = Arc::clone(&script.lock().unwrap());
        let text = match script(&received) {
            Answer::Silence => {
                let mut rest = [0; 64];
                while stream.read(&mut rest).await.is_ok_and(|n| n > 0) {}
                return;
            }
            Answer::Status(code, headers, body) => {
                let length = match code {
                    204 => String::new(),
                    _ => format!("content-length: {}\r\n", body.len()),
                };
                format!("HTTP/1.1 {code} X\r\n{headers}{length}\r\n{body}")
            }
        };
        if stream.write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let headers: BTreeMap<String, String> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    stream.read_exact(&mut body).await.ok()?;
    Some(Received {
        headers,
        body: String::from_utf8(body).unwrap(),
    })
}
