//! Log lines: all to standard error, the newest also to the admin page.

mod buffer;
mod queue;
mod short;

use std::io::IsTerminal;
use std::sync::Arc;

use tracing::Subscriber;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

pub use buffer::{LogBuffer, LogBufferLayer};
pub use queue::LastLines;
use queue::LineQueue;
use short::{ShortFields, ShortJson};

use crate::config::{Config, LogFormat};

/// The client for NATS says twice a second why it has no connection, and the crate `bus` says it once. Whoever names it in
/// the filter hears all of it.
const QUIET: &str = "async_nats=warn";

/// Starts logging for the life of the process. Returns the recent lines, and a guard that writes the last ones when it
/// is dropped.
pub fn start(config: &Config) -> anyhow::Result<(Arc<LogBuffer>, LastLines)> {
    let buffer = Arc::new(LogBuffer::default());
    let filter = match &config.cluster {
        None => EnvFilter::try_new(&config.log)?,
        Some(_) => EnvFilter::try_new(format!("{QUIET},{}", config.log))?,
    };
    let queue = LineQueue::start(std::io::stderr())?;
    let last_lines = queue.at_the_end();
    tracing_subscriber::registry()
        .with(filter)
        .with(lines(
            config.log_format,
            std::io::stderr().is_terminal(),
            queue,
        ))
        .with(buffer.layer())
        .init();
    count_panics();
    Ok((buffer, last_lines))
}

/// Writes each line with one call.
fn lines<S, W>(format: LogFormat, is_coloured: bool, writer: W) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    match format {
        LogFormat::Text => fmt::layer()
            .with_writer(writer)
            .with_ansi(is_coloured)
            .with_target(false)
            .compact()
            .fmt_fields(ShortFields)
            .boxed(),
        LogFormat::Json => fmt::layer()
            .with_writer(ShortJson(writer))
            .json()
            .flatten_event(true)
            .boxed(),
    }
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
