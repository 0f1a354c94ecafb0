//! A small internet on loopback: host names with certificates of an authority that exists for one test.
//!
//! Behind each name is one of our servers or a scripted one. TLS ends here, as at a proxy.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;
use testkit::https::{self, Authority, Reply, Request, TlsAcceptor};
use tokio::net::{TcpListener, TcpStream};

use crate::http::PASSWORD;

type Behind = Arc<Mutex<HashMap<String, SocketAddr>>>;

/// Host names and the servers behind them.
pub(crate) struct Network {
    folder: tempfile::TempDir,
    fronts: Vec<(String, SocketAddr)>,
    behind: Behind,
    scripted: Vec<https::Peer>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl Network {
    /// Host names without servers yet.
    pub(crate) fn of(hosts: &[&str]) -> Self {
        let authority = Authority::new();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), authority.pem()).unwrap();
        let mut network = Self {
            folder,
            fronts: Vec::new(),
            behind: Behind::default(),
            scripted: Vec::new(),
            tasks: Vec::new(),
        };
        for host in hosts {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            listener.set_nonblocking(true).unwrap();
            let address = listener.local_addr().unwrap();
            network.fronts.push(((*host).to_owned(), address));
            let front = front(
                TcpListener::from_std(listener).unwrap(),
                authority.certify(host),
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
        let peer = Peer {
            host: host.to_owned(),
            template: Arc::new(Mutex::new(format!("https://{host}/follow?uri={{uri}}"))),
            received: Arc::default(),
        };
        let account = peer.clone();
        let server = https::Peer::plain(move |request| account.answer(request));
        self.put(host, server.address());
        self.scripted.push(server);
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

/// Terminates TLS for one name and forwards everything.
async fn front(listener: TcpListener, acceptor: TlsAcceptor, host: String, behind: Behind) {
    while let Ok((stream, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        let address = behind.lock().unwrap().get(&host).copied();
        tokio::spawn(async move {
            let (Ok(mut outside), Some(address)) = (acceptor.accept(stream).await, address) else {
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

    fn answer(&self, request: &Request) -> Reply {
        let path = request.target().split('?').next().unwrap_or_default();
        let (status, media_type, body) = self.document(path, &request.body);
        https::reply(status, &format!("content-type: {media_type}\r\n"), &body)
    }

    /// The status, the media type and the body.
    fn document(&self, path: &str, body: &str) -> (u16, &'static str, String) {
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
