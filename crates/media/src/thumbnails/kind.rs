//! The two pictures, and ffmpeg's arguments for them.

use std::time::Duration;

use super::ThumbnailIntervals;

/// Largest still; a larger one is thrown away. One of 1280 pixels has some 150 KiB.
const MAX_THUMBNAIL_BYTES: usize = 2 << 20;
/// Largest moving picture; a larger one is thrown away. It goes into posts, which take no more.
const MAX_PREVIEW_BYTES: usize = 4 << 20;
/// Key frames of a moving picture, at most.
const PREVIEW_FRAMES: usize = 8;
/// With fewer it would hardly move.
const FEWEST_PREVIEW_FRAMES: usize = 3;

/// Arguments before the input. ffmpeg decodes key frames alone, with one thread, up to 8K, and opens nothing except the
/// pipe, whatever the input asks for.
static READING: [&str; 16] = [
    "-nostdin",
    "-hide_banner",
    "-loglevel",
    "error",
    "-filter_threads",
    "1",
    "-threads",
    "1",
    "-protocol_whitelist",
    "pipe",
    "-max_pixels",
    "36000000",
    "-skip_frame",
    "nokey",
    "-f",
    "mp4",
];

/// The input, and what holds for every output: the picture alone, without metadata.
static WRITING: [&str; 13] = [
    "-i",
    "pipe:0",
    "-an",
    "-sn",
    "-dn",
    "-map_metadata",
    "-1",
    "-fflags",
    "+bitexact",
    "-flags:v",
    "+bitexact",
    "-threads",
    "1",
];

static THUMBNAIL: [&str; 12] = [
    "-vf",
    "scale=w='min(1280,iw)':h='min(1280,ih)':force_original_aspect_ratio=decrease",
    "-frames:v",
    "1",
    "-pix_fmt",
    "yuvj420p",
    "-c:v",
    "mjpeg",
    "-q:v",
    "4",
    "-f",
    "mjpeg",
];

/// Key frames are seconds apart; the animation shows two a second.
static PREVIEW: [&str; 6] = [
    "-vf",
    "setpts=N/(2*TB),fps=2,scale=w='min(320,iw)':h='min(320,ih)':force_original_aspect_ratio=decrease,\
     split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=bayer",
    "-c:v",
    "gif",
    "-f",
    "gif",
];

/// The kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThumbnailKind {
    /// `/thumbnail.jpg`: the stream as it looks now, a JPEG at most 1280 pixels wide and high.
    Thumbnail,
    /// `/preview.gif`: the last key frames as an animation, at most 320 pixels wide and high.
    Preview,
}

impl ThumbnailKind {
    /// The media type.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Thumbnail => "image/jpeg",
            Self::Preview => "image/gif",
        }
    }

    /// All of ffmpeg's arguments. None of them comes from outside.
    pub(super) fn arguments(self) -> impl Iterator<Item = &'static str> {
        let own: &[&'static str] = match self {
            Self::Thumbnail => &THUMBNAIL,
            Self::Preview => &PREVIEW,
        };
        let all = READING.iter().chain(&WRITING).chain(own);
        all.copied().chain(["pipe:1"])
    }

    /// The number of key frames it needs: minimum and maximum.
    pub(super) fn frames(self) -> (usize, usize) {
        match self {
            Self::Thumbnail => (1, 1),
            Self::Preview => (FEWEST_PREVIEW_FRAMES, PREVIEW_FRAMES),
        }
    }

    pub(super) fn most_bytes(self) -> usize {
        match self {
            Self::Thumbnail => MAX_THUMBNAIL_BYTES,
            Self::Preview => MAX_PREVIEW_BYTES,
        }
    }

    pub(super) fn every(self, intervals: &ThumbnailIntervals) -> Duration {
        match self {
            Self::Thumbnail => intervals.thumbnail_every,
            Self::Preview => intervals.preview_every,
        }
    }

    /// Whether the bytes begin and end like such a file; an interrupted process leaves an incomplete one.
    pub(super) fn is_whole(self, bytes: &[u8]) -> bool {
        match self {
            Self::Thumbnail => {
                bytes.starts_with(&[0xff, 0xd8, 0xff]) && bytes.ends_with(&[0xff, 0xd9])
            }
            Self::Preview => {
                bytes.len() > 14 && bytes.starts_with(b"GIF89a") && bytes.ends_with(&[0x3b])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_picture_and_another_kind_of_it_are_none() {
        let jpeg = b"\xff\xd8\xff\xe0 pixels \xff\xd9".as_slice();
        let gif = b"GIF89a size, colours, pixels \x3b".as_slice();
        assert!(ThumbnailKind::Thumbnail.is_whole(jpeg));
        assert!(ThumbnailKind::Preview.is_whole(gif));
        for (kind, bad) in [
            (ThumbnailKind::Thumbnail, gif),
            (ThumbnailKind::Thumbnail, b"".as_slice()),
            (ThumbnailKind::Thumbnail, &jpeg[..jpeg.len() - 1]),
            (ThumbnailKind::Thumbnail, b"\xff\xd8".as_slice()),
            (ThumbnailKind::Preview, jpeg),
            (ThumbnailKind::Preview, b"".as_slice()),
            (ThumbnailKind::Preview, b"GIF89a;".as_slice()),
            (ThumbnailKind::Preview, &gif[..gif.len() - 1]),
            (
                ThumbnailKind::Preview,
                b"<svg>GIF89a size</svg>\x3b".as_slice(),
            ),
        ] {
            assert!(!kind.is_whole(bad), "{kind:?} {bad:?}");
        }
    }
}
