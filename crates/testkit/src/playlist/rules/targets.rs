//! Rules 1 to 4: values that never change.

use std::fmt::Debug;
use std::time::Duration;

use crate::playlist::observation::RuleContext;
use crate::playlist::rule::{Findings, Rule};

/// EXT-X-SKIP needs version 9.
const VERSION_OF_SKIP: u64 = 9;
/// Skipping date ranges needs version 10.
const VERSION_OF_SKIPPED_DATES: u64 = 10;
/// EXT-X-MAP in a list of ordinary segments needs version 6.
const VERSION_OF_MAP: u64 = 6;
/// A part is at least this share of PART-TARGET, unless it is the last of its segment.
const SHORTEST_PART_PERCENT: u32 = 85;

pub(crate) fn rule_1_version(context: &RuleContext<'_>, findings: &mut Findings) {
    let rule = Rule::List(1);
    let list = context.list;
    let Some(version) = list.version else {
        findings.check(rule, false, || "EXT-X-VERSION is missing".to_owned());
        return;
    };
    constant(
        rule,
        "EXT-X-VERSION",
        context.history.frozen.version,
        Some(version),
        findings,
    );
    let control = list.control.as_ref();
    let needed = if control.is_some_and(|control| control.can_skip_dateranges) {
        VERSION_OF_SKIPPED_DATES
    } else if list.skip.is_some() || control.is_some_and(|control| control.can_skip_until.is_some())
    {
        VERSION_OF_SKIP
    } else if list.segments.iter().any(|segment| segment.map.is_some()) {
        VERSION_OF_MAP
    } else {
        1
    };
    findings.check(rule, version >= needed, || {
        format!("EXT-X-VERSION is {version}, what is used needs {needed}")
    });
}

pub(crate) fn rule_2_target_duration(context: &RuleContext<'_>, findings: &mut Findings) {
    let rule = Rule::List(2);
    let Some(target) = context.list.target_duration else {
        findings.check(rule, false, || "EXT-X-TARGETDURATION is missing".to_owned());
        return;
    };
    let frozen = context.history.frozen.target_duration;
    constant(rule, "TARGETDURATION", frozen, Some(target), findings);
    for segment in &context.list.segments {
        let rounded = (segment.duration + Duration::from_millis(500)).as_secs();
        findings.check_at(rule, segment.line, rounded <= target, || {
            format!(
                "{} lasts {:?}, TARGETDURATION is {target}",
                segment.uri, segment.duration
            )
        });
    }
}

pub(crate) fn rule_3_part_target(context: &RuleContext<'_>, findings: &mut Findings) {
    let rule = Rule::List(3);
    let list = context.list;
    let Some(target) = list.part_target else {
        let part = list
            .numbered()
            .find_map(|(_, segment)| segment.parts.first());
        findings.check_at(rule, part.map(|part| part.line), part.is_none(), || {
            "there are parts, but no EXT-X-PART-INF".to_owned()
        });
        let vanished = context.history.frozen.part_target.is_some() && !list.is_ended;
        findings.check(rule, !vanished, || "EXT-X-PART-INF is gone".to_owned());
        return;
    };
    constant(
        rule,
        "PART-TARGET",
        context.history.frozen.part_target,
        Some(target),
        findings,
    );
    findings.check(rule, !target.is_zero(), || "PART-TARGET is zero".to_owned());
    let shortest = target * SHORTEST_PART_PERCENT / 100;
    for (_, segment) in list.numbered() {
        for (index, part) in segment.parts.iter().enumerate() {
            let duration = part.duration;
            findings.check_at(rule, part.line, duration <= target, || {
                format!("{} lasts {duration:?}, PART-TARGET is {target:?}", part.uri)
            });
            // The newest part of an open segment may turn out to be its last.
            let has_follower = index + 1 < segment.parts.len();
            let ok = !has_follower || part.is_gap || duration >= shortest;
            findings.check_at(rule, part.line, ok, || {
                format!(
                    "{} lasts {duration:?}, less than {shortest:?}, and is not the last",
                    part.uri
                )
            });
        }
    }
}

pub(crate) fn rule_4_hold_backs(context: &RuleContext<'_>, findings: &mut Findings) {
    let rule = Rule::List(4);
    let list = context.list;
    let Some(control) = &list.control else {
        findings.check(rule, list.is_ended, || {
            "EXT-X-SERVER-CONTROL is missing".to_owned()
        });
        return;
    };
    if let Some(frozen) = &context.history.frozen.control {
        constant(
            rule,
            "PART-HOLD-BACK",
            frozen.part_hold_back,
            control.part_hold_back,
            findings,
        );
        constant(
            rule,
            "HOLD-BACK",
            frozen.hold_back,
            control.hold_back,
            findings,
        );
        constant(
            rule,
            "CAN-SKIP-UNTIL",
            frozen.can_skip_until,
            control.can_skip_until,
            findings,
        );
    }
    let mut at_least = |name: &str, value: Option<Duration>, floor: Duration| {
        let ok = value.is_some_and(|value| value >= floor);
        findings.check_at(rule, control.line, ok, || {
            format!("{name} is {value:?}, must be at least {floor:?}")
        });
    };
    at_least("HOLD-BACK", control.hold_back, context.target() * 3);
    if let Some(part_target) = list.part_target {
        at_least("PART-HOLD-BACK", control.part_hold_back, part_target * 3);
    }
    if control.can_skip_until.is_some() {
        at_least(
            "CAN-SKIP-UNTIL",
            control.can_skip_until,
            context.target() * 6,
        );
    }
}

fn constant<T: PartialEq + Debug + Copy>(
    rule: Rule,
    name: &str,
    before: Option<T>,
    now: Option<T>,
    findings: &mut Findings,
) {
    if before.is_some() {
        findings.check(rule, before == now, || {
            format!("{name} was {before:?} and is now {now:?}")
        });
    }
}
