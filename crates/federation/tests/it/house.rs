//! A server that publishes: a database that can be reopened, a controllable clock, and peers to talk to.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use federation::delivery::{self, LaneLimits};
use federation::identity::Account;
use federation::publishing::{self, NewPost, Outbox, PreviewSource};
use futures_util::future::BoxFuture;
use model::settings::table::SERVER_URL;
use model::settings::table::federation::{ENABLED, PRIVATE};
use model::settings::{AnySetting, ExternalSettings};
use model::{Clock, StreamStatus};
use serde_json::{Value, json};
use store::federation::{
    Delivery, DeliveryFilter, DeliveryState, Effects, FollowerProfile, FollowerState, NewFollower,
};
use store::settings::Settings;
use store::{DatabaseUrl, Lease, Store};
use testkit::{ManualClock, eventually};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::peer::{Peers, Request};

/// Timeout for peers; even on a busy machine a well-behaved one answers within it.
const DEADLINE: Duration = Duration::from_secs(600);
/// The account under its first name.
pub(crate) const ACTOR: &str = "https://live.example/federation/user/live";

/// The folder and the clock, which outlive the server.
pub(crate) struct House {
    pub(crate) clock: ManualClock,
    pub(crate) limits: LaneLimits,
    pub(crate) preview: Preview,
    folder: tempfile::TempDir,
}

/// The picture of the stream, if any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preview(pub(crate) Arc<Mutex<Option<Vec<u8>>>>);

impl PreviewSource for Preview {
    fn preview(&self) -> BoxFuture<'_, Option<Vec<u8>>> {
        Box::pin(async { self.0.lock().unwrap().clone() })
    }
}

impl House {
    pub(crate) fn new() -> Self {
        Self {
            clock: ManualClock::default(),
            limits: LaneLimits::default(),
            preview: Preview::default(),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Opens the server; federation is on, under `https://live.example`.
    pub(crate) async fn open(&self, peers: &Peers) -> Server {
        let url = DatabaseUrl::Sqlite(self.path("test.db"));
        let store = Store::open(&url, &self.path("secret.key")).await.unwrap();
        let outside = ExternalSettings::default();
        let settings = Settings::load(store.clone(), &outside).await.unwrap();
        let clock: Arc<dyn Clock> = Arc::new(self.clock.clone());
        let account = Account::open(store.clone(), settings.clone(), Arc::clone(&clock));
        let account = account.await.unwrap();
        let (stream, status) = watch::channel(StreamStatus::default());
        let outbox = Outbox::new(publishing::OutboxDeps {
            store: store.clone(),
            settings: settings.clone(),
            clock: Arc::clone(&clock),
            account: account.clone(),
            stream: status,
            preview: Arc::new(self.preview.clone()),
        });
        let outward = delivery::DeliveryDeps {
            store: store.clone(),
            lease: Lease::always(),
            client: peers.client(DEADLINE),
            clock,
            settings: settings.clone(),
            account: account.clone(),
            limits: self.limits,
        };
        let server = Server {
            store,
            settings,
            account,
            outbox,
            clock: self.clock.clone(),
            stream,
            stop: CancellationToken::new(),
            outward,
            work: None,
        };
        server.set(&SERVER_URL, json!("https://live.example")).await;
        server.set(&ENABLED, json!(true)).await;
        server
    }

    /// As [`House::open`], with all tasks running.
    pub(crate) async fn start(&self, peers: &Peers) -> Server {
        let mut server = self.open(peers).await;
        server.start();
        server
    }
}

/// An open server.
pub(crate) struct Server {
    pub(crate) store: Store,
    pub(crate) settings: Settings,
    pub(crate) account: Account,
    pub(crate) outbox: Outbox,
    pub(crate) clock: ManualClock,
    stream: watch::Sender<StreamStatus>,
    pub(crate) stop: CancellationToken,
    outward: delivery::DeliveryDeps,
    work: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts publishing and delivering; as in the real server, Leave is sent before deliveries end.
    pub(crate) fn start(&mut self) {
        let (outbox, outward, stop) =
            (self.outbox.clone(), self.outward.clone(), self.stop.clone());
        let last_word = CancellationToken::new();
        let said = last_word.clone();
        self.work = Some(tokio::spawn(async move {
            let speaking = async {
                outbox.run(stop).await;
                last_word.cancel();
            };
            tokio::join!(speaking, delivery::run(outward, said));
        }));
    }

    /// Waits until it sees what happens from now on.
    pub(crate) async fn until_listening(&self) {
        eventually("it listens", async || {
            self.store.cursor("federation").await.unwrap()
        })
        .await;
    }

    pub(crate) async fn set(&self, setting: &'static dyn AnySetting, value: Value) {
        self.settings
            .set(setting, value, self.clock.now())
            .await
            .unwrap();
    }

    pub(crate) async fn be_private(&self) {
        self.set(&PRIVATE, json!(true)).await;
    }

    /// Adds a follower, with an inbox of its own and perhaps a shared one.
    pub(crate) async fn follower(&self, host: &str, name: &str, shared: Option<&str>) {
        self.add(host, name, shared, false).await;
    }

    /// Adds an accepted directory.
    pub(crate) async fn directory(&self, host: &str) {
        self.add(host, "directory", None, true).await;
    }

    async fn add(&self, host: &str, name: &str, shared: Option<&str>, is_directory: bool) {
        let iri = format!("https://{host}/users/{name}");
        let new = NewFollower {
            profile: FollowerProfile {
                inbox: format!("{iri}/inbox"),
                shared_inbox: shared.map(|path| format!("https://{host}{path}")),
                username: name.into(),
                handle: format!("@{name}@{host}"),
                name: name.into(),
                url: None,
                image: None,
            },
            follow_id: format!("{iri}/follow"),
            follow_json: "{}".into(),
            is_directory,
            iri,
        };
        let tables = self.store.federation();
        let state = FollowerState::Accepted;
        tables
            .add_follower(new, state, Effects::default(), self.clock.now())
            .await
            .unwrap();
    }

    /// Publishes an operator's post; returns its address.
    pub(crate) async fn say(&self, text: &str) -> String {
        let new = NewPost {
            text: text.into(),
            picture: None,
        };
        self.outbox.post(new).await.unwrap()
    }

    /// Starts a broadcast.
    pub(crate) async fn go_live(&self, id: &str) {
        let at = self.clock.now();
        let begun = self.store.begin_stream(id.into(), at, "a title".into());
        begun.await.unwrap();
        self.be_online(true);
    }

    /// Ends a broadcast.
    pub(crate) async fn end(&self, id: &str) {
        let at = self.clock.now();
        self.store.end_stream(id.into(), at, 0).await.unwrap();
        self.be_online(false);
    }

    /// Sets whether the stream can be watched.
    pub(crate) fn be_online(&self, is_online: bool) {
        self.stream
            .send_modify(|status| status.is_online = is_online);
    }

    /// All deliveries, oldest first.
    pub(crate) async fn deliveries(&self) -> Vec<Delivery> {
        let tables = self.store.federation();
        let page = tables.deliveries_page(DeliveryFilter::default(), 0, 1000);
        let (mut all, _) = page.await.unwrap();
        all.reverse();
        all
    }

    /// Waits until `count` deliveries are in this state.
    pub(crate) async fn until(&self, state: DeliveryState, count: usize) -> Vec<Delivery> {
        eventually(&format!("{count} deliveries are {state:?}"), async || {
            let all = self.deliveries().await;
            let reached = all.iter().filter(|one| one.state == state).count() >= count;
            reached.then_some(all)
        })
        .await
    }

    /// Waits until everything was tried that often and nothing is under way.
    pub(crate) async fn until_tried(&self, attempts: i64) -> Vec<Delivery> {
        eventually(
            &format!("everything was tried {attempts} times"),
            async || {
                let all = self.deliveries().await;
                let is_tried = |one: &Delivery| {
                    one.attempts >= attempts && one.state != DeliveryState::InFlight
                };
                (!all.is_empty() && all.iter().all(is_tried)).then_some(all)
            },
        )
        .await
    }

    /// Stops like SIGKILL: nothing is finished or sent.
    pub(crate) async fn kill(mut self) {
        if let Some(work) = self.work.take() {
            work.abort();
            drop(work.await);
        }
        self.store.close().await;
    }

    /// Stops like SIGTERM.
    pub(crate) async fn close(mut self) {
        self.stop.cancel();
        if let Some(work) = self.work.take() {
            work.await.unwrap();
        }
        self.store.close().await;
    }
}

/// The activity a peer received, as it was sent.
pub(crate) fn activity(request: &Request) -> Value {
    serde_json::from_str(&request.body).unwrap()
}

/// Waits until all peers together have received `count` requests.
pub(crate) async fn until_received(peers: &Peers, count: usize) -> Vec<(String, Request)> {
    eventually(&format!("{count} requests have come"), async || {
        let all = peers.requests();
        (all.len() >= count).then_some(all)
    })
    .await
}

/// A request header, by its lower-case name.
pub(crate) fn header(request: &Request, name: &str) -> Option<String> {
    request.head.lines().skip(1).find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.to_lowercase() == name).then(|| value.trim().to_owned())
    })
}
