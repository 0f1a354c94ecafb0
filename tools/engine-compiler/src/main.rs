//! `engine-compiler TARGET COMPONENT RESULT`: machine code for the engine of plugins, made from source.
//!
//! The settings are those of `crates/plugins/src/engine/compiled.rs` that code depends on, and of
//! `scripts/engine_code.py`, whose result this one is compared with.

use std::fs;

use anyhow::Context;
use wasmtime::{Config, Engine};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, component, result] = arguments.as_slice() else {
        anyhow::bail!("usage: engine-compiler TARGET COMPONENT RESULT");
    };
    let mut config = Config::new();
    config
        .target(target)?
        .epoch_interruption(true)
        .native_unwind_info(false);
    let component = fs::read(component).with_context(|| format!("{component} cannot be read"))?;
    let code = Engine::new(&config)?.precompile_component(&component)?;
    fs::write(result, code).with_context(|| format!("{result} cannot be written"))
}
