//! Takes one request after the other out of the queue and does what follows from it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use model::settings::table::federation::ENABLED;
use outbound::FetchBudget;
use store::StoreError;
use store::federation::{Effects, InboxEntry, Seen};
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::case::{Case, Stop};
use super::dispatch;
use super::proof::{self, Unproven};
use crate::fetch::FETCHES_PER_ACTIVITY;
use crate::handle::Shared;
use crate::wire::Received;

/// Requests handled at once; the rest waits in the queue. Most of them wait for other servers, not for us.
const MAX_AT_ONCE: usize = 32;
/// Time for one request, all that is fetched for it included; then it is tried again later.
const DEADLINE: Duration = Duration::from_secs(20);
/// Pauses before a request is tried again because another server did not answer; after the last it is given up.
const PAUSES: [Duration; 3] = [
    Duration::from_secs(60),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
];
/// Pause after the database has failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);
/// The queue is looked at this often even if nobody says that something came.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// Shortest pause between two looks when nothing could be taken: what is due may wait for another of the same key.
const LOOK_PAUSE: Duration = Duration::from_secs(1);
/// Requests under way get this long at the end; they are handled again after the next start.
const STOP_GRACE: Duration = Duration::from_secs(5);

/// Handles what comes in until the server stops.
pub(crate) async fn run(shared: Arc<Shared>, stop: CancellationToken) {
    if let Err(error) = shared.tables.release_inbox().await {
        tracing::warn!(%error, "inbox: what was under way cannot be put back");
    }
    let mut desk = Desk {
        lanes: JoinSet::new(),
        under_way: HashMap::new(),
        shared,
    };
    let mut arrivals = desk.shared.tables.inbox_wakeups();
    let mut changes = desk.shared.settings.changes();
    while !stop.is_cancelled() {
        arrivals.mark_unchanged();
        changes.mark_unchanged();
        let next = desk.start_due().await;
        let clock = Arc::clone(&desk.shared.clock);
        tokio::select! {
            () = stop.cancelled() => {}
            Some(ended) = desk.lanes.join_next_with_id() => desk.note_end(ended).await,
            _ = arrivals.changed(), if desk.has_room() => {}
            _ = changes.changed() => {}
            () = clock.sleep_until(next) => {}
        }
    }
    let ending = async { while desk.lanes.join_next().await.is_some() {} };
    tokio::time::timeout(STOP_GRACE, ending).await.ok();
}

struct Desk {
    shared: Arc<Shared>,
    lanes: JoinSet<()>,
    /// Which request each lane handles.
    under_way: HashMap<Id, i64>,
}

impl Desk {
    /// Half of the lanes are filled at a time, so that one look serves many.
    fn has_room(&self) -> bool {
        self.lanes.len() <= MAX_AT_ONCE / 2
    }

    /// Starts what can be started; returns when to look again if nobody says anything.
    async fn start_due(&mut self) -> Timestamp {
        let now = self.shared.clock.now();
        let is_on = *self.shared.settings.now().get(&ENABLED);
        if !is_on || !self.has_room() {
            return now + LOOK_EVERY;
        }
        let room = u32::try_from(MAX_AT_ONCE - self.lanes.len()).unwrap_or_default();
        let claimed = match self.shared.tables.claim_inbox(room, now).await {
            Ok(claimed) => claimed,
            Err(error) => {
                tracing::warn!(%error, "inbox: the queue cannot be read, trying again");
                return now + DATABASE_PAUSE;
            }
        };
        for entry in claimed {
            let id = entry.id;
            let lane = self.lanes.spawn(handle(Arc::clone(&self.shared), entry));
            self.under_way.insert(lane.id(), id);
        }
        match self.shared.tables.next_inbox_at().await {
            Ok(Some(next)) => next.clamp(now + LOOK_PAUSE, now + LOOK_EVERY),
            _ => now + LOOK_EVERY,
        }
    }

    async fn note_end(&mut self, ended: Result<(Id, ()), JoinError>) {
        let error = match ended {
            Ok((id, ())) => {
                self.under_way.remove(&id);
                return;
            }
            Err(error) => error,
        };
        metrics::counter!("rillcast_panics_total", "where" => "inbox").increment(1);
        tracing::error!(%error, "inbox: an activity could not be handled and is dropped");
        if let Some(entry) = self.under_way.remove(&error.id()) {
            finish(&self.shared, entry).await;
        }
    }
}

async fn handle(shared: Arc<Shared>, entry: InboxEntry) {
    let (id, attempts) = (entry.id, entry.attempts);
    let judging = tokio::time::timeout(DEADLINE, judge(&shared, &entry));
    let end = judging
        .await
        .unwrap_or(End::Later("it took too long".into()));
    metrics::counter!("rillcast_inbox_activities_total", "outcome" => end.name()).increment(1);
    match end {
        End::Done => {}
        End::Dropped(reason) => {
            tracing::debug!(key = entry.request.key_id, reason, "inbox: dropped");
            finish(&shared, id).await;
        }
        End::Repeated => finish(&shared, id).await,
        End::Later(reason) => {
            let attempt = usize::try_from(attempts).unwrap_or(usize::MAX);
            match PAUSES.get(attempt) {
                Some(pause) => again(&shared, id, *pause).await,
                None => {
                    tracing::info!(key = entry.request.key_id, reason, "inbox: given up");
                    finish(&shared, id).await;
                }
            }
        }
        End::Failed(error) => {
            tracing::warn!(%error, "inbox: an activity could not be stored, trying again");
            again(&shared, id, DATABASE_PAUSE).await;
        }
    }
}

/// What became of a request.
enum End {
    /// Handled, and gone from the queue with what followed from it.
    Done,
    /// Not believed.
    Dropped(&'static str),
    /// Handled before.
    Repeated,
    /// To be tried again.
    Later(String),
    /// The database failed.
    Failed(StoreError),
}

impl End {
    fn name(&self) -> &'static str {
        match self {
            End::Done => "handled",
            End::Dropped(_) => "dropped",
            End::Repeated => "repeated",
            End::Later(_) | End::Failed(_) => "postponed",
        }
    }
}

impl From<StoreError> for End {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict => End::Repeated,
            StoreError::Unavailable(_) => End::Failed(error),
            // It may be the activity, so it is not tried for ever.
            other => End::Later(other.to_string()),
        }
    }
}

async fn judge(shared: &Shared, entry: &InboxEntry) -> End {
    let Ok(activity) = Received::parse(&entry.request.body) else {
        return End::Dropped("it cannot be read");
    };
    let budget = FetchBudget::new(FETCHES_PER_ACTIVITY);
    let actor = match proof::find_author(shared, entry, &activity, &budget).await {
        Ok(actor) => actor,
        Err(Unproven::Never(reason)) => return End::Dropped(reason),
        Err(problem @ Unproven::NotNow(_)) => return End::Later(problem.to_string()),
        Err(Unproven::Store(error)) => return error.into(),
    };
    match believed(shared, entry, &activity, &actor, &budget).await {
        Ok(end) => end,
        Err(error) => error.into(),
    }
}

/// What follows from an activity whose author is known.
async fn believed(
    shared: &Shared,
    entry: &InboxEntry,
    activity: &Received,
    actor: &str,
    budget: &FetchBudget,
) -> Result<End, StoreError> {
    let now = shared.clock.now();
    if let Some(id) = &activity.id
        && shared.tables.is_seen(id, actor).await?
    {
        return Ok(End::Repeated);
    }
    let profile = match shared.account.profile().await {
        Ok(Some(profile)) => profile,
        Ok(None) => return Ok(End::Dropped("the server has no address any more")),
        Err(error) => return Ok(End::Later(error.to_string())),
    };
    let base = Effects {
        seen: Some(Seen {
            activity_id: activity.id.clone(),
            actor: actor.to_owned(),
        }),
        settles: Some(entry.id),
        raw: String::from_utf8(entry.request.body.clone()).ok(),
        ..Effects::default()
    };
    let case = Case {
        shared,
        profile: &profile,
        activity,
        actor,
        now,
        budget,
        base,
    };
    match dispatch::handle(&case).await {
        Ok(()) => Ok(End::Done),
        Err(Stop::Ignored(reason)) => {
            tracing::debug!(actor, reason, "inbox: nothing follows");
            shared.tables.send(case.effects(), now).await?;
            Ok(End::Done)
        }
        Err(problem @ Stop::Later(_)) => Ok(End::Later(problem.to_string())),
        Err(Stop::Store(error)) => Err(error),
    }
}

/// Takes a request out of the queue.
async fn finish(shared: &Shared, id: i64) {
    if let Err(error) = shared.tables.finish_inbox(vec![id]).await {
        tracing::warn!(%error, "inbox: the end of an activity cannot be noted; it is looked at again after a restart");
    }
}

/// Puts a request back for a while.
async fn again(shared: &Shared, id: i64, pause: Duration) {
    let next = shared.clock.now() + pause;
    if let Err(error) = shared.tables.retry_inbox(id, next).await {
        tracing::warn!(%error, "inbox: an activity cannot be put back; it is looked at again after a restart");
    }
}
