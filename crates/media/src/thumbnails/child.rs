//! Runs ffmpeg once and collects its output. See `ffmpeg.rs` for its limits.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use bytes::Bytes;
use thiserror::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::ffmpeg::{self, ProcessGuard, ProcessLimits};

/// How far behind everything else it stands: last.
const NICENESS: i32 = 19;
/// Seconds of processor time for one picture; the system ends what takes more.
const MAX_CPU_SECONDS: u64 = 10;
/// Bytes it may have as its own; a few frames of 8K fit.
const MAX_MEMORY_BYTES: u64 = 1 << 30;

static BOUNDS: ProcessLimits = ProcessLimits {
    niceness: NICENESS,
    cpu_seconds: Some(MAX_CPU_SECONDS),
    memory_bytes: MAX_MEMORY_BYTES,
};

/// Why there is no picture.
#[derive(Debug, Error)]
pub(super) enum ThumbnailError {
    #[error(
        "it cannot be started ({0}); install ffmpeg, or say where it is with the setting ffmpeg_path"
    )]
    Start(io::Error),
    #[error("it did not finish within {0:?}")]
    Slow(Duration),
    #[error("it wrote more than {0} bytes")]
    Heavy(usize),
    #[error("it gave up with {0}: {1}")]
    GaveUp(ExitStatus, String),
    #[error("what it wrote is no picture")]
    NoPicture,
    #[error("it cannot be talked with: {0}")]
    Pipe(io::Error),
}

/// Feeds `input` to the program and returns its output, if it succeeds within `limit` and with at most `most`
/// bytes.
pub(super) async fn run(
    mut command: Command,
    input: &[Bytes],
    most: usize,
    limit: Duration,
) -> Result<Bytes, ThumbnailError> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(ThumbnailError::Start)?;
    let guard = ProcessGuard::on(&child, BOUNDS);
    let talk = tokio::time::timeout(limit, talk(&mut child, input, most)).await;
    match talk.unwrap_or(Err(ThumbnailError::Slow(limit))) {
        Ok(ended) => {
            guard.disarm();
            ended.picture()
        }
        Err(failure) => {
            guard.end(&mut child).await;
            Err(failure)
        }
    }
}

/// A program that exited by itself.
struct FfmpegExit {
    status: ExitStatus,
    wrote: Vec<u8>,
    complaint: Vec<u8>,
}

impl FfmpegExit {
    fn picture(self) -> Result<Bytes, ThumbnailError> {
        if self.status.success() {
            return Ok(self.wrote.into());
        }
        let shown = ffmpeg::shown(&self.complaint);
        Err(ThumbnailError::GaveUp(self.status, shown))
    }
}

/// Reads and writes concurrently: otherwise each side could wait for the other.
async fn talk(
    child: &mut Child,
    input: &[Bytes],
    most: usize,
) -> Result<FfmpegExit, ThumbnailError> {
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(ThumbnailError::Pipe(io::ErrorKind::BrokenPipe.into()));
    };
    let listen = async {
        ffmpeg::complaint(stderr)
            .await
            .map_err(ThumbnailError::Pipe)
    };
    let ((), wrote, complaint) = tokio::try_join!(feed(stdin, input), take(stdout, most), listen)?;
    let status = child.wait().await.map_err(ThumbnailError::Pipe)?;
    Ok(FfmpegExit {
        status,
        wrote,
        complaint,
    })
}

/// The program need not read to the end.
async fn feed(mut stdin: ChildStdin, input: &[Bytes]) -> Result<(), ThumbnailError> {
    for piece in input {
        if stdin.write_all(piece).await.is_err() {
            break;
        }
    }
    Ok(())
}

async fn take(stdout: ChildStdout, most: usize) -> Result<Vec<u8>, ThumbnailError> {
    let mut bytes = Vec::new();
    let mut bounded = stdout.take(most as u64 + 1);
    let read = bounded.read_to_end(&mut bytes).await;
    read.map_err(ThumbnailError::Pipe)?;
    if bytes.len() > most {
        return Err(ThumbnailError::Heavy(most));
    }
    Ok(bytes)
}
