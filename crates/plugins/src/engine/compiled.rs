//! Machine code made from the component: how it is compiled, and how it is mapped.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use wasmtime::component::Component;
use wasmtime::{Config, Engine};

/// Stack of a guest. Python itself stops recursion long before; what gets past it is a trap.
const GUEST_STACK: usize = 2 * 1024 * 1024;
/// With room for host calls on top.
const WHOLE_STACK: usize = 4 * 1024 * 1024;

/// The engine cannot run.
#[derive(Debug, thiserror::Error)]
#[error("the plugin engine cannot be {what}: {cause}")]
pub struct EngineError {
    what: &'static str,
    cause: String,
}

impl EngineError {
    pub(super) fn new(what: &'static str, cause: impl std::fmt::Display) -> Self {
        Self {
            what,
            cause: cause.to_string(),
        }
    }
}

/// The one way wasmtime is set up here; compiled code fits only the same settings.
pub(super) fn engine() -> Result<Engine, EngineError> {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .max_wasm_stack(GUEST_STACK)
        .async_stack_size(WHOLE_STACK)
        // What a plugin's trap says is logged; frames inside Python's own C code tell nobody anything.
        .generate_address_map(false)
        .wasm_backtrace_max_frames(None);
    Engine::new(&config).map_err(|error| EngineError::new("set up", format!("{error:#}")))
}

/// Tells settings, wasmtime and processors apart: code that was compiled for one does not run on another.
pub(super) fn fingerprint(engine: &Engine) -> u64 {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    hasher.finish()
}

/// Takes half a minute of processor time.
pub(super) fn compile(engine: &Engine, component: &[u8]) -> Result<Vec<u8>, EngineError> {
    engine
        .precompile_component(component)
        .map_err(|error| EngineError::new("compiled", format!("{error:#}")))
}

/// Maps compiled code from a file that [`super::Cache`] has vouched for.
#[expect(
    unsafe_code,
    reason = "mapping compiled code is the one thing here that only a promise can make safe"
)]
pub(super) fn map(engine: &Engine, file: &Path) -> Result<Component, EngineError> {
    // SAFETY: the file must be what `precompile_component` wrote. The cache wrote it, in a folder and a file that only
    // our user may write to, checked that at this start, and compared the whole file with the hash that was recorded
    // when it was written. wasmtime itself checks that version, settings and processor fit.
    let mapped = unsafe { Component::deserialize_file(engine, file) };
    mapped.map_err(|error| EngineError::new("mapped", format!("{error:#}")))
}
