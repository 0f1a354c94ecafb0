//! Plugins as the server runs them, with a server in memory behind their host calls.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use metrics_exporter_prometheus::PrometheusBuilder;
use plugins::engine::{CallKind, Engine, EngineSource, EngineState};
use plugins::host::SqlStorage;
use plugins::host::mock::{InitialState, Mock};
use plugins::installed::Loader;
use plugins::instances::PluginInstances;
use plugins::package::Package;
use plugins::runtime::{LoadedPlugin, Runtime, RuntimeParts};
use tempfile::TempDir;
use tokio::sync::watch;

/// As many as the server has for plugins and other work in the background.
const THREADS: usize = 2;

/// Where a call comes from.
#[derive(Clone, Copy)]
pub enum Caller {
    /// A task on the threads of plugins, as for events.
    PluginThread,
    /// Another thread, as for the filters of the chat.
    OtherThread,
}

pub struct PluginServer {
    plugins: Runtime,
    threads: tokio::runtime::Runtime,
    // What plugins would write goes here; these write nothing.
    _storage: TempDir,
    // The instances stop listening to what is dropped.
    _engine: watch::Sender<EngineState>,
}

impl PluginServer {
    /// With the engine mapped, and how long that took.
    pub fn open(engine: &Path) -> (Self, Duration) {
        // The second time it is there already.
        PrometheusBuilder::new().install_recorder().ok();
        let source = EngineSource::File(engine.into());
        let begin = Instant::now();
        let engine = Engine::open(&source, Path::new("unused")).expect("an engine");
        let took = begin.elapsed();
        let threads = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .enable_all()
            .build()
            .expect("threads");
        let (say, engine) = watch::channel(EngineState::Ready(engine));
        let storage = TempDir::new().expect("a folder");
        let parts =
            Mock::new(InitialState::default()).parts(storage.path().into(), Timestamp::UNIX_EPOCH);
        let plugins = Runtime::new(RuntimeParts {
            instances: PluginInstances::new(
                engine,
                threads.handle().clone(),
                Arc::clone(&parts.clock),
            ),
            services: parts.services,
            plugin_data: parts.plugin_data,
            network: parts.network,
            clock: parts.clock,
            storage: storage.path().join("storage"),
            code: Some(storage.path().join("code")),
            sql: SqlStorage::Memory,
        });
        let ours = Self {
            plugins,
            threads,
            _storage: storage,
            _engine: say,
        };
        (ours, took)
    }

    /// Loads a package: from the opened file to a plugin that takes calls.
    pub fn load(&self, path: &Path) -> (Arc<Package>, Duration) {
        let package = Arc::new(Package::open(path).expect("a package"));
        let (plugins, loaded) = (self.plugins.clone(), Arc::clone(&package));
        let took = self.run(async move {
            let begin = Instant::now();
            let done = plugins.load(&loaded, loaded.manifest().permissions).await;
            done.expect("a plugin that starts");
            begin.elapsed()
        });
        (package, took)
    }

    /// Deletes the compiled code of all plugins: the next load of each is like its first.
    pub fn forget(&self) {
        let plugins = self.plugins.clone();
        self.run(async move { plugins.retain(&[]).await });
    }

    pub fn unload(&self, package: &Arc<Package>) {
        let (plugins, package) = (self.plugins.clone(), Arc::clone(package));
        self.run(async move { plugins.unload(&package.manifest().slug).await });
    }

    /// Calls a plugin repeatedly; a time runs from before the call is put into its mailbox until the answer is there.
    pub fn call(
        &self,
        slug: &str,
        kind: CallKind,
        caller: Caller,
        turn: Duration,
        input: fn(usize) -> String,
    ) -> Vec<Duration> {
        let plugin = self
            .plugins
            .running_plugin(slug)
            .expect("a plugin that runs");
        let asking = ask(plugin, kind, turn, input);
        match caller {
            Caller::PluginThread => self.run(asking),
            Caller::OtherThread => self.threads.block_on(asking),
        }
    }

    /// On the threads of plugins.
    fn run<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        self.threads
            .block_on(self.threads.spawn(work))
            .expect("no panic")
    }
}

async fn ask(
    plugin: LoadedPlugin,
    kind: CallKind,
    turn: Duration,
    input: fn(usize) -> String,
) -> Vec<Duration> {
    let begin = Instant::now();
    let mut times = Vec::new();
    while begin.elapsed() < turn {
        let input = input(times.len());
        let asked = Instant::now();
        let answer = plugin.ask(kind, input).await;
        times.push(asked.elapsed());
        if let Err(error) = answer {
            // On a busy machine a filter may be late. Its time counts like any other.
            eprintln!("{}: {error}", kind.name());
        }
    }
    times
}
