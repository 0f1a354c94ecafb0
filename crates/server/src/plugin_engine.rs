//! Where this program has the engine of plugins from.

use anyhow::Context;
use plugins::engine::{Cache, CacheError, Engine, EngineState, Source};
use tokio::sync::watch;

use crate::config::Config;

/// Keeps the compiled engine, inside the data folder, unless another place is given.
pub(crate) const FOLDER: &str = "engine";

/// A release carries the engine; a build of a developer or a test is told where it is.
#[cfg(feature = "embed-engine")]
const INSIDE: Option<&[u8]> = Some(include_bytes!(env!("RILLCAST_ENGINE")));
#[cfg(not(feature = "embed-engine"))]
const INSIDE: Option<&[u8]> = None;

/// The engine as it was built.
pub(crate) fn source(config: &Config) -> anyhow::Result<Source> {
    if let Some(file) = &config.plugin_engine {
        return Ok(Source::from_file(file)?);
    }
    let inside = INSIDE.context(
        "this build carries no plugin engine: `python3 scripts/engine.py build` makes one and prints its path, \
         which --plugin-engine takes",
    )?;
    Ok(Source::from_deflated(inside))
}

/// Where it is kept when it has been compiled.
pub(crate) fn cache(config: &Config) -> Result<Cache, CacheError> {
    Cache::open(&config.plugin_engine_cache)
}

/// The same for authors of plugins: where there is no data folder, all their projects share one place.
fn authors_cache(config: &Config) -> Result<Cache, CacheError> {
    let is_usual = config.plugin_engine_cache == config.data_dir.join(FOLDER);
    let has_data = config.data_dir.is_dir();
    match std::env::home_dir().filter(|_| is_usual && !has_data) {
        Some(home) => Cache::open(&home.join(".cache").join("rillcast").join(FOLDER)),
        None => cache(config),
    }
}

/// The engine for an author, who waits for it and is told when that takes longer.
pub(crate) fn for_author(config: &Config) -> anyhow::Result<Engine> {
    let (source, cache) = (source(config)?, authors_cache(config)?);
    let engine = Engine::open_for(&source, &cache, || {
        eprintln!(
            "rillcast: compiling the plugin engine, once for this machine and version; this takes up to a minute"
        );
    });
    Ok(engine?)
}

/// Has it ready without anybody waiting for it.
pub(crate) fn prepare(config: &Config) -> watch::Receiver<EngineState> {
    let (for_source, for_cache) = (config.clone(), config.clone());
    plugins::engine::prepare(
        move || source(&for_source).map_err(|error| format!("{error:#}")),
        move || cache(&for_cache).map_err(|error| error.to_string()),
    )
}
