//! Small https servers on loopback, with a certificate authority that exists for one run.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use outbound::{Client, Lookup, Resolver};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

/// A scripted answer to a request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// These bytes.
    Bytes(Vec<u8>),
    /// A document that never ends.
    Endless,
    /// One byte at a time, with pauses.
    Trickle,
    /// No answer.
    Silent,
}

/// A complete answer; `headers` are lines with their line ends.
pub(crate) fn reply(status: u16, headers: &str, body: &str) -> Reply {
    let length = body.len();
    let text =
        format!("HTTP/1.1 {status} Status\r\n{headers}content-length: {length}\r\n\r\n{body}");
    Reply::Bytes(text.into_bytes())
}

/// A document of this media type.
pub(crate) fn document(kind: &str, body: &serde_json::Value) -> Reply {
    reply(200, &format!("content-type: {kind}\r\n"), &body.to_string())
}

/// A redirect to another address.
pub(crate) fn redirect(to: &str) -> Reply {
    reply(302, &format!("location: {to}\r\n"), "")
}

/// A request as received.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn method(&self) -> &str {
        self.head.split(' ').next().unwrap_or_default()
    }

    pub(crate) fn target(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }
}

type Route = dyn Fn(&Request) -> Reply + Send + Sync;

/// Several servers, one per host, each answering by its own rule.
pub(crate) struct Peers {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
    known: Vec<(String, SocketAddr)>,
    requests: Arc<Mutex<Vec<(String, Request)>>>,
    accepting: Vec<tokio::task::JoinHandle<()>>,
    deaf: Vec<TcpSocket>,
}

impl Peers {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        Self {
            pem,
            issuer: Issuer::new(params, key),
            known: Vec::new(),
            requests: Arc::default(),
            accepting: Vec::new(),
            deaf: Vec::new(),
        }
    }

    /// Adds a server for `host`.
    pub(crate) fn serve(
        mut self,
        host: &str,
        route: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        self.known
            .push((host.to_owned(), listener.local_addr().unwrap()));
        let accepting = accept(
            TcpListener::from_std(listener).unwrap(),
            self.certify(host),
            host.to_owned(),
            Arc::new(route),
            Arc::clone(&self.requests),
        );
        self.accepting.push(tokio::spawn(accepting));
        self
    }

    /// Adds a host where nobody listens.
    pub(crate) fn serve_nobody(mut self, host: &str) -> Self {
        // Bound, so that no other test gets the port, but never listening.
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        self.known
            .push((host.to_owned(), socket.local_addr().unwrap()));
        self.deaf.push(socket);
        self
    }

    fn certify(&self, host: &str) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![host.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let provider = Arc::new(aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![CertificateDer::from(certificate)], key)
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }

    /// A client that finds only these servers: every other name leads to this machine, as a hostile name server would
    /// have it.
    pub(crate) fn client(&self, deadline: Duration) -> Client {
        let mut builder = Client::builder()
            .user_agent("0.0.0; https://rillcast.example")
            .extra_ca(self.pem.as_str())
            .resolver(Inside)
            .deadline(deadline);
        for (host, address) in &self.known {
            builder = builder.danger_resolve(host, *address);
        }
        builder.build().unwrap()
    }

    /// All requests so far, with the requested host.
    pub(crate) fn requests(&self) -> Vec<(String, Request)> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        for task in &self.accepting {
            task.abort();
        }
    }
}

struct Inside;

impl Resolver for Inside {
    fn lookup(&self, _host: String) -> Lookup {
        Box::pin(async { Ok(vec!["127.0.0.1".parse().unwrap()]) })
    }
}

async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    host: String,
    route: Arc<Route>,
    requests: Arc<Mutex<Vec<(String, Request)>>>,
) {
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, host) = (acceptor.clone(), host.clone());
        let (route, requests) = (Arc::clone(&route), Arc::clone(&requests));
        tokio::spawn(async move {
            if let Ok(stream) = acceptor.accept(stream).await {
                answer(stream, &host, &route, &requests).await;
            }
        });
    }
}

/// Answers request after request; any failure means that the client has left.
async fn answer(
    mut stream: TlsStream<TcpStream>,
    host: &str,
    route: &Arc<Route>,
    requests: &Mutex<Vec<(String, Request)>>,
) {
    while let Some(request) = read_request(&mut stream).await {
        let came = (host.to_owned(), request.clone());
        requests.lock().unwrap().push(came);
        let route = Arc::clone(route);
        // A rule may wait for the test, which must not block the runtime.
        let Ok(reply) = tokio::task::spawn_blocking(move || route(&request)).await else {
            return;
        };
        let goes_on = match reply {
            Reply::Bytes(bytes) => stream.write_all(&bytes).await.is_ok(),
            Reply::Endless => pour(&mut stream, &[b' '; 4096], Duration::ZERO).await,
            Reply::Trickle => pour(&mut stream, b" ", Duration::from_millis(50)).await,
            Reply::Silent => {
                let mut rest = [0; 64];
                while stream.read(&mut rest).await.is_ok_and(|count| count > 0) {}
                false
            }
        };
        if !goes_on || stream.flush().await.is_err() {
            return;
        }
    }
}

/// Sends the same bytes until nobody listens any more.
async fn pour(stream: &mut TlsStream<TcpStream>, bytes: &[u8], pause: Duration) -> bool {
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/jrd+json\r\n\r\n";
    let mut listens = stream.write_all(head).await.is_ok();
    while listens {
        listens = stream.write_all(bytes).await.is_ok() && stream.flush().await.is_ok();
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }
    false
}

async fn read_request(stream: &mut TlsStream<TcpStream>) -> Option<Request> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).ok()?;
    let lower = head.to_lowercase();
    let length = lower
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).await.ok()?;
    Some(Request {
        head,
        body: String::from_utf8(body).ok()?,
    })
}
