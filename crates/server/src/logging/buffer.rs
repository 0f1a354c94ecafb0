//! The newest log lines, kept for the admin page.

use std::collections::{HashMap, VecDeque};
use std::fmt::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use plugins::installed::MAX_PLUGINS;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use web::{LogBook, LogLine};

/// Lines shown of each kind; the oldest go first.
const MAX_LINES: usize = 500;
/// Lines about plugins among them, whatever wrote them; the oldest of these go first. The rest is for what the server says
/// for itself, and no plugin's chatter pushes that out.
const MAX_LINES_ABOUT_PLUGINS: usize = 250;
/// Lines kept of each plugin; its oldest go first.
const MAX_PLUGIN_LINES: usize = 100;
/// Bytes of all lines kept of plugins; the oldest line of the one with most of them goes first, so that chatter pushes
/// out itself.
const MAX_PLUGIN_BYTES: usize = 12 * 1024 * 1024;
/// A line's length in the buffer.
const MAX_LINE_CHARS: usize = 1_000;

/// The field that names the plugin a line is about.
const PLUGIN: &str = "plugin";

type Ring = VecDeque<LogLine>;

/// Ring buffers for all lines, for warnings and errors, and for each plugin, so that a noisy plugin cannot push out the
/// rest.
#[derive(Debug, Default)]
pub struct LogBuffer {
    recent: Mutex<Shares>,
    warnings: Mutex<Shares>,
    plugins: Mutex<PluginLogs>,
}

/// Lines of the server itself and lines about plugins, each with a share that the other cannot take.
#[derive(Debug, Default)]
struct Shares {
    server: Ring,
    plugins: Ring,
}

impl Shares {
    fn write(&mut self, line: LogLine, is_about_plugin: bool) {
        match is_about_plugin {
            true => push(&mut self.plugins, MAX_LINES_ABOUT_PLUGINS, line),
            false => push(&mut self.server, MAX_LINES, line),
        }
    }

    /// All of them, oldest first.
    fn lines(&self) -> Vec<LogLine> {
        let most_of_server = MAX_LINES - self.plugins.len();
        let before = self.server.len().saturating_sub(most_of_server);
        let server = self.server.iter().skip(before);
        let mut lines: Vec<LogLine> = server.chain(&self.plugins).cloned().collect();
        lines.sort_by_key(|line| line.at);
        lines
    }
}

/// Lines about each plugin, for a bounded number of plugins; the one that has been silent longest is dropped first.
#[derive(Debug, Default)]
struct PluginLogs {
    own: HashMap<String, PluginLog>,
    bytes: usize,
}

/// Lines about one plugin.
#[derive(Debug, Default)]
struct PluginLog {
    lines: Ring,
    bytes: usize,
}

impl LogBuffer {
    /// The layer that writes what passes the filter into this buffer.
    pub fn layer(self: &Arc<Self>) -> LogBufferLayer {
        LogBufferLayer {
            buffer: Arc::clone(self),
        }
    }

    fn write(&self, line: LogLine, is_about_plugin: bool) {
        if matches!(line.level, "warning" | "error") {
            lock(&self.warnings).write(line.clone(), is_about_plugin);
        }
        lock(&self.recent).write(line, is_about_plugin);
    }

    fn write_about(&self, plugin: String, line: LogLine) {
        lock(&self.plugins).write(plugin, line);
    }
}

impl PluginLogs {
    fn write(&mut self, plugin: String, line: LogLine) {
        if self.own.len() >= MAX_PLUGINS && !self.own.contains_key(&plugin) {
            self.forget_one();
        }
        let own = self.own.entry(plugin).or_default();
        self.bytes += own.write(line);
        if own.lines.len() > MAX_PLUGIN_LINES {
            self.bytes -= own.drop_oldest();
        }
        while self.bytes > MAX_PLUGIN_BYTES
            && let Some(largest) = self.own.values_mut().max_by_key(|own| own.bytes)
        {
            self.bytes -= largest.drop_oldest();
        }
    }

    fn forget_one(&mut self) {
        let last_word = |own: &PluginLog| own.lines.back().map(|line| line.at);
        let silent = self.own.iter().min_by_key(|(_, own)| last_word(own));
        let silent = silent.map(|(slug, _)| slug.clone());
        if let Some(own) = silent.and_then(|slug| self.own.remove(&slug)) {
            self.bytes -= own.bytes;
        }
    }
}

impl PluginLog {
    /// Returns by how many bytes the buffer grew.
    fn write(&mut self, line: LogLine) -> usize {
        let more = weight(&line);
        self.bytes += more;
        self.lines.push_back(line);
        more
    }

    /// Returns by how many bytes the buffer shrank.
    fn drop_oldest(&mut self) -> usize {
        let less = self.lines.pop_front().map_or(0, |line| weight(&line));
        self.bytes -= less;
        less
    }
}

/// The memory a line takes.
fn weight(line: &LogLine) -> usize {
    line.message.capacity() + size_of::<LogLine>()
}

fn push(ring: &mut Ring, most: usize, line: LogLine) {
    if ring.len() >= most {
        ring.pop_front();
    }
    ring.push_back(line);
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

fn copy(ring: &Ring) -> Vec<LogLine> {
    ring.iter().cloned().collect()
}

impl LogBook for LogBuffer {
    fn recent(&self) -> Vec<LogLine> {
        lock(&self.recent).lines()
    }

    fn warnings(&self) -> Vec<LogLine> {
        lock(&self.warnings).lines()
    }

    fn of_plugin(&self, slug: &str) -> Vec<LogLine> {
        let plugins = lock(&self.plugins);
        let own = plugins.own.get(slug);
        own.map(|own| copy(&own.lines)).unwrap_or_default()
    }
}

/// Writes what passes the filter into the buffer.
#[derive(Debug)]
pub struct LogBufferLayer {
    buffer: Arc<LogBuffer>,
}

impl<S: Subscriber> Layer<S> for LogBufferLayer {
    #[expect(
        clippy::disallowed_methods,
        reason = "log lines carry real time, also where components run on a manual clock"
    )]
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = match *event.metadata().level() {
            Level::ERROR => "error",
            Level::WARN => "warning",
            Level::INFO => "info",
            Level::DEBUG | Level::TRACE => "debug",
        };
        let mut text = EventText::default();
        event.record(&mut text);
        let at = Timestamp::now();
        let line = |message| LogLine { at, level, message };
        if let Some(slug) = &text.plugin {
            let own = line(cut(&text.message, &text.fields));
            self.buffer.write_about(slug.clone(), own);
        }
        self.buffer.write(line(text.line()), text.plugin.is_some());
    }
}

/// The message, then the fields.
#[derive(Default)]
struct EventText {
    message: String,
    /// The plugin the line is about. Only the server sets fields, so a plugin's text cannot make its line look like
    /// another's.
    plugin: Option<String>,
    fields: String,
}

impl EventText {
    fn line(&self) -> String {
        match &self.plugin {
            Some(slug) => cut(&self.message, &format!(" {PLUGIN}={slug:?}{}", self.fields)),
            None => cut(&self.message, &self.fields),
        }
    }
}

/// Cuts the message before the fields, because the fields say whose message it is.
fn cut(message: &str, fields: &str) -> String {
    let fields: String = fields.chars().take(MAX_LINE_CHARS / 2).collect();
    let room = MAX_LINE_CHARS - fields.chars().count();
    message.chars().take(room).chain(fields.chars()).collect()
}

impl Visit for EventText {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            PLUGIN => self.plugin = Some(value.to_owned()),
            _ => self.record_debug(field, &value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let written = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            // Logged with `%`, so this is its display form, without quotes.
            PLUGIN => write!(self.plugin.insert(String::new()), "{value:?}"),
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
        let buffer = Arc::new(LogBuffer::default());
        let subscriber = tracing_subscriber::registry().with(buffer.layer());
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!(port = 1935, "port in use");
            for number in 0..MAX_LINES {
                tracing::info!(number, "chatter");
            }
        });
        let recent = buffer.recent();
        assert_eq!(recent.len(), MAX_LINES);
        assert_eq!(recent[0].message, "chatter number=0");
        let warnings = buffer.warnings();
        assert_eq!((warnings.len(), warnings[0].level), (1, "warning"));
        assert_eq!(warnings[0].message, "port in use port=1935");
    }

    #[test]
    fn no_plugin_pushes_out_what_the_server_says_for_itself() {
        let buffer = Arc::new(LogBuffer::default());
        let subscriber = tracing_subscriber::registry().with(buffer.layer());
        tracing::subscriber::with_default(subscriber, || {
            for number in 0..MAX_LINES {
                tracing::warn!(number, "own");
            }
            for number in 0..MAX_LINES * 3 {
                tracing::warn!(plugin = "flood", number, "chatter");
            }
            tracing::warn!("the disk is full");
        });
        for lines in [buffer.recent(), buffer.warnings()] {
            assert_eq!(lines.len(), MAX_LINES);
            assert_eq!(lines[0].message, "own number=251");
            let flood = |line: &&LogLine| line.message.contains("flood");
            assert_eq!(lines.iter().filter(flood).count(), MAX_LINES_ABOUT_PLUGINS);
            let last = &lines[MAX_LINES - 2..];
            assert!(last[0].message.contains("number=1499"), "{last:?}");
            assert_eq!(last[1].message, "the disk is full");
        }
    }

    #[test]
    fn however_long_a_line_is_it_says_whose_words_it_has() {
        let buffer = Arc::new(LogBuffer::default());
        let subscriber = tracing_subscriber::registry().with(buffer.layer());
        let long = "the database is damaged ".repeat(100);
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(plugin = "bell", "{long}");
        });
        let line = buffer.recent().remove(0).message;
        assert!(line.starts_with("the database"), "{line}");
        assert!(line.ends_with(" plugin=\"bell\""), "{line}");
        assert_eq!(line.chars().count(), MAX_LINE_CHARS);
    }

    #[test]
    fn a_line_belongs_to_the_plugin_the_server_names_whatever_its_text_says() {
        let buffer = Arc::new(LogBuffer::default());
        let subscriber = tracing_subscriber::registry().with(buffer.layer());
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!(plugin = "bell", status = 3, "ding");
            tracing::info!(plugin = %"bell", "dong");
            tracing::info!(plugin = "forger", "ding plugin=\"bell\"");
            tracing::info!("plugin=bell");
            for number in 0..MAX_LINES {
                tracing::info!(plugin = "forger", number, "chatter");
            }
        });
        let said = |slug| -> Vec<String> {
            let lines = buffer.of_plugin(slug).into_iter();
            lines.map(|line| line.message).collect()
        };
        assert_eq!(said("bell"), ["ding status=3", "dong"]);
        assert_eq!(said("forger").len(), MAX_PLUGIN_LINES);
        assert_eq!(said("nobody"), Vec::<String>::new());
        assert_eq!(
            buffer.warnings()[0].message,
            "ding plugin=\"bell\" status=3"
        );
    }

    #[test]
    fn the_plugin_that_is_silent_for_longest_is_forgotten() {
        let buffer = LogBuffer::default();
        let line = |second| LogLine {
            at: Timestamp::from_second(second).unwrap(),
            level: "info",
            message: "ding".into(),
        };
        for number in 0..i64::try_from(MAX_PLUGINS).unwrap() {
            buffer.write_about(number.to_string(), line(number));
        }
        buffer.write_about("0".into(), line(1_000));
        buffer.write_about("one more".into(), line(1_001));
        let kept = ["0", "1", "2", "one more"].map(|slug| buffer.of_plugin(slug).len());
        assert_eq!(kept, [2, 0, 1, 1]);
    }

    #[test]
    fn chatty_plugins_share_a_bounded_memory_and_leave_the_quiet_ones_their_lines() {
        let buffer = LogBuffer::default();
        let line = |message: String| LogLine {
            at: Timestamp::from_second(1).unwrap(),
            level: "info",
            message,
        };
        buffer.write_about("quiet".into(), line("ding".into()));
        for _ in 0..50 {
            for number in 0..100 {
                // The largest possible line: all four-byte characters.
                let longest = line("🔔".repeat(MAX_LINE_CHARS));
                buffer.write_about(number.to_string(), longest);
            }
        }
        assert_eq!(buffer.of_plugin("quiet").len(), 1);
        for number in 0..100 {
            assert!(buffer.of_plugin(&number.to_string()).len() > 20, "{number}");
        }
        let plugins = lock(&buffer.plugins);
        let lines = plugins.own.values().flat_map(|own| &own.lines);
        let bytes: usize = lines.map(weight).sum();
        assert!(bytes <= MAX_PLUGIN_BYTES, "{bytes}");
        assert_eq!(bytes, plugins.bytes);
    }
}
