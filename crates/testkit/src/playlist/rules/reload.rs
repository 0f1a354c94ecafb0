//! Rule 9: blocking reloads wait for what was requested, and for nothing else.

use std::time::Duration;

use crate::playlist::history::PlaylistHistory;
use crate::playlist::model::MediaPlaylist;
use crate::playlist::observation::{Observation, RuleContext};
use crate::playlist::rule::{Findings, Rule};

/// A blocked request is given up after this many target durations.
const PATIENCE_TARGETS: u32 = 3;
/// What a busy machine and the way to it may add or take.
const SLACK: Duration = Duration::from_secs(1);
/// A request this far past the last segment is an error.
const FARTHEST_AHEAD: u64 = 2;
/// So far that no stream can have come there while the answer was on its way.
const ABSURDLY_FAR: u64 = 100;

/// Checks the status alone.
pub(crate) fn rule_9_status(
    seen: &Observation<'_>,
    history: &PlaylistHistory,
    findings: &mut Findings,
) {
    let rule = Rule::List(9);
    let status = seen.status;
    let Some(msn) = seen.asked.msn else {
        if seen.asked.part.is_some() {
            findings.check(rule, status == 400, || {
                format!("_HLS_part without _HLS_msn was answered with {status}, not 400")
            });
        }
        return;
    };
    let Some(target) = history.frozen.target_duration else {
        return;
    };
    let previous = history
        .previous
        .as_ref()
        .filter(|previous| !previous.is_ended);
    let Some(edge) = previous.and_then(|previous| previous.edge) else {
        return;
    };
    let is_next = msn <= edge.msn + 1;
    findings.check(rule, status != 400 || !is_next, || {
        format!(
            "_HLS_msn={msn} was refused although segment {} is listed",
            edge.msn
        )
    });
    let is_absurd = msn > edge.msn.saturating_add(ABSURDLY_FAR);
    findings.check(rule, status == 400 || !is_absurd, || {
        format!(
            "_HLS_msn={msn} was answered with {status} although segment {} is the last",
            edge.msn
        )
    });
    let waited = seen.at.saturating_sub(seen.asked_at);
    let patience = Duration::from_secs(target) * PATIENCE_TARGETS;
    findings.check(rule, waited <= patience + SLACK, || {
        format!("_HLS_msn={msn} was held for {waited:?}, the limit is {patience:?}")
    });
    findings.check(rule, status != 503 || waited + SLACK >= patience, || {
        format!("_HLS_msn={msn} was given up with 503 after {waited:?} only")
    });
}

/// Checks the returned playlist.
pub(crate) fn rule_9_blocking_reload(context: &RuleContext<'_>, findings: &mut Findings) {
    let rule = Rule::List(9);
    let list = context.list;
    let control = list.control.as_ref();
    let can_block = control.is_some_and(|control| control.can_block_reload);
    if list.has_parts() && !list.is_ended {
        findings.check_at(rule, control.map(|control| control.line), can_block, || {
            "there are parts, but no CAN-BLOCK-RELOAD=YES".to_owned()
        });
    }
    let Some(msn) = context
        .seen
        .asked
        .msn
        .filter(|_| can_block && !list.is_ended)
    else {
        return;
    };
    let last = list.edge().map_or(0, |edge| edge.msn);
    let is_far = msn > last + FARTHEST_AHEAD;
    findings.check(rule, !is_far, || {
        format!("_HLS_msn={msn} was answered with a list that ends at {last}, not with 400")
    });
    if is_far {
        return;
    }
    let waited = context.seen.at.saturating_sub(context.seen.asked_at);
    let has_given_up = waited + SLACK >= context.target() * PATIENCE_TARGETS;
    let part = context.seen.asked.part;
    let ok = contains(list, context.history, msn, part) || has_given_up;
    findings.check(rule, ok, || {
        format!(
            "asked for segment {msn} part {part:?}, the list ends at {:?}",
            list.edge()
        )
    });
}

/// Whether the playlist has what was requested. A part past the end of its segment is part 0 of the next.
fn contains(list: &MediaPlaylist, history: &PlaylistHistory, msn: u64, part: Option<u64>) -> bool {
    let open = list.open_msn();
    let open_parts = list.open.parts.len() as u64;
    if msn >= open {
        let wanted = part.unwrap_or(0);
        return msn == open && wanted < open_parts;
    }
    let listed = list.numbered().find(|(number, _)| *number == msn);
    let listed = listed.map_or(0, |(_, segment)| segment.parts.len());
    let remembered = history
        .segments
        .get(&msn)
        .map_or(0, |segment| segment.parts.len());
    let count = listed.max(remembered) as u64;
    let is_past_the_end = part.is_some_and(|part| part >= count);
    !is_past_the_end || count == 0 || msn + 1 < open || open_parts > 0
}
