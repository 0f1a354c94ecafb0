//! Keeps each logged field short, because strangers choose how long a name or an address is.

use std::fmt::{self, Write};
use std::io;

use serde_json::Value;
use tracing::field::Field;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::{FormatFields, Writer};

/// Characters of a field.
const MAX_FIELD_CHARS: usize = 200;
/// Characters of the message itself, which is ours, or a plugin's: those end after 4 KiB, tracebacks too.
const MAX_MESSAGE_CHARS: usize = 4_200;
/// No line of JSON with a field that is too long is shorter than this.
const MAX_SHORT_BYTES: usize = MAX_FIELD_CHARS;
/// What stands where something was left out.
const CUT: char = '…';
/// What a line break becomes: no line of the log begins like this.
const CONTINUED: &str = "\n    ";

fn most_chars(field: &str) -> usize {
    match field {
        "message" => MAX_MESSAGE_CHARS,
        _ => MAX_FIELD_CHARS,
    }
}

/// Passes on a limited number of characters.
struct Capped<'a> {
    out: &'a mut dyn Write,
    left: usize,
    is_cut: bool,
}

impl<'a> Capped<'a> {
    fn new(out: &'a mut dyn Write, left: usize) -> Self {
        Self {
            out,
            left,
            is_cut: false,
        }
    }
}

impl Write for Capped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.is_cut {
            return Ok(());
        }
        match text.char_indices().nth(self.left) {
            None => {
                self.left -= text.chars().count();
                self.out.write_str(text)
            }
            Some((end, _)) => {
                self.is_cut = true;
                self.out.write_str(&text[..end])?;
                self.out.write_char(CUT)
            }
        }
    }
}

/// Writes nothing that could look like a separate log line: text after a line break is indented, and control characters
/// and those that change the writing direction are escaped.
struct Escaped<'a>(&'a mut dyn Write);

impl Escaped<'_> {
    fn is_plain(sign: char) -> bool {
        !sign.is_control()
            && !matches!(sign, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    }
}

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some(place) = rest.find(|sign| !Self::is_plain(sign)) {
            let (plain, from) = rest.split_at(place);
            self.0.write_str(plain)?;
            let mut signs = from.chars();
            match signs.next() {
                Some('\n') => self.0.write_str(CONTINUED)?,
                Some('\t') => self.0.write_char('\t')?,
                Some(other) => write!(self.0, "{}", other.escape_default())?,
                None => {}
            }
            rest = signs.as_str();
        }
        self.0.write_str(rest)
    }
}

/// Fields as text: the message, then `name=value` pairs.
#[derive(Debug)]
pub(super) struct ShortFields;

impl<'writer> FormatFields<'writer> for ShortFields {
    fn format_fields<R: RecordFields>(
        &self,
        mut writer: Writer<'writer>,
        fields: R,
    ) -> fmt::Result {
        let mut result = Ok(());
        let mut is_first = true;
        let mut write = |field: &Field, value: &dyn fmt::Debug| {
            if result.is_err() {
                return;
            }
            let space = if is_first { "" } else { " " };
            is_first = false;
            let capped = |out: &mut dyn Write| {
                let mut escaped = Escaped(out);
                let mut capped = Capped::new(&mut escaped, most_chars(field.name()));
                write!(capped, "{value:?}")
            };
            result = match field.name() {
                "message" => writer.write_str(space).and_then(|()| capped(&mut writer)),
                name => write!(writer, "{space}{name}=").and_then(|()| capped(&mut writer)),
            };
        };
        fields.record(&mut write);
        result
    }
}

/// Passes JSON lines on with long texts cut.
#[derive(Clone, Debug)]
pub(super) struct ShortJson<W>(pub(super) W);

impl<'a, W: MakeWriter<'a>> MakeWriter<'a> for ShortJson<W> {
    type Writer = ShortJsonLine<W::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        ShortJsonLine(self.0.make_writer())
    }
}

/// One line of the formatter, which writes each line with one call.
#[derive(Debug)]
pub(super) struct ShortJsonLine<W>(W);

impl<W: io::Write> io::Write for ShortJsonLine<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // Nearly all lines are short; those are not parsed.
        match line.len() > MAX_SHORT_BYTES {
            true => self.0.write_all(&shortened(line))?,
            false => self.0.write_all(line)?,
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn shortened(line: &[u8]) -> Vec<u8> {
    let Ok(mut object) = serde_json::from_slice::<serde_json::Map<String, Value>>(line) else {
        return line.to_vec();
    };
    let mut is_cut = false;
    for (name, value) in &mut object {
        cut(value, most_chars(name), &mut is_cut);
    }
    // A line without long texts is written unchanged, with its field order.
    if !is_cut {
        return line.to_vec();
    }
    let mut text = Value::Object(object).to_string();
    text.push('\n');
    text.into_bytes()
}

fn cut(value: &mut Value, most: usize, is_cut: &mut bool) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(most) {
                text.truncate(end);
                text.push(CUT);
                *is_cut = true;
            }
        }
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|value| cut(value, MAX_FIELD_CHARS, is_cut)),
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| cut(value, MAX_FIELD_CHARS, is_cut)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::Layer;
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;
    use crate::config::LogFormat;

    /// What `log` writes in a format.
    fn written(format: LogFormat, log: impl FnOnce()) -> String {
        #[derive(Clone, Default)]
        struct Memory(Arc<Mutex<Vec<u8>>>);
        impl io::Write for Memory {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.lock().unwrap().extend_from_slice(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let memory = Memory::default();
        let writer = memory.clone();
        let layer = super::super::lines(format, false, move || writer.clone());
        let subscriber = tracing_subscriber::registry().with(layer.boxed());
        tracing::subscriber::with_default(subscriber, log);
        let bytes = memory.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_field_is_cut_after_two_hundred_characters_in_text_and_in_json() {
        let long = "ü".repeat(60_000);
        for format in [LogFormat::Text, LogFormat::Json] {
            let line = written(format, || {
                tracing::info!(agent = long, port = 80, "somebody came");
            });
            assert!(line.contains(&"ü".repeat(198)), "{line}");
            assert!(!line.contains(&"ü".repeat(201)), "{line}");
            assert!(line.contains(CUT), "{line}");
            assert!(line.contains("somebody came"), "{line}");
            assert!(line.contains("port"), "{line}");
            assert!(line.len() < 700, "{}", line.len());
            assert_eq!(line.matches('\n').count(), 1, "{line}");
        }
    }

    #[test]
    fn nothing_inside_a_message_or_a_field_begins_a_line_of_the_log() {
        let forged = "\n2026-01-01T00:00:00Z ERROR the disk is full";
        let text = written(LogFormat::Text, || {
            tracing::warn!(plugin = %"bell", error = %forged, "Traceback:{forged}\r{forged}\u{1b}[2K\u{202e}");
        });
        let (first, rest) = text.trim_end().split_once('\n').unwrap();
        assert!(first.contains(" WARN Traceback:"), "{text}");
        for line in rest.lines() {
            assert!(line.starts_with("    2026"), "{text}");
        }
        assert_eq!(rest.lines().count(), 3, "{text}");
        assert!(text.contains("\\r\n"), "{text}");
        assert!(text.contains("\\u{1b}[2K\\u{202e}"), "{text}");
        let json = written(LogFormat::Json, || tracing::warn!("a{forged}"));
        assert_eq!(json.matches('\n').count(), 1, "{json}");
    }

    #[test]
    fn a_cut_line_is_still_json() {
        let line = written(LogFormat::Json, || {
            tracing::info!(quote = "\"\\".repeat(5_000), "{}", "long ".repeat(1_000));
        });
        let read: Value = serde_json::from_str(&line).unwrap();
        let chars = |name: &str| read[name].as_str().unwrap().chars().count();
        assert_eq!(chars("quote"), MAX_FIELD_CHARS + 1);
        assert_eq!(chars("message"), MAX_MESSAGE_CHARS + 1);
        assert_eq!(read["level"], "INFO");
    }

    #[test]
    fn short_lines_stay_as_they_were() {
        let text = written(LogFormat::Text, || {
            tracing::warn!(plugin = %"bell", status = 3, name = "a b", "ding");
        });
        assert!(
            text.ends_with(" WARN ding plugin=bell status=3 name=\"a b\"\n"),
            "{text}"
        );
        let json = written(LogFormat::Json, || {
            tracing::warn!(status = 3, "{}", "ding ".repeat(50));
        });
        assert!(json.starts_with("{\"timestamp\":"), "{json}");
    }
}
