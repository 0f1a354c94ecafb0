//! Takes requests from the queue one by one and carries out what follows from them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use model::settings::table::federation::ENABLED;
use outbound::FetchBudget;
use store::StoreError;
use store::federation::{Effects, InboxCapacity, InboxEntry, SeenActivity};
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::context::{HandlerError, InboxContext};
use super::dispatch;
use super::proof::{self, ProofError};
use crate::fetch::FETCHES_PER_ACTIVITY;
use crate::handle::FederationShared;
use crate::wire::ReceivedActivity;

/// Verified requests handled at once; the rest waits in the queue. Most of them wait for other servers, not for us.
const MAX_VERIFIED_AT_ONCE: usize = 32;
/// Requests handled at once that nobody is proven to have sent; the rest waits in the queue. They have lanes of their
/// own: whoever names a key on a server that never answers holds up only what is unproven as well.
const MAX_UNPROVEN_AT_ONCE: usize = 16;
/// Time for one request, all that is fetched for it included; then it is tried again later.
const DEADLINE: Duration = Duration::from_secs(20);
/// Pauses before a request is tried again because another server did not answer; after the last it is given up.
const PAUSES: [Duration; 3] = [
    Duration::from_secs(60),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
];
/// A request that came so long ago is not tried again because another server did not answer; it is given up. What waited
/// behind others of its key would else be the last of a long row.
const MAX_AGE: Duration = Duration::from_secs(36 * 60);
/// Pause after the database has failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);
/// The queue is looked at this often even if nobody says that something came.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// Shortest pause between two looks when nothing could be taken: what is due may wait for another of the same key.
const LOOK_PAUSE: Duration = Duration::from_secs(1);
/// Requests under way get this long at the end; they are handled again after the next start.
const STOP_GRACE: Duration = Duration::from_secs(5);

/// Handles stored requests until the server stops.
pub(crate) async fn run(shared: Arc<FederationShared>, stop: CancellationToken) {
    let mut worker = InboxWorker {
        lanes: JoinSet::new(),
        under_way: HashMap::new(),
        next_look: None,
        is_tidy: false,
        shared,
    };
    let mut arrivals = worker.shared.tables.inbox_wakeups();
    let mut changes = worker.shared.settings.changes();
    while !stop.is_cancelled() {
        arrivals.mark_unchanged();
        changes.mark_unchanged();
        let next = worker.start_due().await;
        let clock = Arc::clone(&worker.shared.clock);
        tokio::select! {
            () = stop.cancelled() => {}
            Some(ended) = worker.lanes.join_next_with_id() => worker.note_end(ended),
            _ = arrivals.changed(), if worker.has_room() => {}
            _ = changes.changed() => {}
            () = clock.sleep_until(next) => {}
        }
    }
    let ending = async { while worker.lanes.join_next().await.is_some() {} };
    tokio::time::timeout(STOP_GRACE, ending).await.ok();
}

struct InboxWorker {
    shared: Arc<FederationShared>,
    lanes: JoinSet<()>,
    /// The request each lane is handling.
    under_way: HashMap<Id, RunningRequest>,
    /// When the queue is looked at again although few lanes are free.
    next_look: Option<Timestamp>,
    /// Whether every claimed request is in a lane. False after a start, and after a look that failed: it may have
    /// claimed something all the same.
    is_tidy: bool,
}

/// What a lane is doing.
#[derive(Clone, Copy)]
struct RunningRequest {
    entry: i64,
    is_verified: bool,
}

impl InboxWorker {
    /// How many more requests can be handled.
    fn room(&self) -> InboxCapacity {
        let works = self.under_way.values();
        let verified = works.filter(|work| work.is_verified).count();
        let unproven = self.under_way.len() - verified;
        let left = |most: usize, now: usize| u32::try_from(most.saturating_sub(now)).unwrap_or(0);
        InboxCapacity {
            verified: left(MAX_VERIFIED_AT_ONCE, verified),
            unproven: left(MAX_UNPROVEN_AT_ONCE, unproven),
        }
    }

    /// Half of a kind's lanes are filled at a time, so that one look serves many.
    fn has_room(&self) -> bool {
        let room = self.room();
        room.verified as usize >= MAX_VERIFIED_AT_ONCE / 2
            || room.unproven as usize >= MAX_UNPROVEN_AT_ONCE / 2
    }

    /// Starts what can be started; returns when to look again if nothing wakes it.
    async fn start_due(&mut self) -> Timestamp {
        let now = self.shared.clock.now();
        if let Err(error) = self.tidy().await {
            tracing::warn!(%error, "inbox: cannot put back what was being handled, trying again");
            return now + DATABASE_PAUSE;
        }
        let is_on = *self.shared.settings.now().get(&ENABLED);
        if !is_on {
            return now + LOOK_EVERY;
        }
        let room = self.room();
        if (room.verified, room.unproven) == (0, 0) {
            return now + LOOK_EVERY;
        }
        // Slow requests may hold half of the lanes for long.
        let is_due = self.next_look.is_none_or(|at| at <= now);
        if !self.has_room() && !is_due {
            return now + LOOK_PAUSE;
        }
        let claimed = match self.shared.tables.claim_inbox(room, now).await {
            Ok(claimed) => claimed,
            Err(error) => {
                tracing::warn!(%error, "inbox: the queue cannot be read, trying again");
                self.is_tidy = false;
                return now + DATABASE_PAUSE;
            }
        };
        self.next_look = Some(now + LOOK_PAUSE);
        for entry in claimed {
            let work = RunningRequest {
                entry: entry.id,
                is_verified: entry.request.verified_owner.is_some(),
            };
            let lane = self.lanes.spawn(handle(Arc::clone(&self.shared), entry));
            self.under_way.insert(lane.id(), work);
        }
        match self.shared.tables.next_inbox_at().await {
            Ok(Some(next)) => next.clamp(now + LOOK_PAUSE, now + LOOK_EVERY),
            _ => now + LOOK_EVERY,
        }
    }

    /// Puts back requests that are claimed but in no lane.
    async fn tidy(&mut self) -> Result<(), StoreError> {
        if !self.is_tidy {
            let held = self.under_way.values().map(|work| work.entry);
            let tables = &self.shared.tables;
            tables.release_inbox(held.collect()).await?;
            self.is_tidy = true;
        }
        Ok(())
    }

    fn note_end(&mut self, ended: Result<(Id, ()), JoinError>) {
        let error = match ended {
            Ok((id, ())) => {
                self.under_way.remove(&id);
                return;
            }
            Err(error) => error,
        };
        metrics::counter!("rillcast_panics_total", "where" => "inbox").increment(1);
        model::stranger_line!(error, "inbox", %error, "inbox: an activity could not be handled and is dropped");
        if let Some(work) = self.under_way.remove(&error.id()) {
            let shared = Arc::clone(&self.shared);
            let lane = self
                .lanes
                .spawn(async move { finish(&shared, work.entry).await });
            self.under_way.insert(lane.id(), work);
        }
    }
}

async fn handle(shared: Arc<FederationShared>, entry: InboxEntry) {
    let (id, attempts) = (entry.id, entry.attempts);
    let judging = tokio::time::timeout(DEADLINE, judge(&shared, &entry));
    let end = judging
        .await
        .unwrap_or(RequestOutcome::Later("it took too long".into()));
    metrics::counter!("rillcast_inbox_activities_total", "outcome" => end.name()).increment(1);
    match end {
        RequestOutcome::Done => {}
        RequestOutcome::Dropped(reason) => {
            tracing::debug!(key = entry.request.key_id, reason, "inbox: dropped");
            finish(&shared, id).await;
        }
        RequestOutcome::Repeated => finish(&shared, id).await,
        RequestOutcome::Later(reason) => {
            let attempt = usize::try_from(attempts).unwrap_or(usize::MAX);
            let age = shared.clock.now().duration_since(entry.created_at);
            let is_young = Duration::try_from(age).unwrap_or_default() < MAX_AGE;
            match PAUSES.get(attempt).filter(|_| is_young) {
                Some(pause) => again(&shared, id, *pause).await,
                None => {
                    model::stranger_line!(
                        info,
                        "inbox",
                        key = entry.request.key_id,
                        reason,
                        "inbox: given up"
                    );
                    finish(&shared, id).await;
                }
            }
        }
        RequestOutcome::Failed(error) => {
            model::stranger_line!(warn, "inbox", %error, "inbox: an activity could not be stored, trying again");
            again(&shared, id, DATABASE_PAUSE).await;
        }
    }
}

/// The outcome of a request.
enum RequestOutcome {
    /// Handled, and removed from the queue together with its effects.
    Done,
    /// Not believed.
    Dropped(&'static str),
    /// Handled before.
    Repeated,
    /// To be retried.
    Later(String),
    Failed(StoreError),
}

impl RequestOutcome {
    fn name(&self) -> &'static str {
        match self {
            RequestOutcome::Done => "handled",
            RequestOutcome::Dropped(_) => "dropped",
            RequestOutcome::Repeated => "repeated",
            RequestOutcome::Later(_) | RequestOutcome::Failed(_) => "postponed",
        }
    }
}

impl From<StoreError> for RequestOutcome {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict => RequestOutcome::Repeated,
            StoreError::Unavailable(_) | StoreError::LeaseLost(_) => RequestOutcome::Failed(error),
            // The activity itself may be the cause, so it is not retried for ever.
            other => RequestOutcome::Later(other.to_string()),
        }
    }
}

async fn judge(shared: &FederationShared, entry: &InboxEntry) -> RequestOutcome {
    let Ok(activity) = ReceivedActivity::parse(&entry.request.body) else {
        return RequestOutcome::Dropped("it cannot be read");
    };
    let budget = FetchBudget::new(FETCHES_PER_ACTIVITY);
    let actor = match proof::find_author(shared, entry, &activity, &budget).await {
        Ok(actor) => actor,
        Err(ProofError::Never(reason)) => return RequestOutcome::Dropped(reason),
        Err(problem @ ProofError::NotNow(_)) => return RequestOutcome::Later(problem.to_string()),
        Err(ProofError::Store(error)) => return error.into(),
    };
    match believed(shared, entry, &activity, &actor, &budget).await {
        Ok(end) => end,
        Err(error) => error.into(),
    }
}

/// Handles an activity whose author is known.
async fn believed(
    shared: &FederationShared,
    entry: &InboxEntry,
    activity: &ReceivedActivity,
    actor: &str,
    budget: &FetchBudget,
) -> Result<RequestOutcome, StoreError> {
    let now = shared.clock.now();
    if let Some(id) = &activity.id
        && shared.tables.is_seen(id, actor).await?
    {
        return Ok(RequestOutcome::Repeated);
    }
    let profile = match shared.account.profile().await {
        Ok(Some(profile)) => profile,
        Ok(None) => {
            return Ok(RequestOutcome::Dropped(
                "the server has no address any more",
            ));
        }
        Err(error) => return Ok(RequestOutcome::Later(error.to_string())),
    };
    let base = Effects {
        seen: Some(SeenActivity {
            activity_id: activity.id.clone(),
            actor: actor.to_owned(),
        }),
        settles: Some(entry.id),
        raw: String::from_utf8(entry.request.body.clone()).ok(),
        ..Effects::default()
    };
    let context = InboxContext {
        shared,
        profile: &profile,
        activity,
        actor,
        now,
        budget,
        base,
    };
    match dispatch::handle(&context).await {
        Ok(()) => Ok(RequestOutcome::Done),
        Err(HandlerError::Ignored(reason)) => {
            tracing::debug!(actor, reason, "inbox: nothing follows");
            shared.tables.send(context.effects(), now).await?;
            Ok(RequestOutcome::Done)
        }
        Err(problem @ HandlerError::Later(_)) => Ok(RequestOutcome::Later(problem.to_string())),
        Err(HandlerError::Store(error)) => Err(error),
    }
}

/// Removes a request from the queue. While it stays claimed, everything behind it waits, so this does not give up.
async fn finish(shared: &FederationShared, id: i64) {
    while let Err(error) = shared.tables.finish_inbox(vec![id]).await {
        if error.is_lease_lost() {
            return;
        }
        tracing::warn!(%error, "inbox: cannot record that an activity was handled, trying again");
        pause_for_database(shared).await;
    }
}

/// Puts a request back for a while; like [`finish`], it does not give up.
async fn again(shared: &FederationShared, id: i64, pause: Duration) {
    let next = shared.clock.now() + pause;
    while let Err(error) = shared.tables.retry_inbox(id, next).await {
        if error.is_lease_lost() {
            return;
        }
        tracing::warn!(%error, "inbox: an activity cannot be put back, trying again");
        pause_for_database(shared).await;
    }
}

async fn pause_for_database(shared: &FederationShared) {
    let until = shared.clock.now() + DATABASE_PAUSE;
    shared.clock.sleep_until(until).await;
}
