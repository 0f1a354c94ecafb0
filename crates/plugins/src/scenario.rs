//! Tests of plugins: files that say what is given, what happens and what is expected, played on the real engine with a
//! server in memory.
//!
//! [`Project`] is the folder of a plugin, [`Runner`] plays its test files. Every scenario gets an instance and a server
//! of its own, all of its steps are played even when one fails, and every failure is listed.

mod expect;
mod file;
mod http;
mod matching;
mod play;
mod project;

use std::path::PathBuf;

use crate::engine::Engine;

pub use crate::project::ProjectError;
pub use project::Project;

/// What came of all scenarios.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Lines to print, one after the other.
    pub lines: Vec<String>,
    /// Scenarios that went as expected.
    pub passed: usize,
    /// Scenarios there are; a file that cannot be read counts as one.
    pub total: usize,
}

impl Report {
    /// Whether everything went as expected.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.passed == self.total
    }

    fn add(&mut self, place: &str, failures: &[String], notes: &[String]) {
        self.total += 1;
        let word = match failures.is_empty() {
            true => {
                self.passed += 1;
                "ok  "
            }
            false => "FAIL",
        };
        self.lines.push(format!("{word}  {place}"));
        for text in failures.iter().chain(notes) {
            let indented = text.lines().map(|line| format!("      {line}"));
            self.lines.extend(indented);
        }
    }
}

/// Plays the scenarios of a project.
#[derive(Debug)]
pub struct Runner {
    engine: Engine,
    /// A folder for what plugins write; emptied after every scenario.
    scratch: PathBuf,
}

impl Runner {
    /// A runner that lets plugins write below `scratch`.
    #[must_use]
    pub fn new(engine: Engine, scratch: PathBuf) -> Self {
        Self { engine, scratch }
    }

    /// Loads the plugin and looks whether code and manifest agree, nothing more.
    ///
    /// # Errors
    /// What is wrong with it.
    pub async fn check_load(&self, project: &Project) -> Result<(), String> {
        let given = crate::host::mock::Given::default();
        let loaded = play::Player::load(self, project, given).await;
        loaded.map(drop)
    }

    /// Plays everything.
    pub async fn run(&self, project: &Project) -> Report {
        let mut report = Report::default();
        for (name, text) in &project.tests {
            let scenarios = text.as_ref().map_err(Clone::clone);
            match scenarios.and_then(|text| file::read(text)) {
                Err(why) => report.add(name, &[why], &[]),
                Ok(scenarios) => {
                    for scenario in scenarios {
                        let place = format!("{name} :: {}", scenario.name);
                        let (failures, notes) = play::play(self, project, scenario).await;
                        report.add(&place, &failures, &notes);
                    }
                }
            }
        }
        let last = format!("{}/{} passed", report.passed, report.total);
        report.lines.push(last);
        report
    }
}
