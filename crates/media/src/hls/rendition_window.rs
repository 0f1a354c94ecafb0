//! What viewers get of one rendition: the finished segments, the open one, their numbering and the promised durations.
//!
//! Playlists and snapshots are rendered from this alone. [`super::rendition_writer::RenditionWriter`] fills it.
//! Every segment has its own token, so that a list can go on under the same numbers when somebody else writes it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::segment::{Init, PartialSegment, Segment};
use super::targets::Targets;

/// Segments in a playlist, or more if they are short: six target durations are the least a player may expect.
const LISTED_SEGMENTS: usize = 8;
/// Segments in a playlist when a broken stream makes very short ones; beyond it the list gets shorter than promised.
const MOST_SEGMENTS: usize = 100;
/// Segments that can still be fetched after they left the playlist.
const KEPT_SEGMENTS: usize = 4;
/// Bytes of finished segments in memory. Beyond it the oldest go early: a stream of hundreds of megabits per second
/// gets a shorter window instead of all memory.
const WINDOW_BYTES: usize = 256 * 1024 * 1024;

/// Bits per second, for the multivariant playlist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BitRate {
    pub(super) peak: u64,
    pub(super) bytes: u64,
    pub(super) us: u64,
}

impl BitRate {
    fn note(&mut self, segment: &Segment) {
        let bytes = segment.len() as u64;
        let us = segment.duration_us.unsigned_abs();
        self.peak = self.peak.max(per_second(bytes, us));
        self.bytes += bytes;
        self.us += us;
    }
}

fn per_second(bytes: u64, us: u64) -> u64 {
    // An endless stream sends terabytes.
    let rate = (u128::from(bytes) * 8_000_000).div_ceil(u128::from(us.max(1)));
    u64::try_from(rate).unwrap_or(u64::MAX)
}

#[derive(Clone, Debug)]
pub(super) struct RenditionWindow {
    /// The promised durations.
    pub(super) targets: Targets,
    /// Finished segments, unlisted ones first.
    finished: VecDeque<Arc<Segment>>,
    finished_bytes: usize,
    /// How many of the finished segments, from the front, are no longer listed.
    unlisted: usize,
    /// The segment under construction. Its token goes on with the segments after it.
    pub(super) open: Segment,
    /// Number of discontinuities that have left the playlist.
    pub(super) discontinuity_sequence: u64,
    /// Whether any segment began in the middle of a group of pictures.
    pub(super) has_dependent_segment: bool,
    pub(super) rate: BitRate,
}

impl RenditionWindow {
    /// A window whose first segment is `open`.
    pub(super) fn new(open: Segment, discontinuity_sequence: u64, targets: &Targets) -> Self {
        Self {
            targets: *targets,
            finished: VecDeque::new(),
            finished_bytes: 0,
            unlisted: 0,
            open,
            discontinuity_sequence,
            has_dependent_segment: false,
            rate: BitRate::default(),
        }
    }

    /// The same with the finished segments that another server knows, of which the first `unlisted` left the playlist.
    pub(super) fn with_finished(
        mut self,
        finished: VecDeque<Arc<Segment>>,
        unlisted: usize,
    ) -> Self {
        self.finished_bytes = finished.iter().map(|segment| segment.len()).sum();
        self.unlisted = unlisted.min(finished.len());
        self.finished = finished;
        self
    }

    /// How many finished segments, from the oldest, are no longer listed.
    pub(super) fn unlisted(&self) -> usize {
        self.unlisted
    }

    /// The finished segment with this number.
    pub(super) fn finished(&self, msn: u64) -> Option<&Arc<Segment>> {
        let place = self
            .finished
            .binary_search_by_key(&msn, |segment| segment.msn);
        self.finished.get(place.ok()?)
    }

    /// Adds a part to the open segment.
    pub(super) fn add_part(&mut self, part: PartialSegment) {
        self.open.duration_us += part.duration_us;
        self.open.parts.push(part);
    }

    /// Finishes the open segment and opens `next`. False if there was nothing to finish, because it was empty.
    pub(super) fn open_next(&mut self, next: Segment) -> bool {
        let done = std::mem::replace(&mut self.open, next);
        if done.is_empty() {
            return false;
        }
        self.has_dependent_segment |= !done.is_independent();
        self.rate.note(&done);
        self.finished_bytes += done.len();
        self.finished.push_back(Arc::new(done));
        while self.has_one_too_many() {
            self.unlist();
        }
        while self.unlisted > KEPT_SEGMENTS {
            self.evict();
        }
        while self.finished_bytes > WINDOW_BYTES && self.finished.len() > 1 {
            if self.unlisted == 0 {
                self.unlist();
            }
            self.evict();
        }
        true
    }

    /// Whether the oldest segment can leave the playlist: enough would be left, in number and in time.
    fn has_one_too_many(&self) -> bool {
        let count = self.listed().len();
        let rest_us: i64 = self
            .listed()
            .skip(1)
            .map(|segment| segment.duration_us)
            .sum();
        // The minimum duration of the playlist, once there is as much.
        let listed_us = self.targets.skip_until_us();
        count > MOST_SEGMENTS || (count > LISTED_SEGMENTS && rest_us >= listed_us)
    }

    fn unlist(&mut self) {
        if let Some(leaving) = self.finished.get(self.unlisted) {
            self.discontinuity_sequence += u64::from(leaving.is_discontinuity);
            self.unlisted += 1;
        }
    }

    /// Takes the segments before this number off the list, where players have seen it without them.
    pub(super) fn unlist_before(&mut self, msn: u64) {
        while self.listed().next().is_some_and(|first| first.msn < msn) {
            self.unlist();
        }
    }

    /// Number of the first segment in the list.
    pub(super) fn first_listed(&self) -> u64 {
        let first = self.listed().next();
        first.map_or(self.open.msn, |first| first.msn)
    }

    fn evict(&mut self) {
        if let Some(gone) = self.finished.pop_front() {
            self.finished_bytes -= gone.len();
            self.unlisted -= 1;
        }
    }

    /// Whether the playlist lists parts.
    pub(super) fn lists_parts(&self) -> bool {
        self.targets.part_us.is_some()
    }

    /// Finished segments that are listed, oldest first.
    pub(super) fn listed(
        &self,
    ) -> impl DoubleEndedIterator<Item = &Arc<Segment>> + ExactSizeIterator {
        self.finished.range(self.unlisted..)
    }

    /// Finished segments that can be fetched, oldest first.
    pub(super) fn fetchable(&self) -> impl DoubleEndedIterator<Item = &Arc<Segment>> {
        self.finished.iter()
    }

    /// The token of all files that are still to come.
    pub(super) fn token(&self) -> u64 {
        self.open.token
    }

    /// Renames every file, listed or not; different tokens stay different.
    pub(super) fn rename(&mut self, change: u64) {
        self.open.token ^= change;
        for segment in &mut self.finished {
            // Older snapshots keep theirs; the bytes are shared.
            Arc::make_mut(segment).token ^= change;
        }
    }

    /// The init segments in use, newest last, each with the token of its name.
    pub(super) fn inits(&self) -> Vec<(u64, Arc<Init>)> {
        let mut found: Vec<(u64, Arc<Init>)> = Vec::new();
        let finished = self.fetchable().map(AsRef::as_ref);
        for segment in finished.chain([&self.open]) {
            let Segment { token, init, .. } = segment;
            let is_found = found.last().is_some_and(|(known_token, known)| {
                (known_token, known.version) == (token, init.version)
            });
            if !is_found {
                found.push((*token, Arc::clone(init)));
            }
        }
        found
    }

    /// Number of discontinuities up to the end of the finished segments.
    pub(super) fn discontinuities(&self) -> u64 {
        let listed = self.listed().filter(|segment| segment.is_discontinuity);
        self.discontinuity_sequence + listed.count() as u64
    }

    /// Number of discontinuities up to the start of segment `msn`.
    pub(super) fn discontinuities_up_to(&self, msn: u64) -> u64 {
        let listed = self.listed().map(AsRef::as_ref);
        let before = listed
            .chain([&self.open])
            .filter(|segment| segment.is_discontinuity && segment.msn <= msn);
        self.discontinuity_sequence + before.count() as u64
    }

    /// Bits per second: the peak segment's, and the average; before the first complete segment, those of the open one.
    pub(super) fn peak_and_average(&self) -> (u64, u64) {
        let BitRate { peak, bytes, us } = self.rate;
        if us == 0 {
            let open = &self.open;
            let rate = per_second(open.len() as u64, open.duration_us.unsigned_abs());
            return (rate, rate);
        }
        (peak, per_second(bytes, us))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use jiff::{SignedDuration, Timestamp};

    use super::*;
    use crate::hls::playlist::{MediaPlaylist, RenditionReports};
    use crate::hls::segment::SegmentStart;
    use crate::hls::snapshot::{Ladder, TrackDescriptions};
    use crate::hls::{
        DeliveryDirectives, HlsFile, HlsPath, LatencyLevel, LiveSnapshot, Rendition, RenditionView,
        Snapshot,
    };

    const FIRST: u64 = 0x1111_1111_1111_1111;
    const SECOND: u64 = 0x2222_2222_2222_2222;
    const PART_US: i64 = 500_000;
    const PARTS: usize = 4;

    fn segment(msn: u64, at_us: i64, token: u64, version: u32) -> Segment {
        let start = SegmentStart {
            msn,
            at_us,
            date: Timestamp::UNIX_EPOCH + SignedDuration::from_micros(at_us),
            is_discontinuity: version > 1,
        };
        let bytes = Bytes::from(format!("init {token:x} {version}"));
        Segment::begun(start, token, Arc::new(Init { version, bytes }))
    }

    fn bytes_of(token: u64, msn: u64, index: usize) -> Bytes {
        Bytes::from(format!("part {token:x} {msn} {index}"))
    }

    fn add_part(window: &mut RenditionWindow) {
        let open = &window.open;
        let bytes = bytes_of(open.token, open.msn, open.parts.len());
        window.add_part(PartialSegment {
            bytes,
            duration_us: PART_US,
            is_independent: true,
        });
    }

    /// Finishes the open segment and opens the next one, with the same token and init segment.
    fn open_next(window: &mut RenditionWindow) {
        let open = &window.open;
        let next = SegmentStart {
            msn: open.msn + 1,
            at_us: open.start_us + open.duration_us,
            date: open.date + SignedDuration::from_micros(open.duration_us),
            is_discontinuity: false,
        };
        let next = Segment::begun(next, open.token, Arc::clone(&open.init));
        assert!(window.open_next(next), "the open segment was empty");
    }

    fn fill(window: &mut RenditionWindow, segments: usize) {
        for _ in 0..segments {
            (0..PARTS).for_each(|_| add_part(window));
            open_next(window);
        }
    }

    /// Segment 7 is complete, and segment 8 has one part.
    fn first_writer() -> RenditionWindow {
        let targets = Targets::choose(LatencyLevel::new(2), Some(1e6 / 30.0), None);
        let mut window = RenditionWindow::new(segment(7, 0, FIRST, 1), 0, &targets);
        fill(&mut window, 1);
        add_part(&mut window);
        window
    }

    /// Closes the open segment as it is, and goes on with another token and the first part of the next segment.
    fn second_writer(window: &mut RenditionWindow) {
        let open = &window.open;
        let (msn, at_us) = (open.msn + 1, open.start_us + open.duration_us);
        assert!(window.open_next(segment(msn, at_us, SECOND, 2)));
        add_part(window);
    }

    fn snapshot(before: Option<&Snapshot>, window: &RenditionWindow) -> Snapshot {
        Snapshot::render(
            before,
            [Some(window), None],
            [true, false],
            &window.targets,
            FIRST,
            &TrackDescriptions::default(),
            &Ladder::default(),
            false,
        )
    }

    fn view(snapshot: &Snapshot) -> &RenditionView {
        snapshot.view(Rendition::Main).unwrap()
    }

    fn text(view: &RenditionView) -> &str {
        std::str::from_utf8(&view.full.plain).unwrap()
    }

    fn names(text: &str) -> Vec<&str> {
        text.split(['"', '\n'])
            .filter(|name| name.ends_with(".mp4") || name.ends_with(".m4s"))
            .collect()
    }

    #[test]
    fn every_file_of_a_list_that_changed_its_writer_has_the_token_of_its_segment() {
        let mut window = first_writer();
        second_writer(&mut window);
        let snapshot = snapshot(None, &window);
        let text = text(view(&snapshot));
        assert_eq!(
            names(text),
            [
                "init-1111111111111111-1.mp4",
                "part-1111111111111111-7-0.m4s",
                "part-1111111111111111-7-1.m4s",
                "part-1111111111111111-7-2.m4s",
                "part-1111111111111111-7-3.m4s",
                "seg-1111111111111111-7.m4s",
                "part-1111111111111111-8-0.m4s",
                "seg-1111111111111111-8.m4s",
                "init-2222222222222222-2.mp4",
                "part-2222222222222222-9-0.m4s",
                "part-2222222222222222-9-1.m4s",
            ]
        );
        let start = "#EXT-X-MEDIA-SEQUENCE:7\n#EXT-X-DISCONTINUITY-SEQUENCE:0\n";
        assert!(text.contains(start), "{text}");
        let change = "seg-1111111111111111-8.m4s\n#EXT-X-DISCONTINUITY\n\
            #EXT-X-MAP:URI=\"init-2222222222222222-2.mp4\"\n";
        assert!(text.contains(change), "{text}");
    }

    #[test]
    fn files_of_both_writers_are_found_under_their_own_names_only() {
        let mut window = first_writer();
        second_writer(&mut window);
        fill(&mut window, 1);
        let snapshot = snapshot(None, &window);
        let view = view(&snapshot);
        for name in names(text(view)) {
            let path = format!("0/{name}");
            let Some(HlsPath::File(_, file)) = HlsPath::parse(&path) else {
                panic!("{path} cannot be asked for");
            };
            match file {
                HlsFile::Init { token, version } => {
                    let init = view.init(token, version).unwrap();
                    assert_eq!(init.bytes, format!("init {token:x} {version}"));
                    assert!(view.init(token ^ FIRST ^ SECOND, version).is_none());
                }
                HlsFile::Segment { token, msn } => {
                    let segment = view.segment(token, msn).unwrap();
                    assert_eq!((segment.token, segment.msn), (token, msn));
                    assert!(view.segment(token ^ FIRST ^ SECOND, msn).is_none());
                }
                HlsFile::Part { token, msn, index } => {
                    assert!(view.part(token ^ FIRST ^ SECOND, msn, index).is_none());
                    match view.part(token, msn, index) {
                        Some(part) => assert_eq!(part.bytes, bytes_of(token, msn, index)),
                        None => assert_eq!((token, msn, index), (SECOND, 10, 0)),
                    }
                }
            }
        }
        assert!(view.is_next_part(SECOND, 10, 0));
        assert!(!view.is_next_part(FIRST, 10, 0));
    }

    #[test]
    fn a_delta_update_over_a_change_of_the_writer_ends_like_the_full_playlist() {
        let mut window = first_writer();
        fill(&mut window, 2);
        add_part(&mut window);
        second_writer(&mut window);
        fill(&mut window, 5);
        let reports = RenditionReports {
            usual: [None; 2],
            encoded: Vec::new(),
        };
        let playlist = MediaPlaylist {
            rendition: Rendition::Main,
            window: &window,
            reports: &reports,
            is_ended: false,
        };
        let full = playlist.write(0);
        assert!(
            full.contains("init-1111111111111111-1") && full.contains("#EXT-X-DISCONTINUITY\n")
        );
        for skipped in 1..=window.listed().len() {
            let delta = playlist.write(skipped);
            let skip = format!("#EXT-X-SKIP:SKIPPED-SEGMENTS={skipped}\n");
            let (_, rest) = delta.split_once(&skip).unwrap();
            assert!(full.ends_with(rest), "{delta}");
        }
    }

    #[test]
    fn files_of_the_first_writer_leave_the_list_and_then_the_window() {
        let mut window = first_writer();
        second_writer(&mut window);
        fill(&mut window, LISTED_SEGMENTS);
        let snapshot = snapshot(None, &window);
        let list = text(view(&snapshot));
        assert!(!list.contains("1111111111111111"), "{list}");
        let discontinuities = "#EXT-X-DISCONTINUITY-SEQUENCE:0\n#EXT-X-DISCONTINUITY\n";
        assert!(list.contains(discontinuities), "{list}");
        assert!(view(&snapshot).segment(FIRST, 8).is_some());
        assert!(view(&snapshot).init(FIRST, 1).is_some());

        fill(&mut window, KEPT_SEGMENTS);
        let snapshot = self::snapshot(None, &window);
        let list = text(view(&snapshot));
        assert!(list.contains("#EXT-X-DISCONTINUITY-SEQUENCE:1\n"), "{list}");
        assert!(view(&snapshot).segment(FIRST, 8).is_none());
        assert!(view(&snapshot).init(FIRST, 1).is_none());
        assert!(view(&snapshot).init(SECOND, 2).is_some());
    }

    #[tokio::test]
    async fn a_blocking_reload_is_answered_by_the_next_writer_of_the_list() {
        let mut window = first_writer();
        let before = Arc::new(snapshot(None, &window));
        let (sender, live_snapshot) = LiveSnapshot::new();
        second_writer(&mut window);
        let after = Arc::new(snapshot(Some(&before), &window));
        // What the first writer announced, and the second writer's segment and part.
        for (msn, part) in [(8, Some(1)), (9, None), (9, Some(0))] {
            sender.send_replace(Some(Arc::clone(&before)));
            let directives = DeliveryDirectives {
                msn: Some(msn),
                part,
                wants_delta: false,
            };
            assert_eq!(directives.is_met(view(&before)), Ok(false));
            let answer = live_snapshot.until(Duration::from_secs(60), |now| {
                let view = view(now?);
                let is_met = directives.is_met(view).unwrap();
                is_met.then(|| view.full.plain.clone())
            });
            let (answer, ()) = tokio::join!(answer, async {
                sender.send_replace(Some(Arc::clone(&after)));
            });
            assert_eq!(answer.as_ref(), Some(&view(&after).full.plain));
        }
        // Nobody waits for a part that its writer can no longer make.
        assert!(view(&before).is_next_part(FIRST, 8, 1));
        assert!(!view(&after).is_next_part(FIRST, 8, 1));
        assert!(view(&after).part(FIRST, 8, 1).is_none());
        let next = DeliveryDirectives {
            msn: Some(9),
            part: Some(1),
            wants_delta: false,
        };
        assert_eq!(next.is_met(view(&after)), Ok(false));
    }

    #[test]
    fn new_names_keep_the_bytes_and_keep_the_writers_apart() {
        let change = 0x0f0f_0f0f_0f0f_0f0f;
        let mut window = first_writer();
        second_writer(&mut window);
        let before = snapshot(None, &window);
        window.rename(change);
        let after = snapshot(Some(&before), &window);
        for (token, msn) in [(FIRST, 7), (FIRST, 8), (SECOND, 9)] {
            let old = view(&before).part(token, msn, 0).unwrap();
            let new = view(&after).part(token ^ change, msn, 0).unwrap();
            assert_eq!(old.bytes.as_ptr(), new.bytes.as_ptr());
            assert!(view(&after).part(token, msn, 0).is_none());
        }
        let list = text(view(&after));
        assert!(list.contains("init-1e1e1e1e1e1e1e1e-1.mp4"), "{list}");
        assert!(list.contains("init-2d2d2d2d2d2d2d2d-2.mp4"), "{list}");
    }
}
