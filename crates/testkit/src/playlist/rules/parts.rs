//! Rules 5, 6, 7 and 12: the positions of parts and their promises.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Neighbour;
use crate::playlist::observation::{Role, RuleContext};
use crate::playlist::rule::{Findings, Rule};

/// Durations may be written in milliseconds, each rounded by half a unit.
const ROUNDING: Duration = Duration::from_micros(500);
/// Parts are listed for this many target durations before the end.
const PART_WINDOW_TARGETS: u32 = 3;
/// The window of parts may be reckoned from rounded durations.
const WINDOW_SLACK: Duration = Duration::from_millis(50);

pub(crate) fn rule_5_part_order(context: &RuleContext<'_>, findings: &mut Findings) {
    let rule = Rule::List(5);
    for segment in &context.list.segments {
        for line in &segment.late_parts {
            findings.check_at(rule, *line, false, || {
                format!("a part stands between EXTINF and {}", segment.uri)
            });
        }
        if segment.parts.is_empty() {
            continue;
        }
        let sum = segment.parts_length();
        let tolerance = ROUNDING * (segment.parts.len() as u32 + 1);
        let ok = sum.abs_diff(segment.duration) <= tolerance;
        findings.check_at(rule, segment.line, ok, || {
            format!(
                "the parts before {} last {sum:?}, its EXTINF is {:?}",
                segment.uri, segment.duration
            )
        });
    }
}

/// The aspect of rule 6 that needs no bytes; see `Checker::check_media_bytes` for the rest.
pub(crate) fn rule_6_independent(context: &RuleContext<'_>, findings: &mut Findings) {
    let rule = Rule::List(6);
    for (_, segment) in context.list.numbered() {
        if let Some(first) = segment.parts.first().filter(|part| !part.is_gap) {
            let ok = !context.list.is_independent || first.is_independent;
            findings.check_at(rule, first.line, ok, || {
                format!(
                    "{} begins a segment that is promised to be independent",
                    first.uri
                )
            });
        }
        for part in segment.parts.iter().filter(|part| !part.is_gap) {
            let ok = context.role != Role::Audio || part.is_independent;
            findings.check_at(rule, part.line, ok, || {
                format!("{} is sound, but not INDEPENDENT", part.uri)
            });
        }
    }
}

pub(crate) fn rule_7_part_window(context: &RuleContext<'_>, findings: &mut Findings) {
    let rule = Rule::List(7);
    let window = context.target() * PART_WINDOW_TARGETS;
    let distances = context.list.distances_from_end();
    for ((msn, segment), end_distance) in context.list.numbered().zip(distances) {
        if let Some(part) = segment.parts.first() {
            findings.check_at(
                rule,
                part.line,
                end_distance <= window + WINDOW_SLACK,
                || format!("the parts of segment {msn} are listed {end_distance:?} from the end"),
            );
        }
        let had_parts = context
            .history
            .segments
            .get(&msn)
            .is_some_and(|known| !known.parts.is_empty());
        let start_distance = end_distance + segment.length();
        let is_near = start_distance + WINDOW_SLACK < window;
        let has_vanished =
            segment.parts.is_empty() && had_parts && is_near && !context.list.is_ended;
        findings.check_at(rule, segment.line, !has_vanished, || {
            format!("the parts of segment {msn} are gone, it began {start_distance:?} from the end")
        });
    }
}

pub(crate) fn rule_12_parts_everywhere(context: &RuleContext<'_>, findings: &mut Findings) {
    let list = context.list;
    if !list.has_parts() || list.is_ended || list.numbered().next().is_none() {
        return;
    }
    let has_part = list
        .numbered()
        .any(|(_, segment)| !segment.parts.is_empty());
    findings.check(Rule::List(12), has_part, || {
        "EXT-X-PART-INF is there, but no part is listed".to_owned()
    });
}

/// A rendition without parts beside one with parts starves the player.
pub(crate) fn rule_12_like_the_others(
    context: &RuleContext<'_>,
    others: &BTreeMap<String, Neighbour>,
    findings: &mut Findings,
) {
    if context.list.is_ended {
        return;
    }
    for (url, _) in others.iter().filter(|(_, other)| other.has_parts()) {
        findings.check(Rule::List(12), context.list.has_parts(), || {
            format!("{url} has parts, this rendition has none")
        });
    }
}
