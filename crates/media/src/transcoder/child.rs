//! An ffmpeg process that runs as long as the stream, with a pipe for its input and one for each output.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use command_fds::{CommandFdExt, FdMapping};
use media_formats::flv::{FileTag, FlvError, PipeReader};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStderr, ChildStdin};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};

use super::arguments::FIRST_PIPE;
use super::feed::Feed;
use crate::ffmpeg::{self, ProcessGuard, ProcessLimits};

/// How far behind us the encoder stands: passing the source through comes first.
const NICENESS: i32 = 10;
/// Limit (operators): memory of the encoder (ffmpeg); beyond it the encoder fails and is restarted. A few rungs of 4K
/// fit, and drivers of graphics cards want gigabytes.
const MAX_MEMORY_BYTES: u64 = 4 << 30;
/// Tags of the encoder that wait to be looked at; then its pipes fill up and it waits.
const MAX_TAGS: usize = 16;
/// What is read of an output at once.
const PIECE_BYTES: usize = 64 << 10;
/// How long last words are waited for after the end.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The newest bytes of the encoder's complaints that are kept.
const MAX_COMPLAINT_BYTES: usize = 2048;

static BOUNDS: ProcessLimits = ProcessLimits {
    niceness: NICENESS,
    // It runs as long as the stream does.
    cpu_seconds: None,
    memory_bytes: MAX_MEMORY_BYTES,
};

/// An event of the process.
#[derive(Debug)]
pub(super) enum FfmpegEvent {
    /// It read some of its input.
    InputWritten,
    /// It wrote a tag to an output.
    Tag(usize, Result<FileTag, FlvError>),
    /// It exited by itself; its error output.
    Exited(String),
}

/// A running ffmpeg process.
#[derive(Debug)]
pub(super) struct FfmpegProcess {
    child: Child,
    guard: Option<ProcessGuard>,
    stdin: Option<ChildStdin>,
    /// The piece being written.
    piece: Bytes,
    tags: mpsc::Receiver<(usize, Result<FileTag, FlvError>)>,
    complaint: JoinHandle<Vec<u8>>,
    /// Ended together with this struct.
    _readers: JoinSet<()>,
}

impl FfmpegProcess {
    /// Starts the process with one output for each of `most_bytes`, the maximum tag sizes.
    pub(super) fn start(path: &str, words: &[String], most_bytes: &[usize]) -> io::Result<Self> {
        let outputs = most_bytes.len();
        let mut command = ffmpeg::command(path);
        command
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut pipes = Vec::with_capacity(outputs);
        let mut mappings = Vec::with_capacity(outputs);
        for place in 0..outputs {
            let (reader, writer) = io::pipe()?;
            let child_fd = i32::try_from(FIRST_PIPE + place).map_err(io::Error::other)?;
            mappings.push(FdMapping {
                parent_fd: OwnedFd::from(writer),
                child_fd,
            });
            pipes.push(pipe::Receiver::from_owned_fd(OwnedFd::from(reader))?);
        }
        command.fd_mappings(mappings).map_err(io::Error::other)?;
        let mut child = command.spawn()?;
        let guard = ProcessGuard::on(&child, BOUNDS);
        // This drops our copies of the pipe ends that the child writes to.
        drop(command);
        let (sender, tags) = mpsc::channel(MAX_TAGS);
        let mut readers = JoinSet::new();
        for (place, (pipe, most)) in pipes.into_iter().zip(most_bytes).enumerate() {
            let reader = PipeReader::up_to(*most);
            readers.spawn(read(place, pipe, reader, sender.clone()));
        }
        Ok(Self {
            stdin: child.stdin.take(),
            complaint: tokio::spawn(listen(child.stderr.take())),
            child,
            guard: Some(guard),
            piece: Bytes::new(),
            tags,
            _readers: readers,
        })
    }

    /// Waits for the next event; cancel-safe.
    pub(super) async fn next(&mut self, feed: &mut Feed) -> FfmpegEvent {
        if self.piece.is_empty() {
            self.piece = feed.next_piece().unwrap_or_default();
        }
        let has_food = !self.piece.is_empty();
        let (stdin, piece) = (&mut self.stdin, &mut self.piece);
        let eat = async {
            match stdin {
                Some(pipe) if has_food => pipe.write_buf(piece).await,
                Some(_) | None => std::future::pending().await,
            }
        };
        tokio::select! {
            // Output written before the exit is read before the exit is reported.
            biased;
            Some((output, tag)) = self.tags.recv() => FfmpegEvent::Tag(output, tag),
            ate = eat => {
                if ate.is_err() {
                    // The process closes its input as it exits, which is reported next.
                    self.stdin = None;
                }
                FfmpegEvent::InputWritten
            }
            status = self.child.wait() => {
                if let Some(guard) = self.guard.take() {
                    guard.disarm();
                }
                // Processes it has started may keep its error pipe open without writing to it.
                let said = tokio::time::timeout(LAST_WORDS, &mut self.complaint).await;
                let shown = ffmpeg::shown(&said.ok().and_then(Result::ok).unwrap_or_default());
                FfmpegEvent::Exited(match status {
                    Ok(status) if shown.is_empty() => status.to_string(),
                    Ok(status) => format!("{status}: {shown}"),
                    Err(error) => error.to_string(),
                })
            }
        }
    }

    /// Kills the process with everything it has started, and waits until it is gone.
    pub(super) async fn end(mut self) {
        self.complaint.abort();
        if let Some(guard) = self.guard.take() {
            guard.end(&mut self.child).await;
        }
    }
}

/// Reads an output until it ends or is malformed.
async fn read(
    place: usize,
    mut pipe: pipe::Receiver,
    mut reader: PipeReader,
    tags: mpsc::Sender<(usize, Result<FileTag, FlvError>)>,
) {
    let mut input = BytesMut::new();
    loop {
        input.reserve(PIECE_BYTES);
        if !matches!(pipe.read_buf(&mut input).await, Ok(1..)) {
            return;
        }
        loop {
            let tag = match reader.decode(&mut input) {
                Ok(None) => break,
                Ok(Some(tag)) => Ok(tag),
                Err(error) => Err(error),
            };
            let is_over = tag.is_err();
            if tags.send((place, tag)).await.is_err() || is_over {
                return;
            }
        }
    }
}

/// Keeps the newest error output, and drains the pipe so that the process never blocks on it.
async fn listen(stderr: Option<ChildStderr>) -> Vec<u8> {
    let mut kept = Vec::new();
    let Some(mut stderr) = stderr else {
        return kept;
    };
    let mut piece = [0; 512];
    while let Ok(length @ 1..) = stderr.read(&mut piece).await {
        kept.extend_from_slice(&piece[..length]);
        let excess = kept.len().saturating_sub(MAX_COMPLAINT_BYTES);
        kept.drain(..excess);
    }
    kept
}
