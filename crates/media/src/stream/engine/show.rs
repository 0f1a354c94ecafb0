//! Publishes the task's state.

use std::time::Duration;

use model::StreamState;

use super::{AFTERGLOW, Engine};
use crate::stream::mirror::{ShownBroadcast, is_playable};
use crate::stream::report::SessionInfo;

impl Engine {
    pub(super) fn show(&mut self) {
        self.shared.note_fence(self.fence);
        let is_playable = is_playable(&self.live_snapshot);
        let viewers = self.shared.viewers.count(self.shared.clock.uptime());
        let own = match &mut self.broadcast {
            Some(broadcast) => {
                let is_live = broadcast.live_since.is_some();
                let is_waiting = broadcast.publisher.is_none();
                broadcast.peak = broadcast.peak.max(viewers);
                let state = match (is_live, is_waiting) {
                    (false, _) => StreamState::Offline,
                    (true, false) => StreamState::Live,
                    (true, true) => StreamState::Waiting,
                };
                let session = broadcast.live_since.map(|started_at| SessionInfo {
                    id: broadcast.id.clone(),
                    started_at,
                    peak_viewers: broadcast.peak,
                    level: broadcast.settings.level,
                });
                ShownBroadcast {
                    state,
                    session,
                    is_mirrored: false,
                }
            }
            None => ShownBroadcast::NONE,
        };
        // What is mirrored is of a later holder of the stream than this server was.
        let shown = self.shared.mirrored().unwrap_or(own);
        self.shared
            .publish_status(&self.status, shown, is_playable, viewers);
    }

    /// Takes off what is left of an ended stream when its time is over, also of one that another server took in before this
    /// one did. That server's own broadcast is not ours to take off.
    pub(super) fn clear_leftovers(&mut self, now: Duration) {
        if self.shared.mirrored().is_some() {
            // What ended before it was replaced by it.
            self.clears_at = None;
            return;
        }
        if self.broadcast.is_some() {
            return;
        }
        if self.live_snapshot.borrow().is_none() {
            self.clears_at = None;
            return;
        }
        let clears_at = *self.clears_at.get_or_insert(now + AFTERGLOW);
        if now >= clears_at {
            self.clears_at = None;
            self.live_snapshot.send_replace(None);
        }
    }
}
