use proptest::prelude::*;

use super::*;
use crate::description::ChunkDescription;

const TOKEN: u64 = 0xaa;
const SEGMENT_US: i64 = 2_000_000;
const FIRST_MSN: u64 = 1_000;
/// Longer than any of these recordings.
const EVERYTHING: i64 = i64::MAX / 4;

fn date_of(us: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_micros(us)
}

fn start_of(ordinal: u64) -> i64 {
    i64::try_from(ordinal).unwrap() * SEGMENT_US
}

fn chunk(number: u32, session: u32, init_hash: &str) -> TimelineChunk {
    TimelineChunk {
        number,
        token: TOKEN + u64::from(session),
        session,
        init_len: 700,
        bytes: 0,
        init_hash: init_hash.to_owned(),
        starts_discontinuity: number > 0,
        date: Timestamp::UNIX_EPOCH,
        start_us: 0,
    }
}

fn logged(ordinal: u64, chunk: &TimelineChunk) -> TimelineSegment {
    TimelineSegment {
        ordinal,
        token: chunk.token,
        msn: FIRST_MSN + ordinal,
        chunk: chunk.number,
        offset: 0,
        len: 10,
        start_us: start_of(ordinal),
        duration_us: SEGMENT_US,
        date: date_of(start_of(ordinal)),
        arrived_ms: 0,
        is_independent: true,
        is_discontinuity: false,
    }
}

/// Chunks with the numbers of their segments; each but the first is marked as a discontinuity, as the log does when
/// something is missing.
fn log(chunks: &[(TimelineChunk, std::ops::Range<u64>)]) -> RenditionTimeline {
    let mut segments = Vec::new();
    for (chunk, range) in chunks {
        for ordinal in range.clone() {
            let is_discontinuity = ordinal == range.start && chunk.starts_discontinuity;
            segments.push(TimelineSegment {
                is_discontinuity,
                ..logged(ordinal, chunk)
            });
        }
    }
    RenditionTimeline {
        rendition: "0".to_owned(),
        described: ChunkDescription::default(),
        chunks: chunks.iter().map(|(chunk, _)| chunk.clone()).collect(),
        segments,
    }
}

/// A live playlist of the segments `listed`, with up to four more in memory.
fn live(listed: std::ops::Range<u64>, session: u32, begun: u64) -> LiveEdge {
    let in_memory = listed.start.saturating_sub(4).max(begun)..listed.end;
    let segments = in_memory.map(|ordinal| LiveSegment {
        ordinal,
        token: TOKEN + u64::from(session),
        msn: FIRST_MSN + ordinal,
        init_version: 1,
        start_us: start_of(ordinal),
        duration_us: SEGMENT_US,
        date: date_of(start_of(ordinal) + 123),
        is_discontinuity: false,
        is_independent: true,
    });
    LiveEdge {
        segments: segments.collect(),
        first_listed: listed.start,
        discontinuity_sequence: 0,
        end_us: start_of(listed.end),
        session,
    }
}

fn ordinals(past: &Past) -> Vec<u64> {
    past.segments().map(|segment| segment.ordinal).collect()
}

fn gaps(past: &Past) -> Vec<u64> {
    let gaps = past.segments().filter(|segment| segment.is_gap);
    gaps.map(|segment| segment.ordinal).collect()
}

fn breaks(past: &Past) -> Vec<u64> {
    let breaks = past.segments().filter(|segment| segment.is_discontinuity);
    breaks.map(|segment| segment.ordinal).collect()
}

#[test]
fn the_list_goes_back_as_far_as_the_window_and_ends_where_the_live_playlist_begins() {
    let log = log(&[(chunk(0, 0, "a"), 0..100)]);
    let past = Past::of_source(&log, &live(92..100, 0, 0), 60_000_000);
    assert_eq!(ordinals(&past), (70..92).collect::<Vec<_>>());
    assert_eq!((past.first(), past.next()), (70, 92));
    assert!(!past.begins_anew());
    assert!(gaps(&past).is_empty());
}

#[test]
fn what_leaves_the_live_playlist_stays_as_it_was_said_there() {
    let log = log(&[(chunk(0, 0, "a"), 0..100)]);
    let mut past = Past::of_source(&log, &live(80..88, 0, 0), EVERYTHING);
    let known: Vec<RewindSegment> = past.segments().copied().collect();
    let edge = live(82..90, 0, 0);
    past.advance(&log, &edge, EVERYTHING);
    let now: Vec<RewindSegment> = past.segments().copied().collect();
    assert_eq!(now[..known.len()], known);
    let newest = now.last().unwrap();
    let said = edge.with_ordinal(newest.ordinal).unwrap();
    assert_eq!((newest.ordinal, newest.date), (81, said.date));
    assert_eq!(newest.init, (TOKEN, 1));
}

#[test]
fn an_init_segment_that_was_not_seen_live_has_a_name_of_its_own_that_stays() {
    let log = log(&[(chunk(0, 0, "a"), 0..40), (chunk(1, 0, "b"), 40..100)]);
    let mut past = Past::of_source(&log, &live(80..88, 0, 0), EVERYTHING);
    let of = |past: &Past, ordinal: u64| past.with_ordinal(ordinal).unwrap().init;
    assert_eq!(of(&past, 60), (TOKEN, 1), "the same bytes as live");
    let old = of(&past, 10);
    assert_ne!(old, (TOKEN, 1));
    assert_eq!(past.init_hash(old), Some("a"));
    assert_eq!(past.init_hash((TOKEN, 1)), Some("b"));
    past.advance(&log, &live(84..92, 0, 0), EVERYTHING);
    assert_eq!(of(&past, 10), old);
    assert_eq!(breaks(&past), [40]);
}

#[test]
fn what_the_log_lost_is_a_gap_of_the_same_length_and_no_discontinuity() {
    let log = log(&[(chunk(0, 0, "a"), 0..40), (chunk(1, 0, "a"), 43..100)]);
    let past = Past::of_source(&log, &live(90..98, 0, 0), EVERYTHING);
    assert_eq!(gaps(&past), [40, 41, 42]);
    assert!(breaks(&past).is_empty());
    for segment in past.segments() {
        assert_eq!(segment.start_us, start_of(segment.ordinal));
        assert_eq!(segment.duration_us, SEGMENT_US);
        assert_eq!(segment.msn, FIRST_MSN + segment.ordinal);
    }
}

#[test]
fn a_segment_that_lost_its_end_is_a_gap() {
    let mut log = log(&[(chunk(0, 0, "a"), 0..40), (chunk(1, 0, "a"), 40..100)]);
    log.segments[39].duration_us = 500_000;
    let past = Past::of_source(&log, &live(90..98, 0, 0), EVERYTHING);
    assert_eq!(gaps(&past), [39]);
    assert!(breaks(&past).is_empty());
    assert_eq!(past.with_ordinal(39).unwrap().duration_us, SEGMENT_US);
}

#[test]
fn a_segment_that_the_log_does_not_have_yet_is_a_gap_and_stays_one() {
    let behind = log(&[(chunk(0, 0, "a"), 0..70)]);
    let mut past = Past::of_source(&behind, &live(74..82, 0, 0), EVERYTHING);
    assert_eq!(gaps(&past), [70, 71, 72, 73]);
    let whole = log(&[(chunk(0, 0, "a"), 0..80)]);
    past.advance(&whole, &live(76..84, 0, 0), EVERYTHING);
    assert_eq!(gaps(&past), [70, 71, 72, 73], "players know it as a gap");
    assert_eq!(past.next(), 76);
}

#[test]
fn another_process_goes_on_after_a_discontinuity() {
    let log = log(&[(chunk(0, 0, "a"), 0..40), (chunk(1, 1, "a"), 40..100)]);
    let mut past = Past::of_source(&log, &live(40..44, 1, 40), EVERYTHING);
    assert!(
        past.begins_anew(),
        "the live playlist does not know what was before"
    );
    assert!(breaks(&past).is_empty());
    past.advance(&log, &live(42..50, 1, 40), EVERYTHING);
    assert!(!past.begins_anew());
    assert_eq!(breaks(&past), [40]);
}

#[test]
fn discontinuities_that_left_the_list_are_counted() {
    let log = log(&[(chunk(0, 0, "a"), 0..40), (chunk(1, 1, "a"), 40..100)]);
    let mut edge = live(60..68, 1, 40);
    edge.discontinuity_sequence = 5;
    let mut past = Past::of_source(&log, &edge, 60_000_000);
    assert_eq!((past.first(), past.discontinuity_sequence()), (38, 4));
    let mut edge = live(70..78, 1, 40);
    edge.discontinuity_sequence = 5;
    past.advance(&log, &edge, 60_000_000);
    assert_eq!((past.first(), past.discontinuity_sequence()), (48, 5));
}

#[test]
fn a_longer_window_does_not_bring_back_what_left_the_list() {
    let log = log(&[(chunk(0, 0, "a"), 0..100)]);
    let mut past = Past::of_source(&log, &live(80..88, 0, 0), 60_000_000);
    let first = past.first();
    past.advance(&log, &live(81..89, 0, 0), EVERYTHING);
    assert_eq!(past.first(), first);
}

#[test]
fn what_the_log_deleted_leaves_the_list() {
    let mut log = log(&[(chunk(0, 0, "a"), 0..100)]);
    let mut past = Past::of_source(&log, &live(80..88, 0, 0), EVERYTHING);
    log.segments.drain(..30);
    past.advance(&log, &live(81..89, 0, 0), EVERYTHING);
    assert_eq!(past.first(), 30);
    assert_eq!(ordinals(&past), (30..81).collect::<Vec<_>>());
}

#[test]
fn a_rendition_that_came_late_begins_with_gaps_if_it_is_rewindable_at_all() {
    let source = log(&[(chunk(0, 0, "a"), 0..100)]);
    let late = log(&[(chunk(0, 0, "r"), 8..100)]);
    let edge = live(92..100, 0, 0);
    assert!(is_rewindable(&late, &source, 0));
    assert!(!is_rewindable(
        &log(&[(chunk(0, 0, "r"), 12..100)]),
        &source,
        0
    ));
    assert!(is_rewindable(
        &log(&[(chunk(0, 0, "r"), 12..100)]),
        &source,
        start_of(12)
    ));
    let all = Past::of_source(&source, &edge, EVERYTHING);
    let past = Past::beside(&late, &edge, &all);
    assert_eq!(past.first(), all.first());
    assert_eq!(gaps(&past), (0..8).collect::<Vec<_>>());
    let lengths = |past: &Past| -> Vec<(i64, Timestamp)> {
        let segments = past.segments().take(8);
        segments.map(|one| (one.duration_us, one.date)).collect()
    };
    assert_eq!(lengths(&past), lengths(&all));
    // The init segment of what comes first.
    assert!(past.segments().all(|segment| segment.init == (TOKEN, 1)));
}

#[test]
fn a_rendition_that_is_a_segment_behind_is_rewindable() {
    let source = log(&[(chunk(0, 0, "a"), 0..3)]);
    assert!(is_rewindable(&log(&[(chunk(0, 0, "r"), 0..2)]), &source, 0));
    assert!(!is_rewindable(&log(&[]), &source, 0));
}

#[test]
fn a_rendition_that_was_away_is_not_continued() {
    let source = log(&[(chunk(0, 0, "a"), 0..100)]);
    let edge = live(80..88, 0, 0);
    let past = Past::of_source(&source, &edge, EVERYTHING);
    assert!(past.is_continued_by(&live(82..90, 0, 0)));
    let mut returned = live(90..98, 0, 90);
    for segment in &mut returned.segments {
        segment.init_version = 7;
    }
    assert!(!past.is_continued_by(&returned));
    returned.segments[0].is_discontinuity = true;
    assert!(past.is_continued_by(&returned), "it says so itself");
}

#[test]
fn a_rendition_that_came_back_with_other_parameters_has_gaps_where_it_had_the_old_ones() {
    let source = log(&[(chunk(0, 0, "a"), 0..100)]);
    let rung = log(&[(chunk(0, 0, "old"), 0..20), (chunk(1, 0, "new"), 20..100)]);
    let edge = live(92..100, 0, 0);
    let all = Past::of_source(&source, &edge, EVERYTHING);
    let past = Past::beside(&rung, &edge, &all);
    assert_eq!(gaps(&past), (0..20).collect::<Vec<_>>());
    assert!(breaks(&past).is_empty());
    assert!(past.segments().all(|segment| segment.init == (TOKEN, 1)));
}

#[test]
fn a_segment_is_known_by_the_name_it_was_listed_under() {
    let log = log(&[(chunk(0, 0, "a"), 0..100)]);
    let mut edge = live(80..88, 0, 0);
    // New names for everything in memory; the log has the old ones.
    for segment in &mut edge.segments {
        segment.token = 0xbb;
    }
    let past = Past::of_source(&log, &edge, EVERYTHING);
    assert!(past.lists(TOKEN, FIRST_MSN + 10));
    assert!(past.lists(0xbb, FIRST_MSN + 79));
    assert!(!past.lists(TOKEN, FIRST_MSN + 79));
}

/// Of one session with one token; the log was away while 20 segments passed, and counts them neither as numbers nor as time.
fn interrupted() -> RenditionTimeline {
    let mut interrupted = log(&[(chunk(0, 0, "a"), 0..40), (chunk(1, 1, "a"), 60..100)]);
    interrupted.chunks[1].token = TOKEN;
    for segment in interrupted.segments.iter_mut().skip(40) {
        segment.token = TOKEN;
        segment.ordinal -= 20;
        segment.start_us -= 20 * SEGMENT_US;
    }
    interrupted
}

#[test]
fn what_the_log_did_not_count_is_counted_as_players_saw_it() {
    let log = interrupted();
    let newest = log.segments.last().unwrap();
    assert_eq!((newest.ordinal, newest.msn), (79, FIRST_MSN + 99));
    let anchor = SessionAnchor::new(&log, newest, 0).unwrap();
    assert_eq!(
        (anchor.msn, anchor.ordinal, anchor.session),
        (FIRST_MSN, 0, 0)
    );
    let log = anchor.renumbered(&log);
    let past = Past::of_source(&log, &live(92..100, 0, 0), EVERYTHING);
    assert_eq!(gaps(&past), (40..60).collect::<Vec<_>>());
    assert!(breaks(&past).is_empty());
    for segment in past.segments() {
        assert_eq!(segment.start_us, start_of(segment.ordinal));
    }
}

#[test]
fn the_next_session_goes_on_behind_what_was_not_counted() {
    let mut log = interrupted();
    let before = SessionAnchor::new(&log, log.segments.last().unwrap(), 0).unwrap();
    let uncounted = before.uncounted(&log);
    assert_eq!(uncounted, 20);
    let next = chunk(2, 2, "a");
    log.segments
        .extend((80..90).map(|ordinal| logged(ordinal, &next)));
    log.chunks.push(next);
    let anchor = SessionAnchor::new(&log, log.segments.last().unwrap(), uncounted).unwrap();
    assert_eq!((anchor.ordinal, anchor.session), (100, 2));
    let renumbered = anchor.renumbered(&log);
    assert_eq!(renumbered.segments.last().unwrap().ordinal, 109);
    assert_eq!(anchor.uncounted(&log), 20);
}

#[test]
fn a_log_that_counted_everything_keeps_its_numbers() {
    let log = log(&[(chunk(0, 0, "a"), 0..40), (chunk(1, 1, "a"), 40..100)]);
    let anchor = SessionAnchor::new(&log, log.segments.last().unwrap(), 0).unwrap();
    assert_eq!((anchor.msn, anchor.ordinal), (FIRST_MSN + 40, 40));
    assert!(matches!(
        anchor.renumbered(&log),
        std::borrow::Cow::Borrowed(_)
    ));
    assert_eq!(anchor.position_us(date_of(start_of(50))), start_of(50));
}

#[test]
fn an_init_segment_is_found_by_the_name_it_was_listed_under() {
    let log = log(&[(chunk(0, 0, "a"), 0..40), (chunk(1, 0, "b"), 40..100)]);
    let past = Past::of_source(&log, &live(80..88, 0, 0), EVERYTHING);
    let number = |past: Option<&Past>, name: (u64, u32)| {
        chunk_with_init(&log, past, name).map(|chunk| chunk.number)
    };
    assert_eq!(number(Some(&past), (TOKEN, 1)), Some(1));
    let old = past.with_ordinal(10).unwrap().init;
    assert_eq!(number(Some(&past), old), Some(0));
    // Without anything that was listed: what a name says of itself, if it can mean only one.
    assert_eq!(number(None, old), Some(0));
    assert_eq!(number(None, (TOKEN, 1)), None);
    assert_eq!(number(None, (TOKEN + 1, 1)), None);
}

proptest! {
    #[test]
    fn the_past_only_slides_and_never_contradicts_itself(
        steps in prop::collection::vec((0_u64..6, 0_u64..9), 1..20),
        lost in prop::collection::vec(0_u64..200, 0..8),
        window in 10_i64..200,
    ) {
        let whole = log(&[(chunk(0, 0, "a"), 0..200)]);
        let mut at = 10_u64;
        let mut past: Option<Past> = None;
        let mut said: HashMap<u64, RewindSegment> = HashMap::new();
        let mut before = (0, 0);
        for (step, behind) in steps {
            at += step;
            let mut known = whole.clone();
            known.segments.retain(|one| one.ordinal + behind < at + 8 && !lost.contains(&one.ordinal));
            let edge = live(at..at + 8, 0, 0);
            let window_us = window * 1_000_000;
            let now = match past.take() {
                Some(mut past) => {
                    past.advance(&known, &edge, window_us);
                    past
                }
                None => Past::of_source(&known, &edge, window_us),
            };
            prop_assert!(now.next() == at || now.segments.is_empty());
            prop_assert!(now.first() >= before.0 && now.discontinuity_sequence() >= before.1);
            before = (now.first(), now.discontinuity_sequence());
            let expected: Vec<u64> = (now.first()..now.next()).collect();
            prop_assert_eq!(ordinals(&now), expected);
            for segment in now.segments() {
                let known = said.entry(segment.ordinal).or_insert(*segment);
                prop_assert_eq!(&*known, segment);
            }
            past = Some(now);
        }
    }
}
