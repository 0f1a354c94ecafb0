//! A folder that no path can escape.
//!
//! Every step starts from an open folder and follows no links, so a link that somebody else put there leads nowhere,
//! even if it appears between two steps.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

/// Bytes of one file. A larger one is refused; one host call of a plugin carries less.
pub(crate) const MAX_FILE_BYTES: usize = 50 * 1024 * 1024;

/// Folders inside one another. A deeper path is refused.
const MAX_DEPTH: usize = 32;

/// Bytes of one part of a path, as file systems have it. A longer one is refused.
const MAX_NAME_BYTES: usize = 255;

/// What is written appears under its name only when it is complete.
const UNFINISHED: &str = ".unfinished~";

/// How much a folder may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FolderQuota {
    bytes: u64,
    entries: u64,
}

impl FolderQuota {
    /// A plugin's private files: 256 MiB, and 10,000 files and folders. What is too much is refused.
    pub(crate) const FILES: Self = Self {
        bytes: 256 * 1024 * 1024,
        entries: 10_000,
    };
    /// A plugin's public files: 512 MiB, and 2,000 files. What is too much is refused.
    pub(crate) const UPLOADS: Self = Self {
        bytes: 512 * 1024 * 1024,
        entries: 2_000,
    };
}

/// How much a folder holds.
#[derive(Clone, Copy, Debug, Default)]
struct FolderUsage {
    bytes: u64,
    entries: u64,
}

/// A folder for one plugin.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    quota: FolderQuota,
    /// Counted on first use; only we write here.
    usage: Option<FolderUsage>,
}

impl Folder {
    pub(crate) fn new(root: PathBuf, quota: FolderQuota) -> Self {
        Self {
            root,
            quota,
            usage: None,
        }
    }

    pub(crate) fn read(&self, path: &str) -> Result<Option<Vec<u8>>, String> {
        let Some((name, parents)) = split(path)? else {
            return Ok(None);
        };
        let Some(folder) = self.reach(&parents)? else {
            return Ok(None);
        };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = match rustix::fs::openat(&folder, name, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT | Errno::LOOP) => return Ok(None),
            Err(error) => return Err(failed("read", path, error)),
        };
        let facts = rustix::fs::fstat(&file).map_err(|error| failed("read", path, error))?;
        if FileType::from_raw_mode(facts.st_mode) != FileType::RegularFile {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let limit = MAX_FILE_BYTES as u64 + 1;
        File::from(file)
            .take(limit)
            .read_to_end(&mut bytes)
            .map_err(|error| failed("read", path, error))?;
        match bytes.len() > MAX_FILE_BYTES {
            true => Err(format!(
                "{path:?} is larger than {MAX_FILE_BYTES} bytes and cannot be read"
            )),
            false => Ok(Some(bytes)),
        }
    }

    pub(crate) fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), String> {
        let Some((name, parents)) = split(path)? else {
            return Err("the path names the folder itself, not a file in it".into());
        };
        let mut usage = self.usage()?;
        let former = self.size(&parents, name)?;
        let added_folders = self.missing(&parents)?;
        usage.bytes = usage.bytes.saturating_sub(former.unwrap_or(0)) + bytes.len() as u64;
        usage.entries += added_folders + u64::from(former.is_none());
        if usage.bytes > self.quota.bytes {
            return Err(format!(
                "there is no room: all files together can have {} bytes",
                self.quota.bytes
            ));
        }
        if usage.entries > self.quota.entries {
            return Err(format!(
                "there is no room: there can be {} files and folders",
                self.quota.entries
            ));
        }
        let written = self.put(&parents, name, bytes);
        // After a partial write the usage is counted again.
        self.usage = written.is_ok().then_some(usage);
        written.map_err(|error| failed("write", path, error))
    }

    pub(crate) fn list(&self, path: &str) -> Result<Vec<String>, String> {
        let Some(folder) = self.reach(&parts(path)?)? else {
            return Ok(vec![]);
        };
        let mut names: Vec<String> = entries(&folder)
            .map_err(|error| failed("list", path, error))?
            .into_iter()
            .filter(|name| name != UNFINISHED)
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    pub(crate) fn delete(&mut self, path: &str) -> Result<(), String> {
        let Some((name, parents)) = split(path)? else {
            return Err("the folder itself cannot be deleted".into());
        };
        let Some(folder) = self.reach(&parents)? else {
            return Err(format!("{path:?} is not there"));
        };
        let unlink = |flags| rustix::fs::unlinkat(&folder, name, flags);
        let outcome = match unlink(AtFlags::empty()) {
            Err(Errno::ISDIR | Errno::PERM) => unlink(AtFlags::REMOVEDIR),
            other => other,
        };
        self.usage = None;
        match outcome {
            Ok(()) => Ok(()),
            Err(Errno::NOENT) => Err(format!("{path:?} is not there")),
            Err(Errno::NOTEMPTY | Errno::EXIST) => Err(format!("{path:?} is not empty")),
            Err(error) => Err(failed("delete", path, error)),
        }
    }

    pub(crate) fn exists(&self, path: &str) -> Result<bool, String> {
        let Some((name, parents)) = split(path)? else {
            return Ok(true);
        };
        let Some(folder) = self.reach(&parents)? else {
            return Ok(false);
        };
        match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(facts) => Ok(FileType::from_raw_mode(facts.st_mode) != FileType::Symlink),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(failed("look at", path, error)),
        }
    }

    fn put(&self, parents: &[&str], name: &str, bytes: &[u8]) -> Result<(), Errno> {
        // The parent folders are the server's own.
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.root)
            .map_err(|error| errno(&error))?;
        let mut folder = open_folder(CWD, &self.root)?;
        rustix::fs::fchmod(&folder, Mode::RWXU)?;
        for parent in parents {
            match rustix::fs::mkdirat(&folder, *parent, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
            }
            folder = open_folder(&folder, *parent)?;
        }
        let is_folder = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|facts| FileType::from_raw_mode(facts.st_mode) == FileType::Directory);
        if is_folder {
            return Err(Errno::ISDIR);
        }
        // Left over from a crash.
        let _ = rustix::fs::unlinkat(&folder, UNFINISHED, AtFlags::empty());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&folder, UNFINISHED, flags, Mode::RUSR | Mode::WUSR)?;
        let written = File::from(file)
            .write_all(bytes)
            .map_err(|error| errno(&error));
        let moved = written.and_then(|()| rustix::fs::renameat(&folder, UNFINISHED, &folder, name));
        if moved.is_err() {
            let _ = rustix::fs::unlinkat(&folder, UNFINISHED, AtFlags::empty());
        }
        moved
    }

    /// The folder at the end of this path, if all components are folders.
    fn reach(&self, parts: &[&str]) -> Result<Option<OwnedFd>, String> {
        let mut folder = open_folder(CWD, &self.root);
        for part in parts {
            folder = folder.and_then(|folder| open_folder(&folder, *part));
        }
        match folder {
            Ok(folder) => Ok(Some(folder)),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            Err(error) => Err(failed("reach", &parts.join("/"), error)),
        }
    }

    /// The size of an existing file.
    fn size(&self, parents: &[&str], name: &str) -> Result<Option<u64>, String> {
        let Some(folder) = self.reach(parents)? else {
            return Ok(None);
        };
        let facts = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).ok();
        Ok(facts.map(|facts| u64::try_from(facts.st_size).unwrap_or(0)))
    }

    /// How many of these folders would have to be created.
    fn missing(&self, parents: &[&str]) -> Result<u64, String> {
        for there in (0..=parents.len()).rev() {
            if self.reach(&parents[..there])?.is_some() {
                return Ok((parents.len() - there) as u64);
            }
        }
        Ok(parents.len() as u64)
    }

    fn usage(&self) -> Result<FolderUsage, String> {
        if let Some(usage) = self.usage {
            return Ok(usage);
        }
        let mut usage = FolderUsage::default();
        if let Some(root) = self.reach(&[])? {
            count(&root, &mut usage, 0).map_err(|error| failed("count", "", error))?;
        }
        Ok(usage)
    }
}

fn count(folder: &OwnedFd, usage: &mut FolderUsage, depth: usize) -> Result<(), Errno> {
    for name in entries(folder)? {
        let facts = match rustix::fs::statat(folder, name.as_str(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(facts) => facts,
            Err(Errno::NOENT) => continue,
            Err(error) => return Err(error),
        };
        usage.entries += 1;
        match FileType::from_raw_mode(facts.st_mode) {
            FileType::Directory if depth <= MAX_DEPTH => {
                count(&open_folder(folder, name.as_str())?, usage, depth + 1)?;
            }
            _ => usage.bytes += u64::try_from(facts.st_size).unwrap_or(0),
        }
    }
    Ok(())
}

/// Names that are valid text; others are not ours.
fn entries(folder: &OwnedFd) -> Result<Vec<String>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        if let Ok(name) = entry.file_name().to_str()
            && !matches!(name, "." | "..")
        {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

fn open_folder<P: rustix::path::Arg>(
    from: impl std::os::fd::AsFd,
    name: P,
) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(from, name, flags, Mode::empty())
}

/// The last component of a path and its parents; `None` for the folder itself.
fn split(path: &str) -> Result<Option<(&str, Vec<&str>)>, String> {
    let mut parts = parts(path)?;
    Ok(parts.pop().map(|name| (name, parts)))
}

/// Resolves the path as if the folder were the file system's root: `..` and a leading `/` cannot leave it.
fn parts(path: &str) -> Result<Vec<&str>, String> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ if part.len() > MAX_NAME_BYTES => {
                return Err(format!(
                    "a part of the path has more than {MAX_NAME_BYTES} bytes"
                ));
            }
            _ if part.contains('\0') => return Err("the path contains a zero byte".into()),
            UNFINISHED => return Err(format!("{UNFINISHED:?} is a name of the server's own")),
            _ => parts.push(part),
        }
    }
    match parts.len() > MAX_DEPTH {
        true => Err(format!("the path has more than {MAX_DEPTH} parts")),
        false => Ok(parts),
    }
}

fn errno(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

fn failed(what: &str, path: &str, error: impl Into<std::io::Error>) -> String {
    let error: std::io::Error = error.into();
    format!("could not {what} {path:?}: {error}")
}
