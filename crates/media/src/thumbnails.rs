//! Thumbnails: pictures of the stream for those who do not play it, a still and a small one that moves.
//!
//! Nobody here decodes video. While the stream is live, a key frame of the newest snapshot goes through a pipe to an ffmpeg of
//! its own, which has seconds to answer and nothing to reach; see `ffmpeg.rs` for what holds it. A stream needs none of
//! this: where ffmpeg is missing, fails, hangs or writes nonsense there is no picture, and that is all.
//!
//! In reading order: `thumbnailer.rs` says when and of what, `kind.rs` which picture, `child.rs` runs the program.

mod child;
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

/// A picture as it is handed out.
#[derive(Clone, Debug)]
pub struct ThumbnailImage {
    pub bytes: Bytes,
    /// SHA-256 of it.
    pub hash: [u8; 32],
}

impl ThumbnailImage {
    fn new(bytes: Bytes) -> Self {
        let mut hash = [0; 32];
        hash.copy_from_slice(digest(&SHA256, &bytes).as_ref());
        Self { bytes, hash }
    }
}

/// How often pictures are drawn, and how long one may take.
#[derive(Clone, Copy, Debug)]
pub struct ThumbnailIntervals {
    /// From one still to the next.
    pub thumbnail_every: Duration,
    /// From one moving picture to the next.
    pub preview_every: Duration,
    /// Then the program is ended.
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

/// What drawing needs of the others.
#[derive(Debug)]
pub struct ThumbnailDeps {
    /// What viewers can fetch.
    pub live_snapshot: LiveSnapshot,
    /// Whether there is a stream.
    pub status: watch::Receiver<StreamStatus>,
    pub settings: Settings,
    /// How often.
    pub intervals: ThumbnailIntervals,
}

/// What is there of one kind.
#[derive(Clone, Debug, Default)]
struct ThumbnailSlot {
    still: Option<ThumbnailImage>,
    /// Tries in a row that gave nothing.
    failures: u32,
}

/// All pictures there are.
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
    /// Nothing is drawn before the returned future runs; it ends after `stop`.
    pub fn open(
        deps: ThumbnailDeps,
        stop: CancellationToken,
    ) -> (Self, impl Future<Output = ()> + Send) {
        let (slots, shown) = watch::channel(ThumbnailSlots::default());
        (Self(shown), thumbnailer::run(deps, slots, stop))
    }

    /// The newest picture of the present broadcast, once there is one.
    pub fn newest(&self, kind: ThumbnailKind) -> Option<ThumbnailImage> {
        self.0.borrow().slot(kind).still.clone()
    }

    /// How often in a row it was tried in vain.
    pub fn failures(&self, kind: ThumbnailKind) -> u32 {
        self.0.borrow().slot(kind).failures
    }
}
