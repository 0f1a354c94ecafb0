//! A scripted HTTP/1.1 server.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_rustls::TlsAcceptor;

/// A port that the system chooses.
const FREE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
/// What the system holds of an answer; small, so that the count of sent bytes is close to what was read.
const SEND_BUFFER_BYTES: u32 = 64 * 1024;
/// Between two bytes of an answer that trickles.
const TRICKLE_PAUSE: Duration = Duration::from_millis(20);

/// What a peer does with a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Sends these bytes and waits for the next request.
    Bytes(Vec<u8>),
    /// Sends these bytes and hangs up.
    Cut(Vec<u8>),
    /// Sends the first, then the second until nobody listens.
    Endless(Vec<u8>, Vec<u8>),
    /// Sends these bytes, then one at a time, slower than any deadline.
    Trickle(Vec<u8>),
    /// Says nothing.
    Silent,
}

/// A complete answer; `headers` are lines with their line ends.
pub fn reply(status: u16, headers: &str, body: &str) -> Reply {
    let length = body.len();
    let text =
        format!("HTTP/1.1 {status} Status\r\n{headers}content-length: {length}\r\n\r\n{body}");
    Reply::Bytes(text.into_bytes())
}

/// A document of this media type that never ends.
pub fn endless(media_type: &str) -> Reply {
    Reply::Endless(head_of(media_type), vec![b' '; 4096])
}

/// A document of this media type that comes one byte at a time.
pub fn trickle(media_type: &str) -> Reply {
    Reply::Trickle(head_of(media_type))
}

fn head_of(media_type: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\n\r\n").into_bytes()
}

/// A request as received.
#[derive(Clone, Debug)]
pub struct Request {
    pub head: String,
    pub body: String,
}

impl Request {
    pub fn method(&self) -> &str {
        self.head.split(' ').next().unwrap_or_default()
    }

    /// The path and the query.
    pub fn target(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }
}

type ReplyRule = dyn Fn(&Request) -> Reply + Send + Sync;

/// What a peer has counted.
#[derive(Debug, Default)]
struct PeerCounters {
    connections: AtomicUsize,
    sent: AtomicUsize,
    requests: Mutex<Vec<Request>>,
}

impl PeerCounters {
    fn requests(&self) -> MutexGuard<'_, Vec<Request>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server on loopback that answers by a rule of the test, until it is dropped.
#[derive(Debug)]
pub struct Peer {
    address: SocketAddr,
    counters: Arc<PeerCounters>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Peer {
    /// A peer without TLS. The rule may wait for the test.
    pub fn plain(route: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::start(FREE, None, route).expect("loopback has a free port")
    }

    /// A peer with the certificate that this acceptor shows.
    pub fn tls(
        acceptor: TlsAcceptor,
        route: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::start(FREE, Some(acceptor), route).expect("loopback has a free port")
    }

    /// A peer at this address, if nobody else has it.
    pub fn start(
        address: SocketAddr,
        tls: Option<TlsAcceptor>,
        route: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let (listener, address) = listen(address)?;
        let counters = Arc::new(PeerCounters::default());
        let accepting = tokio::spawn(accept(
            listener,
            tls,
            Arc::new(route),
            Arc::clone(&counters),
        ));
        Ok(Self {
            address,
            counters,
            accepting,
        })
    }

    /// A peer that speaks first, and not HTTP.
    pub fn blurting(greeting: Vec<u8>) -> Self {
        let (listener, address) = listen(FREE).expect("loopback has a free port");
        let accepting = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                // Whoever called may have hung up already.
                drop(stream.write_all(&greeting).await);
            }
        });
        Self {
            address,
            counters: Arc::default(),
            accepting,
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many connections were made to it.
    pub fn connections(&self) -> usize {
        self.counters.connections.load(Ordering::SeqCst)
    }

    /// Bytes given to the system so far.
    pub fn sent(&self) -> usize {
        self.counters.sent.load(Ordering::SeqCst)
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.counters.requests().clone()
    }

    /// The heads of all requests so far, in lower case.
    pub fn heads(&self) -> Vec<String> {
        let requests = self.counters.requests();
        requests
            .iter()
            .map(|request| request.head.to_lowercase())
            .collect()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn listen(address: SocketAddr) -> std::io::Result<(TcpListener, SocketAddr)> {
    let socket = TcpSocket::new_v4()?;
    // Accepted sockets inherit it.
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    socket.bind(address)?;
    let listener = socket.listen(1024)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

async fn accept(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    route: Arc<ReplyRule>,
    counters: Arc<PeerCounters>,
) {
    while let Ok((stream, _)) = listener.accept().await {
        counters.connections.fetch_add(1, Ordering::SeqCst);
        tokio::spawn(welcome(
            stream,
            tls.clone(),
            Arc::clone(&route),
            Arc::clone(&counters),
        ));
    }
}

async fn welcome(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    route: Arc<ReplyRule>,
    counters: Arc<PeerCounters>,
) {
    match tls {
        None => serve(stream, &route, &counters).await,
        Some(acceptor) => {
            if let Ok(stream) = acceptor.accept(stream).await {
                serve(stream, &route, &counters).await;
            }
        }
    }
}

/// Answers request after request; any failure means that the client has left.
async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    route: &Arc<ReplyRule>,
    counters: &PeerCounters,
) {
    while let Some(request) = read_request(&mut stream).await {
        counters.requests().push(request.clone());
        let route = Arc::clone(route);
        // A rule may wait for the test, which must not block the runtime.
        let Ok(reply) = tokio::task::spawn_blocking(move || route(&request)).await else {
            return;
        };
        let goes_on = match reply {
            Reply::Bytes(bytes) => send(&mut stream, &bytes, counters).await,
            Reply::Cut(bytes) => {
                send(&mut stream, &bytes, counters).await;
                // It may have left first.
                drop(stream.shutdown().await);
                false
            }
            Reply::Endless(head, again) => {
                let mut listens = send(&mut stream, &head, counters).await;
                while listens {
                    listens = send(&mut stream, &again, counters).await;
                }
                false
            }
            Reply::Trickle(head) => {
                let mut listens = send(&mut stream, &head, counters).await;
                while listens {
                    tokio::time::sleep(TRICKLE_PAUSE).await;
                    listens = send(&mut stream, b"x", counters).await;
                }
                false
            }
            Reply::Silent => {
                let mut rest = [0; 64];
                while stream.read(&mut rest).await.is_ok_and(|count| count > 0) {}
                false
            }
        };
        if !goes_on {
            return;
        }
    }
}

async fn send<S: AsyncWrite + Unpin>(
    stream: &mut S,
    mut bytes: &[u8],
    counters: &PeerCounters,
) -> bool {
    while !bytes.is_empty() {
        match stream.write(bytes).await {
            Ok(count) if count > 0 => {
                counters.sent.fetch_add(count, Ordering::SeqCst);
                bytes = &bytes[count..];
            }
            _ => return false,
        }
    }
    stream.flush().await.is_ok()
}

async fn read_request<S: AsyncRead + Unpin>(stream: &mut S) -> Option<Request> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let lower = head.to_lowercase();
    let length = lower
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length = length.and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Request {
        head,
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}
