//! One queue, sent in its order, one notice at a time.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use store::{Attempt, Delivery, Health, Line, Next, StoreError, Verdict, Webhook};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::request::{self, Outcome};
use super::{Shared, rules};

/// A request under way when the server stops gets this long; then it is sent again after the start, under the same id.
const STOP_GRACE: Duration = Duration::from_secs(3);
/// Pause after the database has failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);

/// Sends what is due, and returns when to look again; `None` means not before something new comes.
pub(super) async fn run(
    shared: Arc<Shared>,
    line: Line,
    places: Arc<Semaphore>,
    stop: CancellationToken,
) -> Option<Timestamp> {
    while !stop.is_cancelled() {
        let (webhook, delivery) = match look(&shared, line).await {
            Ok(Look::Send(webhook, delivery)) => (webhook, delivery),
            Ok(Look::Wait(at)) => return Some(at),
            Ok(Look::Rest) => return None,
            Err(error) => {
                tracing::warn!(%error, webhook = line.webhook(), "webhooks: cannot look into the queue, trying again");
                return Some(shared.clock.now() + DATABASE_PAUSE);
            }
        };
        let is_kept = tokio::select! {
            is_kept = attempt(&shared, &webhook, &delivery, &places) => is_kept,
            () = stopped(&stop) => return None,
        };
        if let Err(error) = is_kept {
            tracing::warn!(%error, webhook = webhook.id, "webhooks: cannot read the secret, trying again");
            return Some(shared.clock.now() + DATABASE_PAUSE);
        }
    }
    None
}

enum Look {
    Send(Box<Webhook>, Box<Delivery>),
    Wait(Timestamp),
    Rest,
}

async fn look(shared: &Shared, line: Line) -> Result<Look, StoreError> {
    let Some(webhook) = shared.store.webhook(line.webhook()).await? else {
        return Ok(Look::Rest);
    };
    if !webhook.is_enabled && matches!(line, Line::Facts(_)) {
        return Ok(Look::Rest);
    }
    let next = shared.store.next_delivery(line, shared.clock.now()).await?;
    Ok(match next {
        Next::Due(delivery) => Look::Send(Box::new(webhook), delivery),
        Next::At(at) => Look::Wait(at),
        Next::Empty => Look::Rest,
    })
}

/// Sends one notice and keeps what came of it.
async fn attempt(
    shared: &Shared,
    webhook: &Webhook,
    delivery: &Delivery,
    places: &Semaphore,
) -> Result<(), StoreError> {
    let Some(secret) = shared.store.webhook_secret(webhook.id).await? else {
        // Deleted this moment, and the notice with it; or damaged, and then looking again at once would not end.
        tracing::warn!(
            webhook = webhook.id,
            "webhooks: there is no secret to sign with; make the webhook anew"
        );
        tokio::time::sleep(DATABASE_PAUSE).await;
        return Ok(());
    };
    let began = shared.clock.uptime();
    let outcome = {
        // Closed by nobody.
        let _place = places.acquire().await;
        request::send(shared, webhook, &secret, delivery).await
    };
    let duration = shared.clock.uptime().saturating_sub(began);
    let now = shared.clock.now();
    let (verdict, health) = rules::judge(webhook, delivery, &outcome, now);
    tell(webhook, delivery, &outcome, &verdict, &health);
    let kept = Attempt {
        delivery: delivery.id,
        webhook: webhook.id,
        revision: webhook.revision,
        at: now,
        duration,
        status: outcome.status,
        response: outcome.response,
        error: outcome.error,
        verdict,
        health,
    };
    // Forgetting an attempt would mean to send the notice again at once, and again.
    while let Err(error) = shared.store.record_attempt(kept.clone()).await {
        tracing::warn!(%error, webhook = webhook.id, "webhooks: cannot keep what came of a delivery, trying again");
        tokio::time::sleep(DATABASE_PAUSE).await;
    }
    Ok(())
}

/// In the log and in the metrics. Never the address: it may be a secret itself.
fn tell(
    webhook: &Webhook,
    delivery: &Delivery,
    outcome: &Outcome,
    verdict: &Verdict,
    health: &Health,
) {
    let (id, status) = (webhook.id, outcome.status);
    let label = match verdict {
        Verdict::Delivered => "delivered",
        Verdict::Again { .. } => "failed",
        Verdict::GivenUp => "given_up",
    };
    metrics::counter!("rillcast_webhook_attempts_total", "outcome" => label).increment(1);
    let error = outcome.error.as_deref().unwrap_or_default();
    match verdict {
        Verdict::Delivered => {
            tracing::debug!(webhook = id, delivery = delivery.id, "webhook delivered")
        }
        Verdict::Again { is_aside: true, .. } if !delivery.is_aside => {
            tracing::warn!(
                webhook = id,
                delivery = delivery.id,
                status,
                "a receiver refuses a notice; it is set aside and tried again later, and the rest goes on"
            )
        }
        Verdict::Again { at, .. } => {
            tracing::debug!(webhook = id, delivery = delivery.id, status, error, next = %at, "webhook not delivered, trying again later")
        }
        Verdict::GivenUp => {
            tracing::info!(
                webhook = id,
                delivery = delivery.id,
                status,
                error,
                "webhook not delivered, given up"
            )
        }
    }
    match health {
        Health::Failing {
            warned_at: Some(_), ..
        } if webhook.warned_at.is_none() => {
            tracing::warn!(
                webhook = id,
                status,
                error,
                "nothing has arrived at a webhook for a day; it will be switched off after 7 days"
            )
        }
        Health::Disabled { why, .. } => {
            tracing::warn!(webhook = id, why, "a webhook was switched off by itself")
        }
        _ => {}
    }
}

async fn stopped(stop: &CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(STOP_GRACE).await;
}
