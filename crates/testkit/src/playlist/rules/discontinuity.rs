//! Rules 14 and 15: a discontinuity is counted, carries its map, and is never listed halfway.

use crate::playlist::observation::RuleContext;
use crate::playlist::rule::{Findings, Rule};

pub(crate) fn rule_14_discontinuity(context: &RuleContext<'_>, findings: &mut Findings) {
    let rule = Rule::List(14);
    let list = context.list;
    check_numbers(context, findings);
    let mut map_before: Option<&str> = None;
    for (msn, segment) in list.numbered() {
        let map = segment.map.as_deref();
        // In a delta update it may be among the skipped segments.
        let is_known = map.is_some() || list.skip.is_some();
        findings.check_at(rule, segment.line, is_known, || {
            format!("segment {msn} has no EXT-X-MAP")
        });
        let has_changed = map_before.is_some() && map_before != map;
        let is_break = segment.discontinuity.is_some();
        findings.check_at(rule, segment.line, !has_changed || is_break, || {
            format!("EXT-X-MAP changes at segment {msn} without EXT-X-DISCONTINUITY")
        });
        if is_break {
            findings.check_at(
                rule,
                segment.discontinuity,
                segment.own_map.is_some(),
                || format!("no EXT-X-MAP follows the discontinuity at segment {msn}"),
            );
            let is_new = !context.history.segments.contains_key(&msn)
                && !context.history.segments.is_empty();
            let is_alone = list.has_parts() && is_new && segment.parts.is_empty();
            let is_last = msn + 1 >= list.open_msn();
            findings.check_at(rule, segment.discontinuity, !(is_alone && is_last), || {
                format!("segment {msn} begins with a discontinuity and shows none of its parts")
            });
        }
        map_before = map;
    }
    let is_dangling = list.open.discontinuity.is_some() && list.open.parts.is_empty();
    findings.check_at(rule, list.open.discontinuity, !is_dangling, || {
        "the list ends with a discontinuity and nothing after it".to_owned()
    });
}

/// The number of a segment stays the same, whatever leaves the window.
fn check_numbers(context: &RuleContext<'_>, findings: &mut Findings) {
    let numbers = context.history.discontinuity_numbers(context.list);
    for ((msn, segment), number) in context.list.numbered().zip(numbers) {
        let known = context.history.segments.get(&msn);
        let known = known.and_then(|known| known.discontinuity_number);
        if let (Some(known), Some(number)) = (known, number) {
            findings.check_at(context.past(Rule::List(14)), segment.line, known == number, || {
                format!("segment {msn} was behind {known} discontinuities and is now behind {number}")
            });
        }
    }
}

/// Older hls.js breaks if a complete segment is the last entry before a discontinuity.
pub(crate) fn rule_15_no_lonely_end(context: &RuleContext<'_>, findings: &mut Findings) {
    let Some(previous) = context
        .history
        .previous
        .as_ref()
        .filter(|_| context.list.has_parts())
    else {
        return;
    };
    let next = context
        .list
        .numbered()
        .find(|(msn, _)| *msn == previous.open_msn);
    if let Some((msn, segment)) = next {
        let is_lonely = previous.ends_with_whole_segment && segment.discontinuity.is_some();
        findings.check_at(Rule::List(15), segment.line, !is_lonely, || {
            format!(
                "segment {msn} brings a discontinuity, and the segment before it was listed as whole \
                 before any of its parts"
            )
        });
    }
}
