//! Detects file formats by their first bytes, and checks containers where the decoders do not.
//!
//! Pure functions over bytes; nothing here decodes a picture.

use super::limits::PictureError;

/// A picture format we can read, detected by content. File names and declared types are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PictureFormat {
    Png,
    Jpeg,
    Gif,
    WebP,
}

impl PictureFormat {
    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
        }
    }
}

/// Bytes of a file's beginning that [`sniff`] needs.
pub(super) const SNIFFED_BYTES: usize = 12;

pub(super) fn sniff(bytes: &[u8]) -> Option<PictureFormat> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some(PictureFormat::Png)
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        Some(PictureFormat::Jpeg)
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Some(PictureFormat::Gif)
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some(PictureFormat::WebP)
    } else {
        None
    }
}

/// Whether a browser would run this document or show it as a page.
pub(super) fn is_markup(bytes: &[u8]) -> bool {
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    start.trim_ascii_start().starts_with(b"<")
}

/// Starts of other things that are hidden inside pictures. All are long enough not to turn up in compressed data by
/// chance, which is why `<svg` has its space.
const SMUGGLED: [&[u8]; 8] = [
    b"<script",
    b"<html",
    b"<!doctype",
    b"<?php",
    b"<svg ",
    b"<iframe",
    b"javascript:",
    b"%PDF-",
];

/// The end of a zip archive, which may be followed by a comment of at most 64 KiB.
const ZIP_END: &[u8] = b"PK\x05\x06";
const ZIP_TAIL_BYTES: usize = 22 + 0xffff;

/// Whether a page, a script or an archive is hidden inside.
///
/// Re-encoding drops all of it; the file is rejected because this does not happen by accident.
pub(super) fn has_stowaway(bytes: &[u8]) -> bool {
    let begins = |at: usize, pattern: &[u8]| {
        let found = bytes.get(at..at + pattern.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(pattern))
    };
    let marks = bytes.iter().enumerate();
    let has_page = marks
        .filter(|(_, byte)| matches!(byte, b'<' | b'%' | b'j' | b'J'))
        .any(|(at, _)| SMUGGLED.iter().any(|pattern| begins(at, pattern)));
    let tail = &bytes[bytes.len().saturating_sub(ZIP_TAIL_BYTES)..];
    has_page || tail.windows(ZIP_END.len()).any(|four| four == ZIP_END)
}

/// Whether this JPEG is progressive; the decoder then needs three times the memory.
pub(super) fn is_progressive_jpeg(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(2..).unwrap_or_default();
    while let [0xff, marker, following @ ..] = rest {
        match marker {
            0xc2 | 0xc6 | 0xca | 0xce => return true,
            0xda => return false,
            0xff => rest = &rest[1..],
            0x00 | 0x01 | 0xd0..=0xd9 => rest = following,
            _ => {
                let Some([high, low]) = following.first_chunk::<2>() else {
                    return false;
                };
                let length = usize::from(u16::from_be_bytes([*high, *low]));
                rest = following.get(length..).unwrap_or_default();
            }
        }
    }
    false
}

/// Whether the data of this JPEG is complete; the decoder paints missing data grey.
pub(super) fn is_complete_jpeg(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| pair == [0xff, 0xd9])
}

/// Returns the picture part of a WebP file if the sizes inside agree with each other.
///
/// For a VP8 frame the decoder allocates what the frame itself says, and compares that with the rest of the file
/// later or, next to an alpha plane, never.
pub(super) fn checked_webp(bytes: &[u8]) -> Result<&[u8], PictureError> {
    let length = bytes
        .get(4..8)
        .and_then(le32)
        .ok_or(PictureError::Damaged)?;
    let end = length.checked_add(8).ok_or(PictureError::Damaged)?;
    let picture = bytes.get(..end).ok_or(PictureError::Damaged)?;
    let body = picture.get(12..).ok_or(PictureError::Damaged)?;
    let mut canvas = None;
    for chunk in Chunks(body) {
        let (kind, data) = chunk?;
        match kind {
            b"VP8X" => canvas = Some(size24(data, 4)?),
            b"VP8 " => check_frame(data, canvas)?,
            b"ANMF" => check_animated(data)?,
            _ => {}
        }
    }
    Ok(picture)
}

fn check_animated(data: &[u8]) -> Result<(), PictureError> {
    let size = size24(data, 6)?;
    let inner = data.get(16..).ok_or(PictureError::Damaged)?;
    let mut after_alpha = false;
    for chunk in Chunks(inner) {
        match chunk? {
            (b"ALPH", _) if !after_alpha => after_alpha = true,
            (b"VP8 ", frame) => return check_frame(frame, Some(size)),
            (b"VP8L", _) if !after_alpha => return Ok(()),
            _ => return Err(PictureError::Damaged),
        }
    }
    Err(PictureError::Damaged)
}

/// Checks that the header of a VP8 key frame (RFC 6386 9.1) has the size the file declares.
fn check_frame(frame: &[u8], promised: Option<(usize, usize)>) -> Result<(), PictureError> {
    let [tag, _, _, 0x9d, 0x01, 0x2a, w0, w1, h0, h1, ..] = frame else {
        return Err(PictureError::Damaged);
    };
    let side = |low: &u8, high: &u8| usize::from(u16::from_le_bytes([*low, *high]) & 0x3fff);
    let size = (side(w0, w1), side(h0, h1));
    let is_key_frame = tag & 1 == 0;
    if !is_key_frame || promised.is_some_and(|promised| promised != size) {
        return Err(PictureError::Damaged);
    }
    Ok(())
}

/// Two 24-bit numbers, each the length of a side minus one.
fn size24(data: &[u8], at: usize) -> Result<(usize, usize), PictureError> {
    let Some([a, b, c, d, e, f]) = data.get(at..at + 6) else {
        return Err(PictureError::Damaged);
    };
    let side = |bytes: [u8; 3]| {
        1 + bytes
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | usize::from(*byte))
    };
    Ok((side([*a, *b, *c]), side([*d, *e, *f])))
}

fn le32(bytes: &[u8]) -> Option<usize> {
    let four = bytes.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*four)).ok()
}

/// The chunks of a RIFF file; ends after the first error.
struct Chunks<'a>(&'a [u8]);

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<(&'a [u8; 4], &'a [u8]), PictureError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let chunk = self.split();
        if chunk.is_none() {
            self.0 = &[];
        }
        Some(chunk.ok_or(PictureError::Damaged))
    }
}

impl<'a> Chunks<'a> {
    fn split(&mut self) -> Option<(&'a [u8; 4], &'a [u8])> {
        let (kind, rest) = self.0.split_first_chunk::<4>()?;
        let length = le32(rest)?;
        let data = rest.get(4..)?.get(..length)?;
        // A chunk of odd length is padded; some files lack the padding of the last one.
        let padded = length.checked_add(length % 2)?.checked_add(4)?;
        self.0 = rest.get(padded..).unwrap_or_default();
        Some((kind, data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_content() {
        assert_eq!(sniff(b"\x89PNG\r\n\x1a\nrest"), Some(PictureFormat::Png));
        assert_eq!(sniff(b"\xff\xd8\xff\xe0rest"), Some(PictureFormat::Jpeg));
        assert_eq!(sniff(b"GIF89arest"), Some(PictureFormat::Gif));
        assert_eq!(sniff(b"RIFF\0\0\0\0WEBPVP8 "), Some(PictureFormat::WebP));
        for other in [
            b"".as_slice(),
            b"GIF88a",
            b"<svg/>",
            b"RIFF\0\0\0\0WAVE",
            b"BM",
        ] {
            assert_eq!(sniff(other), None);
        }
    }

    #[test]
    fn finds_pages_scripts_and_archives_in_a_picture() {
        for inside in [
            "<ScRiPt>",
            "<HTML>",
            "<!DOCTYPE html>",
            "<?php echo",
            "<svg onload=",
            "JavaScript:x",
            "%PDF-1.7",
            "PK\x05\x06",
        ] {
            let bytes = [b"GIF89a".as_slice(), inside.as_bytes(), b"tail"].concat();
            assert!(has_stowaway(&bytes), "{inside}");
        }
        assert!(!has_stowaway(b"GIF89a < script svg PK %"));
        assert!(!has_stowaway(b""));
    }

    #[test]
    fn a_progressive_jpeg_is_told_by_its_frame_header() {
        let baseline = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x02\xff\xda\xff\xc2";
        let progressive = b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc2\0\x02";
        assert!(!is_progressive_jpeg(baseline));
        assert!(is_progressive_jpeg(progressive));
        for cut in 0..progressive.len() - 2 {
            assert!(!is_progressive_jpeg(&progressive[..cut]));
        }
    }

    fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap().to_le_bytes();
        let padding = vec![0; data.len() % 2];
        [kind, length.as_slice(), data, &padding].concat()
    }

    fn webp(chunks: &[Vec<u8>]) -> Vec<u8> {
        chunk(b"RIFF", &[b"WEBP".as_slice(), &chunks.concat()].concat())
    }

    fn vp8(width: u16, height: u16) -> Vec<u8> {
        let [w0, w1] = width.to_le_bytes();
        let [h0, h1] = height.to_le_bytes();
        chunk(b"VP8 ", &[0, 0, 0, 0x9d, 1, 0x2a, w0, w1, h0, h1, 0])
    }

    fn animated(side: u8, inner: &[Vec<u8>]) -> Vec<u8> {
        let mut head = vec![0; 16];
        head[6] = side - 1;
        head[9] = side - 1;
        chunk(b"ANMF", &[head, inner.concat()].concat())
    }

    #[test]
    fn a_webp_frame_has_to_be_as_large_as_the_file_says() {
        let canvas = chunk(b"VP8X", &[0, 0, 0, 0, 7, 0, 0, 7, 0, 0]);
        let ok = |chunks: &[Vec<u8>]| checked_webp(&webp(chunks)).is_ok();
        assert!(ok(&[vp8(8, 8)]));
        assert!(ok(&[canvas.clone(), vp8(8, 8)]));
        assert!(!ok(&[canvas.clone(), vp8(16383, 16383)]));
        let alpha = chunk(b"ALPH", &[0; 5]);
        assert!(ok(&[
            canvas.clone(),
            animated(8, &[alpha.clone(), vp8(8, 8)])
        ]));
        assert!(!ok(&[
            canvas.clone(),
            animated(8, &[alpha.clone(), vp8(16383, 16383)])
        ]));
        assert!(!ok(&[canvas.clone(), animated(8, &[vp8(9, 8)])]));
        assert!(!ok(&[canvas, animated(8, &[alpha])]));
    }

    #[test]
    fn what_follows_a_webp_picture_is_cut_off_and_a_cut_picture_is_refused() {
        let whole = webp(&[vp8(8, 8)]);
        let longer = [whole.as_slice(), b"trailing"].concat();
        assert_eq!(checked_webp(&longer).unwrap(), whole);
        for cut in 0..whole.len() {
            assert!(checked_webp(&whole[..cut]).is_err(), "{cut}");
        }
    }
}
