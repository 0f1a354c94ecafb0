//! The folders that are shared, as they are on this machine. All but [`blocking`] waits for the disk.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use blobs::MAX_BLOB_BYTES;

use super::ledger::FileMark;

/// Before the names of all files in the bucket.
pub(super) const SHARED: &str = "shared";
/// The folders, below the data folder here and below [`SHARED`] there.
const FOLDERS: [&str; 4] = ["emoji", "public", "plugins", "plugin-approved"];
/// Files in all folders together.
/// Protects memory, and a bucket against a folder that is linked into the wrong place; lists have 1,000 names a page.
pub(super) const MAX_FILES: usize = 20_000;
/// Folders inside each other.
const MAX_DEPTH: usize = 16;
/// A file until it is complete. Hidden ones are not shared.
const UNFINISHED: &str = ".shared.part";
/// What names of packages end with while they are installed.
const UNFINISHED_PACKAGE: &str = ".unfinished";

/// What is on this machine.
#[derive(Debug, Default)]
pub(super) struct FolderContents {
    pub(super) files: BTreeMap<String, FileMark>,
    /// Files that are too large or have names that are not shared; they are left alone on both sides.
    pub(super) left_alone: Vec<String>,
    /// Beginnings of the names of files in folders that are not there.
    pub(super) absent: Vec<String>,
}

/// Looks at every file, without reading any. Links are not followed, except that each folder itself may be one.
pub(super) fn scan(data: &Path) -> io::Result<FolderContents> {
    let mut found = FolderContents::default();
    for folder in FOLDERS {
        let key = format!("{SHARED}/{folder}");
        match fs::read_dir(data.join(folder)) {
            Ok(entries) => walk(entries, &key, 1, &mut found)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                found.absent.push(format!("{key}/"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

fn walk(
    entries: fs::ReadDir,
    folder: &str,
    depth: usize,
    found: &mut FolderContents,
) -> io::Result<()> {
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || name.ends_with(UNFINISHED_PACKAGE) {
            continue;
        }
        let key = format!("{folder}/{name}");
        let kind = entry.file_type()?;
        if !is_name(&name) || entry.file_name().to_str().is_none() {
            found.left_alone.push(key);
        } else if kind.is_dir() && depth < MAX_DEPTH {
            match fs::read_dir(entry.path()) {
                Ok(entries) => walk(entries, &key, depth + 1, found)?,
                // Deleted just now.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        } else if kind.is_file() {
            match entry.metadata() {
                Ok(file) if file.len() > MAX_BLOB_BYTES as u64 => found.left_alone.push(key),
                Ok(file) => {
                    found.files.insert(key, mark(&file));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        if found.files.len() > MAX_FILES {
            return Err(io::Error::other(format!(
                "there are more than {MAX_FILES} files in the folders that are shared"
            )));
        }
    }
    Ok(())
}

pub(super) fn mark(file: &fs::Metadata) -> FileMark {
    FileMark {
        bytes: file.len(),
        modified: (file.mtime(), file.mtime_nsec()),
    }
}

/// Whether a file of this name is shared. The bucket's names become paths here, so nothing may lead elsewhere.
fn is_name(name: &str) -> bool {
    (1..=255).contains(&name.len())
        && !name.starts_with('.')
        && !name.ends_with(UNFINISHED_PACKAGE)
        && !name.contains(|c: char| c.is_control() || matches!(c, '/' | '\\' | '#'))
}

/// Where a file of the bucket is below the data folder. `None` if it is none of ours.
pub(super) fn place(key: &str) -> Option<PathBuf> {
    let path = key.strip_prefix(SHARED)?.strip_prefix('/')?;
    let mut parts = path.split('/');
    let folder = parts.next()?;
    let names: Vec<&str> = parts.collect();
    let is_ours = FOLDERS.contains(&folder)
        && (1..=MAX_DEPTH).contains(&names.len())
        && names.iter().all(|name| is_name(name));
    is_ours.then(|| PathBuf::from(path))
}

/// The name in the bucket of an emoji.
pub(super) fn emoji_key(path: &str) -> String {
    format!("{SHARED}/emoji/{path}")
}

/// `None` if it is gone, or has become too large.
pub(super) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::symlink_metadata(path) {
        Ok(file) if file.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut bytes = Vec::new();
    let mut capped = File::open(path)?.take(MAX_BLOB_BYTES as u64 + 1);
    capped.read_to_end(&mut bytes)?;
    Ok((bytes.len() <= MAX_BLOB_BYTES).then_some(bytes))
}

/// Writes a file completely or not at all, unless it is the same already. `place` is below the folder `data`.
pub(super) fn write(data: &Path, place: &Path, bytes: &[u8]) -> io::Result<FileMark> {
    let path = data.join(place);
    let folder = make_folders(data, place)?;
    if read(&path)?.is_some_and(|same| same == bytes) {
        return Ok(mark(&fs::symlink_metadata(&path)?));
    }
    let unfinished = folder.join(UNFINISHED);
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut out = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&unfinished)?;
    out.write_all(bytes)?;
    out.sync_all()?;
    let made = mark(&out.metadata()?);
    fs::rename(&unfinished, &path)?;
    Ok(made)
}

/// Creates what is missing of the folders around a file, and returns the innermost.
fn make_folders(data: &Path, place: &Path) -> io::Result<PathBuf> {
    let mut folder = data.to_owned();
    let inner = place.parent().unwrap_or(Path::new(""));
    for (depth, name) in inner.iter().enumerate() {
        folder.push(name);
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            // The operator may have put a link in place of one of our folders; inside, a link could lead anywhere.
            Err(_) if depth == 0 && fs::metadata(&folder)?.is_dir() => {}
            Err(_) if fs::symlink_metadata(&folder)?.is_dir() => {}
            Err(_) => {
                return Err(io::Error::other(
                    "there is a file or a link where a folder should be",
                ));
            }
        }
    }
    Ok(folder)
}

/// Removes a file; one that is gone is as good as removed.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Files are slow; nobody waits for them on the runtime.
pub(super) async fn blocking<T, F>(work: F) -> anyhow::Result<T>
where
    T: Send + 'static,
    F: FnOnce() -> io::Result<T> + Send + 'static,
{
    let done = tokio::task::spawn_blocking(work).await;
    Ok(done.context("a task about shared files failed")??)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_bucket_names_cannot_lead_out_of_the_shared_folders() {
        assert_eq!(
            place("shared/emoji/pack/a.png"),
            Some(PathBuf::from("emoji/pack/a.png"))
        );
        for key in [
            "",
            "shared",
            "shared/",
            "shared/emoji",
            "shared/emoji/",
            "shared/.bucket",
            "shared/rillcast.db",
            "shared/secret.key",
            "shared/other/a",
            "shared/emoji/../secret.key",
            "shared/emoji/./a",
            "shared/emoji//a",
            "shared/emoji/.hidden",
            "shared/plugins/poll.unfinished",
            "shared/emoji/a\\b",
            "shared/emoji/a\0",
            "sharedemoji/a",
            "/shared/emoji/a",
        ] {
            assert_eq!(place(key), None, "{key:?}");
        }
    }

    #[test]
    fn a_link_inside_a_shared_folder_is_neither_followed_nor_written_through() {
        let root = tempfile::tempdir().unwrap();
        let (data, outside) = (root.path().join("data"), root.path().join("outside"));
        fs::create_dir_all(data.join("public")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret"), "x").unwrap();
        std::os::unix::fs::symlink(&outside, data.join("public/link")).unwrap();
        std::os::unix::fs::symlink(outside.join("secret"), data.join("public/file")).unwrap();
        assert!(scan(&data).unwrap().files.is_empty());
        assert!(write(&data, Path::new("public/link/new"), b"y").is_err());
        write(&data, Path::new("public/file"), b"y").unwrap();
        assert_eq!(fs::read(outside.join("secret")).unwrap(), b"x");
        assert!(!outside.join("new").try_exists().unwrap());
    }
}
