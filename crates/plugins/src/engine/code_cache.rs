//! Code that Python has compiled, kept for the next load of the same plugin: compiling is a third to a half of a load.
//!
//! Only the guest can read it, and only an instance of the plugin whose code it is gets to see it. To us it is text of a
//! limited length under a seal, which says who wrote it, from which source and by which engine; under any other seal it
//! is as if nothing had been kept.

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

/// One at a time writes into the folder or clears it up: half a file is nobody's work in progress then.
type WriteLock = Arc<Mutex<()>>;

/// The folder with a file for each plugin.
#[derive(Clone, Debug)]
pub struct CodeCache {
    folder: PathBuf,
    write_lock: WriteLock,
}

impl CodeCache {
    /// A folder; it is made when something is kept.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            write_lock: WriteLock::default(),
        }
    }

    /// The place of one plugin.
    #[must_use]
    pub fn of(&self, slug: &str) -> CachedCode {
        CachedCode {
            file: self.folder.join(format!("{slug}.{SUFFIX}")),
            write_lock: Arc::clone(&self.write_lock),
        }
    }

    /// Forgets what is kept for everybody but these. What cannot be deleted stays, and harms nobody.
    pub async fn retain(&self, slugs: BTreeSet<String>) {
        let Self { folder, write_lock } = self.clone();
        let work = move || {
            let _alone = write_lock.lock().unwrap_or_else(PoisonError::into_inner);
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let is_code = path.extension().is_some_and(|end| end == SUFFIX);
                let slug = path.file_stem().and_then(|stem| stem.to_str());
                // Others are what an interrupted writing left.
                if !(is_code && slug.is_some_and(|slug| slugs.contains(slug))) {
                    drop(fs::remove_file(path));
                }
            }
        };
        drop(tokio::task::spawn_blocking(work).await);
    }
}

/// Where the code of one plugin is kept.
#[derive(Clone, Debug)]
pub struct CachedCode {
    file: PathBuf,
    write_lock: WriteLock,
}

/// Whose code it is.
#[derive(Clone, Debug)]
pub(super) struct CodeOrigin {
    /// The hash of the engine.
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
    /// What is kept, if it is of this origin and whole.
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

    /// Keeps code in place of what was kept, if it is not too much. A failure costs the next load some time.
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
            tracing::warn!(plugin = %origin.slug, %error, "a plugin's compiled code could not be kept");
        }
    }

    /// Keeps nothing any more.
    pub(super) async fn forget(&self) {
        // What stays is read again, and fails again.
        drop(tokio::fs::remove_file(&self.file).await);
    }
}

fn read(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    // One more than allowed shows that there is more.
    let mut file = fs::File::open(file)?.take(KEPT_CODE as u64 + 1);
    match file.read_to_string(&mut text)? > KEPT_CODE {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(text),
    }
}

/// Written beside and renamed. It is not brought to the disk: what a power cut leaves of it has lost its seal.
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
