//! Rules R1 to R4: lists that go far back.

use std::time::Duration;

use crate::playlist::model::{MediaPlaylist, PartialSegment, Segment};
use crate::playlist::observation::RuleContext;
use crate::playlist::rule::{Findings, Rule};
use crate::playlist::uri::resolve;

/// A list of more target durations was not made for those alone who stay live.
const LONG_TARGETS: u32 = 20;
/// What a long list may lose of its length while it slides: segments are not equally long, and files go as a whole.
const LOST_TARGETS: u32 = 3;
/// Dates and durations are rounded.
const SLACK: Duration = Duration::from_millis(50);

pub(crate) fn rule_r1_no_playlist_type(context: &RuleContext<'_>, findings: &mut Findings) {
    let list = context.list;
    let previous = context.history.previous.as_ref();
    let has_slid = previous.is_some_and(|before| before.media_sequence < list.media_sequence);
    let line = list.playlist_type_line;
    findings.check_at(Rule::Rewind(1), line, !has_slid || line.is_none(), || {
        "EXT-X-PLAYLIST-TYPE says that nothing is removed, a segment was".to_owned()
    });
}

pub(crate) fn rule_r3_length(context: &RuleContext<'_>, findings: &mut Findings) {
    let list = context.list;
    let longest = context.history.longest;
    let has_slid = context
        .history
        .previous
        .as_ref()
        .is_some_and(|before| before.media_sequence < list.media_sequence);
    if !has_slid || list.is_ended || longest < context.target() * LONG_TARGETS {
        return;
    }
    let length = context.history.length(list);
    let least = longest.saturating_sub(context.target() * LOST_TARGETS);
    findings.check(Rule::Rewind(3), length + SLACK >= least, || {
        format!("the list was {longest:?} long and is now {length:?}")
    });
}

pub(crate) fn rule_r4_gaps(context: &RuleContext<'_>, findings: &mut Findings) {
    let rule = Rule::Rewind(4);
    for (msn, segment) in context.list.numbered() {
        let known = context.history.segments.get(&msn);
        let was_gap = known.is_some_and(|known| known.is_gap);
        if !segment.is_gap && !was_gap {
            continue;
        }
        findings.check_at(rule, segment.line, segment.is_gap, || {
            format!("segment {msn} was a gap, players have left it out")
        });
        let mut parts = segment.parts.iter();
        let offered = parts.find(|part| !part.is_gap);
        findings.check_at(
            rule,
            offered.map(|part| part.line),
            offered.is_none(),
            || format!("segment {msn} is a gap, and one of its parts is none"),
        );
    }
}

/// Compares the list at `own_url` with the live list at `live_url`: as far as the live one goes, both are the same but for
/// their numbers. False if the two are not of the same moment, so that there was nothing to compare.
pub(crate) fn rule_r2_same_end(
    (own_url, own): (&str, &MediaPlaylist),
    (live_url, live): (&str, &MediaPlaylist),
    findings: &mut Findings,
) -> bool {
    let rule = Rule::Rewind(2);
    let newest = |list: &MediaPlaylist| {
        let (msn, segment) = list.numbered().next_back()?;
        Some((
            msn,
            segment.date,
            segment.parts.len(),
            segment.is_complete(),
        ))
    };
    let (Some(own_end), Some(live_end)) = (newest(own), newest(live)) else {
        return false;
    };
    if (own_end.1, own_end.2, own_end.3) != (live_end.1, live_end.2, live_end.3)
        || own.is_ended != live.is_ended
    {
        return false;
    }
    let (own_msn, live_msn) = (own_end.0, live_end.0);
    for (at, (msn, segment)) in live.numbered().enumerate() {
        let distance = live_msn - msn;
        let number = own_msn.checked_sub(distance);
        let mut listed = own.numbered();
        let found = listed.find(|(listed, _)| Some(*listed) == number);
        let Some((_, found)) = found else {
            let is_skipped = number.is_some_and(|number| number < own.first_listed());
            let is_skipped = is_skipped && own.skip.is_some();
            findings.check(rule, is_skipped, || {
                format!("segment {msn} of the live list is not in the list that goes back")
            });
            continue;
        };
        // What the live list does not know of may stand before its first segment.
        let is_same_start =
            at == 0 || found.discontinuity.is_some() == segment.discontinuity.is_some();
        let is_same = is_same_start
            && resolve(own_url, &found.uri) == resolve(live_url, &segment.uri)
            && are_same((own_url, found), (live_url, segment));
        findings.check_at(rule, found.line, is_same, || {
            format!("segment {msn} of the live list is not the same: {found:?}, live {segment:?}")
        });
    }
    let hints = |url: &str, list: &MediaPlaylist| -> Vec<String> {
        let hints = list.hints.iter();
        hints.map(|hint| resolve(url, &hint.uri)).collect()
    };
    findings.check(rule, hints(own_url, own) == hints(live_url, live), || {
        "the next part is another one than in the live list".to_owned()
    });
    true
}

fn are_same((own_url, own): (&str, &Segment), (live_url, live): (&str, &Segment)) -> bool {
    let map = |url: &str, segment: &Segment| segment.map.as_ref().map(|map| resolve(url, map));
    let is_same_part = |(own, live): (&PartialSegment, &PartialSegment)| {
        resolve(own_url, &own.uri) == resolve(live_url, &live.uri)
            && own.duration == live.duration
            && own.is_independent == live.is_independent
    };
    own.duration == live.duration
        && own.date == live.date
        && own.is_gap == live.is_gap
        && own.parts.len() == live.parts.len()
        && own.parts.iter().zip(&live.parts).all(is_same_part)
        // In a delta update the map stands before what was left out.
        && (own.map.is_none() || map(own_url, own) == map(live_url, live))
}
