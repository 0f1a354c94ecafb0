//! The media playlist of a replay.

use std::fmt::{Display, Formatter, Result, Write};
use std::iter::Peekable;
use std::slice::Iter;

use super::Replay;
use crate::timeline::{RenditionTimeline, TimelineChunk, TimelineSegment};

/// Gaps need version 8; without them an older one would do.
pub(super) const VERSION: u32 = 8;
/// About what an entry takes.
const ENTRY_BYTES: usize = 64;

/// Writes one entry for each segment of the leading rendition.
pub(super) fn write(replay: &Replay, rendition: &RenditionTimeline) -> String {
    let lead = replay.lead();
    let mut text = String::with_capacity(256 + lead.len() * ENTRY_BYTES);
    let own = replay.segments_of(rendition);
    let mut writer = Writer {
        text: &mut text,
        rendition,
        own: own.iter().peekable(),
        chunk: None,
        init: None,
    };
    // Writing into a String cannot fail.
    let _ = writer.head(own, lead);
    let _ = writer.body(lead);
    text
}

struct Writer<'a> {
    text: &'a mut String,
    rendition: &'a RenditionTimeline,
    /// The segments that are there, in order.
    own: Peekable<Iter<'a, TimelineSegment>>,
    /// The chunk of the last entry.
    chunk: Option<u32>,
    /// The init segment in force, by its hash.
    init: Option<&'a str>,
}

impl<'a> Writer<'a> {
    fn head(&mut self, own: &'a [TimelineSegment], lead: &[TimelineSegment]) -> Result {
        let longest = own.iter().chain(lead).map(|segment| segment.duration_us);
        let longest_us = longest.max().unwrap_or_default();
        let target = ((longest_us + 500_000) / 1_000_000).max(1);
        writeln!(self.text, "#EXTM3U\n#EXT-X-VERSION:{VERSION}")?;
        writeln!(self.text, "#EXT-X-TARGETDURATION:{target}")?;
        writeln!(self.text, "#EXT-X-PLAYLIST-TYPE:VOD")?;
        if own.iter().all(|segment| segment.is_independent) {
            writeln!(self.text, "#EXT-X-INDEPENDENT-SEGMENTS")?;
        }
        writeln!(self.text, "#EXT-X-MEDIA-SEQUENCE:0")?;
        // Also before a gap that the list begins with.
        let first = own.first().and_then(|one| self.rendition.chunk(one.chunk));
        first.map_or(Ok(()), |chunk| self.map(chunk))
    }

    fn body(&mut self, lead: &[TimelineSegment]) -> Result {
        for (index, leading) in lead.iter().enumerate() {
            let is_break = index > 0 && leading.is_discontinuity;
            if is_break {
                writeln!(self.text, "#EXT-X-DISCONTINUITY")?;
            }
            // What the leading rendition does not have is in no list.
            while self
                .own
                .next_if(|one| one.ordinal < leading.ordinal)
                .is_some()
            {}
            let segment = self.own.next_if(|one| one.ordinal == leading.ordinal);
            let found = segment.and_then(|one| Some((one, self.rendition.chunk(one.chunk)?)));
            match found {
                Some((segment, chunk)) => self.entry(segment, chunk, is_break)?,
                None => self.gap(leading.duration_us)?,
            }
        }
        writeln!(self.text, "#EXT-X-ENDLIST")
    }

    fn entry(
        &mut self,
        segment: &TimelineSegment,
        chunk: &'a TimelineChunk,
        is_break: bool,
    ) -> Result {
        let is_other_init = self.init != Some(chunk.init_hash.as_str());
        if is_other_init && !is_break {
            // The leading rendition goes on with the same parameters, this one does not.
            writeln!(self.text, "#EXT-X-DISCONTINUITY")?;
        }
        if is_other_init || is_break {
            self.map(chunk)?;
        }
        // Players count on from there, and a long list stays small.
        if self.chunk != Some(chunk.number) || is_break {
            writeln!(self.text, "#EXT-X-PROGRAM-DATE-TIME:{:.3}", segment.date)?;
            self.chunk = Some(chunk.number);
        }
        let (seconds, number) = (Seconds(segment.duration_us), chunk.number);
        writeln!(self.text, "#EXTINF:{seconds},")?;
        writeln!(
            self.text,
            "#EXT-X-BYTERANGE:{}@{}",
            segment.len, segment.offset
        )?;
        writeln!(self.text, "{number}.mp4")
    }

    fn map(&mut self, chunk: &'a TimelineChunk) -> Result {
        self.init = Some(&chunk.init_hash);
        writeln!(
            self.text,
            "#EXT-X-MAP:URI=\"{}.mp4\",BYTERANGE=\"{}@0\"",
            chunk.number, chunk.init_len
        )
    }

    /// Nobody asks for what a gap names.
    fn gap(&mut self, duration_us: i64) -> Result {
        writeln!(
            self.text,
            "#EXT-X-GAP\n#EXTINF:{},\ngap.mp4",
            Seconds(duration_us)
        )
    }
}

/// Microseconds as decimal seconds, without trailing zeros.
struct Seconds(i64);

impl Display for Seconds {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (whole, rest) = (self.0 / 1_000_000, self.0 % 1_000_000);
        match rest {
            0 => write!(f, "{whole}.0"),
            rest if rest % 1000 == 0 => write!(f, "{whole}.{:03}", rest / 1000),
            rest => write!(f, "{whole}.{rest:06}"),
        }
    }
}
