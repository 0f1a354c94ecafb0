//! Shows on this server a broadcast that another one takes in.
//!
//! The engine and the mirror write the same status: of the engine's broadcast if it has one, and else of the mirrored one.

use std::sync::Arc;
use std::time::Duration;

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

    /// Whether this server takes in the stream now. Then nothing that others tell is of use to it.
    pub fn takes_in(&self) -> watch::Receiver<bool> {
        self.shared.takes_in.subscribe()
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
        let ReplicaView {
            epoch,
            snapshot,
            on_air,
        } = told;
        self.replace(snapshot, on_air, |_, own| own.is_none_or(|own| epoch > own));
    }

    /// Takes another server's broadcast off if nothing was heard of it for so long.
    pub fn give_up_after(&self, patience: Duration) {
        let now = self.shared.clock.uptime();
        self.replace(None, None, |view, _| {
            view.mirrored.is_some() && now.saturating_sub(view.heard_at) >= patience
        });
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

    /// Shows this if it `is_due`, considering also which holder of the stream this server was last.
    fn replace(
        &self,
        snapshot: Option<Arc<Snapshot>>,
        on_air: Option<OnAir>,
        is_due: impl FnOnce(&StreamView, Option<u64>) -> bool,
    ) {
        let has_ended = {
            let Ok(mut view) = self.shared.view.lock() else {
                return;
            };
            // Under the lock, so that it never replaces what this server has taken in meanwhile.
            let own = *self.shared.epoch.borrow();
            if !is_due(&view, own) {
                return;
            }
            let was_on = view.mirrored.is_some();
            let id = |on_air: &Option<OnAir>| on_air.as_ref().map(|one| one.id.clone());
            // Its next holder may know nothing of what viewers have seen, and lists something soon.
            let goes_on = on_air.is_some() && id(&view.mirrored) == id(&on_air);
            let before = self.live_snapshot.borrow().clone();
            let snapshot = snapshot.or(before.filter(|_| goes_on));
            view.mirrored = on_air;
            view.heard_at = self.shared.clock.uptime();
            // Whoever waits for news is woken by news only.
            self.live_snapshot.send_if_modified(|shown| {
                let is_same = match (&*shown, &snapshot) {
                    (Some(known), Some(told)) => Arc::ptr_eq(known, told),
                    (None, None) => true,
                    _ => false,
                };
                *shown = snapshot;
                !is_same
            });
            was_on && view.mirrored.is_none()
        };
        if has_ended {
            self.shared.viewers.clear();
        }
        match self.shared.mirrored() {
            Some(shown) => self.publish(shown),
            None if self.is_shown() => self.publish(ShownBroadcast::NONE),
            // The engine's own state is the one that is published.
            None => {}
        }
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
        if let Ok(mut view) = self.view.lock() {
            // Those before have nothing to show here any more.
            view.mirrored = None;
            self.epoch.send_replace(epoch);
        }
    }

    /// Another server goes on with this broadcast, and has not told of it yet.
    pub(super) fn expect_elsewhere(&self, on_air: OnAir) {
        if let Ok(mut view) = self.view.lock()
            && view.mirrored.is_none()
        {
            view.mirrored = Some(on_air);
            view.heard_at = self.clock.uptime();
        }
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

    use bytes::Bytes;
    use jiff::Timestamp;
    use testkit::ManualClock;

    use super::*;
    use crate::hls::{RenderedText, Targets};

    fn mirror_of(clock: Arc<ManualClock>) -> StreamMirror {
        let shared = StreamShared {
            view: Mutex::default(),
            viewers: super::super::Viewers::default(),
            transcoder_status: super::super::transcoding::TranscoderStatusSender::default(),
            names: AtomicU64::new(0),
            epoch: watch::Sender::new(None),
            takes_in: watch::Sender::new(false),
            logged: Mutex::default(),
            clock,
        };
        let status = watch::Sender::new(StreamStatus::default());
        StreamMirror::new(Arc::new(shared), watch::Sender::new(None), status)
    }

    fn mirror() -> StreamMirror {
        mirror_of(Arc::new(ManualClock::default()))
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
        let clock = Arc::new(ManualClock::default());
        let mirror = mirror_of(Arc::clone(&clock));
        let patience = Duration::from_secs(60);
        clock.advance(patience);
        mirror.give_up_after(patience);
        assert!(mirror.status.borrow().last_disconnect.is_none());
        mirror.show(told(1, Some("first")));
        clock.advance(patience / 2);
        mirror.show(told(1, Some("first")));
        clock.advance(patience / 2);
        mirror.give_up_after(patience);
        assert_eq!(mirror.status.borrow().state, StreamState::Live);
        clock.advance(patience / 2);
        mirror.give_up_after(patience);
        assert_eq!(mirror.status.borrow().state, StreamState::Offline);
    }

    #[test]
    fn a_broadcast_that_another_server_goes_on_with_waits_until_that_one_tells_of_it() {
        let clock = Arc::new(ManualClock::default());
        let mirror = mirror_of(Arc::clone(&clock));
        clock.advance(Duration::from_secs(3600));
        mirror.shared.note_fence(Some(1));
        let on_air = OnAir {
            is_waiting: true,
            ..told(2, Some("first")).on_air.unwrap()
        };
        mirror.shared.expect_elsewhere(on_air.clone());
        mirror.give_up_after(Duration::from_secs(60));
        let shown = mirror.shared.mirrored().unwrap();
        assert_eq!(shown.state, StreamState::Waiting);
        mirror.show(told(2, Some("first")));
        // What comes late takes nothing back.
        mirror.shared.expect_elsewhere(on_air);
        assert_eq!(mirror.shared.mirrored().unwrap().state, StreamState::Live);
    }

    #[test]
    fn viewers_keep_a_list_until_the_next_holder_of_the_broadcast_has_one() {
        let mirror = mirror();
        let list = Arc::new(Snapshot {
            token: 1,
            master: RenderedText {
                plain: Bytes::new(),
                gzip: Bytes::new(),
            },
            main: None,
            audio: None,
            aac: None,
            rungs: Vec::new(),
            is_ended: false,
            targets: Targets::choose(LatencyLevel::new(2), None, None),
            described: Arc::default(),
        });
        let first = ReplicaView {
            snapshot: Some(list),
            ..told(1, Some("first"))
        };
        mirror.show(first);
        mirror.show(told(2, Some("first")));
        assert!(mirror.live_snapshot.borrow().is_some());
        assert!(mirror.status.borrow().is_online);
        mirror.show(told(2, Some("second")));
        assert!(mirror.live_snapshot.borrow().is_none());
    }

    #[test]
    fn what_is_told_of_others_does_not_touch_a_broadcast_of_this_server() {
        let mirror = mirror();
        mirror.shared.note_fence(Some(1));
        let own = ShownBroadcast::mirrored(&told(1, Some("own")).on_air.unwrap());
        let own = ShownBroadcast {
            is_mirrored: false,
            ..own
        };
        let status = &mirror.status;
        mirror.shared.publish_status(status, own, true, 0);
        mirror.show(told(2, None));
        assert_eq!(mirror.status.borrow().state, StreamState::Live);
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
