//! What everybody else holds of the archive.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};
use std::time::Duration;

use model::Clock;
use model::recording::{RecordingId, RecordingState};
use store::{Recording, Store};
use tokio::sync::{Notify, watch};

use crate::complaints::Complaints;
use crate::error::{ArchiveError, panicked};
use crate::folder::Folder;
use crate::guard::DiskGuard;
use crate::live_log::LiveLog;
use crate::log::position::position_after;
use crate::log::{
    LogPosition, NewRecording, Recorder, RecorderDeps, RecorderState, SHORTEST_WINDOW_US,
    empty_timeline,
};
use crate::reader::Reader;
use crate::timeline::Timeline;
use crate::timelines::{TimelineCache, read_timeline};

/// What the operator wants of the broadcast on air, whatever the settings say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordRequest {
    /// What the settings say.
    #[default]
    AsSet,
    /// Record this one.
    Record,
    /// Do not record this one any longer.
    Stop,
}

/// The recordings of this server, and the log of the broadcast on air; cheap to clone.
#[derive(Clone, Debug)]
pub struct Archive {
    pub(crate) folder: Folder,
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    guard: DiskGuard,
    live: watch::Sender<Option<LiveLog>>,
    /// `None` while nothing is on air here.
    request: watch::Sender<Option<RecordRequest>>,
    timelines: Arc<TimelineCache>,
    pub(crate) reader: Reader,
    pub(crate) complaints: Complaints,
    /// Told when a recording needs another picture.
    pub(crate) poster_wanted: Arc<Notify>,
}

impl Archive {
    pub fn new(folder: Folder, store: Store, clock: Arc<dyn Clock>) -> Self {
        Self {
            guard: DiskGuard::new(&folder),
            folder,
            store,
            clock,
            live: watch::Sender::new(None),
            request: watch::Sender::new(None),
            timelines: Arc::default(),
            reader: Reader::default(),
            complaints: Complaints::default(),
            poster_wanted: Arc::default(),
        }
    }

    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Time since the start of the process.
    pub fn uptime(&self) -> Duration {
        self.clock.uptime()
    }

    /// Deletes what was kept only to go back in a stream; nothing else.
    pub async fn delete_ring(&self, id: &RecordingId) -> Result<(), ArchiveError> {
        let recording = self.store.recording(id).await?;
        if recording.is_some_and(|one| one.state == RecordingState::Ring) {
            self.store.delete_recording(id, self.clock.now()).await?;
        }
        Ok(())
    }

    /// Whether there is room on the disk.
    pub fn guard(&self) -> &DiskGuard {
        &self.guard
    }

    /// The log of the broadcast on air. It stays for a while after the end, as the playlists do.
    pub fn live(&self) -> watch::Receiver<Option<LiveLog>> {
        self.live.subscribe()
    }

    /// Takes the log of this recording off the air.
    pub fn clear_live(&self, id: &RecordingId) {
        self.live.send_if_modified(|live| {
            let is_it = live.as_ref().is_some_and(|live| live.recording == *id);
            if is_it {
                *live = None;
            }
            is_it
        });
    }

    /// Records the broadcast on air, from the beginning of what is kept of it.
    pub fn record_this_one(&self) -> Result<(), ArchiveError> {
        self.ask(RecordRequest::Record)
    }

    /// Ends the recording of the broadcast on air. What was recorded stays.
    pub fn stop_recording(&self) -> Result<(), ArchiveError> {
        self.ask(RecordRequest::Stop)
    }

    fn ask(&self, request: RecordRequest) -> Result<(), ArchiveError> {
        let mut is_live = false;
        self.request.send_if_modified(|now| {
            is_live = now.is_some();
            let is_other = is_live && *now != Some(request);
            if is_other {
                *now = Some(request);
            }
            is_other
        });
        match is_live {
            true => Ok(()),
            false => Err(ArchiveError::NotLive),
        }
    }

    /// What the operator wants, for whoever begins and ends recordings.
    pub fn requests(&self) -> watch::Receiver<Option<RecordRequest>> {
        self.request.subscribe()
    }

    /// Whether a broadcast is on air here. What is kept of the last one is told in [`Archive::live`] for a while longer.
    pub fn is_on_air(&self) -> bool {
        self.request.borrow().is_some()
    }

    /// Says whether there is a broadcast here that could be recorded.
    pub fn set_on_air(&self, is_on_air: bool) {
        self.request.send_if_modified(|request| {
            let is_other = request.is_some() != is_on_air;
            if is_other {
                *request = is_on_air.then(RecordRequest::default);
            }
            is_other
        });
    }

    /// Begins a recording, or a ring. `window_us` is how far back viewers can go.
    pub async fn begin(&self, new: NewRecording, window_us: i64) -> Result<Recorder, ArchiveError> {
        let recording = Recording {
            id: store::new_recording_id(),
            stream_id: new.stream_id,
            state: match new.is_ring {
                true => RecordingState::Ring,
                false => RecordingState::Recording,
            },
            title: new.title,
            summary: String::new(),
            tags: Vec::new(),
            visibility: new.visibility,
            is_kept: false,
            keeps_chat: new.keeps_chat,
            started_at: self.clock.now(),
            ended_at: None,
            trim_start_us: None,
            trim_end_us: None,
            duration_us: 0,
            bytes: 0,
            deleted_at: None,
        };
        self.store.begin_recording(recording.clone()).await?;
        let position = LogPosition {
            session: 0,
            end_us: 0,
            next_ordinal: 0,
            next_numbers: BTreeMap::new(),
            chunks: VecDeque::new(),
        };
        let timeline = empty_timeline(recording.started_at);
        self.start(&recording, timeline, position, window_us)
    }

    /// Goes on with one that the last process did not end.
    pub async fn go_on(
        &self,
        recording: &Recording,
        window_us: i64,
    ) -> Result<Recorder, ArchiveError> {
        let rows = self.store.recording_chunks(&recording.id).await?;
        let mut timeline = self.read_indexes(recording, rows.clone()).await?;
        let position = position_after(&rows, &timeline);
        timeline.forget_before(position.end_us - window_us.max(SHORTEST_WINDOW_US));
        self.start(recording, Arc::new(timeline), position, window_us)
    }

    fn start(
        &self,
        recording: &Recording,
        timeline: Arc<Timeline>,
        position: LogPosition,
        window_us: i64,
    ) -> Result<Recorder, ArchiveError> {
        let is_ring = recording.state == RecordingState::Ring;
        let state = RecorderState {
            queued_bytes: AtomicU64::new(0),
            waits_since: AtomicU64::new(0),
            is_ring: AtomicBool::new(is_ring),
            window_us: AtomicI64::new(window_us),
            lost: AtomicU64::new(0),
        };
        self.live.send_replace(Some(LiveLog {
            recording: recording.id.clone(),
            timeline,
            is_ring,
            is_paused: !self.guard.may_write(),
            lost: 0,
        }));
        let deps = RecorderDeps {
            folder: self.folder.clone(),
            store: self.store.clone(),
            clock: Arc::clone(&self.clock),
            guard: self.guard.clone(),
            live: self.live.clone(),
        };
        Ok(Recorder::start(
            deps,
            recording.id.clone(),
            state,
            position,
        )?)
    }

    /// Where everything of a recording is, as far as it was written. Read once, and kept while it does not change.
    pub async fn timeline(&self, id: &RecordingId) -> Result<Arc<Timeline>, ArchiveError> {
        let missing = || ArchiveError::Missing(format!("recording {id}"));
        let recording = self.store.recording(id).await?.ok_or_else(missing)?;
        let rows = self.store.recording_chunks(id).await?;
        if let Some(known) = self.timelines.find(id, &rows) {
            return Ok(known);
        }
        let is_complete = rows.iter().all(|row| row.is_closed);
        let timeline = self.read_indexes(&recording, rows.clone()).await?;
        let timeline = Arc::new(timeline);
        if is_complete {
            let kept = Arc::clone(&timeline);
            self.timelines.keep(id.clone(), rows, kept);
        }
        Ok(timeline)
    }

    async fn read_indexes(
        &self,
        recording: &Recording,
        rows: Vec<store::RecordingChunk>,
    ) -> Result<Timeline, ArchiveError> {
        let (folder, recording) = (self.folder.clone(), recording.clone());
        let read = tokio::task::spawn_blocking(move || read_timeline(&folder, &recording, rows));
        read.await.map_err(|_| panicked())?
    }
}
