//! Shows on this server a broadcast that another one takes in.
//!
//! The engine and the mirror write the same status: of the engine's broadcast if it has one, and else of the mirrored one.

use std::sync::Arc;

use model::{StreamState, StreamStatus};
use tokio::sync::watch;

use super::handle::{StreamShared, StreamView};
use super::report::SessionInfo;
use crate::hls::{LatencyLevel, OnAir, ReplicaView, Snapshot};

/// What is on air, and whether it is another server's.
#[derive(Debug)]
pub(super) struct ShownBroadcast {
    pub(super) state: StreamState,
    pub(super) session: Option<SessionInfo>,
    pub(super) is_mirrored: bool,
}

/// The way of another server's broadcast to the viewers of this one. Cheap to clone.
#[derive(Clone, Debug)]
pub struct StreamMirror {
    shared: Arc<StreamShared>,
    live_snapshot: watch::Sender<Option<Arc<Snapshot>>>,
    status: watch::Sender<StreamStatus>,
}

impl StreamMirror {
    pub(super) fn new(
        shared: Arc<StreamShared>,
        live_snapshot: watch::Sender<Option<Arc<Snapshot>>>,
        status: watch::Sender<StreamStatus>,
    ) -> Self {
        Self {
            shared,
            live_snapshot,
            status,
        }
    }

    /// Which holder of the stream this server is, or was last; `None` if it never took it in.
    pub fn epoch(&self) -> watch::Receiver<Option<u64>> {
        self.shared.epoch.subscribe()
    }

    /// Every snapshot of this server.
    pub fn snapshots(&self) -> watch::Receiver<Option<Arc<Snapshot>>> {
        self.live_snapshot.subscribe()
    }

    /// The broadcast that this server takes in, to be told to others.
    pub fn on_air(&self) -> Option<OnAir> {
        let view = self.shared.view.lock().ok()?;
        let session = view.session.as_ref().filter(|_| !view.is_mirrored)?;
        Some(OnAir {
            id: session.id.clone(),
            started_at: session.started_at,
            peak_viewers: session.peak_viewers,
            level: session.level.number(),
            is_waiting: view.state == StreamState::Waiting,
        })
    }

    /// Shows what another server tells, unless this one took in the stream after it.
    pub fn show(&self, told: ReplicaView) {
        let own = *self.shared.epoch.borrow();
        if own.is_some_and(|own| told.epoch <= own) {
            return;
        }
        self.replace(told.snapshot, told.on_air);
    }

    /// Nothing was heard of another server's broadcast for too long.
    pub fn give_up(&self) {
        let is_mirroring = match self.shared.view.lock() {
            Ok(view) => view.mirrored.is_some(),
            Err(_) => false,
        };
        if is_mirroring {
            self.replace(None, None);
        }
    }

    /// Counts the viewers again.
    pub fn count_viewers(&self) {
        if self.is_shown()
            && let Some(shown) = self.shared.mirrored()
        {
            self.publish(shown);
        }
    }

    /// Whether the present state is another server's.
    fn is_shown(&self) -> bool {
        let view = self.shared.view.lock();
        view.is_ok_and(|view| view.is_mirrored)
    }

    fn replace(&self, snapshot: Option<Arc<Snapshot>>, on_air: Option<OnAir>) {
        let has_ended = match self.shared.view.lock() {
            Ok(mut view) => {
                let was_on = view.mirrored.is_some();
                view.mirrored = on_air;
                was_on && view.mirrored.is_none()
            }
            Err(_) => false,
        };
        if has_ended {
            self.shared.viewers.clear();
        }
        self.live_snapshot.send_replace(snapshot);
        self.publish(self.shared.mirrored().unwrap_or(ShownBroadcast::NONE));
    }

    fn publish(&self, shown: ShownBroadcast) {
        let viewers = self.shared.viewers.count(self.shared.clock.uptime());
        let is_playable = is_playable(&self.live_snapshot);
        self.shared
            .publish_status(&self.status, shown, is_playable, viewers);
    }
}

/// Whether the newest snapshot is one of a stream that goes on.
pub(super) fn is_playable(live_snapshot: &watch::Sender<Option<Arc<Snapshot>>>) -> bool {
    let snapshot = live_snapshot.borrow();
    snapshot.as_ref().is_some_and(|snapshot| !snapshot.is_ended)
}

impl ShownBroadcast {
    pub(super) const NONE: Self = Self {
        state: StreamState::Offline,
        session: None,
        is_mirrored: false,
    };

    fn mirrored(on_air: &OnAir) -> Self {
        Self {
            state: match on_air.is_waiting {
                true => StreamState::Waiting,
                false => StreamState::Live,
            },
            session: Some(SessionInfo {
                id: on_air.id.clone(),
                started_at: on_air.started_at,
                peak_viewers: on_air.peak_viewers,
                level: LatencyLevel::new(on_air.level),
            }),
            is_mirrored: true,
        }
    }
}

impl StreamShared {
    /// The broadcast of another server.
    pub(super) fn mirrored(&self) -> Option<ShownBroadcast> {
        let view = self.view.lock().ok()?;
        view.mirrored.as_ref().map(ShownBroadcast::mirrored)
    }

    /// Remembers under which number this server took in the stream last.
    pub(super) fn note_fence(&self, fence: Option<i64>) {
        let epoch = fence.and_then(|fence| u64::try_from(fence).ok());
        if *self.epoch.borrow() == epoch {
            return;
        }
        // Those before have nothing to show here any more.
        if let Ok(mut view) = self.view.lock() {
            view.mirrored = None;
        }
        self.epoch.send_replace(epoch);
    }

    pub(super) fn publish_status(
        &self,
        status: &watch::Sender<StreamStatus>,
        shown: ShownBroadcast,
        is_playable: bool,
        viewers: u32,
    ) {
        let ShownBroadcast {
            state,
            session,
            is_mirrored,
        } = shown;
        // Whoever is woken by the status finds nothing older in the report.
        if let Ok(mut view) = self.view.lock() {
            let StreamView {
                state: known_state,
                session: known_session,
                is_mirrored: known_mirrored,
                ..
            } = &mut *view;
            *known_state = state;
            known_session.clone_from(&session);
            *known_mirrored = is_mirrored;
        }
        let now = self.clock.now();
        status.send_if_modified(|status| {
            let before = status.clone();
            let was_in_session = status.state != StreamState::Offline;
            status.state = state;
            status.is_online = state != StreamState::Offline && is_playable;
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicU64;

    use jiff::Timestamp;
    use testkit::ManualClock;

    use super::*;

    fn mirror() -> StreamMirror {
        let shared = StreamShared {
            view: Mutex::default(),
            viewers: super::super::Viewers::default(),
            transcoder_status: super::super::transcoding::TranscoderStatusSender::default(),
            names: AtomicU64::new(0),
            epoch: watch::Sender::new(None),
            clock: Arc::new(ManualClock::default()),
        };
        let status = watch::Sender::new(StreamStatus::default());
        StreamMirror::new(Arc::new(shared), watch::Sender::new(None), status)
    }

    fn told(epoch: u64, id: Option<&str>) -> ReplicaView {
        ReplicaView {
            epoch,
            snapshot: None,
            on_air: id.map(|id| OnAir {
                id: id.into(),
                started_at: Timestamp::UNIX_EPOCH,
                peak_viewers: 3,
                level: 2,
                is_waiting: false,
            }),
        }
    }

    #[test]
    fn another_servers_broadcast_is_shown_until_it_ends_and_is_not_told_again() {
        let mirror = mirror();
        mirror.show(told(1, Some("first")));
        assert_eq!(mirror.status.borrow().state, StreamState::Live);
        assert_eq!(mirror.status.borrow().session_peak, 3);
        assert!(mirror.on_air().is_none());
        mirror.show(told(1, None));
        let status = mirror.status.borrow().clone();
        assert_eq!(status.state, StreamState::Offline);
        assert!(status.last_disconnect.is_some());
    }

    #[test]
    fn a_broadcast_that_nothing_is_heard_of_is_over() {
        let mirror = mirror();
        mirror.give_up();
        assert!(mirror.status.borrow().last_disconnect.is_none());
        mirror.show(told(1, Some("first")));
        mirror.give_up();
        assert_eq!(mirror.status.borrow().state, StreamState::Offline);
    }

    #[test]
    fn only_a_later_holder_of_the_stream_is_shown() {
        let mirror = mirror();
        mirror.shared.note_fence(Some(2));
        mirror.show(told(1, Some("before")));
        mirror.show(told(2, Some("own")));
        assert_eq!(mirror.status.borrow().state, StreamState::Offline);
        mirror.show(told(3, Some("after")));
        assert_eq!(mirror.status.borrow().state, StreamState::Live);
        mirror.shared.note_fence(Some(4));
        assert!(mirror.shared.mirrored().is_none());
    }
}
