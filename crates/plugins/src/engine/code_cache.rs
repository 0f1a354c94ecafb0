//! Caches code compiled by Python for the next load of the same plugin: compiling is a third to a half of a load.
//!
//! Only the guest can interpret it, and only an instance of the plugin it belongs to gets it. To us it is text of
//! limited length under a seal, which says who wrote it, from which source and with which engine; with any other seal
//! it counts as absent.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use aws_lc_rs::digest;

use super::limits::KEPT_CODE;
use super::source::hexadecimal;

/// What the files' names end with.
const SUFFIX: &str = "code";
/// Another shape of the files gets another one.
const SHAPE: &[u8] = b"rillcast kept code 1";
/// Bytes of a seal and of the line's end behind it.
const SEAL: usize = 65;

/// Serializes writing and cleaning up: cleanup then never meets a half-written file.
type WriteLock = Arc<Mutex<()>>;

/// The folder with one file per plugin.
#[derive(Clone, Debug)]
pub struct CodeCache {
    folder: PathBuf,
    write_lock: WriteLock,
}

impl CodeCache {
    /// A cache in this folder, which is created on first use.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            write_lock: WriteLock::default(),
        }
    }

    /// The cache entry of one plugin.
    #[must_use]
    pub fn of(&self, slug: &str) -> CachedCode {
        CachedCode {
            file: self.folder.join(format!("{slug}.{SUFFIX}")),
            write_lock: Arc::clone(&self.write_lock),
        }
    }

    /// Deletes the cached code of all plugins but these. A file that cannot be deleted stays and does no harm.
    pub async fn retain(&self, slugs: BTreeSet<String>) {
        let Self { folder, write_lock } = self.clone();
        let work = move || {
            let _alone = write_lock.lock().unwrap_or_else(PoisonError::into_inner);
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let is_code = path.extension().is_some_and(|end| end == SUFFIX);
                let slug = path.file_stem().and_then(|stem| stem.to_str());
                // Other files are left over from an interrupted write.
                if !(is_code && slug.is_some_and(|slug| slugs.contains(slug))) {
                    drop(fs::remove_file(path));
                }
            }
        };
        drop(tokio::task::spawn_blocking(work).await);
    }
}

/// The cache entry of one plugin.
#[derive(Clone, Debug)]
pub struct CachedCode {
    file: PathBuf,
    write_lock: WriteLock,
}

/// The origin of cached code.
#[derive(Clone, Debug)]
pub(super) struct CodeOrigin {
    pub(super) engine: Arc<str>,
    pub(super) slug: Arc<str>,
    pub(super) source: Arc<str>,
}

impl CodeOrigin {
    fn seal(&self, code: &str) -> String {
        let mut hash = digest::Context::new(&digest::SHA256);
        let parts = [&self.engine, &self.slug, &self.source, code].map(str::as_bytes);
        for part in [SHAPE].into_iter().chain(parts) {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hexadecimal(hash.finish())
    }
}

impl CachedCode {
    /// The cached code, if it has this origin and is intact.
    pub(super) async fn read(&self, origin: &CodeOrigin) -> Option<String> {
        let (file, origin) = (self.file.clone(), origin.clone());
        let work = move || {
            let mut text = read(&file).ok()?;
            let (seal, code) = text.split_once('\n')?;
            let (is_ours, length) = (seal == origin.seal(code), code.len());
            is_ours.then(|| text.split_off(text.len() - length))
        };
        tokio::task::spawn_blocking(work).await.ok()?
    }

    /// Replaces the cached code, unless it is too large. A failure only makes the next load slower.
    pub(super) async fn write(&self, origin: &CodeOrigin, code: String) {
        if code.len() + SEAL > KEPT_CODE {
            return;
        }
        let (place, sealed) = (self.clone(), origin.clone());
        let work = move || {
            let text = format!("{}\n{code}", sealed.seal(&code));
            let _alone = place
                .write_lock
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            write(&place.file, text.as_bytes())
        };
        if let Ok(Err(error)) = tokio::task::spawn_blocking(work).await {
            tracing::warn!(plugin = %origin.slug, %error, "cannot keep a plugin's compiled code");
        }
    }

    /// Deletes the cached code.
    pub(super) async fn forget(&self) {
        // A file that remains is read again, and fails again.
        drop(tokio::fs::remove_file(&self.file).await);
    }
}

fn read(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    // One byte more than allowed shows that the file is too large.
    let mut file = fs::File::open(file)?.take(KEPT_CODE as u64 + 1);
    match file.read_to_string(&mut text)? > KEPT_CODE {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(text),
    }
}

/// Writes a temporary file and renames it. It is not synced to disk: what a power cut damages fails its seal.
fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
    }
    let beside = file.with_extension(format!("{SUFFIX}-unfinished"));
    let written = || {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        options.open(&beside)?.write_all(bytes)?;
        fs::rename(&beside, file)
    };
    written().inspect_err(|_| drop(fs::remove_file(&beside)))
}
