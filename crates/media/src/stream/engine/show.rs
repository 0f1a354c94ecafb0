//! Publishes the task's state.

use model::StreamState;

use super::Engine;
use crate::stream::mirror::{ShownBroadcast, is_playable};
use crate::stream::report::SessionInfo;

impl Engine {
    pub(super) fn show(&mut self) {
        let is_playable = is_playable(&self.live_snapshot);
        let viewers = self.shared.viewers.count(self.shared.clock.uptime());
        let shown = match &mut self.broadcast {
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
            None => self.shared.mirrored().unwrap_or(ShownBroadcast::NONE),
        };
        self.shared.note_fence(self.fence);
        self.shared
            .publish_status(&self.status, shown, is_playable, viewers);
    }
}
