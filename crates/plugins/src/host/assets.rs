//! Files the plugin brought along.

use std::fmt::Debug;

use serde::Deserialize;

use super::args;
use crate::host::desk::Host;
use crate::package::Package;

/// The plugin's folder `assets/`.
pub trait Assets: Send + Sync + Debug {
    /// The bytes of a file; the path is relative, without `..`.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
}

impl Assets for Package {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        match self.asset(path) {
            Ok(bytes) => bytes.map(Vec::from),
            Err(error) => {
                tracing::warn!(%error, path, "a file of a plugin's package cannot be read");
                None
            }
        }
    }
}

#[derive(Deserialize)]
struct Path {
    #[serde(deserialize_with = "args::text")]
    path: String,
}

pub(super) async fn read(host: &Host, args: &str) -> Result<String, String> {
    let Path { path } = args::read(args)?;
    let leaves = path.starts_with('/') || path.contains("..") || path.contains(['\\', '\0']);
    if leaves || path.is_empty() {
        return Ok(args::nothing());
    }
    let assets = std::sync::Arc::clone(&host.plugin.assets);
    // Reading may unpack, which is work.
    let bytes = tokio::task::spawn_blocking(move || assets.read(&path))
        .await
        .map_err(|_| "the file could not be read")?;
    args::answer(&bytes.map(|bytes| args::Bytes::new(&bytes)))
}
