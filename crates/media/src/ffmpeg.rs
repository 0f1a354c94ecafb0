//! Finds, starts, limits and ends ffmpeg processes.
//!
//! They decode what anybody with a stream key has sent. We write the container ourselves, so only the decoder is
//! exposed. It gets no environment and no open file (ours are opened close-on-exec, and those we inherit are marked so
//! when we start), has limited memory and a lower priority than the server, writes to no file, and ends with its
//! owner. But it runs as the same user as the server: whoever takes over a decoder can do what that user can.
//!
//! What it is asked for, and how long it may take, is up to its callers. `ffmpeg/run_once.rs` is for those who want a
//! result; the encoder that runs as long as the stream is in `transcoder/child.rs`.

mod run_once;

use std::path::PathBuf;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, setpriority_process};
use tokio::process::{Child, Command};

pub(crate) use run_once::{Capture, FfmpegRun, RunError, run_once};

/// Where ffmpeg is looked for, unless the operator says where it is.
const FOLDERS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// What is shown of its complaints in the log.
const MAX_SHOWN_CHARS: usize = 200;
/// A process that was killed is gone within this, unless the system itself is stuck.
const REAP_TIMEOUT: Duration = Duration::from_secs(1);

/// The program at `path`, or the system's ffmpeg if that is empty, isolated from the server: no environment, and a
/// process group of its own, so that our signals do not reach it.
pub fn command(path: &str) -> Command {
    let program = match path {
        "" => of_the_system(),
        path => path.into(),
    };
    let mut command = Command::new(program);
    command.env_clear().process_group(0).kill_on_drop(true);
    command
}

/// Resolved here and not by the spawn call, which would need our `PATH`.
fn of_the_system() -> PathBuf {
    let mut places = FOLDERS
        .iter()
        .map(|folder| PathBuf::from(folder).join("ffmpeg"));
    places
        .find(|place| place.is_file())
        .unwrap_or_else(|| "/usr/bin/ffmpeg".into())
}

/// Limits of a child process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessLimits {
    /// Nice value; 19 is the lowest priority.
    pub(crate) niceness: i32,
    /// CPU seconds after which the kernel ends it; `None` for no limit.
    pub(crate) cpu_seconds: Option<u64>,
    /// Limit of its own memory in bytes.
    pub(crate) memory_bytes: u64,
}

/// Holds a child, and kills it with everything it has started unless it is disarmed.
///
/// It must be disarmed once the child was waited for: its process id may be reused after that.
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

    /// Kills the child and reaps it.
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

/// Applied from outside after the start, because anything earlier needs unsafe code; the process gets no input until
/// then.
fn restrain(pid: Pid, bounds: ProcessLimits) {
    if let Err(error) = setpriority_process(Some(pid), bounds.niceness) {
        tracing::debug!(%error, "cannot lower the priority of ffmpeg");
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, prlimit};
        for (resource, most) in [
            (Resource::Cpu, bounds.cpu_seconds),
            (Resource::Data, Some(bounds.memory_bytes)),
            // It writes to pipes, not to files.
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

/// Error output for the log: short, on one line, and without the memory addresses that ffmpeg puts after component
/// names.
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
