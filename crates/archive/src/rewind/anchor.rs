//! Where a session of the live playlist is in the recording.

use std::borrow::Cow;

use jiff::Timestamp;

use crate::timeline::{RenditionTimeline, TimelineChunk, TimelineSegment};

/// The first segment of a session that is still kept. Where the log was away for a while, it does not count what it missed;
/// players saw it pass and count on, and so do lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionAnchor {
    pub msn: u64,
    /// In lists.
    pub ordinal: u64,
    start_us: i64,
    date: Timestamp,
    /// As the log counts them: the first that belongs to this session.
    pub session: u32,
    /// Segments before this session that lists count and the log does not.
    uncounted: u64,
}

impl SessionAnchor {
    /// For the session of this segment; the log did not count this many before it.
    pub fn new(log: &RenditionTimeline, newest: &TimelineSegment, uncounted: u64) -> Option<Self> {
        let first = log
            .segments
            .iter()
            .find(|segment| segment.token == newest.token)?;
        Some(Self {
            msn: first.msn,
            ordinal: first.ordinal.saturating_add(uncounted),
            start_us: first.start_us,
            date: first.date,
            session: log.chunk(first.chunk)?.session,
            uncounted,
        })
    }

    /// The position in the recording of what has this date. Dates go on with the media.
    pub fn position_us(&self, date: Timestamp) -> i64 {
        let since = date.duration_since(self.date).as_micros();
        let since = i64::try_from(since).unwrap_or(i64::MAX);
        self.start_us.saturating_add(since)
    }

    fn ordinal_of(&self, msn: u64) -> u64 {
        match msn.checked_sub(self.msn) {
            Some(after) => self.ordinal.saturating_add(after),
            None => self.ordinal.saturating_sub(self.msn - msn),
        }
    }

    fn is_later(&self, chunk: &TimelineChunk) -> bool {
        chunk.session > self.session
    }

    /// The log with the numbers of lists.
    pub fn renumbered<'a>(&self, log: &'a RenditionTimeline) -> Cow<'a, RenditionTimeline> {
        let is_counted = !log.chunks.last().is_some_and(|last| self.is_later(last));
        if is_counted && self.uncounted == 0 {
            return Cow::Borrowed(log);
        }
        let mut renumbered = log.clone();
        for segment in &mut renumbered.segments {
            let chunk = log.chunk(segment.chunk);
            if chunk.is_some_and(|chunk| self.is_later(chunk)) {
                segment.ordinal = self.ordinal_of(segment.msn);
                segment.start_us = self.position_us(segment.date);
            } else {
                segment.ordinal = segment.ordinal.saturating_add(self.uncounted);
            }
        }
        for chunk in &mut renumbered.chunks {
            chunk.session = chunk.session.min(self.session);
        }
        Cow::Owned(renumbered)
    }

    /// Segments up to the end of the log that lists count and the log does not.
    pub fn uncounted(&self, log: &RenditionTimeline) -> u64 {
        let Some(last) = log.segments.last() else {
            return self.uncounted;
        };
        let is_later = log
            .chunk(last.chunk)
            .is_some_and(|chunk| self.is_later(chunk));
        match is_later {
            true => self.ordinal_of(last.msn).saturating_sub(last.ordinal),
            false => self.uncounted,
        }
    }
}
