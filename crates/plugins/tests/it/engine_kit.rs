//! The engine, a minimal host, and plugins of a few lines.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, pending};
use plugins::engine::{
    Budget, CallError, CallKind, Engine, EngineSource, Instance, InstanceLimits, InstanceSpec,
    LogSink, OutputKind,
};
use plugins::host::HostCalls;
use tokio::sync::Semaphore;

/// Generous: what is tested is that something ends, not when.
pub(crate) const PATIENT: Budget = Budget {
    running: Duration::from_secs(120),
    waiting: Duration::from_secs(120),
};
/// For what must be ended.
pub(crate) const SHORT: Budget = Budget {
    running: Duration::from_millis(200),
    waiting: Duration::from_millis(200),
};

/// The engine built by `scripts/engine.py`.
pub(crate) fn built_engine() -> PathBuf {
    let path = std::env::var_os("RILLCAST_TEST_ENGINE").unwrap_or_else(|| {
        panic!("these tests need the plugin engine: RILLCAST_TEST_ENGINE=$(python3 scripts/engine.py build) cargo test -p plugins")
    });
    PathBuf::from(path)
}

/// Mapped once for all tests.
pub(crate) fn engine() -> Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE
        .get_or_init(|| {
            Engine::open(&EngineSource::File(built_engine()), Path::new("unused")).unwrap()
        })
        .clone()
}

/// Answers every call with its arguments, except for `kv_get` of the key "forever" (never) and "gate" (when the gate
/// opens).
#[derive(Debug)]
pub(crate) struct FakeHost {
    calls: AtomicUsize,
    pub(crate) gate: Semaphore,
    /// A call that is never answered.
    slow: Option<&'static str>,
}

impl FakeHost {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            calls: AtomicUsize::new(0),
            gate: Semaphore::new(0),
            slow: None,
        })
    }

    /// A host that never answers this call.
    pub(crate) fn slow(name: &'static str) -> Arc<Self> {
        Arc::new(Self {
            calls: AtomicUsize::new(0),
            gate: Semaphore::new(0),
            slow: Some(name),
        })
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

impl HostCalls for FakeHost {
    fn is_instant(&self, name: &str) -> bool {
        name == "log_info"
    }

    fn call<'a>(&'a self, name: &'a str, args: &'a str) -> BoxFuture<'a, Result<String, String>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        async move {
            match name {
                slow if self.slow == Some(slow) => pending().await,
                "kv_get" if args.contains("forever") => pending().await,
                "kv_get" if args.contains("gate") => {
                    self.gate.acquire().await.unwrap().forget();
                    Ok("\"open\"".to_owned())
                }
                "kv_get" => Ok("\"value\"".to_owned()),
                _ => Err(format!("{name} is not here")),
            }
        }
        .boxed()
    }
}

/// Collects what plugins print.
#[derive(Debug, Default)]
pub(crate) struct Lines(Mutex<Vec<String>>);

impl Lines {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl LogSink for Lines {
    fn line(&self, _kind: OutputKind, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

/// A plugin whose answer to [`CallKind::Styles`] is what these lines return.
pub(crate) fn returning(lines: &str) -> String {
    let body = lines.trim().replace('\n', "\n    ");
    format!(
        "from service_plugin import plugin, service\n\n@plugin.on_page_styles\ndef run():\n    {body}\n"
    )
}

pub(crate) fn spec(source: &str, host: &Arc<FakeHost>, log: &Arc<Lines>) -> InstanceSpec {
    InstanceSpec {
        slug: "tried".into(),
        manifest: r#"{"name":"Tried","slug":"tried","version":"1.0.0","permissions":[]}"#
            .to_owned(),
        source: source.to_owned(),
        host: Arc::clone(host) as Arc<dyn HostCalls>,
        filter_host: None,
        log: Arc::clone(log) as Arc<dyn LogSink>,
        limits: InstanceLimits::default(),
        code: None,
        clock: None,
    }
}

pub(crate) async fn start(source: &str) -> Instance {
    let spec = spec(source, &FakeHost::new(), &Arc::default());
    engine().start(spec).await.unwrap().0
}

/// Runs the lines in an instance of their own and returns their result.
pub(crate) async fn run(lines: &str) -> Result<String, CallError> {
    run_within(lines, PATIENT).await
}

pub(crate) async fn run_within(lines: &str, budget: Budget) -> Result<String, CallError> {
    let mut instance = start(&returning(lines)).await;
    instance.call(CallKind::Styles, "", budget).await
}
