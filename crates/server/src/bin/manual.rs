//! Writes the manual pages and shell completions of `rillcast`: `rillcast-manual FOLDER`.
//!
//! `deploy/dist.py` runs it when it builds a package. It is a separate program so that the server carries none of this.

use std::path::PathBuf;

use anyhow::Context;
use clap_complete::Shell;
use server::cli::command;

/// The shells that Debian has a folder for.
const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Fish, Shell::Zsh];

fn main() -> anyhow::Result<()> {
    let folder = std::env::args_os()
        .nth(1)
        .map(PathBuf::from)
        .context("usage: rillcast-manual FOLDER")?;
    let failed = || format!("cannot write to {}", folder.display());
    std::fs::create_dir_all(&folder).with_context(failed)?;
    for shell in SHELLS {
        clap_complete::generate_to(shell, &mut command(), "rillcast", &folder)
            .with_context(failed)?;
    }
    clap_mangen::generate_to(command(), &folder).with_context(failed)
}
