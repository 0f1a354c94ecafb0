//! Fetches documents of other servers: signed requests, and rules for which answers are believed.
//!
//! A document is believed to be what its `id` says only if it was served at that very address: otherwise anyone who can
//! put a file on a server could speak for everybody on it (CVE-2024-23832). For the same reason only the media types of
//! ActivityPub count (CVE-2024-25623). Redirects are followed by hand, each hop checked and signed anew.
//!
//! This module must not know what the documents are about, except that some have an inbox, and opens no socket itself:
//! `outbound` checks every address.

mod answer;
mod problem;

pub use problem::FetchProblem;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use model::Clock;
use outbound::http::{HeaderMap, HeaderValue, StatusCode, header};
use outbound::{Client, FetchBudget, Policy, Response, Url};
use serde_json::{Map, Value};

use crate::identity::Signers;
use crate::signature::sign::{self, ACCEPTED};
use crate::signature::{SignedTarget, Signer, Unsignable};
use crate::wire;
use answer::DocumentLocation;

/// Redirects that are followed for one document; one more and it is refused.
pub const MAX_REDIRECTS: usize = 3;
/// Longest time for one document with its redirects; then it has failed, and may be tried again later.
pub const DOCUMENT_DEADLINE: Duration = Duration::from_secs(10);
/// Limit (fediverse): fetches that one activity may cause; the next one fails.
pub const FETCHES_PER_ACTIVITY: u32 = 4;

/// What the current settings say about fetching.
pub trait FetchPolicy: fmt::Debug + Send + Sync + 'static {
    /// The keys that sign requests to `host`; `None` while there is no key, and requests then go unsigned.
    fn signers(&self, host: &str) -> Option<Signers>;

    /// Called when something signed was sent to `host`; `inbox` is its inbox, if known.
    fn has_contacted(&self, host: &str, inbox: Option<&str>);

    /// Called when `host` accepted the new key, although we believed it knew only the previous one.
    fn knows_new_key(&self, host: &str);

    /// Whether nothing is fetched from `host` (a name with the port unless it is 443): the operator blocks it, or it is
    /// our own.
    fn refuses(&self, host: &str) -> bool;
}

/// Fetches documents; clones share everything.
#[derive(Clone, Debug)]
pub struct Fetcher {
    client: Client,
    clock: Arc<dyn Clock>,
    fetch_policy: Arc<dyn FetchPolicy>,
}

/// A document served at the address it names.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its `id`.
    pub id: String,
    pub object: Map<String, Value>,
}

/// How a GET is signed.
#[derive(Clone, Copy, Debug)]
enum GetSignature {
    Cavage(SignedTarget),
    Rfc9421,
}

impl Fetcher {
    /// Creates a fetcher that asks `fetch_policy` before every request.
    pub fn new(client: Client, clock: Arc<dyn Clock>, fetch_policy: Arc<dyn FetchPolicy>) -> Self {
        Self {
            client,
            clock,
            fetch_policy,
        }
    }

    /// Whether the current settings forbid fetching from `host`.
    #[must_use]
    pub fn refuses(&self, host: &str) -> bool {
        self.fetch_policy.refuses(host)
    }

    /// Fetches the document at `url`; its `id` may be another address on the server that redirects led to.
    ///
    /// # Errors
    /// See [`FetchProblem`].
    pub async fn document(
        &self,
        url: &Url,
        budget: &FetchBudget,
    ) -> Result<Document, FetchProblem> {
        let fetching = Box::pin(self.believable(url, budget));
        let document = match tokio::time::timeout(DOCUMENT_DEADLINE, fetching).await {
            Ok(outcome) => outcome?,
            Err(_) => return Err(FetchProblem::Deadline),
        };
        if let Some((host, inbox)) = answer::inbox(&document) {
            self.fetch_policy.has_contacted(&host, Some(&inbox));
        }
        Ok(document)
    }

    /// Fetches the document whose `id` is `iri`, and no other.
    ///
    /// # Errors
    /// See [`FetchProblem`].
    pub async fn named(&self, iri: &str, budget: &FetchBudget) -> Result<Document, FetchProblem> {
        let url = wire::web_iri(iri).ok_or(FetchProblem::Id("it is no address"))?;
        let document = self.document(&url, budget).await?;
        match wire::same_iri(&document.id, iri) {
            true => Ok(document),
            false => Err(FetchProblem::Id("it is of something else")),
        }
    }

    async fn believable(&self, url: &Url, budget: &FetchBudget) -> Result<Document, FetchProblem> {
        let (location, document) = self.follow(url, budget).await?;
        let home = match location {
            DocumentLocation::Home => return Ok(document),
            DocumentLocation::Beside(home) => home,
        };
        match self.follow(&home, budget).await? {
            (DocumentLocation::Home, document) => Ok(document),
            (DocumentLocation::Beside(_), _) => {
                Err(FetchProblem::Id("it is not where it says it is"))
            }
        }
    }

    async fn follow(
        &self,
        url: &Url,
        budget: &FetchBudget,
    ) -> Result<(DocumentLocation, Document), FetchProblem> {
        let mut url = url.clone();
        url.set_fragment(None);
        for hop in 0..=MAX_REDIRECTS {
            let answer = self.ask(&url, budget).await?;
            // A redirect target that is gone says nothing about the document that was requested.
            if hop > 0 && answer.status == StatusCode::GONE {
                return Err(FetchProblem::Redirect("what it leads to is gone"));
            }
            match answer::redirect_target(&url, &answer)? {
                Some(target) => url = target,
                None => return answer::read(&url, &answer),
            }
        }
        Err(FetchProblem::Redirect("there are too many"))
    }

    /// Makes one hop. Some servers sign and check the bare path, some have dropped draft-cavage: a server that refuses
    /// the signature is asked once more in the other way, and once more with a new key that it has not been told about
    /// yet.
    async fn ask(&self, url: &Url, budget: &FetchBudget) -> Result<Response, FetchProblem> {
        let host = wire::authority(url);
        if self.fetch_policy.refuses(&host) {
            return Err(FetchProblem::Refused(host));
        }
        let Some(signers) = self.fetch_policy.signers(&host) else {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(ACCEPTED));
            return self.send(url, headers, budget).await;
        };
        let answer = self.knock_twice(url, signers.first, budget).await?;
        self.fetch_policy.has_contacted(&host, None);
        let Some(new) = signers.other.filter(|_| is_refused(&answer)) else {
            return Ok(answer);
        };
        let first = GetSignature::Cavage(SignedTarget::Whole);
        let answer = self.knock(url, new, first, budget).await?;
        if answer.status.is_success() {
            self.fetch_policy.knows_new_key(&host);
        }
        Ok(answer)
    }

    async fn knock_twice(
        &self,
        url: &Url,
        signer: Signer,
        budget: &FetchBudget,
    ) -> Result<Response, FetchProblem> {
        let first = GetSignature::Cavage(SignedTarget::Whole);
        let answer = self.knock(url, signer.clone(), first, budget).await?;
        if !is_refused(&answer) {
            return Ok(answer);
        }
        let second = match url.query() {
            Some(_) => GetSignature::Cavage(SignedTarget::PathOnly),
            None => GetSignature::Rfc9421,
        };
        self.knock(url, signer, second, budget).await
    }

    async fn knock(
        &self,
        url: &Url,
        signer: Signer,
        scheme: GetSignature,
        budget: &FetchBudget,
    ) -> Result<Response, FetchProblem> {
        let now = self.clock.now();
        let signed = url.clone();
        // Half a millisecond of arithmetic.
        let headers = tokio::task::spawn_blocking(move || match scheme {
            GetSignature::Cavage(covering) => sign::cavage_get(&signer, &signed, covering, now),
            GetSignature::Rfc9421 => sign::rfc9421_get(&signer, &signed, now),
        });
        let headers = headers.await.unwrap_or(Err(Unsignable::Interrupted))?;
        self.send(url, headers, budget).await
    }

    async fn send(
        &self,
        url: &Url,
        headers: HeaderMap,
        budget: &FetchBudget,
    ) -> Result<Response, FetchProblem> {
        let policy = Policy::federation().returning_redirects();
        Ok(self.client.get(url, &policy, headers, budget).await?)
    }
}

fn is_refused(answer: &Response) -> bool {
    matches!(
        answer.status,
        StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED
    )
}
