//! Other servers' keys: found in every kind of document, trusted only with their owner's confirmation, fetched as
//! rarely as possible.

use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use federation::keys::{KeyError, KeyOwner, Keys, MAX_FETCHES_PER_HOST};
use federation::signature::{KeyId, SigningKey};
use futures_util::future::join_all;
use outbound::FetchBudget;
use serde_json::{Value, json};
use store::{DatabaseUrl, Store};
use testkit::{ManualClock, eventually};

use crate::outlook::{DEADLINE, fetcher_with};
use crate::peer::{Peers, Reply, Request, document, reply};

const ALICE: &str = "https://remote.example/users/alice";
const KEY: &str = "https://remote.example/users/alice#main-key";

fn served(object: &Value) -> Reply {
    document("application/activity+json", object)
}

fn pem() -> &'static str {
    static KEY: OnceLock<SigningKey> = OnceLock::new();
    KEY.get_or_init(|| SigningKey::generate().unwrap())
        .public_pem()
}

fn key_entry(id: &str, owner: &str) -> Value {
    json!({ "id": id, "owner": owner, "publicKeyPem": pem() })
}

fn actor(id: &str, public_key: &Value) -> Value {
    json!({ "id": id, "type": "Person", "inbox": format!("{id}/inbox"), "publicKey": public_key })
}

fn alice() -> Value {
    actor(ALICE, &key_entry(KEY, ALICE))
}

fn remote(route: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Peers {
    Peers::new().serve("remote.example", route)
}

/// A database and a clock.
struct Home {
    folder: tempfile::TempDir,
    clock: ManualClock,
}

impl Home {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            clock: ManualClock::default(),
        }
    }

    async fn keys(&self, peers: &Peers) -> Keys {
        self.keys_with(peers, DEADLINE).await
    }

    async fn keys_with(&self, peers: &Peers, deadline: Duration) -> Keys {
        let path = |name| self.folder.path().join(name);
        let url = DatabaseUrl::Sqlite(path("test.db"));
        let store = Store::open(&url, &path("secret.key")).await.unwrap();
        let fetcher = fetcher_with(peers, &self.clock, deadline);
        Keys::new(store.federation(), fetcher, Arc::new(self.clock.clone()))
    }

    fn wait(&self, minutes: u64) {
        self.clock.advance(Duration::from_secs(60 * minutes));
    }
}

async fn resolve(keys: &Keys, key_id: &str) -> Result<KeyOwner, KeyError> {
    let key_id = KeyId::parse(key_id).unwrap();
    keys.resolve(&key_id, &FetchBudget::new(4)).await
}

async fn refresh(keys: &Keys, key_id: &str) -> Result<KeyOwner, KeyError> {
    let key_id = KeyId::parse(key_id).unwrap();
    keys.refresh(&key_id, &FetchBudget::new(4)).await
}

// Case 32 of docs/federation-cases.md.
#[tokio::test]
async fn a_key_is_found_in_every_kind_of_document() {
    let other = key_entry("https://remote.example/users/alice#old", ALICE);
    let stub_key = "https://remote.example/users/alice/main-key";
    let stub = json!({ "id": ALICE, "type": "Person", "preferredUsername": "alice",
        "publicKey": key_entry(stub_key, ALICE) });
    let bare_key = "https://remote.example/keys/1";
    let multikey = "https://remote.example/users/alice#ed25519";
    let word = "z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2";
    let method = json!([{ "id": multikey, "type": "Multikey", "controller": ALICE,
        "publicKeyMultibase": word }]);
    let mut with_method = alice();
    with_method["assertionMethod"] = method;
    let rows = [
        ("an actor", KEY, alice(), alice(), 1),
        (
            "the second of two",
            KEY,
            actor(ALICE, &json!([other, key_entry(KEY, ALICE)])),
            alice(),
            1,
        ),
        (
            "a stub without an inbox",
            stub_key,
            stub,
            actor(ALICE, &key_entry(stub_key, ALICE)),
            2,
        ),
        (
            "a bare key",
            bare_key,
            key_entry(bare_key, ALICE),
            actor(ALICE, &key_entry(bare_key, ALICE)),
            2,
        ),
        (
            "a bare key that is named",
            bare_key,
            key_entry(bare_key, ALICE),
            actor(ALICE, &json!(bare_key)),
            2,
        ),
        ("a Multikey", multikey, with_method.clone(), with_method, 1),
    ];
    for (what, key_id, at_key, at_owner, fetches) in rows {
        let peers = remote(move |request| match request.target() {
            "/users/alice" if fetches == 2 => served(&at_owner),
            _ => served(&at_key),
        });
        let home = Home::new();
        let found = resolve(&home.keys(&peers).await, key_id).await;
        let found = found.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(
            (found.owner.as_str(), found.key_id.as_str()),
            (ALICE, key_id)
        );
        assert_eq!(peers.requests().len(), fetches, "{what}");
    }
}

// Case 34 of docs/federation-cases.md.
#[tokio::test]
async fn a_key_nobody_vouches_for_is_refused() {
    let victim = "https://victim.example/users/bob";
    let bare_key = "https://remote.example/keys/1";
    let rows = [
        ("an owner elsewhere", key_entry(bare_key, victim), alice()),
        (
            "an owner that does not list it",
            key_entry(bare_key, ALICE),
            alice(),
        ),
        (
            "an owner that is called otherwise",
            key_entry(bare_key, ALICE),
            actor(victim, &key_entry(bare_key, victim)),
        ),
        ("no key at all", json!({ "id": bare_key }), alice()),
        (
            "nonsense for a key",
            json!({ "id": bare_key, "owner": ALICE, "publicKeyPem": "nonsense" }),
            actor(ALICE, &json!(bare_key)),
        ),
    ];
    for (what, at_key, at_owner) in rows {
        let peers = remote(move |request| match request.target() {
            "/users/alice" => served(&at_owner),
            _ => served(&at_key),
        });
        let home = Home::new();
        let keys = home.keys(&peers).await;
        let refused = resolve(&keys, bare_key).await;
        assert!(
            matches!(refused, Err(KeyError::Missing(_) | KeyError::Denied(_))),
            "{what}: {refused:?}"
        );
        assert!(!refused.unwrap_err().is_passing(), "{what}");
        let cached = keys.cached(&KeyId::parse(bare_key).unwrap()).await;
        assert!(cached.unwrap().is_none(), "{what}");
    }
}

#[tokio::test]
async fn a_key_that_leads_to_another_host_is_refused() {
    let moved = "https://other.example/users/alice";
    let peers = remote(move |_| crate::peer::redirect(moved)).serve("other.example", move |_| {
        served(&actor(moved, &key_entry(KEY, moved)))
    });
    let home = Home::new();
    let refused = resolve(&home.keys(&peers).await, KEY).await;
    assert!(matches!(refused, Err(KeyError::Missing(_))), "{refused:?}");
}

#[tokio::test]
async fn a_key_is_fetched_once_a_day_and_survives_a_restart() {
    let peers = remote(|_| served(&alice()));
    let home = Home::new();
    let keys = home.keys(&peers).await;
    let key_id = KeyId::parse(KEY).unwrap();
    assert!(keys.cached(&key_id).await.unwrap().is_none());
    resolve(&keys, KEY).await.unwrap();
    resolve(&keys, KEY).await.unwrap();
    assert!(keys.cached(&key_id).await.unwrap().is_some());
    drop(keys);

    let keys = home.keys(&peers).await;
    let cached = keys.cached(&key_id).await.unwrap().unwrap();
    assert_eq!(cached.owner, ALICE);
    home.wait(24 * 60 - 1);
    resolve(&keys, KEY).await.unwrap();
    assert_eq!(peers.requests().len(), 1);
    home.wait(1);
    assert!(keys.cached(&key_id).await.unwrap().is_none());
    resolve(&keys, KEY).await.unwrap();
    assert_eq!(peers.requests().len(), 2);
}

#[tokio::test]
async fn a_crowd_that_wants_one_key_makes_one_request() {
    let peers = remote(|_| served(&alice()));
    let home = Home::new();
    let keys = home.keys(&peers).await;
    let crowd = (0..20).map(|_| resolve(&keys, KEY));
    for found in join_all(crowd).await {
        assert_eq!(found.unwrap().owner, ALICE);
    }
    assert_eq!(peers.requests().len(), 1);
}

#[tokio::test]
async fn that_there_is_no_key_is_believed_for_a_while() {
    const DAY: u64 = 24 * 60;
    for (status, minutes) in [(404, 10), (406, 10), (410, 7 * DAY), (500, 5), (403, 5)] {
        let peers = remote(move |_| reply(status, "", ""));
        let home = Home::new();
        let keys = home.keys(&peers).await;
        for _ in 0..2 {
            let absent = resolve(&keys, KEY).await.unwrap_err();
            match status {
                410 => assert!(matches!(absent, KeyError::Gone)),
                403 | 500 => assert!(matches!(absent, KeyError::Unreachable)),
                _ => assert!(matches!(absent, KeyError::Missing(_) | KeyError::Denied(_))),
            }
            assert_eq!(absent.is_passing(), matches!(status, 403 | 500));
        }
        assert_eq!(peers.requests().len(), 1, "{status}");
        home.wait(minutes - 1);
        resolve(&keys, KEY).await.unwrap_err();
        assert_eq!(peers.requests().len(), 1, "{status}");
        home.wait(1);
        resolve(&keys, KEY).await.unwrap_err();
        assert_eq!(peers.requests().len(), 2, "{status}");
    }
}

#[tokio::test]
async fn a_key_that_is_gone_stays_gone_after_a_restart() {
    let peers = remote(|_| reply(410, "", ""));
    let home = Home::new();
    for _ in 0..2 {
        let keys = home.keys(&peers).await;
        assert!(matches!(resolve(&keys, KEY).await, Err(KeyError::Gone)));
    }
    assert_eq!(peers.requests().len(), 1);
}

// Case 33 of docs/federation-cases.md, as far as it is about keys.
#[tokio::test]
async fn a_key_is_fetched_again_once_in_ten_minutes() {
    let turn = Arc::new(AtomicUsize::new(0));
    let peers = remote(move |_| {
        let new_key = SigningKey::generate().unwrap();
        let entry = match turn.fetch_add(1, Ordering::SeqCst) {
            0 => key_entry(KEY, ALICE),
            _ => json!({ "id": KEY, "owner": ALICE, "publicKeyPem": new_key.public_pem() }),
        };
        served(&actor(ALICE, &entry))
    });
    let home = Home::new();
    let keys = home.keys(&peers).await;
    resolve(&keys, KEY).await.unwrap();
    home.wait(1);
    let renewed = refresh(&keys, KEY).await.unwrap();
    assert_eq!(peers.requests().len(), 2);
    let cached = keys.cached(&KeyId::parse(KEY).unwrap()).await.unwrap();
    assert_eq!(cached.unwrap().fetched_at, renewed.fetched_at);
    home.wait(9);
    let hasty = refresh(&keys, KEY).await;
    assert!(matches!(hasty, Err(KeyError::TooSoon)), "{hasty:?}");
    assert_eq!(peers.requests().len(), 2);
    home.wait(1);
    refresh(&keys, KEY).await.unwrap();
    assert_eq!(peers.requests().len(), 3);
}

#[tokio::test]
async fn a_host_that_is_down_takes_no_fresh_key_away_but_one_that_denies_it_does() {
    let status = Arc::new(AtomicU16::new(200));
    let peers = remote({
        let status = Arc::clone(&status);
        move |_| match status.load(Ordering::SeqCst) {
            200 => served(&alice()),
            other => reply(other, "", ""),
        }
    });
    let home = Home::new();
    let keys = home.keys(&peers).await;
    resolve(&keys, KEY).await.unwrap();
    status.store(503, Ordering::SeqCst);
    let down = refresh(&keys, KEY).await;
    assert!(matches!(down, Err(KeyError::Unreachable)), "{down:?}");
    assert!(resolve(&keys, KEY).await.is_ok());
    let still_down = refresh(&keys, KEY).await.unwrap_err();
    assert!(still_down.is_passing(), "worth another try: {still_down}");
    assert_eq!(peers.requests().len(), 2, "but not at once");
    home.wait(5);
    status.store(410, Ordering::SeqCst);
    assert!(matches!(refresh(&keys, KEY).await, Err(KeyError::Gone)));
    assert!(matches!(resolve(&keys, KEY).await, Err(KeyError::Gone)));
}

// Anybody can make us ask again at a moment when the host has trouble.
#[tokio::test]
async fn a_fresh_key_is_taken_away_by_its_owner_and_not_by_a_host_that_shows_nothing() {
    let shown = Arc::new(Mutex::new(served(&alice())));
    let peers = remote({
        let shown = Arc::clone(&shown);
        move |_| shown.lock().unwrap().clone()
    });
    let show = |reply: Reply| *shown.lock().unwrap() = reply;
    let home = Home::new();
    let keys = home.keys(&peers).await;
    resolve(&keys, KEY).await.unwrap();
    for denial in [
        reply(404, "", ""),
        reply(403, "", ""),
        document("text/html", &json!("go away")),
    ] {
        show(denial);
        refresh(&keys, KEY).await.unwrap_err();
        resolve(&keys, KEY).await.unwrap();
        // Also after a restart.
        resolve(&home.keys(&peers).await, KEY).await.unwrap();
        home.wait(10);
    }
    show(served(&actor(ALICE, &json!([]))));
    let withdrawn = refresh(&keys, KEY).await;
    assert!(
        matches!(withdrawn, Err(KeyError::Missing(_))),
        "{withdrawn:?}"
    );
    resolve(&keys, KEY).await.unwrap_err();
}

#[tokio::test]
async fn the_keys_of_an_actor_that_changed_are_forgotten() {
    let peers = remote(|_| served(&alice()));
    let home = Home::new();
    let keys = home.keys(&peers).await;
    resolve(&keys, KEY).await.unwrap();
    keys.forget_owner("https://remote.example/users/bob")
        .await
        .unwrap();
    resolve(&keys, KEY).await.unwrap();
    assert_eq!(peers.requests().len(), 1);
    keys.forget_owner(ALICE).await.unwrap();
    assert!(
        keys.cached(&KeyId::parse(KEY).unwrap())
            .await
            .unwrap()
            .is_none()
    );
    resolve(&keys, KEY).await.unwrap();
    assert_eq!(peers.requests().len(), 2);
}

// Case 31 of docs/federation-cases.md.
#[tokio::test]
async fn nothing_is_fetched_from_a_blocked_host() {
    let peers = Peers::new().serve("blocked.example", |_| reply(404, "", ""));
    let home = Home::new();
    let keys = home.keys(&peers).await;
    for key_id in [
        "https://blocked.example/users/eve#main-key",
        "https://live.example/federation/user/live#main-key",
    ] {
        let refused = resolve(&keys, key_id).await;
        assert!(matches!(refused, Err(KeyError::Refused(_))), "{refused:?}");
    }
    assert!(peers.requests().is_empty());
}

#[tokio::test]
async fn an_empty_purse_says_nothing_about_the_key() {
    let peers = remote(|_| served(&alice()));
    let home = Home::new();
    let keys = home.keys(&peers).await;
    let key_id = KeyId::parse(KEY).unwrap();
    let poor = keys.resolve(&key_id, &FetchBudget::new(0)).await;
    assert!(matches!(poor, Err(KeyError::OutOfBudget)), "{poor:?}");
    assert!(resolve(&keys, KEY).await.is_ok());
}

#[tokio::test]
async fn a_host_that_does_not_answer_holds_up_its_own_keys_only() {
    let peers = remote(|_| served(&alice())).serve("silent.example", |_| Reply::Silent);
    let home = Home::new();
    let keys = home.keys(&peers).await;
    let waiting: Vec<_> = (0..6)
        .map(|n| {
            let keys = keys.clone();
            let key_id = format!("https://silent.example/users/{n}#main-key");
            tokio::spawn(async move { resolve(&keys, &key_id).await })
        })
        .collect();
    let asked = || async { (peers.requests().len() == MAX_FETCHES_PER_HOST).then_some(()) };
    eventually("the silent host is asked", asked).await;
    assert_eq!(resolve(&keys, KEY).await.unwrap().owner, ALICE);
    let turned_away = 6 - MAX_FETCHES_PER_HOST;
    let finished = || async {
        let count = waiting.iter().filter(|task| task.is_finished()).count();
        (count == turned_away).then_some(())
    };
    eventually("the others lose patience", finished).await;
    let to_silent = peers.requests();
    let to_silent = to_silent
        .iter()
        .filter(|(host, _)| host == "silent.example");
    assert_eq!(to_silent.count(), MAX_FETCHES_PER_HOST);
    for task in waiting {
        if task.is_finished() {
            let error = task.await.unwrap().unwrap_err();
            assert!(matches!(error, KeyError::Busy), "{error}");
            assert!(error.is_passing());
        } else {
            task.abort();
        }
    }
}
