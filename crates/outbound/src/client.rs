//! One request, from the guard to the last byte of the body.
//!
//! The order is fixed: check the URL, spend from the budget, connect (where the resolver checks every address), check
//! the head, follow at most one redirect through the same steps, read the body under its cap; all of it under one
//! deadline.

mod body;
mod builder;
mod fault;
mod redirect;
mod request;

pub use builder::{CONNECT_TIMEOUT, ClientBuilder, TOTAL_DEADLINE};
pub use request::{OutgoingRequest, host_header};

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::USER_AGENT;
use http::{HeaderMap, HeaderValue, Method};
use url::Url;

use crate::budget::FetchBudget;
use crate::error::{FetchError, RefusalReason, shown_host};
use crate::guard::{self, Reach};
use crate::policy::Policy;
use crate::resolve::Mappings;
use crate::response::Response;

/// The guarded HTTP client; clones share connections.
#[derive(Debug, Clone)]
pub struct Client {
    inner: Arc<ClientInner>,
}

/// Returns our user agent.
type UserAgent = dyn Fn() -> String + Send + Sync;

struct ClientInner {
    user_agent: Arc<UserAgent>,
    // Two connection pools: a connection opened to an internal address with the operator's opt-in
    // must never be reused by a request that has none.
    public: reqwest::Client,
    internal: reqwest::Client,
    mappings: Arc<Mappings>,
    deadline: Duration,
    widest: Reach,
}

impl fmt::Debug for ClientInner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientInner")
            .field("mappings", &self.mappings)
            .field("deadline", &self.deadline)
            .field("widest", &self.widest)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Builds a client; only a user agent is required.
    #[must_use]
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    /// Fetches `url`, following one redirect if the policy says so.
    ///
    /// # Errors
    /// See [`FetchError`]; a status other than 2xx is not an error here.
    pub async fn get(
        &self,
        url: &Url,
        policy: &Policy,
        headers: HeaderMap,
        budget: &FetchBudget,
    ) -> Result<Response, FetchError> {
        let outgoing = OutgoingRequest {
            method: Method::GET,
            headers,
            body: Bytes::new(),
        };
        self.send(url, policy, outgoing, budget).await
    }

    /// Posts `body` to `url`; redirects are handed back, never followed.
    ///
    /// # Errors
    /// See [`FetchError`]; a status other than 2xx is not an error here.
    pub async fn post(
        &self,
        url: &Url,
        policy: &Policy,
        headers: HeaderMap,
        body: Bytes,
        budget: &FetchBudget,
    ) -> Result<Response, FetchError> {
        let outgoing = OutgoingRequest {
            method: Method::POST,
            headers,
            body,
        };
        self.send(url, policy, outgoing, budget).await
    }

    /// Sends any request; only GET and HEAD ever follow a redirect.
    ///
    /// # Errors
    /// See [`FetchError`]; a status other than 2xx is not an error here.
    pub async fn send(
        &self,
        url: &Url,
        policy: &Policy,
        outgoing: OutgoingRequest,
        budget: &FetchBudget,
    ) -> Result<Response, FetchError> {
        let policy = self.widened(policy);
        let deadline = policy.deadline().unwrap_or(self.inner.deadline);
        let exchange = Box::pin(self.exchange(url, &policy, outgoing, budget));
        match tokio::time::timeout(deadline, exchange).await {
            Ok(outcome) => outcome,
            Err(_) => Err(FetchError::DeadlinePassed {
                host: shown_host(url),
            }),
        }
    }

    /// Checks everything about `url` that can be checked without contacting a host.
    ///
    /// # Errors
    /// The first rule the URL breaks.
    pub fn check_url(&self, url: &Url, policy: &Policy) -> Result<(), RefusalReason> {
        self.check(url, &self.widened(policy))
    }

    async fn exchange(
        &self,
        url: &Url,
        policy: &Policy,
        outgoing: OutgoingRequest,
        budget: &FetchBudget,
    ) -> Result<Response, FetchError> {
        request::check(&outgoing).map_err(|reason| FetchError::refused(url, reason))?;
        let may_follow = policy.follows_redirects() && outgoing.follows_redirects();
        let second = may_follow.then(|| outgoing.clone());

        let head = self.hop(url, policy, outgoing, budget).await?;
        let target = match &second {
            Some(_) => redirect::target(url, head.status(), head.headers())?,
            None => None,
        };
        let (Some(target), Some(again)) = (target, second) else {
            return body::finish(url.clone(), head, policy).await;
        };
        drop(head);

        let again = again.for_redirect(url, &target);
        let head = self.hop(&target, policy, again, budget).await?;
        if redirect::is_redirect(head.status()) {
            return Err(FetchError::refused(&target, RefusalReason::RedirectChain));
        }
        body::finish(target, head, policy).await
    }

    /// One request on the wire, up to and including the response's head.
    async fn hop(
        &self,
        url: &Url,
        policy: &Policy,
        outgoing: OutgoingRequest,
        budget: &FetchBudget,
    ) -> Result<reqwest::Response, FetchError> {
        self.check(url, policy)
            .map_err(|reason| FetchError::refused(url, reason))?;
        budget.pay().ok_or_else(|| FetchError::BudgetExhausted {
            host: shown_host(url),
        })?;
        let pool = match policy.reach() {
            Reach::Public => &self.inner.public,
            Reach::Internal | Reach::Never => &self.inner.internal,
        };
        let mut headers = outgoing.headers;
        if !headers.contains_key(USER_AGENT)
            && let Ok(value) = HeaderValue::from_str(&(self.inner.user_agent)())
        {
            headers.insert(USER_AGENT, value);
        }
        let head = pool
            .request(outgoing.method, url.clone())
            .headers(headers)
            .body(outgoing.body)
            .send()
            .await
            .map_err(|error| fault::classify(url, error))?;
        body::check_head(url, &head)?;
        Ok(head)
    }

    fn check(&self, url: &Url, policy: &Policy) -> Result<(), RefusalReason> {
        let host = url.host_str().unwrap_or_default();
        let Some(mapped) = self.inner.mappings.get(host) else {
            return guard::check_url(url, policy);
        };
        // The exemption is for one address and port; a stranger's URL must not pick another port
        // of the machine the host was mapped to.
        match url.port() {
            Some(port) if port != mapped.port() => Err(RefusalReason::MappedPort(port)),
            _ => guard::check_frame(url, policy),
        }
    }

    fn widened(&self, policy: &Policy) -> Policy {
        match self.inner.widest {
            Reach::Public => policy.clone(),
            Reach::Internal | Reach::Never => policy.clone().reaching_internal_addresses(),
        }
    }
}
