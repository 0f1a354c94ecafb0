//! How frames reach a listener: through a queue, or by a direct write.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc::{self, error::TrySendError};

use super::super::DirectWriter;
use crate::event::CloseReason;

/// Where the frames of one listener go.
#[derive(Debug)]
pub(super) enum Outlet {
    /// The listener's task reads them from here.
    Queue(mpsc::Sender<Bytes>),
    /// The room task writes them itself.
    Direct(Arc<dyn DirectWriter>),
}

impl Outlet {
    /// Sends these frames to the listener; `wrapped` is the same in socket framing.
    pub(super) fn send(&self, frames: &[Bytes], wrapped: &Bytes) -> Result<(), CloseReason> {
        match self {
            Self::Direct(writer) => writer.write_frames(wrapped, frames.len()),
            Self::Queue(queue) => {
                for frame in frames {
                    queue.try_send(frame.clone()).map_err(|error| match error {
                        TrySendError::Full(_) => CloseReason::TooSlow,
                        TrySendError::Closed(_) => CloseReason::Removed,
                    })?;
                }
                Ok(())
            }
        }
    }
}
