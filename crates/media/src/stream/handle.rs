//! The handle everybody holds.

use std::net::IpAddr;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use model::{Clock, StreamState, StreamStatus};
use store::Store;
use store::settings::Settings;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::diagnosis::diagnose;
use super::engine::{Engine, Inbox};
use super::health::Meter;
use super::ladder::LadderShelf;
use super::report::{PublisherInfo, Report, SessionInfo};
use super::viewers::{ViewerId, ViewerInfo, Viewers};
use crate::hls::Shelf;
use crate::ladder::LadderStatus;

/// Requests to the owning task that may wait; more than a handful at once means somebody is hammering the port, and
/// they wait in line.
const INBOX: usize = 16;

/// What the task shows of itself.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) state: StreamState,
    pub(super) session: Option<SessionInfo>,
    pub(super) publisher: Option<PublisherInfo>,
    pub(super) meter: Arc<Meter>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) shown: Mutex<Shown>,
    pub(super) viewers: Viewers,
    pub(super) ladder: LadderShelf,
    /// By which names the files of the stream go; see [`Stream::renew_names`].
    pub(super) names: AtomicU64,
    pub(super) clock: Arc<dyn Clock>,
}

/// The one stream.
#[derive(Clone, Debug)]
pub struct Stream {
    pub(super) inbox: mpsc::Sender<Inbox>,
    pub(super) shared: Arc<Shared>,
    shelf: Shelf,
    status: watch::Receiver<StreamStatus>,
}

impl Stream {
    /// Makes the stream; the returned future owns it and ends after `stop` is cancelled.
    pub async fn open(
        store: Store,
        settings: Settings,
        clock: Arc<dyn Clock>,
        stop: CancellationToken,
    ) -> Result<(Self, impl Future<Output = ()> + Send), store::StoreError> {
        let (inbox, requests) = mpsc::channel(INBOX);
        let (publish, shelf) = Shelf::new();
        let shared = Arc::new(Shared {
            shown: Mutex::default(),
            viewers: Viewers::default(),
            ladder: LadderShelf::default(),
            names: AtomicU64::new(0),
            clock,
        });
        let (engine, scribe) = Engine::load(store, settings, Arc::clone(&shared), publish).await?;
        let status = engine.status();
        let stream = Self {
            inbox,
            shared,
            shelf,
            status,
        };
        let work = async move {
            // The scribe ends when the engine has, and everything is written.
            futures_util::future::join(engine.run(requests, stop), scribe.run()).await;
        };
        Ok((stream, work))
    }

    /// What viewers can fetch.
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// Online or not, since when, how many viewers.
    pub fn status(&self) -> watch::Receiver<StreamStatus> {
        self.status.clone()
    }

    /// Somebody is watching. Nothing comes back while there is nothing to watch, and for those who are not counted.
    pub fn note_viewer(&self, address: IpAddr, user_agent: &[u8]) -> Option<ViewerId> {
        if !self.status.borrow().is_online {
            return None;
        }
        let now = self.shared.clock.uptime();
        self.shared.viewers.note(address, user_agent, now)
    }

    /// Whether somebody is watching from this address, or its network of IPv6.
    pub fn is_watched_from(&self, address: IpAddr) -> bool {
        self.shared.viewers.is_watched_from(address)
    }

    /// Who is watching, longest first.
    pub fn viewers(&self) -> Vec<ViewerInfo> {
        self.shared.viewers.list()
    }

    /// The encoder of the broadcast; nothing while nothing is encoded.
    pub fn ladder(&self) -> Option<Arc<LadderStatus>> {
        self.shared.ladder.borrow().clone()
    }

    /// For the operator.
    pub fn report(&self) -> Report {
        let (state, session, mut publisher, meter) = {
            let Ok(shown) = self.shared.shown.lock() else {
                return Report::default();
            };
            (
                shown.state,
                shown.session.clone(),
                shown.publisher.clone(),
                Arc::clone(&shown.meter),
            )
        };
        let reading = meter.read();
        let is_publishing = publisher.is_some();
        // What a program calls itself when it connects says little: the Flash of long ago, for most.
        if let Some(publisher) = &mut publisher
            && !reading.encoder.is_empty()
        {
            publisher.encoder.clone_from(&reading.encoder);
        }
        Report {
            state,
            session,
            publisher,
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

    /// Ends the broadcast now. False when there is none.
    pub async fn disconnect(&self) -> bool {
        let (answer, answered) = oneshot::channel();
        if self.inbox.send(Inbox::Disconnect(answer)).await.is_err() {
            return false;
        }
        answered.await.unwrap_or(false)
    }

    /// Gives all files of the stream other names from here on, and forgets what is left of one that is over. Viewers go on
    /// with the next list.
    pub async fn renew_names(&self) {
        // Only a stream that has ended with the process does not hear it.
        let _ = self.inbox.send(Inbox::RenewNames).await;
    }
}

impl Default for Report {
    fn default() -> Self {
        Self {
            state: StreamState::Offline,
            session: None,
            publisher: None,
            tracks: crate::hls::Tracks::default(),
            targets: None,
            inbound: Vec::new(),
            key_interval_ms: None,
            advice: Vec::new(),
        }
    }
}
