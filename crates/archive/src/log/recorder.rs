//! The end of a recording that others hold: it takes what is new, and never waits.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};

use jiff::Timestamp;
use model::recording::RecordingId;
use store::Store;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::rows::{RowQueue, write_rows};
use super::state::{LogEnd, LogPosition, RecorderDeps, RecorderState};
use super::update::LogUpdate;
use super::writer::{LogWriter, SYNC_EVERY};
use crate::error::ArchiveError;
use crate::live_log::LiveLog;

/// Limit (operators): seconds that a recording waits for a slow disk; what comes after that is missing from it, up to the
/// next key frame.
const MOST_WAIT_SECONDS: u64 = 10;
/// Bytes that wait, of a stream that comes faster than it plays. What plays now is in memory for its viewers anyway.
const MOST_QUEUED_BYTES: u64 = 256 * 1024 * 1024;
/// Updates that wait, however short they are.
const QUEUE: usize = 4096;

#[derive(Debug)]
struct QueuedUpdate {
    update: LogUpdate,
    /// Something before it did not fit.
    is_after_loss: bool,
    /// Milliseconds since the start of the process.
    offered_at: u64,
}

/// Writes one broadcast, on a thread of its own.
#[derive(Debug)]
pub struct Recorder {
    id: RecordingId,
    deps: RecorderDeps,
    state: Arc<RecorderState>,
    queue: SyncSender<QueuedUpdate>,
    has_lost: AtomicBool,
    ended: oneshot::Receiver<LogEnd>,
    rows: JoinHandle<()>,
}

impl Recorder {
    /// Begins to write, or goes on.
    pub(crate) fn start(
        deps: RecorderDeps,
        id: RecordingId,
        state: RecorderState,
        position: LogPosition,
    ) -> io::Result<Self> {
        let state = Arc::new(state);
        let (rows, changes) = RowQueue::new();
        let writer = LogWriter::new(&deps, id.clone(), rows, Arc::clone(&state), position);
        let (queue, updates) = sync_channel(QUEUE);
        let (end, ended) = oneshot::channel();
        let shared = Arc::clone(&state);
        std::thread::Builder::new()
            .name("recorder".into())
            .spawn(move || {
                let _ = end.send(write_all(writer, &updates, &shared));
            })?;
        let rows = tokio::spawn(write_rows(deps.store.clone(), id.clone(), changes));
        Ok(Self {
            id,
            deps,
            state,
            queue,
            has_lost: AtomicBool::new(false),
            ended,
            rows,
        })
    }

    pub fn id(&self) -> &RecordingId {
        &self.id
    }

    pub fn is_ring(&self) -> bool {
        self.state.is_ring.load(Ordering::Relaxed)
    }

    /// Takes what is new. Never waits: what the disk is too slow for is lost from the recording.
    pub fn offer(&self, update: LogUpdate) {
        let (bytes, parts) = (update.bytes(), update.parts());
        let now = self.deps.clock.uptime().as_millis();
        let now = u64::try_from(now).unwrap_or(u64::MAX);
        let queued = QueuedUpdate {
            update,
            is_after_loss: self.has_lost.load(Ordering::Relaxed),
            offered_at: now,
        };
        if self.has_room(bytes, now) && self.push(queued, bytes) {
            self.has_lost.store(false, Ordering::Relaxed);
            return;
        }
        if !self.has_lost.swap(true, Ordering::Relaxed) {
            tracing::warn!(recording = %self.id, "the disk is too slow for the recording: something is missing from here on; the stream goes on");
        }
        self.state.lost.fetch_add(parts, Ordering::Relaxed);
        metrics::counter!("rillcast_recording_lost_parts_total").increment(parts);
    }

    /// Whether the disk keeps up.
    fn has_room(&self, bytes: u64, now: u64) -> bool {
        let queued = self.state.queued_bytes.load(Ordering::Acquire);
        if queued == 0 {
            self.state.waits_since.store(now, Ordering::Relaxed);
            return true;
        }
        let since = self.state.waits_since.load(Ordering::Relaxed);
        now.saturating_sub(since) < MOST_WAIT_SECONDS * 1000
            && queued.saturating_add(bytes) <= MOST_QUEUED_BYTES
    }

    fn push(&self, queued: QueuedUpdate, bytes: u64) -> bool {
        // Before it is sent, so that the thread never takes away more than there is.
        self.state.queued_bytes.fetch_add(bytes, Ordering::Relaxed);
        let is_pushed = self.queue.try_send(queued).is_ok();
        if !is_pushed {
            self.state.queued_bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
        is_pushed
    }

    /// How far back viewers can go.
    pub fn set_window(&self, us: i64) {
        self.state.window_us.store(us, Ordering::Relaxed);
    }

    /// Makes a recording of a ring, from the beginning of what is kept.
    pub async fn promote(&self) -> Result<(), ArchiveError> {
        if !self.state.is_ring.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        self.modify_live(|live| live.is_ring = false);
        let now = self.deps.clock.now();
        if !self.deps.store.promote_ring(&self.id, now).await? {
            return Ok(());
        }
        // Viewers of the recording see it begin where the ring does.
        let first = self.first_kept_us().await?;
        if let Some(first) = first.filter(|first| *first > 0) {
            let change = store::RecordingChange {
                trim_start_us: Some(Some(first)),
                ..Default::default()
            };
            self.deps
                .store
                .change_recording(&self.id, change, now)
                .await?;
        }
        Ok(())
    }

    /// Where the oldest chunk begins that is not deleted.
    async fn first_kept_us(&self) -> Result<Option<i64>, ArchiveError> {
        let mut first: Option<i64> = None;
        for chunk in self.deps.store.recording_chunks(&self.id).await? {
            // Its row may still be there.
            let file = self
                .deps
                .folder
                .chunk(&self.id, &chunk.rendition, chunk.number);
            if let Some(file) = file
                && tokio::fs::try_exists(file).await?
            {
                first = Some(first.map_or(chunk.start_us, |first| first.min(chunk.start_us)));
            }
        }
        Ok(first)
    }

    /// Writes what was taken, and ends the recording. A ring stays until it is deleted.
    pub async fn finish(self) -> Result<(), ArchiveError> {
        let (id, store, clock) = (
            self.id.clone(),
            self.deps.store.clone(),
            Arc::clone(&self.deps.clock),
        );
        let is_ring = self.is_ring();
        let end = self.close().await?;
        if !is_ring {
            end_recording(&store, &id, clock.now(), end).await?;
        }
        Ok(())
    }

    /// Writes what was taken. The recording may go on later, with another recorder.
    pub async fn pause(self) -> Result<(), ArchiveError> {
        self.close().await.map(drop)
    }

    async fn close(self) -> Result<LogEnd, ArchiveError> {
        let Self {
            queue, ended, rows, ..
        } = self;
        drop(queue);
        let end = ended.await;
        // It ends once the thread has, and everything is written.
        let is_written = rows.await.is_ok();
        match end {
            Ok(end) if is_written => Ok(end),
            _ => Err(ArchiveError::Damaged(
                "the recording ended in the middle".into(),
            )),
        }
    }

    /// Waits until everything that was offered is written.
    #[cfg(test)]
    pub(crate) async fn settled(&self) {
        while self.state.queued_bytes.load(Ordering::Acquire) > 0 {
            tokio::task::yield_now().await;
        }
    }

    fn modify_live(&self, change: impl FnOnce(&mut LiveLog)) {
        self.deps.live.send_if_modified(|live| {
            let own = live.as_mut().filter(|live| live.recording == self.id);
            own.map(change).is_some()
        });
    }
}

/// Ends a recording whose files are complete.
pub(crate) async fn end_recording(
    store: &Store,
    id: &RecordingId,
    at: Timestamp,
    end: LogEnd,
) -> Result<(), ArchiveError> {
    store
        .finish_recording(id, at, end.duration_us, end.bytes)
        .await?;
    if end.duration_us == 0 {
        // Nothing of it was ever complete.
        store.delete_recording(id, at).await?;
    }
    Ok(())
}

/// The thread: writes until nobody gives it more.
fn write_all(
    mut writer: LogWriter,
    updates: &Receiver<QueuedUpdate>,
    state: &RecorderState,
) -> LogEnd {
    loop {
        match updates.recv_timeout(SYNC_EVERY) {
            Ok(queued) => {
                state
                    .waits_since
                    .store(queued.offered_at, Ordering::Relaxed);
                writer.take(&queued.update, queued.is_after_loss);
                let bytes = queued.update.bytes();
                state.queued_bytes.fetch_sub(bytes, Ordering::Release);
            }
            Err(RecvTimeoutError::Timeout) => writer.look_after(),
            Err(RecvTimeoutError::Disconnected) => return writer.finish(),
        }
    }
}
