//! Where several servers have one database: the one that a broadcaster came to takes in the stream.
//!
//! A server has the lease while somebody publishes to it, and gives it back when the broadcast ends or waits for its
//! publisher, so that this one may come back to any of them. Whoever takes the lease goes on with a broadcast that was not
//! ended: with its own packager if nobody had the lease in between, and else where the last holder's playlists stood.

use std::sync::Arc;

use futures_util::future::join;
use store::{Lease, LeaseName, Leases, PlaylistPosition, Store, StoreError};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::history::{History, HistoryWriter};
use super::holder::{NO_DATABASE, SILENT_FOR, Sharing};
use super::{Admission, Broadcast, Engine, HANDOVER, StreamCommand, TICK};
use crate::hls::{LatencyLevel, OnAir, ResumePoint};
use crate::stream::IngestPeers;

impl Engine {
    /// Takes in the stream whenever a broadcaster comes to this server and to no other one.
    pub(in crate::stream) async fn share(
        mut self,
        leases: Leases,
        store: Store,
        peers: Arc<dyn IngestPeers>,
        mut inbox: mpsc::Receiver<StreamCommand>,
        stop: CancellationToken,
    ) {
        self.is_shared = true;
        if let Ok(status) = History::status(&store).await {
            self.status.send_replace(status);
        }
        let clock = Arc::clone(&self.shared.clock);
        let mut sharing = Sharing::new(leases, store, peers, clock);
        let watch = Arc::clone(&sharing.watch);
        let is_looking = sharing.leases.is_for(LeaseName::Ingest);
        tokio::select! {
            () = self.attend(&mut sharing, &mut inbox, &stop) => {}
            () = watch.run(), if is_looking => {}
        }
    }

    async fn attend(
        &mut self,
        sharing: &mut Sharing,
        inbox: &mut mpsc::Receiver<StreamCommand>,
        stop: &CancellationToken,
    ) {
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                Some(command) = inbox.recv() => match command {
                    StreamCommand::Publish(admission) => {
                        Box::pin(self.compete(admission, sharing, inbox, stop)).await;
                    }
                    StreamCommand::Disconnect(answer) => {
                        let is_waiting = self.broadcast.is_some();
                        self.end_waiting("ended by the operator", sharing).await;
                        let _ = answer.send(is_waiting);
                    }
                    StreamCommand::RenewNames => self.renew_names(),
                },
                Ok(()) = sharing.seen.changed() => self.look_around(sharing).await,
                _ = tick.tick() => {
                    self.tick().await;
                    if self.is_overdue() {
                        self.end_waiting("the publisher did not come back", sharing).await;
                    }
                }
            }
        }
    }

    /// Whether nobody publishes here.
    pub(super) fn is_unattended(&self) -> bool {
        let broadcast = self.broadcast.as_ref();
        broadcast.is_none_or(|broadcast| broadcast.publisher.is_none())
    }

    fn is_overdue(&self) -> bool {
        let now = self.shared.clock.uptime();
        let broadcast = self.broadcast.as_ref();
        broadcast.is_some_and(|broadcast| broadcast.ends_at.is_some_and(|end| now >= end))
    }

    /// A broadcaster has come to this server.
    async fn compete(
        &mut self,
        mut admission: Admission,
        sharing: &mut Sharing,
        inbox: &mut mpsc::Receiver<StreamCommand>,
        stop: &CancellationToken,
    ) {
        let taken = tokio::select! {
            () = stop.cancelled() => return,
            () = admission.answer.closed() => return,
            taken = sharing.take() => taken,
        };
        match taken {
            Ok(lease) => self.hold(lease, admission, sharing, inbox, stop).await,
            Err(reason) => {
                let (peer, key) = (admission.request.peer, &admission.grant.name);
                tracing::warn!(%peer, key, reason, "a publisher was refused");
                let _ = admission.answer.send(Err(reason.into()));
            }
        }
    }

    /// Takes in the stream while somebody publishes here and no other server has it.
    async fn hold(
        &mut self,
        lease: Lease,
        admission: Admission,
        sharing: &mut Sharing,
        inbox: &mut mpsc::Receiver<StreamCommand>,
        stop: &CancellationToken,
    ) {
        if let Err(error) = self.take_up(&lease, &sharing.store).await {
            tracing::error!(%error, "cannot read the stream's history");
            let _ = admission.answer.send(Err(NO_DATABASE.into()));
            sharing.give_back(lease).await;
            return;
        }
        self.shared.takes_in.send_replace(true);
        let writer = self.open_history(&sharing.store);
        let (held, leases) = watch::channel(lease);
        let newest = leases.clone();
        let ending = stop.child_token();
        let running = async {
            let mut run = Box::pin(async {
                self.admit(admission).await;
                self.run(inbox, &ending, Self::is_unattended).await;
            });
            let is_lost = tokio::select! {
                () = &mut run => false,
                () = sharing.keep(&held) => true,
            };
            if is_lost {
                ending.cancel();
                run.as_mut().await;
            }
            drop(run);
            if is_lost {
                // It may have lapsed and been taken back before.
                self.fence = Some(newest.borrow().fence());
                self.give_up().await;
            }
            self.note_position(true);
            self.history = History::closed();
            // The writer waits for no other lease now.
            drop(held);
        };
        join(running, writer.run(leases)).await;
        self.shared.takes_in.send_replace(false);
        let lease = newest.borrow().clone();
        self.fence = Some(lease.fence());
        sharing.give_back(lease).await;
    }

    fn open_history(&mut self, store: &Store) -> HistoryWriter {
        let (history, writer) = History::open(store.clone());
        self.history = history;
        self.noted_msn = None;
        writer
    }

    /// Goes on with the broadcast that this server waits with, if no other one had the lease since, or with what the
    /// history says.
    async fn take_up(&mut self, lease: &Lease, store: &Store) -> Result<(), StoreError> {
        let is_next = self.fence.is_some_and(|own| own + 1 == lease.fence());
        let before = self.fence.replace(lease.fence());
        if is_next && self.broadcast.is_some() {
            return Ok(());
        }
        if let Some(Broadcast { id, .. }) = self.broadcast.take() {
            tracing::info!(id, "another server had the broadcast since");
        }
        let shown = self.shown_elsewhere();
        let store = store.under(lease);
        if let Err(error) = self.resume(&store).await {
            // What others tell is still to be shown.
            self.fence = before;
            return Err(error);
        }
        // Without an answer it is not known which numbers are free.
        let Some(mut broadcast) = self.broadcast.take() else {
            return Ok(());
        };
        let noted = store.playlist_position(broadcast.id.clone()).await?;
        let noted = noted.map(|noted| (LatencyLevel::new(noted.latency_level), point(&noted)));
        let shown = shown.filter(|(on_air, _)| on_air.id == broadcast.id);
        let shown = shown.map(|(on_air, point)| (LatencyLevel::new(on_air.level), point));
        // What was told is usually newer than what was written down, and is not while NATS is away.
        let known = match (noted, shown) {
            (Some((level, noted)), Some((_, shown))) => Some((level, noted.or_later(shown))),
            (noted, shown) => noted.or(shown),
        };
        if let Some((level, point)) = known {
            broadcast.settings.level = level;
            broadcast.settings.first_discontinuity = point.discontinuities;
            let now = self.shared.clock.now();
            broadcast.resume = Some(point.by(now));
        }
        self.broadcast = Some(broadcast);
        Ok(())
    }

    /// The broadcast that another server told of, and where its playlists stood then.
    fn shown_elsewhere(&self) -> Option<(OnAir, ResumePoint)> {
        let view = self.shared.view.lock().ok()?;
        let on_air = view.mirrored.clone()?;
        let point = self.live_snapshot.borrow().as_ref()?.resume_point()?;
        Some((on_air, point))
    }

    /// Another server has the stream: this one's publisher goes, and nothing more is written.
    async fn give_up(&mut self) {
        if let Some(Broadcast {
            publisher: Some(publisher),
            ..
        }) = &mut self.broadcast
        {
            publisher.revoked.cancel();
            let returned = timeout(HANDOVER, &mut publisher.returned).await;
            let returned = returned.ok().and_then(Result::ok);
            self.keep(returned.and_then(|returned| returned.packager));
        }
        self.hand_over("another server takes in the stream");
        if let Ok(mut view) = self.shared.view.lock() {
            view.publisher = None;
        }
    }

    /// Ends the broadcast that this server waits with, if no other one has gone on with it.
    async fn end_waiting(&mut self, reason: &str, sharing: &mut Sharing) {
        if self.broadcast.is_none() {
            return;
        }
        let seen = sharing.look().await;
        let ours = seen.filter(|seen| seen.fence() == self.fence);
        let lease = match ours {
            Some(seen) => sharing.take_as_seen(seen.row).await,
            None => None,
        };
        match lease {
            Some(lease) => self.end_under(lease, reason, sharing).await,
            // Whoever has the lease next finds it unfinished.
            None => self.discard(reason),
        }
    }

    async fn end_under(&mut self, lease: Lease, reason: &str, sharing: &mut Sharing) {
        let writer = self.open_history(&sharing.store);
        let (held, leases) = watch::channel(lease.clone());
        let ending = async {
            self.end(reason).await;
            self.history = History::closed();
            drop(held);
        };
        join(ending, writer.run(leases)).await;
        self.fence = Some(lease.fence());
        sharing.give_back(lease).await;
    }

    /// After each look at who has the lease: another server may have gone on with the broadcast that this one waits with,
    /// or a broadcast may have been left behind by a server that nobody came back to.
    async fn look_around(&mut self, sharing: &mut Sharing) {
        let Some(seen) = sharing.newest() else {
            return;
        };
        if self.broadcast.is_some() {
            if seen.fence() != self.fence {
                self.hand_over("another server goes on with it");
            }
            return;
        }
        let is_left = seen.silent_for() >= self.grace() + SILENT_FOR;
        if !is_left || sharing.looked_after.as_ref() == Some(&seen.row) {
            return;
        }
        match sharing.store.unfinished_streams().await {
            Ok(unfinished) if unfinished.is_empty() => sharing.looked_after = Some(seen.row),
            Ok(_) => {
                let Some(lease) = sharing.take_as_seen(seen.row).await else {
                    return;
                };
                match self.take_up(&lease, &sharing.store).await {
                    Ok(()) => {
                        let reason = "the publisher did not come back to any server";
                        self.end_under(lease, reason, sharing).await;
                    }
                    Err(error) => {
                        tracing::error!(%error, "cannot read the stream's history");
                        sharing.give_back(lease).await;
                    }
                }
            }
            Err(error) => tracing::debug!(%error, "cannot read the stream's history"),
        }
    }

    /// Writes down where the playlists stand, once for each segment and at the end.
    pub(super) fn note_position(&mut self, is_last: bool) {
        let Some(broadcast) = &self.broadcast else {
            return;
        };
        let shown = self.live_snapshot.borrow().clone();
        let shown = shown.filter(|shown| shown.token == broadcast.settings.token);
        let Some(point) = shown.and_then(|shown| shown.resume_point()) else {
            return;
        };
        if self.noted_msn == Some(point.msn) && !is_last {
            return;
        }
        self.noted_msn = Some(point.msn);
        self.history.note_position(PlaylistPosition {
            stream_id: broadcast.id.clone(),
            msn: point.msn,
            parts: point.parts,
            discontinuities: point.discontinuities,
            end_us: point.end_us,
            end_date: point.date,
            latency_level: broadcast.settings.level.number(),
        });
    }
}

fn point(position: &PlaylistPosition) -> ResumePoint {
    ResumePoint {
        msn: position.msn,
        parts: position.parts,
        discontinuities: position.discontinuities,
        end_us: position.end_us,
        date: position.end_date,
    }
}
