//! Outbound network access through the guarded client.

use outbound::{Client, FetchBudget, OutgoingRequest, Policy};

use super::{FetchRequest, FetchResponse, Network};
use crate::host::services::ServiceFuture;

/// Limit (plugins): body of a response to `http.fetch`; a larger one is an error.
const MAX_ANSWER_BYTES: usize = 10 * 1024 * 1024;

/// Requests through the server's one client, which checks every address.
#[derive(Clone, Debug)]
pub struct OutboundNetwork {
    client: Client,
    policy: Policy,
}

impl OutboundNetwork {
    /// Lets plugins make requests through `client`. With `reaches_private_networks` they may also reach machines on the
    /// operator's own network, if their manifests list them; that is for development.
    #[must_use]
    pub fn new(client: Client, reaches_private_networks: bool) -> Self {
        let policy = Policy::plugin()
            .returning_redirects()
            // Only those listed literally in the manifest; all others were rejected before.
            .taking_literal_addresses()
            .with_max_response_bytes(MAX_ANSWER_BYTES)
            // The caller's shorter timeout ends the request.
            .with_deadline(super::PATIENCE_OF_PAGES);
        let policy = match reaches_private_networks {
            true => policy.reaching_internal_addresses(),
            false => policy,
        };
        Self { client, policy }
    }
}

impl Network for OutboundNetwork {
    fn send(&self, request: FetchRequest) -> ServiceFuture<'_, FetchResponse> {
        Box::pin(async move {
            let outgoing = OutgoingRequest {
                method: request.method,
                headers: request.headers,
                body: request.body,
            };
            let budget = FetchBudget::new(1);
            let answer = self
                .client
                .send(&request.url, &self.policy, outgoing, &budget)
                .await
                .map_err(|error| error.to_string())?;
            Ok(FetchResponse {
                status: answer.status,
                headers: answer.headers,
                body: answer.body,
            })
        })
    }
}
