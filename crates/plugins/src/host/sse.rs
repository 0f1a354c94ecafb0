//! Pages that listen.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use bytes::Bytes;
use serde::Deserialize;
use tokio::sync::mpsc;

use super::args;
use crate::host::desk::Host;

/// Connections to one plugin. One more is turned away until another ends.
pub const MAX_CONNECTIONS: usize = 64;

/// Frames that wait for one connection. While it is full, frames are lost to that connection and to no other.
const MAX_WAITING: usize = 16;

/// Bytes of one frame's text. A longer one is refused: it is kept once, but sent to everybody.
const MAX_DATA_BYTES: usize = 1024 * 1024;

/// Bytes of a channel's or an event's name. A longer one is refused.
const MAX_NAME_BYTES: usize = 200;

/// Where frames go.
pub trait Streams: Send + Sync + Debug {
    /// Tells everybody who listens to this channel of this plugin. Never waits.
    fn send(&self, slug: &str, channel: &str, event: &str, data: &str);

    /// Ends every connection to a plugin.
    fn close(&self, slug: &str);
}

/// No more connections to this plugin.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{MAX_CONNECTIONS} connections listen to this plugin already")]
pub struct Full;

/// Who listens to what, for all plugins.
#[derive(Debug, Default)]
pub struct Hub {
    listeners: Mutex<HashMap<String, Vec<Listener>>>,
    last_id: AtomicU64,
}

#[derive(Debug)]
struct Listener {
    id: u64,
    channel: String,
    frames: mpsc::Sender<Bytes>,
}

/// One page that listens; it is forgotten when this is dropped.
#[derive(Debug)]
pub struct Connection {
    /// Unique while the server runs.
    pub id: u64,
    slug: String,
    frames: mpsc::Receiver<Bytes>,
    hub: Weak<Hub>,
}

impl Hub {
    /// Lets a page listen.
    ///
    /// # Errors
    /// [`Full`] when too many do.
    pub fn connect(self: &Arc<Self>, slug: &str, channel: &str) -> Result<Connection, Full> {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, frames) = mpsc::channel(MAX_WAITING);
        let mut all = self.lock();
        let listeners = all.entry(slug.to_owned()).or_default();
        if listeners.len() >= MAX_CONNECTIONS {
            return Err(Full);
        }
        listeners.push(Listener {
            id,
            channel: channel.to_owned(),
            frames: sender,
        });
        Ok(Connection {
            id,
            slug: slug.to_owned(),
            frames,
            hub: Arc::downgrade(self),
        })
    }

    /// How many listen to a plugin.
    pub fn listening(&self, slug: &str) -> usize {
        self.lock().get(slug).map_or(0, Vec::len)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<Listener>>> {
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Streams for Hub {
    fn send(&self, slug: &str, channel: &str, event: &str, data: &str) {
        let frame = frame(event, data);
        let all = self.lock();
        let listeners = all.get(slug).into_iter().flatten();
        for listener in listeners.filter(|listener| listener.channel == channel) {
            if listener.frames.try_send(frame.clone()).is_err() {
                metrics::counter!("rillcast_plugin_sse_frames_lost_total").increment(1);
            }
        }
    }

    fn close(&self, slug: &str) {
        self.lock().remove(slug);
    }
}

impl Connection {
    /// The next frame; nothing when the plugin was unloaded.
    pub async fn next(&mut self) -> Option<Bytes> {
        self.frames.recv().await
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let Some(hub) = self.hub.upgrade() else {
            return;
        };
        let mut all = hub.lock();
        if let Some(listeners) = all.get_mut(&self.slug) {
            listeners.retain(|listener| listener.id != self.id);
            if listeners.is_empty() {
                all.remove(&self.slug);
            }
        }
    }
}

/// As browsers read it: a line for the name, a line for each line of the data, and an empty one.
fn frame(event: &str, data: &str) -> Bytes {
    let mut text = String::with_capacity(data.len() + event.len() + 32);
    if !event.is_empty() {
        text.push_str("event: ");
        text.push_str(event);
        text.push('\n');
    }
    // A lone carriage return ends a line for browsers as well.
    for line in data.replace("\r\n", "\n").split(['\n', '\r']) {
        text.push_str("data: ");
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    text.into()
}

#[derive(Deserialize)]
struct Frame {
    #[serde(default, deserialize_with = "args::maybe_text")]
    channel: Option<String>,
    #[serde(default, deserialize_with = "args::maybe_text")]
    event: Option<String>,
    #[serde(deserialize_with = "args::text")]
    data: String,
}

pub(super) async fn send(host: &Host, args: &str) -> Result<String, String> {
    let wish: Frame = args::read(args)?;
    let channel = wish.channel.unwrap_or_default();
    let event = wish.event.unwrap_or_default();
    for (name, text) in [("channel", &channel), ("event", &event)] {
        if text.len() > MAX_NAME_BYTES || text.contains(['\n', '\r', '\0']) {
            return Err(format!(
                "{name} must be one line of at most {MAX_NAME_BYTES} bytes"
            ));
        }
    }
    if wish.data.len() > MAX_DATA_BYTES {
        return Err(format!("data has more than {MAX_DATA_BYTES} bytes"));
    }
    host.parts.services.passed_on(
        host.slug(),
        "frame",
        format_args!("{channel} {event} {}", wish.data),
    );
    host.parts
        .streams
        .send(host.slug(), &channel, &event, &wish.data);
    Ok(args::nothing())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_cannot_hold_another_one() {
        assert_eq!(frame("", "a"), "data: a\n\n");
        assert_eq!(
            frame("tick", "a\r\nb\n\nevent: x\rc"),
            "event: tick\ndata: a\ndata: b\ndata: \ndata: event: x\ndata: c\n\n"
        );
    }
}
