//! The handle to the stream.

use std::net::IpAddr;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use model::{Clock, StreamState, StreamStatus};
use store::settings::Settings;
use store::{Lease, Leases, Store};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::diagnosis::diagnose;
use super::engine::{Engine, StreamCommand};
use super::health::Meter;
use super::mirror::StreamMirror;
use super::peers::{IngestPeers, NoPeers};
use super::report::{BroadcastReport, PublisherInfo, SessionInfo};
use super::transcoding::TranscoderStatusSender;
use super::viewer_marks::ViewerMark;
use super::viewers::{ViewerId, ViewerInfo, ViewerRequest, Viewers};
use crate::hls::{LiveSnapshot, OnAir};
use crate::transcoder::TranscoderStatus;

/// Requests to the owning task that may wait; more than a handful at once means somebody is hammering the port, and
/// they wait in line.
const INBOX: usize = 16;

/// The state that the task publishes.
#[derive(Debug, Default)]
pub(super) struct StreamView {
    pub(super) state: StreamState,
    pub(super) session: Option<SessionInfo>,
    pub(super) publisher: Option<PublisherInfo>,
    pub(super) wrong_key_at: Option<Timestamp>,
    pub(super) meter: Arc<Meter>,
    /// The broadcast that another server takes in.
    pub(super) mirrored: Option<OnAir>,
    /// Whether the state is that one's.
    pub(super) is_mirrored: bool,
    /// When something was heard of it last (time since the start of the process).
    pub(super) heard_at: Duration,
}

#[derive(Debug)]
pub(super) struct StreamShared {
    pub(super) view: Mutex<StreamView>,
    pub(super) viewers: Viewers,
    pub(super) transcoder_status: TranscoderStatusSender,
    /// Determines the names of the stream's files; see [`Stream::renew_names`].
    pub(super) names: AtomicU64,
    /// Which holder of the stream this server is, or was last.
    pub(super) epoch: watch::Sender<Option<u64>>,
    /// Whether it takes in the stream, where several servers could.
    pub(super) takes_in: watch::Sender<bool>,
    /// A broadcast that another process began, and where its recording ends on the time line of the media.
    pub(super) logged: Mutex<Option<(String, i64)>>,
    pub(super) clock: Arc<dyn Clock>,
}

/// The broadcast that this server takes in, in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalBroadcast {
    /// The id in the history.
    pub id: String,
    /// Live, or waiting for the publisher to come back.
    pub state: StreamState,
    /// Whether the key that is published with says that it is to be recorded.
    pub is_recorded: bool,
}

/// The one stream.
#[derive(Clone, Debug)]
pub struct Stream {
    pub(super) inbox: mpsc::Sender<StreamCommand>,
    pub(super) shared: Arc<StreamShared>,
    live_snapshot: LiveSnapshot,
    status: watch::Receiver<StreamStatus>,
    /// Where several servers have one database.
    mirror: Option<StreamMirror>,
}

impl Stream {
    /// Creates the stream; the returned future owns it and ends after `stop` is cancelled. Where several servers have one
    /// database it is empty until a broadcaster comes to this one.
    pub async fn open(
        store: Store,
        settings: Settings,
        clock: Arc<dyn Clock>,
        leases: Leases,
        stop: CancellationToken,
    ) -> Result<(Self, impl Future<Output = ()> + Send), store::StoreError> {
        Self::open_beside(store, settings, clock, leases, Arc::new(NoPeers), stop).await
    }

    /// The same where something is heard of the other servers.
    pub async fn open_beside(
        store: Store,
        settings: Settings,
        clock: Arc<dyn Clock>,
        leases: Leases,
        peers: Arc<dyn IngestPeers>,
        stop: CancellationToken,
    ) -> Result<(Self, impl Future<Output = ()> + Send), store::StoreError> {
        let (inbox, mut requests) = mpsc::channel(INBOX);
        let (publish, live_snapshot) = LiveSnapshot::new();
        let shared = Arc::new(StreamShared {
            view: Mutex::default(),
            viewers: Viewers::default(),
            transcoder_status: TranscoderStatusSender::default(),
            names: AtomicU64::new(0),
            epoch: watch::Sender::new(None),
            takes_in: watch::Sender::new(false),
            logged: Mutex::default(),
            clock,
        });
        let (mut engine, history_writer) =
            Engine::new(store.clone(), settings, Arc::clone(&shared), publish);
        let is_alone = leases.is_alone();
        if is_alone {
            engine.resume(&store).await?;
        }
        let status = engine.status();
        let stream = Self {
            inbox,
            shared,
            live_snapshot,
            status,
            mirror: (!is_alone).then(|| engine.mirror()),
        };
        let work = async move {
            if !is_alone {
                drop(history_writer);
                engine.share(leases, store, peers, requests, stop).await;
                return;
            }
            let running = async {
                engine.run(&mut requests, &stop, |_| false).await;
                drop(engine);
            };
            // The history writer ends once the engine has ended and everything is written.
            let (_, always) = watch::channel(Lease::always());
            futures_util::future::join(running, history_writer.run(always)).await;
        };
        Ok((stream, work))
    }

    /// Says where the recording of a broadcast ends on the time line of the media, which goes on from there when the
    /// publisher comes back. Only of use before it does.
    pub fn go_on_after(&self, broadcast: &str, end_us: i64) {
        if let Ok(mut logged) = self.shared.logged.lock() {
            *logged = Some((broadcast.to_owned(), end_us));
        }
    }

    pub fn live_snapshot(&self) -> &LiveSnapshot {
        &self.live_snapshot
    }

    /// Whether the stream is online and since when, and the number of viewers.
    pub fn status(&self) -> watch::Receiver<StreamStatus> {
        self.status.clone()
    }

    /// For showing the broadcasts of other servers; `None` if there are no others.
    pub fn mirror(&self) -> Option<&StreamMirror> {
        self.mirror.as_ref()
    }

    /// Whether another server takes in the present broadcast.
    pub fn is_mirrored(&self) -> bool {
        let view = self.shared.view.lock();
        view.is_ok_and(|view| view.is_mirrored)
    }

    /// The broadcast that this server takes in, once something of it can be watched.
    pub fn broadcast_here(&self) -> Option<LocalBroadcast> {
        let view = self.shared.view.lock().ok()?;
        let session = view.session.as_ref().filter(|_| !view.is_mirrored)?;
        let publisher = view.publisher.as_ref();
        Some(LocalBroadcast {
            id: session.id.clone(),
            state: view.state,
            is_recorded: publisher.is_some_and(|publisher| publisher.is_recorded),
        })
    }

    /// Records a viewer. `None` if nothing can be watched, or if the viewer is not counted.
    pub fn note_viewer(&self, request: &ViewerRequest<'_>) -> Option<ViewerId> {
        if !self.status.borrow().is_online {
            return None;
        }
        let now = self.shared.clock.uptime();
        self.shared.viewers.note(request, now)
    }

    /// Whether somebody is watching from this address or its IPv6 network.
    pub fn is_watched_from(&self, address: IpAddr) -> bool {
        self.shared.viewers.is_watched_from(address)
    }

    /// The viewers, those who have watched longest first.
    pub fn viewers(&self) -> Vec<ViewerInfo> {
        self.shared.viewers.list()
    }

    /// Viewers at this machine alone, where [`Stream::status`] tells of all machines.
    pub fn viewers_here(&self) -> u32 {
        let is_online = self.status.borrow().is_online;
        match is_online {
            true => self.shared.viewers.count_here(self.shared.clock.uptime()),
            false => 0,
        }
    }

    /// Lets this machine and others that are given the same key recognise each other's viewers.
    pub fn mark_viewers_with(&self, key: &[u8]) {
        self.shared.viewers.mark_with(key);
    }

    /// The marks of the viewers at this machine; `None` if there are more than `most`.
    pub fn viewer_marks(&self, most: usize) -> Option<Vec<ViewerMark>> {
        self.shared.viewers.marks(most)
    }

    /// How many watch at other machines and not at this one.
    pub fn set_viewers_elsewhere(&self, viewers: u32) {
        self.shared.viewers.set_elsewhere(viewers);
    }

    /// The broadcast's encoder; `None` if nothing is encoded.
    pub fn transcoder_status(&self) -> Option<Arc<TranscoderStatus>> {
        self.shared.transcoder_status.borrow().clone()
    }

    /// The report for the operator.
    pub fn report(&self) -> BroadcastReport {
        let (state, session, mut publisher, wrong_key_at, meter) = {
            let Ok(view) = self.shared.view.lock() else {
                return BroadcastReport::default();
            };
            (
                view.state,
                view.session.clone(),
                view.publisher.clone(),
                view.wrong_key_at,
                Arc::clone(&view.meter),
            )
        };
        let reading = meter.read();
        let is_publishing = publisher.is_some();
        // The name sent at connect is rarely informative: for most, that of an old Flash version.
        if let Some(publisher) = &mut publisher
            && !reading.encoder.is_empty()
        {
            publisher.encoder.clone_from(&reading.encoder);
        }
        BroadcastReport {
            state,
            session,
            publisher,
            wrong_key_at,
            advice: if is_publishing {
                diagnose(&reading)
            } else {
                Vec::new()
            },
            inbound: reading.samples,
            key_interval_ms: reading.key_interval_ms,
            tracks: reading.tracks,
            targets: reading.targets,
        }
    }

    /// Remembers for the operator that somebody came with a wrong stream key; not which.
    pub(super) fn note_wrong_key(&self) {
        if let Ok(mut view) = self.shared.view.lock() {
            view.wrong_key_at = Some(self.shared.clock.now());
        }
    }

    /// Ends the broadcast. False if there is none.
    pub async fn disconnect(&self) -> bool {
        let (answer, answered) = oneshot::channel();
        if self
            .inbox
            .send(StreamCommand::Disconnect(answer))
            .await
            .is_err()
        {
            return false;
        }
        answered.await.unwrap_or(false)
    }

    /// Renames all files of the stream, and discards what is left of an ended one. Viewers continue with the next
    /// playlist.
    pub async fn renew_names(&self) {
        // Sending fails only if the stream has ended with the process.
        let _ = self.inbox.send(StreamCommand::RenewNames).await;
    }
}

impl StreamShared {
    /// Where the recording of this broadcast ended when the process began.
    pub(super) fn end_of_log(&self, broadcast: &str) -> i64 {
        let logged = self.logged.lock().ok();
        let logged = logged.as_ref().and_then(|logged| logged.as_ref());
        let own = logged.filter(|(id, _)| id == broadcast);
        own.map_or(0, |(_, end_us)| *end_us)
    }
}

impl Default for BroadcastReport {
    fn default() -> Self {
        Self {
            state: StreamState::Offline,
            session: None,
            publisher: None,
            wrong_key_at: None,
            tracks: crate::hls::Tracks::default(),
            targets: None,
            inbound: Vec::new(),
            key_interval_ms: None,
            advice: Vec::new(),
        }
    }
}
