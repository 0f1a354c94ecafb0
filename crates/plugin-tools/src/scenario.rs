//! Plugin tests: files that state an initial state, events and expectations, run on the real engine with a mock server.
//!
//! [`Project`] is a plugin's folder, [`Runner`] runs its test files, and [`ScenarioReport`] is the result. Every
//! scenario gets its own instance, server and clock, all of its steps run even if one fails, and every failure is
//! listed. Several scenarios run in parallel; the report keeps the order of the files.

mod clock;
mod differ;
mod expect;
mod file;
mod http;
mod junit;
mod matching;
mod names;
mod play;
mod project;
mod report;
mod traceback;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use plugins::engine::Engine;
use plugins::host::mock::InitialState;
use tokio::task::JoinSet;
use tokio::time::Instant;

pub use crate::project::ProjectError;
pub use project::Project;
pub use report::{ScenarioOutcome, ScenarioReport};

/// Scenarios that may be played at once: each has a plugin's memory.
pub const MOST_JOBS: usize = 64;

/// Time that the timers and ticks of one step may use together, when it is not said. A step that needs more fails: a
/// plugin that is a little slow at every tick would be played for half a day. Computing is counted by the processor, so
/// that a busy machine fails nothing.
const STEP_TIME: Duration = Duration::from_secs(30);

/// Names that are shown of those there would have been.
const SHOWN_NAMES: usize = 3;

/// What to run, and how.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Only scenarios with this in their name or their file's name, ignoring case.
    pub filter: Option<String>,
    /// How many to run in parallel.
    pub jobs: NonZeroUsize,
    /// The start time of scenarios that do not set one.
    pub now: Timestamp,
}

/// No scenario matches the request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoScenarioError {
    /// The test files are empty lists.
    #[error("there are no scenarios")]
    Empty,
    /// No name matches.
    #[error("no scenario and no file has {filter:?} in its name; {there_are}")]
    Filtered {
        filter: String,
        /// Some of the existing names.
        there_are: String,
    },
}

/// Runs a project's scenarios.
#[derive(Debug)]
pub struct Runner {
    engine: Engine,
    /// A folder for what plugins write; emptied after every scenario.
    scratch: PathBuf,
    step_time: Duration,
}

impl Runner {
    /// A runner that lets plugins write below `scratch`.
    #[must_use]
    pub fn new(engine: Engine, scratch: PathBuf) -> Self {
        Self {
            engine,
            scratch,
            step_time: STEP_TIME,
        }
    }

    /// Sets the total time that the timers and ticks of one step may use.
    #[must_use]
    pub fn with_step_time(self, step_time: Duration) -> Self {
        Self { step_time, ..self }
    }

    /// Loads the plugin and checks that code and manifest agree, nothing more.
    ///
    /// # Errors
    /// When something is wrong with it.
    pub async fn check_load(
        &self,
        project: &Arc<Project>,
        now: Timestamp,
    ) -> Result<Vec<String>, String> {
        let setup = self.setup(project, "load", now);
        let loaded = play::ScenarioPlayer::load(setup, InitialState::default()).await;
        tokio::fs::remove_dir_all(&self.scratch).await.ok();
        loaded.map(|player| player.warnings())
    }

    /// Runs everything the options select.
    ///
    /// # Errors
    /// When no scenario has that name, or there are none.
    pub async fn run(
        &self,
        project: &Arc<Project>,
        options: &RunOptions,
    ) -> Result<ScenarioReport, NoScenarioError> {
        let (mut report, scenarios) = plan(project, options)?;
        let mut waiting = scenarios.into_iter();
        let mut playing = JoinSet::new();
        loop {
            while playing.len() < options.jobs.get()
                && let Some((place, scenario)) = waiting.next()
            {
                let setup = self.setup(project, &place.to_string(), options.now);
                playing.spawn(async move {
                    let began = Instant::now();
                    let played = play::play(setup, scenario).await;
                    (place, played, began.elapsed())
                });
            }
            match playing.join_next().await {
                None => break,
                Some(Ok((place, played, took))) => {
                    let outcome = &mut report.outcomes[place];
                    outcome.failures = played.failures;
                    outcome.notes = played.notes;
                    outcome.took = took;
                }
                // Its outcome already says so.
                Some(Err(error)) => tracing::error!(%error, "a scenario was given up"),
            }
        }
        tokio::fs::remove_dir_all(&self.scratch).await.ok();
        Ok(report)
    }

    fn setup(&self, project: &Arc<Project>, name: &str, now: Timestamp) -> play::PlaySetup {
        play::PlaySetup {
            engine: self.engine.clone(),
            project: Arc::clone(project),
            scratch: self.scratch.join(name),
            step_time: self.step_time,
            now,
        }
    }
}

/// A report with an entry for every selected scenario, and the scenarios to run.
fn plan(
    project: &Project,
    options: &RunOptions,
) -> Result<(ScenarioReport, Vec<(usize, file::Scenario)>), NoScenarioError> {
    let filter = options.filter.as_deref().unwrap_or_default().to_lowercase();
    let is_wanted = |name: &str| name.to_lowercase().contains(&filter);
    let mut report = ScenarioReport::of(project.manifest.slug.as_str(), options.filter.clone());
    let mut scenarios = Vec::new();
    let mut others = Vec::new();
    for (file, text) in &project.tests {
        let text = text.as_ref().map_err(Clone::clone);
        match text.and_then(|text| file::read(text)) {
            // It may contain a selected scenario.
            Err(why) => report.outcomes.push(ScenarioOutcome::unreadable(file, why)),
            Ok(found) => {
                for (line, scenario) in found {
                    let scenario = match scenario {
                        Ok(scenario) => scenario,
                        Err(bad) => {
                            // A scenario without a name may be a selected one.
                            let name = bad.name.as_deref();
                            match name.is_none_or(|name| is_wanted(name) || is_wanted(file)) {
                                true => {
                                    let number = format!("scenario {}", bad.number);
                                    let name = bad.name.unwrap_or(number);
                                    report.outcomes.push(ScenarioOutcome::unreadable_scenario(
                                        file, &name, line, bad.why,
                                    ));
                                }
                                false => others.extend(bad.name),
                            }
                            continue;
                        }
                    };
                    if !is_wanted(&scenario.name) && !is_wanted(file) {
                        others.push(scenario.name);
                        continue;
                    }
                    scenarios.push((report.outcomes.len(), scenario));
                    let name = &scenarios[scenarios.len() - 1].1.name;
                    report
                        .outcomes
                        .push(ScenarioOutcome::planned(file, name, line));
                }
            }
        }
    }
    report.left_out = others.len();
    if report.outcomes.is_empty() {
        return Err(match others.is_empty() {
            true => NoScenarioError::Empty,
            false => NoScenarioError::Filtered {
                filter: options.filter.clone().unwrap_or_default(),
                there_are: there_are(&others),
            },
        });
    }
    Ok((report, scenarios))
}

fn there_are(names: &[String]) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(SHOWN_NAMES)
        .map(|name| format!("{name:?}"))
        .collect();
    let more = match names.len().saturating_sub(SHOWN_NAMES) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    format!("there are {}{more}", shown.join(", "))
}
