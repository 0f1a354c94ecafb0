//! The end of a broadcast.

use std::panic::AssertUnwindSafe;

use super::{AFTERGLOW, Broadcast, Engine};
use crate::hls::OnAir;

impl Engine {
    /// The operator ends the broadcast.
    pub(super) async fn dismiss(&mut self) -> bool {
        match &mut self.broadcast {
            Some(Broadcast {
                publisher: Some(publisher),
                ..
            }) => {
                publisher.is_dismissed = true;
                publisher.revoked.cancel();
                true
            }
            Some(_) => {
                self.end("ended by the operator").await;
                true
            }
            None => false,
        }
    }

    pub(super) async fn end(&mut self, reason: &str) {
        self.save_progress();
        let Some(broadcast) = self.broadcast.take() else {
            return;
        };
        if let Some(packager) = broadcast.packager {
            // A panic in the packager must not end this task.
            let finished = std::panic::catch_unwind(AssertUnwindSafe(|| packager.finish()));
            if finished.is_err() {
                tracing::error!("the end of the stream could not be written");
                self.live_snapshot.send_replace(None);
            }
        }
        self.clears_at = Some(self.shared.clock.uptime() + AFTERGLOW);
        if broadcast.live_since.is_some() {
            tracing::info!(id = broadcast.id, reason, "offline");
            self.history
                .end(broadcast.id, self.shared.clock.now(), broadcast.peak)
                .await;
        } else {
            tracing::info!(
                reason,
                "the publisher is gone before anything could be shown"
            );
        }
        self.shared.viewers.clear();
        self.show();
    }

    /// Another server goes on with the broadcast. Until that one tells of it, this one shows what it has.
    pub(super) fn hand_over(&mut self, reason: &str) {
        let live = self.broadcast.take_if(|one| one.live_since.is_some());
        let Some(broadcast) = live else {
            self.discard(reason);
            return;
        };
        let Some(started_at) = broadcast.live_since else {
            return;
        };
        let id = broadcast.id;
        tracing::info!(id, reason, "this server has the broadcast no more");
        self.shared.expect_elsewhere(OnAir {
            id,
            started_at,
            peak_viewers: broadcast.peak,
            level: broadcast.settings.level.number(),
            is_waiting: true,
        });
        self.show();
    }

    /// Ends the broadcast on this server only. Its playlists are not ended, because they may go on elsewhere.
    pub(super) fn discard(&mut self, reason: &str) {
        let Some(broadcast) = self.broadcast.take() else {
            return;
        };
        let id = broadcast.id;
        tracing::info!(id, reason, "this server has the broadcast no more");
        self.clears_at = Some(self.shared.clock.uptime() + AFTERGLOW);
        self.shared.viewers.clear();
        self.show();
    }
}
