//! Sends one queue in order, one notice at a time.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use store::{
    NextDelivery, StoreError, Webhook, WebhookAttempt, WebhookDelivery, WebhookHealth,
    WebhookQueue, WebhookVerdict,
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::request::{self, AttemptOutcome};
use super::{WebhooksShared, retry};

/// A request under way when the server stops gets this long; then it is sent again after the start, under the same id.
const STOP_GRACE: Duration = Duration::from_secs(3);
/// Pause after the database has failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);

/// Sends what is due, and returns when to look again; `None` means not before something new arrives.
pub(super) async fn run(
    shared: Arc<WebhooksShared>,
    line: WebhookQueue,
    permits: Arc<Semaphore>,
    stop: CancellationToken,
) -> Option<Timestamp> {
    while !stop.is_cancelled() && shared.may_send() {
        let (webhook, delivery) = match next_step(&shared, line).await {
            Ok(NextStep::Send(webhook, delivery)) => (webhook, delivery),
            Ok(NextStep::Wait(at)) => return Some(at),
            Ok(NextStep::Rest) => return None,
            Err(error) => {
                tracing::warn!(%error, webhook = line.webhook(), "webhooks: cannot read the queue, trying again");
                return Some(shared.clock.now() + DATABASE_PAUSE);
            }
        };
        let is_kept = tokio::select! {
            is_kept = attempt(&shared, &webhook, &delivery, &permits) => is_kept,
            () = stopped(&stop) => return None,
        };
        if let Err(error) = is_kept {
            tracing::warn!(%error, webhook = webhook.id, "webhooks: cannot read the secret, trying again");
            return Some(shared.clock.now() + DATABASE_PAUSE);
        }
    }
    None
}

enum NextStep {
    Send(Box<Webhook>, Box<WebhookDelivery>),
    Wait(Timestamp),
    Rest,
}

async fn next_step(shared: &WebhooksShared, line: WebhookQueue) -> Result<NextStep, StoreError> {
    let Some(webhook) = shared.store.webhook(line.webhook()).await? else {
        return Ok(NextStep::Rest);
    };
    if !webhook.is_enabled && matches!(line, WebhookQueue::Facts(_)) {
        return Ok(NextStep::Rest);
    }
    let next = shared.store.next_delivery(line, shared.clock.now()).await?;
    Ok(match next {
        NextDelivery::Due(delivery) => NextStep::Send(Box::new(webhook), delivery),
        NextDelivery::At(at) => NextStep::Wait(at),
        NextDelivery::Empty => NextStep::Rest,
    })
}

/// Sends one notice and records the outcome.
async fn attempt(
    shared: &WebhooksShared,
    webhook: &Webhook,
    delivery: &WebhookDelivery,
    permits: &Semaphore,
) -> Result<(), StoreError> {
    let Some(secret) = shared.store.webhook_secret(webhook.id).await? else {
        // Deleted just now, together with the notice; or damaged, and then looking again at once would never end.
        tracing::warn!(
            webhook = webhook.id,
            "webhooks: there is no secret to sign with; create the webhook again"
        );
        tokio::time::sleep(DATABASE_PAUSE).await;
        return Ok(());
    };
    let began = shared.clock.uptime();
    let outcome = {
        // The semaphore is never closed.
        let _permit = permits.acquire().await;
        // The wait may have been long, and a request cannot be taken back.
        if !shared.may_send() {
            return Ok(());
        }
        request::send(shared, webhook, &secret, delivery).await
    };
    let duration = shared.clock.uptime().saturating_sub(began);
    let now = shared.clock.now();
    let (verdict, health) = retry::judge(webhook, delivery, &outcome, now);
    log_outcome(webhook, delivery, &outcome, &verdict, &health);
    let kept = WebhookAttempt {
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
    // Losing an attempt would mean sending the notice again at once, over and over.
    while let Err(error) = shared.store.record_attempt(kept.clone()).await {
        if error.is_lease_lost() {
            // Whoever has it now sends the notice again, under the same id.
            return Ok(());
        }
        tracing::warn!(%error, webhook = webhook.id, "webhooks: cannot store the result of a delivery, trying again");
        tokio::time::sleep(DATABASE_PAUSE).await;
    }
    Ok(())
}

/// Logs the outcome and counts it in the metrics. Never logs the address: it may itself be a secret.
fn log_outcome(
    webhook: &Webhook,
    delivery: &WebhookDelivery,
    outcome: &AttemptOutcome,
    verdict: &WebhookVerdict,
    health: &WebhookHealth,
) {
    let (id, status) = (webhook.id, outcome.status);
    let label = match verdict {
        WebhookVerdict::Delivered => "delivered",
        WebhookVerdict::Again { .. } => "failed",
        WebhookVerdict::GivenUp => "given_up",
    };
    metrics::counter!("rillcast_webhook_attempts_total", "outcome" => label).increment(1);
    let error = outcome.error.as_deref().unwrap_or_default();
    match verdict {
        WebhookVerdict::Delivered => {
            tracing::debug!(webhook = id, delivery = delivery.id, "webhook delivered")
        }
        WebhookVerdict::Again { is_aside: true, .. } if !delivery.is_aside => {
            tracing::warn!(
                webhook = id,
                delivery = delivery.id,
                status,
                "a receiver refuses a notice; it is set aside and tried again later, and the rest goes on"
            )
        }
        WebhookVerdict::Again { at, .. } => {
            tracing::debug!(webhook = id, delivery = delivery.id, status, error, next = %at, "webhook not delivered, trying again later")
        }
        WebhookVerdict::GivenUp => {
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
        WebhookHealth::Failing {
            warned_at: Some(_), ..
        } if webhook.warned_at.is_none() => {
            tracing::warn!(
                webhook = id,
                status,
                error,
                "nothing has reached a webhook for a day; it will be switched off after 7 days"
            )
        }
        WebhookHealth::Disabled { why, .. } => {
            tracing::warn!(
                webhook = id,
                why,
                "a webhook was switched off automatically"
            )
        }
        _ => {}
    }
}

async fn stopped(stop: &CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(STOP_GRACE).await;
}
