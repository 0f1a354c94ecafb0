//! What the log says of segments it lost: from those before and after.

use jiff::Timestamp;

use super::live_edge::LiveEdge;
use crate::timeline::{RenditionTimeline, TimelineSegment};

/// A hole on the time line shorter than this is none: positions are rounded.
pub(super) const SLACK_US: i64 = 50_000;

/// What is known of the next segment that is not lost.
pub(super) struct NextSegment {
    pub(super) ordinal: u64,
    pub(super) token: u64,
    pub(super) msn: u64,
    pub(super) init: Option<(u64, u32)>,
    pub(super) hash: String,
    pub(super) chunk: u32,
    pub(super) start_us: i64,
    pub(super) duration_us: i64,
    pub(super) date: Timestamp,
}

pub(super) fn segment_after(
    ordinal: u64,
    log: &RenditionTimeline,
    live: &LiveEdge,
) -> Option<NextSegment> {
    let after = log
        .segments
        .partition_point(|segment| segment.ordinal <= ordinal);
    let logged = log.segments.get(after);
    let in_memory = live
        .segments
        .iter()
        .find(|segment| segment.ordinal > ordinal);
    match (logged, in_memory) {
        (logged, Some(one)) if logged.is_none_or(|logged| one.ordinal <= logged.ordinal) => {
            Some(NextSegment {
                ordinal: one.ordinal,
                token: one.token,
                msn: one.msn,
                init: Some((one.token, one.init_version)),
                hash: String::new(),
                chunk: 0,
                start_us: one.start_us,
                duration_us: one.duration_us,
                date: one.date,
            })
        }
        (Some(logged), _) => Some(NextSegment {
            ordinal: logged.ordinal,
            token: logged.token,
            msn: logged.msn,
            init: None,
            hash: log
                .chunk(logged.chunk)
                .map_or_else(String::new, |chunk| chunk.init_hash.clone()),
            chunk: logged.chunk,
            start_us: logged.start_us,
            duration_us: logged.duration_us,
            date: logged.date,
        }),
        (None, _) => None,
    }
}

fn after<'a>(log: &'a RenditionTimeline, segment: &TimelineSegment) -> Option<&'a TimelineSegment> {
    let next = log
        .segments
        .partition_point(|one| one.ordinal <= segment.ordinal);
    log.segments.get(next)
}

fn before<'a>(
    log: &'a RenditionTimeline,
    segment: &TimelineSegment,
) -> Option<&'a TimelineSegment> {
    let own = log
        .segments
        .partition_point(|one| one.ordinal < segment.ordinal);
    log.segments.get(own.checked_sub(1)?)
}

/// Whether the two belong to one time line with the same parameters.
fn are_alike(log: &RenditionTimeline, one: &TimelineSegment, other: &TimelineSegment) -> bool {
    let chunks = log.chunk(one.chunk).zip(log.chunk(other.chunk));
    chunks.is_some_and(|(one, other)| {
        one.session == other.session && one.token == other.token && one.init_hash == other.init_hash
    })
}

/// How much is lost of the end of a segment.
pub(super) fn missing_after(log: &RenditionTimeline, segment: &TimelineSegment) -> i64 {
    let next = after(log, segment)
        .filter(|next| next.ordinal == segment.ordinal + 1 && are_alike(log, segment, next));
    let missing_us = next.map_or(0, |next| next.start_us - segment.end_us());
    if missing_us > SLACK_US { missing_us } else { 0 }
}

/// Whether nothing but lost parts is between a segment and the one before: those who watched live saw no discontinuity.
pub(super) fn is_only_lost_before(log: &RenditionTimeline, segment: &TimelineSegment) -> bool {
    before(log, segment).is_some_and(|before| {
        are_alike(log, before, segment)
            && (before.ordinal + 1 < segment.ordinal
                || segment.start_us - before.end_us() > SLACK_US)
    })
}
