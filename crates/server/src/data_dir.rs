//! The data folder: private, and used by one server at a time.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};

/// There while a restore moves files; a folder with it is neither the old nor the new one.
pub(crate) const RESTORE_MARKER: &str = "restore-in-progress";
/// Where what plugins were compiled to is kept; no part of backups.
pub(crate) const PLUGIN_CODE: &str = "plugin-code";
/// Where recordings are stored; part of backups only if the operator says so.
pub(crate) const RECORDINGS: &str = "recordings";
/// When the last backup was made, or the restored one; no part of backups.
pub(crate) const BACKUP_NOTE: &str = "last-backup";
/// The key that seals secrets, unless it is said to lie elsewhere.
pub(crate) const SECRET_KEY: &str = "secret.key";
/// How often a folder that is in use is tried again, after [`LOCK_PAUSE`] each, before it is refused.
const LOCK_TRIES: u32 = 10;
/// See [`LOCK_TRIES`].
const LOCK_PAUSE: Duration = Duration::from_millis(30);

/// An open data folder; dropping it releases the lock.
#[derive(Debug)]
pub(crate) struct DataDir {
    path: PathBuf,
    lock: File,
}

/// Takes the lock, with retries. A child process that is just starting holds our open locks until it execs, so whoever
/// releases a folder and takes it again must not be refused for that.
fn lock_soon(lock: &File) -> Result<(), TryLockError> {
    for _ in 0..LOCK_TRIES {
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            settled => return settled,
        }
    }
    lock.try_lock()
}

impl DataDir {
    /// Creates the folder if needed and locks it.
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
        let marker = path.join(RESTORE_MARKER);
        match lock_soon(&lock) {
            Ok(()) if marker.try_exists()? => {
                let aside = std::fs::read_to_string(&marker).unwrap_or_default();
                bail!(
                    "a restore was interrupted in {shown}: what was there before is in {}; put those files back, or run \
                     the restore again after deleting {}",
                    aside.trim(),
                    marker.display()
                )
            }
            Ok(()) => Ok(Self {
                path: path.into(),
                lock,
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

    /// Writes the addresses this server listens on into the lock file, for `doctor`.
    pub(crate) fn note_addresses(&self, addresses: &[SocketAddr]) -> std::io::Result<()> {
        let text: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        self.lock.set_len(0)?;
        self.lock
            .write_all_at(format!("{}\n", text.join("\n")).as_bytes(), 0)
    }

    /// Where chat emoji are stored.
    pub(crate) fn emoji(&self) -> PathBuf {
        self.path.join("emoji")
    }

    /// Where plugin packages are stored.
    pub(crate) fn plugins(&self) -> PathBuf {
        self.path.join("plugins")
    }

    /// Where copies of approved packages are stored.
    pub(crate) fn plugin_approved(&self) -> PathBuf {
        self.path.join("plugin-approved")
    }

    /// Where plugins store their own files and databases.
    pub(crate) fn plugin_storage(&self) -> PathBuf {
        self.path().join("plugin-storage")
    }

    /// Where compiled plugin code is cached.
    pub(crate) fn plugin_code(&self) -> PathBuf {
        self.path().join(PLUGIN_CODE)
    }

    /// Where recordings are stored.
    pub(crate) fn recordings(&self) -> PathBuf {
        self.path.join(RECORDINGS)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the operator's public files are, if the operator created the folder.
    pub(crate) fn public(&self) -> PathBuf {
        self.path.join("public")
    }
}

/// Addresses of the server that runs on this folder; empty if there is none.
pub(crate) fn addresses_in_use(data_dir: &Path) -> Vec<SocketAddr> {
    let path = data_dir.join("lock");
    let lock = OpenOptions::new().write(true).open(&path);
    let is_locked = lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
    if !is_locked {
        return Vec::new();
    }
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

/// Path of the note about the last backup: the backup command writes it, and a running server reads it.
pub(crate) fn backup_note(data_dir: &Path) -> PathBuf {
    data_dir.join(BACKUP_NOTE)
}

/// Path of the key that seals secrets, also for commands that do not take the lock.
pub(crate) fn secret_key(data_dir: &Path) -> PathBuf {
    data_dir.join(SECRET_KEY)
}
