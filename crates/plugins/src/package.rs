//! A plugin's package: one `.ocpkg` file, which is a ZIP archive with a manifest, the code and other files.
//!
//! Opening reads the table of contents and the manifest; everything else is read on demand. Nothing is ever unpacked to
//! disk, so no name in an archive can lead anywhere.

mod directory;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod limits;
mod source;
#[cfg(test)]
mod tests;

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use bytes::Bytes;
use rustix::fs::OFlags;

pub use error::PackageError;
pub use limits::{MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_NAME_BYTES, MAX_UNPACKED_BYTES};

use crate::manifest::{MAX_MANIFEST_BYTES, Manifest};
use directory::Entries;
use source::ArchiveSource;

/// Limit (plugins): size of a package; a larger one is refused.
pub const MAX_PACKAGE_BYTES: u64 = 50 * 1024 * 1024;
/// Limit (plugins): size of the source code in a package; with more the package is refused. It lives in the plugin's
/// memory.
pub const MAX_CODE_BYTES: u64 = 8 * 1024 * 1024;
/// Bytes the icon and the instructions may have each: both are sent whole. A package with more is refused.
pub const MAX_EXTRA_BYTES: u64 = 4 * 1024 * 1024;

/// Bytes of an archive that are held in memory while it is copied.
const COPY_PIECE_BYTES: u64 = 64 * 1024;

const MANIFEST: &str = "plugin.manifest.json";
const CODE: &str = "plugin.py";
/// Code for other servers: plugins here are Python source, and foreign machine code is never loaded.
const FOREIGN_CODE: [&str; 2] = ["plugin.js", "plugin.wasm"];
const ICON: &str = "icon.png";
const INSTRUCTIONS: &str = "INSTRUCTIONS.md";

/// An opened package.
#[derive(Debug)]
pub struct Package {
    manifest: Manifest,
    entries: Entries,
    source: ArchiveSource,
}

impl Package {
    /// Opens a file and keeps it open. Blocks for a moment.
    pub fn open(path: &Path) -> Result<Self, PackageError> {
        let not_plain = || PackageError::Io(io::Error::other("it is not a plain file"));
        // Opening a pipe waits for its other end, and opening a device may do anything.
        if !std::fs::metadata(path)?.is_file() {
            return Err(not_plain());
        }
        // The file may have been replaced since; opening must not block in that case either.
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
            .open(path)?;
        let facts = file.metadata()?;
        if !facts.is_file() {
            return Err(not_plain());
        }
        Self::read(ArchiveSource::File(file, facts.len()))
    }

    /// Opens a package in memory.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Result<Self, PackageError> {
        Self::read(ArchiveSource::Memory(bytes.into()))
    }

    fn read(source: ArchiveSource) -> Result<Self, PackageError> {
        let length = source.length();
        if length == 0 {
            return Err(PackageError::Empty);
        }
        if length > MAX_PACKAGE_BYTES {
            return Err(PackageError::TooLarge);
        }
        let tail = (directory::MAX_END_BYTES as u64).min(length);
        let end = directory::end(&source.read(length - tail, tail)?, length)?;
        let entries = directory::entries(&source.read(end.offset, end.size)?, &end)?;
        let manifest = text(&source, &entries, MANIFEST, MAX_MANIFEST_BYTES as u64)?
            .ok_or(PackageError::NoManifest)?;
        let manifest = Manifest::parse(&manifest)?;
        check_code(&entries)?;
        for (name, most, why) in [
            (CODE, MAX_CODE_BYTES, "is larger than 8 MiB"),
            (ICON, MAX_EXTRA_BYTES, "is larger than 4 MiB"),
            (INSTRUCTIONS, MAX_EXTRA_BYTES, "is larger than 4 MiB"),
        ] {
            if entries.get(name).is_some_and(|entry| entry.unpacked > most) {
                return Err(PackageError::entry(name, why));
            }
        }
        Ok(Self {
            manifest,
            entries,
            source,
        })
    }

    /// Unpacks every entry once without keeping it: afterwards no entry can turn out to be damaged or to lie.
    pub fn check_every_entry(&self) -> Result<(), PackageError> {
        for (name, entry) in &self.entries {
            self.source.unpack(name, entry)?;
        }
        self.code().map(drop)
    }

    /// Writes the archive unchanged.
    pub(crate) fn write_to(&self, output: &mut impl Write) -> io::Result<()> {
        let mut offset = 0;
        while offset < self.source.length() {
            let piece = self.source.read(offset, COPY_PIECE_BYTES)?;
            output.write_all(&piece)?;
            offset += piece.len() as u64;
        }
        Ok(())
    }

    /// Whether both archives consist of the same bytes.
    pub(crate) fn is_copy_of(&self, other: &Self) -> io::Result<bool> {
        let length = self.source.length();
        if length != other.source.length() {
            return Ok(false);
        }
        let mut offset = 0;
        while offset < length {
            let piece = self.source.read(offset, COPY_PIECE_BYTES)?;
            if piece != other.source.read(offset, COPY_PIECE_BYTES)? {
                return Ok(false);
            }
            offset += piece.len() as u64;
        }
        Ok(true)
    }

    /// The number of files.
    pub fn file_count(&self) -> usize {
        self.entries.len()
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The plugin's source code.
    pub fn code(&self) -> Result<String, PackageError> {
        text(&self.source, &self.entries, CODE, MAX_CODE_BYTES)?.ok_or(PackageError::NoCode)
    }

    /// Is there an icon?
    pub fn has_icon(&self) -> bool {
        self.entries.contains_key(ICON)
    }

    /// The icon, a PNG.
    pub fn icon(&self) -> Result<Option<Bytes>, PackageError> {
        self.file(ICON)
    }

    /// Are there instructions?
    pub fn has_instructions(&self) -> bool {
        self.entries.contains_key(INSTRUCTIONS)
    }

    /// The operator's instructions, in Markdown.
    pub fn instructions(&self) -> Result<Option<String>, PackageError> {
        text(&self.source, &self.entries, INSTRUCTIONS, MAX_EXTRA_BYTES)
    }

    /// A public file, by its path below `public/`.
    pub fn public(&self, path: &str) -> Result<Option<Bytes>, PackageError> {
        self.file(&format!("public/{path}"))
    }

    /// Does this public file exist? Answered without unpacking.
    pub fn has_public(&self, path: &str) -> bool {
        self.entries.contains_key(&format!("public/{path}"))
    }

    /// A file for the server and the plugin itself, by its path below `assets/`.
    pub fn asset(&self, path: &str) -> Result<Option<Bytes>, PackageError> {
        self.file(&format!("assets/{path}"))
    }

    /// The size of such a file in bytes, without unpacking it.
    pub fn asset_size(&self, path: &str) -> Option<u64> {
        let entry = self.entries.get(&format!("assets/{path}"));
        entry.map(|entry| entry.unpacked)
    }

    /// An entry by its full name, as in [`Manifest::files`].
    pub fn file(&self, name: &str) -> Result<Option<Bytes>, PackageError> {
        let entry = self.entries.get(name);
        entry
            .map(|entry| self.source.unpack(name, entry))
            .transpose()
    }

    /// Remarks for its author and the operator.
    pub fn remarks(&self) -> Vec<String> {
        let missing = self.manifest.files();
        let missing = missing.filter(|file| !self.entries.contains_key(*file));
        let missing =
            missing.map(|file| format!("the manifest names {file}, which is not in the package"));
        self.manifest
            .remarks
            .iter()
            .cloned()
            .chain(missing)
            .collect()
    }
}

fn check_code(entries: &Entries) -> Result<(), PackageError> {
    let foreign = FOREIGN_CODE
        .into_iter()
        .find(|name| entries.contains_key(*name));
    match (entries.contains_key(CODE), foreign) {
        (true, None) => Ok(()),
        (true, Some(name)) => Err(PackageError::SeveralCodes(name)),
        (false, Some(name)) => Err(PackageError::ForeignCode(name)),
        (false, None) => Err(PackageError::NoCode),
    }
}

fn text(
    source: &ArchiveSource,
    entries: &Entries,
    name: &str,
    most: u64,
) -> Result<Option<String>, PackageError> {
    let Some(entry) = entries.get(name) else {
        return Ok(None);
    };
    if entry.unpacked > most {
        return Err(PackageError::entry(name, "is too large"));
    }
    let bytes = source.unpack(name, entry)?;
    String::from_utf8(bytes.into())
        .map(Some)
        .map_err(|_| PackageError::entry(name, "is not text in UTF-8"))
}
