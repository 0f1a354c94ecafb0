//! Tries whether an encoder works on this machine: it encodes a second of a test picture, or fails with a reason.
//!
//! An encoder that ffmpeg lists may still lack its card or driver; only a trial shows whether it works.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use model::sentence::Sentence;
use thiserror::Error;

use super::arguments::probe;
use super::encoder::Encoder;
use super::sentences;
use crate::ffmpeg::{self, Capture, FfmpegRun, ProcessLimits, RunError, run_once};

/// How far behind us an encoder on trial stands.
const NICENESS: i32 = 10;
/// Seconds of processor time for a trial; the slowest board needs a few.
const MAX_CPU_SECONDS: u64 = 30;
/// Bytes an encoder may have as its own; drivers of graphics cards want gigabytes.
const MAX_MEMORY_BYTES: u64 = 4 << 30;

static BOUNDS: ProcessLimits = ProcessLimits {
    niceness: NICENESS,
    cpu_seconds: Some(MAX_CPU_SECONDS),
    memory_bytes: MAX_MEMORY_BYTES,
};

/// Why an encoder cannot be used.
#[derive(Debug, Error)]
pub enum TrialError {
    #[error(
        "ffmpeg cannot be started ({0}); install it, or say where it is with the setting ffmpeg_path"
    )]
    Start(io::Error),
    /// The trial failed; ffmpeg's error output.
    #[error("it does not work here ({0}): {1}")]
    Failed(ExitStatus, String),
    #[error("it did not encode one second of a test picture within {0:?}")]
    Slow(Duration),
}

impl From<RunError> for TrialError {
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

impl TrialError {
    /// The same for pages, which say it in their language.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Start(why) => sentences::NOT_STARTED.with([why.to_string().into()]),
            Self::Failed(_, complaint) => sentences::REFUSED.with([complaint.as_str().into()]),
            Self::Slow(limit) => sentences::TRIAL_SLOW.with([limit.as_secs().into()]),
        }
    }
}

/// Tries an encoder with the ffmpeg at `path`, or with the system's if that is empty.
///
/// # Errors
/// With a reason for people, if it cannot be used.
pub async fn trial(path: &str, encoder: Encoder, limit: Duration) -> Result<(), TrialError> {
    let mut command = ffmpeg::command(path);
    command.args(probe(encoder));
    run_once(FfmpegRun {
        command,
        limits: BOUNDS,
        deadline: limit,
        input: &[],
        stdout: Capture::Nothing,
        stderr: Capture::COMPLAINT,
    })
    .await?;
    Ok(())
}
