//! Log lines: to standard error, and the newest of them to the admin page.

mod book;

use std::io::IsTerminal;
use std::sync::Arc;

use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

pub use book::{Book, BookLayer};

use crate::config::{Config, LogFormat};

/// Starts logging for the life of the process and returns the book of recent lines.
pub fn start(config: &Config) -> anyhow::Result<Arc<Book>> {
    let book = Arc::new(Book::default());
    let filter = EnvFilter::try_new(&config.log)?;
    let lines = match config.log_format {
        LogFormat::Text => fmt::layer()
            .with_writer(std::io::stderr)
            .with_ansi(std::io::stderr().is_terminal())
            .with_target(false)
            .compact()
            .boxed(),
        LogFormat::Json => fmt::layer()
            .with_writer(std::io::stderr)
            .json()
            .flatten_event(true)
            .boxed(),
    };
    tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .with(book.layer())
        .init();
    count_panics();
    Ok(book)
}

/// A panic ends one task; it is logged in one line and counted, and the process goes on.
fn count_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        let text = panic.payload_as_str().unwrap_or("(no text)");
        metrics::counter!("rillcast_panics_total", "where" => "any").increment(1);
        tracing::error!(place, text, "a task panicked");
    }));
}
