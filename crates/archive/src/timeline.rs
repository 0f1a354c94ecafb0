//! Which segment of a recording is where in its files, and when: a pure view of rows and indexes.
//!
//! Positions are microseconds from the beginning of the recording. They go on over reconnects and restarts, also where
//! nothing was recorded between.

use jiff::{SignedDuration, Timestamp};
use store::RecordingChunk;

use crate::description::ChunkDescription;
use crate::index::{Index, IndexHeader, IndexRecord};

/// All of a recording, or as much of it as is still kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// The source's picture first if there is one, then its other pictures, then sounds.
    pub renditions: Vec<RenditionTimeline>,
    /// The end of the rendition that is longest.
    pub duration_us: i64,
    pub started_at: Timestamp,
}

/// One rendition, oldest first.
#[derive(Clone, Debug, PartialEq)]
pub struct RenditionTimeline {
    /// Its folder: `0`, `audio`, `1`…
    pub rendition: String,
    /// Of its newest chunk.
    pub described: ChunkDescription,
    pub chunks: Vec<TimelineChunk>,
    /// Complete ones only.
    pub segments: Vec<TimelineSegment>,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineChunk {
    pub number: u32,
    pub token: u64,
    pub session: u32,
    /// Bytes of the init segment, at the beginning of the file.
    pub init_len: u32,
    /// Bytes up to the end of the last segment that is told.
    pub bytes: u64,
    /// Equal for equal init segments.
    pub init_hash: String,
    pub starts_discontinuity: bool,
    pub date: Timestamp,
    pub start_us: i64,
}

/// A segment inside a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineSegment {
    /// Consecutive over the whole recording; equal for segments of other renditions at the same time.
    pub ordinal: u64,
    /// With `msn`, the name that viewers know it by.
    pub token: u64,
    pub msn: u64,
    /// The number of its chunk.
    pub chunk: u32,
    /// In the file.
    pub offset: u64,
    pub len: u64,
    pub start_us: i64,
    pub duration_us: i64,
    /// Wall-clock time of its first frame, as playlists tell it.
    pub date: Timestamp,
    /// The wall clock when its first frame came, in milliseconds: the clock of chat lines. It can go back.
    pub arrived_ms: i64,
    /// Whether a player can begin here.
    pub is_independent: bool,
    /// Whether something else came before it.
    pub is_discontinuity: bool,
}

impl TimelineSegment {
    pub fn end_us(&self) -> i64 {
        self.start_us + self.duration_us
    }
}

/// A chunk with its index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexedChunk {
    pub row: RecordingChunk,
    pub index: Index,
}

impl Timeline {
    /// Those of a recording, in any order. What cannot be is left out: chunks of which nothing is there.
    pub fn of_chunks(mut chunks: Vec<IndexedChunk>, started_at: Timestamp) -> Self {
        chunks.sort_by_cached_key(|chunk| {
            let row = &chunk.row;
            (place_of(&row.rendition), row.rendition.clone(), row.number)
        });
        let mut timeline = Self::new(started_at);
        for IndexedChunk { row, index } in chunks {
            let described = serde_json::from_str(&row.described).unwrap_or_default();
            timeline.add_chunk(&row, &index.header, described);
            let mut segments = SegmentBuilder::new(&row, &index.header);
            for record in &index.records {
                if let Some(segment) = segments.add(record) {
                    timeline.add_segment(&row.rendition, segment);
                }
            }
            // What still grows is told once it is complete.
            if row.is_closed
                && let Some(last) = segments.finish()
            {
                timeline.add_segment(&row.rendition, last);
            }
        }
        timeline
    }

    /// One without anything yet.
    pub(crate) fn new(started_at: Timestamp) -> Self {
        Self {
            renditions: Vec::new(),
            duration_us: 0,
            started_at,
        }
    }

    pub(crate) fn add_chunk(
        &mut self,
        row: &RecordingChunk,
        header: &IndexHeader,
        described: ChunkDescription,
    ) {
        let rendition = self.rendition_mut(&row.rendition);
        rendition.described = described;
        rendition.chunks.push(TimelineChunk {
            number: row.number,
            token: row.token,
            session: row.session,
            init_len: header.init_len,
            bytes: u64::from(header.init_len),
            init_hash: row.init_hash.clone(),
            // Nothing is before the first one.
            starts_discontinuity: header.starts_discontinuity && row.number > 0,
            date: row.date,
            start_us: row.start_us,
        });
    }

    /// Adds the next segment of the newest chunk.
    pub(crate) fn add_segment(&mut self, rendition: &str, mut segment: TimelineSegment) {
        let rendition = self.rendition_mut(rendition);
        let before = rendition.segments.last();
        let is_first = before.is_none_or(|before| before.chunk != segment.chunk);
        if let Some(chunk) = rendition.chunks.last_mut() {
            chunk.bytes = segment.offset + segment.len;
            segment.is_discontinuity = is_first && chunk.starts_discontinuity;
        }
        rendition.segments.push(segment);
        self.duration_us = self.duration_us.max(segment.end_us());
    }

    /// Forgets what ended before this position, but for the chunks of what is left.
    pub(crate) fn forget_before(&mut self, us: i64) {
        for rendition in &mut self.renditions {
            let gone = rendition
                .segments
                .partition_point(|segment| segment.end_us() <= us);
            rendition.segments.drain(..gone);
            // The newest one may have no complete segment yet.
            let first = rendition.segments.first().map(|segment| segment.chunk);
            let newest = rendition.chunks.last().map(|chunk| chunk.number);
            if let Some(first) = first.or(newest) {
                rendition.chunks.retain(|chunk| chunk.number >= first);
            }
        }
    }

    fn rendition_mut(&mut self, name: &str) -> &mut RenditionTimeline {
        let wanted = (place_of(name), name.to_owned());
        let at = match self.renditions.binary_search_by_key(&wanted, |rendition| {
            let name = &rendition.rendition;
            (place_of(name), name.clone())
        }) {
            Ok(at) => at,
            Err(at) => {
                self.renditions.insert(
                    at,
                    RenditionTimeline {
                        rendition: name.to_owned(),
                        described: ChunkDescription::default(),
                        chunks: Vec::new(),
                        segments: Vec::new(),
                    },
                );
                at
            }
        };
        &mut self.renditions[at]
    }

    /// The rendition of this folder.
    pub fn rendition(&self, name: &str) -> Option<&RenditionTimeline> {
        self.renditions
            .iter()
            .find(|rendition| rendition.rendition == name)
    }

    /// The one that all others follow: the source's picture, or its sound.
    pub fn source(&self) -> Option<&RenditionTimeline> {
        self.renditions.first()
    }

    /// The position that was live at this time, in milliseconds. `None` before the first. Where the clock was set back,
    /// the later position is meant; where nothing was recorded, the end of what was before.
    pub fn at_wall_clock(&self, ms: i64) -> Option<i64> {
        let segments = &self.source()?.segments;
        let segment = segments
            .iter()
            .rev()
            .find(|segment| segment.arrived_ms <= ms)?;
        let since = ms.saturating_sub(segment.arrived_ms).saturating_mul(1000);
        Some(segment.start_us + since.min(segment.duration_us))
    }

    /// Bytes that this takes in memory, about.
    pub(crate) fn weight(&self) -> usize {
        let weights = self.renditions.iter().map(|rendition| {
            rendition.segments.len() * size_of::<TimelineSegment>()
                + rendition.chunks.len() * (size_of::<TimelineChunk>() + 64)
        });
        weights.sum()
    }
}

impl RenditionTimeline {
    /// The segment that plays at this position: the last one that begins at or before it.
    pub fn at_us(&self, us: i64) -> Option<&TimelineSegment> {
        let after = self
            .segments
            .partition_point(|segment| segment.start_us <= us);
        self.segments.get(after.checked_sub(1)?)
    }

    /// The last segment at or before this position where a player can begin.
    pub fn independent_at_us(&self, us: i64) -> Option<&TimelineSegment> {
        let after = self
            .segments
            .partition_point(|segment| segment.start_us <= us);
        let before = self.segments.get(..after)?;
        before.iter().rev().find(|segment| segment.is_independent)
    }

    /// The segment that viewers know by this name.
    pub fn named(&self, token: u64, msn: u64) -> Option<&TimelineSegment> {
        let mut newest_first = self.segments.iter().rev();
        newest_first.find(|segment| (segment.token, segment.msn) == (token, msn))
    }

    /// The segment with this number.
    pub fn with_ordinal(&self, ordinal: u64) -> Option<&TimelineSegment> {
        let at = self
            .segments
            .binary_search_by_key(&ordinal, |segment| segment.ordinal);
        self.segments.get(at.ok()?)
    }

    pub fn chunk(&self, number: u32) -> Option<&TimelineChunk> {
        let at = self
            .chunks
            .binary_search_by_key(&number, |chunk| chunk.number);
        self.chunks.get(at.ok()?)
    }
}

/// Puts the records of a chunk together to segments.
#[derive(Debug)]
pub(crate) struct SegmentBuilder {
    chunk: u32,
    token: u64,
    first_ordinal: u64,
    first_msn: u64,
    date: Timestamp,
    /// Of the chunk.
    start_us: i64,
    /// Of the next record.
    offset: u64,
    /// Since the beginning of the chunk.
    elapsed_us: i64,
    /// When the part before was written, in milliseconds.
    written_ms: Option<i64>,
    open: Option<TimelineSegment>,
}

impl SegmentBuilder {
    pub(crate) fn new(row: &RecordingChunk, header: &IndexHeader) -> Self {
        Self {
            chunk: row.number,
            token: row.token,
            first_ordinal: row.first_ordinal,
            first_msn: header.first_msn,
            date: row.date,
            start_us: row.start_us,
            offset: u64::from(header.init_len),
            elapsed_us: 0,
            written_ms: None,
            open: None,
        }
    }

    /// The segment before, if this part begins another one.
    pub(crate) fn add(&mut self, record: &IndexRecord) -> Option<TimelineSegment> {
        let is_next =
            record.starts_segment || self.open.as_ref().is_none_or(|open| open.msn != record.msn);
        let before = if is_next { self.open.take() } else { None };
        let duration_us = i64::from(record.duration_us);
        let len = u64::from(record.len);
        match &mut self.open {
            Some(open) => {
                open.len += len;
                open.duration_us += duration_us;
            }
            None => {
                let since_first = record.msn.saturating_sub(self.first_msn);
                let date = SignedDuration::from_micros(self.elapsed_us);
                // It is written when it is complete; its first frame came after all that was written before it, unless
                // the clock was set back.
                let began_ms = record.arrived_ms.saturating_sub(duration_us / 1000);
                let before_ms = self
                    .written_ms
                    .filter(|before| *before <= record.arrived_ms);
                self.open = Some(TimelineSegment {
                    ordinal: self.first_ordinal.saturating_add(since_first),
                    token: self.token,
                    msn: record.msn,
                    chunk: self.chunk,
                    offset: self.offset,
                    len,
                    start_us: self.start_us.saturating_add(self.elapsed_us),
                    duration_us,
                    date: self.date.saturating_add(date).unwrap_or(self.date),
                    arrived_ms: before_ms.map_or(began_ms, |before| began_ms.max(before)),
                    is_independent: record.is_independent,
                    is_discontinuity: false,
                });
            }
        }
        self.offset += len;
        self.elapsed_us += duration_us;
        self.written_ms = Some(record.arrived_ms);
        before
    }

    /// The last segment, complete or not.
    pub(crate) fn finish(self) -> Option<TimelineSegment> {
        self.open
    }
}

/// The place of a rendition: source, other pictures, source's sound, encoded sound.
fn place_of(rendition: &str) -> (u8, u32) {
    match (rendition, rendition.parse::<u32>()) {
        (_, Ok(number)) => (0, number),
        ("audio", _) => (1, 0),
        ("aac", _) => (2, 0),
        _ => (3, 0),
    }
}

#[cfg(test)]
mod tests {
    use model::recording::RecordingId;

    use super::*;
    use crate::index::samples::header;

    const SECOND: i64 = 1_000_000;
    const BEGAN_MS: i64 = 1_700_000_000_000;

    /// Segments of two seconds with two parts each, of which every second one begins with a key frame.
    fn chunk(rendition: &str, number: u32, first: u64, segments: u64) -> IndexedChunk {
        let start_us = first.cast_signed() * 2 * SECOND;
        let row = RecordingChunk {
            recording: RecordingId::parse("00ff00ff00ff00ff").unwrap(),
            rendition: rendition.into(),
            number,
            token: 7,
            init_hash: "same".into(),
            described: r#"{"codecs":"avc1.64001f","height":720}"#.into(),
            session: 0,
            first_ordinal: first,
            start_us,
            duration_us: 0,
            date: Timestamp::from_millisecond(BEGAN_MS).unwrap()
                + SignedDuration::from_micros(start_us),
            bytes: 0,
            is_closed: true,
        };
        let parts = (first..first + segments).flat_map(|nth| [(nth, true), (nth, false)]);
        let records = parts.map(|(nth, starts_segment)| IndexRecord {
            len: 100,
            starts_segment,
            is_independent: starts_segment && nth % 2 == 0,
            duration_us: 1_000_000,
            msn: 40 + nth,
            arrived_ms: BEGAN_MS
                + nth.cast_signed() * 2000
                + if starts_segment { 1000 } else { 2000 },
            crc32c: 0,
        });
        IndexedChunk {
            row,
            index: Index {
                records: records.collect(),
                header: IndexHeader {
                    init_len: 700,
                    first_msn: 40 + first,
                    ..header()
                },
            },
        }
    }

    fn timeline(chunks: Vec<IndexedChunk>) -> Timeline {
        Timeline::of_chunks(chunks, Timestamp::UNIX_EPOCH)
    }

    fn picture() -> Timeline {
        timeline(vec![chunk("0", 1, 4, 3), chunk("0", 0, 0, 4)])
    }

    #[test]
    fn a_segment_says_where_it_is_in_its_file_and_when() {
        let timeline = picture();
        assert_eq!(timeline.duration_us, 14 * SECOND);
        let source = timeline.source().unwrap();
        assert_eq!(source.described.height, 720);
        let numbers: Vec<u64> = source.segments.iter().map(|one| one.ordinal).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6]);
        let segment = source.with_ordinal(5).unwrap();
        let expected = TimelineSegment {
            ordinal: 5,
            token: 7,
            msn: 45,
            chunk: 1,
            offset: 700 + 200,
            len: 200,
            start_us: 10 * SECOND,
            duration_us: 2 * SECOND,
            date: Timestamp::from_millisecond(BEGAN_MS + 10_000).unwrap(),
            arrived_ms: BEGAN_MS + 10_000,
            is_independent: false,
            is_discontinuity: false,
        };
        assert_eq!(*segment, expected);
        assert_eq!(source.named(7, 45), Some(&expected));
        assert_eq!(source.named(8, 45), None);
        let chunk = source.chunk(1).unwrap();
        assert_eq!((chunk.init_len, chunk.bytes), (700, 700 + 3 * 200));
        let breaks = source.segments.iter().filter(|one| one.is_discontinuity);
        assert_eq!(breaks.map(|one| one.ordinal).collect::<Vec<_>>(), [4]);
    }

    #[test]
    fn the_segment_at_a_position_is_the_one_that_plays_there() {
        let timeline = picture();
        let source = timeline.source().unwrap();
        let at = |us| source.at_us(us).map(|one| one.ordinal);
        assert_eq!(
            [at(-1), at(0), at(2 * SECOND - 1)],
            [None, Some(0), Some(0)]
        );
        assert_eq!([at(2 * SECOND), at(99 * SECOND)], [Some(1), Some(6)]);
        let begin = |us| source.independent_at_us(us).map(|one| one.ordinal);
        assert_eq!([begin(3 * SECOND), begin(4 * SECOND)], [Some(0), Some(2)]);
    }

    #[test]
    fn what_still_grows_is_told_without_its_last_segment() {
        let mut open = chunk("0", 0, 0, 4);
        open.row.is_closed = false;
        assert_eq!(timeline(vec![open]).duration_us, 6 * SECOND);
    }

    #[test]
    fn the_source_comes_first_whatever_the_order_of_the_chunks() {
        let all = ["aac", "10", "audio", "2", "0"].map(|name| chunk(name, 0, 0, 1));
        let timeline = timeline(all.into());
        let renditions = timeline.renditions.iter();
        let names: Vec<&str> = renditions.map(|one| one.rendition.as_str()).collect();
        assert_eq!(names, ["0", "2", "10", "audio", "aac"]);
        assert!(timeline.rendition("2").is_some() && timeline.rendition("3").is_none());
    }

    #[test]
    fn a_time_of_the_wall_clock_is_a_position_and_where_the_clock_went_back_the_later_one() {
        let timeline = picture();
        let at = |ms: i64| timeline.at_wall_clock(BEGAN_MS + ms);
        assert_eq!([at(-1), at(0)], [None, Some(0)]);
        assert_eq!(at(5500), Some(5_500_000));
        assert_eq!(at(99_000), Some(14 * SECOND));
        let mut later = chunk("0", 1, 4, 3);
        for record in &mut later.index.records {
            record.arrived_ms -= 4000;
        }
        let back = super::tests::timeline(vec![chunk("0", 0, 0, 4), later]);
        let at = |ms: i64| back.at_wall_clock(BEGAN_MS + ms);
        assert_eq!(at(3500), Some(3_500_000));
        assert_eq!(at(4500), Some(8_500_000));
    }

    #[test]
    fn what_is_forgotten_takes_its_chunks_along() {
        let mut timeline = picture();
        timeline.forget_before(7 * SECOND);
        let source = timeline.source().unwrap();
        assert_eq!(source.segments[0].ordinal, 3);
        assert_eq!(source.chunks.len(), 2);
        timeline.forget_before(8 * SECOND);
        let source = timeline.source().unwrap();
        assert_eq!(source.chunks.len(), 1);
        assert_eq!(timeline.duration_us, 14 * SECOND);
    }
}
