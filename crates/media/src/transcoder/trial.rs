//! Whether an encoder works on this machine: it encodes a second of a test picture, or says why it cannot.
//!
//! That ffmpeg knows an encoder says nothing about the card or the driver behind it; only trying does.

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
    /// There is no ffmpeg to try it with.
    #[error(
        "ffmpeg cannot be started ({0}); install it, or say where it is with the setting ffmpeg_path"
    )]
    Start(io::Error),
    /// It does not work here; ffmpeg's own words.
    #[error("it does not work here ({0}): {1}")]
    Failed(ExitStatus, String),
    /// It took too long to be of any use.
    #[error("it did not encode one second of a test picture within {0:?}")]
    Slow(Duration),
}

/// Tries an encoder with the ffmpeg at `path`, or with the one of the system where that is empty.
///
/// # Errors
/// With the reason for people, when it cannot be used.
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
