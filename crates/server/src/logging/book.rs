//! The newest log lines, kept for the admin page.

use std::collections::VecDeque;
use std::fmt::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use web::{LogBook, LogLine};

/// Lines kept of each kind; the oldest go first.
const MAX_LINES: usize = 500;
/// A line's length in the book.
const MAX_LINE_CHARS: usize = 1_000;

/// Two rings: everything, and what deserves attention (so that chatter cannot push it out).
#[derive(Debug, Default)]
pub struct Book {
    recent: Mutex<VecDeque<LogLine>>,
    warnings: Mutex<VecDeque<LogLine>>,
}

impl Book {
    fn write(&self, line: LogLine) {
        if matches!(line.level, "warning" | "error") {
            push(&self.warnings, line.clone());
        }
        push(&self.recent, line);
    }
}

fn push(ring: &Mutex<VecDeque<LogLine>>, line: LogLine) {
    let mut ring = ring.lock().unwrap_or_else(PoisonError::into_inner);
    if ring.len() == MAX_LINES {
        ring.pop_front();
    }
    ring.push_back(line);
}

fn copy(ring: &Mutex<VecDeque<LogLine>>) -> Vec<LogLine> {
    ring.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .iter()
        .cloned()
        .collect()
}

impl LogBook for Book {
    fn recent(&self) -> Vec<LogLine> {
        copy(&self.recent)
    }

    fn warnings(&self) -> Vec<LogLine> {
        copy(&self.warnings)
    }
}

/// Writes what passes the filter into the book.
#[derive(Debug)]
pub(super) struct BookLayer {
    book: Arc<Book>,
}

impl BookLayer {
    pub(super) fn new(book: Arc<Book>) -> Self {
        Self { book }
    }
}

impl<S: Subscriber> Layer<S> for BookLayer {
    #[expect(
        clippy::disallowed_methods,
        reason = "log lines carry real time, also where rooms run on a manual clock"
    )]
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = match *event.metadata().level() {
            Level::ERROR => "error",
            Level::WARN => "warning",
            Level::INFO => "info",
            Level::DEBUG | Level::TRACE => "debug",
        };
        let mut text = Text::default();
        event.record(&mut text);
        self.book.write(LogLine {
            at: Timestamp::now(),
            level,
            message: text.line(),
        });
    }
}

/// The message, then the fields.
#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Text {
    /// The message is cut before the fields are: they say whose words it has.
    fn line(&self) -> String {
        let fields: String = self.fields.chars().take(MAX_LINE_CHARS / 2).collect();
        let room = MAX_LINE_CHARS - fields.chars().count();
        let message = self.message.chars().take(room);
        message.chain(fields.chars()).collect()
    }
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let written = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
        written.expect("writing to a string cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    #[test]
    fn the_book_keeps_the_newest_lines_and_all_fields() {
        let book = Arc::new(Book::default());
        let subscriber = tracing_subscriber::registry().with(BookLayer::new(Arc::clone(&book)));
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!(port = 1935, "port in use");
            for number in 0..MAX_LINES {
                tracing::info!(number, "chatter");
            }
        });
        let recent = book.recent();
        assert_eq!(recent.len(), MAX_LINES);
        assert_eq!(recent[0].message, "chatter number=0");
        let warnings = book.warnings();
        assert_eq!((warnings.len(), warnings[0].level), (1, "warning"));
        assert_eq!(warnings[0].message, "port in use port=1935");
    }
    #[test]
    fn however_long_a_line_is_it_says_whose_words_it_has() {
        let book = Arc::new(Book::default());
        let subscriber = tracing_subscriber::registry().with(BookLayer::new(Arc::clone(&book)));
        let long = "the database is damaged ".repeat(100);
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(plugin = "bell", "{long}");
        });
        let line = book.recent().remove(0).message;
        assert!(line.starts_with("the database"), "{line}");
        assert!(line.ends_with(" plugin=\"bell\""), "{line}");
        assert_eq!(line.chars().count(), MAX_LINE_CHARS);
    }
}
