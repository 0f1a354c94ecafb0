//! Listeners, what peers say, and shortcuts for building a client.

mod trap;

pub(crate) use testkit::https::{Authority, Peer, Reply};
pub(crate) use trap::Trap;

use std::error::Error;
use std::net::IpAddr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use outbound::http::HeaderMap;
use outbound::{
    Client, ClientBuilder, FetchBudget, FetchError, Lookup, Policy, Resolver, Response, Url,
};

pub(crate) const USER_AGENT: &str = "rillcast/0.0.0; https://rillcast.example";

/// One certificate authority for the whole run, trusted by every client of [`builder`]. Trusting it explicitly also
/// lets the suite run where no system authorities are installed.
pub(crate) fn authority() -> &'static Authority {
    static AUTHORITY: OnceLock<Authority> = OnceLock::new();
    AUTHORITY.get_or_init(Authority::new)
}

pub(crate) fn builder() -> ClientBuilder {
    Client::builder()
        .user_agent(USER_AGENT)
        .extra_ca(authority().pem())
        .resolver(Nowhere)
}

/// A complete 200 with this body.
pub(crate) fn reply(body: &str) -> Reply {
    testkit::https::reply(200, "", body)
}

/// A client that finds each named peer and nothing else.
pub(crate) fn client_for(peers: &[(&str, &Peer)]) -> Client {
    let mut builder = builder();
    for (host, peer) in peers {
        builder = builder.danger_resolve(*host, peer.address());
    }
    builder.build().unwrap()
}

pub(crate) fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// A GET with an ample budget.
pub(crate) async fn get(
    client: &Client,
    text: &str,
    policy: &Policy,
) -> Result<Response, FetchError> {
    client
        .get(&url(text), policy, HeaderMap::new(), &FetchBudget::new(10))
        .await
}

/// A deadline short enough for a test and long enough for a busy machine to answer.
pub(crate) const SHORT: Duration = Duration::from_millis(700);

/// An error with all its causes, as a log would show it.
pub(crate) fn whole_text(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |current| (*current).source());
    let texts: Vec<String> = causes.map(|cause| format!("{cause} {cause:?}")).collect();
    texts.join("; ")
}

/// Resolves no name.
pub(crate) struct Nowhere;

impl Resolver for Nowhere {
    fn lookup(&self, _host: String) -> Lookup {
        Box::pin(async { Err(std::io::Error::other("no such name")) })
    }
}

/// Gives its answers in turn, over and over, and counts how often it was asked.
pub(crate) struct Scripted {
    answers: Vec<Vec<IpAddr>>,
    asked: &'static AtomicUsize,
}

impl Scripted {
    pub(crate) fn new(answers: &[&[&str]], asked: &'static AtomicUsize) -> Self {
        let parse = |texts: &&[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        Self {
            answers: answers.iter().map(parse).collect(),
            asked,
        }
    }
}

impl Resolver for Scripted {
    fn lookup(&self, _host: String) -> Lookup {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst);
        let answer = self.answers[turn % self.answers.len()].clone();
        Box::pin(async move { Ok(answer) })
    }
}

/// A counter that outlives the client it is lent to.
pub(crate) fn counter() -> &'static AtomicUsize {
    Box::leak(Box::new(AtomicUsize::new(0)))
}
