//! Records the outcomes of deliveries: for the queue, for what we know of hosts, for the operator and the metrics.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use store::StoreError;
use store::federation::{
    self, ClaimedDelivery, Contact, DeliveryKind, DeliveryOutcome, GoneInboxResult,
    HandoverOutcome, HostFailure, Settlement,
};

use super::DeliveryShared;
use super::request::DeliveryReport;
use super::retry::{self, DeliveryVerdict, HostHealth, RetryState};
use crate::signature::SignatureScheme;

/// Between two looks for what is over for long, and at the numbers for the metrics.
pub(super) const UPKEEP_EVERY: Duration = Duration::from_secs(60);
/// How long a delivery that is over is kept for the operator to see; then it is forgotten.
const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 3600);
/// How long it is remembered which signatures a host understands; then the usual one is tried first again.
const SCHEME_KNOWN_FOR: Duration = Duration::from_secs(7 * 24 * 3600);
/// If so many of the newest deliveries all failed it may be our own network, and nobody is blamed for it.
const DELIVERIES_ASKED: u32 = 20;
/// Pause after the database has failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);

/// An attempted delivery.
#[derive(Debug)]
pub(super) struct DeliveryAttempt {
    pub(super) claimed: ClaimedDelivery,
    pub(super) report: DeliveryReport,
}

impl DeliveryAttempt {
    /// What the attempt says about the host.
    pub(super) fn host_health(&self, now: Timestamp) -> HostHealth {
        let failures = u32::try_from(self.claimed.failures).unwrap_or(u32::MAX);
        retry::host_health(&self.report.answer, failures, now)
    }

    /// The error text for the operator.
    fn error(&self) -> String {
        let error = self.report.answer.error().unwrap_or_default();
        // An answer may repeat the code it was sent.
        let is_answer = self.report.answer.status().is_some();
        match is_answer && self.claimed.kind == DeliveryKind::Direct {
            true => without_digits(&error),
            false => error,
        }
    }
}

/// Records these outcomes in one transaction, and puts back what was not tried. Returns the hosts of those that were.
pub(super) async fn record(
    shared: Arc<DeliveryShared>,
    sent: Vec<DeliveryAttempt>,
    put_back: Vec<i64>,
) -> Vec<String> {
    let now = shared.clock.now();
    let tables = shared.store.federation();
    let is_all_failing = match sent.iter().any(|one| one.report.answer.is_lasting()) {
        true => tables.is_all_failing(DELIVERIES_ASKED).await,
        false => Ok(false),
    };
    let is_all_failing = is_all_failing.unwrap_or_default();
    let mut settlement = Settlement {
        put_back,
        ..Settlement::default()
    };
    for one in &sent {
        let outcome = outcome(one, is_all_failing, now);
        log_outcome(one, &outcome);
        note_key(&shared, one, &outcome, now, &mut settlement);
        settlement.outcomes.push((one.claimed.id, outcome));
        if let Some(scheme) = one.report.learned {
            let (host, until) = (one.claimed.host.clone(), now + SCHEME_KNOWN_FOR);
            settlement.schemes.push((host, scheme.into(), until));
        }
        if let HostHealth::Failing { until } = one.host_health(now) {
            settlement.failures.push(HostFailure {
                host: one.claimed.host.clone(),
                held_until: until,
                error: one.error(),
            });
        }
    }
    // Losing an attempt would mean sending it again at once, over and over.
    let handed_over = loop {
        match tables.settle(settlement.clone(), now).await {
            Ok(handed_over) => break handed_over,
            // Whoever has it now sends them again, under the same ids.
            Err(error) if error.is_lease_lost() => return Vec::new(),
            Err(error) => {
                tracing::warn!(%error, "deliveries: cannot store their results, trying again");
                tokio::time::sleep(DATABASE_PAUSE).await;
            }
        }
    };
    for host in &handed_over {
        shared.account.handed_over(host);
    }
    for one in &sent {
        if let Err(error) = note_host(&shared, one, now).await {
            tracing::warn!(%error, host = one.claimed.host, "deliveries: cannot store the state of a host");
        }
    }
    sent.into_iter().map(|one| one.claimed.host).collect()
}

/// Notes what a delivery says about the key its host knows.
fn note_key(
    shared: &DeliveryShared,
    attempt: &DeliveryAttempt,
    outcome: &DeliveryOutcome,
    now: Timestamp,
    settlement: &mut Settlement,
) {
    let (claimed, report) = (&attempt.claimed, &attempt.report);
    let (host, is_taken) = (&claimed.host, report.answer.is_taken());
    let inbox = is_taken.then_some(claimed.inbox.as_str());
    if report.answer.status().is_some() {
        let contact = shared.account.new_contact(host, inbox);
        settlement.contacts.extend(contact);
    }
    let handover = match outcome {
        _ if report.knows_new_key => Some((now, HandoverOutcome::Taken)),
        _ if claimed.kind != DeliveryKind::Update => None,
        DeliveryOutcome::Delivered { .. } => Some((claimed.created_at, HandoverOutcome::Taken)),
        DeliveryOutcome::Failed { .. } => Some((claimed.created_at, HandoverOutcome::GivenUp)),
        DeliveryOutcome::Retry { .. } => None,
    };
    match handover {
        Some((at, answered)) => settlement.handed_over.push((host.clone(), at, answered)),
        None if is_taken && shared.account.handing_over_since(host).is_some() => {
            settlement.behind.push(Contact {
                host: host.clone(),
                inbox: inbox.map(str::to_owned),
            });
        }
        None => {}
    }
}

fn outcome(attempt: &DeliveryAttempt, is_all_failing: bool, now: Timestamp) -> DeliveryOutcome {
    let answer = &attempt.report.answer;
    let tried = RetryState {
        id: attempt.claimed.id,
        attempts: u32::try_from(attempt.claimed.attempts).unwrap_or(u32::MAX),
        expires_at: attempt.claimed.expires_at,
        is_all_failing,
    };
    let status = answer.status();
    let error = attempt.error();
    match retry::judge(answer, tried, now) {
        DeliveryVerdict::Delivered => DeliveryOutcome::Delivered {
            status: status.unwrap_or_default(),
        },
        DeliveryVerdict::Again(next_at) => DeliveryOutcome::Retry {
            next_at,
            status,
            error,
        },
        DeliveryVerdict::Failed | DeliveryVerdict::Gone => {
            DeliveryOutcome::Failed { status, error }
        }
    }
}

/// Keeps the first words unchanged, because the status in them is ours.
fn without_digits(error: &str) -> String {
    let (ours, theirs) = error.split_once(": ").unwrap_or((error, ""));
    if theirs.is_empty() {
        return ours.to_owned();
    }
    let hidden = theirs.replace(|letter: char| letter.is_numeric(), "*");
    format!("{ours}: {hidden}")
}

/// Notes what else is known of the host; failures and signature schemes are recorded with the deliveries.
async fn note_host(
    shared: &DeliveryShared,
    attempt: &DeliveryAttempt,
    now: Timestamp,
) -> Result<(), StoreError> {
    let tables = shared.store.federation();
    let (host, answer) = (&attempt.claimed.host, &attempt.report.answer);
    if answer.status() == Some(410) {
        match tables
            .inbox_gone(attempt.claimed.inbox.clone(), now)
            .await?
        {
            GoneInboxResult::Removed(followers) | GoneInboxResult::HostRemoved(followers) => {
                tracing::info!(
                    host,
                    followers,
                    "an inbox is gone, and its followers were removed"
                );
            }
            GoneInboxResult::HostMarked => {
                tracing::info!(
                    host,
                    "a server says that it is gone; it is asked once more in a day"
                );
            }
        }
        return tables.note_answer(host.clone(), now).await;
    }
    if answer.status() == Some(404) {
        tables.validate_soon(attempt.claimed.inbox.clone()).await?;
    }
    // Most hosts never fail, so there is nothing to clear.
    if attempt.claimed.failures == 0 {
        return Ok(());
    }
    match attempt.host_health(now) {
        HostHealth::Well => tables.note_success(host, now).await,
        HostHealth::Refusal => tables.note_answer(host.clone(), now).await,
        HostHealth::Failing { .. } | HostHealth::Nothing => Ok(()),
    }
}

/// Logs the outcome and counts it in the metrics.
fn log_outcome(attempt: &DeliveryAttempt, outcome: &DeliveryOutcome) {
    let (claimed, answer) = (&attempt.claimed, &attempt.report.answer);
    metrics::counter!("rillcast_federation_deliveries_total", "outcome" => answer.label())
        .increment(1);
    let (delivery, host, kind) = (claimed.id, &claimed.host, claimed.kind.as_str());
    match outcome {
        DeliveryOutcome::Delivered { .. } => tracing::debug!(delivery, host, kind, "delivered"),
        DeliveryOutcome::Retry { next_at, error, .. } => {
            tracing::debug!(delivery, host, kind, error, next = %next_at, "not delivered, trying again later");
        }
        DeliveryOutcome::Failed { error, .. } => {
            tracing::info!(delivery, host, kind, error, "not delivered, given up");
        }
    }
}

/// Prunes what finished long ago and reports the state of the queue.
pub(super) async fn upkeep(shared: &DeliveryShared, now: Timestamp) {
    let tables = shared.store.federation();
    if let Err(error) = shared.account.forget_outdated_key().await {
        tracing::warn!(%error, "deliveries: cannot delete the previous key");
    }
    let done = async {
        tables.expire_deliveries(now).await?;
        tables.prune_deliveries(now - KEPT_FOR).await?;
        tables.prune_hosts(now).await?;
        tables.prune_contacts(now).await?;
        tables.queue_summary(now).await
    };
    match done.await {
        Ok(summary) => {
            let oldest = summary
                .oldest
                .map(|at| now.duration_since(at).as_secs_f64());
            metrics::gauge!("rillcast_federation_deliveries_waiting").set(summary.waiting as f64);
            metrics::gauge!("rillcast_federation_deliveries_retrying").set(summary.retrying as f64);
            metrics::gauge!("rillcast_federation_deliveries_oldest_seconds")
                .set(oldest.unwrap_or_default());
            metrics::gauge!("rillcast_federation_hosts_held").set(summary.held_hosts as f64);
        }
        Err(error) => tracing::warn!(%error, "deliveries: cannot read the queue"),
    }
}

impl From<federation::SignatureScheme> for SignatureScheme {
    fn from(scheme: federation::SignatureScheme) -> Self {
        match scheme {
            federation::SignatureScheme::Cavage => SignatureScheme::Cavage,
            federation::SignatureScheme::Rfc9421 => SignatureScheme::Rfc9421,
        }
    }
}

impl From<SignatureScheme> for federation::SignatureScheme {
    fn from(scheme: SignatureScheme) -> Self {
        match scheme {
            SignatureScheme::Cavage => federation::SignatureScheme::Cavage,
            SignatureScheme::Rfc9421 => federation::SignatureScheme::Rfc9421,
        }
    }
}
