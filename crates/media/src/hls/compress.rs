//! gzip, once per playlist.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Playlists are small and repeat themselves: the fastest level already takes three quarters off.
pub(super) fn gzip(text: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 2), Compression::fast());
    // Writing to memory cannot fail; if it did, the plain text is still there.
    let written = encoder.write_all(text).and_then(|()| encoder.finish());
    written.map(Bytes::from).unwrap_or_default()
}
