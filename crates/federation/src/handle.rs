//! The handle that other crates hold, and the tasks behind it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use model::settings::table::federation::ENABLED;
use model::{Clock, StreamStatus};
use outbound::Client;
use store::federation::FederationTables;
use store::settings::Settings;
use store::{Lease, LeaseName, Leases, Store};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::blocks;
use crate::codes::Codes;
use crate::delivery::{self, LaneLimits};
use crate::document::Presence;
use crate::featured;
use crate::fetch::{FetchPolicy, Fetcher};
use crate::identity::{Account, IdentityError, Signers};
use crate::inbox::{self, InboxLimits};
use crate::keys::Keys;
use crate::lookup::Lookup;
use crate::names::Names;
use crate::profile::ActorProfile;
use crate::publishing::{self, Outbox, PreviewSource};

/// Pause before a task that ended by a fault of ours is started again.
const FAULT_PAUSE: Duration = Duration::from_secs(10);

/// What federation needs from the other crates.
#[derive(Debug)]
pub struct FederationDeps {
    pub store: Store,
    pub settings: Settings,
    /// The only way to make requests.
    pub client: Client,
    pub clock: Arc<dyn Clock>,
    /// Whether the stream is live.
    pub stream: watch::Receiver<StreamStatus>,
    /// Supplies pictures of the stream.
    pub preview: Arc<dyn PreviewSource>,
    /// Say what this server does for all.
    pub leases: Leases,
}

/// The stream's account in the Fediverse; clones share it.
///
/// Its methods are in the modules they concern: taking in requests is in [`crate::inbox`], and so on.
#[derive(Clone, Debug)]
pub struct Federation(pub(crate) Arc<FederationShared>);

/// State shared by all parts of this crate.
#[derive(Clone, Debug)]
pub(crate) struct FederationShared {
    pub(crate) store: Store,
    pub(crate) tables: FederationTables,
    pub(crate) settings: Settings,
    pub(crate) client: Client,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) stream: watch::Receiver<StreamStatus>,
    /// The account's key and names.
    pub(crate) account: Account,
    pub(crate) fetcher: Fetcher,
    pub(crate) keys: Keys,
    pub(crate) limits: Arc<InboxLimits>,
    pub(crate) lookup: Lookup,
    pub(crate) codes: Arc<Codes>,
    pub(crate) outbox: Outbox,
    leases: Leases,
}

impl Federation {
    /// Opens the account. The returned future does its work until `stop`: it takes in, sends and maintains stored data.
    ///
    /// # Errors
    /// When the account's key or names cannot be read.
    pub async fn open(
        deps: FederationDeps,
        stop: CancellationToken,
    ) -> Result<(Self, impl Future<Output = ()> + Send + use<>), IdentityError> {
        let FederationDeps {
            store,
            settings,
            client,
            clock,
            stream,
            preview,
            leases,
        } = deps;
        let account = Account::open(store.clone(), settings.clone(), Arc::clone(&clock)).await?;
        let fetch_policy: Arc<dyn FetchPolicy> = Arc::new(AccountFetchPolicy {
            account: account.clone(),
            settings: settings.clone(),
        });
        let fetcher = Fetcher::new(
            client.clone(),
            Arc::clone(&clock),
            Arc::clone(&fetch_policy),
        );
        let keys = Keys::new(store.federation(), fetcher.clone(), Arc::clone(&clock));
        let outbox = Outbox::new(publishing::OutboxDeps {
            store: store.clone(),
            settings: settings.clone(),
            clock: Arc::clone(&clock),
            account: account.clone(),
            stream: stream.clone(),
            preview,
        });
        let shared = FederationShared {
            outbox,
            lookup: Lookup::new(client.clone(), fetch_policy),
            codes: Arc::default(),
            tables: store.federation(),
            store,
            settings,
            client,
            clock,
            stream,
            account,
            fetcher,
            keys,
            limits: Arc::default(),
            leases,
        };
        let federation = Self(Arc::new(shared));
        let work = work(federation.clone(), stop);
        Ok((federation, work))
    }

    /// Whether the operator has switched federation on.
    pub fn is_enabled(&self) -> bool {
        *self.0.settings.now().get(&ENABLED)
    }

    /// What documents currently say about the account; `None` while the server has no public address.
    ///
    /// # Errors
    /// When the account's key cannot be made or read.
    pub async fn profile(&self) -> Result<Option<ActorProfile>, IdentityError> {
        self.0.account.profile().await
    }

    pub fn account(&self) -> &Account {
        &self.0.account
    }

    /// The handle that publishes to followers and directories.
    pub fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }
}

impl FederationShared {
    /// The same account, whose work is done under a lease.
    fn under(&self, lease: &Lease) -> Self {
        let store = self.store.under(lease);
        Self {
            tables: store.federation(),
            store,
            ..self.clone()
        }
    }

    /// What deliveries need.
    fn outward(&self, lease: Lease) -> delivery::DeliveryDeps {
        delivery::DeliveryDeps {
            store: self.store.clone(),
            lease,
            client: self.client.clone(),
            clock: Arc::clone(&self.clock),
            settings: self.settings.clone(),
            account: self.account.clone(),
            limits: LaneLimits::default(),
        }
    }

    /// Whether the stream is live right now.
    pub(crate) fn presence(&self) -> Presence {
        match self.stream.borrow().is_online {
            true => Presence::Live,
            false => Presence::Offline,
        }
    }
}

/// Answers the fetcher's questions from the settings.
#[derive(Debug)]
struct AccountFetchPolicy {
    account: Account,
    settings: Settings,
}

impl FetchPolicy for AccountFetchPolicy {
    fn signers(&self, host: &str) -> Option<Signers> {
        self.account.known_signers(host)
    }

    fn has_contacted(&self, host: &str, inbox: Option<&str>) {
        if let Some(contact) = self.account.new_contact(host, inbox) {
            self.account.store_contact(contact);
        }
    }

    fn knows_new_key(&self, host: &str) {
        self.account.store_handover_end(host);
    }

    fn refuses(&self, host: &str) -> bool {
        let settings = self.settings.now();
        let is_own = Names::of(&settings).is_some_and(|names| names.host() == host);
        is_own || blocks::blocks(&settings, host)
    }
}

/// Starts a task of the account.
type TaskStart = fn(Federation, CancellationToken) -> BoxFuture<'static, ()>;

/// Runs every task of the account independently: one that fails does not stop the others.
async fn work(federation: Federation, stop: CancellationToken) {
    let starts: [(&'static str, TaskStart); 3] = [
        ("account", |handle, stop| {
            Box::pin(handle.0.account.clone().follow_settings(stop))
        }),
        ("inbox", |handle, stop| Box::pin(take_in(handle, stop))),
        ("featured", |handle, stop| {
            Box::pin(featured::run(handle, stop))
        }),
    ];
    let mut tasks = JoinSet::new();
    for (name, start) in starts {
        tasks.spawn(supervise(name, start, federation.clone(), stop.clone()));
    }
    // Deliveries end after the last message is queued, so that directories still get the Leave of a stopping process.
    let said = CancellationToken::new();
    let deliveries: TaskStart = |handle, stop| Box::pin(deliver(handle, stop));
    tasks.spawn(supervise(
        "deliveries",
        deliveries,
        federation.clone(),
        said.clone(),
    ));
    let speaking: TaskStart = |handle, stop| Box::pin(speak(handle, stop));
    let speaking = supervise("publishing", speaking, federation, stop);
    tasks.spawn(async move {
        let _said = said.drop_guard();
        speaking.await;
    });
    while tasks.join_next().await.is_some() {}
}

/// Handles requests while this server is the one that does.
async fn take_in(handle: Federation, stop: CancellationToken) {
    let work = |lease: Lease, until| inbox::run(Arc::new(handle.0.under(&lease)), until);
    let leases = &handle.0.leases;
    leases.while_held(LeaseName::Inbox, stop, work).await;
}

/// Delivers while this server is the one that does.
async fn deliver(handle: Federation, stop: CancellationToken) {
    let work = |lease, until| delivery::run(handle.0.outward(lease), until);
    let leases = &handle.0.leases;
    leases.while_held(LeaseName::Deliveries, stop, work).await;
}

/// Publishes while this server is the one that does.
async fn speak(handle: Federation, stop: CancellationToken) {
    let work = |lease: Lease, until| handle.0.outbox.under(&lease).run(until);
    let leases = &handle.0.leases;
    leases.while_held(LeaseName::Publishing, stop, work).await;
}

/// Runs a task until it returns, and restarts it if it ended through a fault of ours.
async fn supervise(
    name: &'static str,
    start: TaskStart,
    handle: Federation,
    stop: CancellationToken,
) {
    loop {
        let task = start(handle.clone(), stop.clone());
        let Err(error) = tokio::spawn(task).await else {
            return;
        };
        metrics::counter!("rillcast_panics_total", "where" => "federation").increment(1);
        tracing::error!(%error, task = name, "federation: a task stopped unexpectedly");
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(FAULT_PAUSE) => {}
        }
    }
}
