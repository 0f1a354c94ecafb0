//! What came of deliveries, written down: for the queue, for what is known of hosts, for the operator and the metrics.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use store::StoreError;
use store::federation::{
    self, Answered, Claimed, Contact, DeliveryKind, Gone, HostFailure, Outcome, Settlement,
};

use super::Shared;
use super::request::Report;
use super::rules::{self, HostNews, Tried, Verdict};
use crate::signature::Scheme;

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

/// A delivery that was tried.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) claimed: Claimed,
    pub(super) report: Report,
}

impl Sent {
    /// What it says about the host.
    pub(super) fn host_news(&self, now: Timestamp) -> HostNews {
        let failures = u32::try_from(self.claimed.failures).unwrap_or(u32::MAX);
        rules::host_news(&self.report.answer, failures, now)
    }

    /// In words for the operator.
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

/// Keeps what came of these in one piece, and puts back what was not tried. Returns the hosts of those that were.
pub(super) async fn keep(shared: Arc<Shared>, sent: Vec<Sent>, put_back: Vec<i64>) -> Vec<String> {
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
        tell(one, &outcome);
        note_key(&shared, one, &outcome, now, &mut settlement);
        settlement.outcomes.push((one.claimed.id, outcome));
        if let Some(scheme) = one.report.learned {
            let (host, until) = (one.claimed.host.clone(), now + SCHEME_KNOWN_FOR);
            settlement.schemes.push((host, scheme.into(), until));
        }
        if let HostNews::Failing { until } = one.host_news(now) {
            settlement.failures.push(HostFailure {
                host: one.claimed.host.clone(),
                held_until: until,
                error: one.error(),
            });
        }
    }
    // Forgetting an attempt would mean to send it again at once, and again.
    let handed_over = loop {
        match tables.settle(settlement.clone(), now).await {
            Ok(handed_over) => break handed_over,
            Err(error) => {
                tracing::warn!(%error, "deliveries: cannot keep what came of them, trying again");
                tokio::time::sleep(DATABASE_PAUSE).await;
            }
        }
    };
    for host in &handed_over {
        shared.account.handed_over(host);
    }
    for one in &sent {
        if let Err(error) = note_host(&shared, one, now).await {
            tracing::warn!(%error, host = one.claimed.host, "deliveries: cannot keep how a host is doing");
        }
    }
    sent.into_iter().map(|one| one.claimed.host).collect()
}

/// What a delivery says about the key its host knows.
fn note_key(
    shared: &Shared,
    sent: &Sent,
    outcome: &Outcome,
    now: Timestamp,
    settlement: &mut Settlement,
) {
    let (claimed, report) = (&sent.claimed, &sent.report);
    let (host, is_taken) = (&claimed.host, report.answer.is_taken());
    let inbox = is_taken.then_some(claimed.inbox.as_str());
    if report.answer.status().is_some() {
        let contact = shared.account.new_contact(host, inbox);
        settlement.contacts.extend(contact);
    }
    let told = match outcome {
        _ if report.knows_new_key => Some((now, Answered::Taken)),
        _ if claimed.kind != DeliveryKind::Update => None,
        Outcome::Delivered { .. } => Some((claimed.created_at, Answered::Taken)),
        Outcome::Failed { .. } => Some((claimed.created_at, Answered::GivenUp)),
        Outcome::Retry { .. } => None,
    };
    match told {
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

fn outcome(sent: &Sent, is_all_failing: bool, now: Timestamp) -> Outcome {
    let answer = &sent.report.answer;
    let tried = Tried {
        id: sent.claimed.id,
        attempts: u32::try_from(sent.claimed.attempts).unwrap_or(u32::MAX),
        expires_at: sent.claimed.expires_at,
        is_all_failing,
    };
    let status = answer.status();
    let error = sent.error();
    match rules::judge(answer, tried, now) {
        Verdict::Delivered => Outcome::Delivered {
            status: status.unwrap_or_default(),
        },
        Verdict::Again(next_at) => Outcome::Retry {
            next_at,
            status,
            error,
        },
        Verdict::Failed | Verdict::Gone => Outcome::Failed { status, error },
    }
}

/// The first words, in which the status is ours, as they are.
fn without_digits(error: &str) -> String {
    let (ours, theirs) = error.split_once(": ").unwrap_or((error, ""));
    if theirs.is_empty() {
        return ours.to_owned();
    }
    let hidden = theirs.replace(|letter: char| letter.is_numeric(), "*");
    format!("{ours}: {hidden}")
}

/// What else is known of the host now; that it failed, and how it reads signatures, is kept with the deliveries.
async fn note_host(shared: &Shared, sent: &Sent, now: Timestamp) -> Result<(), StoreError> {
    let tables = shared.store.federation();
    let (host, answer) = (&sent.claimed.host, &sent.report.answer);
    if answer.status() == Some(410) {
        match tables.inbox_gone(sent.claimed.inbox.clone(), now).await? {
            Gone::Removed(followers) | Gone::HostRemoved(followers) => {
                tracing::info!(
                    host,
                    followers,
                    "an inbox is gone, and those behind it follow no longer"
                );
            }
            Gone::HostMarked => {
                tracing::info!(
                    host,
                    "a server says that it is gone; it is asked once more in a day"
                );
            }
        }
        return tables.note_answer(host.clone(), now).await;
    }
    if answer.status() == Some(404) {
        tables.validate_soon(sent.claimed.inbox.clone()).await?;
    }
    // Most hosts never fail, and then there is nothing to forget.
    if sent.claimed.failures == 0 {
        return Ok(());
    }
    match sent.host_news(now) {
        HostNews::Well => tables.note_success(host, now).await,
        HostNews::Refusal => tables.note_answer(host.clone(), now).await,
        HostNews::Failing { .. } | HostNews::Nothing => Ok(()),
    }
}

/// In the log and in the metrics.
fn tell(sent: &Sent, outcome: &Outcome) {
    let (claimed, answer) = (&sent.claimed, &sent.report.answer);
    metrics::counter!("rillcast_federation_deliveries_total", "outcome" => answer.label())
        .increment(1);
    let (delivery, host, kind) = (claimed.id, &claimed.host, claimed.kind.as_str());
    match outcome {
        Outcome::Delivered { .. } => tracing::debug!(delivery, host, kind, "delivered"),
        Outcome::Retry { next_at, error, .. } => {
            tracing::debug!(delivery, host, kind, error, next = %next_at, "not delivered, trying again later");
        }
        Outcome::Failed { error, .. } => {
            tracing::info!(delivery, host, kind, error, "not delivered, given up");
        }
    }
}

/// Forgets what is over for long and says how the queue is.
pub(super) async fn upkeep(shared: &Shared, now: Timestamp) {
    let tables = shared.store.federation();
    if let Err(error) = shared.account.forget_outdated_key().await {
        tracing::warn!(%error, "deliveries: cannot forget the key before");
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
        Err(error) => tracing::warn!(%error, "deliveries: cannot look through the queue"),
    }
}

impl From<federation::Scheme> for Scheme {
    fn from(scheme: federation::Scheme) -> Self {
        match scheme {
            federation::Scheme::Cavage => Scheme::Cavage,
            federation::Scheme::Rfc9421 => Scheme::Rfc9421,
        }
    }
}

impl From<Scheme> for federation::Scheme {
    fn from(scheme: Scheme) -> Self {
        match scheme {
            Scheme::Cavage => federation::Scheme::Cavage,
            Scheme::Rfc9421 => federation::Scheme::Rfc9421,
        }
    }
}
