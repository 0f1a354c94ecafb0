//! `rillcast engine compile`: machine code for the engine of plugins, ahead of the first start.

use crate::config::Config;
use crate::plugin_engine;

/// Compiles the engine unless that was done already, and prints the file.
pub fn compile_engine(config: &Config) -> anyhow::Result<()> {
    let source = plugin_engine::source(config)?;
    let file = plugin_engine::cache(config)?.compile(&source)?;
    println!("{}", file.display());
    Ok(())
}
