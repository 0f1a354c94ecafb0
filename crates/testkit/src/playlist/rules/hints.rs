//! Rule 8: the next part is announced, and is the one that follows.

use crate::playlist::history::PreviousAnswer;
use crate::playlist::model::{HintKind, MediaPlaylist, PartialSegment, Segment};
use crate::playlist::observation::RuleContext;
use crate::playlist::rule::{Findings, Rule};

pub(crate) fn rule_8_preload_hint(context: &RuleContext<'_>, findings: &mut Findings) {
    let rule = Rule::List(8);
    let list = context.list;
    let parts = list.hints.iter().filter(|hint| hint.kind == HintKind::Part);
    let count = parts.count();
    let maps = list.hints.len() - count;
    if list.is_ended {
        let line = list.hints.first().map(|hint| hint.line);
        findings.check_at(rule, line, line.is_none(), || {
            "an ended playlist hints at what never comes".to_owned()
        });
    } else if list.has_parts() {
        findings.check(rule, count > 0, || {
            "no EXT-X-PRELOAD-HINT of TYPE=PART".to_owned()
        });
    }
    findings.check(rule, count <= 1 && maps <= 1, || {
        format!("{count} hints of parts and {maps} of maps, one of each is allowed")
    });
    for hint in list.hints.iter().filter(|hint| hint.kind == HintKind::Part) {
        let is_old = list.numbered().any(|(_, segment)| {
            let mut parts = segment.parts.iter();
            parts.any(|part| part.uri == hint.uri) || segment.uri == hint.uri
        });
        findings.check_at(rule, hint.line, !is_old, || {
            format!("{} is hinted at, but listed already", hint.uri)
        });
    }
    if let Some(previous) = &context.history.previous {
        earlier_hints_came_true(context, previous, findings);
    }
}

fn earlier_hints_came_true(
    context: &RuleContext<'_>,
    previous: &PreviousAnswer,
    findings: &mut Findings,
) {
    let Some((segment, next)) = part_after(context.list, previous) else {
        return;
    };
    for hint in &previous.hints {
        let came = match hint.kind {
            HintKind::Part => &next.uri,
            HintKind::Map => segment.map.as_ref().unwrap_or(&next.uri),
        };
        findings.check_at(
            context.past(Rule::List(8)),
            next.line,
            *came == hint.uri,
            || format!("{} was hinted at, {came} came", hint.uri),
        );
    }
}

/// The first part that was not in the previous response, if the playlist still shows it.
fn part_after<'a>(
    list: &'a MediaPlaylist,
    previous: &PreviousAnswer,
) -> Option<(&'a Segment, &'a PartialSegment)> {
    let find = |msn: u64, index: usize| {
        let (_, segment) = list.numbered().find(|(number, _)| *number == msn)?;
        segment.parts.get(index).map(|part| (segment, part))
    };
    let Some(edge) = previous.edge else {
        return find(previous.open_msn, 0);
    };
    let Some(newest) = edge.part else {
        return find(edge.msn + 1, 0);
    };
    // Without the known newest part, the playlist has dropped the parts in between.
    find(edge.msn, newest as usize)?;
    let is_whole = edge.msn < list.open_msn();
    find(edge.msn, newest as usize + 1)
        .or_else(|| is_whole.then(|| find(edge.msn + 1, 0)).flatten())
}
