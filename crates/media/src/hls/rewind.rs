//! The live playlist's second form: what is kept of the broadcast, and then the live playlist as it is.
//!
//! A list has numbers of its own, which count from the beginning of the recording. It is made of pieces: what is in the
//! past is written and compressed once ([`past_text`]); only the end is written with each part, by the same code that writes
//! the live playlist.

use jiff::Timestamp;

use super::master;
use super::name::{HlsFile, REWIND, Rendition};
use super::playlist::{MediaPlaylist, SegmentEntry, write_end, write_head};
use super::snapshot::RenditionView;

/// Token and version in the name of an init segment.
pub type InitName = (u64, u32);

/// A segment before the live playlist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastSegment {
    pub token: u64,
    pub msn: u64,
    /// The init segment it needs.
    pub init: InitName,
    pub duration_us: i64,
    /// Wall-clock time at its start.
    pub date: Timestamp,
    /// Whether `EXT-X-DISCONTINUITY` precedes it.
    pub is_discontinuity: bool,
    /// Whether a player can begin here.
    pub is_independent: bool,
    /// Whether its bytes are lost.
    pub is_gap: bool,
}

impl PastSegment {
    fn entry(&self) -> SegmentEntry {
        SegmentEntry {
            file: HlsFile::Segment {
                token: self.token,
                msn: self.msn,
            },
            init_file: init_file(self.init),
            duration_us: self.duration_us,
            date: self.date,
            is_discontinuity: self.is_discontinuity,
            is_independent: self.is_independent,
            is_gap: self.is_gap,
        }
    }
}

fn init_file((token, version): InitName) -> HlsFile {
    HlsFile::Init { token, version }
}

/// The lines of segments in the past; the one before them needs `init`.
pub fn past_text(segments: &[PastSegment], init: Option<InitName>) -> String {
    let mut text = String::with_capacity(segments.len() * 128);
    let mut init = init.map(init_file);
    for segment in segments {
        let entry = segment.entry();
        // Writing into a String cannot fail.
        let _ = write_head(&mut text, &entry, &mut init);
        let _ = write_end(&mut text, &entry);
    }
    text
}

/// One segment under both of its numbers: those of the live playlist and those of the recording go on in step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RewindNumbers {
    pub msn: u64,
    pub ordinal: u64,
}

impl RewindNumbers {
    /// The number in the recording of a segment of the live playlist.
    pub fn ordinal_of(self, msn: u64) -> u64 {
        match msn.checked_sub(self.msn) {
            Some(after) => self.ordinal.saturating_add(after),
            None => self.ordinal.saturating_sub(self.msn - msn),
        }
    }

    /// The number that the live playlist has, or would have, for a segment of the recording.
    pub fn msn_of(self, ordinal: u64) -> u64 {
        match ordinal.checked_sub(self.ordinal) {
            Some(after) => self.msn.saturating_add(after),
            None => self.msn.saturating_sub(self.ordinal - ordinal),
        }
    }
}

/// The list of a rendition at one moment, but for most of its past.
#[derive(Clone, Copy, Debug)]
pub struct RewindList<'a> {
    pub rendition: Rendition,
    /// The live playlist it ends with.
    pub view: &'a RenditionView,
    pub is_ended: bool,
    pub numbers: RewindNumbers,
    /// Number of its first segment.
    pub first: u64,
    /// How many discontinuities have left it.
    pub discontinuity_sequence: u64,
    /// The segments before the live playlist, or the newest of them.
    pub newest: &'a [PastSegment],
    /// Whether the live playlist does not follow them.
    pub begins_anew: bool,
    /// The renditions that have such a list.
    pub offered: &'a [Rendition],
}

impl RewindList<'_> {
    fn live(&self) -> MediaPlaylist<'_> {
        MediaPlaylist {
            rendition: self.rendition,
            window: &self.view.window,
            reports: &self.view.reports,
            is_ended: self.is_ended,
        }
    }

    /// How many segments are before the live playlist.
    pub fn past(&self) -> u64 {
        let live = self.numbers.ordinal_of(self.view.first_listed());
        live.saturating_sub(self.first)
    }

    /// What stands before the segments.
    pub fn head(&self) -> String {
        self.head_of(0)
    }

    fn head_of(&self, skipped: usize) -> String {
        let mut text = String::new();
        let sequence = self.discontinuity_sequence;
        // Writing into a String cannot fail.
        let _ = self.live().head(&mut text, self.first, sequence, skipped);
        text
    }

    /// Everything behind the past.
    pub fn end(&self) -> String {
        let mut text = String::new();
        self.write_end(&mut text, 0);
        text
    }

    fn write_end(&self, text: &mut String, skipped: usize) {
        let live = self.live();
        let skipped_last = skipped.checked_sub(1);
        let init = match skipped_last {
            Some(last) => live.window.listed().nth(last).map(|one| one.init_file()),
            None => self.newest.last().map(|newest| init_file(newest.init)),
        };
        let begins_anew = self.begins_anew && skipped == 0;
        // Writing into a String cannot fail.
        let _ = live.body(text, skipped, init, begins_anew);
        let _ = live.tail(text, |report| {
            let is_offered = self.offered.contains(&report.rendition);
            is_offered.then(|| (REWIND, self.numbers.ordinal_of(report.msn)))
        });
    }

    /// The list without the segments that a player already knows, if there are any.
    pub fn delta(&self) -> Option<String> {
        let live = self.live();
        let past = usize::try_from(self.past()).ok()?;
        let of_live = live.skippable();
        if of_live > 0 {
            let mut text = self.head_of(past + of_live);
            self.write_end(&mut text, of_live);
            return Some(text);
        }
        // The live playlist is still shorter than what must not be skipped.
        let limit = live.window.targets.skip_until_us();
        let listed_us: i64 = live.window.listed().map(|one| one.duration_us).sum();
        let mut later = listed_us + live.open_us();
        let mut known = self.newest;
        while later < limit
            && let Some((newest, older)) = known.split_last()
        {
            later += newest.duration_us;
            known = older;
        }
        let near = self.newest.len() - known.len();
        let skipped = past.checked_sub(near).filter(|skipped| *skipped > 0)?;
        if later < limit {
            // What it would begin with is not known here.
            return None;
        }
        let mut text = self.head_of(skipped);
        let init = known.last().map(|last| last.init);
        text.push_str(&past_text(&self.newest[known.len()..], init));
        self.write_end(&mut text, 0);
        Some(text)
    }
}

/// The multivariant playlist of the lists that go further back: the live one, without what is not `offered`.
pub fn rewind_master(all: &str, offered: &[Rendition], is_independent: bool) -> String {
    master::renamed(all, REWIND, offered, is_independent)
}

#[cfg(test)]
mod tests;
