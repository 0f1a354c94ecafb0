//! Opens the components in order and connects them.

use std::sync::{Arc, OnceLock};

use access::AdminIdentity;
use anyhow::Context;
use chat::emoji::EmojiStore;
use chat::{Room, RoomDeps};
use federation::Federation;
use federation::publishing::PreviewSource;
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use media::stream::{PublishGate, PublishGrant, Stream};
use media::thumbnails::{self, ThumbnailIntervals, ThumbnailKind, Thumbnails};
use model::settings::table::{SERVER_URL, STREAM_KEYS};
use model::{Clock, Secret};
use notify::{WebhookDeps, Webhooks};
use outbound::Client;
use percent_encoding::percent_decode_str;
use plugins::host::Uploads;
use plugins::installed::InstalledPlugins;
use serde_json::json;
use store::schedule::Schedule;
use store::settings::Settings;
use store::{Leases, Store};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use web::WebhookPayloads;

use crate::cluster::{Membership, NodeAddresses, SharedFiles, ingest};
use crate::config::{Config, OutboundConfig};
use crate::data_dir::DataDir;
use crate::services::Services;

/// Every component, open.
#[derive(Debug)]
pub(crate) struct Components {
    pub(crate) store: Store,
    pub(crate) settings: Settings,
    pub(crate) schedule: Schedule,
    pub(crate) admin: AdminIdentity,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) outbound: Client,
    /// Who does the work that must be done once.
    pub(crate) leases: Leases,
    /// `None` on a server that is alone.
    pub(crate) membership: Option<Arc<Membership>>,
    /// `None` where no bucket was given.
    pub(crate) shared_files: Option<Arc<SharedFiles>>,
    /// Declared last, because the lock must outlive everything that writes.
    pub(crate) data_dir: DataDir,
}

impl Components {
    /// Opens the database and everything built on it. One of several machines joins the others.
    pub(crate) async fn open(
        config: &Config,
        data_dir: DataDir,
        addresses: NodeAddresses,
        clock: Arc<dyn Clock>,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) -> anyhow::Result<Self> {
        let key = &config.secret_key;
        let (store, membership) = match &config.cluster {
            None => (Store::open_for_server(&config.database, key).await?, None),
            Some(cluster) => {
                let store = Store::open_shared(&config.database, key).await?;
                let joined = Membership::join(cluster, addresses, &store, &clock);
                let joined = Box::pin(joined).await?;
                (store, Some(Arc::new(joined)))
            }
        };
        let leases = match &membership {
            None => Leases::alone(),
            Some(membership) => membership.leases(&store, &clock, tasks, stop),
        };
        let settings = Settings::load(store.clone(), &config.settings).await?;
        let own = settings.clone();
        let address = move || own.now().get(&SERVER_URL).clone();
        let outbound = outbound_client(&config.outbound, address)?;
        let bucket = config.cluster.as_ref();
        let bucket = bucket.and_then(|cluster| cluster.bucket.as_ref());
        let open = |bucket| SharedFiles::open(bucket, outbound.clone(), data_dir.path());
        let shared_files = bucket.map(open).transpose()?;
        if let Some(files) = &shared_files {
            Box::pin(files.at_start()).await;
        }
        let schedule = Schedule::load(store.clone(), clock.now()).await?;
        let password = config.initial.admin_password.clone();
        let is_first_start = store_password(&store, password, clock.now()).await?;
        let admin = AdminIdentity::load(
            store.clone(),
            Arc::clone(&clock),
            config.admin_password.as_ref(),
        )
        .await?;
        // Whoever looks around wants to write in the chat, too.
        if config.is_demo {
            admin.count_as_set_up();
        }
        let components = Self {
            store,
            settings,
            schedule,
            admin,
            clock,
            outbound,
            leases,
            membership,
            shared_files,
            data_dir,
        };
        let was_keyless = components
            .make_stream_key(config.initial.stream_key.as_ref())
            .await
            .context("cannot store the first stream key")?;
        let ignored = [
            (config.initial.admin_password.is_some() && !is_first_start).then_some("password"),
            (config.initial.stream_key.is_some() && !was_keyless).then_some("stream key"),
        ];
        let ignored: Vec<&str> = ignored.into_iter().flatten().collect();
        if !ignored.is_empty() {
            let ignored = ignored.join(" and ");
            tracing::info!("the initial {ignored} is ignored: one is already stored");
        }
        Ok(components)
    }

    /// On the first start, stores the initial stream key or a random one; there is no default. Returns whether it did.
    async fn make_stream_key(&self, initial: Option<&Secret>) -> anyhow::Result<bool> {
        if !self.settings.now().get(&STREAM_KEYS).is_empty() {
            return Ok(false);
        }
        let (key, comment) = match initial {
            Some(key) => (key.clone(), "given at the first start"),
            None => (access::random_key(), "made at the first start"),
        };
        let keys = json!([{ "key": key.expose(), "comment": comment }]);
        self.settings
            .set(&STREAM_KEYS, keys, self.clock.now())
            .await?;
        Ok(true)
    }

    /// The key to show to the operator.
    pub(crate) fn stream_key(&self) -> Secret {
        let layers = self.settings.now();
        Secret::new(
            layers
                .get(&STREAM_KEYS)
                .first()
                .map(|key| key.key.as_str())
                .unwrap_or_default(),
        )
    }

    /// Starts the task that owns the stream.
    pub(crate) async fn open_stream(
        &self,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) -> anyhow::Result<Stream> {
        let (store, settings) = (self.store.clone(), self.settings.clone());
        let clock = Arc::clone(&self.clock);
        let leases = self.leases.clone();
        let stop = stop.clone();
        let Some(membership) = &self.membership else {
            let (live, engine) = Stream::open(store, settings, clock, leases, stop).await?;
            tasks.spawn(engine);
            return Ok(live);
        };
        let started = ingest::start(membership, store, settings, clock, leases, tasks, stop);
        Ok(Box::pin(started).await?)
    }

    /// Starts drawing thumbnails of the stream, at a lower priority than everything else.
    pub(crate) fn open_thumbnails(
        &self,
        live: &Stream,
        tasks: &TaskTracker,
        background: &Handle,
        stop: &CancellationToken,
    ) -> Thumbnails {
        let fittings = thumbnails::ThumbnailDeps {
            live_snapshot: live.live_snapshot().clone(),
            status: live.status(),
            settings: self.settings.clone(),
            intervals: ThumbnailIntervals::default(),
        };
        let (thumbnails, work) = Thumbnails::open(fittings, stop.clone());
        tasks.spawn_on(work, background);
        thumbnails
    }

    pub(crate) async fn open_chat(
        &self,
        live: &Stream,
        max_connections: usize,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) -> anyhow::Result<Room> {
        let (folder, clock) = (self.data_dir.emoji(), Arc::clone(&self.clock));
        let emoji = tokio::task::spawn_blocking(move || EmojiStore::open(folder, clock)).await?;
        let mut emoji = emoji.context("cannot use the emoji folder")?;
        if let Some(files) = &self.shared_files {
            emoji = emoji.mirrored_to(files.emoji());
        }
        let deps = RoomDeps {
            store: self.store.clone(),
            settings: self.settings.clone(),
            clock: Arc::clone(&self.clock),
            stream: live.status(),
            agenda: self.schedule.agenda(),
            is_set_up: self.admin.is_set_up(),
            emoji,
            encode: web::encode,
            wrap: web::wrap,
            max_connections,
        };
        let (room, task) = Room::open(deps, stop.clone()).await?;
        tasks.spawn(task);
        Ok(room)
    }

    pub(crate) async fn open_webhooks(
        &self,
        live: &Stream,
        tasks: &TaskTracker,
        background: &Handle,
        stop: &CancellationToken,
    ) -> anyhow::Result<Webhooks> {
        let (settings, clock) = (self.settings.clone(), Arc::clone(&self.clock));
        let payloads = WebhookPayloads::new(settings, live.status(), clock);
        let deps = WebhookDeps {
            store: self.store.clone(),
            settings: self.settings.clone(),
            client: self.outbound.clone(),
            clock: Arc::clone(&self.clock),
            payload_builder: Arc::new(payloads),
            leases: self.leases.clone(),
            timeout: None,
        };
        let (webhooks, work) = Webhooks::open(deps, stop.clone()).await?;
        tasks.spawn_on(work, background);
        Ok(webhooks)
    }

    pub(crate) async fn open_federation(
        &self,
        live: &Stream,
        preview: Arc<Previews>,
        tasks: &TaskTracker,
        background: &Handle,
        stop: &CancellationToken,
    ) -> anyhow::Result<Federation> {
        let fittings = federation::FederationDeps {
            store: self.store.clone(),
            settings: self.settings.clone(),
            client: self.outbound.clone(),
            clock: Arc::clone(&self.clock),
            stream: live.status(),
            preview,
            leases: self.leases.clone(),
        };
        let (federation, work) = Federation::open(fittings, stop.clone())
            .await
            .context("cannot read the Fediverse account")?;
        tasks.spawn_on(work, background);
        Ok(federation)
    }

    /// What plugins may do with these components.
    pub(crate) fn services(&self, live: Stream, chat: Room, federation: Federation) -> Services {
        Services {
            store: self.store.clone(),
            settings: self.settings.clone(),
            clock: Arc::clone(&self.clock),
            chat,
            live,
            federation,
            outbound: self.outbound.clone(),
            uploads: Arc::new(Uploads::new(self.data_dir.public().join("plugins"))),
        }
    }
}

/// The one HTTP client for requests to strangers; it identifies itself with our public address.
pub(crate) fn outbound_client(
    config: &OutboundConfig,
    address: impl Fn() -> String + Send + Sync + 'static,
) -> anyhow::Result<Client> {
    let mut builder = Client::builder().user_agent_of(move || user_agent(&address()));
    if let Some(path) = &config.extra_ca {
        let pem = std::fs::read(path)
            .map_err(|error| anyhow::anyhow!("cannot read {}: {error}", path.display()))?;
        builder = builder.extra_ca(pem);
    }
    if config.allow_internal {
        builder = builder.danger_allow_internal_addresses();
    }
    if config.skip_tls_verify {
        builder = builder.danger_skip_tls_verify();
    }
    for (host, address) in &config.resolve {
        builder = builder.danger_resolve(host, *address);
    }
    Ok(builder.build()?)
}

fn user_agent(address: &str) -> String {
    let (name, version) = (model::product::NAME, model::product::VERSION);
    match address {
        "" => format!("{name}/{version}"),
        address => format!("{name}/{version}; {address}"),
    }
}

/// Thumbnails of the stream for posts about it.
#[derive(Debug)]
pub(crate) struct Previews {
    pub(crate) thumbnails: Thumbnails,
    /// Plugins are opened later; until then it is unknown whether the stream is public.
    pub(crate) plugins: OnceLock<InstalledPlugins>,
}

impl Previews {
    /// Whether everybody may see the thumbnails: a post goes out to the world, past any gate.
    fn are_public(&self) -> bool {
        let installed = self.plugins.get();
        installed.is_some_and(|installed| installed.list().gate().is_none())
    }
}

impl PreviewSource for Previews {
    fn preview(&self) -> BoxFuture<'_, Option<Vec<u8>>> {
        let newest = |kind| self.thumbnails.newest(kind);
        let still = match self.are_public() {
            true => newest(ThumbnailKind::Preview).or_else(|| newest(ThumbnailKind::Thumbnail)),
            false => None,
        };
        Box::pin(std::future::ready(still.map(|still| still.bytes.to_vec())))
    }
}

/// Stores the initial password unless there is one; returns whether it did.
async fn store_password(
    store: &Store,
    password: Option<Secret>,
    now: Timestamp,
) -> anyhow::Result<bool> {
    let Some(password) = password else {
        return Ok(false);
    };
    if store.admin_password().await?.is_some() {
        return Ok(false);
    }
    let hash = access::hash_password(password).await?;
    Ok(store.create_admin_password(hash, now).await?)
}

/// Checks stream keys against the settings, which are read again for every publisher.
#[derive(Debug)]
pub(crate) struct KeyGate(pub(crate) Settings);

impl PublishGate for KeyGate {
    fn admit(&self, key: &Secret) -> Option<PublishGrant> {
        let sent = key.expose();
        // Some programs percent-encode characters of the key once.
        let meant = percent_decode_str(sent).decode_utf8_lossy();
        self.find(sent).or_else(|| self.find(&meant))
    }
}

impl KeyGate {
    fn find(&self, key: &str) -> Option<PublishGrant> {
        let layers = self.0.now();
        let mut grant = None;
        // Hashes have one length, and every key is compared, so timing reveals neither a key's length nor which one was
        // nearly right.
        let asked = access::sha256(key);
        for known in layers.get(&STREAM_KEYS) {
            if access::same(&access::sha256(&known.key), &asked) {
                grant = Some(PublishGrant {
                    name: known.comment.clone(),
                    may_take_over: known.take_over,
                    is_recorded: known.record,
                });
            }
        }
        grant
    }
}
