//! Whether the server's public address leads to this server: asked for over the network, as a stranger would.

use std::time::Duration;

use futures_util::future::BoxFuture;
use outbound::{Client, FetchBudget, FetchError, Policy, Url, http::HeaderMap};
use web::{AddressAnswer, AddressProbe};

/// Longer than any server that works takes to answer.
const PATIENCE: Duration = Duration::from_secs(8);

#[derive(Debug)]
pub(crate) struct OwnAddress {
    pub(crate) client: Client,
}

impl OwnAddress {
    async fn ask_at(&self, address: &str) -> AddressAnswer {
        let Ok(url) = Url::parse(&format!("{address}/healthz")) else {
            return AddressAnswer::Silent("it is no address".into());
        };
        // The operator typed it: a public address without a name is asked like any other.
        let policy = Policy::webhook()
            .taking_literal_addresses()
            .with_deadline(PATIENCE);
        let (headers, budget) = (HeaderMap::new(), FetchBudget::new(1));
        match self.client.get(&url, &policy, headers, &budget).await {
            Ok(answer) if answer.body.starts_with(b"ok") => AddressAnswer::Reached,
            Ok(_) | Err(FetchError::TooLarge { .. }) => AddressAnswer::Another,
            Err(FetchError::Refused { .. }) => AddressAnswer::Unasked,
            Err(error) => AddressAnswer::Silent(error.to_string()),
        }
    }
}

impl AddressProbe for OwnAddress {
    fn ask<'a>(&'a self, address: &'a str) -> BoxFuture<'a, AddressAnswer> {
        Box::pin(self.ask_at(address))
    }
}
