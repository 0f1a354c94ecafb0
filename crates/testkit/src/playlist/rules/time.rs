//! Rule 13: every segment has a date, and the dates are consistent.

use std::time::Duration;

use jiff::Timestamp;

use crate::playlist::model::Segment;
use crate::playlist::observation::RuleContext;
use crate::playlist::rule::{Findings, Rule};

const RULE: Rule = Rule::List(13);
/// Dates and durations may differ by this much: both are rounded, and samples jitter.
const SLACK: Duration = Duration::from_millis(50);

pub(crate) fn rule_13_program_date_time(context: &RuleContext<'_>, findings: &mut Findings) {
    let mut dates: Option<DateSequence> = None;
    for (msn, segment) in context.list.numbered() {
        let Some((date, has_milliseconds)) = segment.date else {
            findings.check_at(RULE, segment.line, !segment.is_complete(), || {
                format!("segment {msn} has no EXT-X-PROGRAM-DATE-TIME")
            });
            continue;
        };
        findings.check_at(RULE, segment.line, has_milliseconds, || {
            format!("the date of segment {msn} has no milliseconds")
        });
        let known = context
            .history
            .segments
            .get(&msn)
            .and_then(|known| known.date);
        findings.check_at(
            context.past(RULE),
            segment.line,
            known.is_none_or(|known| known == date),
            || format!("segment {msn} was dated {known:?} and is now dated {date}"),
        );
        match dates.as_mut().filter(|_| segment.discontinuity.is_none()) {
            Some(dates) => dates.go_on(msn, date, segment, findings),
            None => {
                let earlier = dates.as_ref().map(|dates| dates.last);
                findings.check_at(
                    RULE,
                    segment.line,
                    earlier.is_none_or(|last| last < date),
                    || format!("segment {msn} is dated before the one before it"),
                );
                dates = Some(DateSequence::begin(date, segment));
            }
        }
    }
}

/// Dates since the last discontinuity.
struct DateSequence {
    last: Timestamp,
    /// The end of the previous segment by its own date.
    next: Timestamp,
    /// Its end by the first date and all durations since.
    next_by_anchor: Timestamp,
}

impl DateSequence {
    fn begin(date: Timestamp, segment: &Segment) -> Self {
        let end = date + segment.length();
        Self {
            last: date,
            next: end,
            next_by_anchor: end,
        }
    }

    fn go_on(&mut self, msn: u64, date: Timestamp, segment: &Segment, findings: &mut Findings) {
        findings.check_at(RULE, segment.line, self.last < date, || {
            format!("segment {msn} is dated before the one before it")
        });
        let distance = date.duration_since(self.next).unsigned_abs();
        findings.check_at(RULE, segment.line, distance <= SLACK, || {
            format!("segment {msn} is dated {distance:?} away from where the one before it ends")
        });
        // Small steps that add up mean that the dates come from another clock than the media.
        let drift = date.duration_since(self.next_by_anchor).unsigned_abs();
        let is_drifting = distance <= SLACK && drift > SLACK * 2;
        findings.check_at(RULE, segment.line, !is_drifting, || {
            format!("the dates drift, segment {msn} is off by {drift:?}")
        });
        self.last = date;
        self.next = date + segment.length();
        self.next_by_anchor += segment.length();
    }
}
