//! `rillcast plugin test`: runs a plugin's scenarios, once or on every change.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use model::Clock;
use plugin_tools::dev_server::FileSnapshot;
use plugin_tools::scenario::{MOST_JOBS, Project, RunOptions, Runner, ScenarioReport};
use tokio::signal::unix::{SignalKind, signal};

use super::NO_PROJECT;
use super::serve::LOOK_EVERY;
use crate::clock::SystemClock;
use crate::commands::backup::with_suffix;
use crate::config::Config;
use crate::plugin_engine;

/// Changed files that are named; of more only the number is told.
const NAMED_FILES: usize = 5;

/// What to run, and where the results go.
#[derive(Debug)]
pub struct TestOptions {
    pub folder: PathBuf,
    /// Run nothing, only load the plugin.
    pub only_load: bool,
    /// Run only scenarios whose name contains this.
    pub filter: Option<String>,
    /// Where to write the results, besides standard output.
    pub junit: Option<PathBuf>,
    /// How many scenarios to run at once.
    pub jobs: Option<NonZeroUsize>,
    /// Run again on every change.
    pub is_watching: bool,
}

/// Runs a project's tests, or only loads the plugin.
pub async fn test_plugin(config: &Config, options: TestOptions) -> anyhow::Result<ExitCode> {
    let seen = look(&options.folder).await;
    let project = match open(&options).await {
        Ok(project) => project,
        Err(why) => {
            eprintln!("rillcast: {why}");
            return Ok(ExitCode::from(NO_PROJECT));
        }
    };
    let engine = plugin_engine::for_author(config)?;
    let scratch = std::env::temp_dir().join(format!("rillcast-plugin-{}", std::process::id()));
    let run = ScenarioRun {
        runner: Runner::new(engine, scratch.clone()),
        clock: SystemClock::new(),
        options,
    };
    if !run.options.is_watching {
        return run.play(&project).await;
    }
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        failed = run.play_again_and_again(project, seen) => failed?,
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    // Work cut short may have left files there.
    fs::remove_dir_all(&scratch).ok();
    Ok(ExitCode::SUCCESS)
}

/// What a run of scenarios needs.
struct ScenarioRun {
    runner: Runner,
    clock: SystemClock,
    options: TestOptions,
}

impl ScenarioRun {
    async fn play(&self, project: &Arc<Project>) -> anyhow::Result<ExitCode> {
        if let Some(remark) = project.remark() {
            eprintln!("warning: {remark}");
        }
        let now = self.clock.now();
        if self.options.only_load {
            return Ok(match self.runner.check_load(project, now).await {
                Ok(warnings) => {
                    for warning in warnings {
                        eprintln!("warning: {warning}");
                    }
                    ExitCode::SUCCESS
                }
                Err(why) => {
                    eprintln!("{why}");
                    ExitCode::FAILURE
                }
            });
        }
        let run_options = RunOptions {
            filter: self.options.filter.clone(),
            jobs: self.options.jobs.unwrap_or_else(processors),
            now,
        };
        let report = match self.runner.run(project, &run_options).await {
            Ok(report) => report,
            Err(nothing) => {
                eprintln!("rillcast: {nothing}");
                return Ok(ExitCode::from(NO_PROJECT));
            }
        };
        for line in report.lines() {
            println!("{line}");
        }
        if let Some(file) = &self.options.junit
            && let Err(error) = write(file, &report)
        {
            // In watch mode the author can fix it and go on.
            if !self.options.is_watching {
                return Err(error);
            }
            eprintln!("rillcast: {error:#}");
        }
        Ok(match report.is_good() {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        })
    }

    /// Runs the scenarios, then again whenever files have changed and settled.
    async fn play_again_and_again(
        &self,
        project: Arc<Project>,
        mut played: FileSnapshot,
    ) -> anyhow::Result<()> {
        let folder = &self.options.folder;
        self.play(&project).await?;
        println!("waiting for changes; Ctrl-C ends this");
        let mut last = played.clone();
        loop {
            self.clock.sleep_until(self.clock.now() + LOOK_EVERY).await;
            let now = look(folder).await;
            let is_resting = now == last;
            last = now;
            if !is_resting || last == played {
                continue;
            }
            println!("\n{}", what_changed(folder, &last.changed_since(&played)));
            played = last.clone();
            match open(&self.options).await {
                Ok(project) => {
                    self.play(&project).await?;
                }
                Err(why) => eprintln!("rillcast: {why}"),
            }
        }
    }
}

/// Reads the project, which blocks for a moment.
async fn open(options: &TestOptions) -> Result<Arc<Project>, String> {
    let (folder, has_tests) = (options.folder.clone(), !options.only_load);
    let opened = tokio::task::spawn_blocking(move || Project::open(&folder, has_tests)).await;
    let opened = opened.map_err(|error| error.to_string())?;
    opened.map(Arc::new).map_err(|error| error.to_string())
}

async fn look(folder: &Path) -> FileSnapshot {
    let folder = folder.to_owned();
    let looked = tokio::task::spawn_blocking(move || FileSnapshot::with_tests(&folder)).await;
    looked.unwrap_or_default()
}

fn what_changed(folder: &Path, files: &[PathBuf]) -> String {
    let inside = files.iter().take(NAMED_FILES).map(|file| {
        let inside = file.strip_prefix(folder).unwrap_or(file);
        inside.display().to_string()
    });
    let named: Vec<String> = inside.collect();
    let more = match files.len().saturating_sub(NAMED_FILES) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    format!("changed: {}{more}", named.join(", "))
}

fn processors() -> NonZeroUsize {
    let most = NonZeroUsize::new(MOST_JOBS).unwrap_or(NonZeroUsize::MIN);
    std::thread::available_parallelism().map_or(NonZeroUsize::MIN, |count| count.min(most))
}

/// Writes all of it or nothing, so that no reader finds half a file.
fn write(file: &Path, report: &ScenarioReport) -> anyhow::Result<()> {
    let unfinished = with_suffix(file, ".unfinished");
    fs::write(&unfinished, report.junit())
        .and_then(|()| fs::rename(&unfinished, file))
        .with_context(|| format!("cannot write the results to {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_told_in_a_line() {
        let folder = Path::new("bell");
        let files: Vec<PathBuf> = (0..7).map(|n| folder.join(format!("src/{n}.py"))).collect();
        assert_eq!(what_changed(folder, &files[..1]), "changed: src/0.py");
        let said = what_changed(folder, &files);
        assert!(said.ends_with("src/4.py and 2 more"), "{said}");
    }
}
