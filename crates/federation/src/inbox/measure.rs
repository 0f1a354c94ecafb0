//! One step of the worker in isolation, so that `bench/` can measure it: no database, no network, the key is known.

use jiff::Timestamp;
use outbound::http::HeaderMap;

use super::envelope;
use crate::signature::PublicKey;
use crate::signature::{SignedRequest, verify};
use crate::wire::{ActivityKind, ReceivedActivity};

/// A request as it waits in the queue.
#[derive(Clone, Debug)]
pub struct StoredRequest {
    headers: String,
    target: String,
    body: Vec<u8>,
}

impl StoredRequest {
    /// Builds the stored form of a request; `None` if it has too many headers.
    #[must_use]
    pub fn new(target: &str, headers: &HeaderMap, body: &[u8]) -> Option<Self> {
        Some(Self {
            headers: envelope::seal(headers)?,
            target: target.to_owned(),
            body: body.to_vec(),
        })
    }

    /// What the worker does with a request it believes: from the stored bytes to the kind of activity, as `proof.rs`
    /// and `worker.rs` do it.
    #[must_use]
    pub fn decide(
        &self,
        host: &str,
        base: &str,
        received_at: Timestamp,
        owner: &str,
        key: &PublicKey,
    ) -> Option<ActivityKind> {
        let activity = ReceivedActivity::parse(&self.body).ok()?;
        let headers = envelope::open(&self.headers);
        let request = SignedRequest {
            method: "POST",
            target: &self.target,
            headers: &headers,
            host,
            base,
        };
        let parsed = verify::parse(&request).ok()?;
        let checked = parsed.check_without_key(received_at, &self.body).ok()?;
        checked.verify(key).ok()?;
        (activity.actor.as_deref() == Some(owner)).then_some(activity.kind)?
    }
}
