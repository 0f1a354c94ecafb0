//! The engine.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use plugins::engine::{Engine, EngineSource};

/// The engine built by `scripts/engine.py`, mapped once for all tests.
pub(crate) fn engine() -> Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE
        .get_or_init(|| {
            let built = std::env::var_os("RILLCAST_TEST_ENGINE").unwrap_or_else(|| {
                panic!("these tests need the plugin engine: RILLCAST_TEST_ENGINE=$(python3 scripts/engine.py build) cargo test -p plugin-tools")
            });
            let source = EngineSource::File(PathBuf::from(built));
            Engine::open(&source, Path::new("unused")).unwrap()
        })
        .clone()
}
