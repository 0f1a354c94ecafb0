//! Begins a recording with a broadcast, gives it every part, and ends it.
//!
//! It follows the snapshots that viewers get, beside everything else: whatever becomes of the disk, the stream does not
//! notice.

use std::time::Duration;

use archive::{
    Archive, ChunkDescription, LogUpdate, NewPart, NewRecording, RecordRequest, Recorder,
    RenditionUpdate, UnfinishedRecording,
};
use media::hls::{FollowedPart, FollowedParts, PartFollower, Snapshot};
use media::stream::{LocalBroadcast, Stream};
use model::StreamState;
use model::recording::{RecordingId, RecordingMode, Visibility};
use model::settings::table::STREAM_TITLE;
use model::settings::table::recording::{CHAT, MODE, REWIND_MINUTES, VISIBILITY};
use store::settings::Settings;
use tokio_util::sync::CancellationToken;

/// What is kept of a broadcast that is over can be gone back in for so long, as its playlists stay.
const AFTERGLOW: Duration = Duration::from_secs(60);
/// What could not be begun is tried again after this long.
const RETRY: Duration = Duration::from_secs(10);
/// The last frame of a part may last longer than the part is listed with.
const LONGEST_FRAME_US: i64 = 100_000;
/// How often it is looked whether something is due, while something will be.
const LOOK: Duration = Duration::from_secs(1);

/// Makes whole what the last process was recording. Before the stream is opened; what goes on is told by [`go_on`].
pub(crate) async fn recover(archive: &Archive, is_alone: bool) -> Vec<UnfinishedRecording> {
    let found = archive.recover(is_alone).await;
    found.unwrap_or_else(|error| {
        tracing::error!(%error, "recordings that were not ended cannot be read; they are tried again at the next start");
        Vec::new()
    })
}

/// Lets the time line of the broadcast that goes on begin where its recording ends.
pub(crate) fn go_on(live: &Stream, unfinished: &[UnfinishedRecording]) {
    let Some(here) = live.broadcast_here() else {
        return;
    };
    let own = unfinished
        .iter()
        .filter(|one| one.recording.stream_id == here.id);
    if let Some(end_us) = own.filter_map(|one| one.media_end_us).max() {
        live.go_on_after(&here.id, end_us.saturating_add(LONGEST_FRAME_US));
    }
}

/// Records until `stop`. What is recorded then may go on with the next process.
pub(crate) async fn run(
    archive: Archive,
    settings: Settings,
    live: Stream,
    unfinished: Vec<UnfinishedRecording>,
    stop: CancellationToken,
) {
    let mut snapshots = live.live_snapshot().changes();
    let mut status = live.status();
    let mut requests = archive.requests();
    let mut recording = BroadcastRecording {
        archive,
        settings,
        live,
        unfinished,
        current: None,
        leaving: None,
    };
    loop {
        snapshots.mark_unchanged();
        status.mark_unchanged();
        requests.mark_unchanged();
        recording.look().await;
        let is_due = recording.waits();
        let is_there = tokio::select! {
            () = stop.cancelled() => false,
            changed = snapshots.changed() => changed.is_ok(),
            changed = status.changed() => changed.is_ok(),
            changed = requests.changed() => changed.is_ok(),
            () = tokio::time::sleep(LOOK), if is_due => true,
        };
        if !is_there {
            break;
        }
    }
    recording.pause().await;
}

/// Follows one broadcast after the other.
#[derive(Debug)]
struct BroadcastRecording {
    archive: Archive,
    settings: Settings,
    live: Stream,
    /// Of the last process.
    unfinished: Vec<UnfinishedRecording>,
    current: Option<CurrentBroadcast>,
    /// What is over and can still be watched.
    leaving: Option<LeavingLog>,
}

/// The broadcast on air. The settings are those of its beginning.
#[derive(Debug)]
struct CurrentBroadcast {
    id: String,
    mode: RecordingMode,
    window_us: i64,
    keeps_chat: bool,
    visibility: Visibility,
    recorder: Option<Recorder>,
    follower: PartFollower,
    /// Of the newest snapshot that was recorded.
    token: Option<u64>,
    /// After something could not be begun (time since the start of the process).
    retry_at: Option<Duration>,
}

#[derive(Debug)]
struct LeavingLog {
    id: RecordingId,
    is_ring: bool,
    /// Time since the start of the process.
    until: Duration,
}

impl BroadcastRecording {
    /// Whether something is due without anything happening.
    fn waits(&self) -> bool {
        let current = self.current.as_ref();
        self.leaving.is_some() || current.is_some_and(|current| current.retry_at.is_some())
    }

    async fn look(&mut self) {
        let here = self.live.broadcast_here();
        let id = here.as_ref().map(|here| here.id.as_str());
        let known = self.current.as_ref().map(|current| current.id.as_str());
        if known.is_some() && known != id {
            self.end_broadcast().await;
        }
        self.end_unfinished(id).await;
        self.archive.set_on_air(here.is_some());
        if let Some(here) = here {
            if self.current.is_none() && here.state == StreamState::Live {
                self.begin_broadcast(&here).await;
            }
            self.adjust(&here).await;
            self.record();
        }
        let now = self.archive.uptime();
        if self.leaving.as_ref().is_some_and(|one| now >= one.until) {
            self.leave().await;
        }
    }

    async fn begin_broadcast(&mut self, here: &LocalBroadcast) {
        let settings = self.settings.now();
        let mut current = CurrentBroadcast {
            id: here.id.clone(),
            mode: *settings.get(&MODE),
            window_us: i64::from(*settings.get(&REWIND_MINUTES)) * 60_000_000,
            keeps_chat: *settings.get(&CHAT),
            visibility: *settings.get(&VISIBILITY),
            recorder: None,
            follower: PartFollower::default(),
            token: None,
            retry_at: None,
        };
        // The newest, if there are several: only one was written when the last process ended.
        if let Some(unfinished) = self.unfinished.pop() {
            self.leave().await;
            let recording = &unfinished.recording;
            match self.archive.go_on(recording, current.window_us).await {
                Ok(recorder) => {
                    tracing::info!(recording = %recording.id, "the recording goes on");
                    current.recorder = Some(recorder);
                }
                Err(error) => {
                    tracing::error!(%error, recording = %recording.id, "the recording cannot go on");
                    self.unfinished.push(unfinished);
                }
            }
        }
        self.current = Some(current);
    }

    /// Begins and ends what is to be written of the broadcast.
    async fn adjust(&mut self, here: &LocalBroadcast) {
        let Some(current) = &self.current else {
            return;
        };
        let request = self.archive.requests().borrow().unwrap_or_default();
        let is_wanted = match request {
            RecordRequest::Record => true,
            RecordRequest::Stop => false,
            RecordRequest::AsSet => current.mode.records(here.is_recorded),
        };
        let has_window = current.window_us > 0;
        let is_ring = current.recorder.as_ref().map(Recorder::is_ring);
        match is_ring {
            None if is_wanted => self.begin(false).await,
            None if has_window => self.begin(true).await,
            Some(true) if is_wanted => self.promote().await,
            Some(false) if request == RecordRequest::Stop => {
                self.end_recording().await;
                if has_window {
                    self.begin(true).await;
                }
            }
            None | Some(_) => {}
        }
    }

    /// Makes a recording of what is kept to go back.
    async fn promote(&self) {
        let current = self.current.as_ref();
        let Some(recorder) = current.and_then(|current| current.recorder.as_ref()) else {
            return;
        };
        let id = recorder.id();
        match recorder.promote().await {
            Ok(()) => tracing::info!(recording = %id, "the broadcast is recorded"),
            Err(error) => {
                tracing::error!(%error, recording = %id, "the broadcast is recorded, but the database does not know of it");
            }
        }
    }

    async fn begin(&mut self, is_ring: bool) {
        let now = self.archive.uptime();
        let Some(current) = &self.current else {
            return;
        };
        if current.retry_at.is_some_and(|retry_at| now < retry_at) {
            return;
        }
        let new = NewRecording {
            stream_id: current.id.clone(),
            title: self.settings.now().get(&STREAM_TITLE).clone(),
            visibility: current.visibility,
            keeps_chat: current.keeps_chat,
            is_ring,
        };
        let window_us = current.window_us;
        self.leave().await;
        let begun = self.archive.begin(new, window_us).await;
        let Some(current) = &mut self.current else {
            return;
        };
        match begun {
            Ok(recorder) => {
                tracing::info!(recording = %recorder.id(), is_ring, "recording");
                current.recorder = Some(recorder);
                // All that can still be fetched belongs to it.
                current.follower = PartFollower::default();
                current.retry_at = None;
            }
            Err(error) => {
                if current.retry_at.is_none() {
                    tracing::error!(%error, "the broadcast cannot be recorded; it is tried again");
                }
                current.retry_at = Some(now + RETRY);
            }
        }
    }

    /// Gives the recorder what is new.
    fn record(&mut self) {
        let snapshot = self.live.live_snapshot().now();
        if let (Some(current), Some(snapshot)) = (&mut self.current, snapshot) {
            current.record(&snapshot);
        }
    }

    /// Gives the recorder the last of the broadcast: the end of its playlists comes before its own.
    fn record_end(&mut self) {
        let snapshot = self.live.live_snapshot().now();
        if let (Some(current), Some(snapshot)) = (&mut self.current, snapshot)
            && current.token == Some(snapshot.token)
        {
            current.record(&snapshot);
        }
    }

    /// Nothing follows of the broadcast.
    async fn end_broadcast(&mut self) {
        self.record_end();
        self.end_recording().await;
        self.current = None;
        // What the operator wanted was meant for this one.
        self.archive.set_on_air(false);
    }

    async fn end_recording(&mut self) {
        let current = self.current.as_mut();
        let Some(recorder) = current.and_then(|current| current.recorder.take()) else {
            return;
        };
        self.leave().await;
        let (id, is_ring) = (recorder.id().clone(), recorder.is_ring());
        match recorder.finish().await {
            Ok(()) => tracing::info!(recording = %id, is_ring, "the recording ends"),
            Err(error) => {
                tracing::error!(%error, recording = %id, "the end of the recording could not be written; it is at the next start");
            }
        }
        let until = self.archive.uptime() + AFTERGLOW;
        self.leaving = Some(LeavingLog { id, is_ring, until });
    }

    /// Takes what is over off the air. A ring goes with it.
    async fn leave(&mut self) {
        let Some(LeavingLog { id, is_ring, .. }) = self.leaving.take() else {
            return;
        };
        self.archive.clear_live(&id);
        if is_ring && let Err(error) = self.archive.delete_ring(&id).await {
            tracing::warn!(%error, recording = %id, "what was kept to go back in the stream cannot be deleted; it is at the next start");
        }
    }

    /// Ends what the last process did not, unless it is of the broadcast that goes on.
    async fn end_unfinished(&mut self, broadcast: Option<&str>) {
        let is_on = self.current.is_some();
        let all = std::mem::take(&mut self.unfinished);
        for unfinished in all {
            let is_own = Some(unfinished.recording.stream_id.as_str()) == broadcast;
            if is_own && !is_on {
                self.unfinished.push(unfinished);
                continue;
            }
            if let Err(error) = self.archive.end_unfinished(&unfinished).await {
                let id = &unfinished.recording.id;
                tracing::error!(%error, recording = %id, "a recording that was not ended cannot be; it is tried again at the next start");
            }
        }
    }

    /// The process ends; the broadcast may go on with the next one.
    async fn pause(mut self) {
        self.record_end();
        let current = self.current.take();
        if let Some(recorder) = current.and_then(|current| current.recorder) {
            let id = recorder.id().clone();
            if let Err(error) = recorder.pause().await {
                tracing::error!(%error, recording = %id, "the end of the recording could not be written; it is at the next start");
            }
        }
        self.leave().await;
    }
}

impl CurrentBroadcast {
    fn record(&mut self, snapshot: &Snapshot) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        self.token = Some(snapshot.token);
        let found = self.follower.follow(snapshot);
        if !found.is_empty() {
            recorder.offer(LogUpdate {
                renditions: found.into_iter().map(update).collect(),
                is_ended: snapshot.is_ended,
            });
        }
    }
}

fn update(found: FollowedParts) -> RenditionUpdate {
    let described = found.description;
    RenditionUpdate {
        rendition: found.rendition.folder().to_owned(),
        token: found.token,
        init: found.init.bytes.clone(),
        described: ChunkDescription {
            name: match described.height {
                0 => String::new(),
                height => format!("{height}p"),
            },
            codecs: described.codecs,
            width: described.width,
            height: described.height,
            frame_rate: described.frame_rate,
            channels: described.channels,
            bandwidth: found.peak_rate,
        },
        parts: found.parts.into_iter().map(new_part).collect(),
    }
}

fn new_part(part: FollowedPart) -> NewPart {
    NewPart {
        msn: part.msn,
        index: u32::try_from(part.index).unwrap_or(u32::MAX),
        bytes: part.bytes,
        duration_us: u32::try_from(part.duration_us).unwrap_or_default(),
        start_us: part.start_us,
        date: part.date,
        is_independent: part.is_independent,
        starts_segment: part.index == 0,
        is_discontinuity: part.is_discontinuity,
    }
}
