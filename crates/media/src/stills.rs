//! Pictures of the stream for those who do not play it: a still, and a small one that moves.
//!
//! Nobody here decodes video. While the stream is live, a key frame off the shelf goes through a pipe to an ffmpeg of
//! its own, which has seconds to answer and nothing to reach; see `ffmpeg.rs` for what holds it. A stream needs none of
//! this: where ffmpeg is missing, fails, hangs or writes nonsense there is no picture, and that is all.
//!
//! In reading order: `painter.rs` says when and of what, `kind.rs` which picture, `child.rs` runs the program.

mod child;
mod kind;
mod painter;

use std::time::Duration;

use aws_lc_rs::digest::{SHA256, digest};
use bytes::Bytes;
use model::StreamStatus;
use store::settings::Settings;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::hls::Shelf;
pub use kind::Kind;

/// Between two stills; caches keep one as long.
const THUMBNAIL_EVERY: Duration = Duration::from_secs(20);
/// Between two moving pictures, which cost more.
const PREVIEW_EVERY: Duration = Duration::from_secs(60);
/// How long ffmpeg may take for a picture. It is a quarter of a second of processor time, which behind everything else
/// may be long in coming.
const DRAWING_LIMIT: Duration = Duration::from_secs(30);

/// A picture as it is handed out.
#[derive(Clone, Debug)]
pub struct Still {
    /// The file.
    pub bytes: Bytes,
    /// SHA-256 of it.
    pub hash: [u8; 32],
}

impl Still {
    fn new(bytes: Bytes) -> Self {
        let mut hash = [0; 32];
        hash.copy_from_slice(digest(&SHA256, &bytes).as_ref());
        Self { bytes, hash }
    }
}

/// How often pictures are drawn, and how long one may take.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// From one still to the next.
    pub thumbnail_every: Duration,
    /// From one moving picture to the next.
    pub preview_every: Duration,
    /// Then the program is ended.
    pub limit: Duration,
}

impl Default for Pace {
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
pub struct Fittings {
    /// What viewers can fetch.
    pub shelf: Shelf,
    /// Whether there is a stream.
    pub status: watch::Receiver<StreamStatus>,
    /// Where ffmpeg is.
    pub settings: Settings,
    /// How often.
    pub pace: Pace,
}

/// What is there of one kind.
#[derive(Clone, Debug, Default)]
struct Place {
    still: Option<Still>,
    /// Tries in a row that gave nothing.
    failures: u32,
}

/// All pictures there are.
#[derive(Clone, Debug, Default)]
struct Album {
    thumbnail: Place,
    preview: Place,
}

impl Album {
    fn place(&self, kind: Kind) -> &Place {
        match kind {
            Kind::Thumbnail => &self.thumbnail,
            Kind::Preview => &self.preview,
        }
    }

    fn place_mut(&mut self, kind: Kind) -> &mut Place {
        match kind {
            Kind::Thumbnail => &mut self.thumbnail,
            Kind::Preview => &mut self.preview,
        }
    }
}

/// The newest pictures of the stream; cheap to clone.
#[derive(Clone, Debug)]
pub struct Stills(watch::Receiver<Album>);

impl Stills {
    /// Nothing is drawn before the returned future runs; it ends after `stop`.
    pub fn open(
        fittings: Fittings,
        stop: CancellationToken,
    ) -> (Self, impl Future<Output = ()> + Send) {
        let (album, shown) = watch::channel(Album::default());
        (Self(shown), painter::run(fittings, album, stop))
    }

    /// The newest picture of the present broadcast, once there is one.
    pub fn newest(&self, kind: Kind) -> Option<Still> {
        self.0.borrow().place(kind).still.clone()
    }

    /// How often in a row it was tried in vain.
    pub fn failures(&self, kind: Kind) -> u32 {
        self.0.borrow().place(kind).failures
    }
}
