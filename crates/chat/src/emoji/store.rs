//! The store: an index in memory, kept in step with the folder.
//!
//! [`EmojiStore::list`] and [`EmojiStore::find`] only read memory and can be called anywhere. Everything else
//! reads or writes files and belongs off the runtime.

mod index;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};
use std::time::{Duration, SystemTime};
use std::{fs, io};

use bytes::Bytes;
use model::Clock;

use super::limits::PictureError;
use super::picture;
use super::scan::{self, MAX_DEPTH, MAX_FILES, SkippedFile};
use super::{Emoji, builtin, disk, name};
use crate::render::EmojiNames;
use index::{EmojiSource, Index};

/// How often the folder is looked at; asking more often costs nothing.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Why an emoji was not added or removed; the texts are for the operator.
#[derive(Debug, thiserror::Error)]
pub enum EmojiError {
    #[error(
        "an emoji's name is 1 to {} characters from A-Z a-z 0-9 _ -, with or without .png, .gif, .jpg, .jpeg or .webp",
        name::MAX_NAME_CHARS
    )]
    Name,
    #[error(
        "a pack's name is 1 to {} characters from A-Z a-z 0-9 _ -",
        name::MAX_NAME_CHARS
    )]
    Pack,
    /// An emoji of that name exists, in any case and pack.
    #[error("there is already an emoji with this name: {0}")]
    Taken(String),
    #[error("there are already {MAX_FILES} emoji, which is the limit; remove some first")]
    Full,
    #[error(transparent)]
    Picture(#[from] PictureError),
    #[error("there is no such emoji")]
    Unknown,
    #[error(
        "this emoji is part of the server and cannot be removed; upload one with the same name to hide it"
    )]
    BuiltIn,
    #[error("the emoji folder could not be used: {0}")]
    Disk(#[from] io::Error),
}

/// A picture as it is served.
#[derive(Clone, Debug)]
pub struct EmojiFile {
    pub bytes: Bytes,
    /// Detected from the content, never from the name. SVG only for the built-in drawings.
    pub content_type: &'static str,
    /// An entity tag, quotes included.
    pub etag: String,
}

/// Another place that has the operator's pictures too. It gets each change first, and one it refuses is not made.
///
/// Both may wait for a network.
pub trait EmojiMirror: std::fmt::Debug + Send + Sync {
    /// Writes the picture at an [`Emoji::path`].
    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()>;
    /// Removes it. One that is not there is as good as removed.
    fn remove(&self, path: &str) -> io::Result<()>;
}

/// All emoji: the built-in ones and those in the operator's folder.
#[derive(Debug)]
pub struct EmojiStore {
    folder: PathBuf,
    mirror: Option<Arc<dyn EmojiMirror>>,
    clock: Arc<dyn Clock>,
    /// Replaced as a whole and locked only for a moment, never while files are read.
    index: RwLock<Arc<Index>>,
    /// Locked while scanning, adding or removing.
    scan_state: Mutex<ScanState>,
}

#[derive(Debug)]
struct ScanState {
    looked_at: Duration,
    folders: Vec<(PathBuf, SystemTime)>,
    /// A second change within one tick of the file system's clock leaves the same time, so a scan that found a change
    /// is repeated once.
    is_settled: bool,
    /// The last scan failed and was reported; further failures are not reported.
    is_broken: bool,
}

impl EmojiNames for EmojiStore {
    fn find(&self, name: &str) -> Option<String> {
        self.index().url(name)
    }
}

impl EmojiStore {
    /// Opens the folder, and creates it for the owner only if it is missing.
    pub fn open(folder: PathBuf, clock: Arc<dyn Clock>) -> io::Result<Self> {
        disk::make_folder(&folder)?;
        let found = scan::scan(&folder)?;
        for (pack, _) in &found.folders {
            disk::remove_unfinished(pack)?;
        }
        let scan_state = ScanState {
            looked_at: clock.uptime(),
            folders: found.folders.clone(),
            is_settled: false,
            is_broken: false,
        };
        let index = Index::new(&folder, found);
        index.complain();
        Ok(Self {
            folder,
            mirror: None,
            clock,
            index: RwLock::new(Arc::new(index)),
            scan_state: Mutex::new(scan_state),
        })
    }

    /// Writes what is added and removed to another place first.
    #[must_use]
    pub fn mirrored_to(mut self, mirror: Arc<dyn EmojiMirror>) -> Self {
        self.mirror = Some(mirror);
        self
    }

    /// Picks up files that were added or removed by hand. Scans at most once a second and never waits for another scan.
    pub fn refresh(&self) {
        let mut scan_state = match self.scan_state.try_lock() {
            Ok(scan_state) => scan_state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let now = self.clock.uptime();
        if now < scan_state.looked_at + LOOK_INTERVAL {
            return;
        }
        scan_state.looked_at = now;
        let has_changed = scan::has_changed(&scan_state.folders);
        if !has_changed && scan_state.is_settled {
            return;
        }
        let outcome = self.rescan(&mut scan_state);
        scan_state.is_settled = !has_changed && outcome.is_ok();
        if let Err(error) = &outcome
            && !scan_state.is_broken
        {
            tracing::warn!(%error, "cannot read the emoji folder; the emoji stay as they were");
        }
        scan_state.is_broken = outcome.is_err();
    }

    /// All emoji: the operator's own first, then the built-in ones they do not hide.
    #[must_use]
    pub fn list(&self) -> Arc<[Emoji]> {
        Arc::clone(&self.index().emoji)
    }

    /// Entries in the folder that are not emoji, with the reasons.
    #[must_use]
    pub fn skipped(&self) -> Vec<SkippedFile> {
        self.index().skipped.clone()
    }

    /// The picture at an [`Emoji::path`].
    #[must_use]
    pub fn read(&self, path: &str) -> Option<EmojiFile> {
        self.refresh();
        let index = self.index();
        let (bytes, content_type) = match index.sources.get(path)? {
            EmojiSource::BuiltIn(bytes) => (Bytes::from_static(bytes), builtin::CONTENT_TYPE),
            EmojiSource::File(file) => disk::read(file)?,
        };
        let etag = etag(&bytes);
        Some(EmojiFile {
            bytes,
            content_type,
            etag,
        })
    }

    /// Checks a picture, re-encodes it and stores it. The file extension follows from the picture.
    pub fn add(&self, pack: Option<&str>, name: &str, bytes: &[u8]) -> Result<Emoji, EmojiError> {
        let name = name::of_upload(name).ok_or(EmojiError::Name)?;
        let packs = match pack.filter(|pack| !pack.is_empty()) {
            Some(pack) => name::of_pack(pack, MAX_DEPTH).ok_or(EmojiError::Pack)?,
            None => Vec::new(),
        };
        // One at a time: a second upload of the same name fails, and the decoder's memory is used once.
        let mut scan_state = self.lock_scan_state();
        self.rescan(&mut scan_state)?;
        let index = self.index();
        if let Some(taken) = index.own(name) {
            return Err(EmojiError::Taken(taken.path.clone()));
        }
        if index.files >= MAX_FILES {
            return Err(EmojiError::Full);
        }
        let picture = picture::reencode(bytes)?;
        let folder = disk::make_pack(&self.folder, &packs)?;
        let file = format!("{name}.{}", picture.ending);
        if let Some(mirror) = &self.mirror
            && fs::symlink_metadata(folder.join(&file)).is_err()
        {
            let path = [&packs[..], &[file.as_str()]].concat().join("/");
            mirror.write(&path, &picture.bytes)?;
        }
        match disk::write(&folder, &folder.join(&file), &picture.bytes) {
            // Something that is not an emoji, such as a link or an empty file.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(EmojiError::Taken(file));
            }
            outcome => outcome?,
        }
        self.rescan(&mut scan_state)?;
        // Missing only if it was just removed by hand, or if the folder limit is reached.
        let index = self.index();
        index.own(name).cloned().ok_or(EmojiError::Unknown)
    }

    /// Removes the emoji at an [`Emoji::path`].
    pub fn remove(&self, path: &str) -> Result<(), EmojiError> {
        let mut scan_state = self.lock_scan_state();
        self.rescan(&mut scan_state)?;
        let index = self.index();
        let file = match index.sources.get(path) {
            None => return Err(EmojiError::Unknown),
            Some(EmojiSource::BuiltIn(_)) => return Err(EmojiError::BuiltIn),
            Some(EmojiSource::File(file)) => file,
        };
        if let Some(mirror) = &self.mirror {
            mirror.remove(path)?;
        }
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        disk::sync_folder(file.parent().unwrap_or(&self.folder))?;
        self.rescan(&mut scan_state)?;
        Ok(())
    }

    fn index(&self) -> Arc<Index> {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&index)
    }

    fn lock_scan_state(&self) -> MutexGuard<'_, ScanState> {
        self.scan_state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn rescan(&self, scan_state: &mut ScanState) -> io::Result<()> {
        let found = scan::scan(&self.folder)?;
        scan_state.folders.clone_from(&found.folders);
        scan_state.is_settled = false;
        let index = Index::new(&self.folder, found);
        if index.skipped != self.index().skipped {
            index.complain();
        }
        *self.index.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(index);
        Ok(())
    }
}

/// FNV-1a: tells contents apart; a collision gains nobody anything.
fn etag(bytes: &[u8]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("\"{hash:016x}{:x}\"", bytes.len())
}

#[cfg(test)]
mod tests;
