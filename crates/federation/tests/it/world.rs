//! The federation without deliveries: outgoing activities stay in the queue, where tests read them.

use std::sync::Arc;
use std::time::Duration;

use federation::{Federation, FederationDeps};
use jiff::Timestamp;
use model::settings::table::SERVER_URL;
use model::settings::table::federation::ENABLED;
use model::settings::{AnySetting, ExternalSettings};
use model::{Clock, StreamStatus};
use serde_json::{Value, json};
use store::federation::{
    ClaimedDelivery, DeliveryOutcome, Effects, FederationTables, Follower, FollowerProfile,
    FollowerState, NewFollower,
};
use store::settings::Settings;
use store::{DatabaseUrl, Leases, Store};
use testkit::ManualClock;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::house::Preview;
use crate::peer::Peers;

pub(crate) const ALICE: &str = "https://remote.example/users/alice";

pub(crate) struct World {
    _folder: tempfile::TempDir,
    pub(crate) peers: Peers,
    pub(crate) clock: ManualClock,
    pub(crate) settings: Settings,
    pub(crate) tables: FederationTables,
    pub(crate) federation: Federation,
    pub(crate) stream: watch::Sender<StreamStatus>,
}

impl World {
    /// Federation is on, at `https://live.example`.
    pub(crate) async fn open(peers: Peers) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(folder.path().join("db"));
        let store = Store::open(&url, &folder.path().join("key")).await.unwrap();
        let outside = ExternalSettings::default();
        let settings = Settings::load(store.clone(), &outside).await.unwrap();
        let clock = ManualClock::default();
        let (stream, status) = watch::channel(StreamStatus::default());
        let deps = FederationDeps {
            store: store.clone(),
            settings: settings.clone(),
            client: peers.client(Duration::from_secs(5)),
            clock: Arc::new(clock.clone()),
            stream: status,
            preview: Arc::new(Preview::default()),
            leases: Leases::alone(),
        };
        let stop = CancellationToken::new();
        let (federation, _work) = Federation::open(deps, stop).await.unwrap();
        let world = Self {
            _folder: folder,
            peers,
            clock,
            settings,
            tables: store.federation(),
            federation,
            stream,
        };
        world.set(&SERVER_URL, json!("https://live.example")).await;
        world.set(&ENABLED, json!(true)).await;
        world
    }

    pub(crate) async fn set(&self, setting: &'static dyn AnySetting, value: Value) {
        let at = self.clock.now();
        self.settings.set(setting, value, at).await.unwrap();
    }

    /// Adds a follower in this state.
    pub(crate) async fn follower(&self, iri: &str, state: FollowerState, is_directory: bool) {
        let new = NewFollower {
            iri: iri.to_owned(),
            profile: profile(iri),
            follow_id: format!("{iri}#follows/1"),
            follow_json: json!({
                "id": format!("{iri}#follows/1"),
                "type": "Follow",
                "actor": iri,
                "object": "https://live.example/federation/user/live",
            })
            .to_string(),
            is_directory,
        };
        let (nothing, at) = (Effects::default(), self.clock.now());
        let added = self.tables.add_follower(new, state, nothing, at);
        added.await.unwrap();
    }

    pub(crate) async fn state(&self, iri: &str) -> Option<FollowerState> {
        let follower: Option<Follower> = self.tables.follower(iri).await.unwrap();
        follower.map(|follower| follower.state)
    }

    /// Reads the queued deliveries and marks them as delivered.
    pub(crate) async fn queued(&self) -> Vec<(ClaimedDelivery, Value)> {
        let now = self.clock.now();
        let claimed = self.tables.claim(100, 100, now).await.unwrap();
        let arrived = claimed
            .iter()
            .map(|one| (one.id, DeliveryOutcome::Delivered { status: 202 }));
        let arrived = self.tables.finish(arrived.collect(), now);
        arrived.await.unwrap();
        let read = |one: ClaimedDelivery| {
            let json = serde_json::from_str(&one.json).unwrap();
            (one, json)
        };
        claimed.into_iter().map(read).collect()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

fn profile(iri: &str) -> FollowerProfile {
    FollowerProfile {
        inbox: format!("{iri}/inbox"),
        shared_inbox: None,
        username: "alice".into(),
        handle: "@alice@remote.example".into(),
        name: "Alice".into(),
        url: None,
        image: None,
    }
}
