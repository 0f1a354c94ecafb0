//! `rillcast plugin`: what authors of plugins need. `test` is here.

mod package;
mod serve;

use std::path::Path;
use std::process::ExitCode;

use plugins::engine::Engine;
use plugins::scenario::{Project, Runner};

pub use package::package_plugin;
pub use serve::serve_plugin;

use crate::config::Config;
use crate::plugin_engine;

/// There is nothing to work on.
const NO_PROJECT: u8 = 2;

/// Plays the tests of the project in `folder`, or only loads the plugin.
pub async fn test_plugin(
    config: &Config,
    folder: &Path,
    only_load: bool,
) -> anyhow::Result<ExitCode> {
    let project = match Project::open(folder, !only_load) {
        Ok(project) => project,
        Err(error) => {
            eprintln!("rillcast: {error}");
            return Ok(ExitCode::from(NO_PROJECT));
        }
    };
    let source = plugin_engine::source(config)?;
    let engine = Engine::open(&source, &plugin_engine::authors_cache(config)?)?;
    let scratch = std::env::temp_dir().join(format!("rillcast-plugin-{}", std::process::id()));
    let runner = Runner::new(engine, scratch);
    if only_load {
        return Ok(match runner.check_load(&project).await {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("{why}");
                ExitCode::FAILURE
            }
        });
    }
    let report = runner.run(&project).await;
    for line in &report.lines {
        println!("{line}");
    }
    Ok(match report.is_good() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
