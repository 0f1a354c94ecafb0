//! Recent measurements for the operator's graphs: the machine, the number of viewers, player reports.
//!
//! Everything is in memory, bounded, and lost with the process. A server task measures and calls the `note` methods;
//! the admin handlers read.

mod players;
mod series;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use media::stream::ViewerId;

pub(crate) use players::{Playback, PlayerHealth, PlayerReport, VideoSample};
pub(crate) use series::Point;

use players::Players;
use series::Series;

/// Samples of the machine that are kept: ten hours of one every two minutes; older ones go.
const HARDWARE_SAMPLES: usize = 300;
/// Samples of the number of viewers that are kept: a day of one every minute; older ones go.
const VIEWER_SAMPLES: usize = 24 * 60;
/// Summaries of what players report that are kept: five hours of one every minute; older ones go.
const VIDEO_SAMPLES: usize = 300;

/// How busy the machine is, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hardware {
    /// Processor load.
    pub cpu: f64,
    /// Memory in use.
    pub memory: f64,
    /// Usage of the disk with the data folder.
    pub disk: f64,
}

/// All measurements.
#[derive(Debug)]
pub struct Readings {
    hardware: Mutex<Series<Hardware>>,
    viewers: Mutex<Series<u32>>,
    video: Mutex<Series<VideoSample>>,
    players: Mutex<Players>,
}

impl Default for Readings {
    fn default() -> Self {
        Self {
            hardware: Mutex::new(Series::new(HARDWARE_SAMPLES)),
            viewers: Mutex::new(Series::new(VIEWER_SAMPLES)),
            video: Mutex::new(Series::new(VIDEO_SAMPLES)),
            players: Mutex::default(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Readings {
    /// Records a sample of the machine.
    pub fn note_hardware(&self, at: Timestamp, hardware: Hardware) {
        lock(&self.hardware).push(at, hardware);
    }

    /// Records the number of viewers and sums up what players have reported since the last call. `now` is the time
    /// since process start.
    pub fn note_viewers(&self, at: Timestamp, now: Duration, viewers: u32) {
        lock(&self.viewers).push(at, viewers);
        if let Some(sample) = lock(&self.players).sum_up(now) {
            lock(&self.video).push(at, sample);
        }
    }

    /// Records a player's report.
    pub(crate) fn note_player(
        &self,
        viewer: ViewerId,
        update: &PlayerReport,
        at: Timestamp,
        now: Duration,
    ) {
        lock(&self.players).note(viewer, update, at, now);
    }

    pub(crate) fn hardware(&self) -> Vec<Point<Hardware>> {
        lock(&self.hardware).all()
    }

    pub(crate) fn viewers_since(&self, start: Timestamp) -> Vec<Point<u32>> {
        let mut points = lock(&self.viewers).all();
        points.retain(|point| point.time >= start);
        points
    }

    pub(crate) fn video(&self) -> Vec<Point<VideoSample>> {
        lock(&self.video).all()
    }

    /// The last report of this viewer's player.
    pub(crate) fn playback(&self, viewer: ViewerId, now: Duration) -> Option<Playback> {
        lock(&self.players).of(viewer, now)
    }

    /// How the reporting players are doing; `needed_kbps` is what the lowest quality takes.
    pub(crate) fn health(&self, needed_kbps: Option<u32>, now: Duration) -> PlayerHealth {
        lock(&self.players).health(needed_kbps, now)
    }
}
