//! The plugin's own log.

use serde::Deserialize;

use super::args;
use crate::host::desk::Host;

/// Bytes of one message. The rest is cut off, and the message says so.
pub const MAX_LOG_BYTES: usize = 4 * 1024;

/// What follows a message that was cut off.
const CUT: &str = "… (cut off)";

/// How much a message matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Something to know.
    Info,
    /// Something to look at.
    Warning,
    /// Something that does not work.
    Error,
}

impl Level {
    /// As plugins' tests spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Info => "info",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

#[derive(Deserialize)]
struct Message {
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
    let Message { message } = args::read(args)?;
    host.parts.services.log(host.slug(), level, &tidy(&message));
    Ok(args::nothing())
}

/// A message that cannot play tricks with whoever reads the log.
fn tidy(message: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_of_bounded_length() {
        assert_eq!(tidy("a\nb\u{1b}[31mc\u{9b}"), "a b [31mc ");
        let long = "ä".repeat(MAX_LOG_BYTES);
        let cut = tidy(&long);
        assert!(cut.ends_with(CUT));
        assert_eq!(cut.len(), MAX_LOG_BYTES + CUT.len());
    }
}
