//! When a picture is drawn, and of what.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join;
use model::settings::table::video::FFMPEG_PATH;
use tokio::sync::{Mutex, watch};
use tokio_util::sync::CancellationToken;

use super::child::{self, Failure};
use super::{Album, Fittings, Kind, Still};
use crate::ffmpeg;
use crate::hls::Snapshot;

/// Bytes that are given to ffmpeg for one picture; older key frames are left out. No usual stream comes near.
const MAX_SCENE_BYTES: usize = 32 << 20;
/// After each failure the pause is twice as long, this often.
const MOST_DOUBLINGS: u32 = 5;
/// Longest pause after a failure, however many there were before.
const LONGEST_PAUSE: Duration = Duration::from_secs(10 * 60);
/// After as many failures in a row a picture is too old to be shown.
const FORGIVEN_FAILURES: u32 = 2;

/// Draws until `stop`.
pub(super) async fn run(fittings: Fittings, album: watch::Sender<Album>, stop: CancellationToken) {
    let painter = Painter {
        fittings,
        album,
        turn: Mutex::new(()),
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = painter.follow() => {}
    }
}

struct Painter {
    fittings: Fittings,
    album: watch::Sender<Album>,
    /// One picture at a time: this has to stay a small share of the machine.
    turn: Mutex<()>,
}

impl Painter {
    /// From broadcast to broadcast; no picture outlives its own.
    async fn follow(&self) {
        let mut status = self.fittings.status.clone();
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
                _ = join(self.paint(Kind::Thumbnail), self.paint(Kind::Preview)) => true,
            };
            self.album.send_modify(|album| *album = Album::default());
            if !goes_on {
                return;
            }
        }
    }

    /// One picture after the other, for ever.
    async fn paint(&self, kind: Kind) {
        if kind == Kind::Preview {
            // Where not even one frame can be drawn it need not be tried with more.
            let mut album = self.album.subscribe();
            let has_still = |album: &Album| album.thumbnail.still.is_some();
            let _ = album.wait_for(has_still).await.map(drop);
        }
        let mut drawn = None;
        loop {
            let scene = self.scene(kind, drawn).await;
            let pause = match self.draw(kind, &scene).await {
                Ok(still) => {
                    drawn = Some(scene.place);
                    self.put(kind, still)
                }
                Err(failure) => self.miss(kind, &failure),
            };
            tokio::time::sleep(pause).await;
        }
    }

    /// Waits until there is something to draw that was not drawn before.
    async fn scene(&self, kind: Kind, drawn: Option<(u64, u64)>) -> Scene {
        let pick = |snapshot: Option<&Arc<Snapshot>>| {
            Scene::of(snapshot?, kind).filter(|scene| Some(scene.place) != drawn)
        };
        match self.fittings.shelf.until(Duration::MAX, pick).await {
            Some(scene) => scene,
            // The stream's task is gone, and nothing will come any more.
            None => pending().await,
        }
    }

    async fn draw(&self, kind: Kind, scene: &Scene) -> Result<Still, Failure> {
        let _turn = self.turn.lock().await;
        let settings = self.fittings.settings.now();
        let mut command = ffmpeg::command(settings.text(&FFMPEG_PATH).trim());
        command.args(kind.arguments());
        let limit = self.fittings.pace.limit;
        let bytes = child::run(command, &scene.bytes, kind.most_bytes(), limit).await?;
        match kind.is_whole(&bytes) {
            true => Ok(Still::new(bytes)),
            false => Err(Failure::NoPicture),
        }
    }

    /// Shows a picture; returns the pause until the next.
    fn put(&self, kind: Kind, still: Still) -> Duration {
        let mut failures = 0;
        self.album.send_modify(|album| {
            let place = album.place_mut(kind);
            failures = std::mem::take(&mut place.failures);
            place.still = Some(still);
        });
        if failures > 0 {
            tracing::info!(?kind, failures, "pictures of the stream are drawn again");
        }
        kind.every(&self.fittings.pace)
    }

    /// Notes a failure, and says the first of many; returns the pause until the next try. After the second an older
    /// picture is taken away.
    fn miss(&self, kind: Kind, failure: &Failure) -> Duration {
        let mut failures = 0;
        self.album.send_modify(|album| {
            let place = album.place_mut(kind);
            place.failures = place.failures.saturating_add(1);
            failures = place.failures;
            if failures >= FORGIVEN_FAILURES {
                place.still = None;
            }
        });
        match failures {
            1 => tracing::warn!(
                ?kind,
                "no picture of the stream: ffmpeg cannot be used: {failure}"
            ),
            _ => tracing::debug!(?kind, failures, %failure, "no picture of the stream"),
        }
        let times = 1 << failures.min(MOST_DOUBLINGS);
        let pause = kind.every(&self.fittings.pace).saturating_mul(times);
        pause.min(LONGEST_PAUSE)
    }
}

/// What a picture is made of.
struct Scene {
    /// Session and number of the newest segment in it.
    place: (u64, u64),
    /// An init segment, and the first fragment of each segment: it begins with the key frame.
    bytes: Vec<Bytes>,
}

impl Scene {
    /// Nothing while there are not enough key frames, or no picture at all.
    fn of(snapshot: &Snapshot, kind: Kind) -> Option<Self> {
        if snapshot.is_ended {
            return None;
        }
        let (fewest, most) = kind.frames();
        let mut room = MAX_SCENE_BYTES;
        let openings = snapshot.picture()?.openings(most);
        let (newest, init) = openings.last().map(|last| (last.msn, &last.init))?;
        let mut bytes = Vec::with_capacity(openings.len() + 1);
        for part in openings.iter().rev().filter_map(|one| one.parts.first()) {
            let Some(left) = room.checked_sub(part.bytes.len()) else {
                break;
            };
            room = left;
            bytes.push(part.bytes.clone());
        }
        if bytes.len() < fewest {
            return None;
        }
        bytes.push(init.bytes.clone());
        bytes.reverse();
        Some(Self {
            place: (snapshot.token, newest),
            bytes,
        })
    }
}
