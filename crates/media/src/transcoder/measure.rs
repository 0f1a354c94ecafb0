//! Measures what this machine can afford before anybody broadcasts: it encodes qualities from a test picture, and
//! the time that takes shows how fast the machine is.
//!
//! A test picture is easier than a camera's and is not decoded, so leave some margin when reading the number.

use std::io;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::Clock;
use model::sentence::Sentence;
use thiserror::Error;

use super::arguments::measurement;
use super::encoder::Encoder;
use super::plan::{LadderPlan, LadderSource};
use super::sentences;
use super::trial::{TrialError, trial};
use crate::ffmpeg::{self, Capture, FfmpegRun, ProcessLimits, RunError, run_once};

/// Seconds of a test picture that are encoded to measure a machine.
const MEASURED_SECONDS: u32 = 3;
/// How long that may take; who needs longer is far too slow anyway.
const MEASURING: Duration = Duration::from_secs(15);
/// How long an encoder may take for the second it is tried with.
const TRYING: Duration = Duration::from_secs(10);
/// How long ffmpeg may take to say which one it is.
const ASKING: Duration = Duration::from_secs(5);
/// How far behind us an ffmpeg that is measured stands.
const NICENESS: i32 = 10;
/// Seconds of processor time for a measurement, of all processors together; the time on the wall ends it before.
const MAX_CPU_SECONDS: u64 = 600;
/// Bytes an ffmpeg that is measured may have as its own; drivers of graphics cards want gigabytes.
const MAX_MEMORY_BYTES: u64 = 4 << 30;
/// What is read of the words in which ffmpeg says which one it is.
const MAX_VERSION_BYTES: usize = 4096;
/// What is shown of them.
const MAX_VERSION_CHARS: usize = 60;

static BOUNDS: ProcessLimits = ProcessLimits {
    niceness: NICENESS,
    cpu_seconds: Some(MAX_CPU_SECONDS),
    memory_bytes: MAX_MEMORY_BYTES,
};

/// Why a measurement failed.
#[derive(Debug, Error)]
pub enum MeasureError {
    #[error(
        "ffmpeg cannot be started ({0}); install it, or say where it is with the setting ffmpeg_path"
    )]
    Start(io::Error),
    /// ffmpeg failed; its error output.
    #[error("ffmpeg cannot encode these qualities here ({0}): {1}")]
    Failed(ExitStatus, String),
    /// The measurement took too long.
    #[error(
        "this machine did not encode {MEASURED_SECONDS} seconds within {0:?}, which is far too slow: \
         remove a quality, or lower its size, frame rate or CPU level"
    )]
    Slow(Duration),
    /// Two at once would distort each other.
    #[error("another measurement is running; wait until it is done")]
    Busy,
    #[error("nothing has to be encoded, so nothing has to be measured")]
    Nothing,
}

impl From<RunError> for MeasureError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Start(error) | RunError::Pipe(error) => Self::Start(error),
            RunError::Slow(limit) => Self::Slow(limit),
            RunError::GaveUp(status, complaint) => Self::Failed(status, complaint),
            // Nothing of what it writes is taken.
            heavy @ RunError::Heavy(_) => Self::Start(io::Error::other(heavy)),
        }
    }
}

impl MeasureError {
    /// The same for pages, which say it in their language; `None` for what is no failure of the machine.
    pub fn sentence(&self) -> Option<Sentence> {
        match self {
            Self::Start(why) => Some(sentences::NOT_STARTED.with([why.to_string().into()])),
            Self::Failed(_, complaint) => {
                Some(sentences::NOT_MEASURED.with([complaint.as_str().into()]))
            }
            Self::Slow(limit) => {
                let numbers = [u64::from(MEASURED_SECONDS).into(), limit.as_secs().into()];
                Some(sentences::MEASURED_SLOW.with(numbers))
            }
            Self::Busy | Self::Nothing => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrialOutcome {
    /// It encoded a test picture.
    Works,
    /// It failed.
    Refused {
        /// In English, with what ffmpeg complained about.
        reason: String,
        /// For pages.
        sentence: Sentence,
    },
    Untried,
}

impl From<TrialError> for TrialOutcome {
    fn from(error: TrialError) -> Self {
        Self::Refused {
            reason: error.to_string(),
            sentence: error.sentence(),
        }
    }
}

/// An encoder and its trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncoderTrial {
    pub encoder: Encoder,
    pub outcome: TrialOutcome,
}

/// Which encoders a request may try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialPolicy {
    /// None: a trial would take CPU time from a stream.
    Known,
    /// Those without a known outcome.
    Missing,
    /// All, for an operator who has changed the machine.
    Again,
}

/// An ffmpeg and its encoders.
#[derive(Debug)]
pub struct FfmpegInfo {
    /// Its version text, or why there is none.
    pub version: Result<String, String>,
    pub encoders: Vec<EncoderTrial>,
}

#[derive(Debug, Default)]
struct TrialResults {
    /// The program that was used for the trials.
    path: String,
    tried: Vec<EncoderTrial>,
}

/// Measures this machine, one request at a time. Trial outcomes are cached until the process ends; speeds are
/// not, because callers want the current one.
#[derive(Debug)]
pub struct Measurements {
    clock: Arc<dyn Clock>,
    known: Mutex<TrialResults>,
    turn: tokio::sync::Mutex<()>,
}

impl Measurements {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            known: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// The version of the ffmpeg at `path`, or of the system's if that is empty, and which encoders work with it. They
    /// are tried one after another, and each outcome is cached, so that a caller that gives up in between finds it
    /// later.
    pub async fn encoders(&self, path: &str, trials: TrialPolicy) -> FfmpegInfo {
        let _turn = self.turn.lock().await;
        let version = version(path).await;
        self.keep_for(path, trials);
        let mut encoders = Vec::new();
        for encoder in Encoder::ALL {
            let outcome = match self.outcome(encoder) {
                TrialOutcome::Untried if trials != TrialPolicy::Known => {
                    self.try_out(path, encoder).await
                }
                known => known,
            };
            encoders.push(EncoderTrial { encoder, outcome });
        }
        FfmpegInfo { version, encoders }
    }

    /// Forgets outcomes of another program, or those that are to be tried again.
    fn keep_for(&self, path: &str, trials: TrialPolicy) {
        let mut known = self.known();
        if known.path != path || trials == TrialPolicy::Again {
            known.tried.clear();
            path.clone_into(&mut known.path);
        }
    }

    fn outcome(&self, encoder: Encoder) -> TrialOutcome {
        let known = self.known();
        let tried = known.tried.iter().find(|one| one.encoder == encoder);
        tried.map_or(TrialOutcome::Untried, |one| one.outcome.clone())
    }

    async fn try_out(&self, path: &str, encoder: Encoder) -> TrialOutcome {
        let outcome = match trial(path, encoder, TRYING).await {
            Ok(()) => TrialOutcome::Works,
            // After installing ffmpeg, the operator sees it at once.
            Err(missing @ TrialError::Start(_)) => {
                return missing.into();
            }
            Err(refusal) => refusal.into(),
        };
        self.known().tried.push(EncoderTrial {
            encoder,
            outcome: outcome.clone(),
        });
        outcome
    }

    /// Encoders known to work with the ffmpeg at `path`, without new trials: the one that works everywhere, and
    /// those that have passed their trial.
    pub fn usable(&self, path: &str) -> Vec<Encoder> {
        let known = self.known();
        let tried = known.tried.iter().filter(|_| known.path == path);
        let passed = tried
            .filter(|one| one.outcome == TrialOutcome::Works && one.encoder != Encoder::X264)
            .map(|one| one.encoder);
        std::iter::once(Encoder::X264).chain(passed).collect()
    }

    /// The encoding speed for a plan on this machine: seconds of stream per hundred seconds. At 100 it keeps up.
    ///
    /// # Errors
    /// With a reason for people, if it cannot be measured.
    pub async fn speed(
        &self,
        path: &str,
        encoder: Encoder,
        plan: &LadderPlan,
        source: &LadderSource,
    ) -> Result<u32, MeasureError> {
        if plan.is_empty() {
            return Err(MeasureError::Nothing);
        }
        let _turn = self.turn.try_lock().map_err(|_| MeasureError::Busy)?;
        let words = measurement(plan, encoder, source, MEASURED_SECONDS);
        let began = self.clock.uptime();
        encode(path, &words).await?;
        let took = self.clock.uptime().saturating_sub(began);
        Ok(percent_of(took))
    }

    fn known(&self) -> std::sync::MutexGuard<'_, TrialResults> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn percent_of(took: Duration) -> u32 {
    let took_ms = took.as_millis().max(1);
    let percent = u128::from(MEASURED_SECONDS) * 1000 * 100 / took_ms;
    u32::try_from(percent).unwrap_or(u32::MAX)
}

async fn encode(path: &str, words: &[String]) -> Result<(), MeasureError> {
    let mut command = ffmpeg::command(path);
    command.args(words);
    run_once(FfmpegRun {
        command,
        limits: BOUNDS,
        deadline: MEASURING,
        input: &[],
        stdout: Capture::Nothing,
        stderr: Capture::COMPLAINT,
    })
    .await?;
    Ok(())
}

/// The version text of the ffmpeg at `path`, or of the system's if that is empty.
///
/// # Errors
/// With a reason for people, if there is no usable ffmpeg.
pub async fn version(path: &str) -> Result<String, String> {
    let mut command = ffmpeg::command(path);
    command.arg("-version");
    let said = run_once(FfmpegRun {
        command,
        limits: BOUNDS,
        deadline: ASKING,
        input: &[],
        stdout: Capture::Beginning(MAX_VERSION_BYTES),
        stderr: Capture::Nothing,
    });
    let bytes = said.await.map_err(|error| match error {
        RunError::Start(error) | RunError::Pipe(error) => error.to_string(),
        RunError::Slow(limit) => format!("it did not respond within {limit:?}"),
        RunError::GaveUp(status, _) => format!("it gave up ({status})"),
        heavy @ RunError::Heavy(_) => heavy.to_string(),
    })?;
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or(&[]);
    let first = ffmpeg::shown(first);
    // The copyright holder does not help to identify the version.
    let which = first.split(" Copyright").next().unwrap_or_default();
    Ok(which.chars().take(MAX_VERSION_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_percent_keep_up() {
        let whole = u64::from(MEASURED_SECONDS);
        assert_eq!(percent_of(Duration::from_secs(whole)), 100);
        assert_eq!(percent_of(Duration::from_secs(whole * 2)), 50);
        assert_eq!(percent_of(Duration::from_millis(whole * 250)), 400);
        assert!(percent_of(Duration::ZERO) > 100_000);
    }
}
