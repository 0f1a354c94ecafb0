//! The task that owns the broadcast.

mod ending;
mod history;
mod holder;
mod names;
mod resuming;
mod sharing;
mod show;

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use model::StreamStatus;
use model::settings::table::{
    AUDIO_ONLY_VARIANT, GRACE_SECONDS, LATENCY_LEVEL, PUBLISHER_TIMEOUT_SECONDS, STREAM_TITLE,
};
use store::Store;
use store::settings::Settings;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::gate::PublishGrant;
use super::handle::StreamShared;
use super::health::Meter;
use super::mirror::StreamMirror;
use super::publication::{PackagerLease, Publication, PublicationResult};
use super::report::PublisherInfo;
use super::transcoding::LadderRequest;
use crate::hls::{self, LatencyLevel, Packager, Snapshot, Tracks};
use crate::ingest::Ingest;
use crate::rtmp::{PublicationEnd, PublishRequest};
use crate::transcoder::TranscoderMemory;
use history::History;
pub(super) use history::HistoryWriter;

/// How often time-outs, viewers and rates are looked at.
const TICK: Duration = Duration::from_secs(1);
/// Limit (broadcasters): silence after which another broadcaster may take over; until then it is refused.
const SILENCE: Duration = Duration::from_secs(3);
/// A revoked publisher gives the packager back within this.
const HANDOVER: Duration = Duration::from_secs(2);
/// A stream that is over can be played to its end for this long.
const AFTERGLOW: Duration = Duration::from_secs(60);
/// Peak and title are stored this often while live.
const PROGRESS_EVERY: u32 = 60;
/// What a second publisher is told.
const BUSY: &str = "Somebody is already broadcasting to this server.";
/// A process that goes on with another's broadcast numbers its discontinuities behind as many as this of the other.
const DISCONTINUITIES_PER_PROCESS: u64 = 100;

#[derive(Debug)]
pub(super) enum StreamCommand {
    Publish(Admission),
    Disconnect(oneshot::Sender<bool>),
    RenewNames,
}

/// A publisher with a valid key.
#[derive(Debug)]
pub(super) struct Admission {
    pub(super) request: PublishRequest,
    pub(super) grant: PublishGrant,
    /// Whether any other publisher may replace it.
    pub(super) yields: bool,
    pub(super) answer: oneshot::Sender<Result<Box<Publication>, String>>,
}

/// A broadcast, from its first publisher to the end of the last grace period.
#[derive(Debug)]
struct Broadcast {
    id: String,
    settings: hls::PackagerSettings,
    /// Set when the first part is listed and the history has recorded it.
    live_since: Option<Timestamp>,
    peak: u32,
    publisher: Option<Publisher>,
    /// Present while nobody publishes.
    packager: Option<Packager>,
    /// Where to go on if there is no packager, because it was another server's.
    resume: Option<hls::ResumePoint>,
    /// Where the time line begins at the earliest if there is neither.
    origin_us: i64,
    encoding: TranscoderMemory,
    /// When the broadcast ends unless somebody publishes before (time since the start of the process).
    ends_at: Option<Duration>,
}

#[derive(Debug)]
struct Publisher {
    revoked: CancellationToken,
    returned: oneshot::Receiver<PublicationResult>,
    meter: Arc<Meter>,
    since: Duration,
    yields: bool,
    /// The operator has ended the broadcast.
    is_dismissed: bool,
}

#[derive(Debug)]
pub(super) struct Engine {
    settings: Settings,
    shared: Arc<StreamShared>,
    live_snapshot: watch::Sender<Option<Arc<Snapshot>>>,
    status: watch::Sender<StreamStatus>,
    history: History,
    broadcast: Option<Broadcast>,
    /// When an ended stream disappears.
    clears_at: Option<Duration>,
    ticks: u32,
    /// Whether other servers may take in the stream, too.
    is_shared: bool,
    /// Of the lease that this server has, or had last.
    pub(super) fence: Option<i64>,
    /// The segment with which was written down last where the playlists stand.
    noted_msn: Option<u64>,
}

impl Engine {
    /// An engine that knows nothing of the past yet; see [`Engine::resume`].
    pub(super) fn new(
        store: Store,
        settings: Settings,
        shared: Arc<StreamShared>,
        live_snapshot: watch::Sender<Option<Arc<Snapshot>>>,
    ) -> (Self, HistoryWriter) {
        let (history, history_writer) = History::open(store);
        let engine = Self {
            settings,
            shared,
            live_snapshot,
            status: watch::Sender::new(StreamStatus::default()),
            history,
            broadcast: None,
            clears_at: None,
            ticks: 0,
            is_shared: false,
            fence: None,
            noted_msn: None,
        };
        (engine, history_writer)
    }

    pub(super) fn status(&self) -> watch::Receiver<StreamStatus> {
        self.status.subscribe()
    }

    /// For broadcasts of another server.
    pub(super) fn mirror(&self) -> StreamMirror {
        StreamMirror::new(
            Arc::clone(&self.shared),
            self.live_snapshot.clone(),
            self.status.clone(),
        )
    }

    /// Owns the stream until `stop`, or until `is_over`.
    pub(super) async fn run(
        &mut self,
        inbox: &mut mpsc::Receiver<StreamCommand>,
        stop: &CancellationToken,
        is_over: fn(&Self) -> bool,
    ) {
        let mut live_snapshot = self.live_snapshot.subscribe();
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        while !is_over(self) {
            let is_starting = self
                .broadcast
                .as_ref()
                .is_some_and(|one| one.publisher.is_some())
                && !self.status.borrow().is_online;
            tokio::select! {
                () = stop.cancelled() => break,
                Some(request) = inbox.recv() => match request {
                    StreamCommand::Publish(admission) => self.admit(admission).await,
                    StreamCommand::Disconnect(answer) => {
                        let _ = answer.send(self.dismiss().await);
                    }
                    StreamCommand::RenewNames => self.renew_names(),
                },
                returned = publisher_gone(&mut self.broadcast) => self.take_back(returned).await,
                Ok(()) = live_snapshot.changed(), if is_starting || self.is_shared => {
                    if is_starting {
                        self.go_live().await;
                    }
                    if self.is_shared {
                        self.note_position(false);
                    }
                }
                _ = tick.tick() => self.tick().await,
            }
        }
        // The broadcast stays open in the history: a restart is a short absence, not an end.
        if let Some(Broadcast {
            publisher: Some(publisher),
            ..
        }) = &self.broadcast
        {
            publisher.revoked.cancel();
        }
        self.save_progress();
    }

    fn grace(&self) -> Duration {
        Duration::from_secs(u64::from(*self.settings.now().get(&GRACE_SECONDS)))
    }

    fn session_settings(&self) -> hls::PackagerSettings {
        let layers = self.settings.now();
        let now = self.shared.clock.now().as_second().unsigned_abs();
        let shown = self
            .live_snapshot
            .borrow()
            .as_ref()
            .and_then(|snapshot| snapshot.main.clone());
        let used = shown.map_or(0, |view| view.open_msn() + 1);
        hls::PackagerSettings {
            level: LatencyLevel::new(*layers.get(&LATENCY_LEVEL)),
            lists_audio: *layers.get(&AUDIO_ONLY_VARIANT),
            token: history::random_token(),
            // Two segments hardly ever fit into a second, so this is beyond every number used before, even by a process
            // that was killed; players that stayed see a playlist that only moves on.
            first_msn: now.max(used),
            first_discontinuity: 0,
        }
    }

    async fn admit(&mut self, admission: Admission) {
        let Admission {
            request,
            grant,
            yields,
            answer,
        } = admission;
        if answer.is_closed() {
            // It disconnected while it waited; the current publisher may stay.
            return;
        }
        if let Err(reason) = self.make_room(&request, &grant, yields).await {
            tracing::warn!(peer = %request.peer, key = grant.name, reason, "a second publisher was refused");
            let _ = answer.send(Err(reason));
            return;
        }
        let settings = self.session_settings();
        let broadcast = self.broadcast.get_or_insert_with(|| Broadcast {
            id: format!("{:016x}", history::random_token()),
            settings,
            live_since: None,
            peak: 0,
            publisher: None,
            packager: None,
            resume: None,
            origin_us: 0,
            encoding: TranscoderMemory::default(),
            ends_at: None,
        });
        let meter = Arc::new(Meter::default());
        let revoked = CancellationToken::new();
        let (back, returned) = oneshot::channel();
        let timeout = *self.settings.now().get(&PUBLISHER_TIMEOUT_SECONDS);
        let publication = Publication {
            ingest: Ingest::default(),
            lease: PackagerLease {
                settings: broadcast.settings,
                live_snapshot: self.live_snapshot.clone(),
                packager: broadcast.packager.take(),
                resume: broadcast.resume,
                origin_us: broadcast
                    .origin_us
                    .max(self.shared.end_of_log(&broadcast.id)),
                ladder: LadderRequest::read(&self.settings, &self.shared, &broadcast.encoding),
            },
            meter: Arc::clone(&meter),
            shared: Arc::clone(&self.shared),
            revoked: revoked.clone(),
            idle_limit: Duration::from_secs(u64::from(timeout)),
            tracks: Tracks::default(),
            back: Some(back),
        };
        broadcast.ends_at = None;
        broadcast.publisher = Some(Publisher {
            revoked,
            returned,
            meter: Arc::clone(&meter),
            since: self.shared.clock.uptime(),
            yields,
            is_dismissed: false,
        });
        let (peer, encoder, is_tls) = (request.peer, &request.encoder, request.is_tls);
        tracing::info!(%peer, key = grant.name, encoder, is_tls, "a broadcaster publishes");
        if let Ok(mut view) = self.shared.view.lock() {
            view.meter = meter;
            view.publisher = Some(PublisherInfo {
                peer: request.peer,
                encoder: request.encoder,
                key_name: grant.name,
                is_recorded: grant.is_recorded,
                is_tls: request.is_tls,
                since: self.shared.clock.now(),
            });
        }
        self.show();
        // If the connection is gone by now, dropping the publication returns everything.
        let _ = answer.send(Ok(Box::new(publication)));
    }

    /// Only one publisher at a time: the current one may stay, unless it is silent or the new key outranks it.
    async fn make_room(
        &mut self,
        request: &PublishRequest,
        grant: &PublishGrant,
        yields: bool,
    ) -> Result<(), String> {
        let now = self.shared.clock.uptime();
        let Some(Broadcast {
            publisher: Some(publisher),
            ..
        }) = &mut self.broadcast
        else {
            return Ok(());
        };
        let heard = publisher.meter.last_arrival().max(publisher.since);
        let is_silent = now.saturating_sub(heard) >= SILENCE;
        let may_replace = grant.may_take_over || is_silent || (publisher.yields && !yields);
        if !may_replace {
            return Err(BUSY.into());
        }
        tracing::info!(peer = %request.peer, key = grant.name, is_silent, "taking over from the publisher before");
        publisher.revoked.cancel();
        let returned = tokio::time::timeout(HANDOVER, &mut publisher.returned).await;
        let Ok(returned) = returned else {
            return Err("The broadcast before this one is still ending. Try again.".into());
        };
        let is_dismissed = publisher.is_dismissed;
        let returned = returned.unwrap_or_else(|_| lost());
        let is_over = is_dismissed || returned.how == PublicationEnd::Unpublished;
        self.keep(returned.packager);
        if is_over {
            self.end("ended before the next publisher").await;
        }
        Ok(())
    }

    /// Takes the packager back from a publisher that has gone. If it is lost, its names must not be used again.
    fn keep(&mut self, packager: Option<Packager>) {
        let fresh = self.session_settings();
        let shown = self.live_snapshot.borrow().clone();
        if let Some(broadcast) = &mut self.broadcast {
            broadcast.publisher = None;
            let shown = shown.filter(|shown| shown.token == broadcast.settings.token);
            let stood = shown.and_then(|shown| shown.resume_point());
            if packager.is_some() {
                broadcast.resume = None;
            } else if broadcast.resume.is_some() {
                broadcast.resume = stood.or(broadcast.resume);
            }
            broadcast.origin_us = stood.map_or(broadcast.origin_us, |stood| stood.end_us);
            if packager.is_none() && broadcast.live_since.is_some() {
                let behind = broadcast.settings.first_discontinuity + DISCONTINUITIES_PER_PROCESS;
                broadcast.settings = hls::PackagerSettings {
                    first_discontinuity: behind,
                    ..fresh
                };
            }
            broadcast.packager = packager;
        }
    }

    async fn take_back(&mut self, returned: PublicationResult) {
        // A publisher can end before this task has noticed that it began.
        self.go_live().await;
        let Some(broadcast) = &self.broadcast else {
            return;
        };
        let publisher = broadcast.publisher.as_ref();
        let is_dismissed = publisher.is_some_and(|publisher| publisher.is_dismissed);
        let is_live = broadcast.live_since.is_some();
        self.keep(returned.packager);
        match returned.how {
            _ if is_dismissed => self.end("ended by the operator").await,
            PublicationEnd::Unpublished => self.end("ended by the broadcaster").await,
            // Nobody has seen any of it.
            PublicationEnd::Dropped(reason) if !is_live => self.end(&reason).await,
            PublicationEnd::Revoked if !is_live => self.end("replaced").await,
            how => {
                let reason = match how {
                    PublicationEnd::Dropped(reason) => reason,
                    PublicationEnd::Unpublished | PublicationEnd::Revoked => "replaced".into(),
                };
                let grace = self.grace();
                tracing::warn!(
                    reason,
                    grace = grace.as_secs(),
                    "the publisher is gone, waiting for it to come back"
                );
                if let Some(broadcast) = &mut self.broadcast {
                    broadcast.ends_at = Some(self.shared.clock.uptime() + grace);
                }
            }
        }
        if let Ok(mut view) = self.shared.view.lock() {
            view.publisher = None;
        }
        self.show();
    }

    /// Handles the listing of the first part.
    async fn go_live(&mut self) {
        let Some(broadcast) = &mut self.broadcast else {
            return;
        };
        let listed = self
            .live_snapshot
            .borrow()
            .as_ref()
            .map(|snapshot| (snapshot.token, snapshot.is_ended));
        if listed != Some((broadcast.settings.token, false)) {
            return;
        }
        self.clears_at = None;
        if broadcast.live_since.is_none() {
            let now = self.shared.clock.now();
            broadcast.live_since = Some(now);
            let id = broadcast.id.clone();
            tracing::info!(id, "live");
            self.history.begin(id, now, self.title()).await;
        }
        self.show();
    }

    async fn tick(&mut self) {
        let now = self.shared.clock.uptime();
        self.ticks = self.ticks.wrapping_add(1);
        if let Some(broadcast) = &mut self.broadcast {
            if let Some(publisher) = &broadcast.publisher {
                publisher.meter.tick(self.shared.clock.now());
            }
            // Where there are several servers, the end is written by the one that has the lease.
            if !self.is_shared && broadcast.ends_at.is_some_and(|end| now >= end) {
                self.end("the publisher did not come back").await;
            }
        }
        self.clear_leftovers(now);
        if self.ticks.is_multiple_of(PROGRESS_EVERY) {
            self.save_progress();
        }
        self.show();
    }

    fn title(&self) -> String {
        self.settings.now().get(&STREAM_TITLE).clone()
    }

    fn save_progress(&self) {
        let on = self.broadcast.as_ref();
        if let Some(broadcast) = on.filter(|broadcast| broadcast.live_since.is_some()) {
            self.history
                .note_progress(broadcast.id.clone(), broadcast.peak, self.title());
        }
    }
}

/// Completes when the current publisher has returned the packager.
async fn publisher_gone(broadcast: &mut Option<Broadcast>) -> PublicationResult {
    match broadcast {
        Some(Broadcast {
            publisher: Some(publisher),
            ..
        }) => (&mut publisher.returned).await.unwrap_or_else(|_| lost()),
        _ => pending().await,
    }
}

/// The result of a publisher that ended without reporting one.
fn lost() -> PublicationResult {
    PublicationResult {
        packager: None,
        how: PublicationEnd::Dropped("the connection was cut".into()),
    }
}
