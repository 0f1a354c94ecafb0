//! Decides which queue to look at, and when.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use store::WebhookQueue;
use tokio::sync::Semaphore;
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::{WebhooksShared, queue_worker};

/// Requests under way at once; further webhooks wait for a permit, first come first served.
const MAX_IN_FLIGHT: usize = 16;
/// Between two looks for what is too old or too much.
const TIDY_EVERY: Duration = Duration::from_secs(600);
/// Pause after a queue has ended by a fault of ours, or the list of queues cannot be read.
const FAULT_PAUSE: Duration = Duration::from_secs(60);

/// Keeps every queue moving until the server stops.
pub(super) async fn run(shared: Arc<WebhooksShared>, stop: CancellationToken) {
    let mut dispatcher = Dispatcher {
        permits: Arc::new(Semaphore::new(MAX_IN_FLIGHT)),
        workers: JoinSet::new(),
        running: HashMap::new(),
        due: HashMap::new(),
        tidy_at: shared.clock.now(),
        shared,
        stop: stop.clone(),
    };
    while !stop.is_cancelled() {
        dispatcher.tidy().await;
        dispatcher.start_due();
        let next = dispatcher.next_look();
        let shared = Arc::clone(&dispatcher.shared);
        tokio::select! {
            () = stop.cancelled() => {}
            () = shared.wakeups.woken() => {}
            Some(ended) = dispatcher.workers.join_next_with_id() => dispatcher.note_end(ended),
            () = shared.clock.sleep_until(next) => {}
        }
    }
    // Each ends by itself, within its grace period.
    while dispatcher.workers.join_next().await.is_some() {}
}

struct Dispatcher {
    shared: Arc<WebhooksShared>,
    stop: CancellationToken,
    permits: Arc<Semaphore>,
    /// Queues being sent.
    workers: JoinSet<Option<Timestamp>>,
    running: HashMap<Id, WebhookQueue>,
    /// Queues to look at, and when.
    due: HashMap<WebhookQueue, Timestamp>,
    tidy_at: Timestamp,
}

impl Dispatcher {
    /// Starts every queue that is due, unless it is already being sent.
    fn start_due(&mut self) {
        let now = self.shared.clock.now();
        for line in self.shared.wakeups.take() {
            self.due.insert(line, now);
        }
        let running: Vec<WebhookQueue> = self.running.values().copied().collect();
        let is_ready = |line: &WebhookQueue, at: Timestamp| at <= now && !running.contains(line);
        let mut ready: Vec<WebhookQueue> = Vec::new();
        self.due.retain(|line, at| {
            let starts = is_ready(line, *at);
            ready.extend(starts.then_some(*line));
            !starts
        });
        for line in ready {
            let worker = queue_worker::run(
                Arc::clone(&self.shared),
                line,
                Arc::clone(&self.permits),
                self.stop.clone(),
            );
            let task = self.workers.spawn(worker);
            self.running.insert(task.id(), line);
        }
    }

    /// When to look next unless something wakes us earlier. A queue that is being sent reports by itself.
    fn next_look(&self) -> Timestamp {
        let running: Vec<&WebhookQueue> = self.running.values().collect();
        let resting = self.due.iter().filter(|(line, _)| !running.contains(line));
        resting
            .map(|(_, at)| *at)
            .fold(self.tidy_at, Timestamp::min)
    }

    fn note_end(&mut self, ended: Result<(Id, Option<Timestamp>), JoinError>) {
        let (id, next) = match ended {
            Ok((id, next)) => (id, next),
            Err(error) => {
                metrics::counter!("rillcast_panics_total", "where" => "webhooks").increment(1);
                tracing::error!(%error, "webhooks: a queue stopped unexpectedly");
                let later = self.shared.clock.now() + FAULT_PAUSE;
                (error.id(), Some(later))
            }
        };
        let (Some(line), Some(next)) = (self.running.remove(&id), next) else {
            return;
        };
        // Something may have woken it meanwhile.
        let at = self.due.entry(line).or_insert(next);
        *at = next.min(*at);
    }

    /// Prunes old deliveries, and looks at every queue so that nothing is left behind.
    async fn tidy(&mut self) {
        let now = self.shared.clock.now();
        if now < self.tidy_at {
            return;
        }
        let tidied = async {
            let given_up = self.shared.store.tidy_deliveries(now).await?;
            Ok::<_, store::StoreError>((given_up, self.shared.store.webhooks().await?))
        };
        match tidied.await {
            Ok((given_up, webhooks)) => {
                if given_up > 0 {
                    tracing::warn!(
                        given_up,
                        "webhooks: deliveries were given up after three days"
                    );
                }
                for webhook in webhooks {
                    self.due.insert(WebhookQueue::Facts(webhook.id), now);
                    self.due.insert(WebhookQueue::Tests(webhook.id), now);
                }
                self.tidy_at = now + TIDY_EVERY;
            }
            Err(error) => {
                tracing::warn!(%error, "webhooks: cannot read the queues, trying again");
                self.tidy_at = now + FAULT_PAUSE;
            }
        }
    }
}
