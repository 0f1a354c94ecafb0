//! What all servers here have in common: one key, the documents of everybody, and a book of what came.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::key::Key;
use crate::wire::Message;

/// What a server is like that answers at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Live,
    Slow,
}

#[derive(Debug)]
pub struct Town {
    pub key: Key,
    book: Mutex<Book>,
    /// Who waits for an Accept, by the inbox it comes to.
    awaited: Mutex<HashMap<String, oneshot::Sender<Instant>>>,
}

#[derive(Debug)]
struct Book {
    since: Instant,
    /// When something came to a server that answers well.
    arrivals: Vec<Duration>,
    /// To which inboxes.
    inboxes: HashSet<String>,
    /// What came to servers that are slow.
    slow: u64,
    /// Documents that were asked for, by host and second.
    fetches: HashMap<String, HashMap<u64, u64>>,
}

impl Book {
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

impl Town {
    pub fn new(key: Key) -> Self {
        Self {
            key,
            book: Mutex::new(Book::new()),
            awaited: Mutex::default(),
        }
    }

    /// From now on, everything is counted anew.
    pub fn reset(&self) {
        *self.book() = Book::new();
    }

    pub fn count(&self) -> Value {
        let mut book = self.book();
        book.arrivals.sort_unstable();
        let at = |place: usize| book.arrivals.get(place).map(Duration::as_secs_f64);
        let all = |seconds: &HashMap<u64, u64>| seconds.values().sum::<u64>();
        let most = book.fetches.iter().max_by_key(|(_, seconds)| all(seconds));
        let in_a_second = book.fetches.values().flat_map(HashMap::values).max();
        json!({
            "posts": book.arrivals.len(),
            "slow": book.slow,
            "inboxes": book.inboxes.len(),
            "first": at(0),
            "median": at(book.arrivals.len() / 2),
            "last": at(book.arrivals.len().saturating_sub(1)),
            "fetches": book.fetches.values().map(all).sum::<u64>(),
            "fetches_of_one_host": most.map_or(0, |(_, seconds)| all(seconds)),
            "fetches_in_a_second": in_a_second.copied().unwrap_or_default(),
        })
    }

    /// The answer to a request, all of it.
    pub fn answer(&self, request: &Message, kind: Kind) -> String {
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

    /// Says when an Accept comes to this inbox.
    pub fn await_accept(&self, inbox: String) -> oneshot::Receiver<Instant> {
        let (sender, receiver) = oneshot::channel();
        lock(&self.awaited).insert(inbox, sender);
        receiver
    }

    fn take(&self, request: &Message, kind: Kind) {
        let now = Instant::now();
        let inbox = format!("https://{}{}", request.host, request.path());
        let waiting = lock(&self.awaited).remove(&inbox);
        if let Some(waiting) = waiting {
            let activity: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            if activity["type"] == "Accept" {
                waiting.send(now).ok();
            } else {
                lock(&self.awaited).insert(inbox.clone(), waiting);
            }
        }
        let mut book = self.book();
        match kind {
            Kind::Live => {
                let since = now - book.since;
                book.arrivals.push(since);
                book.inboxes.insert(inbox);
            }
            Kind::Slow => book.slow += 1,
        }
    }

    fn note_fetch(&self, host: &str) {
        let mut book = self.book();
        let second = book.since.elapsed().as_secs();
        let seconds = book.fetches.entry(host.to_owned()).or_default();
        *seconds.entry(second).or_default() += 1;
    }

    /// Whoever is asked for lives here.
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

    fn book(&self) -> MutexGuard<'_, Book> {
        lock(&self.book)
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
