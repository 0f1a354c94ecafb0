//! Thumbnails: pictures of the stream for places that do not play it, a still and a small animation.
//!
//! The server itself decodes no video. While the stream is live, a key frame of the newest snapshot is piped to an
//! ffmpeg of its own, with seconds to answer and access to nothing; see `ffmpeg.rs` for its limits. A stream does not
//! depend on it: if ffmpeg is missing, fails, hangs or writes nonsense, there is just no picture.
//!
//! In reading order: `thumbnailer.rs` decides when and runs ffmpeg, `kind.rs` defines the pictures.

mod kind;
mod thumbnailer;

use std::time::Duration;

use aws_lc_rs::digest::{SHA256, digest};
use bytes::Bytes;
use model::StreamStatus;
use store::settings::Settings;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::hls::LiveSnapshot;
pub use kind::ThumbnailKind;

/// Between two stills; caches keep one as long.
const THUMBNAIL_EVERY: Duration = Duration::from_secs(20);
/// Between two moving pictures, which cost more.
const PREVIEW_EVERY: Duration = Duration::from_secs(60);
/// How long ffmpeg may take for a picture. It is a quarter of a second of processor time, which behind everything else
/// may be long in coming.
const DRAWING_LIMIT: Duration = Duration::from_secs(30);

/// Draws a still of a recording, from an init segment and a segment that begins with a key frame. `ffmpeg` is the
/// program, or empty for that of the system. The error is for the log.
pub async fn draw_still(ffmpeg: &str, input: &[Bytes]) -> Result<Bytes, String> {
    thumbnailer::draw_still(ffmpeg, input, DRAWING_LIMIT).await
}

/// A finished picture.
#[derive(Clone, Debug)]
pub struct ThumbnailImage {
    pub bytes: Bytes,
    /// SHA-256 of the bytes.
    pub hash: [u8; 32],
}

impl ThumbnailImage {
    fn new(bytes: Bytes) -> Self {
        let mut hash = [0; 32];
        hash.copy_from_slice(digest(&SHA256, &bytes).as_ref());
        Self { bytes, hash }
    }
}

/// How often pictures are drawn, and how long that may take.
#[derive(Clone, Copy, Debug)]
pub struct ThumbnailIntervals {
    /// Interval between stills.
    pub thumbnail_every: Duration,
    /// Interval between animations.
    pub preview_every: Duration,
    /// After this time the process is ended.
    pub limit: Duration,
}

impl Default for ThumbnailIntervals {
    fn default() -> Self {
        Self {
            thumbnail_every: THUMBNAIL_EVERY,
            preview_every: PREVIEW_EVERY,
            limit: DRAWING_LIMIT,
        }
    }
}

/// Dependencies of the thumbnailer.
#[derive(Debug)]
pub struct ThumbnailDeps {
    pub live_snapshot: LiveSnapshot,
    pub status: watch::Receiver<StreamStatus>,
    pub settings: Settings,
    pub intervals: ThumbnailIntervals,
}

/// The state of one kind of picture.
#[derive(Clone, Debug, Default)]
struct ThumbnailSlot {
    still: Option<ThumbnailImage>,
    /// Failed attempts in a row.
    failures: u32,
}

#[derive(Clone, Debug, Default)]
struct ThumbnailSlots {
    thumbnail: ThumbnailSlot,
    preview: ThumbnailSlot,
}

impl ThumbnailSlots {
    fn slot(&self, kind: ThumbnailKind) -> &ThumbnailSlot {
        match kind {
            ThumbnailKind::Thumbnail => &self.thumbnail,
            ThumbnailKind::Preview => &self.preview,
        }
    }

    fn slot_mut(&mut self, kind: ThumbnailKind) -> &mut ThumbnailSlot {
        match kind {
            ThumbnailKind::Thumbnail => &mut self.thumbnail,
            ThumbnailKind::Preview => &mut self.preview,
        }
    }
}

/// The newest pictures of the stream; cheap to clone.
#[derive(Clone, Debug)]
pub struct Thumbnails(watch::Receiver<ThumbnailSlots>);

impl Thumbnails {
    /// Nothing is drawn until the returned future runs; it ends after `stop`.
    pub fn open(
        deps: ThumbnailDeps,
        stop: CancellationToken,
    ) -> (Self, impl Future<Output = ()> + Send) {
        let (slots, shown) = watch::channel(ThumbnailSlots::default());
        (Self(shown), thumbnailer::run(deps, slots, stop))
    }

    /// The newest picture of the current broadcast, if any.
    pub fn newest(&self, kind: ThumbnailKind) -> Option<ThumbnailImage> {
        self.0.borrow().slot(kind).still.clone()
    }

    /// The number of failed attempts in a row.
    pub fn failures(&self, kind: ThumbnailKind) -> u32 {
        self.0.borrow().slot(kind).failures
    }
}
