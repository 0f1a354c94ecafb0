//! Server-sent events for listening pages.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;

use bytes::Bytes;
use serde::Deserialize;
use tokio::sync::Notify;

use super::args;
use crate::host::held_bytes::{
    HeldBytes, MAX_ASKED_BYTES, MAX_HELD_BYTES, MAX_LARGE_BYTES, MEDIUM_ANSWER_BYTES,
    SMALL_ANSWER_BYTES,
};
use crate::host::plugin_host::Host;

/// Limit (plugins): pages that listen to a plugin's live updates; further ones are refused until one ends.
pub const MAX_CONNECTIONS: usize = 64;

/// Bytes that may wait for one connection. One that is further behind is cut off, and nobody else is; a page connects again
/// by itself.
pub const MAX_CONNECTION_BYTES: usize = 1024 * 1024;

/// What a waiting frame is counted as besides its text.
const FRAME_OVERHEAD: usize = 256;

/// Bytes of one frame's text. A longer one is refused: it is kept once, but sent to everybody.
const MAX_DATA_BYTES: usize = 1024 * 1024;

/// Bytes that a frame has besides its text: every line of it is marked. One that needs more is refused.
const MAX_MARKS_BYTES: usize = 64 * 1024;

/// What marks a line of a frame's text.
const LINE_MARK: &str = "data: ";

/// Bytes of a channel's or an event's name. A longer one is refused.
const MAX_NAME_BYTES: usize = 200;

/// This plugin can have no more connections.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{MAX_CONNECTIONS} connections are already listening to this plugin")]
pub struct TooManyConnections;

/// The listeners of all plugins, and the bytes queued for slow readers per plugin.
#[derive(Debug, Default)]
pub struct SseHub {
    plugins: Mutex<HashMap<String, Readers>>,
    last_id: AtomicU64,
}

/// The readers of one plugin's output.
#[derive(Debug, Default)]
struct Readers {
    listeners: Vec<SseListener>,
    /// Every frame is counted once, however many listeners wait for it. Large answers are not included.
    held: HeldBytes,
    /// Large answers only, so that they leave space for others.
    large: HeldBytes,
    /// Files currently being read, by digest.
    files: HashMap<Vec<u8>, Weak<Bytes>>,
}

/// A package file, in memory once for all its readers.
struct SharedFile(Arc<Bytes>);

impl AsRef<[u8]> for SharedFile {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[derive(Debug)]
struct SseListener {
    id: u64,
    channel: String,
    frames: Arc<FrameQueue>,
}

/// Frames queued for one connection.
#[derive(Debug, Default)]
struct FrameQueue {
    waiting: Mutex<WaitingFrames>,
    /// Of this connection alone, including frames that its socket has not taken yet.
    held: HeldBytes,
    changed: Notify,
}

#[derive(Debug, Default)]
struct WaitingFrames {
    frames: VecDeque<Bytes>,
    is_ended: bool,
}

/// One listening page; dropping this unsubscribes it.
#[derive(Debug)]
pub struct SseConnection {
    /// Unique while the server runs.
    pub id: u64,
    slug: String,
    frames: Arc<FrameQueue>,
    hub: Weak<SseHub>,
}

impl FrameQueue {
    /// False if too much is queued already. A single frame always fits.
    fn push(&self, frame: &Bytes) -> bool {
        let mut waiting = self.lock();
        let bytes = self.held.count() + waiting.frames.len() * FRAME_OVERHEAD;
        if bytes > 0 && bytes + frame.len() + FRAME_OVERHEAD > MAX_CONNECTION_BYTES {
            return false;
        }
        let frame = self.held.hold_anyway(frame.clone());
        waiting.frames.push_back(frame);
        drop(waiting);
        self.changed.notify_one();
        true
    }

    /// The next frame, `None` at the end, or pending while more may come.
    fn pop(&self) -> Poll<Option<Bytes>> {
        let mut waiting = self.lock();
        match waiting.frames.pop_front() {
            None if !waiting.is_ended => Poll::Pending,
            next => Poll::Ready(next),
        }
    }

    /// Ends the queue. Returns how many frames are lost.
    fn end(&self, are_frames_kept: bool) -> usize {
        let mut waiting = self.lock();
        waiting.is_ended = true;
        let lost = match are_frames_kept {
            true => VecDeque::new(),
            false => std::mem::take(&mut waiting.frames),
        };
        drop(waiting);
        self.changed.notify_one();
        lost.len()
    }

    fn lock(&self) -> MutexGuard<'_, WaitingFrames> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Readers {
    /// Counts bytes to be queued. While they do not fit, the listeners that are furthest behind are disconnected.
    fn hold(&mut self, bytes: &Bytes) -> Option<Bytes> {
        loop {
            if let Some(held) = self.held.hold(bytes.clone(), self.most()) {
                return Some(held);
            }
            self.cut_off_furthest()?;
        }
    }

    /// Like [`Self::hold`], with the rules for answers.
    fn hold_answer(&mut self, bytes: Bytes) -> Option<Bytes> {
        if bytes.len() <= SMALL_ANSWER_BYTES {
            return Some(self.held.hold_anyway(bytes));
        }
        if bytes.len() <= MEDIUM_ANSWER_BYTES {
            return self.hold(&bytes);
        }
        let held = self.large.hold(bytes, MAX_LARGE_BYTES)?;
        while self.held.count() > self.most() && self.cut_off_furthest().is_some() {}
        Some(held)
    }

    /// The limit for everything except large answers.
    fn most(&self) -> usize {
        MAX_HELD_BYTES - self.large.count().min(MAX_LARGE_BYTES)
    }

    /// `None` if nothing is queued for anybody.
    fn cut_off_furthest(&mut self) -> Option<()> {
        let behind = self.listeners.iter().enumerate();
        let behind = behind.map(|(place, one)| (one.frames.held.count(), place));
        let (_, place) = behind.max().filter(|(bytes, _)| *bytes > 0)?;
        cut_off(&self.listeners.swap_remove(place));
        Some(())
    }
}

/// Its queued frames are dropped at once: a reader that takes nothing would keep them.
fn cut_off(listener: &SseListener) {
    lost(listener.frames.end(false));
}

fn lost(frames: usize) {
    metrics::counter!("rillcast_plugin_sse_frames_lost_total").increment(frames as u64);
}

impl SseHub {
    /// Subscribes a page.
    ///
    /// # Errors
    /// [`TooManyConnections`] if there are too many.
    pub fn connect(
        self: &Arc<Self>,
        slug: &str,
        channel: &str,
    ) -> Result<SseConnection, TooManyConnections> {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let frames = Arc::new(FrameQueue::default());
        let mut all = self.lock();
        let listeners = &mut all.entry(slug.to_owned()).or_default().listeners;
        if listeners.len() >= MAX_CONNECTIONS {
            return Err(TooManyConnections);
        }
        listeners.push(SseListener {
            id,
            channel: channel.to_owned(),
            frames: Arc::clone(&frames),
        });
        Ok(SseConnection {
            id,
            slug: slug.to_owned(),
            frames,
            hub: Arc::downgrade(self),
        })
    }

    /// The number of a plugin's listeners.
    pub fn listening(&self, slug: &str) -> usize {
        self.lock().get(slug).map_or(0, |all| all.listeners.len())
    }

    /// Whether a plugin's code may be called: there is space for its answer unless that is a large one.
    pub fn has_room(&self, slug: &str) -> bool {
        let all = self.lock();
        let waiting = all.get(slug).map(|readers| readers.held.count());
        waiting.is_none_or(|bytes| bytes < MAX_ASKED_BYTES)
    }

    /// Counts an answer that is about to be sent, until it has been sent. `None` if too much of this plugin's output
    /// already waits for slow readers.
    pub fn hold_answer(&self, slug: &str, body: Bytes) -> Option<Bytes> {
        let mut all = self.lock();
        all.entry(slug.to_owned()).or_default().hold_answer(body)
    }

    /// Like [`Self::hold_answer`], for a file of the package: all readers of one file share its bytes, which are
    /// counted once.
    pub fn hold_file(&self, slug: &str, digest: &[u8], file: Bytes) -> Option<Bytes> {
        let mut all = self.lock();
        let readers = all.entry(slug.to_owned()).or_default();
        readers.files.retain(|_, file| file.strong_count() > 0);
        let read = readers.files.get(digest).and_then(Weak::upgrade);
        let shared = match read {
            Some(shared) => shared,
            None => {
                let shared = Arc::new(readers.hold_answer(file)?);
                let kept = Arc::downgrade(&shared);
                readers.files.insert(digest.to_owned(), kept);
                shared
            }
        };
        Some(Bytes::from_owner(SharedFile(shared)))
    }

    /// Sends an event to all listeners of this plugin's channel. Never waits.
    pub fn send(&self, slug: &str, channel: &str, event: &str, data: &str) {
        let mut all = self.lock();
        let Some(readers) = all.get_mut(slug) else {
            return;
        };
        let listens = |listener: &SseListener| listener.channel == channel;
        if !readers.listeners.iter().any(listens) {
            return;
        }
        let Some(frame) = readers.hold(&frame(event, data)) else {
            let listeners = readers.listeners.iter().filter(|one| listens(one));
            lost(listeners.count());
            return;
        };
        readers.listeners.retain(|listener| {
            let stays = !listens(listener) || listener.frames.push(&frame);
            if !stays {
                lost(1);
                cut_off(listener);
            }
            stays
        });
    }

    /// Closes all connections to a plugin.
    pub fn close(&self, slug: &str) {
        let mut all = self.lock();
        let readers = all.get_mut(slug);
        // The byte counters stay, because answers are still being sent.
        let listeners = readers.map(|readers| std::mem::take(&mut readers.listeners));
        for listener in listeners.into_iter().flatten() {
            listener.frames.end(true);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Readers>> {
        self.plugins.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SseConnection {
    /// The next frame; `None` if the plugin was unloaded or this page was too far behind.
    pub async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Poll::Ready(frame) = self.frames.pop() {
                return frame;
            }
            // `notify_one` stores the permit if it came in between: only this task waits for it.
            self.frames.changed.notified().await;
        }
    }
}

impl Drop for SseConnection {
    fn drop(&mut self) {
        self.frames.end(false);
        let Some(hub) = self.hub.upgrade() else {
            return;
        };
        let mut all = hub.lock();
        if let Some(readers) = all.get_mut(&self.slug) {
            readers.listeners.retain(|listener| listener.id != self.id);
        }
    }
}

/// The wire format: a line for the name, a line for each line of data, and an empty one.
fn frame(event: &str, data: &str) -> Bytes {
    let mut text = String::with_capacity(data.len() + event.len() + 32);
    if !event.is_empty() {
        text.push_str("event: ");
        text.push_str(event);
        text.push('\n');
    }
    // A lone carriage return ends a line for browsers too.
    for line in data.replace("\r\n", "\n").split(['\n', '\r']) {
        text.push_str(LINE_MARK);
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    text.into()
}

#[derive(Deserialize)]
struct SendArgs {
    #[serde(default, deserialize_with = "args::maybe_text")]
    channel: Option<String>,
    #[serde(default, deserialize_with = "args::maybe_text")]
    event: Option<String>,
    #[serde(deserialize_with = "args::text")]
    data: String,
}

pub(super) async fn send(host: &Host, args: &str) -> Result<String, String> {
    let frame: SendArgs = args::read(args)?;
    let channel = frame.channel.unwrap_or_default();
    let event = frame.event.unwrap_or_default();
    for (name, text) in [("channel", &channel), ("event", &event)] {
        if text.len() > MAX_NAME_BYTES || text.contains(['\n', '\r', '\0']) {
            return Err(format!(
                "{name} must be one line of at most {MAX_NAME_BYTES} bytes"
            ));
        }
    }
    if frame.data.len() > MAX_DATA_BYTES {
        return Err(format!("data has more than {MAX_DATA_BYTES} bytes"));
    }
    let most = MAX_MARKS_BYTES / LINE_MARK.len();
    if frame.data.matches(['\n', '\r']).count() > most {
        return Err(format!("data has more than {most} lines"));
    }
    let (slug, data) = (host.slug(), &frame.data);
    host.parts.services.frame_sent(slug, &channel, &event, data);
    host.parts.streams.send(slug, &channel, &event, data);
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
