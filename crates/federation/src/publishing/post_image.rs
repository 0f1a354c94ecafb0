//! The picture of a post: recognised by its content, stripped of camera metadata.
//!
//! A photograph records where and when it was taken, which people rarely mean to publish. So everything that is not
//! image data is removed before the picture is stored. The pixels are not touched.

use bytes::Bytes;
use thiserror::Error;

/// Limit (operators): size of a picture in a Fediverse post; a larger one is refused. Peers fetch it once each.
pub const MAX_PICTURE_BYTES: usize = 4 << 20;
/// Parts of a file looked at; one with more is refused. Pictures have a few dozen.
const MAX_PARTS: usize = 10_000;

/// A picture in the form it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostImage {
    format: ImageFormat,
    bytes: Bytes,
}

/// The image formats every client can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ImageFormat {
    Png,
    Jpeg,
    Gif,
    Webp,
}

/// Why a picture is refused for a post; the texts are for the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PostImageError {
    /// More than [`MAX_PICTURE_BYTES`].
    #[error("the picture is larger than {} MiB", MAX_PICTURE_BYTES >> 20)]
    Heavy,
    /// None of the formats.
    #[error("this is not a PNG, JPEG, GIF or WebP picture")]
    UnknownFormat,
    /// It starts like an image but is not a valid one.
    #[error("the picture is damaged; save it again in an image editor")]
    Damaged,
}

impl PostImage {
    /// Reads a picture regardless of its file name, and strips what is not image data.
    pub fn read(bytes: &[u8]) -> Result<Self, PostImageError> {
        if bytes.len() > MAX_PICTURE_BYTES {
            return Err(PostImageError::Heavy);
        }
        let format = sniff(bytes).ok_or(PostImageError::UnknownFormat)?;
        let bare = match format {
            ImageFormat::Png => bare_png(bytes),
            ImageFormat::Jpeg => bare_jpeg(bytes),
            ImageFormat::Webp => bare_webp(bytes),
            // GIF has no place for camera metadata.
            ImageFormat::Gif => Some(bytes.to_vec()),
        };
        let bytes = bare.ok_or(PostImageError::Damaged)?.into();
        Ok(Self { format, bytes })
    }

    pub fn content_type(&self) -> &'static str {
        match self.format {
            ImageFormat::Png => "image/png",
            ImageFormat::Jpeg => "image/jpeg",
            ImageFormat::Gif => "image/gif",
            ImageFormat::Webp => "image/webp",
        }
    }

    /// The file name extension.
    pub fn extension(&self) -> &'static str {
        match self.format {
            ImageFormat::Png => "png",
            ImageFormat::Jpeg => "jpg",
            ImageFormat::Gif => "gif",
            ImageFormat::Webp => "webp",
        }
    }

    /// The content of the file.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

fn sniff(bytes: &[u8]) -> Option<ImageFormat> {
    if bytes.starts_with(PNG) {
        Some(ImageFormat::Png)
    } else if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        Some(ImageFormat::Jpeg)
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Some(ImageFormat::Gif)
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some(ImageFormat::Webp)
    } else {
        None
    }
}

/// Removes texts, times and EXIF, and everything after the end.
fn bare_png(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut bare = PNG.to_vec();
    let mut rest = bytes.get(PNG.len()..)?;
    for _ in 0..MAX_PARTS {
        let length = u32::from_be_bytes(rest.get(..4)?.try_into().ok()?);
        let name = rest.get(4..8)?;
        let end = usize::try_from(length).ok()?.checked_add(12)?;
        let chunk = rest.get(..end)?;
        if !matches!(name, b"eXIf" | b"tEXt" | b"zTXt" | b"iTXt" | b"tIME") {
            bare.extend_from_slice(chunk);
        }
        if name == b"IEND" {
            return Some(bare);
        }
        rest = rest.get(end..)?;
    }
    None
}

/// Removes comments and application segments, except those that describe the colours, and everything after the end.
fn bare_jpeg(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut bare = vec![0xff, 0xd8];
    let mut rest = bytes.get(2..)?;
    for _ in 0..MAX_PARTS {
        let (0xff, marker) = (*rest.first()?, *rest.get(1)?) else {
            return None;
        };
        match marker {
            // A fill byte.
            0xff => {
                rest = rest.get(1..)?;
                continue;
            }
            0xd9 => {
                bare.extend_from_slice(&[0xff, 0xd9]);
                return Some(bare);
            }
            0x00 | 0x01 | 0xd0..=0xd8 => return None,
            _ => {}
        }
        let length = usize::from(u16::from_be_bytes(rest.get(2..4)?.try_into().ok()?));
        let end = length.max(2).checked_add(2)?;
        let (segment, behind) = (rest.get(..end)?, rest.get(end..)?);
        let is_kept = match marker {
            // JFIF and Adobe's colour transform.
            0xe0 | 0xee => true,
            0xe2 => segment
                .get(4..)
                .is_some_and(|data| data.starts_with(b"ICC_PROFILE")),
            0xe1..=0xef | 0xfe => false,
            _ => true,
        };
        let pixels = if marker == 0xda { scan(behind)? } else { 0 };
        if is_kept {
            bare.extend_from_slice(segment);
            bare.extend_from_slice(behind.get(..pixels)?);
        }
        rest = behind.get(pixels..)?;
    }
    None
}

/// The length of the coded pixels: up to a marker that is neither a stuffed byte nor a restart.
fn scan(coded: &[u8]) -> Option<usize> {
    coded
        .windows(2)
        .position(|pair| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xd0..=0xd7 | 0xff))
}

/// Removes EXIF and XMP.
fn bare_webp(bytes: &[u8]) -> Option<Vec<u8>> {
    /// In the flags of an extended file: these say that EXIF and XMP follow.
    const METADATA: u8 = 0b0000_1100;
    let mut bare = b"RIFF\0\0\0\0WEBP".to_vec();
    let mut rest = bytes.get(12..)?;
    for _ in 0..MAX_PARTS {
        if rest.is_empty() {
            let size = u32::try_from(bare.len() - 8).ok()?;
            bare.get_mut(4..8)?.copy_from_slice(&size.to_le_bytes());
            return Some(bare);
        }
        let name = rest.get(..4)?;
        let length = u32::from_le_bytes(rest.get(4..8)?.try_into().ok()?);
        let length = usize::try_from(length).ok()?;
        let end = length.checked_add(8)?.checked_add(length % 2)?;
        let chunk = rest.get(..end)?;
        if !matches!(name, b"EXIF" | b"XMP ") {
            let start = bare.len();
            bare.extend_from_slice(chunk);
            if name == b"VP8X" {
                *bare.get_mut(start + 8)? &= !METADATA;
            }
        }
        rest = rest.get(end..)?;
    }
    None
}

#[cfg(test)]
mod tests;
