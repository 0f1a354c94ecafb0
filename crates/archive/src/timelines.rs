//! Reads time lines from the disk, and keeps the newest.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use model::recording::RecordingId;
use store::{Recording, RecordingChunk};

use crate::error::ArchiveError;
use crate::folder::Folder;
use crate::log::recover::closed_index;
use crate::timeline::{IndexedChunk, Timeline};

/// Bytes of time lines in memory. Beyond it those that were not asked for longest go; one is always kept.
const MOST_BYTES: usize = 8 * 1024 * 1024;

#[derive(Debug)]
struct CachedTimeline {
    id: RecordingId,
    /// What it was read from.
    rows: Vec<RecordingChunk>,
    timeline: Arc<Timeline>,
}

/// Newest last.
#[derive(Debug, Default)]
pub(crate) struct TimelineCache(Mutex<VecDeque<CachedTimeline>>);

impl TimelineCache {
    /// The one that was made from these rows.
    pub(crate) fn find(&self, id: &RecordingId, rows: &[RecordingChunk]) -> Option<Arc<Timeline>> {
        let mut cached = self.0.lock().ok()?;
        let at = cached.iter().position(|one| one.id == *id)?;
        let found = cached.remove(at)?;
        if found.rows != rows {
            return None;
        }
        let timeline = Arc::clone(&found.timeline);
        cached.push_back(found);
        Some(timeline)
    }

    pub(crate) fn keep(&self, id: RecordingId, rows: Vec<RecordingChunk>, timeline: Arc<Timeline>) {
        let Ok(mut cached) = self.0.lock() else {
            return;
        };
        cached.retain(|one| one.id != id);
        cached.push_back(CachedTimeline { id, rows, timeline });
        let mut bytes: usize = cached.iter().map(|one| one.timeline.weight()).sum();
        while bytes > MOST_BYTES
            && cached.len() > 1
            && let Some(oldest) = cached.pop_front()
        {
            bytes -= oldest.timeline.weight();
        }
    }
}

/// Reads the indexes of these chunks. Blocks.
pub(crate) fn read_timeline(
    folder: &Folder,
    recording: &Recording,
    rows: Vec<RecordingChunk>,
) -> Result<Timeline, ArchiveError> {
    let mut chunks = Vec::with_capacity(rows.len());
    for row in rows {
        match closed_index(folder, &row)? {
            Some(index) => chunks.push(IndexedChunk { row, index }),
            None => {
                tracing::warn!(recording = %row.recording, rendition = row.rendition, number = row.number, "a file of a recording is gone");
            }
        }
    }
    Ok(Timeline::of_chunks(chunks, recording.started_at))
}
