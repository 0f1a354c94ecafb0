//! Records broadcasts in the database.
//!
//! The engine never waits for the database: it queues entries, and [`HistoryWriter::run`] writes them in order and
//! retries after a failure, so that an event is late rather than lost.

use std::time::Duration;

use jiff::Timestamp;
use model::StreamStatus;
use store::{Lease, PlaylistPosition, Store, StoreError, StreamRecord};
use tokio::sync::{mpsc, watch};

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
pub(super) struct History {
    entries: mpsc::Sender<HistoryEntry>,
    /// Where the playlists stand; only the newest position counts.
    position: watch::Sender<Option<PlaylistPosition>>,
}

/// The writer's end of the queue.
#[derive(Debug)]
pub(crate) struct HistoryWriter {
    store: Store,
    entries: mpsc::Receiver<HistoryEntry>,
    position: watch::Receiver<Option<PlaylistPosition>>,
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
        let (sender, position) = watch::channel(None);
        let history = Self {
            entries: queue,
            position: sender,
        };
        let writer = HistoryWriter {
            store,
            entries,
            position,
        };
        (history, writer)
    }

    /// One that writes nothing, for a server that does not take in the stream.
    pub(super) fn closed() -> Self {
        Self {
            entries: mpsc::channel(1).0,
            position: watch::Sender::new(None),
        }
    }

    /// When somebody was on last, and how many were watching at most.
    pub(super) async fn status(store: &Store) -> Result<StreamStatus, StoreError> {
        let last = store.recent_streams(1).await?.into_iter().next();
        Ok(StreamStatus {
            last_connect: last.as_ref().map(|record| record.started_at),
            last_disconnect: last.as_ref().and_then(|record| record.ended_at),
            overall_peak: store.overall_peak().await?,
            ..StreamStatus::default()
        })
    }

    /// Ends what nobody can resume, and notes that the rest is resumed.
    pub(super) async fn load(store: &Store) -> Result<StoredHistory, StoreError> {
        let before = Self::status(store).await?;
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
        Ok(StoredHistory {
            status: before,
            unfinished: resumed,
        })
    }

    pub(super) async fn begin(&self, id: String, at: Timestamp, title: String) {
        self.put(HistoryEntry::Began { id, at, title }).await;
    }

    /// Records the peak and the title so far; if the queue is full, the next ones will do.
    pub(super) fn note_progress(&self, id: String, peak: u32, title: String) {
        let entry = HistoryEntry::Progress { id, peak, title };
        drop(self.entries.try_send(entry));
    }

    /// Writes down where the playlists stand, as soon as there is nothing else to write.
    pub(super) fn note_position(&self, position: PlaylistPosition) {
        self.position.send_replace(Some(position));
    }

    pub(super) async fn end(&self, id: String, at: Timestamp, peak: u32) {
        self.put(HistoryEntry::Ended { id, at, peak }).await;
    }

    async fn put(&self, entry: HistoryEntry) {
        if let Err(error) = self.entries.send(entry).await {
            tracing::error!(entry = ?error.0, "the task that writes the stream's history has ended");
        }
    }
}

impl HistoryWriter {
    /// Writes until the engine is gone and the queue is empty, under the newest of the leases: one that lapsed may be taken
    /// back. Once another server has it the history is that server's, and entries of this one are dropped.
    pub(crate) async fn run(mut self, mut leases: watch::Receiver<Lease>) {
        let mut noted = None;
        loop {
            let entry = tokio::select! {
                biased;
                entry = self.entries.recv() => entry,
                Ok(()) = self.position.changed() => {
                    self.write_position(&mut noted, &mut leases).await;
                    continue;
                }
            };
            match entry {
                Some(entry) => self.write_at_last(&entry, &mut leases).await,
                None => break,
            }
        }
        self.write_position(&mut noted, &mut leases).await;
    }

    /// Writes the position if it is another one; if that fails, the next one will do.
    async fn write_position(
        &mut self,
        noted: &mut Option<PlaylistPosition>,
        leases: &mut watch::Receiver<Lease>,
    ) {
        let newest = self.position.borrow_and_update().clone();
        let Some(position) = newest.filter(|newest| noted.as_ref() != Some(newest)) else {
            return;
        };
        let store = self.store_under(leases);
        match store.note_playlist_position(position.clone()).await {
            Ok(()) => *noted = Some(position),
            Err(error) => tracing::debug!(%error, "cannot write down where the playlists stand"),
        }
    }

    /// Tries until the entry is written, or never can be.
    async fn write_at_last(&mut self, entry: &HistoryEntry, leases: &mut watch::Receiver<Lease>) {
        loop {
            let store = self.store_under(leases);
            let Err(error) = Self::write(&store, entry.clone()).await else {
                return;
            };
            if error.is_lease_lost() {
                if leases.changed().await.is_ok() {
                    continue;
                }
                tracing::warn!(%error, "the stream's history is written by another server");
                return;
            }
            tracing::error!(%error, "cannot write the stream's history, trying again");
            if self.entries.is_closed() {
                // The server stops; the next process finds the broadcast unfinished and ends it.
                return;
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    fn store_under(&self, leases: &mut watch::Receiver<Lease>) -> Store {
        let lease = leases.borrow_and_update();
        self.store.under(&lease)
    }

    async fn write(store: &Store, entry: HistoryEntry) -> Result<(), StoreError> {
        match entry {
            HistoryEntry::Began { id, at, title } => store.begin_stream(id, at, title).await,
            HistoryEntry::Progress { id, peak, title } => store.note_stream(id, peak, title).await,
            HistoryEntry::Ended { id, at, peak } => store.end_stream(id, at, peak).await,
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
