//! Opens the engine without anybody waiting for it.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::watch;

use super::source::EngineSource;
use super::start::Engine;

/// How far it is.
#[derive(Clone, Debug)]
pub enum EngineState {
    /// It is being unpacked or mapped, which takes less than a second: plugins wait.
    Opening,
    /// Plugins can start.
    Ready(Engine),
    /// There is none; the text says why.
    Failed(Arc<str>),
}

/// Opens the engine in a thread of its own; `folder` is where it is unpacked.
pub fn open_engine(
    source: impl FnOnce() -> Result<EngineSource, String> + Send + 'static,
    folder: PathBuf,
) -> watch::Receiver<EngineState> {
    let (sender, state) = watch::channel(EngineState::Opening);
    tokio::task::spawn_blocking(move || {
        let opened = source()
            .and_then(|source| Engine::open(&source, &folder).map_err(|error| error.to_string()));
        sender.send_replace(match opened {
            Ok(engine) => EngineState::Ready(engine),
            Err(error) => {
                tracing::error!(%error, "plugins cannot run");
                EngineState::Failed(error.into())
            }
        });
    });
    state
}
