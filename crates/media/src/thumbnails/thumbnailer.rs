//! Decides when a thumbnail is drawn, and from which key frames.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join;
use model::settings::table::video::FFMPEG_PATH;
use thiserror::Error;
use tokio::sync::{Mutex, watch};
use tokio_util::sync::CancellationToken;

use super::{ThumbnailDeps, ThumbnailImage, ThumbnailKind, ThumbnailSlots};
use crate::ffmpeg::{self, Capture, FfmpegRun, ProcessLimits, RunError, run_once};
use crate::hls::Snapshot;

/// Bytes that are given to ffmpeg for one picture; older key frames are left out. No usual stream comes near.
const MAX_INPUT_BYTES: usize = 32 << 20;
/// After each failure the pause is twice as long, this often.
const MOST_DOUBLINGS: u32 = 5;
/// Longest pause after a failure, however many there were before.
const LONGEST_PAUSE: Duration = Duration::from_secs(10 * 60);
/// After as many failures in a row a picture is too old to be shown.
const FORGIVEN_FAILURES: u32 = 2;

/// How far behind everything else ffmpeg stands: last.
const NICENESS: i32 = 19;
/// Seconds of processor time for one picture; the system ends what takes more.
const MAX_CPU_SECONDS: u64 = 10;
/// Bytes it may have as its own; a few frames of 8K fit.
const MAX_MEMORY_BYTES: u64 = 1 << 30;

static BOUNDS: ProcessLimits = ProcessLimits {
    niceness: NICENESS,
    cpu_seconds: Some(MAX_CPU_SECONDS),
    memory_bytes: MAX_MEMORY_BYTES,
};

/// Why there is no picture.
#[derive(Debug, Error)]
enum ThumbnailError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("what it wrote is not a picture")]
    NoPicture,
}

/// Draws until `stop`.
pub(super) async fn run(
    deps: ThumbnailDeps,
    slots: watch::Sender<ThumbnailSlots>,
    stop: CancellationToken,
) {
    let thumbnailer = Thumbnailer {
        deps,
        slots,
        turn: Mutex::new(()),
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = thumbnailer.follow() => {}
    }
}

struct Thumbnailer {
    deps: ThumbnailDeps,
    slots: watch::Sender<ThumbnailSlots>,
    /// One picture at a time, so that drawing stays a small share of the machine's load.
    turn: Mutex<()>,
}

impl Thumbnailer {
    /// Runs from broadcast to broadcast; no picture outlives its broadcast.
    async fn follow(&self) {
        let mut status = self.deps.status.clone();
        loop {
            let live = status.wait_for(|now| now.is_online).await;
            let Ok(began) = live.map(|now| now.last_connect) else {
                return;
            };
            let over = async {
                let is_over =
                    |now: &model::StreamStatus| !now.is_online || now.last_connect != began;
                status.wait_for(is_over).await.is_ok()
            };
            let goes_on = tokio::select! {
                goes_on = over => goes_on,
                _ = join(self.paint(ThumbnailKind::Thumbnail), self.paint(ThumbnailKind::Preview)) => true,
            };
            self.slots
                .send_modify(|slots| *slots = ThumbnailSlots::default());
            if !goes_on {
                return;
            }
        }
    }

    /// Draws one picture after the other, for ever.
    async fn paint(&self, kind: ThumbnailKind) {
        if kind == ThumbnailKind::Preview {
            // If a single frame cannot be drawn, more need not be tried.
            let mut slots = self.slots.subscribe();
            let has_still = |slots: &ThumbnailSlots| slots.thumbnail.still.is_some();
            let _ = slots.wait_for(has_still).await.map(drop);
        }
        let mut drawn = None;
        loop {
            let key_frames = self.next_key_frames(kind, drawn).await;
            let pause = match self.draw(kind, &key_frames).await {
                Ok(still) => {
                    drawn = Some(key_frames.position);
                    self.put(kind, still)
                }
                Err(failure) => self.miss(kind, &failure),
            };
            tokio::time::sleep(pause).await;
        }
    }

    /// Waits for key frames that were not drawn before.
    async fn next_key_frames(&self, kind: ThumbnailKind, drawn: Option<(u64, u64)>) -> KeyFrames {
        let pick = |snapshot: Option<&Arc<Snapshot>>| {
            KeyFrames::of(snapshot?, kind).filter(|key_frames| Some(key_frames.position) != drawn)
        };
        match self.deps.live_snapshot.until(Duration::MAX, pick).await {
            Some(key_frames) => key_frames,
            // The stream's task is gone, so nothing will arrive any more.
            None => pending().await,
        }
    }

    async fn draw(
        &self,
        kind: ThumbnailKind,
        key_frames: &KeyFrames,
    ) -> Result<ThumbnailImage, ThumbnailError> {
        let _turn = self.turn.lock().await;
        let settings = self.deps.settings.now();
        let program = settings.text(&FFMPEG_PATH);
        let limit = self.deps.intervals.limit;
        run_ffmpeg(kind, program, &key_frames.bytes, limit).await
    }

    /// Publishes a picture; returns the pause until the next.
    fn put(&self, kind: ThumbnailKind, still: ThumbnailImage) -> Duration {
        let mut failures = 0;
        self.slots.send_modify(|slots| {
            let slot = slots.slot_mut(kind);
            failures = std::mem::take(&mut slot.failures);
            slot.still = Some(still);
        });
        if failures > 0 {
            tracing::info!(?kind, failures, "thumbnails of the stream are back");
        }
        kind.every(&self.deps.intervals)
    }

    /// Counts a failure, and logs the first in a row; returns the pause until the next attempt. The second failure
    /// removes an older picture.
    fn miss(&self, kind: ThumbnailKind, failure: &ThumbnailError) -> Duration {
        let mut failures = 0;
        self.slots.send_modify(|slots| {
            let slot = slots.slot_mut(kind);
            slot.failures = slot.failures.saturating_add(1);
            failures = slot.failures;
            if failures >= FORGIVEN_FAILURES {
                slot.still = None;
            }
        });
        match failures {
            1 => tracing::warn!(
                ?kind,
                "no thumbnails of the stream: ffmpeg cannot be used: {failure}"
            ),
            _ => tracing::debug!(?kind, failures, %failure, "no thumbnail of the stream"),
        }
        let times = 1 << failures.min(MOST_DOUBLINGS);
        let pause = kind.every(&self.deps.intervals).saturating_mul(times);
        pause.min(LONGEST_PAUSE)
    }
}

/// Has a picture drawn from an init segment and fragments that begin with key frames.
async fn run_ffmpeg(
    kind: ThumbnailKind,
    program: &str,
    input: &[Bytes],
    limit: Duration,
) -> Result<ThumbnailImage, ThumbnailError> {
    let mut command = ffmpeg::command(program.trim());
    command.args(kind.arguments());
    let run = FfmpegRun {
        command,
        limits: BOUNDS,
        deadline: limit,
        input,
        stdout: Capture::Whole(kind.most_bytes()),
        stderr: Capture::COMPLAINT,
    };
    let bytes = Bytes::from(run_once(run).await?);
    match kind.is_whole(&bytes) {
        true => Ok(ThumbnailImage::new(bytes)),
        false => Err(ThumbnailError::NoPicture),
    }
}

/// A still of something that is not live, drawn like those of the stream. The error says why there is none.
pub(super) async fn draw_still(
    program: &str,
    input: &[Bytes],
    limit: Duration,
) -> Result<Bytes, String> {
    let drawn = run_ffmpeg(ThumbnailKind::Thumbnail, program, input, limit).await;
    drawn
        .map(|image| image.bytes)
        .map_err(|error| error.to_string())
}

/// The input for a picture.
struct KeyFrames {
    /// Session and number of the newest segment in it.
    position: (u64, u64),
    /// An init segment, and the first fragment of each segment: it begins with the key frame.
    bytes: Vec<Bytes>,
}

impl KeyFrames {
    /// `None` if there are not enough key frames, or no video.
    fn of(snapshot: &Snapshot, kind: ThumbnailKind) -> Option<Self> {
        if snapshot.is_ended {
            return None;
        }
        let (fewest, most) = kind.frames();
        let mut budget = MAX_INPUT_BYTES;
        let openings = snapshot.picture()?.openings(most);
        let (newest, init) = openings.last().map(|last| (last.msn, &last.init))?;
        let mut bytes = Vec::with_capacity(openings.len() + 1);
        for part in openings.iter().rev().filter_map(|one| one.parts.first()) {
            let Some(left) = budget.checked_sub(part.bytes.len()) else {
                break;
            };
            budget = left;
            bytes.push(part.bytes.clone());
        }
        if bytes.len() < fewest {
            return None;
        }
        bytes.push(init.bytes.clone());
        bytes.reverse();
        Some(Self {
            position: (snapshot.token, newest),
            bytes,
        })
    }
}
