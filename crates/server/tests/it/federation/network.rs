//! A small internet on loopback: host names with certificates of an authority that exists for one test.
//!
//! Behind each name is one of our servers or a scripted one. TLS ends here, as at a proxy.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

use crate::http::PASSWORD;

type Behind = Arc<Mutex<HashMap<String, SocketAddr>>>;

/// Host names and the servers behind them.
pub(crate) struct Network {
    folder: tempfile::TempDir,
    fronts: Vec<(String, SocketAddr)>,
    behind: Behind,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl Network {
    /// Host names without servers yet.
    pub(crate) fn of(hosts: &[&str]) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), pem).unwrap();
        let issuer = Issuer::new(params, key);
        let mut network = Self {
            folder,
            fronts: Vec::new(),
            behind: Behind::default(),
            tasks: Vec::new(),
        };
        for host in hosts {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            listener.set_nonblocking(true).unwrap();
            let address = listener.local_addr().unwrap();
            network.fronts.push(((*host).to_owned(), address));
            let front = front(
                TcpListener::from_std(listener).unwrap(),
                certify(&issuer, host),
                (*host).to_owned(),
                Arc::clone(&network.behind),
            );
            network.tasks.push(tokio::spawn(front));
        }
        network
    }

    /// Starts one of our servers behind this name, with federation on and these settings.
    pub(crate) async fn server(&self, host: &str, set: &[&str]) -> TestServer {
        let mut settings = vec!["federation_enabled=true".to_owned()];
        settings.extend(set.iter().map(|pair| (*pair).to_owned()));
        let others = self.fronts.iter().filter(|(known, _)| known != host);
        let options = Options {
            server_url: Some(format!("https://{host}")),
            admin_password: Some(PASSWORD.into()),
            set: settings,
            extra_ca: Some(self.folder.path().join("ca.pem").display().to_string()),
            danger_resolve: others
                .map(|(host, address)| format!("{host}={address}"))
                .collect(),
            trusted_proxies: Some("127.0.0.1".into()),
            ..Options::default()
        };
        let server = TestServer::start_with(options).await;
        self.put(host, server.address());
        server
    }

    /// Starts a scripted server behind this name, with the account `alice`.
    pub(crate) fn peer(&mut self, host: &str) -> Peer {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        self.put(host, listener.local_addr().unwrap());
        let listener = TcpListener::from_std(listener).unwrap();
        let peer = Peer {
            host: host.to_owned(),
            template: Arc::new(Mutex::new(format!("https://{host}/follow?uri={{uri}}"))),
            received: Arc::default(),
        };
        let serving = peer.clone();
        self.tasks.push(tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serving.clone().answer(stream));
            }
        }));
        peer
    }

    fn put(&self, host: &str, address: SocketAddr) {
        let mut behind = self.behind.lock().unwrap();
        behind.insert(host.to_owned(), address);
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

fn certify(issuer: &Issuer<'static, KeyPair>, host: &str) -> TlsAcceptor {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec![host.to_owned()]).unwrap();
    let certificate = params.signed_by(&key, issuer).unwrap();
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

/// Terminates TLS for one name and forwards everything.
async fn front(listener: TcpListener, acceptor: TlsAcceptor, host: String, behind: Behind) {
    while let Ok((stream, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        let address = behind.lock().unwrap().get(&host).copied();
        tokio::spawn(async move {
            let accepted: std::io::Result<TlsStream<TcpStream>> = acceptor.accept(stream).await;
            let (Ok(mut outside), Some(address)) = (accepted, address) else {
                return;
            };
            if let Ok(mut inside) = TcpStream::connect(address).await {
                // Either side may close whenever it likes.
                drop(tokio::io::copy_bidirectional(&mut outside, &mut inside).await);
            }
        });
    }
}

/// A scripted server with one account.
#[derive(Clone)]
pub(crate) struct Peer {
    host: String,
    template: Arc<Mutex<String>>,
    received: Arc<Mutex<Vec<Value>>>,
}

impl Peer {
    /// Activities delivered to the account's inbox.
    pub(crate) fn received(&self) -> Vec<Value> {
        self.received.lock().unwrap().clone()
    }

    /// Sets the address from which its owner follows others.
    pub(crate) fn set_template(&self, template: &str) {
        *self.template.lock().unwrap() = template.to_owned();
    }

    async fn answer(self, mut stream: TcpStream) {
        while let Some((target, body)) = read_request(&mut stream).await {
            let path = target.split('?').next().unwrap_or_default();
            let (status, kind, body) = self.reply(path, &body);
            let length = body.len();
            let text = format!(
                "HTTP/1.1 {status} Status\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}"
            );
            if stream.write_all(text.as_bytes()).await.is_err() {
                return;
            }
        }
    }

    fn reply(&self, path: &str, body: &str) -> (u16, &'static str, String) {
        let base = format!("https://{}", self.host);
        let actor = format!("{base}/users/alice");
        match path {
            "/.well-known/webfinger" => {
                let document = json!({
                    "subject": format!("acct:alice@{}", self.host),
                    "links": [
                        { "rel": "self", "type": "application/activity+json", "href": actor },
                        { "rel": "http://ostatus.org/schema/1.0/subscribe", "template": *self.template.lock().unwrap() },
                    ],
                });
                (200, "application/jrd+json", document.to_string())
            }
            "/users/alice" => {
                let document = json!({
                    "@context": "https://www.w3.org/ns/activitystreams",
                    "id": actor,
                    "type": "Person",
                    "preferredUsername": "alice",
                    "name": "Alice",
                    "inbox": format!("{actor}/inbox"),
                });
                (200, "application/activity+json", document.to_string())
            }
            "/users/alice/inbox" => {
                let received = serde_json::from_str(body).unwrap();
                self.received.lock().unwrap().push(received);
                (202, "text/plain", String::new())
            }
            _ => (404, "text/plain", String::new()),
        }
    }
}

/// Returns the target and the body.
async fn read_request(stream: &mut TcpStream) -> Option<(String, String)> {
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
    let target = head.split(' ').nth(1)?.to_owned();
    Some((target, String::from_utf8(body).ok()?))
}
