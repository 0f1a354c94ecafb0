//! One attempt: a signed POST through the guarded client, and its outcome.

use std::time::Duration;

use bytes::Bytes;
use model::settings::table::notices::WEBHOOKS_ALLOW_INTERNAL;
use model::{Clock, Secret};
use outbound::http::header::CONTENT_TYPE;
use outbound::http::{HeaderMap, HeaderName, HeaderValue};
use outbound::{FetchBudget, FetchError, Policy, RefusalReason, Response, Retry, Url};
use store::{Webhook, WebhookDelivery};

use super::WebhooksShared;
use super::signature::signature;
use super::text;

/// The signature under our name and under the one that existing receivers look for.
const SIGNATURES: [HeaderName; 2] = [
    HeaderName::from_static("rillcast-signature"),
    HeaderName::from_static("owncast-signature"),
];
/// The same at every attempt, so that a receiver can tell what it has had.
const DELIVERY: HeaderName = HeaderName::from_static("rillcast-delivery");
/// The event's name, for receivers that sort before they read.
const EVENT: HeaderName = HeaderName::from_static("rillcast-event");

/// The outcome of an attempt.
#[derive(Clone, Debug, Default)]
pub(super) struct AttemptOutcome {
    pub(super) status: Option<u16>,
    pub(super) response: Option<String>,
    /// Why it failed, if the status does not say so.
    pub(super) error: Option<String>,
    /// When the receiver asked us to retry.
    pub(super) retry_after: Option<Duration>,
}

impl AttemptOutcome {
    pub(super) fn is_success(&self) -> bool {
        self.status
            .is_some_and(|status| (200..300).contains(&status))
    }

    /// The receiver is up but refuses this notice, as opposed to not accepting any. Most bots answer 500 to anything
    /// they do not know.
    pub(super) fn is_refusal(&self) -> bool {
        self.status.is_some_and(|status| {
            (400..600).contains(&status) && !matches!(status, 408 | 425 | 429 | 502..=504)
        })
    }

    fn failed(error: impl Into<String>) -> Self {
        Self {
            error: Some(error.into()),
            ..Self::default()
        }
    }
}

/// What a webhook's address may be: http and https, and on the operator's own network only if the operator allows it.
pub(super) fn policy(allows_internal: bool) -> Policy {
    let policy = Policy::webhook().keeping_the_start(text::MAX_ANSWER_BYTES);
    if allows_internal {
        policy.reaching_internal_addresses()
    } else {
        policy
    }
}

fn is_internal(refusal: &RefusalReason) -> bool {
    matches!(
        refusal,
        RefusalReason::AddressLiteral | RefusalReason::InternalName | RefusalReason::Address(_)
    )
}

/// Why an address cannot be used, and what to do about it.
pub(super) fn advice(refusal: &RefusalReason) -> String {
    if is_internal(refusal) {
        format!(
            "{refusal}; if it is yours, allow internal addresses for this webhook (\"allowInternal\": true), \
             or for all of them by the setting {}",
            WEBHOOKS_ALLOW_INTERNAL.meta.key
        )
    } else {
        refusal.to_string()
    }
}

/// Sends a notice once.
pub(super) async fn send(
    shared: &WebhooksShared,
    webhook: &Webhook,
    secret: &Secret,
    delivery: &WebhookDelivery,
) -> AttemptOutcome {
    let Ok(url) = Url::parse(&webhook.url) else {
        return AttemptOutcome::failed("the stored address is not a URL");
    };
    let Some(headers) = headers(shared.clock.as_ref(), secret, delivery) else {
        return AttemptOutcome::failed("the notice cannot be described in headers");
    };
    let body = Bytes::from(delivery.body.clone());
    let post = async |is_internal: bool| {
        let policy = policy(is_internal).with_deadline(shared.timeout);
        let budget = FetchBudget::new(1);
        let sent = shared
            .client
            .post(&url, &policy, headers.clone(), body.clone(), &budget);
        sent.await
    };
    let allow_internal = shared.allow_internal();
    let sent = match post(webhook.allows_internal && !allow_internal).await {
        // The operator has not checked each of these addresses: a webhook must not be a way to read what is behind
        // them.
        Err(FetchError::Refused { reason, .. }) if allow_internal && is_internal(&reason) => {
            let mut outcome = outcome(post(true).await, true);
            outcome.response = None;
            return outcome;
        }
        sent => sent,
    };
    outcome(sent, webhook.allows_internal)
}

fn outcome(sent: Result<Response, FetchError>, is_allowed: bool) -> AttemptOutcome {
    match sent {
        Ok(response) => answered(&response),
        Err(FetchError::Refused { reason, .. }) if !is_allowed => {
            AttemptOutcome::failed(advice(&reason))
        }
        Err(error) => AttemptOutcome::failed(text::error(&error)),
    }
}

fn headers(clock: &dyn Clock, secret: &Secret, delivery: &WebhookDelivery) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let signature = signature(secret, clock.now(), &delivery.body);
    for name in SIGNATURES {
        headers.insert(name, HeaderValue::from_str(&signature).ok()?);
    }
    headers.insert(DELIVERY, HeaderValue::from_str(&delivery.key).ok()?);
    headers.insert(EVENT, HeaderValue::from_str(&delivery.kind).ok()?);
    Some(headers)
}

fn answered(response: &Response) -> AttemptOutcome {
    let is_redirect = response.status.is_redirection();
    AttemptOutcome {
        status: Some(response.status.as_u16()),
        response: text::answer(&response.body),
        error: is_redirect.then(|| "the receiver redirects, and redirects are not followed".into()),
        retry_after: match response.retry() {
            Retry::After(wait) => Some(wait),
            Retry::Never | Retry::Backoff => None,
        },
    }
}
