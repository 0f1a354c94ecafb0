//! Takes what is due out of the queue, sends it, and writes down what came of it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use model::settings::table::federation::ENABLED;
use store::StoreError;
use store::federation::Claimed;
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::Shared;
use super::lanes::Place;
use super::ledger::{self, Sent};
use super::request::{self, Report};
use crate::blocks;
use crate::names::Names;
use crate::signature::Scheme;

/// Requests to one host at once; further ones wait in the database.
const PER_HOST: u32 = 2;
/// Deliveries taken from the queue in one go.
const MAX_CLAIM: usize = 64;
/// The queue is looked at this often even if nobody says that it has grown.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long it may take at the end to write down what came of the last deliveries; then they are repeated after the start.
const KEEPING_GRACE: Duration = Duration::from_secs(10);
/// Pause after the database has failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);

/// Keeps the queue moving until `stop`.
pub(super) async fn run(shared: Arc<Shared>, stop: CancellationToken) {
    let tables = shared.store.federation();
    // What a process that was killed had taken is to be sent again. Nothing is taken before that is done.
    while let Err(error) = tables.release_all().await {
        tracing::warn!(%error, "deliveries: cannot look through the queue, trying again");
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(DATABASE_PAUSE) => {}
        }
    }
    let mut queued = tables.delivery_wakeups();
    let mut board = Board {
        tasks: JoinSet::new(),
        running: HashMap::new(),
        ended: Vec::new(),
        upkeep_at: shared.clock.now(),
        shared: Arc::clone(&shared),
    };
    while !stop.is_cancelled() {
        queued.mark_unchanged();
        board.upkeep().await;
        let next = board.start_due_or_wait().await;
        tokio::select! {
            () = stop.cancelled() => {}
            Some(ended) = board.tasks.join_next_with_id() => board.keep(ended).await,
            () = shared.lanes.freed() => {}
            _ = queued.changed() => {}
            () = shared.clock.sleep_until(next) => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
    // The last words of the others: a good-bye to directories is the newest of what waits.
    board.start_due_or_wait().await;
    tokio::time::timeout(shared.grace, board.drain()).await.ok();
    board.put_back().await;
}

type Ended = Result<(Id, Sent), JoinError>;

struct Board {
    shared: Arc<Shared>,
    /// No more than both lanes have places.
    tasks: JoinSet<Sent>,
    running: HashMap<Id, Claimed>,
    /// What has ended since the server stops, and is not kept yet.
    ended: Vec<Sent>,
    upkeep_at: Timestamp,
}

impl Board {
    /// Starts what is due; returns when to look again if nothing happens before.
    async fn start_due_or_wait(&mut self) -> Timestamp {
        let now = self.shared.clock.now();
        match self.start_due().await {
            Ok(next) => next.unwrap_or(Timestamp::MAX),
            Err(error) => {
                tracing::warn!(%error, "deliveries: cannot take from the queue, trying again");
                tokio::time::sleep(DATABASE_PAUSE).await;
                now
            }
        }
    }

    /// Starts as much of what is due as there are places; returns when more will be.
    async fn start_due(&mut self) -> Result<Option<Timestamp>, StoreError> {
        let tables = self.shared.store.federation();
        while self.may_send() {
            let now = self.shared.clock.now();
            // A look costs nothing; taking is a transaction.
            let next = tables.next_delivery_at().await?;
            if next.is_none_or(|at| at > now) {
                return Ok(next);
            }
            let free = std::iter::from_fn(|| self.shared.lanes.enter());
            let places: Vec<Place> = free.take(MAX_CLAIM).collect();
            let room = places.len();
            if room == 0 {
                return Ok(None);
            }
            let limit = u32::try_from(room).unwrap_or(u32::MAX);
            let claimed = tables.claim(limit, PER_HOST, now).await?;
            let is_all = claimed.len() < room;
            for (one, place) in claimed.into_iter().zip(places) {
                self.start(one, place);
            }
            if is_all {
                // Whatever else is due waits for one that is under way.
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Nothing leaves while federation is off; what waits stays.
    fn may_send(&self) -> bool {
        let settings = self.shared.settings.now();
        let is_named = Names::of(&settings).is_some_and(|names| names.is_secure());
        is_named && *settings.get(&ENABLED)
    }

    fn start(&mut self, claimed: Claimed, place: Place) {
        let (shared, one) = (Arc::clone(&self.shared), claimed.clone());
        let task = self.tasks.spawn(async move {
            let request = attempt(&shared, one);
            shared.lanes.drive(place, request).await
        });
        self.running.insert(task.id(), claimed);
    }

    /// Keeps what came of this one, and of all others that have ended meanwhile.
    async fn keep(&mut self, first: Ended) {
        let mut ended = vec![first];
        while let Some(more) = self.tasks.try_join_next_with_id() {
            ended.push(more);
        }
        let sent = ended.into_iter().filter_map(|one| self.sent(one)).collect();
        ledger::keep(&self.shared, sent).await;
    }

    fn sent(&mut self, ended: Ended) -> Option<Sent> {
        match ended {
            Ok((id, sent)) => {
                self.running.remove(&id);
                Some(sent)
            }
            Err(error) => {
                metrics::counter!("rillcast_panics_total", "where" => "deliveries").increment(1);
                tracing::error!(%error, "deliveries: one stopped unexpectedly");
                let claimed = self.running.remove(&error.id())?;
                Some(Sent {
                    claimed,
                    report: Report::of_ours("a fault of this server; its log says more"),
                    failures: 0,
                })
            }
        }
    }

    /// Waits for all that are under way. Nothing is written meanwhile: what is given up in the middle of that would be
    /// neither kept nor put back.
    async fn drain(&mut self) {
        while let Some(ended) = self.tasks.join_next_with_id().await {
            let sent = self.sent(ended);
            self.ended.extend(sent);
        }
    }

    /// Keeps what came of those that were done in time; the others wait again, as if they had not been tried.
    async fn put_back(&mut self) {
        self.tasks.abort_all();
        while let Some(last) = self.tasks.join_next_with_id().await {
            // One may have come to its end in this very moment.
            if last.is_ok() {
                let sent = self.sent(last);
                self.ended.extend(sent);
            }
        }
        let ended = std::mem::take(&mut self.ended);
        let keeping = ledger::keep(&self.shared, ended);
        if tokio::time::timeout(KEEPING_GRACE, keeping).await.is_err() {
            tracing::warn!(
                "deliveries: not kept what came of the last; the next start repeats them"
            );
        }
        if self.running.is_empty() {
            return;
        }
        let ids = self
            .running
            .drain()
            .map(|(_, claimed)| claimed.id)
            .collect();
        if let Err(error) = self.shared.store.federation().release(ids).await {
            tracing::warn!(%error, "deliveries: not put back; the next start does it");
        }
    }

    async fn upkeep(&mut self) {
        let now = self.shared.clock.now();
        if now >= self.upkeep_at {
            self.upkeep_at = now + ledger::UPKEEP_EVERY;
            ledger::upkeep(&self.shared, now).await;
        }
    }
}

/// Looks up what is known of the host, signs and sends.
async fn attempt(shared: &Shared, claimed: Claimed) -> Sent {
    let now = shared.clock.now();
    let host = shared.store.federation().host(&claimed.host, now).await;
    let signer = shared.account.signer(claimed.signer.as_deref()).await;
    let (failures, known) = match &host {
        Ok(Some(host)) => (host.failures, host.scheme),
        Ok(None) | Err(_) => (0, None),
    };
    let report = match signer {
        _ if is_shunned(shared, &claimed.host) => Report::shunned(),
        Ok(Some(signer)) => {
            let body = claimed.json.to_string().into();
            let known = known.map(Scheme::from);
            request::deliver(shared, &signer, &claimed.inbox, body, known).await
        }
        Ok(None) => Report::of_ours("there is no public address to send it from"),
        Err(error) => {
            tracing::warn!(%error, "deliveries: there is no key to sign with");
            Report::of_ours("there is no key to sign with")
        }
    };
    Sent {
        claimed,
        report,
        failures: u32::try_from(failures).unwrap_or(u32::MAX),
    }
}

/// Servers that were blocked after something was queued for them, and ourselves under any name.
fn is_shunned(shared: &Shared, host: &str) -> bool {
    let settings = shared.settings.now();
    let is_own = Names::of(&settings).is_some_and(|names| names.host() == host);
    is_own || blocks::blocks(&settings, host)
}
