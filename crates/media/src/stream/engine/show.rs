//! Publishes the task's state.

use model::StreamState;

use super::Engine;
use crate::stream::report::SessionInfo;

impl Engine {
    pub(super) fn show(&mut self) {
        let snapshot_is_live = self
            .live_snapshot
            .borrow()
            .as_ref()
            .is_some_and(|snapshot| !snapshot.is_ended);
        let viewers = self.shared.viewers.count(self.shared.clock.uptime());
        let (state, session) = match &mut self.broadcast {
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
                (state, session)
            }
            None => (StreamState::Offline, None),
        };
        // Whoever is woken by the status finds nothing older in the report.
        if let Ok(mut view) = self.shared.view.lock() {
            view.state = state;
            view.session.clone_from(&session);
        }
        let now = self.shared.clock.now();
        self.status.send_if_modified(|status| {
            let before = status.clone();
            let was_in_session = status.state != StreamState::Offline;
            status.state = state;
            status.is_online = state != StreamState::Offline && snapshot_is_live;
            status.viewers = if status.is_online { viewers } else { 0 };
            match &session {
                Some(session) => {
                    status.last_connect = Some(session.started_at);
                    status.session_peak = session.peak_viewers;
                    status.overall_peak = status.overall_peak.max(session.peak_viewers);
                }
                None if was_in_session => status.last_disconnect = Some(now),
                None => {}
            }
            *status != before
        });
        metrics::gauge!("rillcast_viewers").set(f64::from(viewers));
    }
}
