use std::io::Read;
use std::sync::Arc;

use bytes::Bytes;
use flate2::read::GzDecoder;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::*;
use crate::hls::compress::{ChainedText, TextPiece};
use crate::hls::playlist::{RenditionReport, RenditionReports};
use crate::hls::rendition_window::RenditionWindow;
use crate::hls::segment::{Init, PartialSegment, Segment, SegmentStart};
use crate::hls::targets::{LatencyLevel, Targets};

const TOKEN: u64 = 0x1111_1111_1111_1111;
const OLD_TOKEN: u64 = 0x2222_2222_2222_2222;
const PART_US: i64 = 500_000;
const SEGMENT_US: i64 = 2_000_000;
const PARTS: usize = 4;
/// The number of the first segment of the live playlist's session.
const FIRST_MSN: u64 = 1_700_000_000;

/// A recording of `past` segments with the numbers from 0; the live playlist of a session that begins `whole` segments
/// before its open one, which has `open` parts.
#[derive(Clone, Copy, Debug)]
struct Scene {
    past: u64,
    whole: u64,
    open: usize,
    /// The session of the live playlist began with its first segment; what is in the past is of another one.
    is_resumed: bool,
}

fn date_of(ordinal: u64) -> Timestamp {
    let us = i64::try_from(ordinal).unwrap() * SEGMENT_US;
    Timestamp::UNIX_EPOCH + SignedDuration::from_micros(us)
}

fn begun(msn: u64, ordinal: u64) -> Segment {
    let start = SegmentStart {
        msn,
        at_us: i64::try_from(ordinal).unwrap() * SEGMENT_US,
        date: date_of(ordinal),
        is_discontinuity: false,
    };
    let bytes = Bytes::from_static(b"init");
    Segment::begun(start, TOKEN, Arc::new(Init { version: 1, bytes }))
}

impl Scene {
    fn window(self) -> RenditionWindow {
        let targets = Targets::choose(LatencyLevel::new(2), Some(1e6 / 30.0), None);
        let mut window = RenditionWindow::new(begun(FIRST_MSN, self.past), 0, &targets);
        let part = || PartialSegment {
            bytes: Bytes::from_static(b"part"),
            duration_us: PART_US,
            is_independent: true,
        };
        for done in 1..=self.whole {
            (0..PARTS).for_each(|_| window.add_part(part()));
            assert!(window.open_next(begun(FIRST_MSN + done, self.past + done)));
        }
        (0..self.open).for_each(|_| window.add_part(part()));
        window
    }

    fn view(self) -> RenditionView {
        let window = self.window();
        let other = RenditionReport {
            rendition: Rendition::Audio,
            msn: window.open.msn,
            part: Some(2),
        };
        let reports = Arc::new(RenditionReports {
            usual: [None, Some(other)],
            encoded: Vec::new(),
        });
        RenditionView::render(Rendition::Main, &window, &reports, false)
    }

    /// What left the live playlist belongs to the past too.
    fn past_segments(self, view: &RenditionView) -> Vec<PastSegment> {
        let left = view.first_listed() - FIRST_MSN;
        let segment = |ordinal: u64| {
            let is_old = self.is_resumed && ordinal < self.past;
            PastSegment {
                token: if is_old { OLD_TOKEN } else { TOKEN },
                msn: if is_old {
                    ordinal
                } else {
                    FIRST_MSN.wrapping_add(ordinal).wrapping_sub(self.past)
                },
                init: (if is_old { OLD_TOKEN } else { TOKEN }, 1),
                duration_us: SEGMENT_US,
                date: date_of(ordinal),
                is_discontinuity: self.is_resumed && ordinal == self.past && ordinal > 0,
                is_independent: true,
                is_gap: false,
            }
        };
        (0..self.past + left).map(segment).collect()
    }

    fn list<'a>(self, view: &'a RenditionView, past: &'a [PastSegment]) -> RewindList<'a> {
        RewindList {
            rendition: Rendition::Main,
            view,
            is_ended: false,
            numbers: RewindNumbers {
                msn: FIRST_MSN,
                ordinal: self.past,
            },
            first: 0,
            discontinuity_sequence: 0,
            newest: past,
            begins_anew: self.is_resumed && past.len() as u64 == self.past && self.past > 0,
            offered: &[Rendition::Main, Rendition::Audio],
        }
    }
}

fn full(list: &RewindList<'_>, past: &[PastSegment]) -> String {
    list.head() + &past_text(past, None) + &list.end()
}

/// What a player has who knew `before` and gets a delta update.
fn applied(before: &str, delta: &str) -> String {
    let (head, rest) = delta.split_once("#EXT-X-SKIP:SKIPPED-SEGMENTS=").unwrap();
    let (skipped, rest) = rest.split_once('\n').unwrap();
    let skipped: usize = skipped.parse().unwrap();
    let sequence = |text: &str| -> usize {
        let (_, rest) = text.split_once("#EXT-X-MEDIA-SEQUENCE:").unwrap();
        rest.lines().next().unwrap().parse().unwrap()
    };
    let gone = sequence(head) - sequence(before);
    let known: Vec<&str> = segments(before);
    head.to_owned() + &known[gone..gone + skipped].concat() + rest
}

/// The lines of each whole segment of a full list.
fn segments(list: &str) -> Vec<&str> {
    let (head, _) = list.split_once("#EXT-X-DISCONTINUITY-SEQUENCE").unwrap();
    let rest = &list[head.len()..];
    let (_, mut rest) = rest.split_once('\n').unwrap();
    let mut found = Vec::new();
    while let Some(at) = rest.find("#EXTINF") {
        let after_inf = at + rest[at..].find('\n').unwrap() + 1;
        let end = after_inf + rest[after_inf..].find('\n').unwrap() + 1;
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

fn scenes() -> impl Strategy<Value = Scene> {
    (0..40_u64, 1..30_u64, 0..PARTS, any::<bool>()).prop_map(|(past, whole, open, is_resumed)| {
        Scene {
            past,
            whole,
            open,
            is_resumed,
        }
    })
}

proptest! {
    #[test]
    fn a_delta_update_makes_the_full_list_of_one_that_is_a_little_older(scene in scenes(), older in 0..3_u64) {
        let view = scene.view();
        let past = scene.past_segments(&view);
        let list = scene.list(&view, &past);
        let whole = full(&list, &past);
        // As many segments before; only whole ones are skipped.
        let before = Scene { whole: scene.whole.saturating_sub(older).max(1), ..scene };
        let old_view = before.view();
        let old_past = before.past_segments(&old_view);
        let old = full(&before.list(&old_view, &old_past), &old_past);
        if let Some(delta) = list.delta() {
            prop_assert_eq!(applied(&old, &delta), whole);
        } else {
            let listed = segments(&whole).len() as i64 * SEGMENT_US;
            prop_assert!(listed <= view.window.targets.skip_until_us() + SEGMENT_US);
        }
    }

    #[test]
    fn the_end_of_the_list_is_the_live_playlist_but_for_numbers_and_names_of_lists(scene in scenes()) {
        let view = scene.view();
        let past = scene.past_segments(&view);
        let list = scene.list(&view, &past);
        let whole = full(&list, &past);
        let live = std::str::from_utf8(&view.full.plain).unwrap();
        let (_, live) = live.split_once("#EXT-X-DISCONTINUITY-SEQUENCE:0\n").unwrap();
        // Where the past is empty or of another session, the map is said as in the live playlist.
        let live = match past.last() {
            Some(last) if last.init.0 == TOKEN => {
                let (_, rest) = live.split_once("#EXT-X-MAP:URI=\"init-1111111111111111-1.mp4\"\n").unwrap();
                rest
            }
            _ => live,
        };
        let edge = FIRST_MSN + scene.whole;
        let ordinal = scene.past + scene.whole;
        let live = live.replace(
            &format!("../audio/stream.m3u8\",LAST-MSN={edge}"),
            &format!("../audio/rewind.m3u8\",LAST-MSN={ordinal}"),
        );
        prop_assert!(whole.ends_with(&live), "{whole}\n\n{live}");
        prop_assert_eq!(list.past(), past.len() as u64);
    }

    #[test]
    fn a_list_in_pieces_is_the_list(scene in scenes(), cut in 0..60_usize) {
        let view = scene.view();
        let past = scene.past_segments(&view);
        let list = scene.list(&view, &past);
        let (older, newer) = past.split_at(cut.min(past.len()));
        let pieces = [
            list.head(),
            past_text(older, None),
            past_text(newer, older.last().map(|last| last.init)),
            list.end(),
        ]
        .map(TextPiece::new);
        let chained = ChainedText::of(&pieces);
        let compressed = chained.gzip.concat();
        let mut read = String::new();
        GzDecoder::new(&compressed[..]).read_to_string(&mut read).unwrap();
        prop_assert_eq!(read, full(&list, &past));
    }
}

#[test]
fn what_another_process_recorded_stands_before_a_discontinuity() {
    let scene = Scene {
        past: 3,
        whole: 2,
        open: 1,
        is_resumed: true,
    };
    let view = scene.view();
    let past = scene.past_segments(&view);
    let text = full(&scene.list(&view, &past), &past);
    let seam = "seg-2222222222222222-2.m4s\n#EXT-X-DISCONTINUITY\n\
        #EXT-X-MAP:URI=\"init-1111111111111111-1.mp4\"\n";
    assert!(text.contains(seam), "{text}");
    assert_eq!(text.matches("#EXT-X-DISCONTINUITY\n").count(), 1, "{text}");
    assert!(text.contains("#EXT-X-MEDIA-SEQUENCE:0\n"), "{text}");
}

#[test]
fn a_lost_segment_is_a_gap() {
    let gap = PastSegment {
        token: TOKEN,
        msn: 7,
        init: (TOKEN, 1),
        duration_us: SEGMENT_US,
        date: date_of(0),
        is_discontinuity: false,
        is_independent: true,
        is_gap: true,
    };
    assert_eq!(
        past_text(&[gap], Some((TOKEN, 1))),
        "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:00.000Z\n#EXT-X-GAP\n#EXTINF:2.0,\n\
         seg-1111111111111111-7.m4s\n"
    );
}

#[test]
fn a_rendition_without_such_a_list_is_not_reported() {
    let scene = Scene {
        past: 3,
        whole: 2,
        open: 1,
        is_resumed: false,
    };
    let view = scene.view();
    let past = scene.past_segments(&view);
    let alone = RewindList {
        offered: &[Rendition::Main],
        ..scene.list(&view, &past)
    };
    assert!(!alone.end().contains("RENDITION-REPORT"));
}

#[test]
fn numbers_go_both_ways() {
    let numbers = RewindNumbers {
        msn: 1_000,
        ordinal: 30,
    };
    for (msn, ordinal) in [(1_000, 30), (1_010, 40), (995, 25)] {
        assert_eq!(numbers.ordinal_of(msn), ordinal);
        assert_eq!(numbers.msn_of(ordinal), msn);
    }
    assert_eq!(numbers.ordinal_of(1), 0);
    assert_eq!(numbers.msn_of(u64::MAX), u64::MAX);
}
