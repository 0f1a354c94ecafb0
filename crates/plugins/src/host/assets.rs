//! Files in the plugin's package.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;

use super::args;
use crate::host::plugin_host::Host;
use crate::package::Package;

/// Bytes of a file that is handed to a plugin. A larger one is refused before it is unpacked: on its way it is there as
/// text and as bytes, which is more than the plugin's memory holds.
pub const MAX_ASSET_BYTES: u64 = 16 * 1024 * 1024;

/// The plugin's folder `assets/`.
#[derive(Clone, Debug)]
pub enum Assets {
    /// The one in its package.
    Package(Arc<Package>),
    /// The author's own one; links in it are followed.
    Folder(PathBuf),
}

impl Assets {
    /// The size of a file in bytes, without unpacking it.
    fn size(&self, path: &str) -> Option<u64> {
        match self {
            Self::Package(package) => package.asset_size(path),
            Self::Folder(folder) => Some(std::fs::metadata(folder.join(path)).ok()?.len()),
        }
    }

    /// The bytes of a file; the path is relative, without `..`.
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        match self {
            Self::Package(package) => unpack(package, path),
            Self::Folder(folder) => std::fs::read(folder.join(path)).ok(),
        }
    }
}

fn unpack(package: &Package, path: &str) -> Option<Vec<u8>> {
    match package.asset(path) {
        Ok(bytes) => bytes.map(Vec::from),
        Err(error) => {
            let plugin = package.manifest().slug.as_str();
            model::stranger_line!(
                warn, "plugin_asset", about plugin, plugin, %error, path,
                "a file of a plugin's package cannot be read"
            );
            None
        }
    }
}

#[derive(Deserialize)]
struct PathArgs {
    #[serde(deserialize_with = "args::text")]
    path: String,
}

pub(super) async fn read(host: &Host, args: &str) -> Result<String, String> {
    let PathArgs { path } = args::read(args)?;
    let leaves = path.starts_with('/') || path.contains("..") || path.contains(['\\', '\0']);
    if leaves || path.is_empty() {
        return Ok(args::nothing());
    }
    let unreadable = "the file could not be read";
    let turn = Arc::clone(&host.unpacking).acquire_owned().await;
    let turn = turn.map_err(|_| unreadable)?;
    let assets = host.plugin.assets.clone();
    let asked = path.clone();
    // Reading may unpack, which is work that goes on even if nobody waits any more, so it keeps the permit.
    let reading = tokio::task::spawn_blocking(move || {
        let bytes = read_whole(&assets, &asked);
        drop(turn);
        bytes
    });
    let bytes = reading.await.map_err(|_| unreadable)?;
    if let Err(error) = &bytes
        && host.may_log_refusal()
    {
        // In Python it looks like a missing file.
        tracing::warn!(
            plugin = host.slug(),
            path,
            "a plugin's file was not read: {error}"
        );
    }
    let bytes = bytes?;
    args::answer(&bytes.map(|bytes| args::Bytes::new(&bytes)))
}

fn read_whole(assets: &Assets, path: &str) -> Result<Option<Vec<u8>>, String> {
    match assets.size(path) {
        Some(size) if size > MAX_ASSET_BYTES => Err(format!(
            "the file has {size} bytes, and a plugin can read {MAX_ASSET_BYTES} at most"
        )),
        _ => Ok(assets.read(path)),
    }
}
