//! The receiving end of a connection.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use bytes::Bytes;
use tokio::sync::{Notify, mpsc};

use super::RoomCommand;
use crate::event::CloseReason;

/// State shared by a connection and the room.
#[derive(Debug, Default)]
pub(crate) struct SessionShared {
    /// A [`CloseReason`], or 0 while the connection is open.
    fate: AtomicU8,
    cut: Notify,
    /// Number of lines sent from it.
    pub(crate) lines: AtomicU32,
}

impl SessionShared {
    pub(super) fn end(&self, reason: CloseReason) {
        let fate = match reason {
            CloseReason::TooSlow => 1,
            CloseReason::Removed => 2,
            CloseReason::Stopping => 3,
            CloseReason::Changed => 4,
        };
        self.fate.store(fate, Ordering::Release);
        self.cut.notify_waiters();
    }

    fn close_reason(&self) -> Option<CloseReason> {
        match self.fate.load(Ordering::Acquire) {
            0 => None,
            1 => Some(CloseReason::TooSlow),
            2 => Some(CloseReason::Removed),
            4 => Some(CloseReason::Changed),
            _ => Some(CloseReason::Stopping),
        }
    }
}

/// Writes to a listener without a queue or a task: no task wakes for a line, and nothing is kept for listeners that
/// keep up.
pub trait DirectWriter: fmt::Debug + Send + Sync {
    /// Writes `count` frames, one after the other. It must not wait: frames that cannot be sent now are kept for later,
    /// up to [`LISTENER_QUEUE`](super::LISTENER_QUEUE) frames. The error is why the listener has to be disconnected.
    fn write_frames(&self, frames: &Bytes, count: usize) -> Result<(), CloseReason>;
}

/// Why a listener's queue has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecvError {
    /// The room writes directly to the listener from now on.
    Direct,
    /// The connection is closed.
    Closed(CloseReason),
}

/// The receiving end of a connection; dropping it leaves the room.
#[derive(Debug)]
pub struct ClientReceiver {
    pub(super) client_id: u64,
    pub(super) first: std::vec::IntoIter<Bytes>,
    pub(super) queue: mpsc::Receiver<Bytes>,
    pub(super) session_shared: Arc<SessionShared>,
    pub(super) inbox: mpsc::Sender<RoomCommand>,
    pub(super) is_direct: bool,
}

impl ClientReceiver {
    /// The connection's number.
    pub fn client_id(&self) -> u64 {
        self.client_id
    }

    /// The next frame; the error is why there are no more.
    pub async fn next(&mut self) -> Result<Bytes, RecvError> {
        if let Some(frame) = self.first.next() {
            return Ok(frame);
        }
        match self.queue.recv().await {
            Some(frame) => Ok(frame),
            None => Err(match self.session_shared.close_reason() {
                Some(reason) => RecvError::Closed(reason),
                None if self.is_direct => RecvError::Direct,
                None => RecvError::Closed(CloseReason::Stopping),
            }),
        }
    }

    /// A frame that is already queued.
    pub fn ready(&mut self) -> Option<Bytes> {
        self.first.next().or_else(|| self.queue.try_recv().ok())
    }

    /// Asks the room to write directly to the listener. Frames queued before that come first: the writer has to keep
    /// what it is given until [`next`](Self::next) returns [`RecvError::Direct`].
    pub async fn go_direct(&mut self, writer: Arc<dyn DirectWriter>) {
        self.is_direct = true;
        // Without the room task the queue ends, and `next` reports that.
        drop(
            self.inbox
                .send(RoomCommand::WriteDirectly(self.client_id, writer))
                .await,
        );
    }

    /// Completes when the listener has to disconnect.
    pub async fn closed(&self) -> CloseReason {
        loop {
            let cut = self.session_shared.cut.notified();
            tokio::pin!(cut);
            // Enabled before the check, or a signal between check and wait would be missed.
            cut.as_mut().enable();
            if let Some(reason) = self.session_shared.close_reason() {
                return reason;
            }
            cut.await;
        }
    }
}

impl Drop for ClientReceiver {
    fn drop(&mut self) {
        let leave = RoomCommand::Leave(self.client_id);
        if let Err(mpsc::error::TrySendError::Full(leave)) = self.inbox.try_send(leave) {
            let inbox = self.inbox.clone();
            // The room is busy and gets the message a moment later. If it has ended, no message is needed.
            tokio::spawn(async move { drop(inbox.send(leave).await) });
        }
    }
}
