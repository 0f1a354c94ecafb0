//! The engine's machine code and how it is mapped. `scripts/engine_code.py` compiles it.

use std::io;
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

/// The only wasmtime configuration used here; code compiled with other settings is rejected.
pub(super) fn engine() -> Result<Engine, EngineError> {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .max_wasm_stack(GUEST_STACK)
        .async_stack_size(WHOLE_STACK)
        // A trap is logged with its message; frames inside Python's own C code help nobody.
        .generate_address_map(false)
        .wasm_backtrace_max_frames(None);
    Engine::new(&config).map_err(|error| EngineError::new("set up", format!("{error:#}")))
}

/// Maps machine code from a file that [`super::EngineSource`] has checked.
#[expect(
    unsafe_code,
    reason = "mapping machine code is the one thing here that only a promise can make safe"
)]
pub(super) fn map(engine: &Engine, file: &Path) -> Result<Component, EngineError> {
    // SAFETY: the file must be output of wasmtime's compiler. Either its whole content has the hash embedded in this
    // program, which was built with it, or the operator named it and nobody else may write to it. wasmtime itself
    // checks version, settings and processor.
    let mapped = unsafe { Component::deserialize_file(engine, file) };
    mapped.map_err(|error| {
        let cause = format!("{error:#}");
        let is_refused = error
            .chain()
            .filter_map(|cause| cause.downcast_ref::<io::Error>())
            .any(|cause| cause.kind() == io::ErrorKind::PermissionDenied);
        match is_refused {
            true => EngineError::new(
                "mapped",
                format!(
                    "{cause}. The system runs no code from there (a file system mounted noexec?): \
                     --plugin-engine-cache names another folder for it"
                ),
            ),
            false => EngineError::new("mapped", cause),
        }
    })
}
