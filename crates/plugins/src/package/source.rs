//! The bytes of an archive: in memory, or in a file that is read piece by piece.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use bytes::Bytes;
use flate2::Crc;
use flate2::read::DeflateDecoder;

use super::directory::{ArchiveEntry, LOCAL_BYTES, local_gap};
use super::error::PackageError;
use super::limits::{MAX_ENTRY_BYTES, MAX_NAME_BYTES};

/// The archive.
#[derive(Debug)]
pub(super) enum ArchiveSource {
    Memory(Bytes),
    /// Kept open, so that a file that replaces it does not mix with this one.
    File(File, u64),
}

impl ArchiveSource {
    pub(super) fn length(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::File(_, length) => *length,
        }
    }

    /// These bytes, or fewer at the end of the archive.
    pub(super) fn read(&self, offset: u64, length: u64) -> io::Result<Bytes> {
        let until = offset.saturating_add(length).min(self.length());
        let length = usize::try_from(until.saturating_sub(offset)).map_err(io::Error::other)?;
        match self {
            Self::Memory(bytes) => {
                let from = usize::try_from(until).map_err(io::Error::other)? - length;
                Ok(bytes.slice(from..from + length))
            }
            Self::File(file, _) => {
                let mut buffer = vec![0; length];
                file.read_exact_at(&mut buffer, offset)?;
                Ok(buffer.into())
            }
        }
    }

    /// Unpacks an entry, counting its bytes, because sizes in archives lie.
    pub(super) fn unpack(&self, name: &str, entry: &ArchiveEntry) -> Result<Bytes, PackageError> {
        let refuse = |why| PackageError::entry(name, why);
        let head = self.read(entry.offset, (LOCAL_BYTES + MAX_NAME_BYTES) as u64)?;
        let (header, rest) = head.split_at_checked(LOCAL_BYTES).unwrap_or((&head, &[]));
        let gap = local_gap(header, name, rest).map_err(refuse)?;
        let start = entry.offset + (LOCAL_BYTES + gap) as u64;
        let packed = self.read(start, entry.packed)?;
        if (packed.len() as u64) < entry.packed {
            return Err(refuse("lies outside of the archive"));
        }
        let content = if entry.is_deflated {
            inflate(&packed, entry.unpacked).map_err(refuse)?
        } else {
            packed
        };
        let mut checksum = Crc::new();
        checksum.update(&content);
        if checksum.sum() != entry.checksum {
            return Err(refuse("is damaged: its checksum does not match"));
        }
        Ok(content)
    }
}

fn inflate(packed: &[u8], expected: u64) -> Result<Bytes, &'static str> {
    debug_assert!(
        expected <= MAX_ENTRY_BYTES,
        "checked when the table was read"
    );
    let mut content = Vec::new();
    // Reading one byte more than declared reveals a longer entry, and nothing beyond that is unpacked.
    DeflateDecoder::new(packed)
        .take(expected + 1)
        .read_to_end(&mut content)
        .map_err(|_| "is damaged: it cannot be unpacked")?;
    match (content.len() as u64).cmp(&expected) {
        std::cmp::Ordering::Equal => Ok(content.into()),
        std::cmp::Ordering::Greater => Err("is larger than it says"),
        std::cmp::Ordering::Less => Err("is smaller than it says"),
    }
}
