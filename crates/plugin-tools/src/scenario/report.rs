//! The results of scenarios, and how they are printed.

use std::time::Duration;

use super::junit;

/// The result of one scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioOutcome {
    pub file: String,
    /// Its name; `None` for an unreadable file.
    pub name: Option<String>,
    /// Its starting line in the file.
    pub line: usize,
    /// The failed expectations.
    pub failures: Vec<String>,
    /// Remarks for its author.
    pub notes: Vec<String>,
    pub took: Duration,
}

impl ScenarioOutcome {
    pub(super) fn unreadable(file: &str, why: String) -> Self {
        Self {
            file: file.to_owned(),
            line: 1,
            failures: vec![why],
            ..Self::default()
        }
    }

    /// The outcome of a scenario that cannot run.
    pub(super) fn unreadable_scenario(file: &str, name: &str, line: usize, why: String) -> Self {
        Self {
            failures: vec![why],
            ..Self::planned(file, name, line)
        }
    }

    /// The outcome of a scenario that has not run yet.
    pub(super) fn planned(file: &str, name: &str, line: usize) -> Self {
        Self {
            file: file.to_owned(),
            name: Some(name.to_owned()),
            line,
            failures: vec!["it was not played to its end".into()],
            ..Self::default()
        }
    }

    /// Whether it passed.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.failures.is_empty()
    }

    fn tell(&self, lines: &mut Vec<String>) {
        let word = if self.is_good() { "ok  " } else { "FAIL" };
        let file = &self.file;
        lines.push(match &self.name {
            Some(name) => format!("{word}  {file} :: {name}"),
            None => format!("{word}  {file}"),
        });
        if !self.is_good() && self.name.is_some() {
            lines.push(format!(
                "      {}/{file}:{}",
                crate::project::TESTS,
                self.line
            ));
        }
        for text in self.failures.iter().chain(&self.notes) {
            let indented = text.lines().map(|line| format!("      {line}"));
            lines.extend(indented);
        }
    }
}

/// The results of all scenarios.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioReport {
    plugin: String,
    filter: Option<String>,
    /// Outcomes in the order of the files; an unreadable file counts as one.
    pub outcomes: Vec<ScenarioOutcome>,
    /// The number of scenarios that the filter excluded.
    pub left_out: usize,
}

impl ScenarioReport {
    pub(super) fn of(plugin: &str, filter: Option<String>) -> Self {
        Self {
            plugin: plugin.to_owned(),
            filter,
            ..Self::default()
        }
    }

    /// The number of scenarios that ran; an unreadable file counts as one.
    #[must_use]
    pub fn total(&self) -> usize {
        self.outcomes.len()
    }

    /// The number of scenarios that passed.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.outcomes.iter().filter(|one| one.is_good()).count()
    }

    /// Whether everything passed.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.passed() == self.total()
    }

    /// The report as lines for people.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for outcome in &self.outcomes {
            outcome.tell(&mut lines);
        }
        if let Some(filter) = &self.filter {
            let count = match self.left_out {
                1 => "1 scenario".to_owned(),
                many => format!("{many} scenarios"),
            };
            lines.push(format!("{count} left out by --filter {filter:?}"));
        }
        lines.push(format!("{}/{} passed", self.passed(), self.total()));
        lines
    }

    /// The report as JUnit XML.
    #[must_use]
    pub fn junit(&self) -> String {
        junit::write(&self.plugin, &self.outcomes)
    }
}
