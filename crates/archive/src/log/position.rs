//! Where a recording stands.

use std::collections::BTreeMap;

use store::RecordingChunk;

use super::state::{ClosedChunk, LogPosition};
use crate::timeline::Timeline;

/// The end of what is in these chunks.
pub(crate) fn end_of(rows: &[RecordingChunk]) -> i64 {
    let ends = rows.iter().map(|row| row.start_us + row.duration_us);
    ends.max().unwrap_or(0)
}

/// Where a recording goes on.
pub(crate) fn position_after(rows: &[RecordingChunk], timeline: &Timeline) -> LogPosition {
    let mut next_numbers = BTreeMap::new();
    for row in rows {
        let next: &mut u32 = next_numbers.entry(row.rendition.clone()).or_default();
        *next = (*next).max(row.number + 1);
    }
    let segments = timeline
        .renditions
        .iter()
        .flat_map(|one| one.segments.last());
    let last = segments.map(|segment| segment.ordinal).max();
    let sessions = rows.iter().map(|row| row.session);
    let mut by_end: Vec<&RecordingChunk> = rows.iter().collect();
    by_end.sort_by_key(|row| row.start_us + row.duration_us);
    let chunks = by_end.into_iter().map(|row| ClosedChunk {
        rendition: row.rendition.clone(),
        number: row.number,
        end_us: row.start_us + row.duration_us,
        bytes: row.bytes,
    });
    LogPosition {
        session: sessions.max().map_or(0, |last| last + 1),
        end_us: end_of(rows),
        next_ordinal: last.map_or(0, |last| last + 1),
        next_numbers,
        chunks: chunks.collect(),
    }
}
