//! Parses a ZIP archive's table of contents. A library would hide duplicate names, trust sizes and read a hundred
//! thousand entries before they can be rejected. (APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16.)

use std::collections::BTreeMap;

use super::error::PackageError;
use super::limits::{MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_NAME_BYTES, MAX_UNPACKED_BYTES};

/// The record at the end, without its comment.
const END_BYTES: usize = 22;
/// The end record has a comment of up to 65,535 bytes; there is no need to look for it farther away.
pub(super) const MAX_END_BYTES: usize = END_BYTES + 0xFFFF;
const END_MAGIC: u32 = 0x0605_4b50;
const ENTRY_BYTES: usize = 46;
const ENTRY_MAGIC: u32 = 0x0201_4b50;
/// The header before an entry's content, without name and extras.
pub(super) const LOCAL_BYTES: usize = 30;
const LOCAL_MAGIC: u32 = 0x0403_4b50;

/// The position of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndRecord {
    pub(super) offset: u64,
    pub(super) size: u64,
    entries: usize,
}

/// An entry according to the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ArchiveEntry {
    pub(super) is_deflated: bool,
    pub(super) checksum: u32,
    pub(super) packed: u64,
    pub(super) unpacked: u64,
    /// Offset of its local header in the archive.
    pub(super) offset: u64,
}

/// Files by name, without folders.
pub(super) type Entries = BTreeMap<String, ArchiveEntry>;

/// Finds the end record in the last bytes of an archive of `length` bytes.
pub(super) fn end(tail: &[u8], length: u64) -> Result<EndRecord, PackageError> {
    let not = PackageError::NotZip;
    let last = tail
        .len()
        .checked_sub(END_BYTES)
        .ok_or(not("it is too short"))?;
    // A record counts only if its comment ends exactly at the end of the archive, so that text in a comment is not
    // mistaken for one.
    let at = (0..=last).rev().find(|at| {
        u32_at(tail, *at) == Some(END_MAGIC)
            && u16_at(tail, at + 20).map(usize::from) == Some(tail.len() - at - END_BYTES)
    });
    let at = at.ok_or(not("it has no end record"))?;
    let half = |offset| u16_at(tail, at + offset).ok_or(not("its end record is cut off"));
    let word = |offset| u32_at(tail, at + offset).ok_or(not("its end record is cut off"));
    if half(4)? != 0 || half(6)? != 0 || half(8)? != half(10)? {
        return Err(not("it is one part of several"));
    }
    let (entries, size, offset) = (half(10)?, word(12)?, word(16)?);
    if entries == u16::MAX || size == u32::MAX || offset == u32::MAX {
        return Err(not(
            "it is written for more than 4 GiB (Zip64), which no plugin needs",
        ));
    }
    let end_offset = length - (tail.len() - at) as u64;
    let found = EndRecord {
        offset: offset.into(),
        size: size.into(),
        entries: entries.into(),
    };
    if found.offset + found.size != end_offset {
        return Err(not(
            "its table of contents is not where its end record says",
        ));
    }
    if found.entries > MAX_ENTRIES {
        return Err(PackageError::TooManyEntries(found.entries));
    }
    Ok(found)
}

/// Parses the table, and rejects what no plugin needs and an attacker may want.
pub(super) fn entries(table: &[u8], end: &EndRecord) -> Result<Entries, PackageError> {
    let mut entries = Entries::new();
    let mut folders = std::collections::BTreeSet::new();
    let (mut at, mut total) = (0, 0_u64);
    for _ in 0..end.entries {
        let cut = || PackageError::NotZip("its table of contents is cut off");
        if u32_at(table, at) != Some(ENTRY_MAGIC) {
            return Err(PackageError::NotZip("its table of contents is damaged"));
        }
        let half = |offset| u16_at(table, at + offset).ok_or_else(cut);
        let word = |offset| u32_at(table, at + offset).ok_or_else(cut);
        let after_name = at + ENTRY_BYTES + usize::from(half(28)?);
        let name = table.get(at + ENTRY_BYTES..after_name).ok_or_else(cut)?;
        let name = checked_name(name)?;
        let refuse = |why| PackageError::entry(&name, why);
        check_kind(word(38)?, half(4)?, half(8)?).map_err(refuse)?;
        let is_deflated = match half(10)? {
            0 => false,
            8 => true,
            _ => return Err(refuse("is compressed in another way than by deflate")),
        };
        let entry = ArchiveEntry {
            is_deflated,
            checksum: word(16)?,
            packed: word(20)?.into(),
            unpacked: word(24)?.into(),
            offset: word(42)?.into(),
        };
        if entry.unpacked > MAX_ENTRY_BYTES {
            return Err(refuse("is larger than 64 MiB"));
        }
        total += entry.unpacked;
        if total > MAX_UNPACKED_BYTES {
            return Err(PackageError::TooMuch);
        }
        if !is_deflated && entry.packed != entry.unpacked {
            return Err(refuse("is not compressed, but has two different sizes"));
        }
        if entry.offset + entry.packed + LOCAL_BYTES as u64 > end.offset {
            return Err(refuse("lies outside of the archive"));
        }
        let is_new = match name.strip_suffix('/') {
            Some(folder) if entry.unpacked == 0 => folders.insert(folder.to_owned()),
            Some(_) => return Err(refuse("is a folder with content")),
            None => entries.insert(name.clone(), entry).is_none(),
        };
        if !is_new {
            return Err(refuse("is there twice"));
        }
        at = after_name + usize::from(half(30)?) + usize::from(half(32)?);
    }
    if at != table.len() {
        return Err(PackageError::NotZip(
            "its table of contents has more than it says",
        ));
    }
    if let Some(both) = folders.iter().find(|folder| entries.contains_key(*folder)) {
        return Err(PackageError::entry(both, "is a file and a folder"));
    }
    Ok(entries)
}

/// The length of name and extra fields after an entry's local header; the header must describe the same entry.
pub(super) fn local_gap(header: &[u8], name: &str, rest: &[u8]) -> Result<usize, &'static str> {
    if u32_at(header, 0) != Some(LOCAL_MAGIC) {
        return Err("has no header where the table of contents says");
    }
    let length = |offset| {
        u16_at(header, offset)
            .map(usize::from)
            .ok_or("has a header that is cut off")
    };
    let (named, extra) = (length(26)?, length(28)?);
    if rest.get(..named) != Some(name.as_bytes()) {
        return Err("has another name in its own header");
    }
    Ok(named + extra)
}

/// A plain relative path below the archive's root; a folder ends with a slash.
fn checked_name(bytes: &[u8]) -> Result<String, PackageError> {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_NAME_BYTES)]);
    let refuse = |why| Err(PackageError::entry(&shown, why));
    let Ok(name) = std::str::from_utf8(bytes) else {
        return refuse("has a name that is not UTF-8");
    };
    if name.len() > MAX_NAME_BYTES {
        return refuse("has a name of more than 512 bytes");
    }
    if name.contains('\\') {
        return refuse("has a backslash in its name: folders are written with /");
    }
    if name.chars().any(char::is_control) {
        return refuse("has a control character in its name");
    }
    if name.starts_with('/') {
        return refuse("has an absolute name: names must begin inside the package");
    }
    let path = name.strip_suffix('/').unwrap_or(name);
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return refuse("has an empty part, . or .. in its name");
    }
    Ok(name.to_owned())
}

/// Only regular files and folders, not encrypted.
fn check_kind(attributes: u32, made_by: u16, flags: u16) -> Result<(), &'static str> {
    const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
    const UNIX_SYSTEMS: [u16; 2] = [3, 19];
    if flags & ENCRYPTED != 0 {
        return Err("is encrypted");
    }
    let kind = (attributes >> 16) & 0o170_000;
    let is_unix = UNIX_SYSTEMS.contains(&(made_by >> 8));
    match kind {
        0o120_000 => Err("is a symbolic link"),
        0 | 0o040_000 | 0o100_000 => Ok(()),
        _ if is_unix => Err("is neither a file nor a folder"),
        _ => Ok(()),
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(bytes.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}
