//! Scans the folder: which files are emoji, and why others are not.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::container::{self, SNIFFED_BYTES};
use super::{Emoji, name};

/// Limit (operators): custom emoji; further files are ignored and uploads refused.
pub const MAX_FILES: usize = 5_000;
/// Largest file that is served; a larger one is skipped, a larger animation is made smaller.
pub const MAX_FILE_BYTES: usize = 1 << 20;
/// Folders within folders; deeper ones are skipped.
pub(super) const MAX_DEPTH: usize = 3;
/// Folders that are looked into; further ones are skipped.
const MAX_FOLDERS: usize = 500;
/// Entries looked at in one go, so that a folder full of other things costs a bounded time; the rest is skipped.
const MAX_ENTRIES: usize = 50_000;
/// Reasons remembered; further ones are only counted.
const MAX_REASONS: usize = 100;
/// Characters of a file's name that are shown.
const MAX_SHOWN_CHARS: usize = 100;

/// A file or folder that is not an emoji.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedFile {
    /// Path below the emoji folder; unusual characters are escaped.
    pub path: String,
    /// The reason, as a sentence for the operator.
    pub why: String,
}

/// The folder's content.
#[derive(Debug, Default)]
pub(super) struct ScanResult {
    /// Sorted: the top folder first, then packs, each by name.
    pub(super) emoji: Vec<Emoji>,
    pub(super) skipped: Vec<SkippedFile>,
    /// Number of entries left out of `skipped` because there were too many.
    pub(super) further_skipped: usize,
    /// Every folder with its modification time.
    pub(super) folders: Vec<(PathBuf, SystemTime)>,
    entries: usize,
}

/// Reads the whole folder tree.
pub(super) fn scan(folder: &Path) -> io::Result<ScanResult> {
    let mut found = ScanResult::default();
    // The time is read before the scan, so that a change during the scan is noticed next time.
    found
        .folders
        .push((folder.to_owned(), fs::metadata(folder)?.modified()?));
    look_into(folder, "", 0, &mut found)?;
    found
        .emoji
        .sort_by_cached_key(|emoji| (emoji.pack.is_some(), emoji.path.to_ascii_lowercase()));
    Ok(found)
}

/// Whether any folder has changed since it was scanned.
pub(super) fn has_changed(folders: &[(PathBuf, SystemTime)]) -> bool {
    let is_same = |(folder, then): &(PathBuf, SystemTime)| {
        let now = fs::metadata(folder).and_then(|metadata| metadata.modified());
        now.is_ok_and(|now| now == *then)
    };
    !folders.iter().all(is_same)
}

fn look_into(folder: &Path, prefix: &str, depth: usize, found: &mut ScanResult) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        found.entries += 1;
        if found.entries > MAX_ENTRIES {
            found.skip(prefix, "there are too many files");
            break;
        }
        let entry = entry?;
        let lossy = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{lossy}");
        // Hidden files belong to the system, or are uploads being written.
        if lossy.starts_with('.') {
            continue;
        }
        // Links are not followed: they could lead anywhere on the disk.
        let metadata = match fs::symlink_metadata(entry.path()) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                found.skip(&path, &format!("it cannot be read: {error}"));
                continue;
            }
        };
        if metadata.is_dir() {
            if let Err(why) = enter(&entry.path(), &lossy, &path, depth, &metadata, found) {
                found.skip(&path, &why);
            }
        } else {
            match check_file(&entry.path(), &lossy, &metadata) {
                Ok(name) if found.emoji.len() < MAX_FILES => found.emoji.push(Emoji {
                    name,
                    pack: prefix.strip_suffix('/').map(str::to_owned),
                    path,
                    builtin: false,
                }),
                Ok(_) => found.skip(&path, &format!("{MAX_FILES} emoji are the limit")),
                Err(why) => found.skip(&path, &why),
            }
        }
    }
    Ok(())
}

fn enter(
    folder: &Path,
    last: &str,
    path: &str,
    depth: usize,
    metadata: &Metadata,
    found: &mut ScanResult,
) -> Result<(), String> {
    if !name::is_plain(last) {
        return Err("a pack's name is 1 to 64 characters from A-Z a-z 0-9 _ -".into());
    }
    if depth >= MAX_DEPTH {
        return Err(format!("packs are at most {MAX_DEPTH} folders deep"));
    }
    if found.folders.len() >= MAX_FOLDERS {
        return Err(format!("{MAX_FOLDERS} folders are the limit"));
    }
    let unreadable = |error: io::Error| format!("it cannot be read: {error}");
    let changed = metadata.modified().map_err(unreadable)?;
    found.folders.push((folder.to_owned(), changed));
    look_into(folder, &format!("{path}/"), depth + 1, found).map_err(unreadable)
}

fn check_file(file: &Path, last: &str, metadata: &Metadata) -> Result<String, String> {
    if metadata.is_symlink() {
        return Err("it is a symbolic link".into());
    }
    if !metadata.is_file() {
        return Err("it is not a regular file".into());
    }
    let name = name::of_file(last)?;
    if metadata.len() > MAX_FILE_BYTES as u64 {
        return Err(format!("it is larger than {} MiB", MAX_FILE_BYTES >> 20));
    }
    let mut start = Vec::new();
    File::open(file)
        .and_then(|file| file.take(SNIFFED_BYTES as u64).read_to_end(&mut start))
        .map_err(|error| format!("it cannot be read: {error}"))?;
    if container::sniff(&start).is_none() {
        return Err("its content is not a PNG, JPEG, GIF or WebP picture".into());
    }
    Ok(name.to_owned())
}

impl ScanResult {
    fn skip(&mut self, path: &str, why: &str) {
        if self.skipped.len() >= MAX_REASONS {
            self.further_skipped += 1;
            return;
        }
        let shown: String = path.chars().take(MAX_SHOWN_CHARS).collect();
        self.skipped.push(SkippedFile {
            path: shown.escape_debug().to_string(),
            why: why.to_owned(),
        });
    }
}
