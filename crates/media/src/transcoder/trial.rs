//! Tries whether an encoder works on this machine: it encodes a second of a test picture, or fails with a reason.
//!
//! An encoder that ffmpeg lists may still lack its card or driver; only a trial shows whether it works.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use thiserror::Error;

use super::arguments::probe;
use super::encoder::Encoder;
use crate::ffmpeg::{self, ProcessGuard, ProcessLimits};

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

/// Tries an encoder with the ffmpeg at `path`, or with the system's if that is empty.
///
/// # Errors
/// With a reason for people, if it cannot be used.
pub async fn trial(path: &str, encoder: Encoder, limit: Duration) -> Result<(), TrialError> {
    let mut command = ffmpeg::command(path);
    command
        .args(probe(encoder))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(TrialError::Start)?;
    let guard = ProcessGuard::on(&child, BOUNDS);
    let stderr = child.stderr.take();
    let talk = async {
        let complaint = match stderr {
            Some(stderr) => ffmpeg::complaint(stderr).await.unwrap_or_default(),
            None => Vec::new(),
        };
        let status = child.wait().await;
        status.map(|status| (status, complaint))
    };
    let ended = tokio::time::timeout(limit, talk).await;
    match ended {
        Ok(Ok((status, complaint))) => {
            guard.disarm();
            if status.success() {
                return Ok(());
            }
            Err(TrialError::Failed(status, ffmpeg::shown(&complaint)))
        }
        Ok(Err(error)) => {
            guard.end(&mut child).await;
            Err(TrialError::Start(error))
        }
        Err(_) => {
            guard.end(&mut child).await;
            Err(TrialError::Slow(limit))
        }
    }
}
