//! What everybody else holds of the archive.

use std::sync::Arc;

use model::Clock;
use model::recording::RecordingId;
use store::Store;
use tokio::sync::watch;

use crate::error::ArchiveError;
use crate::folder::Folder;
use crate::guard::DiskGuard;
use crate::live_log::LiveLog;
use crate::reader::Reader;
use crate::replays::Complaints;
use crate::timeline::Timeline;

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
    pub(crate) reader: Reader,
    pub(crate) complaints: Complaints,
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
            reader: Reader::default(),
            complaints: Complaints::default(),
        }
    }

    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Whether there is room on the disk.
    pub fn guard(&self) -> &DiskGuard {
        &self.guard
    }

    /// The log of the broadcast on air.
    pub fn live(&self) -> watch::Receiver<Option<LiveLog>> {
        self.live.subscribe()
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
        is_live.then_some(()).ok_or(ArchiveError::NotLive)
    }

    /// Where everything of a recording is, as far as it was written. Read once, and kept while it does not change.
    pub async fn timeline(&self, id: &RecordingId) -> Result<Arc<Timeline>, ArchiveError> {
        Err(ArchiveError::Missing(format!("recording {id}")))
    }
}
