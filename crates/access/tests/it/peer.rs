//! A small https server on loopback for one host, with a certificate authority that exists for one run.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

pub(crate) struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        Self {
            pem,
            issuer: Issuer::new(params, key),
        }
    }

    pub(crate) fn pem(&self) -> &str {
        &self.pem
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
}

#[derive(Clone)]
pub(crate) enum Reply {
    /// These bytes.
    Bytes(Vec<u8>),
    /// A body that never ends.
    Endless,
    /// No response.
    Silent,
}

/// A complete response; `headers` are lines with their line ends.
pub(crate) fn reply(status: u16, headers: &str, body: &str) -> Reply {
    let length = body.len();
    let text =
        format!("HTTP/1.1 {status} Status\r\n{headers}content-length: {length}\r\n\r\n{body}");
    Reply::Bytes(text.into_bytes())
}

#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: String,
}

type Route = dyn Fn(&str) -> Reply + Send + Sync;

pub(crate) struct Provider {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Provider {
    pub(crate) fn start(
        authority: &Authority,
        host: &str,
        route: impl Fn(&str) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let listener = TcpListener::from_std(listener).unwrap();
        let requests = Arc::default();
        let accepting = tokio::spawn(accept(
            listener,
            authority.certify(host),
            Arc::new(route),
            Arc::clone(&requests),
        ));
        Self {
            address,
            requests,
            accepting,
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// All requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    route: Arc<Route>,
    requests: Arc<Mutex<Vec<Request>>>,
) {
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, route, requests) =
            (acceptor.clone(), Arc::clone(&route), Arc::clone(&requests));
        tokio::spawn(async move {
            if let Ok(stream) = acceptor.accept(stream).await {
                serve(stream, &*route, &requests).await;
            }
        });
    }
}

/// Serves requests until one fails, which means that the client has left.
async fn serve(mut stream: TlsStream<TcpStream>, route: &Route, requests: &Mutex<Vec<Request>>) {
    while let Some(request) = read_request(&mut stream).await {
        let target = request
            .head
            .split(' ')
            .nth(1)
            .unwrap_or_default()
            .to_owned();
        requests.lock().unwrap().push(request);
        let is_sent = match route(&target) {
            Reply::Bytes(bytes) => stream.write_all(&bytes).await.is_ok(),
            Reply::Endless => {
                let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n";
                let mut listens = stream.write_all(head).await.is_ok();
                while listens {
                    listens = stream.write_all(&[b' '; 4096]).await.is_ok();
                }
                false
            }
            Reply::Silent => {
                let mut rest = [0; 64];
                while stream.read(&mut rest).await.is_ok_and(|count| count > 0) {}
                false
            }
        };
        if !is_sent || stream.flush().await.is_err() {
            return;
        }
    }
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
