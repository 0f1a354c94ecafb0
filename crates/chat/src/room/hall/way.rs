//! How frames get to a listener.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc::{self, error::TrySendError};

use super::super::Straight;
use crate::heard::Farewell;

/// One listener's way.
#[derive(Debug)]
pub(super) enum Way {
    /// Somebody takes them from here.
    Queue(mpsc::Sender<Bytes>),
    /// By our own hand.
    Straight(Arc<dyn Straight>),
}

impl Way {
    /// Gives the listener these frames; `wrapped` is the same for sockets.
    pub(super) fn give(&self, frames: &[Bytes], wrapped: &Bytes) -> Result<(), Farewell> {
        match self {
            Self::Straight(way) => way.give(wrapped, frames.len()),
            Self::Queue(queue) => {
                for frame in frames {
                    queue.try_send(frame.clone()).map_err(|error| match error {
                        TrySendError::Full(_) => Farewell::TooSlow,
                        TrySendError::Closed(_) => Farewell::Removed,
                    })?;
                }
                Ok(())
            }
        }
    }
}
