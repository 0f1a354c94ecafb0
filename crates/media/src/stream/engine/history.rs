//! What is written down about broadcasts.

use jiff::Timestamp;
use model::StreamStatus;
use store::{Store, StoreError, StreamRecord};

/// Entries that could not be written and are tried again; a database that is away longer loses the oldest.
const MAX_UNWRITTEN: usize = 64;

#[derive(Clone, Debug)]
enum Entry {
    Began {
        id: String,
        at: Timestamp,
        title: String,
    },
    Peak {
        id: String,
        peak: u32,
    },
    Ended {
        id: String,
        at: Timestamp,
        peak: u32,
    },
}

/// Writes entries in order, and again after a failure: an event is late rather than lost.
#[derive(Debug)]
pub(super) struct History {
    store: Store,
    unwritten: std::collections::VecDeque<Entry>,
}

/// What the database knows at start.
#[derive(Debug)]
pub(super) struct Remembered {
    pub(super) status: StreamStatus,
    pub(super) unfinished: Option<StreamRecord>,
}

impl History {
    pub(super) async fn load(store: Store) -> Result<(Self, Remembered), StoreError> {
        let last = store.recent_streams(1).await?.into_iter().next();
        let unfinished = store.unfinished_stream().await?;
        let status = StreamStatus {
            last_connect: last.as_ref().map(|record| record.started_at),
            last_disconnect: last.as_ref().and_then(|record| record.ended_at),
            overall_peak: store.overall_peak().await?,
            ..StreamStatus::default()
        };
        let history = Self {
            store,
            unwritten: std::collections::VecDeque::new(),
        };
        Ok((history, Remembered { status, unfinished }))
    }

    pub(super) async fn begin(&mut self, id: String, at: Timestamp, title: String) {
        self.put(Entry::Began { id, at, title }).await;
    }

    /// This process goes on with a broadcast; returns how often one has.
    pub(super) async fn resume(&self, id: String) -> Result<u32, StoreError> {
        self.store.resume_stream(id).await
    }

    pub(super) async fn note_peak(&mut self, id: String, peak: u32) {
        self.put(Entry::Peak { id, peak }).await;
    }

    pub(super) async fn end(&mut self, id: String, at: Timestamp, peak: u32) {
        self.put(Entry::Ended { id, at, peak }).await;
    }

    async fn put(&mut self, entry: Entry) {
        if self.unwritten.len() == MAX_UNWRITTEN {
            self.unwritten.pop_front();
        }
        self.unwritten.push_back(entry);
        self.retry().await;
    }

    /// Writes what is waiting.
    pub(super) async fn retry(&mut self) {
        while let Some(entry) = self.unwritten.front() {
            let written = match entry.clone() {
                Entry::Began { id, at, title } => self.store.begin_stream(id, at, title).await,
                Entry::Peak { id, peak } => self.store.note_stream_peak(id, peak).await,
                Entry::Ended { id, at, peak } => self.store.end_stream(id, at, peak).await,
            };
            if let Err(error) = written {
                tracing::error!(%error, waiting = self.unwritten.len(), "cannot write the stream's history, trying again");
                return;
            }
            self.unwritten.pop_front();
        }
    }
}

/// A number nobody can guess and no earlier session had.
pub(super) fn random_token() -> u64 {
    let mut bytes = [0; 8];
    // Fails only where the system has no randomness at all; the names then differ by luck instead of by design.
    let _ = aws_lc_rs::rand::fill(&mut bytes);
    u64::from_be_bytes(bytes)
}
