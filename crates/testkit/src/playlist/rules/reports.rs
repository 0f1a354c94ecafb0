//! Rule 11: a playlist reports the progress of the other renditions correctly.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::playlist::model::{Edge, RenditionReport};
use crate::playlist::observation::{OtherRendition, RuleContext};
use crate::playlist::rule::{Findings, Rule};
use crate::playlist::uri::resolve;

const RULE: Rule = Rule::List(11);

/// Another rendition of the stream: its observations, and reports about it.
#[derive(Debug, Default)]
pub(crate) struct Neighbour {
    /// Its observations, oldest first.
    seen: Vec<OtherRendition>,
    /// The newest report and when it had arrived, until a response requested later confirms it.
    claim: Option<(Edge, Duration)>,
    /// The report in the previous response.
    last: Option<Edge>,
}

/// More answers of another rendition than anybody compares with; older ones are forgotten.
const KEPT_ANSWERS: usize = 64;

impl Neighbour {
    pub(crate) fn has_parts(&self) -> bool {
        self.seen
            .last()
            .is_some_and(|seen| seen.edge.part.is_some())
    }

    /// The newest entry in a response that had arrived by then.
    fn edge_by(&self, at: Duration) -> Option<Edge> {
        let arrived = self.seen.iter().filter(|seen| seen.at <= at);
        arrived.map(|seen| seen.edge).max()
    }
}

/// Every other rendition is reported, completely, and no report is older than what was known.
pub(crate) fn rule_11_reports(
    context: &RuleContext<'_>,
    others: &mut BTreeMap<String, Neighbour>,
    findings: &mut Findings,
) {
    let list = context.list;
    if !list.has_parts() || list.is_ended {
        return;
    }
    for report in &list.reports {
        let url = resolve(context.url, &report.uri);
        findings.check_at(RULE, report.line, others.contains_key(&url), || {
            format!("a report on {url}, which is no other rendition of this stream")
        });
    }
    for (url, neighbour) in others.iter_mut() {
        let mut reports = list.reports.iter();
        let report = reports.find(|report| resolve(context.url, &report.uri) == *url);
        findings.check(RULE, report.is_some(), || {
            format!("no EXT-X-RENDITION-REPORT on {url}")
        });
        if let Some(report) = report {
            check_report(context, url, report, neighbour, findings);
        }
    }
}

fn check_report(
    context: &RuleContext<'_>,
    url: &str,
    report: &RenditionReport,
    neighbour: &mut Neighbour,
    findings: &mut Findings,
) {
    let (Some(msn), Some(part)) = (report.last_msn, report.last_part) else {
        findings.check_at(RULE, report.line, false, || {
            format!("the report on {url} has no LAST-MSN or no LAST-PART")
        });
        return;
    };
    let claimed = Edge {
        msn,
        part: Some(part),
    };
    let last = neighbour.last.replace(claimed);
    findings.check_at(RULE, report.line, Some(claimed) >= last, || {
        format!("the report on {url} went back from {last:?} to {claimed:?}")
    });
    // This playlist was written after the request for an older one was sent, so it includes at least what
    // had been read by then.
    let written_after = written_after(context);
    if let Some(least) = written_after.and_then(|at| neighbour.edge_by(at)) {
        findings.check_at(RULE, report.line, claimed >= least, || {
            format!("the report on {url} says {claimed:?}, {least:?} was listed before")
        });
    }
    neighbour.claim = Some((claimed, context.seen.at));
}

fn written_after(context: &RuleContext<'_>) -> Option<Duration> {
    let previous = context.history.previous.as_ref()?;
    if previous.edge == context.list.edge() {
        previous.older_asked_at
    } else {
        Some(previous.asked_at)
    }
}

/// A reported entry must be in every response of that rendition that was requested afterwards.
pub(crate) fn rule_11_claims(
    url: &str,
    neighbour: &mut Neighbour,
    other: &OtherRendition,
    findings: &mut Findings,
) {
    if let Some((claimed, at)) = neighbour.claim
        && other.asked_at > at
    {
        findings.check(RULE, other.edge >= claimed, || {
            format!(
                "{url} was reported at {claimed:?}, its list ends at {:?}",
                other.edge
            )
        });
        neighbour.claim = None;
    }
    neighbour.seen.push(*other);
    if neighbour.seen.len() > KEPT_ANSWERS {
        neighbour.seen.remove(0);
    }
}
