//! Finds what is new in each snapshot, for those who want every part once.
//!
//! A snapshot holds everything that can be fetched, so whoever misses some of them misses no part, unless it stays away
//! for longer than the window is.

use std::sync::Arc;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};

use super::name::{Rendition, RungIndex};
use super::rendition_description::RenditionDescription;
use super::segment::{Init, Segment};
use super::snapshot::{RenditionView, Snapshot};

/// New parts of a rendition, all with the token and the init segment of one file.
#[derive(Clone, Debug)]
pub struct FollowedParts {
    pub rendition: Rendition,
    pub token: u64,
    pub init: Arc<Init>,
    pub description: RenditionDescription,
    /// Bits per second of the largest segment so far.
    pub peak_rate: u64,
    pub parts: Vec<FollowedPart>,
}

/// A part that was not there before.
#[derive(Clone, Debug)]
pub struct FollowedPart {
    pub msn: u64,
    /// Its place in its segment.
    pub index: usize,
    /// `moof` and `mdat`; shared with the snapshot.
    pub bytes: Bytes,
    pub duration_us: i64,
    /// On the session's time line.
    pub start_us: i64,
    /// Wall-clock time at its start.
    pub date: Timestamp,
    pub is_independent: bool,
    /// Whether it does not follow the part before, because the stream says so or because parts were missed.
    pub is_discontinuity: bool,
}

/// Where a rendition stands.
#[derive(Clone, Copy, Debug)]
struct PartCursor {
    rendition: Rendition,
    msn: u64,
    /// How many parts of this segment are known.
    parts: usize,
}

/// Remembers what it has told of one broadcast.
#[derive(Debug, Default)]
pub struct PartFollower {
    cursors: Vec<PartCursor>,
}

impl PartFollower {
    /// What is new since the last snapshot, oldest first in each rendition; in the beginning, all that can be fetched. Sound
    /// without a picture is told once, as sound.
    pub fn follow(&mut self, snapshot: &Snapshot) -> Vec<FollowedParts> {
        let mut found = Vec::new();
        let usual = [
            (Rendition::Main, snapshot.picture()),
            (Rendition::Audio, snapshot.audio.as_ref()),
            (Rendition::Aac, snapshot.aac.as_ref()),
        ];
        let rungs = RungIndex::all().map(Rendition::Rung);
        let rungs = rungs.map(|rung| (rung, snapshot.view(rung)));
        for (rendition, view) in usual.into_iter().chain(rungs) {
            if let Some(view) = view {
                let mut described = snapshot.described.iter();
                let description =
                    described.find_map(|(of, what)| (*of == rendition).then_some(what));
                self.follow_view(rendition, view, description, &mut found);
            }
        }
        found
    }

    fn follow_view(
        &mut self,
        rendition: Rendition,
        view: &RenditionView,
        description: Option<&RenditionDescription>,
        found: &mut Vec<FollowedParts>,
    ) {
        let window = &view.window;
        let known = self
            .cursors
            .iter()
            .position(|cursor| cursor.rendition == rendition);
        let mut cursor = known.map(|at| self.cursors[at]);
        let first = found.len();
        let finished = window.fetchable().map(AsRef::as_ref);
        for segment in finished.chain([&window.open]) {
            let next = match cursor {
                Some(cursor) if segment.msn < cursor.msn => continue,
                Some(cursor) if segment.msn == cursor.msn => cursor.parts,
                _ => 0,
            };
            let is_missing_some = next == 0
                && cursor.is_some_and(|before| is_gap(before, segment.msn, window_msn(view)));
            for index in next..segment.parts.len() {
                let is_discontinuity = index == 0 && (segment.is_discontinuity || is_missing_some);
                let is_same_file = found.len() > first
                    && found.last().is_some_and(|last| {
                        (last.token, last.init.version) == (segment.token, segment.init.version)
                    });
                if !is_same_file {
                    found.push(FollowedParts {
                        rendition,
                        token: segment.token,
                        init: Arc::clone(&segment.init),
                        description: description.cloned().unwrap_or_default(),
                        peak_rate: window.peak_and_average().0,
                        parts: Vec::new(),
                    });
                }
                if let Some(last) = found.last_mut() {
                    last.parts.push(part(segment, index, is_discontinuity));
                }
            }
            cursor = Some(PartCursor {
                rendition,
                msn: segment.msn,
                parts: segment.parts.len(),
            });
        }
        if let Some(cursor) = cursor {
            match known {
                Some(at) => self.cursors[at] = cursor,
                None => self.cursors.push(cursor),
            }
        }
    }
}

/// The oldest number that can be fetched.
fn window_msn(view: &RenditionView) -> u64 {
    let first = view.window.fetchable().next();
    first.map_or(view.window.open.msn, |first| first.msn)
}

/// Whether something is missing between where a rendition stood and the beginning of segment `msn`. Of a segment that has
/// left the window it is unknown whether it grew.
fn is_gap(before: PartCursor, msn: u64, oldest: u64) -> bool {
    msn > before.msn.saturating_add(1) || (msn > before.msn && before.msn < oldest)
}

fn part(segment: &Segment, index: usize, is_discontinuity: bool) -> FollowedPart {
    let before = segment.parts.iter().take(index);
    let since_us: i64 = before.map(|part| part.duration_us).sum();
    let part = &segment.parts[index];
    FollowedPart {
        msn: segment.msn,
        index,
        bytes: part.bytes.clone(),
        duration_us: part.duration_us,
        start_us: segment.start_us + since_us,
        date: segment.date + SignedDuration::from_micros(since_us),
        is_independent: part.is_independent,
        is_discontinuity,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hls::LatencyLevel;
    use crate::hls::rendition_window::RenditionWindow;
    use crate::hls::segment::{PartialSegment, SegmentStart};
    use crate::hls::snapshot::{Ladder, TrackDescriptions};
    use crate::hls::targets::Targets;

    const TOKEN: u64 = 0x0123_4567_89ab_cdef;
    const PART_US: i64 = 500_000;

    fn begin(msn: u64, is_discontinuity: bool) -> Segment {
        let at_us = i64::try_from(msn).unwrap() * PART_US * 4;
        let start = SegmentStart {
            msn,
            at_us,
            date: Timestamp::UNIX_EPOCH + SignedDuration::from_micros(at_us),
            is_discontinuity,
        };
        let bytes = Bytes::from_static(b"the init segment");
        Segment::begun(start, TOKEN, Arc::new(Init { version: 1, bytes }))
    }

    fn window() -> RenditionWindow {
        let targets = Targets::choose(LatencyLevel::new(2), Some(1e6 / 30.0), None);
        RenditionWindow::new(begin(7, false), 0, &targets)
    }

    fn add_part(window: &mut RenditionWindow) {
        let (msn, index) = (window.open.msn, window.open.parts.len());
        window.add_part(PartialSegment {
            bytes: Bytes::from(format!("part {msn} {index}")),
            duration_us: PART_US,
            is_independent: index == 0,
        });
    }

    /// Finishes the open segment after four parts.
    fn fill(window: &mut RenditionWindow, is_discontinuity: bool) {
        while window.open.parts.len() < 4 {
            add_part(window);
        }
        assert!(window.open_next(begin(window.open.msn + 1, is_discontinuity)));
    }

    fn snapshot(window: &RenditionWindow) -> Snapshot {
        Snapshot::render(
            None,
            [Some(window), None],
            [true, false],
            &window.targets,
            TOKEN,
            &TrackDescriptions::default(),
            &Ladder::default(),
            false,
        )
    }

    /// Number, place and discontinuity of what is new.
    fn news(follower: &mut PartFollower, window: &RenditionWindow) -> Vec<(u64, usize, bool)> {
        let found = follower.follow(&snapshot(window));
        let parts = found.iter().flat_map(|one| &one.parts);
        let parts = parts.map(|part| (part.msn, part.index, part.is_discontinuity));
        parts.collect()
    }

    #[test]
    fn every_part_is_told_once_whichever_snapshots_are_missed() {
        let mut window = window();
        let mut follower = PartFollower::default();
        add_part(&mut window);
        assert_eq!(news(&mut follower, &window), [(7, 0, false)]);
        assert!(news(&mut follower, &window).is_empty());
        add_part(&mut window);
        add_part(&mut window);
        fill(&mut window, false);
        add_part(&mut window);
        let expected = [(7, 1, false), (7, 2, false), (7, 3, false), (8, 0, false)];
        assert_eq!(news(&mut follower, &window), expected);
        fill(&mut window, false);
        let expected = [(8, 1, false), (8, 2, false), (8, 3, false)];
        assert_eq!(news(&mut follower, &window), expected);
    }

    #[test]
    fn a_part_says_when_it_begins() {
        let mut window = window();
        add_part(&mut window);
        add_part(&mut window);
        let found = PartFollower::default().follow(&snapshot(&window));
        let part = &found[0].parts[1];
        assert_eq!(part.start_us, 7 * 4 * PART_US + PART_US);
        assert_eq!(
            part.date,
            Timestamp::UNIX_EPOCH + SignedDuration::from_micros(part.start_us)
        );
        assert_eq!(part.bytes.as_ref(), b"part 7 1");
    }

    #[test]
    fn a_discontinuity_is_told_with_the_first_part_behind_it() {
        let mut window = window();
        let mut follower = PartFollower::default();
        fill(&mut window, true);
        add_part(&mut window);
        add_part(&mut window);
        let told = news(&mut follower, &window);
        assert_eq!(told[told.len() - 2..], [(8, 0, true), (8, 1, false)]);
    }

    #[test]
    fn whoever_is_late_by_more_than_the_window_hears_of_the_gap() {
        let mut window = window();
        let mut follower = PartFollower::default();
        add_part(&mut window);
        assert_eq!(news(&mut follower, &window).len(), 1);
        (0..40).for_each(|_| fill(&mut window, false));
        let told = news(&mut follower, &window);
        let (first, rest) = told.split_first().unwrap();
        assert!(first.0 > 8 && first.1 == 0 && first.2, "{first:?}");
        assert!(
            rest.iter()
                .all(|(_, _, is_discontinuity)| !is_discontinuity)
        );
    }

    #[test]
    fn new_names_make_no_part_new() {
        let mut window = window();
        let mut follower = PartFollower::default();
        fill(&mut window, false);
        add_part(&mut window);
        assert_eq!(news(&mut follower, &window).len(), 5);
        window.rename(1);
        assert!(news(&mut follower, &window).is_empty());
        add_part(&mut window);
        let found = follower.follow(&snapshot(&window));
        assert_eq!((found.len(), found[0].token), (1, TOKEN ^ 1));
    }
}
