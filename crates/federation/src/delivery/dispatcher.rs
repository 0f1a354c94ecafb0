//! Claims what is due from the queue, sends it, and records the outcomes.
//!
//! Both happen in batches, in parallel with sending: a transaction per delivery would cost more than its signature.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use model::settings::table::federation::ENABLED;
use store::StoreError;
use store::federation::{self, ClaimedDelivery};
use tokio::task::{Id, JoinError, JoinHandle, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::DeliveryShared;
use super::attempt::attempt;
use super::host_queues::{HostQueues, PER_HOST, RUN, RequestEnd};
use super::lanes::{LaneOutcome, LanePermit};
use super::outcomes::{self, DeliveryAttempt};
use super::request::DeliveryReport;
use super::retry::HostHealth;
use crate::names::Names;

/// Deliveries that wait here for a place, if they were not taken as a run; further ones wait in the database.
const MAX_WAITING: usize = 128;
/// Hosts that are given a run in one go; the others are next.
const MAX_RUNS: usize = 16;
/// Hosts that are remembered here by how they read signatures; then all are forgotten, and the database knows them.
const MAX_LEARNED: usize = 1_000;
/// So many outcomes are kept at once; more only if they came while others were being kept.
const KEEP_AT_ONCE: usize = 64;
/// Fewer are kept after this time. A process that is killed before sends them again.
const KEEP_AFTER: Duration = Duration::from_millis(20);
/// The queue is looked at this often even if nobody says that it has grown.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long it may take at the end to write down what came of the last deliveries; then they are repeated after the start.
const KEEPING_GRACE: Duration = Duration::from_secs(10);
/// Pause after the database has failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);

/// Keeps the queue moving until `stop`.
pub(super) async fn run(shared: Arc<DeliveryShared>, stop: CancellationToken) {
    let tables = shared.store.federation();
    // Deliveries that a killed process had claimed are sent again. Nothing is claimed before that is done.
    while let Err(error) = tables.release_all().await {
        tracing::warn!(%error, "deliveries: cannot read the queue, trying again");
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(DATABASE_PAUSE) => {}
        }
    }
    let mut queued = tables.delivery_wakeups();
    let mut dispatcher = Dispatcher::new(Arc::clone(&shared));
    let mut look = tokio::time::interval(LOOK_EVERY);
    while !stop.is_cancelled() {
        dispatcher.upkeep().await;
        dispatcher.start();
        dispatcher.claim_if_needed();
        dispatcher.keep_if_needed();
        let next = dispatcher.next_at;
        tokio::select! {
            () = stop.cancelled() => {}
            Some(ended) = dispatcher.tasks.join_next_with_id() => dispatcher.ended(ended),
            claimed = done(&mut dispatcher.claiming) => dispatcher.take_in(claimed),
            kept = done(&mut dispatcher.keeping) => dispatcher.kept(kept),
            () = at(dispatcher.keep_at) => {}
            () = shared.lanes.freed() => dispatcher.step_aside(),
            _ = queued.changed() => dispatcher.look_again(),
            () = shared.clock.sleep_until(next) => dispatcher.look_again(),
            _ = look.tick() => dispatcher.look_again(),
        }
    }
    dispatcher.finish().await;
}

/// The result of one look at the queue.
#[derive(Debug)]
enum ClaimResult {
    /// Deliveries that were due; if those were all, also when more will be.
    Due {
        claimed: Vec<ClaimedDelivery>,
        is_all: bool,
        next_at: Option<Timestamp>,
    },
    /// Deliveries that were due for these hosts.
    Runs {
        hosts: Vec<String>,
        claimed: Vec<ClaimedDelivery>,
    },
    /// The database failed.
    Nothing,
}

type RequestResult = Result<(Id, (LaneOutcome<DeliveryReport>, ClaimedDelivery)), JoinError>;

struct Dispatcher {
    shared: Arc<DeliveryShared>,
    queues: HostQueues,
    /// At most as many as both lanes have slots.
    tasks: JoinSet<(LaneOutcome<DeliveryReport>, ClaimedDelivery)>,
    running: HashMap<Id, ClaimedDelivery>,
    /// The look at the queue, one at a time.
    claiming: Option<JoinHandle<ClaimResult>>,
    /// The task that records outcomes, one at a time.
    keeping: Option<JoinHandle<Vec<String>>>,
    /// Attempts that ended and are not recorded yet.
    sent: Vec<DeliveryAttempt>,
    /// Claimed deliveries that go back to waiting in the database.
    put_back: Vec<i64>,
    /// Signature schemes learned a moment ago: deliveries claimed before that was recorded do not know them.
    learned: HashMap<String, federation::SignatureScheme>,
    /// When both must be recorded at the latest.
    keep_at: Option<Instant>,
    /// More may be due in the database.
    has_more: bool,
    /// When something becomes due if nothing happens before.
    next_at: Timestamp,
    upkeep_at: Timestamp,
}

impl Dispatcher {
    fn new(shared: Arc<DeliveryShared>) -> Self {
        Self {
            queues: HostQueues::default(),
            tasks: JoinSet::new(),
            running: HashMap::new(),
            claiming: None,
            keeping: None,
            sent: Vec::new(),
            put_back: Vec::new(),
            learned: HashMap::new(),
            keep_at: None,
            has_more: true,
            next_at: Timestamp::MAX,
            upkeep_at: shared.clock.now(),
            shared,
        }
    }

    /// Sends what waits here while slots are free.
    fn start(&mut self) {
        if !may_send(&self.shared) {
            let waiting = self.queues.clear();
            self.give_back(waiting);
        }
        while self.queues.has_turn() {
            let Some(permit) = self.shared.lanes.enter() else {
                break;
            };
            if let Some(mut one) = self.queues.next() {
                one.scheme = self.learned.get(&one.host).copied().or(one.scheme);
                self.send(one, permit);
            }
        }
        self.shared.lanes.set_crowded(self.queues.has_turn());
    }

    fn send(&mut self, claimed: ClaimedDelivery, permit: LanePermit) {
        let (shared, one) = (Arc::clone(&self.shared), claimed.clone());
        let task = self.tasks.spawn(async move {
            let request = attempt(&shared, &one);
            let driven = shared.lanes.drive(&one.host, permit, request).await;
            (driven, one)
        });
        self.running.insert(task.id(), claimed);
    }

    /// Looks into the queue if something may be due and there is capacity for it here.
    fn claim_if_needed(&mut self) {
        if self.claiming.is_some() || !may_send(&self.shared) {
            return;
        }
        let room = MAX_WAITING.saturating_sub(self.queues.waiting());
        let shared = Arc::clone(&self.shared);
        if self.has_more {
            // Looking for every free slot would again cost a transaction per delivery.
            if room >= MAX_WAITING / 2 {
                self.has_more = false;
                self.claiming = Some(tokio::spawn(async move { due(&shared, room).await }));
            }
        } else if self.queues.has_short_queues() {
            let hosts = self.queues.short_queues(MAX_RUNS);
            if !hosts.is_empty() {
                self.claiming = Some(tokio::spawn(async move { runs(&shared, hosts).await }));
            }
        }
    }

    fn take_in(&mut self, found: Result<ClaimResult, JoinError>) {
        match found {
            Ok(ClaimResult::Due {
                claimed,
                is_all,
                next_at,
            }) => {
                self.has_more |= !is_all;
                self.next_at = next_at.unwrap_or(Timestamp::MAX);
                self.queues.take_in(claimed);
            }
            Ok(ClaimResult::Runs { hosts, claimed }) => {
                let unwanted = self.queues.filled_up(&hosts, claimed);
                self.give_back(unwanted);
            }
            Ok(ClaimResult::Nothing) => self.has_more = true,
            Err(error) => {
                count_panic(&error);
                self.has_more = true;
            }
        }
    }

    fn look_again(&mut self) {
        self.has_more = true;
        self.next_at = Timestamp::MAX;
        self.queues.look_again();
    }

    fn step_aside(&mut self) {
        for host in self.shared.lanes.take_aside() {
            let waiting = self.queues.stepped_aside(&host);
            self.give_back(waiting);
        }
    }

    fn ended(&mut self, ended: RequestResult) {
        // It may have stepped aside just before it ended.
        self.step_aside();
        let Some((sent, was_aside)) = self.sent(ended) else {
            return;
        };
        let now = self.shared.clock.now();
        let end = RequestEnd {
            was_aside,
            is_well: !matches!(sent.host_health(now), HostHealth::Failing { .. }),
        };
        if let Some(scheme) = sent.report.learned {
            if self.learned.len() >= MAX_LEARNED {
                self.learned.clear();
            }
            let host = sent.claimed.host.clone();
            self.learned.insert(host, scheme.into());
        }
        let waiting = self.queues.ended(&sent.claimed.host, end, self.has_more);
        self.give_back(waiting);
        self.sent.push(sent);
        self.keep_soon();
    }

    fn sent(&mut self, ended: RequestResult) -> Option<(DeliveryAttempt, bool)> {
        match ended {
            Ok((id, (driven, claimed))) => {
                self.running.remove(&id);
                let report = driven.answer.unwrap_or_else(DeliveryReport::given_up);
                Some((DeliveryAttempt { claimed, report }, driven.was_aside))
            }
            Err(error) => {
                count_panic(&error);
                let claimed = self.running.remove(&error.id())?;
                let report = DeliveryReport::of_ours("a bug in this server; see its log");
                Some((DeliveryAttempt { claimed, report }, false))
            }
        }
    }

    /// Deliveries that waited in the database for these to end can be claimed now.
    fn kept(&mut self, hosts: Result<Vec<String>, JoinError>) {
        match hosts {
            Ok(hosts) => self.has_more |= self.queues.kept(&hosts),
            Err(error) => count_panic(&error),
        }
    }

    fn give_back(&mut self, ids: Vec<i64>) {
        if !ids.is_empty() {
            self.put_back.extend(ids);
            self.keep_soon();
        }
    }

    fn keep_soon(&mut self) {
        self.keep_at
            .get_or_insert_with(|| Instant::now() + KEEP_AFTER);
    }

    fn keep_if_needed(&mut self) {
        let is_due =
            self.sent.len() >= KEEP_AT_ONCE || self.keep_at.is_some_and(|at| Instant::now() >= at);
        if is_due && self.keeping.is_none() {
            self.keep_at = None;
            let keeping = outcomes::record(
                Arc::clone(&self.shared),
                std::mem::take(&mut self.sent),
                std::mem::take(&mut self.put_back),
            );
            self.keeping = Some(tokio::spawn(keeping));
        }
    }

    async fn keep_now(&mut self) {
        if let Some(keeping) = self.keeping.take() {
            let kept = keeping.await;
            self.kept(kept);
        }
        if !self.sent.is_empty() || !self.put_back.is_empty() {
            let (sent, put_back) = (
                std::mem::take(&mut self.sent),
                std::mem::take(&mut self.put_back),
            );
            let hosts = outcomes::record(Arc::clone(&self.shared), sent, put_back).await;
            self.kept(Ok(hosts));
        }
    }

    async fn upkeep(&mut self) {
        let now = self.shared.clock.now();
        if now >= self.upkeep_at {
            self.upkeep_at = now + outcomes::UPKEEP_EVERY;
            outcomes::upkeep(&self.shared, now).await;
        }
    }

    /// Sends the last messages of the other tasks: the Leave for directories is the newest of what waits. What is not
    /// answered in time waits again, as if it had not been tried.
    async fn finish(mut self) {
        if let Some(claiming) = self.claiming.take() {
            self.take_in(claiming.await);
        }
        let deadline = Instant::now() + self.shared.grace;
        loop {
            // The last messages may be for inboxes whose previous delivery is not recorded yet, or has only just ended.
            // None of this is cancelled halfway: it would be neither recorded nor put back.
            self.keep_now().await;
            // Otherwise finished requests would keep this loop going for ever, with more behind them.
            if Instant::now() >= deadline {
                break;
            }
            if may_send(&self.shared) {
                let room = MAX_WAITING.saturating_sub(self.queues.waiting());
                let found = due(&self.shared, room).await;
                self.take_in(Ok(found));
            }
            self.start();
            let ended = tokio::time::timeout_at(deadline, self.tasks.join_next_with_id()).await;
            let Ok(Some(ended)) = ended else { break };
            self.ended(ended);
            while let Some(ended) = self.tasks.try_join_next_with_id() {
                self.ended(ended);
            }
        }
        self.tasks.abort_all();
        while let Some(last) = self.tasks.join_next_with_id().await {
            // One may have finished at this very moment.
            if last.is_ok() {
                self.ended(last);
            }
        }
        let mut put_back = std::mem::take(&mut self.put_back);
        put_back.extend(self.queues.clear());
        put_back.extend(self.running.drain().map(|(_, claimed)| claimed.id));
        let keeping = async {
            if let Some(keeping) = self.keeping.take() {
                keeping.await.ok();
            }
            outcomes::record(self.shared, self.sent, put_back).await;
        };
        if tokio::time::timeout(KEEPING_GRACE, keeping).await.is_err() {
            tracing::warn!(
                "deliveries: cannot store the results of the last ones; the next start repeats them"
            );
        }
    }
}

/// Claims what is due, up to the free capacity.
async fn due(shared: &DeliveryShared, room: usize) -> ClaimResult {
    let tables = shared.store.federation();
    let found = async {
        let now = shared.clock.now();
        // A look costs nothing; claiming is a transaction.
        let next_at = tables.next_delivery_at().await?;
        if next_at.is_none_or(|at| at > now) {
            return Ok(ClaimResult::Due {
                claimed: Vec::new(),
                is_all: true,
                next_at,
            });
        }
        let limit = u32::try_from(room).unwrap_or(u32::MAX);
        let claimed = tables.claim(limit, PER_HOST, now).await?;
        Ok(ClaimResult::Due {
            // Everything else that is due waits for a delivery under way.
            is_all: claimed.len() < room,
            next_at: None,
            claimed,
        })
    };
    found_or_pause(found.await).await
}

async fn runs(shared: &DeliveryShared, hosts: Vec<String>) -> ClaimResult {
    let tables = shared.store.federation();
    let claimed = async {
        let now = shared.clock.now();
        match tables.next_delivery_at().await? {
            Some(at) if at <= now => tables.claim_runs(hosts.clone(), RUN, now).await,
            _ => Ok(Vec::new()),
        }
    };
    let claimed = claimed.await;
    found_or_pause(claimed.map(|claimed| ClaimResult::Runs { hosts, claimed })).await
}

async fn found_or_pause(found: Result<ClaimResult, StoreError>) -> ClaimResult {
    match found {
        Ok(found) => found,
        Err(error) => {
            tracing::warn!(%error, "deliveries: cannot take from the queue, trying again");
            tokio::time::sleep(DATABASE_PAUSE).await;
            ClaimResult::Nothing
        }
    }
}

/// The task's result; never completes if there is no task.
async fn done<T>(task: &mut Option<JoinHandle<T>>) -> Result<T, JoinError> {
    match task {
        Some(running) => {
            let end = running.await;
            *task = None;
            end
        }
        None => std::future::pending().await,
    }
}

async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

fn count_panic(error: &JoinError) {
    metrics::counter!("rillcast_panics_total", "where" => "deliveries").increment(1);
    tracing::error!(%error, "deliveries: one stopped unexpectedly");
}

/// Nothing is sent while federation is off, or another server may be sending; what waits stays.
fn may_send(shared: &DeliveryShared) -> bool {
    if !shared.lease.is_valid(shared.clock.uptime()) {
        return false;
    }
    let settings = shared.settings.now();
    let is_named = Names::of(&settings).is_some_and(|names| names.is_secure());
    is_named && *settings.get(&ENABLED)
}
