//! Rules 16, 18 and I: the window slides, ends once, and never contradicts itself.

use std::time::Duration;

use crate::playlist::history::{PlaylistHistory, meanings};
use crate::playlist::model::PartialSegment;
use crate::playlist::observation::{Observation, RuleContext};
use crate::playlist::rule::{Findings, Rule};

/// A segment may leave only when this many target durations stay.
const SHORTEST_WINDOW_TARGETS: u32 = 3;
/// The sum of a window's rounded durations may be off by this.
const SLACK: Duration = Duration::from_millis(50);

pub(crate) fn rule_16_window_length(context: &RuleContext<'_>, findings: &mut Findings) {
    let list = context.list;
    let Some(previous) = &context.history.previous else {
        return;
    };
    if list.media_sequence <= previous.media_sequence || list.is_ended {
        return;
    }
    let length = context.history.length(list);
    let shortest = context.target() * SHORTEST_WINDOW_TARGETS;
    findings.check(Rule::List(16), length + SLACK >= shortest, || {
        format!("a segment left the list, only {length:?} stay, {shortest:?} are needed")
    });
}

/// A playlist that existed stays available until it has ended.
pub(crate) fn rule_18_vanished(
    seen: &Observation<'_>,
    history: &PlaylistHistory,
    findings: &mut Findings,
) {
    let Some(previous) = &history.previous else {
        return;
    };
    let is_answer = matches!(seen.status, 200 | 400 | 503);
    findings.check(Rule::List(18), is_answer || previous.is_ended, || {
        format!(
            "the playlist was answered with {} before it ended",
            seen.status
        )
    });
}

pub(crate) fn rule_18_endlist(context: &RuleContext<'_>, findings: &mut Findings) {
    let rule = Rule::List(18);
    let list = context.list;
    if list.is_ended {
        let line = list.open.parts.first().map(|part| part.line);
        findings.check_at(rule, line, line.is_none(), || {
            "the list has ended, but its last parts belong to no segment".to_owned()
        });
    }
    let Some(previous) = context
        .history
        .previous
        .as_ref()
        .filter(|previous| previous.is_ended)
    else {
        return;
    };
    findings.check(rule, list.is_ended, || "EXT-X-ENDLIST is gone".to_owned());
    let last = previous.edge.map(|edge| edge.msn);
    let is_same =
        list.edge().map(|edge| edge.msn) == last && list.media_sequence == previous.media_sequence;
    findings.check(rule, is_same || !list.is_ended, || {
        "the list changed after EXT-X-ENDLIST".to_owned()
    });
}

pub(crate) fn identity_of_the_window(context: &RuleContext<'_>, findings: &mut Findings) {
    let rule = context.past(Rule::Identity);
    let list = context.list;
    if let Some(previous) = &context.history.previous {
        let (now, before) = (list.media_sequence, previous.media_sequence);
        findings.check(rule, now >= before, || {
            format!("EXT-X-MEDIA-SEQUENCE went back from {before} to {now}")
        });
        let (now, before) = (list.open_msn(), previous.open_msn);
        findings.check(rule, now >= before, || {
            format!("{before} whole segments were listed in all, now {now}")
        });
    }
    for (msn, segment) in list.numbered() {
        let Some(known) = context.history.segments.get(&msn) else {
            continue;
        };
        if let Some((uri, duration)) = &known.whole {
            let ok = *uri == segment.uri && *duration == segment.duration;
            findings.check_at(rule, segment.line, ok, || {
                format!(
                    "segment {msn} was {uri} of {duration:?} and is now {:?} of {:?}",
                    segment.uri, segment.duration
                )
            });
        }
        let is_shorter = !segment.parts.is_empty() && segment.parts.len() < known.parts.len();
        findings.check_at(rule, segment.line, !is_shorter, || {
            format!(
                "segment {msn} had {} parts, now {}",
                known.parts.len(),
                segment.parts.len()
            )
        });
        for (now, before) in segment.parts.iter().zip(&known.parts) {
            findings.check_at(rule, now.line, is_same_part(now, before), || {
                format!("a part of segment {msn} changed: {before:?} became {now:?}")
            });
        }
    }
}

fn is_same_part(a: &PartialSegment, b: &PartialSegment) -> bool {
    a.uri == b.uri
        && a.duration == b.duration
        && a.is_independent == b.is_independent
        && a.is_gap == b.is_gap
}

/// The meaning of a name never changes.
pub(crate) fn identity_of_names(context: &RuleContext<'_>, findings: &mut Findings) {
    let rule = context.past(Rule::Identity);
    let mut in_this_list = std::collections::HashMap::new();
    for (msn, segment) in context.list.numbered() {
        for (name, meaning) in meanings(msn, segment) {
            let here = in_this_list.entry(name).or_insert_with(|| meaning.clone());
            let ok = *here == meaning
                && context
                    .history
                    .names
                    .get(name)
                    .is_none_or(|known| *known == meaning);
            findings.check_at(rule, segment.line, ok, || {
                format!("{name} stands for {meaning:?} now, but it stood for something else")
            });
        }
    }
}
