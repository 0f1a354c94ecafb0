//! Writes the archives that packages are. The same files produce the same bytes, at any time and on any machine.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Archives the files under their names, in this order.
///
/// # Errors
/// When the archive cannot represent a file.
pub fn write_archive<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
) -> Result<Vec<u8>, zip::result::ZipError> {
    // Nothing that depends on the machine or the time: no dates, no owners, the same permissions for every file.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(name, options)?;
        archive.write_all(content)?;
    }
    Ok(archive.finish()?.into_inner())
}
