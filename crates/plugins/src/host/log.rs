//! The plugin's own log.

use std::borrow::Cow;

use serde::Deserialize;

use super::args;
use crate::host::plugin_host::Host;

/// Bytes of one message. The rest is cut off, and the message says so.
pub const MAX_LOG_BYTES: usize = 4 * 1024;

/// Messages a plugin may log during one call. Further ones are left out, and the log says how many.
const MAX_LOG_LINES: usize = 200;

/// Bytes of them together; likewise.
const MAX_CALL_LOG_BYTES: usize = 64 * 1024;

/// What follows a message that was cut off.
const CUT: &str = "… (cut off)";

/// Bytes of what is repeated of an error that the log has in full already.
const MAX_SUMMARY_BYTES: usize = 200;

/// What stands in the middle of a traceback that was too long.
const LEFT_OUT: &str = "… (left out) …";

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Info,
    Warning,
    Error,
}

impl Level {
    /// Its name in plugin tests.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Info => "info",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// What the plugin may still log during this call.
#[derive(Debug)]
pub(super) struct CallLogBudget {
    lines: usize,
    bytes: usize,
    left_out: u64,
    has_refused: bool,
}

impl Default for CallLogBudget {
    fn default() -> Self {
        Self {
            lines: MAX_LOG_LINES,
            bytes: MAX_CALL_LOG_BYTES,
            left_out: 0,
            has_refused: false,
        }
    }
}

impl CallLogBudget {
    /// Whether one more message may be logged. After the first omission everything is omitted, because otherwise nobody
    /// could tell where the gap is.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        if self.left_out > 0 || self.lines == 0 || self.bytes < bytes {
            self.left_out += 1;
            return false;
        }
        self.lines -= 1;
        self.bytes -= bytes;
        true
    }

    /// Whether a refusal may be logged. The first one always may, however much the plugin has logged before.
    pub(super) fn take_refusal(&mut self) -> bool {
        !std::mem::replace(&mut self.has_refused, true) || self.take(0)
    }

    /// Ends the call; returns a notice about omitted messages.
    pub(super) fn end(&mut self) -> Option<String> {
        match std::mem::take(self).left_out {
            0 => None,
            1 => Some("… 1 more line of this call left out".into()),
            many => Some(format!("… {many} more lines of this call left out")),
        }
    }
}

#[derive(Deserialize)]
struct LogArgs {
    #[serde(alias = "text", alias = "m", deserialize_with = "args::text")]
    message: String,
}

pub(super) async fn info(host: &Host, args: &str) -> Result<String, String> {
    write(host, Level::Info, args)
}

pub(super) async fn warning(host: &Host, args: &str) -> Result<String, String> {
    write(host, Level::Warning, args)
}

pub(super) async fn error(host: &Host, args: &str) -> Result<String, String> {
    write(host, Level::Error, args)
}

fn write(host: &Host, level: Level, args: &str) -> Result<String, String> {
    let LogArgs { message } = args::read(args)?;
    if host.may_log(message.len().min(MAX_LOG_BYTES)) {
        host.parts.services.log(host.slug(), level, &tidy(&message));
    }
    Ok(args::nothing())
}

/// A message that cannot play tricks on the reader of the log.
pub(super) fn tidy(message: &str) -> String {
    let mut end = message.len().min(MAX_LOG_BYTES);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    let mut tidy: String = message[..end]
        .chars()
        .map(|sign| if sign.is_control() { ' ' } else { sign })
        .collect();
    if end < message.len() {
        tidy.push_str(CUT);
    }
    tidy
}

/// Truncates a traceback in the middle: the beginning says where it went wrong, the end what. Control characters become
/// spaces first, because the log writes each of them as several.
pub(super) fn bounded_traceback(error: &str) -> Cow<'_, str> {
    let is_odd = |sign: char| sign.is_control() && !matches!(sign, '\n' | '\t');
    match error.contains(is_odd) {
        true => Cow::Owned(bounded(&error.replace(is_odd, " ")).into_owned()),
        false => bounded(error),
    }
}

fn bounded(error: &str) -> Cow<'_, str> {
    if error.len() <= MAX_LOG_BYTES {
        return Cow::Borrowed(error);
    }
    let head = error.floor_char_boundary(MAX_LOG_BYTES / 4);
    let tail = error.ceil_char_boundary(error.len() - MAX_LOG_BYTES / 4 * 3);
    Cow::Owned(format!(
        "{}\n{LEFT_OUT}\n{}",
        &error[..head],
        &error[tail..]
    ))
}

/// The last line of a traceback, truncated: enough to find the full one in the log.
pub(crate) fn summary(error: &str) -> &str {
    let error = error.trim_end();
    let line = error.rsplit('\n').next().unwrap_or(error);
    &line[..line.floor_char_boundary(MAX_SUMMARY_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_traceback_keeps_its_beginning_and_its_end() {
        let error = format!(
            "event: Traceback\n{}ValueError: {}",
            "  é\n".repeat(9_000),
            "ü".repeat(9)
        );
        let bounded = bounded_traceback(&error);
        assert!(bounded.starts_with("event: Traceback\n"), "{bounded}");
        assert!(
            bounded.ends_with(&format!("ValueError: {}", "ü".repeat(9))),
            "{bounded}"
        );
        assert!(bounded.contains(LEFT_OUT));
        assert!(
            bounded.len() <= MAX_LOG_BYTES + LEFT_OUT.len() + 2,
            "{}",
            bounded.len()
        );
        assert_eq!(bounded_traceback("short"), "short");
        assert_eq!(bounded_traceback("a\u{1b}[31m\n\tb\0"), "a [31m\n\tb ");
        assert_eq!(summary(&error), format!("ValueError: {}", "ü".repeat(9)));
        assert_eq!(summary("one line\n"), "one line");
        assert!(summary(&"ü".repeat(9_000)).len() <= MAX_SUMMARY_BYTES);
    }

    #[test]
    fn a_message_is_one_line_of_bounded_length() {
        assert_eq!(tidy("a\nb\u{1b}[31mc\u{9b}"), "a b [31mc ");
        let long = "ä".repeat(MAX_LOG_BYTES);
        let cut = tidy(&long);
        assert!(cut.ends_with(CUT));
        assert_eq!(cut.len(), MAX_LOG_BYTES + CUT.len());
    }

    #[test]
    fn a_call_has_room_for_so_many_lines_and_so_many_bytes() {
        let mut room = CallLogBudget::default();
        let taken =
            |room: &mut CallLogBudget, bytes| (0..1_000).filter(|_| room.take(bytes)).count();
        assert_eq!(taken(&mut room, 0), MAX_LOG_LINES);
        let said = room.end();
        assert_eq!(
            said.as_deref(),
            Some("… 800 more lines of this call left out")
        );
        assert_eq!(
            taken(&mut room, MAX_LOG_BYTES),
            MAX_CALL_LOG_BYTES / MAX_LOG_BYTES
        );
        assert!(!room.take(0), "there is no line after a gap");
        assert!(room.end().is_some());
        assert_eq!(room.end(), None);
    }

    #[test]
    fn the_first_refusal_of_a_call_is_always_logged() {
        let mut room = CallLogBudget::default();
        while room.take(0) {}
        assert!(room.take_refusal());
        assert!(!room.take_refusal());
        assert!(room.end().is_some());
        assert!(room.take_refusal());
    }
}
