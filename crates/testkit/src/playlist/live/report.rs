//! The findings of a run, as a table for people and as JSON for scripts.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

use crate::playlist::rule::{Findings, Rule, Violation};

/// Different violations of one rule that the text shows; JSON has all of them.
const SHOWN_PER_RULE: usize = 5;

#[derive(Debug)]
pub struct LiveReport {
    url: String,
    checks: BTreeMap<Rule, u64>,
    /// Each distinct violation, with its count.
    violations: Vec<(String, Violation, u64)>,
}

impl LiveReport {
    pub(super) fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            checks: BTreeMap::new(),
            violations: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, rendition: &str, findings: Findings) {
        for (rule, count) in findings.checks() {
            *self.checks.entry(*rule).or_default() += count;
        }
        for violation in findings.into_violations() {
            let mut known = self.violations.iter_mut();
            let same = known.find(|(where_, one, _)| {
                where_ == rendition && one.rule == violation.rule && one.text == violation.text
            });
            match same {
                Some((_, _, count)) => *count += 1,
                None => self.violations.push((rendition.to_owned(), violation, 1)),
            }
        }
    }

    /// Whether no rule was broken.
    pub fn is_clean(&self) -> bool {
        self.violations.is_empty()
    }

    /// How often a rule was checked.
    pub fn checks(&self, rule: Rule) -> u64 {
        self.checks.get(&rule).copied().unwrap_or_default()
    }

    /// The broken rules, each once.
    pub fn broken_rules(&self) -> Vec<Rule> {
        self.rules()
            .filter(|rule| self.violations_of(*rule) > 0)
            .collect()
    }

    /// The rules that this is about.
    fn rules(&self) -> impl Iterator<Item = Rule> {
        let recorded = Rule::of_recordings().filter(|rule| self.checks(*rule) > 0);
        Rule::all().chain(recorded)
    }

    fn violations_of(&self, rule: Rule) -> u64 {
        let of_rule = self
            .violations
            .iter()
            .filter(|(_, one, _)| one.rule == rule);
        of_rule.map(|(_, _, count)| count).sum()
    }

    pub fn to_json(&self) -> Value {
        let rules: Vec<Value> = self
            .rules()
            .map(|rule| {
                json!({
                    "rule": rule.to_string(),
                    "title": rule.title(),
                    "checks": self.checks(rule),
                    "violations": self.violations_of(rule),
                })
            })
            .collect();
        let violations: Vec<Value> = self
            .violations
            .iter()
            .map(|(rendition, one, count)| {
                json!({
                    "rule": one.rule.to_string(),
                    "rendition": rendition,
                    "line": one.line,
                    "text": one.text,
                    "count": count,
                })
            })
            .collect();
        json!({
            "url": self.url,
            "ok": self.is_clean(),
            "rules": rules,
            "violations": violations,
        })
    }
}

impl fmt::Display for LiveReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.url)?;
        writeln!(f, "rule   checks  violations")?;
        for rule in self.rules() {
            let name = rule.to_string();
            let violations = self.violations_of(rule);
            let title = rule.title();
            if rule.is_observable() {
                let checks = self.checks(rule);
                writeln!(f, "{name:<4} {checks:>8} {violations:>11}  {title}")?;
            } else {
                writeln!(
                    f,
                    "{name:<4} {:>8} {:>11}  {title}, which nobody can see from outside",
                    "-", "-"
                )?;
            }
        }
        for rule in self.rules() {
            self.write_violations_of(rule, f)?;
        }
        Ok(())
    }
}

impl LiveReport {
    fn write_violations_of(&self, rule: Rule, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut of_rule = self
            .violations
            .iter()
            .filter(|(_, one, _)| one.rule == rule);
        for (rendition, violation, count) in of_rule.by_ref().take(SHOWN_PER_RULE) {
            write!(f, "\n{violation}")?;
            if !rendition.is_empty() {
                write!(f, "\n    in {rendition}")?;
            }
            if *count > 1 {
                write!(f, "\n    {count} times")?;
            }
            writeln!(f)?;
        }
        match of_rule.count() {
            0 => Ok(()),
            more => writeln!(f, "\nrule {rule}: {more} more like these"),
        }
    }
}
