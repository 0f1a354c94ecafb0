//! The retry policy: when to try again after an answer, when to warn, when to stop. No IO.
//!
//! A receiver that is down holds up everything behind the oldest notice, so that all notices arrive in order once it is
//! back. A receiver that is up and refuses a single notice must not: after two attempts that notice steps aside.

use std::time::Duration;

use jiff::Timestamp;
use store::{MAX_WAITING_AGE, Webhook, WebhookDelivery, WebhookHealth, WebhookVerdict};

use super::request::AttemptOutcome;

/// Pauses after the first failures; later ones take [`LONGEST_PAUSE`].
const PAUSES: [Duration; 5] = [
    SHORTEST_PAUSE,
    Duration::from_secs(30),
    Duration::from_secs(2 * 60),
    Duration::from_secs(10 * 60),
    Duration::from_secs(30 * 60),
];
/// The pause after the first failure, and the shortest one a receiver can ask for.
const SHORTEST_PAUSE: Duration = Duration::from_secs(10);
/// The pause after many failures: a receiver that is back after days hears of it within this time.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);
/// The longest pause a receiver can ask for by `Retry-After`; a longer one is cut.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);
/// Attempts after which a notice that is refused lets others pass.
const ATTEMPTS_AT_THE_HEAD: i64 = 2;
/// Pauses of a notice that others have passed; after the last it is given up.
const ASIDE_PAUSES: [Duration; 3] = [
    Duration::from_secs(10 * 60),
    Duration::from_secs(3600),
    Duration::from_secs(6 * 3600),
];
/// How long a webhook fails before the operator is warned.
const WARN_AFTER: Duration = Duration::from_secs(24 * 3600);
/// Limit (clients): time a webhook fails without a success; then it is disabled.
const DISABLE_AFTER: Duration = Duration::from_secs(7 * 24 * 3600);
/// How long the warning has been there before that; a server that was off for a week has warned nobody.
const WARNED_FOR: Duration = Duration::from_secs(24 * 3600);

/// Decides about a notice and its webhook; both are as they were before the attempt.
pub(super) fn judge(
    webhook: &Webhook,
    delivery: &WebhookDelivery,
    outcome: &AttemptOutcome,
    now: Timestamp,
) -> (WebhookVerdict, WebhookHealth) {
    if outcome.is_success() {
        let is_back = webhook.failures > 0;
        return (WebhookVerdict::Delivered, WebhookHealth::Well { is_back });
    }
    // The operator is looking at the answer right now; sending it again later gains nothing.
    if delivery.is_test {
        return (WebhookVerdict::GivenUp, WebhookHealth::Unknown);
    }
    let since = webhook.failing_since.unwrap_or(now);
    if outcome.status == Some(410) {
        let why = "the receiver answered 410 Gone: it wants no more deliveries";
        let why = why.to_owned();
        return (
            WebhookVerdict::GivenUp,
            WebhookHealth::Disabled { why, since },
        );
    }
    (
        next_attempt(webhook, delivery, outcome, now),
        health(webhook, since, now),
    )
}

fn next_attempt(
    webhook: &Webhook,
    delivery: &WebhookDelivery,
    outcome: &AttemptOutcome,
    now: Timestamp,
) -> WebhookVerdict {
    if now >= delivery.created_at + MAX_WAITING_AGE {
        return WebhookVerdict::GivenUp;
    }
    let attempts = delivery.attempts + 1;
    if outcome.is_refusal() {
        return next_of_refused(delivery, attempts, outcome, now);
    }
    // What counts is how often this notice failed or how long the receiver has been down, whichever is worse.
    let tries = attempts.max(webhook.failures + 1);
    let pause = match outcome.retry_after {
        Some(requested) => requested.clamp(SHORTEST_PAUSE, LONGEST_RETRY_AFTER),
        None => pause(tries),
    };
    WebhookVerdict::Again {
        at: now + spread(pause, delivery.id, attempts),
        is_aside: delivery.is_aside,
    }
}

/// A refused notice says nothing about other notices, nor they about it.
fn next_of_refused(
    delivery: &WebhookDelivery,
    attempts: i64,
    outcome: &AttemptOutcome,
    now: Timestamp,
) -> WebhookVerdict {
    let is_aside = delivery.is_aside || attempts >= ATTEMPTS_AT_THE_HEAD;
    let usual = if is_aside {
        let Some(pause) = longer_pause(delivery) else {
            return WebhookVerdict::GivenUp;
        };
        pause
    } else {
        SHORTEST_PAUSE
    };
    // A notice that stepped aside is not sent sooner: its pauses tell how often it was tried.
    let shortest = if is_aside { usual } else { SHORTEST_PAUSE };
    let requested = outcome.retry_after.unwrap_or(usual);
    let pause = requested.clamp(shortest, LONGEST_RETRY_AFTER);
    WebhookVerdict::Again {
        at: now + spread(pause, delivery.id, attempts),
        is_aside,
    }
}

/// The next longer pause of a notice that stepped aside; `None` after the longest.
fn longer_pause(delivery: &WebhookDelivery) -> Option<Duration> {
    let last = match delivery.last_at {
        Some(last) if delivery.is_aside => delivery.next_at.duration_since(last),
        _ => jiff::SignedDuration::ZERO,
    };
    // It was spread, so it is never shorter than the pause it came from.
    let last = last.unsigned_abs();
    ASIDE_PAUSES.into_iter().find(|pause| *pause > last)
}

fn health(webhook: &Webhook, since: Timestamp, now: Timestamp) -> WebhookHealth {
    let is_long = now >= since + WARN_AFTER;
    let warned_at = webhook.warned_at.or(is_long.then_some(now));
    let was_warned = warned_at.is_some_and(|at| now >= at + WARNED_FOR);
    if was_warned && now >= since + DISABLE_AFTER {
        let why = "nothing has been delivered for 7 days".to_owned();
        return WebhookHealth::Disabled { why, since };
    }
    WebhookHealth::Failing { since, warned_at }
}

fn pause(tries: i64) -> Duration {
    let place = usize::try_from(tries - 1).unwrap_or(0);
    PAUSES.get(place).copied().unwrap_or(LONGEST_PAUSE)
}

/// Up to a tenth longer, so that many webhooks of one receiver do not come back at the same moment.
fn spread(pause: Duration, delivery: i64, attempts: i64) -> Duration {
    let mixed = delivery
        .wrapping_mul(7919)
        .wrapping_add(attempts.wrapping_mul(104_729))
        .rem_euclid(100);
    pause + pause / 1000 * u32::try_from(mixed).unwrap_or(0)
}

/// The state of a webhook, for the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookState {
    /// It gets events.
    Active,
    /// The last attempt failed, or a notice was refused.
    Failing,
    /// It gets no events.
    Disabled,
}

impl WebhookState {
    /// As the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            WebhookState::Active => "active",
            WebhookState::Failing => "failing",
            WebhookState::Disabled => "disabled",
        }
    }
}

/// A webhook's state with what the operator should know about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookStatus {
    pub state: WebhookState,
    pub warning: Option<String>,
}

impl WebhookStatus {
    pub fn of(webhook: &Webhook) -> Self {
        let (state, trouble) = if !webhook.is_enabled {
            let why = webhook.disabled_why.as_ref();
            let text = why.map(|why| format!("switched off automatically: {why}"));
            (WebhookState::Disabled, text)
        } else if webhook.warned_at.is_some() {
            let text = "nothing has been delivered for a day or more; it will be switched off after 7 days without success";
            (WebhookState::Failing, Some(text.to_owned()))
        } else if webhook.failures > 0 {
            let text = "the last attempt failed; the waiting deliveries will be tried again";
            (WebhookState::Failing, Some(text.to_owned()))
        } else {
            (WebhookState::Active, None)
        };
        let state = match state {
            WebhookState::Active if webhook.aside > 0 => WebhookState::Failing,
            state => state,
        };
        let refused = (webhook.aside > 0).then(|| {
            format!(
                "refused and set aside: {} (tried again later; the rest goes on)",
                webhook.aside
            )
        });
        let dropped = (webhook.dropped > 0).then(|| {
            format!(
                "{} deliveries were given up because too many were waiting",
                webhook.dropped
            )
        });
        let warnings: Vec<String> = trouble.into_iter().chain(refused).chain(dropped).collect();
        Self {
            state,
            warning: (!warnings.is_empty()).then(|| warnings.join("; ")),
        }
    }
}

#[cfg(test)]
mod tests;
