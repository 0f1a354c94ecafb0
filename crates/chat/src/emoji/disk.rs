//! Files of the store on disk: read within their limit, written completely or not at all.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::container;
use super::scan::MAX_FILE_BYTES;

/// An upload until it is complete. Only one is written at a time.
pub(super) const UNFINISHED: &str = ".upload.part";

/// Creates the folder, accessible to its owner only, if it is missing.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Creates missing nested folders and returns the innermost.
pub(super) fn make_pack(folder: &Path, packs: &[&str]) -> io::Result<PathBuf> {
    let mut folder = folder.to_owned();
    for pack in packs {
        let inner = folder.join(pack);
        match DirBuilder::new().mode(0o700).create(&inner) {
            Ok(()) => sync_folder(&folder)?,
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            // An existing entry has to be a real folder: a link could lead anywhere.
            Err(_) if !fs::symlink_metadata(&inner)?.is_dir() => {
                return Err(io::Error::other("the pack is not a folder"));
            }
            Err(_) => {}
        }
        folder = inner;
    }
    Ok(folder)
}

/// `None` if the file is gone or no longer a picture.
pub(super) fn read(file: &Path) -> Option<(Bytes, &'static str)> {
    if !fs::symlink_metadata(file).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let mut capped = File::open(file).ok()?.take(MAX_FILE_BYTES as u64 + 1);
    capped.read_to_end(&mut bytes).ok()?;
    if bytes.len() > MAX_FILE_BYTES {
        return None;
    }
    let content_type = container::sniff(&bytes)?.content_type();
    Some((bytes.into(), content_type))
}

/// Writes the file completely or not at all, even on a power cut. An existing file of that name is left alone.
pub(super) fn write(folder: &Path, file: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::symlink_metadata(file).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    remove_unfinished(folder)?;
    let unfinished = folder.join(UNFINISHED);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&unfinished)
        .and_then(|mut out| {
            out.write_all(bytes)?;
            out.sync_all()
        })
        .and_then(|()| fs::rename(&unfinished, file))
        .and_then(|()| sync_folder(folder));
    if written.is_err() {
        remove_unfinished(folder)?;
    }
    written
}

pub(super) fn remove_unfinished(folder: &Path) -> io::Result<()> {
    match fs::remove_file(folder.join(UNFINISHED)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
