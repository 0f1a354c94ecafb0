//! A plugin's output: split into lines, limited, and passed to a log.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::limits::{LOG_BYTES, LOG_LINE, LOG_LINES};

/// Stands where a line was cut.
const CUT: &str = " […]";

/// Where the lines go.
pub trait LogSink: Send + Sync + Debug {
    /// One line, without its end.
    fn line(&self, kind: OutputKind, text: &str);
}

/// A log that discards everything.
#[derive(Clone, Copy, Debug)]
pub struct SilentLog;

impl LogSink for SilentLog {
    fn line(&self, _kind: OutputKind, _text: &str) {}
}

/// The output stream.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum OutputKind {
    /// `print`.
    Output,
    /// `sys.stderr`, which includes warnings.
    Error,
}

/// Both output streams of one instance, and what they have printed during this call.
#[derive(Clone, Debug)]
pub(super) struct OutputCapture(Arc<Mutex<OutputState>>);

#[derive(Debug)]
struct OutputState {
    log: Arc<dyn LogSink>,
    bytes_left: usize,
    lines_left: usize,
    /// The log was told that output was truncated.
    is_cut: bool,
    /// The log has the host's remark.
    has_remark: bool,
    output: Vec<u8>,
    error: Vec<u8>,
}

impl OutputCapture {
    pub(super) fn new(log: Arc<dyn LogSink>) -> Self {
        Self(Arc::new(Mutex::new(OutputState {
            log,
            bytes_left: LOG_BYTES,
            lines_left: LOG_LINES,
            is_cut: false,
            has_remark: false,
            output: Vec::new(),
            error: Vec::new(),
        })))
    }

    /// A new call starts and may print again.
    pub(super) fn begin(&self) {
        let mut state = self.lock();
        state.bytes_left = LOG_BYTES;
        state.lines_left = LOG_LINES;
        state.is_cut = false;
        state.has_remark = false;
    }

    /// Logs something that the plugin itself may not notice; once per call, whatever the plugin prints.
    pub(super) fn remark(&self, text: &str) {
        let mut state = self.lock();
        if !std::mem::replace(&mut state.has_remark, true) {
            state.log.line(OutputKind::Error, text);
        }
    }

    /// The call is over: logs incomplete lines as they are.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.say(OutputKind::Output);
        state.say(OutputKind::Error);
    }

    /// Handles the next output on one stream.
    pub(super) fn write(&self, kind: OutputKind, bytes: &[u8]) {
        self.lock().write(kind, bytes);
    }

    fn lock(&self) -> MutexGuard<'_, OutputState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OutputState {
    fn write(&mut self, kind: OutputKind, mut bytes: &[u8]) {
        let is_too_much = bytes.len() > self.bytes_left;
        bytes = &bytes[..bytes.len().min(self.bytes_left)];
        self.bytes_left -= bytes.len();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.is_cut {
                return;
            }
            let (text, is_whole) = match piece.strip_suffix(b"\n") {
                Some(text) => (text, true),
                None => (piece, false),
            };
            let line = self.line(kind);
            // Storing one byte more than is shown tells that the line was longer.
            let room = (LOG_LINE + 1).saturating_sub(line.len());
            line.extend_from_slice(&text[..text.len().min(room)]);
            if is_whole {
                self.say(kind);
            }
        }
        if is_too_much {
            self.say(kind);
            self.cut(LOG_BYTES, "bytes");
        }
    }

    fn cut(&mut self, most: usize, what: &str) {
        if !std::mem::replace(&mut self.is_cut, true) {
            let note =
                format!("(it printed more than {most} {what} in one call: the rest is not logged)");
            self.log.line(OutputKind::Error, &note);
        }
    }

    fn say(&mut self, kind: OutputKind) {
        let line = std::mem::take(self.line(kind));
        if line.is_empty() {
            return;
        }
        if self.lines_left == 0 {
            self.cut(LOG_LINES, "lines");
            return;
        }
        self.lines_left -= 1;
        let mut text = String::from_utf8_lossy(&line[..line.len().min(LOG_LINE)]).into_owned();
        if line.len() > LOG_LINE {
            text.push_str(CUT);
        }
        self.log.line(kind, text.trim_end_matches('\r'));
    }

    fn line(&mut self, kind: OutputKind) -> &mut Vec<u8> {
        match kind {
            OutputKind::Output => &mut self.output,
            OutputKind::Error => &mut self.error,
        }
    }
}
