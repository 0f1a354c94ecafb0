//! Renames the files of the stream.

use std::sync::atomic::Ordering;

use super::{Engine, history};

impl Engine {
    /// The current publication picks the change up with its next frame.
    pub(super) fn renew_names(&mut self) {
        let names = history::random_token();
        self.shared.names.store(names, Ordering::Relaxed);
        match &mut self.broadcast {
            Some(broadcast) => {
                if let Some(packager) = &mut broadcast.packager {
                    packager.rename(names);
                }
            }
            // The server that takes it in renames it.
            None if self.shared.mirrored().is_some() => {}
            // An ended stream that can still be played has the old names.
            None => drop(self.live_snapshot.send_replace(None)),
        }
        tracing::info!("the files of the stream have new names");
    }
}
