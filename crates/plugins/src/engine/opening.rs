//! Opens the engine in the background.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::watch;

use super::source::EngineSource;
use super::start::Engine;

/// The progress of opening.
#[derive(Clone, Debug)]
pub enum EngineState {
    /// The engine is being unpacked or mapped, which takes less than a second: plugins wait.
    Opening,
    /// Plugins can start.
    Ready(Engine),
    /// There is no engine; the text says why.
    Failed(Arc<str>),
}

/// Opens the engine in its own thread; `folder` is where it is unpacked.
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
