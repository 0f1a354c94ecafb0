//! Rule 10: a delta update is the full list with old segments left out, and nothing else.

use std::time::Duration;

use crate::playlist::history::PlaylistHistory;
use crate::playlist::model::MediaPlaylist;
use crate::playlist::observation::RuleContext;
use crate::playlist::rule::{Findings, Rule};

/// Ends of segments are reckoned from rounded durations.
const SLACK: Duration = Duration::from_millis(50);

pub(crate) fn rule_10_delta_update(context: &RuleContext<'_>, findings: &mut Findings) {
    let rule = Rule::List(10);
    let list = context.list;
    let control = list.control.as_ref();
    let until = control.and_then(|control| control.can_skip_until);
    let was_asked = context.seen.asked.skip.is_some();
    let Some((skipped, line)) = list.skip else {
        if let (true, Some(until), false) = (was_asked, until, list.is_ended) {
            check_something_was_skipped(context, until, findings);
        }
        return;
    };
    findings.check_at(rule, line, was_asked, || {
        "EXT-X-SKIP in an answer to a request without _HLS_skip".to_owned()
    });
    findings.check_at(rule, line, skipped > 0, || {
        "EXT-X-SKIP skips nothing, the full list was due".to_owned()
    });
    let Some(until) = until else {
        findings.check_at(rule, line, false, || {
            "EXT-X-SKIP without CAN-SKIP-UNTIL".to_owned()
        });
        return;
    };
    let boundary: Duration = list.numbered().map(|(_, segment)| segment.length()).sum();
    findings.check_at(rule, line, boundary + SLACK >= until, || {
        format!(
            "a segment that ends {boundary:?} before the end is skipped, the boundary is {until:?}"
        )
    });
    let first = list.segments.first().map_or(usize::MAX, |segment| {
        segment.parts.first().map_or(segment.line, |part| part.line)
    });
    findings.check_at(rule, line, line < first, || {
        "EXT-X-SKIP stands behind a segment".to_owned()
    });
    let sequence_line = list.discontinuity_sequence_line.unwrap_or_default();
    findings.check_at(rule, line, sequence_line < line, || {
        "EXT-X-DISCONTINUITY-SEQUENCE stands behind EXT-X-SKIP".to_owned()
    });
    check_discontinuity_sequence(list, context.history, line, findings);
}

/// The sequence is that of the full playlist, as if nothing were skipped.
fn check_discontinuity_sequence(
    list: &MediaPlaylist,
    history: &PlaylistHistory,
    line: usize,
    findings: &mut Findings,
) {
    let Some(first) = history.segments.get(&list.media_sequence) else {
        return;
    };
    if let Some(number) = first.discontinuity_number {
        let with_tag = number.saturating_sub(u64::from(first.has_discontinuity));
        let sequence = list.discontinuity_sequence;
        findings.check_at(
            Rule::List(10),
            line,
            (with_tag..=number).contains(&sequence),
            || {
                format!(
                    "EXT-X-DISCONTINUITY-SEQUENCE is {sequence}, in the full list it is {with_tag}"
                )
            },
        );
    }
}

/// A whole target duration beyond the boundary, something could certainly be skipped.
fn check_something_was_skipped(
    context: &RuleContext<'_>,
    until: Duration,
    findings: &mut Findings,
) {
    let doubtless = until + context.target() + SLACK;
    let mut distances = context.list.distances_from_end().into_iter();
    let oldest = distances.next().unwrap_or_default();
    findings.check(Rule::List(10), oldest <= doubtless, || {
        format!("_HLS_skip was ignored, the oldest segment ends {oldest:?} before the end")
    });
}
