//! The listening end of a connection.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use bytes::Bytes;
use tokio::sync::{Notify, mpsc};

use super::Command;
use crate::heard::Farewell;

/// What a connection and the room both know.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    /// A [`Farewell`], or 0 while it lasts.
    fate: AtomicU8,
    cut: Notify,
    /// Lines that came from it.
    pub(crate) lines: AtomicU32,
}

impl Thread {
    pub(super) fn end(&self, farewell: Farewell) {
        let fate = match farewell {
            Farewell::TooSlow => 1,
            Farewell::Removed => 2,
            Farewell::Stopping => 3,
            Farewell::Changed => 4,
        };
        self.fate.store(fate, Ordering::Release);
        self.cut.notify_waiters();
    }

    fn farewell(&self) -> Option<Farewell> {
        match self.fate.load(Ordering::Acquire) {
            0 => None,
            1 => Some(Farewell::TooSlow),
            2 => Some(Farewell::Removed),
            4 => Some(Farewell::Changed),
            _ => Some(Farewell::Stopping),
        }
    }
}

/// A way to a listener that the room uses by itself: nobody is woken for a line, and nothing is kept for who keeps up.
pub trait Straight: fmt::Debug + Send + Sync {
    /// Gives the listener so many frames, one behind the other. It must not wait: what cannot go now is kept for later, up to
    /// [`LISTENER_QUEUE`](super::LISTENER_QUEUE) frames. Otherwise it says why the listener has to go.
    fn give(&self, frames: &Bytes, count: usize) -> Result<(), Farewell>;
}

/// Why a listener's queue has no more frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The room goes straight to the listener from now on.
    Straight,
    /// There will be none.
    Over(Farewell),
}

/// Hears what the room says; dropping it leaves the room.
#[derive(Debug)]
pub struct Ear {
    pub(super) client_id: u64,
    pub(super) first: std::vec::IntoIter<Bytes>,
    pub(super) queue: mpsc::Receiver<Bytes>,
    pub(super) thread: Arc<Thread>,
    pub(super) inbox: mpsc::Sender<Command>,
    pub(super) is_straight: bool,
}

impl Ear {
    /// The connection's number.
    pub fn client_id(&self) -> u64 {
        self.client_id
    }

    /// The next frame; the reason once there will be none here.
    pub async fn next(&mut self) -> Result<Bytes, Silence> {
        if let Some(frame) = self.first.next() {
            return Ok(frame);
        }
        match self.queue.recv().await {
            Some(frame) => Ok(frame),
            None => Err(match self.thread.farewell() {
                Some(farewell) => Silence::Over(farewell),
                None if self.is_straight => Silence::Straight,
                None => Silence::Over(Farewell::Stopping),
            }),
        }
    }

    /// A frame that is there already.
    pub fn ready(&mut self) -> Option<Bytes> {
        self.first.next().or_else(|| self.queue.try_recv().ok())
    }

    /// Asks the room to go straight to the listener. What is queued before that comes first: the way has to keep what it is
    /// given until [`next`](Self::next) says [`Silence::Straight`].
    pub async fn go_straight(&mut self, way: Arc<dyn Straight>) {
        self.is_straight = true;
        // Without a room the queue ends, and says so.
        drop(
            self.inbox
                .send(Command::Straight(self.client_id, way))
                .await,
        );
    }

    /// Completes when the listener has to go.
    pub async fn over(&self) -> Farewell {
        loop {
            let cut = self.thread.cut.notified();
            tokio::pin!(cut);
            // Before the look, or what is said between look and wait would be missed.
            cut.as_mut().enable();
            if let Some(farewell) = self.thread.farewell() {
                return farewell;
            }
            cut.await;
        }
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        let leave = Command::Leave(self.client_id);
        if let Err(mpsc::error::TrySendError::Full(leave)) = self.inbox.try_send(leave) {
            let inbox = self.inbox.clone();
            // The room is busy; it hears of it a moment later. When it has ended nobody needs to.
            tokio::spawn(async move { drop(inbox.send(leave).await) });
        }
    }
}
