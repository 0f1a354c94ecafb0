//! What can be rewound of the broadcast on air, without any IO: the segments that stand before the live playlist.
//!
//! [`Past`] goes along with the live playlist. What was said of a segment stays as it was said, so a segment that leaves the
//! live playlist is taken over from it; the log is asked for what nobody watched. A segment that the log lost is a gap, which
//! players leave out.

mod anchor;
mod live_edge;
mod losses;

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use jiff::{SignedDuration, Timestamp};

use crate::timeline::{RenditionTimeline, TimelineChunk, TimelineSegment};
pub use anchor::SessionAnchor;
pub use live_edge::{LiveEdge, LiveSegment};
use losses::{SLACK_US, is_only_lost_before, missing_after, segment_after};

/// Of the source's segments, a rendition needs this share.
const LISTED_PERCENT: i64 = 90;
/// Versions of init segments from here on were not seen live; those of live ones count from one.
const FIRST_OLD_VERSION: u32 = 1 << 31;

/// A segment in the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RewindSegment {
    /// Its number in the recording.
    pub ordinal: u64,
    /// With `msn`, its name.
    pub token: u64,
    pub msn: u64,
    /// Token and version in the name of the init segment it needs.
    pub init: (u64, u32),
    pub session: u32,
    /// In the recording.
    pub start_us: i64,
    pub duration_us: i64,
    pub date: Timestamp,
    /// Whether something else came before it.
    pub is_discontinuity: bool,
    /// Whether a player can begin here.
    pub is_independent: bool,
    /// Whether its bytes are lost.
    pub is_gap: bool,
}

impl RewindSegment {
    fn end_us(&self) -> i64 {
        self.start_us + self.duration_us
    }
}

/// The names of init segments: players know them by token and version, the log by what is in them.
#[derive(Clone, Debug, Default)]
struct InitNames {
    hashes: HashMap<(u64, u32), String>,
}

impl InitNames {
    fn note(&mut self, name: (u64, u32), hash: &str) {
        let known = self.hashes.entry(name);
        known.or_insert_with(|| hash.to_owned());
    }

    /// The name of the init segment of an old chunk.
    fn of(&mut self, token: u64, hash: &str, chunk: u32) -> (u64, u32) {
        let mut known = self.hashes.iter();
        let found = known.find(|((own, _), known)| *own == token && *known == hash);
        if let Some((name, _)) = found {
            return *name;
        }
        let name = (token, FIRST_OLD_VERSION.saturating_add(chunk));
        self.note(name, hash);
        name
    }
}

/// The segments of one rendition before the live playlist.
#[derive(Clone, Debug, Default)]
pub struct Past {
    segments: VecDeque<RewindSegment>,
    /// How many discontinuities have left the list.
    discontinuity_sequence: u64,
    /// Number of the first segment of the list.
    first: u64,
    /// Whether the live playlist does not follow the newest of them.
    begins_anew: bool,
    inits: InitNames,
}

impl Past {
    /// What can be rewound of the source, which all other renditions follow.
    pub fn of_source(log: &RenditionTimeline, live: &LiveEdge, window_us: i64) -> Self {
        let from_us = live.end_us - window_us;
        let first = log
            .segments
            .partition_point(|segment| segment.end_us() <= from_us);
        let first = log.segments.get(first).map(|segment| segment.ordinal);
        let mut past = Self {
            first: first.unwrap_or(live.first_listed).min(live.first_listed),
            ..Self::default()
        };
        past.extend(log, live, None);
        let breaks = past.segments.iter().filter(|one| one.is_discontinuity);
        let before_live = breaks.count() as u64 + u64::from(past.begins_anew);
        past.discontinuity_sequence = live.discontinuity_sequence.saturating_sub(before_live);
        past
    }

    /// The same of another rendition: it begins where the source does.
    pub fn beside(log: &RenditionTimeline, live: &LiveEdge, source: &Self) -> Self {
        let mut past = Self {
            first: source.first.min(live.first_listed),
            discontinuity_sequence: source.discontinuity_sequence,
            ..Self::default()
        };
        past.extend(log, live, Some(source));
        past.leave_out_other_parameters(log, live);
        past
    }

    /// Goes on with what left the live playlist, and forgets what is older than the window.
    pub fn advance(&mut self, log: &RenditionTimeline, live: &LiveEdge, window_us: i64) {
        self.extend(log, live, None);
        let from_us = live.end_us - window_us;
        let first_kept = log.segments.first().map(|segment| segment.ordinal);
        while self.segments.front().is_some_and(|first| {
            first.end_us() <= from_us || first_kept.is_some_and(|kept| first.ordinal < kept)
        }) {
            self.forget_first();
        }
    }

    /// The same of another rendition.
    pub fn advance_beside(&mut self, log: &RenditionTimeline, live: &LiveEdge, source: &Self) {
        self.extend(log, live, Some(source));
        while self.first < source.first && !self.segments.is_empty() {
            self.forget_first();
        }
    }

    fn forget_first(&mut self) {
        if let Some(gone) = self.segments.pop_front() {
            self.discontinuity_sequence += u64::from(gone.is_discontinuity);
            self.first = gone.ordinal + 1;
        }
    }

    /// Number of the first segment of the list.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// How many discontinuities have left the list.
    pub fn discontinuity_sequence(&self) -> u64 {
        self.discontinuity_sequence
    }

    /// Whether the live playlist does not follow the newest segment.
    pub fn begins_anew(&self) -> bool {
        self.begins_anew
    }

    /// Oldest first.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &RewindSegment> + ExactSizeIterator {
        self.segments.iter()
    }

    /// Those with these numbers, as far as they are there.
    pub fn range(&self, ordinals: Range<u64>) -> impl Iterator<Item = &RewindSegment> {
        let first = self.segments.front().map_or(0, |first| first.ordinal);
        let place = |ordinal: u64| {
            let at = usize::try_from(ordinal.saturating_sub(first)).unwrap_or(usize::MAX);
            at.min(self.segments.len())
        };
        let (from, until) = (place(ordinals.start), place(ordinals.end));
        self.segments.range(from..until.max(from))
    }

    /// Whether the live playlist goes on with the parameters of the newest segment, or says that it does not.
    pub fn is_continued_by(&self, live: &LiveEdge) -> bool {
        let first = live.with_ordinal(live.first_listed);
        let (Some(newest), Some(first)) = (self.segments.back(), first) else {
            return true;
        };
        let unknown = newest.ordinal + 1..=first.ordinal;
        let mut new = live
            .segments
            .iter()
            .filter(|one| unknown.contains(&one.ordinal));
        newest.init == (first.token, first.init_version) || new.any(|one| one.is_discontinuity)
    }

    /// The number after the newest segment.
    pub fn next(&self) -> u64 {
        let newest = self.segments.back();
        newest.map_or(self.first, |newest| newest.ordinal + 1)
    }

    /// Whether a segment was listed under this name.
    pub fn lists(&self, token: u64, msn: u64) -> bool {
        let mut newest_first = self.segments.iter().rev();
        newest_first.any(|segment| (segment.token, segment.msn) == (token, msn))
    }

    /// The hash of the init segment that was listed under this name.
    pub fn init_hash(&self, name: (u64, u32)) -> Option<&str> {
        self.inits.hashes.get(&name).map(String::as_str)
    }

    /// Adds everything up to the live playlist.
    fn extend(&mut self, log: &RenditionTimeline, live: &LiveEdge, source: Option<&Self>) {
        self.learn_inits(log, live);
        while self.next() < live.first_listed {
            let segment = self.segment(self.next(), log, live, source);
            self.segments.push_back(segment);
        }
        let newest = self.segments.back();
        self.begins_anew = newest.is_some_and(|newest| newest.session != live.session);
    }

    /// Live segments say the names of their init segments, the log what is in them.
    fn learn_inits(&mut self, log: &RenditionTimeline, live: &LiveEdge) {
        for segment in &live.segments {
            let name = (segment.token, segment.init_version);
            if self.inits.hashes.contains_key(&name) {
                continue;
            }
            let logged = log.with_ordinal(segment.ordinal);
            let chunk = logged.and_then(|logged| log.chunk(logged.chunk));
            if let Some(chunk) = chunk {
                self.inits.note(name, &chunk.init_hash);
            }
        }
    }

    fn segment(
        &mut self,
        ordinal: u64,
        log: &RenditionTimeline,
        live: &LiveEdge,
        source: Option<&Self>,
    ) -> RewindSegment {
        let shape = source.and_then(|source| source.with_ordinal(ordinal));
        let logged = log.with_ordinal(ordinal);
        let mut segment = if let Some(one) = live.with_ordinal(ordinal) {
            let session = self.segments.back().map(|newest| newest.session);
            RewindSegment {
                ordinal,
                token: one.token,
                msn: one.msn,
                init: (one.token, one.init_version),
                session: live.session,
                start_us: one.start_us,
                duration_us: one.duration_us,
                date: one.date,
                is_discontinuity: one.is_discontinuity
                    || session.is_some_and(|session| session != live.session),
                is_independent: one.is_independent,
                // Once it is out of memory, only the log has it.
                is_gap: logged
                    .is_none_or(|logged| (logged.duration_us - one.duration_us).abs() > SLACK_US),
            }
        } else if let Some(logged) = logged {
            self.logged(logged, log)
        } else {
            self.lost(ordinal, log, live, shape)
        };
        if let Some(shape) = shape {
            // The same in all renditions, so that players can change between them.
            segment.is_discontinuity = shape.is_discontinuity;
            segment.session = shape.session;
        }
        segment
    }

    fn with_ordinal(&self, ordinal: u64) -> Option<&RewindSegment> {
        let first = self.segments.front()?.ordinal;
        let at = usize::try_from(ordinal.checked_sub(first)?).ok()?;
        self.segments.get(at)
    }

    /// A segment that only the log knows.
    fn logged(&mut self, logged: &TimelineSegment, log: &RenditionTimeline) -> RewindSegment {
        let chunk = log.chunk(logged.chunk);
        let hash = chunk.map_or("", |chunk| chunk.init_hash.as_str());
        let init = self.inits.of(logged.token, hash, logged.chunk);
        let missing_us = missing_after(log, logged);
        RewindSegment {
            ordinal: logged.ordinal,
            token: logged.token,
            msn: logged.msn,
            init,
            session: chunk.map_or(0, |chunk| chunk.session),
            start_us: logged.start_us,
            duration_us: logged.duration_us + missing_us,
            date: logged.date,
            is_discontinuity: logged.is_discontinuity && !is_only_lost_before(log, logged),
            is_independent: logged.is_independent,
            is_gap: missing_us > 0,
        }
    }

    /// A segment that nobody has any longer, or that this rendition never had.
    fn lost(
        &mut self,
        ordinal: u64,
        log: &RenditionTimeline,
        live: &LiveEdge,
        shape: Option<&RewindSegment>,
    ) -> RewindSegment {
        let before = self.segments.back().copied();
        let after = segment_after(ordinal, log, live);
        // Its name says where it would be, if there is anything to tell that by.
        let (token, msn) = match (&after, before) {
            (Some(after), _) => (
                after.token,
                after.msn.saturating_sub(after.ordinal - ordinal),
            ),
            (None, Some(before)) => (before.token, before.msn.saturating_add(1)),
            (None, None) => (0, ordinal),
        };
        let init = match (&after, before) {
            // Players need the init segment of what comes next, not that of before.
            (Some(after), _) => match after.init {
                Some(init) => init,
                None => self.inits.of(after.token, &after.hash, after.chunk),
            },
            (None, Some(before)) => before.init,
            (None, None) => (token, 1),
        };
        let (start_us, duration_us, date) = match (shape, &after, before) {
            (Some(shape), _, _) => (shape.start_us, shape.duration_us, shape.date),
            (None, Some(after), Some(before)) => {
                let count = i64::try_from(after.ordinal - ordinal).unwrap_or(i64::MAX);
                let left_us = (after.start_us - before.end_us()).max(0);
                let start_us = before.end_us();
                let until_us = SignedDuration::from_micros(left_us);
                let date = after.date.saturating_sub(until_us).unwrap_or(after.date);
                // Players measure by the target duration, which no segment before it was longer than.
                let most_us = before.duration_us.max(after.duration_us);
                (
                    start_us,
                    (left_us / count.max(1)).clamp(1_000, most_us.max(1_000)),
                    date,
                )
            }
            (None, _, Some(before)) => {
                let length = SignedDuration::from_micros(before.duration_us);
                let date = before.date.saturating_add(length).unwrap_or(before.date);
                (before.end_us(), before.duration_us, date)
            }
            (None, Some(after), None) => (after.start_us, after.duration_us, after.date),
            (None, None, None) => (live.end_us, 1_000_000, Timestamp::UNIX_EPOCH),
        };
        RewindSegment {
            ordinal,
            token,
            msn,
            init,
            session: before.map_or(live.session, |before| before.session),
            start_us,
            duration_us,
            date,
            is_discontinuity: false,
            is_independent: true,
            is_gap: true,
        }
    }

    /// An encoded rendition that was away for a while may come back with other parameters. The sound goes on without a
    /// discontinuity, so it cannot have one either: what was before is left out.
    fn leave_out_other_parameters(&mut self, log: &RenditionTimeline, live: &LiveEdge) {
        let first = live.with_ordinal(live.first_listed);
        let first = first.filter(|first| !first.is_discontinuity && !self.begins_anew);
        let mut of_run = first.and_then(|first| {
            let name = (first.token, first.init_version);
            let hash = self.inits.hashes.get(&name)?;
            Some((name, hash.clone()))
        });
        for segment in self.segments.iter_mut().rev() {
            let hash = self
                .inits
                .hashes
                .get(&segment.init)
                .cloned()
                .unwrap_or_default();
            match &of_run {
                Some((init, known)) => {
                    segment.is_gap |= hash != *known || log.with_ordinal(segment.ordinal).is_none();
                    segment.init = *init;
                }
                None => of_run = Some((segment.init, hash)),
            }
            if segment.is_discontinuity {
                of_run = None;
            }
        }
    }
}

/// A chunk with the init segment of this name. Names that were given by a process before this one are known by their token.
pub fn chunk_with_init<'a>(
    log: &'a RenditionTimeline,
    past: Option<&Past>,
    (token, version): (u64, u32),
) -> Option<&'a TimelineChunk> {
    if let Some(hash) = past.and_then(|past| past.init_hash((token, version))) {
        return log.chunks.iter().find(|chunk| chunk.init_hash == hash);
    }
    let number = version.checked_sub(FIRST_OLD_VERSION);
    let mut of_token = log.chunks.iter().filter(|chunk| chunk.token == token);
    match number {
        Some(number) => of_token.find(|chunk| chunk.number == number),
        None => {
            let first = of_token.next()?;
            let is_only_one = of_token.all(|chunk| chunk.init_hash == first.init_hash);
            is_only_one.then_some(first)
        }
    }
}

/// Whether a rendition has enough of what the source has since this position to be rewound.
pub fn is_rewindable(log: &RenditionTimeline, source: &RenditionTimeline, from_us: i64) -> bool {
    // One of them may be a segment behind.
    let until_us = log.segments.last().map_or(0, TimelineSegment::end_us) + SLACK_US;
    let covered_us = |log: &RenditionTimeline| -> i64 {
        let segments = log.segments.iter().rev();
        let inside = segments
            .skip_while(|segment| segment.end_us() > until_us)
            .take_while(|segment| segment.end_us() > from_us);
        inside.map(|segment| segment.duration_us).sum()
    };
    let source_us = covered_us(source);
    source_us > 0 && covered_us(log).saturating_mul(100) >= source_us.saturating_mul(LISTED_PERCENT)
}

#[cfg(test)]
mod tests;
