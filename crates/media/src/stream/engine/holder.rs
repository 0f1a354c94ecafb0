//! Who takes in the stream, where several servers could.

use std::sync::Arc;
use std::time::Duration;

use model::Clock;
use store::{Lease, LeaseName, LeaseRow, Leases, Store};
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};

use super::BUSY;
use crate::stream::IngestPeers;

/// Between two looks at the row of the lease.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A row that was seen unchanged for this long belongs to nobody any more, as for all other leases.
pub(super) const SILENT_FOR: Duration = Duration::from_secs(7);
/// The same if its holder is not heard any more either: one renewal that is late, and the next one.
const MISSED_FOR: Duration = Duration::from_secs(3);
/// Looks further apart than this say nothing about the time between them: the database was away, or this process.
const LOST_SIGHT_AFTER: Duration = Duration::from_secs(3);
/// By then it is known who has the stream, unless the database is away.
const TAKE_WITHIN: Duration = Duration::from_secs(15);

/// A look that has no answer by then has none.
const LOOK_WITHIN: Duration = Duration::from_secs(3);

pub(super) const NO_DATABASE: &str = "The server cannot reach its database. Try again.";
const NOT_FOR_THIS: &str = "This server takes in no broadcasts. Send to another one of the stream.";

/// The row of the lease.
#[derive(Clone, Debug)]
pub(super) struct SeenHolder {
    pub(super) row: Option<LeaseRow>,
    /// When the answer came that showed it like this for the first time.
    since: Duration,
    /// When the newest look was sent.
    asked_at: Duration,
}

impl SeenHolder {
    /// Never longer than it was.
    pub(super) fn silent_for(&self) -> Duration {
        self.asked_at.saturating_sub(self.since)
    }

    pub(super) fn fence(&self) -> Option<i64> {
        self.row.as_ref().map(|row| row.fence)
    }

    /// What one more look has shown.
    fn next(
        before: Option<&Self>,
        row: Option<LeaseRow>,
        asked_at: Duration,
        now: Duration,
    ) -> Self {
        let known = before.filter(|before| {
            let apart = asked_at.saturating_sub(before.asked_at);
            before.row == row && apart <= LOST_SIGHT_AFTER
        });
        Self {
            row,
            since: known.map_or(now, |before| before.since),
            asked_at,
        }
    }
}

/// Looks at the row all the time, so that it is known how long a holder has been silent when a broadcaster comes.
#[derive(Debug)]
pub(super) struct HolderWatch {
    store: Store,
    clock: Arc<dyn Clock>,
    seen: watch::Sender<Option<SeenHolder>>,
    hurry: Notify,
}

impl HolderWatch {
    pub(super) fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self {
            store,
            clock,
            seen: watch::Sender::new(None),
            hurry: Notify::new(),
        }
    }

    pub(super) async fn run(&self) {
        loop {
            let asked_at = self.clock.uptime();
            match self.store.leases().await {
                Ok(rows) => {
                    let mut rows = rows.into_iter();
                    let row = rows.find(|(name, _)| *name == LeaseName::Ingest);
                    let row = row.map(|(_, row)| row);
                    let now = self.clock.uptime();
                    let before = self.seen.borrow().clone();
                    let seen = SeenHolder::next(before.as_ref(), row, asked_at, now);
                    self.seen.send_replace(Some(seen));
                }
                Err(error) => tracing::debug!(%error, "cannot see who takes in the stream"),
            }
            tokio::select! {
                () = self.hurry.notified() => {}
                () = sleep(LOOK_EVERY) => {}
            }
        }
    }
}

/// How this server and the others share one stream.
#[derive(Debug)]
pub(super) struct Sharing {
    pub(super) leases: Leases,
    pub(super) store: Store,
    peers: Arc<dyn IngestPeers>,
    clock: Arc<dyn Clock>,
    pub(super) watch: Arc<HolderWatch>,
    pub(super) seen: watch::Receiver<Option<SeenHolder>>,
    /// What this process is called as a holder; empty before it was one.
    own_name: String,
    /// A row under which nothing was left unfinished.
    pub(super) looked_after: Option<Option<LeaseRow>>,
    /// When this process last stopped to be the holder; earlier looks show something else.
    given_back_at: Duration,
}

impl Sharing {
    pub(super) fn new(
        leases: Leases,
        store: Store,
        peers: Arc<dyn IngestPeers>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let watch = Arc::new(HolderWatch::new(store.clone(), Arc::clone(&clock)));
        Self {
            leases,
            store,
            peers,
            clock,
            seen: watch.seen.subscribe(),
            watch,
            own_name: String::new(),
            looked_after: None,
            given_back_at: Duration::ZERO,
        }
    }

    /// The newest look, unless it is older than what this process did itself.
    pub(super) fn newest(&mut self) -> Option<SeenHolder> {
        let seen = self.seen.borrow_and_update().clone();
        seen.filter(|seen| seen.asked_at >= self.given_back_at)
    }

    /// A look that is not older than this call; `None` while the database is away.
    pub(super) async fn look(&mut self) -> Option<SeenHolder> {
        let called_at = self.clock.uptime();
        self.watch.hurry.notify_one();
        let looking = async {
            loop {
                let seen = self.newest();
                if let Some(seen) = seen.filter(|seen| seen.asked_at >= called_at) {
                    return Some(seen);
                }
                self.seen.changed().await.ok()?;
            }
        };
        timeout(LOOK_WITHIN, looking).await.ok().flatten()
    }

    pub(super) async fn give_back(&mut self, lease: Lease) {
        self.leases.give_back(lease).await;
        self.given_back_at = self.clock.uptime();
    }

    /// Tries to take the lease as its row was seen.
    pub(super) async fn take_as_seen(&mut self, row: Option<LeaseRow>) -> Option<Lease> {
        let lease = self.leases.take_as_seen(LeaseName::Ingest, row).await?;
        lease.holder().clone_into(&mut self.own_name);
        Some(lease)
    }

    /// Takes the lease for a broadcaster, or says why not: because its holder is seen to be there.
    pub(super) async fn take(&mut self) -> Result<Lease, &'static str> {
        if !self.leases.is_for(LeaseName::Ingest) {
            return Err(NOT_FOR_THIS);
        }
        let taking = timeout(TAKE_WITHIN, self.take_unless_held());
        taking.await.unwrap_or(Err(NO_DATABASE))
    }

    async fn take_unless_held(&mut self) -> Result<Lease, &'static str> {
        let came_at = self.clock.uptime();
        let mut first: Option<LeaseRow> = None;
        self.watch.hurry.notify_one();
        loop {
            let seen = self.newest();
            if let Some(seen) = seen.filter(|seen| seen.asked_at >= came_at) {
                if self.is_free(&seen) {
                    if let Some(lease) = self.take_as_seen(seen.row).await {
                        return Ok(lease);
                    }
                    // Somebody else was first.
                    self.watch.hurry.notify_one();
                } else {
                    let is_renewed = first.is_some() && first != seen.row;
                    if is_renewed {
                        return Err(BUSY);
                    }
                    first = seen.row;
                }
            }
            if self.seen.changed().await.is_err() {
                return Err(NO_DATABASE);
            }
        }
    }

    fn is_free(&self, seen: &SeenHolder) -> bool {
        let Some(row) = &seen.row else {
            return true;
        };
        let silent_for = seen.silent_for();
        // What is held by our name is what we were before it lapsed.
        row.holder.is_empty()
            || row.holder == self.own_name
            || silent_for >= SILENT_FOR
            || (silent_for >= MISSED_FOR && self.peers.is_silent(&row.holder))
    }

    /// Completes when another server has the lease. One that only lapsed, because the database was away, is taken back;
    /// the video goes on meanwhile.
    pub(super) async fn keep(&mut self, held: &watch::Sender<Lease>) {
        loop {
            let lease = held.borrow().clone();
            lease.lost().await;
            tracing::warn!("the database was away, or another server takes in the stream");
            loop {
                if self.seen.changed().await.is_err() {
                    return;
                }
                let Some(row) = self.newest().and_then(|seen| seen.row) else {
                    continue;
                };
                if row.fence != lease.fence() && row.holder != self.own_name {
                    return;
                }
                if let Some(next) = self.take_as_seen(Some(row)).await {
                    held.send_replace(next);
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(renewals: i64) -> Option<LeaseRow> {
        Some(LeaseRow {
            holder: "other".into(),
            fence: 1,
            renewals,
        })
    }

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_holder_is_silent_from_the_answer_that_first_showed_its_row_to_the_newest_question() {
        let first = SeenHolder::next(None, row(1), at(0), at(100));
        assert_eq!(first.silent_for(), at(0));
        let second = SeenHolder::next(Some(&first), row(1), at(1_000), at(1_050));
        assert_eq!(second.silent_for(), at(900));
        let renewed = SeenHolder::next(Some(&second), row(2), at(2_000), at(2_010));
        assert_eq!(renewed.silent_for(), at(0));
    }

    #[test]
    fn nobody_is_called_silent_for_a_time_in_which_nobody_looked() {
        let first = SeenHolder::next(None, row(1), at(0), at(100));
        let late = SeenHolder::next(Some(&first), row(1), at(60_000), at(60_010));
        assert_eq!(late.silent_for(), at(0));
    }
}
