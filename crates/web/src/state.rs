//! The state available to the handlers, in parts.
//!
//! Nothing below this module knows a handler. A handler takes [`App`], or the one part it needs.

mod additions;
mod answer_cache;
mod app_icons;
mod cluster;
mod contributions;
mod fallbacks;
mod feed;
mod listeners;
mod page_texts;
mod passes;
mod pictures;
mod placeholder;
mod plugin_holder;
mod rate_limit;
mod readiness;
mod readings;
mod referrers;
mod registration_queue;
mod rendered_texts;
mod replays;
mod rewind;
mod sessions;
mod shared;
mod upgrades;

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use ::federation::Federation;
use ::plugins::installed::InstalledPlugins;
use ::plugins::registry::Registry;
use ::plugins::runtime::Runtime;
use access::indieauth::IndieAuth;
use access::provider::Provider;
use access::{AccessTokens, AdminIdentity};
use archive::Archive;
use axum::extract::FromRef;
use chat::Room;
use futures_util::future::BoxFuture;
use http::HeaderValue;
use http_server::{Tls, TrustedProxies};
use jiff::Timestamp;
use media::stream::Stream;
use media::thumbnails::Thumbnails;
use media::transcoder::{Measurements, TranscoderStatus};
use model::settings::VideoVariant;
use model::settings::table::video::OUTPUT_VARIANTS;
use model::{Clock, StreamState, StreamStatus};
use notify::Webhooks;
use store::Store;
use store::schedule::Schedule;
use store::settings::Settings;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::event_payload::EventPayloadBuilder;

use additions::LastAdditions;
pub(crate) use answer_cache::AnswerKey;
use app_icons::AppIcons;
pub(crate) use app_icons::IconSet;
pub use cluster::{ClusterView, ForwardedSaying, NodeLoad};
use contributions::Contributions;
pub(crate) use fallbacks::Fallbacks;
use feed::Feed;
pub(crate) use feed::{FeedCursor, FeedEvent};
pub(crate) use listeners::ListenerSlot;
use listeners::Listeners;
use page_texts::PageTextCache;
pub(crate) use page_texts::{PageKey, PageTexts};
use passes::Passes;
pub(crate) use pictures::CachedPicture;
use pictures::PictureCache;
use placeholder::Placeholder;
pub use plugin_holder::{BodyPieces, Parcel, PluginHolder, Unanswered, ViewerJudgement};
use rate_limit::RateLimits;
use readiness::Readiness;
pub use readings::{Hardware, Readings};
pub(crate) use readings::{Playback, PlayerHealth, PlayerReport, Point, VideoSample};
pub use referrers::Referrers;
use registration_queue::RegistrationQueue;
use rendered_texts::RenderedTexts;
use replays::OpenReplays;
pub(crate) use replays::{OpenReplay, ReplayText};
use rewind::RewindLists;
pub(crate) use rewind::{RewindMoment, RewindRefusal, log_of as rewind_log_of};
use sessions::Sessions;
pub(crate) use shared::Shared;
use upgrades::Upgrades;

/// The handlers' state.
pub type App = Shared<AppState>;

/// What most handlers need, and a part for each subject.
#[derive(Debug)]
pub struct AppState {
    pub settings: Settings,
    /// Read models and readiness.
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    /// Recordings, and the log of the broadcast on air.
    pub archive: Archive,
    pub(crate) rewind: RewindLists,
    pub schedule: Schedule,
    pub webhooks: Webhooks,
    pub federation: Federation,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: TrustedProxies,
    pub logs: Arc<dyn LogBook>,
    pub facts: Facts,
    /// `None` on a server that is alone.
    pub(crate) cluster: Option<Arc<dyn ClusterView>>,
    /// Recent measurements.
    pub readings: Readings,
    /// Where visitors of the page came from lately.
    pub referrers: Referrers,
    pub(crate) readiness: Readiness,
    pub(crate) texts: RenderedTexts,
    pub(crate) page_texts: PageTextCache,
    /// Recordings that are being watched.
    pub(crate) replays: OpenReplays,
    pub(crate) rate_limits: RateLimits,
    pub live: Shared<LiveState>,
    pub(crate) chat: Shared<ChatState>,
    pub(crate) bots: Shared<BotState>,
    pub(crate) plugins: Shared<PluginState>,
    pub(crate) operator: Shared<OperatorState>,
    pub(crate) pictures: Shared<PictureState>,
}

/// The stream.
#[derive(Debug)]
pub struct LiveState {
    pub stream: Stream,
    pub status: watch::Receiver<StreamStatus>,
    pub(crate) thumbnails: Thumbnails,
    /// The picture for a stream without thumbnails: the logo on a backdrop.
    pub(crate) placeholder: Placeholder,
    /// The measured capacity of this machine.
    pub(crate) measurements: Measurements,
}

/// The chat, and the ways into it.
#[derive(Debug)]
pub(crate) struct ChatState {
    pub(crate) room: Room,
    pub(crate) sign_in: IndieAuth,
    pub(crate) registration_queue: RegistrationQueue,
    pub(crate) fallbacks: Fallbacks,
    pub(crate) upgrades: Upgrades,
}

/// Bots and overlays.
#[derive(Debug)]
pub(crate) struct BotState {
    pub(crate) tokens: AccessTokens,
    pub(crate) feed: Feed,
    pub(crate) listeners: Listeners,
}

/// Plugins, and what they do for viewers.
#[derive(Debug)]
pub(crate) struct PluginState {
    pub(crate) installed: InstalledPlugins,
    pub(crate) running: Runtime,
    pub(crate) registry: Registry,
    pub(crate) sessions: Sessions,
    /// Passes that identify the viewers of plugin pages.
    pub(crate) passes: Passes,
    pub(crate) contributions: Contributions,
    /// What plugins on another machine last added to the page.
    pub(crate) additions: LastAdditions,
    /// The way to the machine of a cluster that runs the plugins; `None` on a server that is alone.
    holder: Option<Arc<dyn PluginHolder>>,
}

impl PluginState {
    /// The way to the plugins, if they run on another machine.
    pub(crate) fn elsewhere(&self) -> Option<&Arc<dyn PluginHolder>> {
        self.holder.as_ref().filter(|holder| !holder.is_here())
    }
}

/// Who the operator is, here and elsewhere.
#[derive(Debug)]
pub(crate) struct OperatorState {
    pub(crate) identity: AdminIdentity,
    /// Signing in elsewhere as the operator.
    pub(crate) provider: Provider,
}

/// The operator's pictures.
#[derive(Debug, Default)]
pub(crate) struct PictureState {
    pub(crate) logo: PictureCache,
    pub(crate) favicon: PictureCache,
    /// Behind the offline message.
    pub(crate) offline: PictureCache,
    /// Icons of the installed page, drawn from the logo.
    pub(crate) icons: AppIcons,
    pub(crate) header: PictureCache,
}

/// The components behind the handlers.
#[derive(Debug)]
pub struct AppDeps {
    pub settings: Settings,
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub archive: Archive,
    pub schedule: Schedule,
    pub admin: AdminIdentity,
    pub stream: Stream,
    pub thumbnails: Thumbnails,
    pub chat: Room,
    /// Signing in to the chat.
    pub sign_in: IndieAuth,
    pub webhooks: Webhooks,
    pub federation: Federation,
    pub plugins: Plugins,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: TrustedProxies,
    pub logs: Arc<dyn LogBook>,
    pub facts: Facts,
    /// `None` on a server that is alone.
    pub cluster: Option<Arc<dyn ClusterView>>,
    /// Cancelled when the server stops.
    pub stop: CancellationToken,
}

/// The components of plugins.
#[derive(Clone, Debug)]
pub struct Plugins {
    pub installed: InstalledPlugins,
    /// The running plugins.
    pub running: Runtime,
    pub registry: Registry,
    /// The way to the machine that runs them; `None` on a server that is alone.
    pub holder: Option<Arc<dyn PluginHolder>>,
}

/// Facts known once the listeners are bound.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The HTTP address.
    pub http: SocketAddr,
    /// The RTMP address.
    pub rtmp: SocketAddr,
    /// What answers say about the machine they come from; `None` to say nothing.
    pub node_header: Option<HeaderValue>,
    /// Renders the metrics in Prometheus' text format.
    pub metrics: fn() -> String,
    /// The certificate of the pages, if this server has one of its own.
    pub tls: Option<Tls>,
    /// Where everything is kept.
    pub data_folder: PathBuf,
    /// Where the backup command writes when it last made one; `None` where it does not save the database.
    pub backup_note: Option<PathBuf>,
    /// Asks for this server at its public address.
    pub own_address: Arc<dyn AddressProbe>,
    /// The operator's public files; the folder need not exist.
    pub public_folder: PathBuf,
    /// Cancelled when the operator asks the process to end.
    pub quit: CancellationToken,
}

/// Asks for the server at its public address, as a stranger would; this crate sends no requests itself.
pub trait AddressProbe: fmt::Debug + Send + Sync {
    /// Asks there, once.
    fn ask<'a>(&'a self, address: &'a str) -> BoxFuture<'a, AddressAnswer>;
}

/// What was found at the public address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressAnswer {
    /// A server of ours answered.
    Reached,
    /// Something else answered.
    Another,
    /// Nothing answered, for this reason.
    Silent(String),
    /// Servers do not ask there: it is an address of a private network or of this machine.
    Unasked,
}

/// A log line as the admin page shows it.
#[derive(Clone, Debug)]
pub struct LogLine {
    pub at: Timestamp,
    /// `debug`, `info`, `warning` or `error`.
    pub level: &'static str,
    pub message: String,
}

/// The recent log, kept by the owner of the subscriber.
pub trait LogBook: fmt::Debug + Send + Sync {
    /// The newest lines, oldest first.
    fn recent(&self) -> Vec<LogLine>;
    /// The newest warnings and errors, oldest first.
    fn warnings(&self) -> Vec<LogLine>;
    /// The newest lines about one plugin, oldest first; the lines do not repeat the plugin's name.
    fn of_plugin(&self, slug: &str) -> Vec<LogLine>;
}

impl App {
    pub fn new(deps: AppDeps) -> Self {
        let clock = deps.clock;
        let status = deps.stream.status();
        let payloads = EventPayloadBuilder::new(deps.settings.clone(), status.clone());
        Self::share(AppState {
            live: Shared::share(LiveState {
                stream: deps.stream,
                status,
                thumbnails: deps.thumbnails,
                placeholder: Placeholder::default(),
                measurements: Measurements::new(Arc::clone(&clock)),
            }),
            chat: Shared::share(ChatState {
                room: deps.chat,
                sign_in: deps.sign_in,
                registration_queue: RegistrationQueue::new(Arc::clone(&clock)),
                fallbacks: Fallbacks::default(),
                upgrades: Upgrades::default(),
            }),
            bots: Shared::share(BotState {
                tokens: AccessTokens::new(deps.store.clone(), Arc::clone(&clock)),
                feed: Feed::new(deps.store.clone(), payloads, deps.stop),
                listeners: Listeners::default(),
            }),
            plugins: Shared::share(PluginState {
                installed: deps.plugins.installed,
                running: deps.plugins.running,
                registry: deps.plugins.registry,
                sessions: Sessions::default(),
                passes: Passes::default(),
                contributions: Contributions::default(),
                additions: LastAdditions::default(),
                holder: deps.plugins.holder,
            }),
            operator: Shared::share(OperatorState {
                identity: deps.admin,
                provider: Provider::new(Arc::clone(&clock)).sharing(&deps.store),
            }),
            pictures: Shared::share(PictureState::default()),
            settings: deps.settings,
            store: deps.store,
            clock,
            archive: deps.archive,
            rewind: RewindLists::default(),
            schedule: deps.schedule,
            webhooks: deps.webhooks,
            federation: deps.federation,
            trusted_proxies: deps.trusted_proxies,
            logs: deps.logs,
            facts: deps.facts,
            cluster: deps.cluster,
            readings: Readings::default(),
            referrers: Referrers::default(),
            readiness: Readiness::default(),
            texts: RenderedTexts::default(),
            page_texts: PageTextCache::default(),
            replays: OpenReplays::default(),
            rate_limits: RateLimits::default(),
        })
    }

    /// The task that sends events to listening bots.
    pub fn tell_bots(&self) -> impl Future<Output = ()> + Send + use<> {
        self.bots.feed.clone().run()
    }

    /// The publisher was lost and may reconnect.
    pub(crate) fn is_waiting_for_publisher(&self) -> bool {
        self.live.status.borrow().state == StreamState::Waiting
    }

    /// The list of qualities in force: the one the stream began with while it is encoded, else the configured one. The
    /// list may be edited meanwhile, and the encoder's positions refer to the former.
    pub(crate) fn variants(&self, ladder: Option<&TranscoderStatus>) -> Arc<[VideoVariant]> {
        match ladder {
            Some(ladder) => Arc::clone(&ladder.variants),
            None => self.settings.now().get(&OUTPUT_VARIANTS).as_slice().into(),
        }
    }
}

impl FromRef<App> for Shared<LiveState> {
    fn from_ref(app: &App) -> Self {
        app.live.clone()
    }
}

impl FromRef<App> for Shared<ChatState> {
    fn from_ref(app: &App) -> Self {
        app.chat.clone()
    }
}

impl FromRef<App> for Shared<BotState> {
    fn from_ref(app: &App) -> Self {
        app.bots.clone()
    }
}

impl FromRef<App> for Shared<PluginState> {
    fn from_ref(app: &App) -> Self {
        app.plugins.clone()
    }
}

impl FromRef<App> for Shared<OperatorState> {
    fn from_ref(app: &App) -> Self {
        app.operator.clone()
    }
}
