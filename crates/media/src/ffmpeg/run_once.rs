//! Runs ffmpeg once, to its end, and takes what it writes.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use bytes::Bytes;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};

use super::{ProcessGuard, ProcessLimits, shown};

/// What is read of its complaints; the rest is not taken.
const MAX_COMPLAINT_BYTES: usize = 4096;

/// What is taken of an output.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Capture {
    Nothing,
    /// This many bytes; the rest is not read.
    Beginning(usize),
    /// All of it; more bytes than these are an error.
    Whole(usize),
}

impl Capture {
    /// Of the error output: enough for the log.
    pub(crate) const COMPLAINT: Self = Self::Beginning(MAX_COMPLAINT_BYTES);

    fn stdio(self) -> Stdio {
        match self {
            Self::Nothing => Stdio::null(),
            Self::Beginning(_) | Self::Whole(_) => Stdio::piped(),
        }
    }
}

/// One run of ffmpeg.
#[derive(Debug)]
pub(crate) struct FfmpegRun<'a> {
    /// From [`super::command`], with its arguments.
    pub(crate) command: Command,
    pub(crate) limits: ProcessLimits,
    /// After this time it is killed, with everything it has started.
    pub(crate) deadline: Duration,
    /// What it is given to read; it need not read to the end.
    pub(crate) input: &'a [Bytes],
    pub(crate) stdout: Capture,
    pub(crate) stderr: Capture,
}

/// Why a run has no result.
#[derive(Debug, Error)]
pub(crate) enum RunError {
    #[error(
        "it cannot be started ({0}); install ffmpeg, or say where it is with the setting ffmpeg_path"
    )]
    Start(io::Error),
    #[error("it did not finish within {0:?}")]
    Slow(Duration),
    #[error("it wrote more than {0} bytes")]
    Heavy(usize),
    /// Its status, and its error output for people.
    #[error("it gave up with {0}: {1}")]
    GaveUp(ExitStatus, String),
    #[error("it cannot be talked with: {0}")]
    Pipe(io::Error),
}

/// Runs it, and returns what it wrote to its standard output if it succeeded.
pub(crate) async fn run_once(run: FfmpegRun<'_>) -> Result<Vec<u8>, RunError> {
    let FfmpegRun {
        mut command,
        limits,
        deadline,
        input,
        stdout,
        stderr,
    } = run;
    let stdin = match input {
        [] => Stdio::null(),
        _ => Stdio::piped(),
    };
    command
        .stdin(stdin)
        .stdout(stdout.stdio())
        .stderr(stderr.stdio());
    let mut child = command.spawn().map_err(RunError::Start)?;
    let guard = ProcessGuard::on(&child, limits);
    let talk = tokio::time::timeout(deadline, talk(&mut child, input, stdout, stderr)).await;
    match talk.unwrap_or(Err(RunError::Slow(deadline))) {
        Ok(exit) => {
            guard.disarm();
            exit.result()
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
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl FfmpegExit {
    fn result(self) -> Result<Vec<u8>, RunError> {
        if self.status.success() {
            return Ok(self.stdout);
        }
        Err(RunError::GaveUp(self.status, shown(&self.stderr)))
    }
}

/// Reads and writes concurrently: otherwise each side could wait for the other.
async fn talk(
    child: &mut Child,
    input: &[Bytes],
    stdout: Capture,
    stderr: Capture,
) -> Result<FfmpegExit, RunError> {
    let feeding = feed(child.stdin.take(), input);
    let reading = take(child.stdout.take(), stdout);
    let listening = take(child.stderr.take(), stderr);
    let ((), stdout, stderr) = tokio::try_join!(feeding, reading, listening)?;
    let status = child.wait().await.map_err(RunError::Pipe)?;
    Ok(FfmpegExit {
        status,
        stdout,
        stderr,
    })
}

async fn feed(stdin: Option<ChildStdin>, input: &[Bytes]) -> Result<(), RunError> {
    let Some(mut stdin) = stdin else {
        return Ok(());
    };
    for piece in input {
        if stdin.write_all(piece).await.is_err() {
            break;
        }
    }
    Ok(())
}

async fn take(pipe: Option<impl AsyncRead + Unpin>, capture: Capture) -> Result<Vec<u8>, RunError> {
    let mut bytes = Vec::new();
    let most = match capture {
        Capture::Nothing => 0,
        Capture::Beginning(most) => most,
        // One more shows that there is more.
        Capture::Whole(most) => most + 1,
    };
    if let Some(pipe) = pipe {
        let read = pipe.take(most as u64).read_to_end(&mut bytes).await;
        read.map_err(RunError::Pipe)?;
    }
    match capture {
        Capture::Whole(most) if bytes.len() > most => Err(RunError::Heavy(most)),
        _ => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of the shell, which takes the place of ffmpeg.
    async fn shell(script: &str, stdout: Capture) -> Result<Vec<u8>, RunError> {
        let mut command = crate::ffmpeg::command("/bin/sh");
        command.args(["-c", script]);
        run_once(FfmpegRun {
            command,
            limits: ProcessLimits {
                niceness: 10,
                cpu_seconds: None,
                memory_bytes: 1 << 30,
            },
            deadline: Duration::from_secs(20),
            input: &[Bytes::from_static(b"one, "), Bytes::from_static(b"two")],
            stdout,
            stderr: Capture::COMPLAINT,
        })
        .await
    }

    #[tokio::test]
    async fn what_it_is_given_and_what_it_writes_arrive_whole() {
        let whole = shell("cat", Capture::Whole(8)).await.unwrap();
        assert_eq!(whole, b"one, two");
        assert_eq!(shell("cat", Capture::Nothing).await.unwrap(), b"");
        // It need not read anything.
        assert_eq!(shell("true", Capture::Whole(8)).await.unwrap(), b"");
    }

    #[tokio::test]
    async fn more_than_is_wanted_is_left_or_an_error() {
        let script = "echo 'one, two'";
        let beginning = shell(script, Capture::Beginning(3)).await.unwrap();
        assert_eq!(beginning, b"one");
        let failure = shell("cat", Capture::Whole(7)).await.unwrap_err();
        assert!(matches!(failure, RunError::Heavy(7)), "{failure}");
    }

    #[tokio::test]
    async fn a_failure_says_what_it_said() {
        let script = "echo nothing; echo no such codec >&2; exit 3";
        let failure = shell(script, Capture::Whole(8)).await.unwrap_err();
        let RunError::GaveUp(status, complaint) = failure else {
            panic!("{failure}");
        };
        assert_eq!(
            (status.code(), complaint.as_str()),
            (Some(3), "no such codec")
        );
    }
}
