//! A new key reaches servers that never refetch a key they know, such as GoToSocial and snac.

use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use federation::identity::RotationOutcome;
use federation::signature::{PublicKey, SignedRequest as Signed, verify};
use http::{HeaderMap, HeaderName, HeaderValue};
use model::Clock;
use model::settings::table::federation::USERNAME;
use serde_json::json;
use store::federation::{Contact, DeliveryState};
use testkit::{ManualClock, eventually};

use crate::house::{House, Server, activity};
use crate::peer::{Peers, Reply, Request, reply};

const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

/// A server that keeps our key until we tell it about another.
#[derive(Clone)]
struct CachingPeer {
    host: &'static str,
    clock: ManualClock,
    pem: Arc<Mutex<String>>,
    /// The key it stores for a former name.
    former_pem: Arc<Mutex<String>>,
    /// Its answer to an Update with a valid signature.
    to_updates: Arc<AtomicU16>,
    refused: Arc<AtomicU16>,
    taken: Arc<Mutex<Vec<String>>>,
}

impl CachingPeer {
    fn new(host: &'static str, house: &House) -> Self {
        Self {
            host,
            clock: house.clock.clone(),
            pem: Arc::default(),
            former_pem: Arc::default(),
            to_updates: Arc::new(AtomicU16::new(202)),
            refused: Arc::default(),
            taken: Arc::default(),
        }
    }

    fn join(&self, peers: Peers) -> Peers {
        let peer = self.clone();
        peers.serve(self.host, move |request| peer.answer(request))
    }

    fn answer(&self, request: &Request) -> Reply {
        if request.target().contains("/gone/") {
            return reply(404, "", "");
        }
        if !self.is_signed(request) {
            return reply(401, "", "authentication NOT PASSED for public key");
        }
        let said = activity(request);
        let kind = said["type"].as_str().unwrap().to_owned();
        if kind == "Update" {
            let status = self.to_updates.load(Ordering::SeqCst);
            if status != 202 {
                self.refused.fetch_add(1, Ordering::SeqCst);
                return reply(status, "", "");
            }
            let pem = said["object"]["publicKey"]["publicKeyPem"].as_str();
            *self.pem.lock().unwrap() = pem.unwrap().to_owned();
        }
        self.taken.lock().unwrap().push(kind);
        reply(202, "", "")
    }

    fn is_signed(&self, request: &Request) -> bool {
        let mut headers = HeaderMap::new();
        for line in request.head.lines().skip(1) {
            if let Some((name, value)) = line.split_once(':') {
                let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
                headers.append(name, HeaderValue::from_str(value.trim()).unwrap());
            }
        }
        let signed = Signed {
            method: request.method(),
            target: request.target(),
            headers: &headers,
            host: self.host,
            base: &format!("https://{}", self.host),
        };
        let parsed = verify::parse(&signed).unwrap();
        let pem = match parsed.key_id().as_str().contains("/former#") {
            true => &self.former_pem,
            false => &self.pem,
        };
        let key = PublicKey::from_pem(&pem.lock().unwrap()).unwrap();
        let checked = parsed.check_without_key(self.clock.now(), request.body.as_bytes());
        checked.is_ok_and(|checked| checked.verify(&key).is_ok())
    }

    async fn knows(&self, server: &Server) {
        *self.pem.lock().unwrap() = pem(server).await;
    }

    async fn until_taken(&self, kinds: &[&str]) {
        let what = format!("{} has taken {kinds:?}", self.host);
        let taken = || self.taken.lock().unwrap().clone();
        eventually(&what, async || (taken() == kinds).then_some(())).await;
    }
}

async fn pem(server: &Server) -> String {
    let identity = server.account.identity().await.unwrap();
    identity.key.public_pem().to_owned()
}

async fn waiting(server: &Server) -> Vec<String> {
    let tables = server.store.federation();
    let progress = tables.handover_progress(10, server.clock.now());
    progress.await.unwrap().waiting
}

async fn until_handed_over(server: &Server) {
    let what = "everybody knows the new key";
    eventually(what, async || {
        waiting(server).await.is_empty().then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_server_that_never_asks_for_a_key_again_is_told_of_a_new_one_by_the_old_one() {
    let house = House::new();
    let peer = CachingPeer::new("gts.example", &house);
    let peers = peer.join(Peers::new());
    let server = house.start(&peers).await;
    server.follower("gts.example", "gina", None).await;
    peer.knows(&server).await;
    let first = pem(&server).await;
    server.say("before").await;
    peer.until_taken(&["Create"]).await;

    server.account.rotate_key(false).await.unwrap();
    assert_ne!(pem(&server).await, first);
    peer.until_taken(&["Create", "Update"]).await;
    until_handed_over(&server).await;
    server.say("afterwards").await;
    peer.until_taken(&["Create", "Update", "Create"]).await;
    let second = pem(&server).await;
    assert_eq!(*peer.pem.lock().unwrap(), second);
    // Without a single refusal on the way.
    assert_eq!(peers.requests().len(), 3);
    server.close().await;
}

#[tokio::test]
async fn until_a_server_has_answered_everything_for_it_is_signed_with_the_old_key_also_after_a_restart()
 {
    let house = House::new();
    let peer = CachingPeer::new("gts.example", &house);
    let peers = peer.join(Peers::new());
    let server = house.start(&peers).await;
    server.follower("gts.example", "gina", None).await;
    peer.knows(&server).await;
    peer.to_updates.store(500, Ordering::SeqCst);
    server.account.rotate_key(false).await.unwrap();
    server.say("with the old key").await;
    peer.until_taken(&["Create"]).await;
    assert_eq!(waiting(&server).await, ["gts.example"]);
    server.kill().await;

    let server = house.start(&peers).await;
    server.say("still with the old key").await;
    peer.until_taken(&["Create", "Create"]).await;
    peer.to_updates.store(202, Ordering::SeqCst);
    house.clock.advance(Duration::from_secs(60));
    peer.until_taken(&["Create", "Create", "Update"]).await;
    until_handed_over(&server).await;
    server.say("with the new key").await;
    let all = ["Create", "Create", "Update", "Create"];
    peer.until_taken(&all).await;
    server.close().await;
}

#[tokio::test]
async fn servers_that_were_sent_something_in_the_last_month_are_told_and_others_get_the_new_key_at_once()
 {
    let house = House::new();
    let known = CachingPeer::new("known.example", &house);
    let new = CachingPeer::new("new.example", &house);
    let peers = new.join(known.join(Peers::new()));
    let server = house.start(&peers).await;
    known.knows(&server).await;
    let tables = server.store.federation();
    for (host, days) in [("old.example", 31), ("known.example", 29)] {
        let contact = Contact {
            host: host.into(),
            inbox: Some(format!("https://{host}/inbox")),
        };
        let at = server.clock.now() - Duration::from_secs(days * 24 * 3600);
        tables.note_contact(contact, at).await.unwrap();
    }
    server.account.rotate_key(false).await.unwrap();
    known.until_taken(&["Update"]).await;
    until_handed_over(&server).await;
    assert_eq!(server.deliveries().await.len(), 1);

    new.knows(&server).await;
    server.follower("new.example", "nora", None).await;
    server.say("hello").await;
    new.until_taken(&["Create"]).await;
    server.close().await;
}

#[tokio::test]
async fn a_server_that_found_out_by_itself_is_believed_to_know_the_new_key() {
    let house = House::new();
    let peer = CachingPeer::new("quick.example", &house);
    let peers = peer.join(Peers::new());
    let mut server = house.open(&peers).await;
    server.follower("quick.example", "quinn", None).await;
    server.account.rotate_key(false).await.unwrap();
    peer.knows(&server).await;
    server.start();
    peer.until_taken(&["Update"]).await;
    until_handed_over(&server).await;
    let refused = peers.requests().len();
    server.say("hello").await;
    peer.until_taken(&["Update", "Create"]).await;
    assert_eq!(peers.requests().len(), refused + 1);
    server.close().await;
}

#[tokio::test]
async fn a_key_that_may_be_known_is_used_for_nothing_any_more_and_cannot_be_taken_back() {
    let house = House::new();
    let peer = CachingPeer::new("gts.example", &house);
    let peers = peer.join(Peers::new());
    let server = house.start(&peers).await;
    server.follower("gts.example", "gina", None).await;
    peer.knows(&server).await;
    server.account.rotate_key(true).await.unwrap();
    server.say("who are you?").await;
    server.until_tried(1).await;
    assert!(peer.taken.lock().unwrap().is_empty());
    assert!(!server.account.can_take_back_key());
    assert!(!server.account.take_back_key().await.unwrap());
    assert_eq!(server.account.previous_key_until(), None);
    // Servers that fetch the key again learn the new one.
    peer.knows(&server).await;
    house.clock.advance(Duration::from_secs(60));
    server.until(DeliveryState::Delivered, 2).await;
    server.close().await;
}

#[tokio::test]
async fn a_rotation_that_is_taken_back_is_handed_over_like_another() {
    let house = House::new();
    let told = CachingPeer::new("told.example", &house);
    let away = CachingPeer::new("away.example", &house);
    let peers = away.join(told.join(Peers::new()));
    let server = house.start(&peers).await;
    let first = pem(&server).await;
    for peer in [&told, &away] {
        server.follower(peer.host, "someone", None).await;
        peer.knows(&server).await;
    }
    away.to_updates.store(503, Ordering::SeqCst);
    server.account.rotate_key(false).await.unwrap();
    told.until_taken(&["Update"]).await;
    eventually("only one is left", async || {
        let was_refused = away.refused.load(Ordering::SeqCst) > 0;
        (was_refused && waiting(&server).await == ["away.example"]).then_some(())
    })
    .await;

    away.to_updates.store(202, Ordering::SeqCst);
    house.clock.advance(Duration::from_secs(1));
    assert!(server.account.take_back_key().await.unwrap());
    assert_eq!(pem(&server).await, first);
    assert!(!server.account.take_back_key().await.unwrap());
    told.until_taken(&["Update", "Update"]).await;
    // It was told once about the key it has, and never about the other.
    house.clock.advance(Duration::from_secs(120));
    away.until_taken(&["Update"]).await;
    for peer in [&told, &away] {
        assert_eq!(*peer.pem.lock().unwrap(), first, "{}", peer.host);
    }
    until_handed_over(&server).await;
    server.say("hello").await;
    told.until_taken(&["Update", "Update", "Create"]).await;
    server.close().await;
}

#[tokio::test]
async fn after_a_week_the_old_key_is_forgotten_whoever_has_not_answered() {
    let house = House::new();
    let peers = Peers::new().serve("silent.example", |_| reply(503, "", ""));
    let server = house.start(&peers).await;
    server.follower("silent.example", "sam", None).await;
    server.account.rotate_key(false).await.unwrap();
    assert_eq!(waiting(&server).await, ["silent.example"]);
    house.clock.advance(WEEK + Duration::from_secs(1));
    until_handed_over(&server).await;
    eventually("it is forgotten", async || {
        (!server.account.can_take_back_key()).then_some(())
    })
    .await;
    server.kill().await;
    let server = house.start(&peers).await;
    assert!(!server.account.take_back_key().await.unwrap());
    server.close().await;
}

#[tokio::test]
async fn an_account_that_is_gone_does_not_speak_for_its_server() {
    let house = House::new();
    let peer = CachingPeer::new("gts.example", &house);
    let peers = peer.join(Peers::new());
    let server = house.start(&peers).await;
    peer.to_updates.store(500, Ordering::SeqCst);
    for name in ["gone", "gina"] {
        server.follower("gts.example", name, None).await;
    }
    peer.knows(&server).await;
    server.account.rotate_key(false).await.unwrap();
    server.until(DeliveryState::Failed, 1).await;
    assert_eq!(waiting(&server).await, ["gts.example"]);
    server.say("with the old key").await;
    peer.until_taken(&["Create"]).await;
    peer.to_updates.store(202, Ordering::SeqCst);
    house.clock.advance(Duration::from_secs(60));
    peer.until_taken(&["Create", "Update"]).await;
    until_handed_over(&server).await;
    server.close().await;
}

#[tokio::test]
async fn a_second_rotation_waits_for_the_first_unless_the_key_may_be_known() {
    let house = House::new();
    let peer = CachingPeer::new("gts.example", &house);
    let peers = peer.join(Peers::new());
    let server = house.start(&peers).await;
    server.follower("gts.example", "gina", None).await;
    peer.knows(&server).await;
    peer.to_updates.store(503, Ordering::SeqCst);
    // Clicked twice.
    let (one, other) = tokio::join!(
        server.account.rotate_key(false),
        server.account.rotate_key(false)
    );
    let mut both = [one.unwrap(), other.unwrap()];
    both.sort_by_key(|rotated| *rotated == RotationOutcome::Done);
    assert_eq!(both, [RotationOutcome::UnderWay(1), RotationOutcome::Done]);
    let at_once = server.account.rotate_key(true).await.unwrap();
    assert_eq!(at_once, RotationOutcome::Done);
    server.close().await;
}

#[tokio::test]
async fn a_server_that_could_not_be_told_is_told_once_it_takes_something() {
    let house = House::new();
    let peer = CachingPeer::new("late.example", &house);
    let peers = peer.join(Peers::new());
    let server = house.start(&peers).await;
    peer.knows(&server).await;
    let contact = Contact {
        host: peer.host.into(),
        inbox: None,
    };
    let tables = server.store.federation();
    let noted = tables.note_contact(contact, server.clock.now());
    noted.await.unwrap();
    server.account.rotate_key(false).await.unwrap();
    server.follower("late.example", "lena", None).await;
    server.say("with the old key").await;
    peer.until_taken(&["Create", "Update"]).await;
    until_handed_over(&server).await;
    server.say("with the new key").await;
    peer.until_taken(&["Create", "Update", "Create"]).await;
    assert_eq!(peers.requests().len(), 3);
    server.close().await;
}

#[tokio::test]
async fn that_a_former_name_is_believed_with_the_new_key_says_nothing_about_the_present_one() {
    let house = House::new();
    let peer = CachingPeer::new("gts.example", &house);
    let peers = peer.join(Peers::new());
    let mut server = house.open(&peers).await;
    server.set(&USERNAME, json!("former")).await;
    server.account.settle().await.unwrap();
    server.follower("gts.example", "gina", None).await;
    server.set(&USERNAME, json!("stage")).await;
    server.account.settle().await.unwrap();
    peer.knows(&server).await;
    peer.to_updates.store(500, Ordering::SeqCst);
    server.account.rotate_key(false).await.unwrap();
    // It fetches the former name's key only now.
    let second = pem(&server).await;
    *peer.former_pem.lock().unwrap() = second;
    server.start();
    peer.until_taken(&["Move"]).await;
    server.until(DeliveryState::Delivered, 1).await;
    assert_eq!(waiting(&server).await, ["gts.example"]);
    server.say("with the old key").await;
    peer.until_taken(&["Move", "Create"]).await;
    server.close().await;
}
