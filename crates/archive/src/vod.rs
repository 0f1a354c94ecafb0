//! The playlists of a replay: byte ranges of the chunks as they lie in the folder.
//!
//! A [`Replay`] is what is shown of a recording: everything, or what lies between two marks. Both marks are beginnings
//! of independent segments of the leading rendition, and the other renditions follow it segment by segment, so that all
//! lists have the same entries.

mod clock;
mod master;
mod media;

use std::ops::Range;
use std::sync::Arc;

use crate::timeline::{RenditionTimeline, Timeline, TimelineSegment};

pub use clock::ReplayClock;

/// A rendition that has less of what is shown is not offered; what it lacks otherwise are gaps in its list.
const LEAST_PERCENT: usize = 90;

/// The marks between which a recording is shown, in microseconds from its beginning; `None` for its own ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    pub start_us: Option<i64>,
    pub end_us: Option<i64>,
}

/// What of a chunk may be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownChunk {
    /// The chunk's length.
    pub bytes: u64,
    /// The init segment, from the beginning of the file.
    pub init_len: u64,
    /// The fragments that are shown, back to back.
    pub shown: Range<u64>,
}

impl ShownChunk {
    /// Whether these bytes are shown, all of them.
    #[must_use]
    pub fn allows(&self, bytes: &Range<u64>) -> bool {
        let is_whole_start = self.shown.start <= self.init_len;
        let start = if is_whole_start { 0 } else { self.shown.start };
        let is_init = bytes.end <= self.init_len;
        is_init || (bytes.start >= start && bytes.end <= self.shown.end)
    }
}

/// Where a key frame for a picture of the recording lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StillSource {
    pub rendition: String,
    pub number: u32,
    /// The init segment.
    pub init: Range<u64>,
    /// A segment that begins with a key frame.
    pub segment: Range<u64>,
}

/// What is shown of a recording.
#[derive(Clone, Debug)]
pub struct Replay {
    timeline: Arc<Timeline>,
    /// Of the leading rendition: its position, and the positions of its segments that are shown.
    leading: usize,
    shown: Range<usize>,
}

impl Replay {
    /// `None` if there is nothing to show.
    #[must_use]
    pub fn new(timeline: Arc<Timeline>, cut: Cut) -> Option<Self> {
        let leading = leading(&timeline)?;
        let segments = &timeline.renditions[leading].segments;
        let first = match cut.start_us {
            Some(at) => segments.partition_point(|segment| segment.start_us < at),
            None => 0,
        };
        let end = match cut.end_us {
            Some(at) => segments.partition_point(|segment| segment.start_us < at),
            None => segments.len(),
        };
        (first < end).then_some(Self {
            timeline,
            leading,
            shown: first..end,
        })
    }

    /// Where it begins, in microseconds from the recording's beginning.
    #[must_use]
    pub fn start_us(&self) -> i64 {
        self.lead().first().map_or(0, |segment| segment.start_us)
    }

    /// Where it ends.
    #[must_use]
    pub fn end_us(&self) -> i64 {
        self.lead().last().map_or(0, TimelineSegment::end_us)
    }

    /// The multivariant playlist.
    #[must_use]
    pub fn master(&self) -> String {
        master::write(self)
    }

    /// The media playlist of a rendition; `None` if it is not offered.
    #[must_use]
    pub fn playlist(&self, rendition: &str) -> Option<String> {
        let found = self.offered().find(|one| one.rendition == rendition)?;
        Some(media::write(self, found))
    }

    /// What of a chunk may be read; `None` if nothing of it is shown.
    #[must_use]
    pub fn chunk(&self, rendition: &str, number: u32) -> Option<ShownChunk> {
        let found = self.offered().find(|one| one.rendition == rendition)?;
        let chunk = found.chunk(number)?;
        let shown = self.segments_of(found);
        let from = shown.partition_point(|segment| segment.chunk < number);
        let to = shown.partition_point(|segment| segment.chunk <= number);
        let inside = &shown[from..to];
        let (first, last) = (inside.first()?, inside.last()?);
        Some(ShownChunk {
            bytes: chunk.bytes,
            init_len: u64::from(chunk.init_len),
            shown: first.offset..last.offset + last.len,
        })
    }

    /// A key frame a while after the beginning, which is seldom the best picture; `None` without a picture.
    #[must_use]
    pub fn still(&self) -> Option<StillSource> {
        let rendition = &self.timeline.renditions[self.leading];
        if is_sound(rendition) {
            return None;
        }
        let lead = self.lead();
        let later = &lead[lead.len() / 10..];
        let mut candidates = later.iter().chain(lead);
        let segment = candidates.find(|segment| segment.is_independent)?;
        let chunk = rendition.chunk(segment.chunk)?;
        Some(StillSource {
            rendition: rendition.rendition.clone(),
            number: segment.chunk,
            init: 0..u64::from(chunk.init_len),
            segment: segment.offset..segment.offset + segment.len,
        })
    }

    /// The segments of the leading rendition that are shown.
    fn lead(&self) -> &[TimelineSegment] {
        &self.timeline.renditions[self.leading].segments[self.shown.clone()]
    }

    /// A rendition's segments beside those that the leading one shows; some may be missing.
    fn segments_of<'a>(&self, rendition: &'a RenditionTimeline) -> &'a [TimelineSegment] {
        let lead = self.lead();
        let (Some(first), Some(last)) = (lead.first(), lead.last()) else {
            return &[];
        };
        let all = &rendition.segments;
        let from = all.partition_point(|segment| segment.ordinal < first.ordinal);
        let to = all.partition_point(|segment| segment.ordinal <= last.ordinal);
        &all[from..to]
    }

    /// The renditions that have enough of what is shown, in the timeline's order.
    fn offered(&self) -> impl Iterator<Item = &RenditionTimeline> {
        let wanted = self.lead().len();
        let renditions = self.timeline.renditions.iter();
        renditions.filter(move |rendition| {
            let found = self.segments_of(rendition).len();
            // Without its sound a replay is worse than with holes in it.
            let is_needed = is_sound(rendition) && found > 0;
            is_needed || (found > 0 && found * 100 >= wanted * LEAST_PERCENT)
        })
    }
}

/// The beginning of the independent segment next to `at_us`, or the end of the recording; `None` if it is empty.
#[must_use]
pub fn nearest_mark(timeline: &Timeline, at_us: i64) -> Option<i64> {
    let rendition = &timeline.renditions[leading(timeline)?];
    let independent = rendition.segments.iter().filter(|one| one.is_independent);
    let starts = independent.map(|segment| segment.start_us);
    let marks = starts.chain(rendition.segments.last().map(TimelineSegment::end_us));
    marks.min_by_key(|mark| mark.abs_diff(at_us))
}

/// The rendition the others follow: the source's picture, or else its sound.
fn leading(timeline: &Timeline) -> Option<usize> {
    let with_segments = |name: &str| {
        let mut renditions = timeline.renditions.iter();
        renditions.position(|one| one.rendition == name && !one.segments.is_empty())
    };
    with_segments("0").or_else(|| with_segments("audio"))
}

fn is_sound(rendition: &RenditionTimeline) -> bool {
    matches!(rendition.rendition.as_str(), "audio" | "aac")
}

#[cfg(test)]
mod tests;
