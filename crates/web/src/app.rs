//! The state available to every handler.

use std::fmt;
use std::net::SocketAddr;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use ::federation::Federation;
use access::indieauth::IndieAuth;
use access::provider::Provider;
use access::{AccessTokens, AdminIdentity};
use chat::Room;
use http_server::client::TrustedProxies;
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

use crate::chat::{Fallbacks, RegistrationQueue, Upgrades};
use crate::event_payload::EventPayloadBuilder;
use crate::integrations::{Feed, Listeners};
use crate::pictures::PictureCache;
use crate::plugins::{Contributions, Passes, Plugins, Sessions};
use crate::public::{Readiness, RenderedTexts};
use crate::rate_limit::RateLimits;
use crate::readings::Readings;
use crate::thumbnails::Placeholder;

/// The handlers' state, shared.
///
/// The trait object is explicitly `Send + Sync`. Without `dyn`, the compiler walks through everything inside to find
/// that out, again for each handler, which took half of this crate's build time.
#[derive(Clone, Debug)]
pub struct App(Arc<dyn HasAppState>);

trait HasAppState: fmt::Debug + Send + Sync {
    fn state(&self) -> &AppState;
}

#[derive(Debug)]
pub struct AppState {
    pub settings: Settings,
    /// Read models and readiness.
    pub store: Store,
    pub schedule: Schedule,
    pub admin: AdminIdentity,
    pub clock: Arc<dyn Clock>,
    pub live: Stream,
    /// Thumbnails of the stream.
    pub thumbnails: Thumbnails,
    pub chat: Room,
    /// Signing in to the chat.
    pub sign_in: IndieAuth,
    /// Access tokens of bots and overlays.
    pub tokens: AccessTokens,
    pub webhooks: Webhooks,
    pub federation: Federation,
    pub plugins: Plugins,
    /// Signing in elsewhere as the operator.
    pub(crate) provider: Provider,
    pub stream: watch::Receiver<StreamStatus>,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: TrustedProxies,
    pub logs: Arc<dyn LogBook>,
    pub facts: Facts,
    /// Recent measurements.
    pub readings: Readings,
    /// The measured capacity of this machine.
    pub(crate) measurements: Measurements,
    pub(crate) logo: PictureCache,
    /// The picture for a stream without thumbnails: the logo on a backdrop.
    pub(crate) placeholder: Placeholder,
    pub(crate) favicon: PictureCache,
    pub(crate) readiness: Readiness,
    pub(crate) texts: RenderedTexts,
    pub(crate) rate_limits: RateLimits,
    pub(crate) registration_queue: RegistrationQueue,
    pub(crate) fallbacks: Fallbacks,
    pub(crate) upgrades: Upgrades,
    pub(crate) feed: Feed,
    pub(crate) listeners: Listeners,
    pub(crate) sessions: Sessions,
    /// Passes that identify the viewers of plugin pages.
    pub(crate) passes: Passes,
    pub(crate) contributions: Contributions,
}

/// Facts known once the listeners are bound.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The HTTP address.
    pub http: SocketAddr,
    /// The RTMP address.
    pub rtmp: SocketAddr,
    /// Renders the metrics in Prometheus' text format.
    pub metrics: fn() -> String,
    /// The operator's public files; the folder need not exist.
    pub public_folder: PathBuf,
    /// Cancelled when the operator asks the process to end.
    pub quit: CancellationToken,
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
    #[expect(
        clippy::too_many_arguments,
        reason = "called once, by the wiring, with one argument per component"
    )]
    pub fn new(
        settings: Settings,
        store: Store,
        schedule: Schedule,
        admin: AdminIdentity,
        clock: Arc<dyn Clock>,
        live: Stream,
        thumbnails: Thumbnails,
        chat: Room,
        sign_in: IndieAuth,
        stop: CancellationToken,
        webhooks: Webhooks,
        federation: Federation,
        plugins: Plugins,
        trusted_proxies: TrustedProxies,
        logs: Arc<dyn LogBook>,
        facts: Facts,
    ) -> Self {
        let payloads = EventPayloadBuilder::new(settings.clone(), live.status());
        let feed = Feed::new(store.clone(), payloads, stop);
        let tokens = AccessTokens::new(store.clone(), Arc::clone(&clock));
        let readiness = Readiness::default();
        let texts = RenderedTexts::default();
        let registration_queue = RegistrationQueue::new(Arc::clone(&clock));
        Self(Arc::new(AppState {
            settings,
            store,
            schedule,
            admin,
            provider: Provider::new(Arc::clone(&clock)),
            measurements: Measurements::new(Arc::clone(&clock)),
            clock,
            stream: live.status(),
            live,
            thumbnails,
            chat,
            sign_in,
            tokens,
            webhooks,
            federation,
            plugins,
            trusted_proxies,
            logs,
            facts,
            readings: Readings::default(),
            logo: PictureCache::default(),
            placeholder: Placeholder::default(),
            favicon: PictureCache::default(),
            readiness,
            texts,
            rate_limits: RateLimits::default(),
            registration_queue,
            fallbacks: Fallbacks::default(),
            upgrades: Upgrades::default(),
            feed,
            listeners: Listeners::default(),
            sessions: Sessions::default(),
            passes: Passes::default(),
            contributions: Contributions::default(),
        }))
    }

    /// The task that sends events to listening bots.
    pub fn tell_bots(&self) -> impl Future<Output = ()> + Send + use<> {
        self.feed.clone().run()
    }

    /// The publisher was lost and may reconnect.
    pub(crate) fn is_waiting_for_publisher(&self) -> bool {
        self.stream.borrow().state == StreamState::Waiting
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

impl Deref for App {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        self.0.state()
    }
}

impl HasAppState for AppState {
    fn state(&self) -> &AppState {
        self
    }
}
