//! Moves events from the event log into the queues.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use model::LoggedEvent;
use store::{StoreError, WebhookNotice, WebhookQueue};
use tokio_util::sync::CancellationToken;

use super::WebhooksShared;
use crate::payload::WebhookPayload;
use crate::random;

/// Facts queued in one unit of work, so that other writers get a turn in between.
const MAX_FACTS_AT_ONCE: usize = 20;
/// Pause after the database has failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);
/// The log is looked at this often even if nobody says that it has grown.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// Queues events for the webhooks that subscribe to them, until the server stops.
pub(super) async fn follow(shared: Arc<WebhooksShared>, mut seq: i64, stop: CancellationToken) {
    let mut wakeups = shared.store.event_wakeups();
    while !stop.is_cancelled() {
        wakeups.mark_unchanged();
        let pause = match read_on(&shared, seq).await {
            Ok(read) if read > seq => {
                seq = read;
                continue;
            }
            Ok(_) => LOOK_EVERY,
            Err(error) => {
                tracing::warn!(%error, "webhooks: cannot read on in the event log, trying again");
                DATABASE_PAUSE
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            _ = wakeups.changed(), if pause == LOOK_EVERY => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Handles the events after `seq`; returns the last one handled.
async fn read_on(shared: &WebhooksShared, mut seq: i64) -> Result<i64, StoreError> {
    let events = shared.store.events_after(seq).await?;
    let Some(last) = events.last().map(|event| event.seq) else {
        return Ok(seq);
    };
    // Read after the events: a webhook that existed before one of them is included.
    let wanted = shared.store.wanted_events().await?;
    if wanted.is_empty() {
        // The stored cursor stays behind. That costs nothing: a webhook gets no events from before it was created.
        return Ok(last);
    }
    for facts in events.chunks(MAX_FACTS_AT_ONCE) {
        let up_to = facts.last().map_or(seq, |event| event.seq);
        let notices = facts
            .iter()
            .filter_map(|event| Some((event.seq, payload(shared, event)?)))
            .filter(|(_, payload)| wanted.iter().any(|name| name == payload.kind))
            .map(|(seq, payload)| WebhookNotice {
                seq,
                key: random::id(),
                kind: payload.kind,
                body: payload.body,
            })
            .collect();
        let now = shared.clock.now();
        for id in shared.store.add_notices(notices, up_to, now).await? {
            shared.wakeups.wake(WebhookQueue::Facts(id));
        }
        seq = up_to;
    }
    Ok(seq)
}

/// An event whose payload cannot be built must not stop the ones after it.
fn payload(shared: &WebhooksShared, event: &LoggedEvent) -> Option<WebhookPayload> {
    let worded = catch_unwind(AssertUnwindSafe(|| shared.payload_builder.payload(event)));
    worded.unwrap_or_else(|_| {
        metrics::counter!("rillcast_panics_total", "where" => "webhooks").increment(1);
        tracing::error!(
            seq = event.seq,
            "webhooks: cannot build the payload of an event, leaving it out"
        );
        None
    })
}
