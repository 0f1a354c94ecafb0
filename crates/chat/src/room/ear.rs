//! The listening end of a connection.

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

/// Hears what the room says; dropping it leaves the room.
#[derive(Debug)]
pub struct Ear {
    pub(super) client_id: u64,
    pub(super) first: std::vec::IntoIter<Bytes>,
    pub(super) queue: mpsc::Receiver<Bytes>,
    pub(super) thread: Arc<Thread>,
    pub(super) inbox: mpsc::Sender<Command>,
}

impl Ear {
    /// The connection's number.
    pub fn client_id(&self) -> u64 {
        self.client_id
    }

    /// The next frame; the reason once there will be none.
    pub async fn next(&mut self) -> Result<Bytes, Farewell> {
        if let Some(frame) = self.first.next() {
            return Ok(frame);
        }
        match self.queue.recv().await {
            Some(frame) => Ok(frame),
            None => Err(self.thread.farewell().unwrap_or(Farewell::Stopping)),
        }
    }

    /// A frame that is there already.
    pub fn ready(&mut self) -> Option<Bytes> {
        self.first.next().or_else(|| self.queue.try_recv().ok())
    }

    /// Completes when the room has given up on this listener, so that a write nobody takes can be given up too.
    pub async fn given_up(&self) {
        loop {
            let cut = self.thread.cut.notified();
            if self.thread.farewell() == Some(Farewell::TooSlow) {
                return;
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
