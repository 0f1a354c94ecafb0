//! What came of the scenarios, and how it is told.

use std::time::Duration;

use super::junit;

/// What came of one scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioOutcome {
    /// The name of its file.
    pub file: String,
    /// Its name; nothing for a file that cannot be read.
    pub name: Option<String>,
    /// Where it begins in the file.
    pub line: usize,
    /// What was not as expected.
    pub failures: Vec<String>,
    /// What its author may want to know.
    pub notes: Vec<String>,
    /// For how long it was played.
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

    /// Of a scenario that cannot be played.
    pub(super) fn unreadable_scenario(file: &str, name: &str, line: usize, why: String) -> Self {
        Self {
            failures: vec![why],
            ..Self::planned(file, name, line)
        }
    }

    /// Of a scenario that was not played yet.
    pub(super) fn planned(file: &str, name: &str, line: usize) -> Self {
        Self {
            file: file.to_owned(),
            name: Some(name.to_owned()),
            line,
            failures: vec!["it was not played to its end".into()],
            ..Self::default()
        }
    }

    /// Whether it went as expected.
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

/// What came of all scenarios.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioReport {
    plugin: String,
    filter: Option<String>,
    /// Scenarios in the order of the files; a file that cannot be read counts as one.
    pub outcomes: Vec<ScenarioOutcome>,
    /// Scenarios that the filter left out.
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

    /// Scenarios that were played; a file that cannot be read counts as one.
    #[must_use]
    pub fn total(&self) -> usize {
        self.outcomes.len()
    }

    /// Scenarios that went as expected.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.outcomes.iter().filter(|one| one.is_good()).count()
    }

    /// Whether everything went as expected.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.passed() == self.total()
    }

    /// For people: lines to print, one after the other.
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

    /// For programs: JUnit XML.
    #[must_use]
    pub fn junit(&self) -> String {
        junit::write(&self.plugin, &self.outcomes)
    }
}
