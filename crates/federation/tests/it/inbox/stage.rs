//! Our server, which takes in activities, and the servers that send them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use federation::inbox::{InboxError, InboxRequest};
use federation::signature::{Signer, SigningKey, sign};
use federation::{Federation, FederationDeps};
use jiff::Timestamp;
use model::settings::table::{SERVER_URL, federation as table};
use model::settings::{AnySetting, ExternalSettings};
use model::{Clock, Event, StreamStatus};
use outbound::Url;
use outbound::http::{HeaderMap, Method, StatusCode};
use serde_json::{Value, json};
use store::federation::{
    ClaimedDelivery, DeliveryFilter, DeliveryKind, DeliveryOutcome, Effects, FederationTables,
    NewObject, ObjectKind,
};
use store::settings::Settings;
use store::{DatabaseUrl, Leases, Store};
use testkit::{ManualClock, eventually};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::house::Preview;
use crate::peer::{Peers, Reply, document, reply};

pub(super) const US: &str = "https://live.example/federation/user/live";
pub(super) const INBOX: &str = "https://live.example/federation/user/live/inbox";
pub(super) const ALICE: &str = "https://remote.example/users/alice";
pub(super) const BOB: &str = "https://remote.example/users/bob";
pub(super) const MALLORY: &str = "https://evil.example/users/mallory";
pub(super) const COMMON: &str = "https://owncast.online/ns";
pub(super) const HOUR: Duration = Duration::from_secs(3600);

/// Timeout for peers; even on a busy machine a well-behaved one answers within it.
const DEADLINE: Duration = Duration::from_secs(20);

/// The key all remote actors sign with: generating one is slow.
pub(super) fn key() -> &'static SigningKey {
    static KEY: OnceLock<SigningKey> = OnceLock::new();
    KEY.get_or_init(|| SigningKey::generate().unwrap())
}

/// A second key.
pub(super) fn new_key() -> &'static SigningKey {
    static KEY: OnceLock<SigningKey> = OnceLock::new();
    KEY.get_or_init(|| SigningKey::generate().unwrap())
}

pub(super) fn key_id(actor: &str) -> String {
    format!("{actor}#main-key")
}

/// The document of an actor.
pub(super) fn person(iri: &str) -> Value {
    let name = iri.rsplit('/').next().unwrap();
    json!({
        "@context": "https://www.w3.org/ns/activitystreams",
        "id": iri, "type": "Person", "preferredUsername": name, "name": name.to_uppercase(),
        "inbox": format!("{iri}/inbox"), "url": format!("{iri}/page"),
        "icon": { "type": "Image", "url": format!("{iri}.png") },
        "publicKey": { "id": key_id(iri), "owner": iri, "publicKeyPem": key().public_pem() },
    })
}

/// A request as it would come over the wire.
#[derive(Clone)]
pub(super) struct Parcel {
    pub(super) method: Method,
    pub(super) target: String,
    pub(super) username: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    pub(super) address: IpAddr,
}

impl Parcel {
    pub(super) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.insert(name, value.parse().unwrap());
        self
    }
}

type Pages = Arc<Mutex<HashMap<String, Reply>>>;

pub(super) struct Stage {
    pub(super) federation: Federation,
    pub(super) store: Store,
    pub(super) settings: Settings,
    pub(super) clock: ManualClock,
    pub(super) stream: watch::Sender<StreamStatus>,
    peers: Peers,
    pages: Pages,
    /// Activities claimed from the queue, by id.
    claimed: Mutex<HashMap<String, Value>>,
    stop: CancellationToken,
    work: JoinHandle<()>,
    _folder: tempfile::TempDir,
}

impl Stage {
    pub(super) async fn open() -> Self {
        let pages = Pages::default();
        let mut peers = Peers::new();
        for host in ["remote.example", "evil.example", "other.example"] {
            let known = Arc::clone(&pages);
            peers = peers.serve(host, move |request| {
                if request.method() == "POST" {
                    return reply(202, "", "");
                }
                let url = format!("https://{host}{}", request.target());
                let known = known.lock().unwrap().get(&url).cloned();
                known.unwrap_or_else(|| reply(404, "", ""))
            });
        }
        let folder = tempfile::tempdir().unwrap();
        let path = |name| folder.path().join(name);
        let url = DatabaseUrl::Sqlite(path("test.db"));
        let store = Store::open(&url, &path("secret.key")).await.unwrap();
        let settings = Settings::load(store.clone(), &ExternalSettings::default())
            .await
            .unwrap();
        let clock = ManualClock::default();
        let (stream, status) = watch::channel(StreamStatus::default());
        let stop = CancellationToken::new();
        let set = async |setting: &'static dyn AnySetting, value: Value| {
            settings.set(setting, value, clock.now()).await.unwrap();
        };
        set(&SERVER_URL, json!("https://live.example")).await;
        set(&table::ENABLED, json!(true)).await;
        let deps = deps(&store, &settings, &clock, &peers, status);
        let (federation, work) = Federation::open(deps, stop.clone()).await.unwrap();
        federation.account().identity().await.unwrap();
        let stage = Self {
            federation,
            store,
            settings,
            clock,
            stream,
            peers,
            pages,
            claimed: Mutex::default(),
            stop,
            work: tokio::spawn(work),
            _folder: folder,
        };
        for iri in [ALICE, BOB, MALLORY] {
            stage.show(iri, &person(iri));
        }
        stage
    }

    pub(super) async fn set(&self, setting: &'static dyn AnySetting, value: Value) {
        self.settings
            .set(setting, value, self.clock.now())
            .await
            .unwrap();
    }

    pub(super) fn tables(&self) -> FederationTables {
        self.store.federation()
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Serves a document at `url`.
    pub(super) fn show(&self, url: &str, object: &Value) {
        self.answer(url, document("application/activity+json", object));
    }

    pub(super) fn answer(&self, url: &str, reply: Reply) {
        self.pages.lock().unwrap().insert(url.to_owned(), reply);
    }

    /// How often a document was requested.
    pub(super) fn asked(&self, url: &str) -> usize {
        let requests = self.peers.requests();
        let urls = requests
            .iter()
            .filter(|(_, request)| request.method() == "GET")
            .map(|(host, request)| format!("https://{host}{}", request.target()));
        urls.filter(|asked| asked == url).count()
    }

    /// How often anything was requested.
    pub(super) fn asked_at_all(&self) -> usize {
        let requests = self.peers.requests();
        requests
            .iter()
            .filter(|(_, request)| request.method() == "GET")
            .count()
    }

    /// An activity signed by its actor.
    pub(super) fn signed(&self, activity: &Value) -> Parcel {
        let actor = activity["actor"].as_str().unwrap();
        self.signed_by(&key_id(actor), key(), activity.to_string().into_bytes())
    }

    pub(super) fn signed_by(&self, key_id: &str, key: &SigningKey, body: Vec<u8>) -> Parcel {
        let signer = Signer {
            key: key.clone(),
            key_id: key_id.to_owned(),
        };
        let url = Url::parse(INBOX).unwrap();
        let headers = sign::cavage_post(&signer, &url, &body, self.now()).unwrap();
        Parcel {
            method: Method::POST,
            target: url.path().to_owned(),
            username: "live".into(),
            headers,
            body,
            address: "192.0.2.7".parse().unwrap(),
        }
    }

    /// Posts a request; returns the status of the answer.
    pub(super) async fn post(&self, parcel: Parcel) -> u16 {
        match self.try_post(&parcel).await {
            Ok(()) => StatusCode::ACCEPTED.as_u16(),
            Err(refused) => refused.status().as_u16(),
        }
    }

    pub(super) async fn try_post(&self, parcel: &Parcel) -> Result<(), InboxError> {
        let inbox_request = InboxRequest {
            method: &parcel.method,
            target: &parcel.target,
            username: &parcel.username,
            headers: &parcel.headers,
            address: parcel.address,
        };
        let accepted = self.federation.accept_headers(inbox_request)?;
        self.federation
            .accept_body(accepted, parcel.body.clone())
            .await
    }

    /// Posts an activity signed by its actor, and waits until it is handled.
    pub(super) async fn send(&self, activity: &Value) {
        let parcel = self.signed(activity);
        self.send_parcel(parcel).await;
    }

    pub(super) async fn send_parcel(&self, parcel: Parcel) {
        let answered = self.try_post(&parcel).await;
        assert!(answered.is_ok(), "{answered:?}");
        self.settle().await;
    }

    /// Waits until everything received is handled.
    pub(super) async fn settle(&self) {
        eventually("the queue is empty", || async {
            (self.tables().inbox_depth().await.unwrap() == 0).then_some(())
        })
        .await;
    }

    /// The event log, without raw activities.
    pub(super) async fn events(&self) -> Vec<Event> {
        let logged = self.store.events_after(0).await.unwrap();
        let events = logged.into_iter().map(|entry| entry.event);
        let is_told = |event: &Event| {
            let kind = event.kind();
            kind.starts_with("Fediverse") && kind != "FediverseActivityReceived"
        };
        events.filter(is_told).collect()
    }

    /// The kinds of these events.
    pub(super) async fn event_kinds(&self) -> Vec<&'static str> {
        self.events().await.iter().map(Event::kind).collect()
    }

    /// The kinds of queued deliveries, oldest first.
    pub(super) async fn queued(&self) -> Vec<DeliveryKind> {
        let page = self
            .tables()
            .deliveries_page(DeliveryFilter::default(), 0, 1000)
            .await;
        let (mut deliveries, _) = page.unwrap();
        deliveries.reverse();
        deliveries
            .into_iter()
            .map(|delivery| delivery.kind)
            .collect()
    }

    /// The queued activities of one kind, oldest first, whether sent yet or not.
    pub(super) async fn sent(&self, kind: DeliveryKind) -> Vec<Value> {
        let page = self
            .tables()
            .deliveries_page(DeliveryFilter::default(), 0, 1000)
            .await;
        let (mut deliveries, _) = page.unwrap();
        deliveries.reverse();
        deliveries.retain(|delivery| delivery.kind == kind);
        let mut activities = Vec::new();
        for delivery in deliveries {
            let found =
                eventually("the activity is seen", || self.seen(&delivery.activity_id)).await;
            activities.push(found);
        }
        activities
    }

    /// An activity that arrived somewhere, or is still in the queue.
    async fn seen(&self, id: &str) -> Option<Value> {
        let tables = self.tables();
        let claimed = tables.claim(100, 100, self.now()).await.unwrap();
        let taken =
            |delivery: &ClaimedDelivery| (delivery.id, DeliveryOutcome::Delivered { status: 202 });
        let outcomes = claimed.iter().map(taken).collect();
        tables.finish(outcomes, self.now()).await.unwrap();
        let mut known = self.claimed.lock().unwrap();
        for delivery in claimed {
            let json = serde_json::from_str(&delivery.json).unwrap();
            known.insert(delivery.activity_id, json);
        }
        let posts = self.peers.requests().into_iter();
        let posts = posts.filter(|(_, request)| request.method() == "POST");
        let mut arrived =
            posts.filter_map(|(_, request)| serde_json::from_str::<Value>(&request.body).ok());
        known
            .get(id)
            .cloned()
            .or_else(|| arrived.find(|activity| activity["id"] == id))
    }

    /// Publishes an operator's post; returns the ids of the activity and of the note.
    pub(super) async fn publish(&self, name: &str) -> (String, String) {
        let create = format!("https://live.example/federation/{name}c");
        let note = format!("https://live.example/federation/{name}");
        let object = |iri: &str, kind, of: Option<String>| NewObject {
            iri: iri.to_owned(),
            json: json!({ "id": iri, "attributedTo": US }).to_string(),
            kind,
            note: of,
            is_public: true,
            is_live_notification: true,
            at: self.now(),
        };
        let effects = Effects {
            objects: vec![
                object(&create, ObjectKind::Create, Some(note.clone())),
                object(&note, ObjectKind::Note, None),
            ],
            ..Effects::default()
        };
        self.tables().send(effects, self.now()).await.unwrap();
        (create, note)
    }

    /// Stops our server as a regular shutdown would, and opens another on the same database.
    pub(super) async fn restart(&mut self) {
        self.stop.cancel();
        (&mut self.work).await.unwrap();
        self.stop = CancellationToken::new();
        let deps = deps(
            &self.store,
            &self.settings,
            &self.clock,
            &self.peers,
            self.stream.subscribe(),
        );
        let (federation, work) = Federation::open(deps, self.stop.clone()).await.unwrap();
        self.federation = federation;
        self.work = tokio::spawn(work);
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn deps(
    store: &Store,
    settings: &Settings,
    clock: &ManualClock,
    peers: &Peers,
    stream: watch::Receiver<StreamStatus>,
) -> FederationDeps {
    FederationDeps {
        store: store.clone(),
        settings: settings.clone(),
        client: peers.client(DEADLINE),
        clock: Arc::new(clock.clone()),
        stream,
        preview: Arc::new(Preview::default()),
        leases: Leases::alone(),
    }
}

/// A Follow of our account.
pub(super) fn follow(actor: &str, number: u32) -> Value {
    json!({
        "@context": "https://www.w3.org/ns/activitystreams",
        "id": format!("{actor}#follows/{number}"), "type": "Follow", "actor": actor, "object": US,
    })
}
