//! Runs ffmpeg once, on a leash.
//!
//! What it decodes was made by whoever has a stream key. The container around it is ours, so the decoder alone is
//! exposed. It is handed no environment and no open file, and has bounded time, memory and output and the lowest
//! priority there is; it ends with whoever asked for it. It is the same user of the system that we are, though: a
//! decoder that somebody takes over can do what that user can.

use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use bytes::Bytes;
use rustix::process::{Pid, Signal, kill_process_group, setpriority_process};
use thiserror::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// Where ffmpeg is looked for, unless the operator says where it is.
const FOLDERS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// How far behind everything else it stands: last.
const NICENESS: i32 = 19;
/// Seconds of processor time for one picture; the system ends what takes more.
const MAX_CPU_SECONDS: u64 = 10;
/// Bytes it may have as its own; a few frames of 8K fit.
const MAX_MEMORY_BYTES: u64 = 1 << 30;
/// What is read of its complaints; the rest is not taken.
const MAX_COMPLAINT_BYTES: u64 = 4096;
/// What is shown of them in the log.
const MAX_SHOWN_CHARS: usize = 200;
/// A process that was killed is gone within this, unless the system itself is stuck.
const BURIAL: Duration = Duration::from_secs(1);

/// Why there is no picture.
#[derive(Debug, Error)]
pub(super) enum Failure {
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

/// The program at `path`, or the ffmpeg of the system where that is empty, with nothing of ours around it: no
/// environment, and a group of its own, so that a signal for us is none for it.
pub fn command(path: &str) -> Command {
    let program = match path {
        "" => of_the_system(),
        path => path.into(),
    };
    let mut command = Command::new(program);
    command.env_clear().process_group(0).kill_on_drop(true);
    command
}

/// Found here and not by the one who starts it: that would need our `PATH`.
fn of_the_system() -> PathBuf {
    let mut places = FOLDERS
        .iter()
        .map(|folder| PathBuf::from(folder).join("ffmpeg"));
    places
        .find(|place| place.is_file())
        .unwrap_or_else(|| "/usr/bin/ffmpeg".into())
}

/// Gives `input` to the program and returns what it writes, if it ends well within `limit` and with at most `most`
/// bytes.
pub(super) async fn run(
    mut command: Command,
    input: &[Bytes],
    most: usize,
    limit: Duration,
) -> Result<Bytes, Failure> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(Failure::Start)?;
    let leash = Leash::on(&child);
    let talk = tokio::time::timeout(limit, talk(&mut child, input, most)).await;
    match talk.unwrap_or(Err(Failure::Slow(limit))) {
        Ok(ended) => {
            leash.let_go();
            ended.picture()
        }
        Err(failure) => {
            drop(leash);
            // Otherwise it would stay in the system's list until somebody asks.
            let _ = tokio::time::timeout(BURIAL, child.wait()).await;
            Err(failure)
        }
    }
}

/// A program that has ended by itself.
struct Ended {
    status: ExitStatus,
    wrote: Vec<u8>,
    complaint: Vec<u8>,
}

impl Ended {
    fn picture(self) -> Result<Bytes, Failure> {
        if self.status.success() {
            return Ok(self.wrote.into());
        }
        let complaint = String::from_utf8_lossy(&self.complaint);
        let plain = complaint
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c });
        let shown: String = plain.take(MAX_SHOWN_CHARS).collect();
        Err(Failure::GaveUp(self.status, shown.trim().to_owned()))
    }
}

/// Reading and writing go on at the same time: each side could wait for the other.
async fn talk(child: &mut Child, input: &[Bytes], most: usize) -> Result<Ended, Failure> {
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(Failure::Pipe(io::ErrorKind::BrokenPipe.into()));
    };
    let ((), wrote, complaint) =
        tokio::try_join!(feed(stdin, input), take(stdout, most), listen(stderr))?;
    let status = child.wait().await.map_err(Failure::Pipe)?;
    Ok(Ended {
        status,
        wrote,
        complaint,
    })
}

/// It need not read to the end.
async fn feed(mut stdin: ChildStdin, input: &[Bytes]) -> Result<(), Failure> {
    for piece in input {
        if stdin.write_all(piece).await.is_err() {
            break;
        }
    }
    Ok(())
}

async fn take(stdout: ChildStdout, most: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut bounded = stdout.take(most as u64 + 1);
    let read = bounded.read_to_end(&mut bytes).await;
    read.map_err(Failure::Pipe)?;
    if bytes.len() > most {
        return Err(Failure::Heavy(most));
    }
    Ok(bytes)
}

async fn listen(stderr: ChildStderr) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut bounded = stderr.take(MAX_COMPLAINT_BYTES);
    let read = bounded.read_to_end(&mut bytes).await;
    read.map_err(Failure::Pipe)?;
    Ok(bytes)
}

/// Holds a child, and ends it with everything it has started unless it is let go.
///
/// It must be let go once the child was waited for: its number may be somebody else's then.
struct Leash(Option<Pid>);

impl Leash {
    fn on(child: &Child) -> Self {
        let pid = child.id().and_then(|id| i32::try_from(id).ok());
        let pid = pid.and_then(Pid::from_raw);
        if let Some(pid) = pid {
            restrain(pid);
        }
        Self(pid)
    }

    fn let_go(mut self) {
        self.0 = None;
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        if let Some(pid) = self.0 {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

/// From outside and after the start, because in between only unsafe code could; it has been given nothing to decode
/// until then.
fn restrain(pid: Pid) {
    if let Err(error) = setpriority_process(Some(pid), NICENESS) {
        tracing::debug!(%error, "pictures are drawn at our own priority");
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, prlimit};
        for (resource, most) in [
            (Resource::Cpu, MAX_CPU_SECONDS),
            (Resource::Data, MAX_MEMORY_BYTES),
            // It writes to a pipe, and to no file.
            (Resource::Fsize, 0),
            (Resource::Core, 0),
        ] {
            let limit = Rlimit {
                current: Some(most),
                maximum: Some(most),
            };
            if let Err(error) = prlimit(Some(pid), resource, limit) {
                tracing::debug!(%error, ?resource, "pictures are drawn without this limit");
            }
        }
    }
}
