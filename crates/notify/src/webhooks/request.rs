//! One attempt: a signed POST through the guarded client, and what came of it.

use std::time::Duration;

use bytes::Bytes;
use model::{Clock, Secret};
use outbound::http::header::CONTENT_TYPE;
use outbound::http::{HeaderMap, HeaderName, HeaderValue};
use outbound::{Client, FetchBudget, FetchError, Policy, Refusal, Response, Retry, Url};
use store::{Delivery, Webhook};

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

/// What came of an attempt.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    pub(super) status: Option<u16>,
    pub(super) response: Option<String>,
    /// Why it failed, when it is not the status that says so.
    pub(super) error: Option<String>,
    /// The receiver said when to come again.
    pub(super) retry_after: Option<Duration>,
}

impl Outcome {
    pub(super) fn is_success(&self) -> bool {
        self.status
            .is_some_and(|status| (200..300).contains(&status))
    }

    /// The receiver is there and does not want this notice, as opposed to not being able to take any.
    pub(super) fn is_refusal(&self) -> bool {
        self.status.is_some_and(|status| {
            (400..500).contains(&status) && !matches!(status, 408 | 425 | 429)
        })
    }

    fn failed(error: impl Into<String>) -> Self {
        Self {
            error: Some(error.into()),
            ..Self::default()
        }
    }
}

/// What a webhook's address may be: http and https, and its own network only if the operator said so.
pub(super) fn policy(allows_internal: bool) -> Policy {
    let policy = Policy::webhook().keeping_the_start(text::MAX_ANSWER_BYTES);
    if allows_internal {
        policy.reaching_internal_addresses()
    } else {
        policy
    }
}

/// Why an address cannot be used, with what can be done about it.
pub(super) fn advice(refusal: &Refusal) -> String {
    let is_internal = matches!(
        refusal,
        Refusal::AddressLiteral | Refusal::InternalName | Refusal::Address(_)
    );
    if is_internal {
        format!("{refusal}; if it is yours, allow internal addresses for this webhook")
    } else {
        refusal.to_string()
    }
}

/// Sends a notice once.
pub(super) async fn send(
    client: &Client,
    clock: &dyn Clock,
    timeout: Duration,
    webhook: &Webhook,
    secret: &Secret,
    delivery: &Delivery,
) -> Outcome {
    let Ok(url) = Url::parse(&webhook.url) else {
        return Outcome::failed("the stored address is no URL");
    };
    let Some(headers) = headers(clock, secret, delivery) else {
        return Outcome::failed("the notice cannot be described in headers");
    };
    let policy = policy(webhook.allows_internal).with_deadline(timeout);
    let body = Bytes::from(delivery.body.clone());
    let sent = client
        .post(&url, &policy, headers, body, &FetchBudget::new(1))
        .await;
    match sent {
        Ok(response) => answered(&response),
        Err(FetchError::Refused { reason, .. }) if !webhook.allows_internal => {
            Outcome::failed(advice(&reason))
        }
        Err(error) => Outcome::failed(text::error(&error)),
    }
}

fn headers(clock: &dyn Clock, secret: &Secret, delivery: &Delivery) -> Option<HeaderMap> {
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

fn answered(response: &Response) -> Outcome {
    let is_redirect = response.status.is_redirection();
    Outcome {
        status: Some(response.status.as_u16()),
        response: text::answer(&response.body),
        error: is_redirect.then(|| "the receiver redirects, and redirects are not followed".into()),
        retry_after: match response.retry() {
            Retry::After(wait) => Some(wait),
            Retry::Never | Retry::Backoff => None,
        },
    }
}
