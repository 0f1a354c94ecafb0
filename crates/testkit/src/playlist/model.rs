//! A media playlist as written, before any checks.

use std::time::Duration;

use jiff::Timestamp;

/// The newest entry of a rendition: a segment, and its newest part if it has parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The media sequence number, including that of a segment with only parts listed.
    pub msn: u64,
    /// The index of the newest part of that segment.
    pub part: Option<u64>,
}

/// A media playlist. Times are exact: no float is compared.
#[derive(Clone, Debug, Default)]
pub struct MediaPlaylist {
    /// EXT-X-VERSION.
    pub version: Option<u64>,
    /// EXT-X-TARGETDURATION in seconds.
    pub target_duration: Option<u64>,
    /// PART-TARGET of EXT-X-PART-INF.
    pub part_target: Option<Duration>,
    /// EXT-X-SERVER-CONTROL.
    pub control: Option<ServerControl>,
    /// EXT-X-MEDIA-SEQUENCE, zero when absent.
    pub media_sequence: u64,
    /// EXT-X-DISCONTINUITY-SEQUENCE, zero when absent.
    pub discontinuity_sequence: u64,
    /// The line of EXT-X-DISCONTINUITY-SEQUENCE.
    pub discontinuity_sequence_line: Option<usize>,
    /// The line of EXT-X-PLAYLIST-TYPE, which is only for lists of which nothing is removed.
    pub playlist_type_line: Option<usize>,
    /// Whether EXT-X-INDEPENDENT-SEGMENTS is present.
    pub is_independent: bool,
    /// Complete segments, without skipped ones.
    pub segments: Vec<Segment>,
    /// Parts of the open segment, and tags that belong to it.
    pub open: Segment,
    /// EXT-X-PRELOAD-HINT.
    pub hints: Vec<Hint>,
    /// EXT-X-RENDITION-REPORT.
    pub reports: Vec<RenditionReport>,
    /// SKIPPED-SEGMENTS of EXT-X-SKIP and its line.
    pub skip: Option<(u64, usize)>,
    /// Whether EXT-X-ENDLIST is present.
    pub is_ended: bool,
}

/// EXT-X-SERVER-CONTROL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerControl {
    /// Line of the tag.
    pub line: usize,
    /// CAN-BLOCK-RELOAD=YES.
    pub can_block_reload: bool,
    /// PART-HOLD-BACK.
    pub part_hold_back: Option<Duration>,
    /// HOLD-BACK.
    pub hold_back: Option<Duration>,
    /// CAN-SKIP-UNTIL.
    pub can_skip_until: Option<Duration>,
    /// CAN-SKIP-DATERANGES=YES.
    pub can_skip_dateranges: bool,
}

/// A segment, or the parts of one that is not complete yet.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// Line of its URI, or of its first tag while it has none.
    pub line: usize,
    /// Empty while the segment is not complete.
    pub uri: String,
    /// EXTINF; zero while the segment is not complete.
    pub duration: Duration,
    /// EXT-X-PROGRAM-DATE-TIME, and whether it was written with milliseconds.
    pub date: Option<(Timestamp, bool)>,
    /// Line of an EXT-X-DISCONTINUITY before it.
    pub discontinuity: Option<usize>,
    /// URI of an EXT-X-MAP directly before this segment.
    pub own_map: Option<String>,
    /// URI of the EXT-X-MAP in force.
    pub map: Option<String>,
    /// EXT-X-GAP.
    pub is_gap: bool,
    /// Its parts, in order.
    pub parts: Vec<PartialSegment>,
    /// Lines of EXT-X-PART between EXTINF and URI, where they are not allowed.
    pub late_parts: Vec<usize>,
}

/// EXT-X-PART.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialSegment {
    /// Line of the tag.
    pub line: usize,
    /// URI.
    pub uri: String,
    /// DURATION.
    pub duration: Duration,
    /// INDEPENDENT=YES.
    pub is_independent: bool,
    /// GAP=YES.
    pub is_gap: bool,
}

/// The kind of a preload hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HintKind {
    /// TYPE=PART.
    Part,
    /// TYPE=MAP.
    Map,
}

/// EXT-X-PRELOAD-HINT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Line of the tag.
    pub line: usize,
    /// TYPE.
    pub kind: HintKind,
    /// URI.
    pub uri: String,
}

/// EXT-X-RENDITION-REPORT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenditionReport {
    /// Line of the tag.
    pub line: usize,
    /// URI.
    pub uri: String,
    /// LAST-MSN.
    pub last_msn: Option<u64>,
    /// LAST-PART.
    pub last_part: Option<u64>,
}

impl MediaPlaylist {
    /// Number of segments that EXT-X-SKIP replaces.
    pub fn skipped(&self) -> u64 {
        self.skip.map_or(0, |(count, _)| count)
    }

    /// Media sequence number of the first listed segment.
    pub fn first_listed(&self) -> u64 {
        self.media_sequence.saturating_add(self.skipped())
    }

    /// Media sequence number of the open segment.
    pub fn open_msn(&self) -> u64 {
        self.first_listed()
            .saturating_add(self.segments.len() as u64)
    }

    /// Whether the stream has parts.
    pub fn has_parts(&self) -> bool {
        self.part_target.is_some()
    }

    /// Segments with their media sequence numbers, and the open one last if any of it is listed.
    pub fn numbered(&self) -> impl DoubleEndedIterator<Item = (u64, &Segment)> {
        let open = (!self.open.parts.is_empty()).then_some((self.open_msn(), &self.open));
        let first = self.first_listed();
        let whole = self.segments.iter().enumerate();
        whole
            .map(move |(index, segment)| (first + index as u64, segment))
            .chain(open)
    }

    /// The newest listed entry, if any.
    pub fn edge(&self) -> Option<Edge> {
        let (msn, segment) = self.numbered().next_back()?;
        let part = (segment.parts.len() as u64).checked_sub(1);
        Some(Edge { msn, part })
    }

    /// For each entry of [`Self::numbered`], the distance of its end from the end of the playlist.
    pub fn distances_from_end(&self) -> Vec<Duration> {
        let mut distance = Duration::ZERO;
        let mut distances = Vec::new();
        for (_, segment) in self.numbered().rev() {
            distances.push(distance);
            distance += segment.length();
        }
        distances.reverse();
        distances
    }
}

impl Segment {
    /// EXTINF, or the sum of the parts so far.
    pub fn length(&self) -> Duration {
        if self.is_complete() {
            self.duration
        } else {
            self.parts_length()
        }
    }

    /// The sum of its parts.
    pub fn parts_length(&self) -> Duration {
        self.parts.iter().map(|part| part.duration).sum()
    }

    /// Whether its EXTINF and URI are listed.
    pub fn is_complete(&self) -> bool {
        !self.uri.is_empty()
    }
}
