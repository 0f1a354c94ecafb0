//! Has the engine ready without anybody waiting for it.

use std::sync::Arc;
use std::thread;

use tokio::sync::watch;

use super::cache::Cache;
use super::source::Source;
use super::start::Engine;

/// Compiling takes what everything else leaves over; so do the threads it starts.
const NICENESS: i32 = 10;
/// What the thread is called in the system's lists.
const THREAD_NAME: &str = "plugin-engine";

/// How far it is.
#[derive(Clone, Debug)]
pub enum EngineState {
    /// It is being mapped or compiled: plugins wait.
    Preparing,
    /// Plugins can start.
    Ready(Engine),
    /// There is none; the text says why.
    Failed(Arc<str>),
}

/// Maps the compiled engine, or compiles it first, in a thread of its own.
pub fn prepare(
    source: impl FnOnce() -> Result<Source, String> + Send + 'static,
    cache: impl FnOnce() -> Result<Cache, String> + Send + 'static,
) -> watch::Receiver<EngineState> {
    let (say, state) = watch::channel(EngineState::Preparing);
    let work = move || {
        if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
            tracing::warn!(%error, "the plugin engine is prepared at full priority");
        }
        let ready = source()
            .and_then(|source| Engine::open(&source, &cache()?).map_err(|error| error.to_string()));
        say.send_replace(match ready {
            Ok(engine) => EngineState::Ready(engine),
            Err(error) => {
                tracing::error!(%error, "plugins cannot run");
                EngineState::Failed(error.into())
            }
        });
    };
    if let Err(error) = thread::Builder::new()
        .name(THREAD_NAME.to_owned())
        .spawn(work)
    {
        tracing::error!(%error, "plugins cannot run: no thread to prepare their engine");
    }
    state
}
