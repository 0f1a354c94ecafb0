//! What has to be done now and then: have the disk keep what is written, say how much it is, delete what is too old.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::LogWriter;
use crate::log::chunk::{ChunkFile, ChunkPaths};
use crate::log::rows::RowChange;
use crate::log::state::{ClosedChunk, LogEnd};

/// A power cut costs as much as this.
pub(crate) const SYNC_EVERY: Duration = Duration::from_secs(5);
/// How often the row of the recording says how long it is.
const NOTE_EVERY: Duration = Duration::from_secs(10);
/// What can be rewound to is kept for a little longer, for those who just asked where it is.
const RING_MARGIN_US: i64 = 60_000_000;

impl LogWriter {
    /// Deletes what nobody can go back to any more, if this is no recording.
    pub(super) fn delete_old(&mut self) {
        if !self.state.is_ring.load(Ordering::Relaxed) {
            return;
        }
        let kept_from = self.end_us - self.window_us() - RING_MARGIN_US;
        let is_old = |chunk: &ClosedChunk| chunk.end_us < kept_from;
        while self.closed.front().is_some_and(is_old)
            && let Some(oldest) = self.closed.pop_front()
        {
            self.delete(&oldest);
        }
    }

    fn delete(&mut self, chunk: &ClosedChunk) {
        let (name, number) = (&chunk.rendition, chunk.number);
        let media = self.folder.chunk(&self.id, name, number);
        let index = self.folder.index(&self.id, name, number);
        if let (Some(media), Some(index)) = (media, index)
            && let Err(error) = (ChunkPaths { media, index }).delete()
        {
            tracing::warn!(%error, recording = %self.id, "an old file of the rewind window cannot be deleted");
        }
        self.closed_bytes = self.closed_bytes.saturating_sub(chunk.bytes);
        self.rows.push(RowChange::Forget {
            rendition: name.clone(),
            number,
        });
    }

    /// What is due now.
    pub(crate) fn look_after(&mut self) {
        let now = self.clock.uptime();
        if now.saturating_sub(self.synced_at) >= SYNC_EVERY {
            self.synced_at = now;
            self.sync(now);
        }
        if now.saturating_sub(self.noted_at) >= NOTE_EVERY {
            self.noted_at = now;
            self.note();
        }
    }

    fn sync(&mut self, now: Duration) {
        let mut failed = None;
        let mut gone = Vec::new();
        for (name, log) in &mut self.renditions {
            let Some(chunk) = &mut log.open else {
                continue;
            };
            match chunk.sync() {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => gone.push(name.clone()),
                Err(error) => failed = Some(error),
            }
        }
        for name in gone {
            tracing::error!(recording = %self.id, rendition = name, "a file of the recording was deleted while it was written; it goes on in another");
            self.close(&name, true);
        }
        if let Some(error) = failed {
            self.fail(&error, now);
        }
    }

    /// Says how long the recording is, and how large.
    pub(super) fn note(&self) {
        let end = self.end();
        self.rows.push(RowChange::Note {
            duration_us: end.duration_us,
            bytes: end.bytes,
        });
    }

    pub(super) fn end(&self) -> LogEnd {
        let open = self.renditions.values().filter_map(|log| log.open.as_ref());
        LogEnd {
            duration_us: self.end_us,
            bytes: self.closed_bytes + open.map(ChunkFile::len).sum::<u64>(),
        }
    }
}
