//! One delivery on the wire: signed now, posted, and sent a second time with the other scheme if the first signature
//! was not understood (double-knocking); and once more with a new key, which the host may have learned meanwhile.

use std::sync::Arc;

use bytes::Bytes;
use outbound::http::HeaderMap;
use outbound::{FetchBudget, FetchError, Policy, Response, Retry, Url};

use super::DeliveryShared;
use super::retry::{self, DeliveryAnswer, Fault};
use crate::identity::Signers;
use crate::signature::{SignatureScheme, Signer, sign};
use crate::wire;

/// Bytes of an answer that are read; the rest is for nobody.
const MAX_ANSWER_BYTES: usize = 1024;
/// Characters of an answer that are kept for the operator.
const MAX_TEXT_CHARS: usize = 200;
/// Requests for one delivery: in both schemes, and with both keys while there are two.
const KNOCKS: u32 = 4;

/// The result of a delivery.
#[derive(Debug)]
pub(super) struct DeliveryReport {
    pub(super) answer: DeliveryAnswer,
    /// The scheme that the host turned out to want.
    pub(super) learned: Option<SignatureScheme>,
    /// It accepted the new key, although we believed it knew only the previous one.
    pub(super) knows_new_key: bool,
}

impl DeliveryReport {
    /// Nothing is sent to this host.
    pub(super) fn shunned() -> Self {
        Self {
            answer: fault(Fault::Forbidden, "the operator has blocked this server"),
            learned: None,
            knows_new_key: false,
        }
    }

    /// The host did not answer for so long that others needed the slot.
    pub(super) fn given_up() -> Self {
        Self {
            answer: fault(
                Fault::Unreachable,
                "there was no answer in time, and other deliveries were waiting",
            ),
            learned: None,
            knows_new_key: false,
        }
    }

    /// The request could not even be tried.
    pub(super) fn of_ours(text: &str) -> Self {
        Self {
            answer: fault(Fault::Ours, text),
            learned: None,
            knows_new_key: false,
        }
    }
}

/// Sends `body` to `inbox`; `known` is the scheme the host was last found to understand.
pub(super) async fn deliver(
    shared: &DeliveryShared,
    signers: &Signers,
    inbox: &str,
    body: Bytes,
    known: Option<SignatureScheme>,
) -> DeliveryReport {
    let Ok(url) = Url::parse(inbox) else {
        return DeliveryReport {
            answer: fault(Fault::Forbidden, "the stored address is not a URL"),
            learned: None,
            knows_new_key: false,
        };
    };
    let budget = FetchBudget::new(KNOCKS);
    let mut report = knock_twice(shared, &signers.first, &url, &body, known, &budget).await;
    let refused = signers
        .other
        .as_ref()
        .filter(|_| is_refused(&report.answer));
    let Some(other) = refused else {
        return report;
    };
    // With two keys, a refusal says nothing about schemes.
    report.learned = None;
    let again = knock_twice(shared, other, &url, &body, known, &budget).await;
    match again.answer.is_taken() {
        true => DeliveryReport {
            knows_new_key: true,
            ..again
        },
        false => report,
    }
}

async fn knock_twice(
    shared: &DeliveryShared,
    signer: &Signer,
    url: &Url,
    body: &Bytes,
    known: Option<SignatureScheme>,
    budget: &FetchBudget,
) -> DeliveryReport {
    let first = known.unwrap_or(SignatureScheme::Cavage);
    let answer = knock(shared, signer, url, body, first, budget).await;
    // A host known to understand only the older scheme will not understand the newer one today.
    if !is_refused(&answer) || known == Some(SignatureScheme::Cavage) {
        return DeliveryReport {
            answer,
            learned: None,
            knows_new_key: false,
        };
    }
    let second = match first {
        SignatureScheme::Cavage => SignatureScheme::Rfc9421,
        SignatureScheme::Rfc9421 => SignatureScheme::Cavage,
    };
    let answer = knock(shared, signer, url, body, second, budget).await;
    let learned = match (answer.is_taken(), first) {
        (true, _) => Some(second),
        // It understood the newer scheme, so there is another reason.
        (false, SignatureScheme::Rfc9421) => None,
        (false, SignatureScheme::Cavage) => Some(SignatureScheme::Cavage),
    };
    DeliveryReport {
        answer,
        learned,
        knows_new_key: false,
    }
}

fn is_refused(answer: &DeliveryAnswer) -> bool {
    answer.status().is_some_and(retry::wants_second_knock)
}

async fn knock(
    shared: &DeliveryShared,
    signer: &Signer,
    url: &Url,
    body: &Bytes,
    scheme: SignatureScheme,
    budget: &FetchBudget,
) -> DeliveryAnswer {
    let headers = match signed(shared, signer, url, body, scheme).await {
        Ok(headers) => headers,
        Err(text) => return fault(Fault::Ours, &text),
    };
    let policy = Policy::federation()
        .returning_redirects()
        .keeping_the_start(MAX_ANSWER_BYTES);
    let posted = shared
        .client
        .post(url, &policy, headers, body.clone(), budget)
        .await;
    match posted {
        Ok(response) => answered(&response),
        Err(error) => failed(&error),
    }
}

/// Signs off the runtime, on a few threads only: it takes half a millisecond of arithmetic.
async fn signed(
    shared: &DeliveryShared,
    signer: &Signer,
    url: &Url,
    body: &Bytes,
    scheme: SignatureScheme,
) -> Result<HeaderMap, String> {
    // The semaphore is never closed.
    let turn = Arc::clone(&shared.signing).acquire_owned().await;
    let (signer, url, body) = (signer.clone(), url.clone(), body.clone());
    let now = shared.clock.now();
    let signed = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        match scheme {
            SignatureScheme::Cavage => sign::cavage_post(&signer, &url, &body, now),
            SignatureScheme::Rfc9421 => sign::rfc9421_post(&signer, &url, &body, now),
        }
    });
    match signed.await {
        Ok(headers) => headers.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn answered(response: &Response) -> DeliveryAnswer {
    DeliveryAnswer::Status {
        code: response.status.as_u16(),
        retry_after: match response.retry() {
            Retry::After(wait) => Some(wait),
            Retry::Never | Retry::Backoff => None,
        },
        text: wire::plain(&String::from_utf8_lossy(&response.body), MAX_TEXT_CHARS),
    }
}

fn failed(error: &FetchError) -> DeliveryAnswer {
    let kind = match error {
        FetchError::Refused { .. } => Fault::Forbidden,
        FetchError::BudgetExhausted { .. } => Fault::Ours,
        FetchError::Unresolved {
            is_certain: true, ..
        } => Fault::Nameless,
        FetchError::Unresolved { .. } => Fault::Unresolved,
        FetchError::Untrusted { .. } => Fault::Untrusted,
        FetchError::Unreachable { .. }
        | FetchError::DeadlinePassed { .. }
        | FetchError::BrokenAnswer { .. }
        | FetchError::TooLarge { .. }
        | FetchError::Compressed { .. }
        | FetchError::Status { .. } => Fault::Unreachable,
    };
    fault(kind, &error.to_string())
}

fn fault(kind: Fault, text: &str) -> DeliveryAnswer {
    DeliveryAnswer::Fault {
        kind,
        text: text.to_owned(),
    }
}
