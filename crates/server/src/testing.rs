//! A whole server inside a test: real sockets on port 0, a temporary folder, nothing shared.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use ::plugins::installed::Loader;
use ::plugins::runtime::Runtime;
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Context, SubscriberExt};

use crate::cli::Options;
use crate::config::{Config, ConfigSources};
use crate::logging::{LogBuffer, LogBufferLayer};
use crate::plugins::MakeLoader;
use crate::serve::RunningServer;

/// A running server. [`TestServer::stop`] shuts it down; if dropped, it ends with its runtime.
#[derive(Debug)]
pub struct TestServer {
    running: RunningServer,
    logs: Arc<LogBuffer>,
    /// The data folder's parent, deleted with the server.
    pub folder: tempfile::TempDir,
}

impl TestServer {
    pub async fn start() -> Self {
        Self::start_with(Options::default()).await
    }

    /// Starts with the test's options; folder and ports are always its own.
    pub async fn start_with(options: Options) -> Self {
        Self::start_in(tempfile::tempdir().expect("a temporary folder"), options).await
    }

    /// Starts in a folder that another server left, as after a restart.
    pub async fn start_in(folder: tempfile::TempDir, options: Options) -> Self {
        Self::start_whole(folder, options, None).await
    }

    /// Starts with the test's own loader of plugins.
    pub async fn start_with_plugins(
        options: Options,
        loader: impl FnOnce(&Runtime) -> Arc<dyn Loader> + Send + 'static,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self::start_in_with_plugins(folder, options, loader).await
    }

    /// The same in a folder that was prepared.
    pub async fn start_in_with_plugins(
        folder: tempfile::TempDir,
        options: Options,
        loader: impl FnOnce(&Runtime) -> Arc<dyn Loader> + Send + 'static,
    ) -> Self {
        Self::start_whole(folder, options, Some(Box::new(loader))).await
    }

    async fn start_whole(
        folder: tempfile::TempDir,
        options: Options,
        loader: Option<MakeLoader>,
    ) -> Self {
        let options = Options {
            data_dir: Some(folder.path().join("data").display().to_string()),
            listen: Some("127.0.0.1:0".into()),
            rtmp_listen: Some("127.0.0.1:0".into()),
            // Unpacking the embedded engine takes longer than most tests.
            plugin_engine: options.plugin_engine.or(Some("no-engine".into())),
            ..options
        };
        let sources = ConfigSources::new(options, BTreeMap::new()).expect("valid options");
        let config = Config::read(&sources).expect("a valid configuration");
        let logs = Arc::new(LogBuffer::default());
        let running = RunningServer::start_with(&config, Arc::<LogBuffer>::clone(&logs), loader)
            .await
            .expect("the server starts");
        Self {
            running,
            logs,
            folder,
        }
    }

    /// Runs something whose log lines this server keeps for its operator, as it keeps all lines outside tests.
    pub fn keep_log_of(&self, deed: impl FnOnce()) {
        let lines = tracing_subscriber::registry().with(self.logs.layer());
        tracing::subscriber::with_default(lines, deed);
    }

    /// From now on this server keeps the warnings of all threads of the process, including those of other servers.
    /// Plugins run on their own threads, which [`Self::keep_log_of`] does not cover.
    pub fn keep_warnings(&self) {
        static LISTENING: Once = Once::new();
        log_buffers().push(self.logs.layer());
        LISTENING.call_once(|| {
            let lines = tracing_subscriber::registry()
                .with(LevelFilter::WARN)
                .with(EveryLogBuffer);
            tracing::subscriber::set_global_default(lines).expect("nobody else listens");
        });
    }

    /// `http://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        self.running.ready.local_url()
    }

    /// The HTTP address.
    pub fn address(&self) -> std::net::SocketAddr {
        self.running.ready.http
    }

    /// The RTMP address.
    pub fn rtmp_address(&self) -> std::net::SocketAddr {
        let address = self.running.ready.rtmp;
        address.expect("this server takes in streams")
    }

    /// Whether it listens for broadcasters.
    pub fn takes_in(&self) -> bool {
        self.running.ready.rtmp.is_some()
    }

    /// A valid stream key.
    pub fn stream_key(&self) -> String {
        self.running.components.stream_key().expose().to_owned()
    }

    /// The server's database.
    pub fn store(&self) -> store::Store {
        self.running.components.store.clone()
    }

    /// The account in the Fediverse.
    pub fn account(&self) -> federation::identity::Account {
        self.running.federation.account().clone()
    }

    /// All events in the log, in order.
    pub async fn events(&self) -> Vec<model::Event> {
        let logged = self.running.components.store.events_after(0).await;
        let logged = logged.expect("a readable log");
        logged.into_iter().map(|entry| entry.event).collect()
    }

    /// Appends an event to the log, as a crate would.
    pub async fn note(&self, event: model::Event) {
        self.happened(event, std::time::Duration::ZERO).await;
    }

    /// Appends an event dated `ago` in the past.
    pub async fn happened(&self, event: model::Event, ago: std::time::Duration) {
        let components = &self.running.components;
        let logged = components
            .store
            .log_event(event, components.clock.now() - ago)
            .await;
        logged.expect("a log that can be written");
    }

    /// The secret of the setup link.
    pub fn setup_token(&self) -> Option<String> {
        self.running
            .components
            .admin
            .setup_token()
            .map(|token| token.expose().to_owned())
    }

    /// Whether the operator asked the process to end.
    pub fn is_asked_to_end(&self) -> bool {
        self.running.quit.is_cancelled()
    }

    /// Stops the server and returns its folder, so that another can be started on it.
    pub async fn stop(self) -> tempfile::TempDir {
        self.running.stop().await;
        self.folder
    }
}

/// Buffers of the servers that keep the warnings of the whole process; they stay until it ends.
static LOG_BUFFERS: Mutex<Vec<LogBufferLayer>> = Mutex::new(Vec::new());

fn log_buffers() -> MutexGuard<'static, Vec<LogBufferLayer>> {
    LOG_BUFFERS.lock().unwrap_or_else(PoisonError::into_inner)
}

struct EveryLogBuffer;

impl<S: Subscriber> Layer<S> for EveryLogBuffer {
    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        for buffer in log_buffers().iter() {
            buffer.on_event(event, context.clone());
        }
    }
}
