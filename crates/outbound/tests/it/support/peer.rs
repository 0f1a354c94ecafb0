//! A scripted HTTP/1.1 server that misbehaves as a test needs.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

/// What a peer does with a request.
#[derive(Clone)]
pub(crate) enum Script {
    /// Sends these bytes and waits for the next request.
    Reply(Vec<u8>),
    /// Sends these bytes and hangs up.
    Cut(Vec<u8>),
    /// Sends the first, then the second until nobody listens.
    Endless(Vec<u8>, Vec<u8>),
    /// Sends the first, then one byte at a time, slower than any deadline.
    Trickle(Vec<u8>),
    /// Says nothing.
    Silent,
}

/// A complete 200 with this body.
pub(crate) fn reply(body: &str) -> Script {
    let length = body.len();
    Script::Reply(format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}").into_bytes())
}

#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    sent: AtomicUsize,
    heads: Mutex<Vec<String>>,
}

pub(crate) struct Peer {
    address: SocketAddr,
    seen: Arc<Seen>,
    accepting: tokio::task::JoinHandle<()>,
}

type Route = dyn Fn(&str) -> Script + Send + Sync;

impl Peer {
    /// A plain-text peer; `route` gets the request target and says what happens.
    pub(crate) fn plain(route: impl Fn(&str) -> Script + Send + Sync + 'static) -> Self {
        Self::start("127.0.0.1:0".parse().unwrap(), None, route).unwrap()
    }

    pub(crate) fn tls(
        config: Arc<ServerConfig>,
        route: impl Fn(&str) -> Script + Send + Sync + 'static,
    ) -> Self {
        Self::start("127.0.0.1:0".parse().unwrap(), Some(config), route).unwrap()
    }

    /// A peer that speaks first, and not HTTP.
    pub(crate) fn blurting(greeting: Vec<u8>) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let listener = TcpListener::from_std(listener).unwrap();
        let accepting = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let _gone = stream.write_all(&greeting).await;
            }
        });
        Self {
            address,
            seen: Arc::default(),
            accepting,
        }
    }

    pub(crate) fn start(
        address: SocketAddr,
        tls: Option<Arc<ServerConfig>>,
        route: impl Fn(&str) -> Script + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        // Accepted sockets inherit it; small, so that the count of sent bytes is close to what was read.
        socket.set_send_buffer_size(64 * 1024)?;
        socket.bind(address)?;
        let listener = socket.listen(1024)?;
        let address = listener.local_addr()?;
        let seen = Arc::new(Seen::default());
        let accepting = tokio::spawn(accept(
            listener,
            tls.map(TlsAcceptor::from),
            Arc::new(route),
            Arc::clone(&seen),
        ));
        Ok(Self {
            address,
            seen,
            accepting,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    /// Bytes passed to the kernel so far.
    pub(crate) fn sent(&self) -> usize {
        self.seen.sent.load(Ordering::SeqCst)
    }

    /// The heads of all requests, lower case.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.seen.heads.lock().unwrap().clone()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    route: Arc<Route>,
    seen: Arc<Seen>,
) {
    while let Ok((stream, _)) = listener.accept().await {
        seen.connections.fetch_add(1, Ordering::SeqCst);
        tokio::spawn(welcome(
            stream,
            tls.clone(),
            Arc::clone(&route),
            Arc::clone(&seen),
        ));
    }
}

async fn welcome(stream: TcpStream, tls: Option<TlsAcceptor>, route: Arc<Route>, seen: Arc<Seen>) {
    match tls {
        None => serve(stream, &*route, &seen).await,
        Some(acceptor) => {
            if let Ok(stream) = acceptor.accept(stream).await {
                serve(stream, &*route, &seen).await;
            }
        }
    }
}

/// Answers request after request; any failure means that the client has left.
async fn serve<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, route: &Route, seen: &Seen) {
    while let Some(head) = read_request(&mut stream).await {
        let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
        seen.heads.lock().unwrap().push(head);
        let goes_on = match route(&target) {
            Script::Reply(bytes) => send(&mut stream, &bytes, seen).await,
            Script::Cut(bytes) => {
                send(&mut stream, &bytes, seen).await;
                let _gone = stream.shutdown().await;
                false
            }
            Script::Endless(head, again) => {
                let mut listening = send(&mut stream, &head, seen).await;
                while listening {
                    listening = send(&mut stream, &again, seen).await;
                }
                false
            }
            Script::Trickle(head) => {
                let mut listening = send(&mut stream, &head, seen).await;
                while listening {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    listening = send(&mut stream, b"x", seen).await;
                }
                false
            }
            Script::Silent => {
                let mut rest = [0; 64];
                while stream.read(&mut rest).await.is_ok_and(|n| n > 0) {}
                false
            }
        };
        if !goes_on {
            return;
        }
    }
}

async fn send<S: AsyncWrite + Unpin>(stream: &mut S, mut bytes: &[u8], seen: &Seen) -> bool {
    while !bytes.is_empty() {
        match stream.write(bytes).await {
            Ok(n) if n > 0 => {
                seen.sent.fetch_add(n, Ordering::SeqCst);
                bytes = &bytes[n..];
            }
            _ => return false,
        }
    }
    stream.flush().await.is_ok()
}

/// The head of the next request in lower case, its body read and dropped.
async fn read_request<S: AsyncRead + Unpin>(stream: &mut S) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length = length.and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(head)
}
