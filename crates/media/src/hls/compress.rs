//! gzip, once per playlist, or once per piece of a long one.

use std::io::Write;

use bytes::Bytes;
use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};

/// Magic number, deflate, no flags, no time, the fastest level, an unknown system.
const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];
/// An empty block that is the last one.
const LAST_BLOCK: [u8; 2] = [3, 0];

/// Playlists are small and repeat themselves: the fastest level already takes three quarters off.
pub(super) fn gzip(text: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 2), Compression::fast());
    // Writing to memory cannot fail; if it did, the plain text is still there.
    let written = encoder.write_all(text).and_then(|()| encoder.finish());
    written.map(Bytes::from).unwrap_or_default()
}

/// A piece of a text, plain and as blocks of a compressed stream. It refers to no other piece, so pieces are compressed
/// once and put together as needed.
#[derive(Debug)]
pub struct TextPiece {
    plain: Bytes,
    blocks: Bytes,
    crc: Crc,
}

impl TextPiece {
    pub fn new(text: String) -> Self {
        let mut crc = Crc::new();
        crc.update(text.as_bytes());
        let mut encoder =
            DeflateEncoder::new(Vec::with_capacity(text.len() / 4), Compression::fast());
        // Writing to memory cannot fail.
        let written = encoder.write_all(text.as_bytes());
        let blocks = written.and_then(|()| encoder.flush_finish());
        Self {
            plain: Bytes::from(text),
            blocks: blocks.map(Bytes::from).unwrap_or_default(),
            crc,
        }
    }
}

/// A text in pieces, none of which is copied.
#[derive(Clone, Debug)]
pub struct ChainedText {
    /// UTF-8.
    pub plain: Vec<Bytes>,
    /// The same, compressed with gzip.
    pub gzip: Vec<Bytes>,
}

impl ChainedText {
    pub fn of<'a>(pieces: impl IntoIterator<Item = &'a TextPiece>) -> Self {
        let mut plain = Vec::new();
        let mut gzip = vec![Bytes::from_static(&GZIP_HEADER)];
        let mut crc = Crc::new();
        for piece in pieces {
            plain.push(piece.plain.clone());
            gzip.push(piece.blocks.clone());
            crc.combine(&piece.crc);
        }
        let mut end = LAST_BLOCK.to_vec();
        end.extend_from_slice(&crc.sum().to_le_bytes());
        end.extend_from_slice(&crc.amount().to_le_bytes());
        gzip.push(Bytes::from(end));
        Self { plain, gzip }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_put_together_are_one_gzip_file(texts in prop::collection::vec("[a-z0-9#:\n-]{0,300}", 0..8)) {
            let pieces: Vec<TextPiece> = texts.iter().cloned().map(TextPiece::new).collect();
            let chained = ChainedText::of(&pieces);
            let whole = texts.concat();
            prop_assert_eq!(chained.plain.concat(), whole.as_bytes());
            let compressed = chained.gzip.concat();
            let mut read = String::new();
            GzDecoder::new(&compressed[..]).read_to_string(&mut read).unwrap();
            prop_assert_eq!(read, whole);
        }
    }

    #[test]
    fn nothing_follows_the_last_piece() {
        let compressed = ChainedText::of([&TextPiece::new("text".to_owned())])
            .gzip
            .concat();
        let mut rest = &compressed[..];
        let mut decoder = flate2::bufread::GzDecoder::new(&mut rest);
        decoder.read_to_end(&mut Vec::new()).unwrap();
        drop(decoder);
        assert!(rest.is_empty());
    }
}
