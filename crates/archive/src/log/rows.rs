//! Writes the rows of a recording, behind what is written to its files.

use std::time::Duration;

use model::recording::RecordingId;
use store::{RecordingChunk, Store, StoreError};
use tokio::sync::{mpsc, oneshot};

/// Rows that wait. The writer of the files waits if there are more, and its own queue begins to fill.
const QUEUE: usize = 256;
/// How often a row is tried before it is given up; the next start finds out from the files.
const TRIES: u32 = 3;
const RETRY_PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) enum RowChange {
    /// Whoever opens a chunk waits until its row is there: files without a row would have to be looked for.
    Open(RecordingChunk, oneshot::Sender<()>),
    Close(RecordingChunk),
    /// Its files are gone.
    Forget {
        rendition: String,
        number: u32,
    },
    Note {
        duration_us: i64,
        bytes: u64,
    },
}

/// The end of the queue that a thread can wait at.
#[derive(Clone, Debug)]
pub(crate) struct RowQueue(mpsc::Sender<RowChange>);

impl RowQueue {
    pub(crate) fn new() -> (Self, mpsc::Receiver<RowChange>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        (Self(sender), receiver)
    }

    /// Waits for the row of a new chunk.
    pub(crate) fn open(&self, row: RecordingChunk) {
        let (done, is_done) = oneshot::channel();
        self.push(RowChange::Open(row, done));
        let _ = is_done.blocking_recv();
    }

    pub(crate) fn push(&self, change: RowChange) {
        // Nobody takes rows any more only if the process ends.
        let _ = self.0.blocking_send(change);
    }
}

/// Writes rows until nobody has any more.
pub(crate) async fn write_rows(
    store: Store,
    recording: RecordingId,
    mut changes: mpsc::Receiver<RowChange>,
) {
    while let Some(change) = changes.recv().await {
        for attempt in 1..=TRIES {
            match write_row(&store, &recording, &change).await {
                Ok(()) => break,
                Err(error) if attempt == TRIES => {
                    tracing::warn!(%error, "a row of the recording could not be written; the files are complete");
                }
                Err(_) => tokio::time::sleep(RETRY_PAUSE).await,
            }
        }
        if let RowChange::Open(_, done) = change {
            let _ = done.send(());
        }
    }
}

async fn write_row(
    store: &Store,
    recording: &RecordingId,
    change: &RowChange,
) -> Result<(), StoreError> {
    match change {
        RowChange::Open(row, _) => store.open_chunk(row.clone()).await,
        RowChange::Close(row) => store.close_chunk(row.clone()).await,
        RowChange::Forget { rendition, number } => {
            store.forget_chunk(recording, rendition, *number).await
        }
        RowChange::Note { duration_us, bytes } => {
            store.note_recording(recording, *duration_us, *bytes).await
        }
    }
}
