//! What all servers here share: one key, the documents of all actors, and a log of what was delivered.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::key::Key;
use crate::wire::Message;

/// The kinds of servers that answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerKind {
    Live,
    Slow,
}

#[derive(Debug)]
pub struct Peers {
    pub key: Key,
    log: Mutex<DeliveryLog>,
    /// Waits for an Accept, by the inbox it is delivered to.
    pending_accepts: Mutex<HashMap<String, oneshot::Sender<Instant>>>,
}

#[derive(Debug)]
struct DeliveryLog {
    since: Instant,
    /// When an activity was delivered to a live server.
    arrivals: Vec<Duration>,
    /// The inboxes of those deliveries.
    inboxes: HashSet<String>,
    /// Deliveries to slow servers.
    slow: u64,
    /// Documents that were fetched, by host and second.
    fetches: HashMap<String, HashMap<u64, u64>>,
}

impl DeliveryLog {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            arrivals: Vec::new(),
            slow: 0,
            inboxes: HashSet::new(),
            fetches: HashMap::new(),
        }
    }
}

impl Peers {
    pub fn new(key: Key) -> Self {
        Self {
            key,
            log: Mutex::new(DeliveryLog::new()),
            pending_accepts: Mutex::default(),
        }
    }

    /// Starts all counts again.
    pub fn reset(&self) {
        *self.log() = DeliveryLog::new();
    }

    pub fn count(&self) -> Value {
        let mut log = self.log();
        log.arrivals.sort_unstable();
        let at = |place: usize| log.arrivals.get(place).map(Duration::as_secs_f64);
        let all = |seconds: &HashMap<u64, u64>| seconds.values().sum::<u64>();
        let most = log.fetches.iter().max_by_key(|(_, seconds)| all(seconds));
        let in_a_second = log.fetches.values().flat_map(HashMap::values).max();
        json!({
            "posts": log.arrivals.len(),
            "slow": log.slow,
            "inboxes": log.inboxes.len(),
            "first": at(0),
            "median": at(log.arrivals.len() / 2),
            "last": at(log.arrivals.len().saturating_sub(1)),
            "fetches": log.fetches.values().map(all).sum::<u64>(),
            "fetches_of_one_host": most.map_or(0, |(_, seconds)| all(seconds)),
            "fetches_in_a_second": in_a_second.copied().unwrap_or_default(),
        })
    }

    /// The whole answer to a request.
    pub fn answer(&self, request: &Message, kind: PeerKind) -> String {
        let path = request.path();
        match (request.method(), path.strip_prefix("/users/")) {
            ("POST", _) => {
                self.take(request, kind);
                answer("202 Accepted", "")
            }
            ("GET", Some(name)) => {
                self.note_fetch(&request.host);
                answer("200 OK", &self.actor(&request.host, name).to_string())
            }
            _ => answer("404 Not Found", ""),
        }
    }

    /// Resolves when an Accept is delivered to this inbox.
    pub fn await_accept(&self, inbox: String) -> oneshot::Receiver<Instant> {
        let (sender, receiver) = oneshot::channel();
        lock(&self.pending_accepts).insert(inbox, sender);
        receiver
    }

    fn take(&self, request: &Message, kind: PeerKind) {
        let now = Instant::now();
        let inbox = format!("https://{}{}", request.host, request.path());
        let waiting = lock(&self.pending_accepts).remove(&inbox);
        if let Some(waiting) = waiting {
            let activity: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            if activity["type"] == "Accept" {
                waiting.send(now).ok();
            } else {
                lock(&self.pending_accepts).insert(inbox.clone(), waiting);
            }
        }
        let mut log = self.log();
        match kind {
            PeerKind::Live => {
                let since = now - log.since;
                log.arrivals.push(since);
                log.inboxes.insert(inbox);
            }
            PeerKind::Slow => log.slow += 1,
        }
    }

    fn note_fetch(&self, host: &str) {
        let mut log = self.log();
        let second = log.since.elapsed().as_secs();
        let seconds = log.fetches.entry(host.to_owned()).or_default();
        *seconds.entry(second).or_default() += 1;
    }

    /// The document of an actor; every name exists.
    fn actor(&self, host: &str, name: &str) -> Value {
        let id = format!("https://{host}/users/{name}");
        json!({
            "@context": ["https://www.w3.org/ns/activitystreams", "https://w3id.org/security/v1"],
            "id": id,
            "type": "Person",
            "preferredUsername": name,
            "name": name,
            "url": format!("https://{host}/@{name}"),
            "inbox": format!("{id}/inbox"),
            "outbox": format!("{id}/outbox"),
            "publicKey": { "id": format!("{id}#main-key"), "owner": id, "publicKeyPem": self.key.public_pem },
        })
    }

    fn log(&self) -> MutexGuard<'_, DeliveryLog> {
        lock(&self.log)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(status: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/activity+json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}
