//! Where this program gets the plugin engine from.

use std::path::PathBuf;

use anyhow::Context;
use plugins::engine::{EmbeddedEngine, Engine, EngineSource, EngineState};
use tokio::sync::watch;

use crate::config::{Config, PLUGIN_ENGINE_FOLDER};

/// What `make` builds carries the engine; a program that cargo built alone is told where it is.
#[cfg(carries_engine)]
const CARRIED: Option<EmbeddedEngine> = Some(EmbeddedEngine {
    deflated: include_bytes!(env!("RILLCAST_ENGINE")),
    sha256: env!("RILLCAST_ENGINE_SHA256"),
});
#[cfg(not(carries_engine))]
const CARRIED: Option<EmbeddedEngine> = None;

fn source(config: &Config) -> anyhow::Result<EngineSource> {
    if let Some(file) = &config.plugin_engine {
        return Ok(EngineSource::File(file.clone()));
    }
    let carried = CARRIED.context(
        "this build carries no plugin engine: `python3 scripts/engine.py build` makes one and prints its path, \
         which --plugin-engine takes",
    )?;
    Ok(EngineSource::Embedded(carried))
}

/// The cache folder for plugin authors, who have no data folder: all their projects share it.
fn authors_folder(config: &Config) -> PathBuf {
    let is_usual = config.plugin_engine_cache == config.data_dir.join(PLUGIN_ENGINE_FOLDER);
    let has_data = config.data_dir.is_dir();
    match users_cache().filter(|_| is_usual && !has_data) {
        Some(cache) => cache.join("rillcast").join(PLUGIN_ENGINE_FOLDER),
        None => config.plugin_engine_cache.clone(),
    }
}

/// The user's cache folder.
#[expect(
    clippy::disallowed_methods,
    reason = "it is the system's variable and no setting of ours"
)]
fn users_cache() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let named = named.filter(|folder| folder.is_absolute());
    named.or_else(|| Some(std::env::home_dir()?.join(".cache")))
}

/// Opens the engine for an author and waits for it.
pub(crate) fn for_author(config: &Config) -> anyhow::Result<Engine> {
    Ok(Engine::open(&source(config)?, &authors_folder(config))?)
}

/// Opens it in the background.
pub(crate) fn open(config: &Config) -> watch::Receiver<EngineState> {
    let (config, folder) = (config.clone(), config.plugin_engine_cache.clone());
    let source = move || source(&config).map_err(|error| format!("{error:#}"));
    plugins::engine::open_engine(source, folder)
}
