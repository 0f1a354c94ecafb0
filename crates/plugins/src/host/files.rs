//! The plugin's private folder.

mod folder;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;

use super::args;
use crate::host::plugin_host::Host;

pub(super) use folder::{Folder, FolderQuota, MAX_FILE_BYTES};

/// The plugin's files; the folder is created on the first write.
#[derive(Debug)]
pub(super) struct Files {
    /// Calls of one plugin are sequential; the lock is for the usage counter inside.
    folder: Arc<Mutex<Folder>>,
}

impl Files {
    pub(super) fn new(root: PathBuf) -> Self {
        Self {
            folder: Arc::new(Mutex::new(Folder::new(root, FolderQuota::FILES))),
        }
    }

    /// Disks are slow; nobody else waits for them.
    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Folder) -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        let folder = Arc::clone(&self.folder);
        let worked = tokio::task::spawn_blocking(move || {
            work(&mut folder.lock().unwrap_or_else(PoisonError::into_inner))
        });
        worked
            .await
            .unwrap_or_else(|_| Err("the files could not be reached".into()))
    }
}

#[derive(Deserialize)]
struct PathArgs {
    #[serde(deserialize_with = "args::text")]
    path: String,
}

#[derive(Deserialize)]
struct DirArgs {
    #[serde(default, alias = "path", deserialize_with = "args::maybe_text")]
    dir: Option<String>,
}

#[derive(Deserialize)]
struct WriteArgs {
    #[serde(deserialize_with = "args::text")]
    path: String,
    #[serde(rename = "base64", deserialize_with = "args::bytes")]
    bytes: Vec<u8>,
}

pub(super) async fn read(host: &Host, args: &str) -> Result<String, String> {
    let PathArgs { path } = args::read(args)?;
    let bytes = host.files.with(move |folder| folder.read(&path)).await?;
    args::answer(&bytes.map(|bytes| args::Bytes::new(&bytes)))
}

pub(super) async fn write(host: &Host, args: &str) -> Result<String, String> {
    let WriteArgs { path, bytes } = args::read(args)?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(format!("a file can have at most {MAX_FILE_BYTES} bytes"));
    }
    host.files
        .with(move |folder| folder.write(&path, &bytes))
        .await?;
    Ok(args::done())
}

pub(super) async fn list(host: &Host, args: &str) -> Result<String, String> {
    let DirArgs { dir } = args::read(args)?;
    let dir = dir.unwrap_or_default();
    args::answer(&host.files.with(move |folder| folder.list(&dir)).await?)
}

pub(super) async fn delete(host: &Host, args: &str) -> Result<String, String> {
    let PathArgs { path } = args::read(args)?;
    host.files.with(move |folder| folder.delete(&path)).await?;
    Ok(args::done())
}

pub(super) async fn exists(host: &Host, args: &str) -> Result<String, String> {
    let PathArgs { path } = args::read(args)?;
    args::answer(&host.files.with(move |folder| folder.exists(&path)).await?)
}
