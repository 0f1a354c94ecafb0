//! Embeds the plugin engine in the program: the file named by RILLCAST_ENGINE, which `scripts/engine.py deflated`
//! prints. Without that variable the program carries no engine, and `--plugin-engine` tells it where to find one.
#![expect(
    clippy::disallowed_methods,
    reason = "this is how cargo tells a build script something"
)]

use std::path::PathBuf;

const VARIABLE: &str = "RILLCAST_ENGINE";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(carries_engine)");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let Some(deflated) = std::env::var_os(VARIABLE).map(PathBuf::from) else {
        return;
    };
    let recorded = deflated.with_extension("sha256");
    let hash = std::fs::read_to_string(&recorded).unwrap_or_else(|error| {
        panic!(
            "{VARIABLE}: {} cannot be read: {error}; `python3 scripts/engine.py build` makes it",
            recorded.display()
        )
    });
    println!("cargo::rerun-if-changed={}", deflated.display());
    println!("cargo::rustc-env=RILLCAST_ENGINE_SHA256={}", hash.trim());
    println!("cargo::rustc-cfg=carries_engine");
}
