//! How an ffmpeg is found, started, held and ended.
//!
//! What it decodes was made by whoever has a stream key. The container around it is ours, so the decoder alone is
//! exposed. It is handed no environment and no open file (ours are closed for children when they are opened, and those
//! that we were started with are when we start), has bounded memory and a lower priority than we have, writes
//! to no file, and ends with whoever asked for it. It is the same user of the system that we are, though: a decoder
//! that somebody takes over can do what that user can.
//!
//! What it is asked for, and how long it may take, is the business of those who start it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, setpriority_process};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, Command};

/// Where ffmpeg is looked for, unless the operator says where it is.
const FOLDERS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// What is read of its complaints; the rest is not taken.
const MAX_COMPLAINT_BYTES: u64 = 4096;
/// What is shown of them in the log.
const MAX_SHOWN_CHARS: usize = 200;
/// A process that was killed is gone within this, unless the system itself is stuck.
const REAP_TIMEOUT: Duration = Duration::from_secs(1);

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

/// What a child may use of the machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessLimits {
    /// How far behind us it stands; 19 is last.
    pub(crate) niceness: i32,
    /// Seconds of processor time, after which the system ends it; without a number it may run for ever.
    pub(crate) cpu_seconds: Option<u64>,
    /// Bytes it may have as its own.
    pub(crate) memory_bytes: u64,
}

/// Holds a child, and ends it with everything it has started unless it is disarmed.
///
/// It must be disarmed once the child was waited for: its number may be somebody else's then.
#[derive(Debug)]
pub(crate) struct ProcessGuard(Option<Pid>);

impl ProcessGuard {
    pub(crate) fn on(child: &Child, bounds: ProcessLimits) -> Self {
        let pid = child.id().and_then(|id| i32::try_from(id).ok());
        let pid = pid.and_then(Pid::from_raw);
        if let Some(pid) = pid {
            restrain(pid, bounds);
        }
        Self(pid)
    }

    pub(crate) fn disarm(mut self) {
        self.0 = None;
    }

    /// Kills the child, and waits until it is out of the system's list, where it would stay until somebody asks.
    pub(crate) async fn end(self, child: &mut Child) {
        drop(self);
        let _ = tokio::time::timeout(REAP_TIMEOUT, child.wait()).await;
    }
}

impl Drop for ProcessGuard {
    fn drop(&mut self) {
        if let Some(pid) = self.0 {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

/// From outside and after the start, because in between only unsafe code could; it has been given nothing to decode
/// until then.
fn restrain(pid: Pid, bounds: ProcessLimits) {
    if let Err(error) = setpriority_process(Some(pid), bounds.niceness) {
        tracing::debug!(%error, "ffmpeg runs at our own priority");
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, prlimit};
        for (resource, most) in [
            (Resource::Cpu, bounds.cpu_seconds),
            (Resource::Data, Some(bounds.memory_bytes)),
            // It writes to pipes, and to no file.
            (Resource::Fsize, Some(0)),
            (Resource::Core, Some(0)),
        ] {
            if most.is_none() {
                continue;
            }
            let limit = Rlimit {
                current: most,
                maximum: most,
            };
            if let Err(error) = prlimit(Some(pid), resource, limit) {
                tracing::debug!(%error, ?resource, "ffmpeg runs without this limit");
            }
        }
    }
}

/// Reads what it complains of, as far as anybody wants to know.
pub(crate) async fn complaint(stderr: ChildStderr) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut bounded = stderr.take(MAX_COMPLAINT_BYTES);
    bounded.read_to_end(&mut bytes).await?;
    Ok(bytes)
}

/// A complaint as it may stand in the log: short, on one line, and without the addresses in ffmpeg's memory that it puts
/// behind the name of whoever complains.
pub(crate) fn shown(complaint: &[u8]) -> String {
    let complaint = String::from_utf8_lossy(complaint);
    let plain: String = complaint
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let mut pieces = plain.split(" @ 0x");
    let mut shown = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        shown.push_str(piece.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    }
    let shown: String = shown.trim().chars().take(MAX_SHOWN_CHARS).collect();
    shown.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_is_shown_short_and_on_one_line() {
        assert_eq!(shown(b" no such\ncodec\x1b[31m \n"), "no such codec [31m");
        assert_eq!(shown(&[b'a'; 5000]).len(), MAX_SHOWN_CHARS);
        assert_eq!(shown(b"\xff"), "\u{fffd}");
        assert_eq!(
            shown(b"[h264_qsv @ 0x55ea2a181680] no device\n[abc @ 0x0] end @ 0x"),
            "[h264_qsv] no device [abc] end"
        );
    }

    #[test]
    fn the_operators_program_is_taken_before_the_one_of_the_system() {
        let chosen = command("/opt/ffmpeg/bin/ffmpeg");
        assert_eq!(chosen.as_std().get_program(), "/opt/ffmpeg/bin/ffmpeg");
        let found = command("");
        assert!(std::path::Path::new(found.as_std().get_program()).is_absolute());
    }
}
