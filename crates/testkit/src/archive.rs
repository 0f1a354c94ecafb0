//! ZIP archives for tests, including malformed ones.

use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// One entry; every field can be wrong.
#[derive(Clone, Debug)]
pub struct ZipEntry {
    /// The name in the table of contents.
    pub name: Vec<u8>,
    /// The name in the entry's own header, if different.
    pub local_name: Option<Vec<u8>>,
    pub packed: Vec<u8>,
    /// The declared uncompressed size.
    pub unpacked: u32,
    /// The checksum of its content.
    pub checksum: u32,
    /// 0 for stored, 8 for deflate.
    pub method: u16,
    /// General purpose flags.
    pub flags: u16,
    /// The file's mode on Unix.
    pub mode: u16,
}

impl ZipEntry {
    /// A correct entry, deflated.
    pub fn new(name: &str, content: &[u8]) -> Self {
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(content).expect("memory takes everything");
        let mut checksum = Crc::new();
        checksum.update(content);
        Self {
            name: name.as_bytes().to_vec(),
            local_name: None,
            packed: packer.finish().expect("memory takes everything"),
            unpacked: u32::try_from(content.len()).expect("tests have small files"),
            checksum: checksum.sum(),
            method: 8,
            flags: 0,
            mode: 0o100_644,
        }
    }
}

/// The archive of these entries.
pub fn zip(entries: &[ZipEntry]) -> Vec<u8> {
    let (mut bytes, mut table) = (Vec::new(), Vec::new());
    for entry in entries {
        let offset = size(&bytes);
        let local_name = entry.local_name.as_ref().unwrap_or(&entry.name);
        bytes.extend(b"PK\x03\x04\x14\0");
        shared_fields(&mut bytes, entry, local_name);
        bytes.extend(local_name);
        bytes.extend(&entry.packed);

        table.extend(b"PK\x01\x02\x14\x03\x14\0");
        shared_fields(&mut table, entry, &entry.name);
        table.extend([0; 6]);
        table.extend((u32::from(entry.mode) << 16).to_le_bytes());
        table.extend(offset.to_le_bytes());
        table.extend(&entry.name);
    }
    let offset = size(&bytes);
    let count = u16::try_from(entries.len()).unwrap_or(u16::MAX - 1);
    bytes.extend(&table);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(size(&table).to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

/// An archive of correct entries with these names and contents.
pub fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let entries = files.iter();
    let entries: Vec<ZipEntry> = entries
        .map(|(name, content)| ZipEntry::new(name, content))
        .collect();
    zip(&entries)
}

/// The fields that both kinds of header share, from the flags to the length of extras.
fn shared_fields(out: &mut Vec<u8>, entry: &ZipEntry, name: &[u8]) {
    out.extend(entry.flags.to_le_bytes());
    out.extend(entry.method.to_le_bytes());
    out.extend([0; 4]);
    out.extend(entry.checksum.to_le_bytes());
    out.extend(size(&entry.packed).to_le_bytes());
    out.extend(entry.unpacked.to_le_bytes());
    let length = u16::try_from(name.len()).expect("tests have short names");
    out.extend(length.to_le_bytes());
    out.extend([0; 2]);
}

fn size(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).expect("tests have small archives")
}
