//! `rillcast plugin package`: turns a plugin's folder into the file that servers install.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use plugin_tools::dev_server::{PackError, pack};

use super::NO_PROJECT;
use super::serve::dev_server;
use crate::commands::backup::with_suffix;
use crate::config::Config;

/// Packs the project in `folder`, checks that it loads, and writes the package beside it.
pub async fn package_plugin(config: &Config, folder: &Path) -> anyhow::Result<ExitCode> {
    let packed = match pack(folder) {
        Ok(packed) => packed,
        Err(error) => {
            eprintln!("rillcast: {error}");
            return Ok(match error {
                PackError::Project(_) => ExitCode::from(NO_PROJECT),
                _ => ExitCode::FAILURE,
            });
        }
    };
    for remark in &packed.remarks {
        eprintln!("warning: {remark}");
    }
    // Files written by module-level code land here and are deleted with the folder.
    let scratch = std::env::temp_dir().join(format!("rillcast-package-{}", std::process::id()));
    let dev_server = dev_server(config, scratch.clone())?;
    let checked = dev_server.check(&packed.package).await;
    fs::remove_dir_all(&scratch).ok();
    if let Err(why) = checked {
        eprintln!("rillcast: the plugin does not load and was not packaged: {why}");
        return Ok(ExitCode::FAILURE);
    }
    let name = format!("{}.ocpkg", packed.package.manifest().slug);
    let target = folder.join(&name);
    let unfinished = with_suffix(&target, ".unfinished");
    fs::write(&unfinished, &packed.bytes)
        .and_then(|()| fs::rename(&unfinished, &target))
        .with_context(|| format!("cannot write {}", target.display()))?;
    let kilobytes = packed.bytes.len() as f64 / 1024.0;
    let files = match packed.files {
        1 => "1 file".to_owned(),
        many => format!("{many} files"),
    };
    println!("packaged {name}: {kilobytes:.1} KB, {files}");
    Ok(ExitCode::SUCCESS)
}
