//! The data folder: private, and used by one server at a time.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// An open data folder; the lock goes with it.
#[derive(Debug)]
pub(crate) struct DataDir {
    path: PathBuf,
    _lock: File,
}

impl DataDir {
    /// Makes the folder if need be and locks it.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .with_context(|| format!("cannot create the data folder {shown}"))?;
        let lock_file = path.join("lock");
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&lock_file)
            .with_context(|| {
                format!("cannot write to the data folder {shown}: check its owner and permissions")
            })?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.into(),
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => {
                bail!(
                    "the data folder {shown} is in use by another rillcast; stop that one or choose another --data-dir"
                )
            }
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("cannot lock {}", lock_file.display()))
            }
        }
    }

    /// The key that seals secrets.
    pub(crate) fn secret_key(&self) -> PathBuf {
        secret_key(&self.path)
    }
}

/// Is a server working in this folder right now?
pub(crate) fn is_in_use(data_dir: &Path) -> bool {
    let lock = OpenOptions::new().write(true).open(data_dir.join("lock"));
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Where the key that seals secrets is, also for commands that do not take the lock.
pub(crate) fn secret_key(data_dir: &Path) -> PathBuf {
    data_dir.join("secret.key")
}
