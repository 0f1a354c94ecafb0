//! The package folder: detects changes, and installs files atomically. Everything here blocks.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::manifest::Slug;
use crate::package::{Package, PackageError};

/// Limit (operators): packages in the plugins folder; further ones are ignored, and the log says so.
pub const MAX_PLUGINS: usize = 500;

/// What a file's name ends with to be a package.
pub const SUFFIX: &str = "ocpkg";

/// Files that were not finished when the server stopped end with this; no scan takes them for packages.
const UNFINISHED: &str = "unfinished";

/// Detects whether a file has changed, without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileStamp {
    size: u64,
    inode: u64,
    changed: (i64, i64),
}

/// A new or changed file in the folder.
#[derive(Debug)]
pub(super) struct ChangedFile {
    pub(super) path: PathBuf,
    pub(super) stamp: FileStamp,
    pub(super) package: Result<Arc<Package>, PackageError>,
}

/// The result of scanning the folder.
#[derive(Debug)]
pub(super) struct FolderScan {
    /// All files, sorted by name.
    pub(super) present: Vec<PathBuf>,
    /// New or changed files, opened.
    pub(super) changed: Vec<ChangedFile>,
    /// Files beyond the limit.
    pub(super) left_out: usize,
}

/// Creates the folder and removes what an interrupted installation left there.
pub(super) fn prepare(folder: &Path) -> io::Result<()> {
    make(folder)?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new(UNFINISHED)) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Creates a folder that nobody else can read, and syncs it to disk before anything in it.
pub(super) fn make(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    sync_folder(folder)
}

/// Looks for packages, and opens those whose stamp is new.
pub(super) fn scan(folder: &Path, known: &BTreeMap<PathBuf, FileStamp>) -> io::Result<FolderScan> {
    let mut present = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new(SUFFIX)) {
            present.push(path);
        }
    }
    present.sort();
    let left_out = present.len().saturating_sub(MAX_PLUGINS);
    present.truncate(MAX_PLUGINS);
    let mut changed = Vec::new();
    for path in &present {
        // A file that has just vanished will be missing from the next scan.
        let Ok(stamp) = stamp(path) else { continue };
        if known.get(path) != Some(&stamp) {
            changed.push(ChangedFile {
                path: path.clone(),
                stamp,
                package: Package::open(path).map(Arc::new),
            });
        }
    }
    Ok(FolderScan {
        present,
        changed,
        left_out,
    })
}

fn stamp(path: &Path) -> io::Result<FileStamp> {
    let facts = fs::metadata(path)?;
    Ok(FileStamp {
        size: facts.len(),
        inode: facts.ino(),
        changed: (facts.mtime(), facts.mtime_nsec()),
    })
}

/// The file a plugin is installed to: never the name of the upload.
pub(super) fn place(folder: &Path, slug: &Slug) -> PathBuf {
    folder.join(format!("{slug}.{SUFFIX}"))
}

/// Installs a package: written to a temporary file, synced to disk, then renamed. `check` sees the file before that.
pub(super) fn install<E: From<io::Error>>(
    target: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
    check: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let unfinished = target.with_extension(UNFINISHED);
    let put = || {
        write_whole(&unfinished, write)?;
        check(&unfinished)?;
        Ok(fs::rename(&unfinished, target)?)
    };
    if let Err(error) = put() {
        // A partly written file must not fill the disk.
        drop(fs::remove_file(&unfinished));
        return Err(error);
    }
    Ok(sync_folder(target)?)
}

fn write_whole(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // A pipe or a device of this name would be written to or block.
    remove(path)?;
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    write(&mut file)?;
    file.sync_all()
}

/// Deletes a package; a missing one is no error.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(()) => sync_folder(path),
    }
}

fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent()
        .map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}
