//! Records broadcasts in the database.
//!
//! The engine never waits for the database: it queues entries, and [`HistoryWriter::run`] writes them in order and
//! retries after a failure, so that an event is late rather than lost.

use std::time::Duration;

use jiff::Timestamp;
use model::StreamStatus;
use store::{Lease, Store, StoreError, StreamRecord};
use tokio::sync::mpsc;

/// Entries that wait for the database. A broadcast has two; when it is full the engine waits, which takes dozens of
/// broadcasts while the database is away.
const QUEUE: usize = 64;
/// Between two tries to write.
const AGAIN: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
enum HistoryEntry {
    Began {
        id: String,
        at: Timestamp,
        title: String,
    },
    Progress {
        id: String,
        peak: u32,
        title: String,
    },
    Ended {
        id: String,
        at: Timestamp,
        peak: u32,
    },
}

/// The engine's end of the queue.
#[derive(Debug)]
pub(super) struct History(mpsc::Sender<HistoryEntry>);

/// The writer's end of the queue.
#[derive(Debug)]
pub(crate) struct HistoryWriter {
    store: Store,
    entries: mpsc::Receiver<HistoryEntry>,
}

/// What the database has stored when this server begins to take in the stream.
#[derive(Debug)]
pub(super) struct StoredHistory {
    pub(super) status: StreamStatus,
    /// The broadcast that the last process did not end, and how often it was resumed.
    pub(super) unfinished: Option<(StreamRecord, u32)>,
}

impl History {
    pub(super) fn open(store: Store) -> (Self, HistoryWriter) {
        let (queue, entries) = mpsc::channel(QUEUE);
        (Self(queue), HistoryWriter { store, entries })
    }

    /// Ends what nobody can resume, and notes that the rest is resumed.
    pub(super) async fn load(store: &Store) -> Result<StoredHistory, StoreError> {
        let last = store.recent_streams(1).await?.into_iter().next();
        let mut unfinished = store.unfinished_streams().await?.into_iter();
        let resumed = match unfinished.next() {
            Some(record) => {
                let times = store.resume_stream(record.id.clone()).await?;
                Some((record, times))
            }
            None => None,
        };
        // These ends were never written; nobody can resume these broadcasts.
        for forgotten in unfinished {
            let StreamRecord {
                id,
                started_at,
                peak_viewers,
                ..
            } = forgotten;
            store.end_stream(id, started_at, peak_viewers).await?;
        }
        let status = StreamStatus {
            last_connect: last.as_ref().map(|record| record.started_at),
            last_disconnect: last.as_ref().and_then(|record| record.ended_at),
            overall_peak: store.overall_peak().await?,
            ..StreamStatus::default()
        };
        Ok(StoredHistory {
            status,
            unfinished: resumed,
        })
    }

    pub(super) async fn begin(&self, id: String, at: Timestamp, title: String) {
        self.put(HistoryEntry::Began { id, at, title }).await;
    }

    /// Records the peak and the title so far; if the queue is full, the next ones will do.
    pub(super) fn note_progress(&self, id: String, peak: u32, title: String) {
        drop(self.0.try_send(HistoryEntry::Progress { id, peak, title }));
    }

    pub(super) async fn end(&self, id: String, at: Timestamp, peak: u32) {
        self.put(HistoryEntry::Ended { id, at, peak }).await;
    }

    async fn put(&self, entry: HistoryEntry) {
        if let Err(error) = self.0.send(entry).await {
            tracing::error!(entry = ?error.0, "the task that writes the stream's history has ended");
        }
    }
}

impl HistoryWriter {
    /// Writes until the engine is gone and the queue is empty. Once another server has the lease the history is that
    /// server's, and entries of this one are dropped; the video goes on.
    pub(crate) async fn run(mut self, lease: &Lease) {
        self.store = self.store.under(lease);
        while let Some(entry) = self.entries.recv().await {
            while let Err(error) = self.write(entry.clone()).await {
                if error.is_lease_lost() {
                    tracing::warn!(%error, "the stream's history is written by another server");
                    break;
                }
                tracing::error!(%error, "cannot write the stream's history, trying again");
                if self.entries.is_closed() {
                    // The server stops; the next process finds the broadcast unfinished and ends it.
                    return;
                }
                tokio::time::sleep(AGAIN).await;
            }
        }
    }

    async fn write(&self, entry: HistoryEntry) -> Result<(), StoreError> {
        match entry {
            HistoryEntry::Began { id, at, title } => self.store.begin_stream(id, at, title).await,
            HistoryEntry::Progress { id, peak, title } => {
                self.store.note_stream(id, peak, title).await
            }
            HistoryEntry::Ended { id, at, peak } => self.store.end_stream(id, at, peak).await,
        }
    }
}

/// A number that cannot be guessed and that no earlier session used.
pub(super) fn random_token() -> u64 {
    let mut bytes = [0; 8];
    // Fails only without any system randomness; the names then differ by luck instead of by design.
    let _ = aws_lc_rs::rand::fill(&mut bytes);
    u64::from_be_bytes(bytes)
}
