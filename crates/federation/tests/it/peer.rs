//! Several https servers on loopback, and a client that finds only them.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use outbound::{Client, Lookup, Resolver};
use testkit::https::{Authority, Peer};
pub(crate) use testkit::https::{Reply, Request, reply};
use tokio::net::TcpSocket;

/// A document of this media type.
pub(crate) fn document(kind: &str, body: &serde_json::Value) -> Reply {
    reply(200, &format!("content-type: {kind}\r\n"), &body.to_string())
}

/// A redirect to another address.
pub(crate) fn redirect(to: &str) -> Reply {
    reply(302, &format!("location: {to}\r\n"), "")
}

/// Several servers, one per host, each answering by its own rule.
pub(crate) struct Peers {
    authority: Authority,
    known: Vec<(String, SocketAddr)>,
    requests: Arc<Mutex<Vec<(String, Request)>>>,
    answering: Vec<Peer>,
    deaf: Vec<TcpSocket>,
}

impl Peers {
    pub(crate) fn new() -> Self {
        Self {
            authority: Authority::new(),
            known: Vec::new(),
            requests: Arc::default(),
            answering: Vec::new(),
            deaf: Vec::new(),
        }
    }

    /// Adds a server for `host`.
    pub(crate) fn serve(
        mut self,
        host: &str,
        route: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let (name, requests) = (host.to_owned(), Arc::clone(&self.requests));
        let peer = Peer::tls(self.authority.certify(host), move |request| {
            let came = (name.clone(), request.clone());
            requests.lock().unwrap().push(came);
            route(request)
        });
        self.known.push((host.to_owned(), peer.address()));
        self.answering.push(peer);
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

    /// A client that finds only these servers: every other name leads to this machine, as a hostile name server would
    /// have it.
    pub(crate) fn client(&self, deadline: Duration) -> Client {
        let mut builder = Client::builder()
            .user_agent("0.0.0; https://rillcast.example")
            .extra_ca(self.authority.pem())
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

struct Inside;

impl Resolver for Inside {
    fn lookup(&self, _host: String) -> Lookup {
        Box::pin(async { Ok(vec!["127.0.0.1".parse().unwrap()]) })
    }
}
