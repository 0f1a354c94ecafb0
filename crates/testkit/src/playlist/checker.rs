//! Follows one rendition through its reloads and applies every rule to every response.

use std::collections::BTreeMap;

use super::boxes;
use super::history::{Meaning, PlaylistHistory};
use super::media::Init;
use super::model::{Edge, MediaPlaylist};
use super::observation::{Observation, OtherRendition, Role, RuleContext};
use super::parse::parse;
use super::rule::{Findings, Rule, Violation};
use super::rules;

/// Checks one rendition over time.
#[derive(Debug)]
pub struct Checker {
    role: Role,
    url: String,
    history: PlaylistHistory,
    others: Option<BTreeMap<String, rules::Neighbour>>,
    findings: Findings,
}

impl Checker {
    pub fn new(role: Role) -> Self {
        Self {
            role,
            url: String::new(),
            history: PlaylistHistory::default(),
            others: None,
            findings: Findings::default(),
        }
    }

    /// Sets the playlist's address, so that references can be resolved.
    #[must_use]
    pub fn at(mut self, url: &str) -> Self {
        url.clone_into(&mut self.url);
        self
    }

    /// Names the other renditions; from now on exactly these must be reported.
    #[must_use]
    pub fn beside(mut self, others: &[&str]) -> Self {
        let entries = others.iter();
        self.others = Some(
            entries
                .map(|url| (super::resolve(&self.url, url), rules::Neighbour::default()))
                .collect(),
        );
        self
    }

    /// Checks one response and returns its violations.
    pub fn observe(&mut self, seen: &Observation<'_>) -> Vec<Violation> {
        let before = self.findings.violations().len();
        rules::rule_9_status(seen, &self.history, &mut self.findings);
        rules::rule_18_vanished(seen, &self.history, &mut self.findings);
        if seen.status == 200 {
            self.judge(seen);
        }
        self.findings.violations()[before..].to_vec()
    }

    fn judge(&mut self, seen: &Observation<'_>) {
        let found = &mut self.findings;
        let mut list = parse(seen.text, found);
        self.history.inherit_map(&mut list);
        let context = RuleContext {
            list: &list,
            seen,
            history: &self.history,
            role: self.role,
            url: &self.url,
        };
        for rule in rules::OF_THE_LIST {
            rule(&context, found);
        }
        if let Some(others) = &mut self.others {
            rules::rule_11_reports(&context, others, found);
            rules::rule_12_like_the_others(&context, others, found);
        }
        self.history.learn(&list, seen.asked_at);
    }

    /// Adds an observation of another rendition; reports are compared with it.
    pub fn saw_other(&mut self, url: &str, other: &OtherRendition) -> Vec<Violation> {
        let before = self.findings.violations().len();
        let url = super::resolve(&self.url, url);
        if let Some(neighbour) = self.others.as_mut().and_then(|all| all.get_mut(&url)) {
            rules::rule_11_claims(&url, neighbour, other, &mut self.findings);
        }
        self.findings.violations()[before..].to_vec()
    }

    /// Rule R2: this list ends like the live list of the same rendition. Returns its violations; `None` if the two are not of
    /// the same moment.
    pub fn ends_like(&mut self, own: &str, live_url: &str, live: &str) -> Option<Vec<Violation>> {
        let before = self.findings.violations().len();
        let live_url = super::resolve(&self.url, live_url);
        let (own, live) = (MediaPlaylist::read(own), MediaPlaylist::read(live));
        let compared = rules::rule_r2_same_end(
            (self.url.as_str(), &own),
            (live_url.as_str(), &live),
            &mut self.findings,
        );
        compared.then(|| self.findings.violations()[before..].to_vec())
    }

    /// Rule 6 with the part's bytes: INDEPENDENT exactly if the first sample is a sync sample. The
    /// initialization section is needed only for samples that rely on its default flags.
    pub fn check_media_bytes(
        &mut self,
        part_uri: &str,
        bytes: &[u8],
        init: Option<&Init>,
    ) -> Vec<Violation> {
        let before = self.findings.violations().len();
        match boxes::fragments(bytes, init.map(|init| &init.track)) {
            Ok(fragments) => {
                let mut said = fragments.iter().map(|one| one.starts_with_sync);
                if let Some(starts_with_sync) = said.find_map(|said| said) {
                    self.check_independence(part_uri, starts_with_sync);
                }
            }
            Err(error) => self.findings.check(Rule::List(6), false, || {
                format!("part {part_uri} cannot be read: {error}")
            }),
        }
        self.findings.violations()[before..].to_vec()
    }

    /// Rule 6 for a caller who knows whether the part begins with a sync sample.
    pub fn check_independence(&mut self, part_uri: &str, starts_with_sync: bool) -> Vec<Violation> {
        let before = self.findings.violations().len();
        let part = match self.history.names.get(part_uri) {
            Some(Meaning::Part(msn, index)) => self.history.segments[msn].parts.get(*index),
            _ => None,
        };
        if let Some(part) = part {
            let ok = part.is_independent == starts_with_sync;
            self.findings.check(Rule::List(6), ok, || {
                let word = if starts_with_sync { "a" } else { "no" };
                format!(
                    "part {part_uri} begins with {word} sync sample, INDEPENDENT says otherwise"
                )
            });
        }
        self.findings.violations()[before..].to_vec()
    }

    /// Checks that are possible only at the end; `master_is_independent` is whether the multivariant playlist
    /// has EXT-X-INDEPENDENT-SEGMENTS, `others_depend` whether another rendition prevents that.
    pub fn finish(&mut self, master_is_independent: bool, others_depend: bool) -> Vec<Violation> {
        let before = self.findings.violations().len();
        let history = &self.history;
        let saw_parts = history
            .segments
            .values()
            .any(|segment| !segment.parts.is_empty());
        if saw_parts {
            let is_promised = master_is_independent || history.saw_independent_tag;
            let ok = is_promised || others_depend || history.saw_dependent_start;
            self.findings.check(Rule::List(17), ok, || {
                "every segment begins independently, but EXT-X-INDEPENDENT-SEGMENTS is missing"
                    .to_owned()
            });
            let ok = !(master_is_independent && history.saw_dependent_start);
            self.findings.check(Rule::List(6), ok, || {
                "the multivariant playlist promises independent segments, one is not".to_owned()
            });
        }
        self.findings.violations()[before..].to_vec()
    }

    /// Whether any segment began with a part that is not independent.
    pub fn saw_dependent_start(&self) -> bool {
        self.history.saw_dependent_start
    }

    /// The newest listed entry.
    pub fn edge(&self) -> Option<Edge> {
        self.history
            .previous
            .as_ref()
            .and_then(|previous| previous.edge)
    }

    /// Whether EXT-X-ENDLIST was present.
    pub fn is_ended(&self) -> bool {
        self.history
            .previous
            .as_ref()
            .is_some_and(|previous| previous.is_ended)
    }

    /// Checks made and violations found so far.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }
}
