//! Other servers' keys: fetched once, cached, and never trusted on the key's own word.
//!
//! A key belongs to an actor if the actor's own document, fetched from the actor's own address, names it, and key and
//! actor are on one host. `document.rs` reads that out of the documents, `key_cache.rs` caches it, and
//! `single_flight.rs` turns a flood of requests into one fetch per key and a few per host.

mod document;
mod key_cache;
mod single_flight;

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use model::Clock;
use outbound::{FetchBudget, Retry};
use store::StoreError;
use store::federation::FederationTables;
use tokio::sync::Semaphore;

use crate::fetch::{FetchProblem, Fetcher};
use crate::signature::{KeyId, PublicKey};
use document::Candidate;
use key_cache::{CachedKey, KeyCache, absence_of};
use single_flight::{KeyedSemaphore, RefetchDecision, Refreshes};

/// How long a key is used before it is fetched again.
pub const KEY_FRESHNESS: SignedDuration = SignedDuration::from_hours(24);
/// Limit (fediverse): time between two fetches of a key that a signature does not fit; until then such requests are
/// refused.
pub const REFETCH_PAUSE: Duration = Duration::from_secs(10 * 60);
/// Keys fetched at once; further ones wait for [`PATIENCE`] and then fail for now.
pub const MAX_FETCHES: usize = 16;
/// Keys fetched at once from one host; further ones wait for [`PATIENCE`] and then fail for now, so that a host that
/// answers slowly holds up its own senders only.
pub const MAX_FETCHES_PER_HOST: usize = 2;
/// Keys fetched at once from all hosts whose names end in the same two labels; further ones wait as for one host.
pub const MAX_FETCHES_PER_FAMILY: usize = 6;
/// Longest time for all documents a key needs; then its host counts as unreachable.
pub const KEY_DEADLINE: Duration = Duration::from_secs(10);
/// How long a fetch waits for its turn.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// A key and its owner.
#[derive(Clone, Debug)]
pub struct KeyOwner {
    pub key_id: String,
    /// The `id` of the actor it belongs to; on the same host.
    pub owner: String,
    pub key: PublicKey,
    /// When it was fetched.
    pub fetched_at: Timestamp,
}

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Its server says it is gone for ever (410).
    #[error("the key is gone")]
    Gone,
    /// There is no key, or what was found cannot be trusted.
    #[error("there is no such key: {0}")]
    Missing(&'static str),
    /// Its host does not show a document with the key, perhaps because of who is asking.
    #[error("the key is not shown: {0}")]
    Denied(&'static str),
    /// Its host is blocked, or is our own.
    #[error("keys of {0} are not fetched")]
    Refused(String),
    /// Its host could not be reached.
    #[error("the host of the key cannot be reached")]
    Unreachable,
    /// Too many keys are being fetched.
    #[error("too many keys are being fetched")]
    Busy,
    /// It was refetched less than [`REFETCH_PAUSE`] ago.
    #[error("the key was fetched again a short while ago")]
    TooSoon,
    /// The request budget of the cause is used up.
    #[error("no requests are left for fetching the key")]
    OutOfBudget,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl KeyError {
    /// Whether retrying later makes sense.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable | Self::Busy | Self::Store(_) => true,
            Self::Gone
            | Self::Missing(_)
            | Self::Denied(_)
            | Self::Refused(_)
            | Self::TooSoon
            | Self::OutOfBudget => false,
        }
    }
}

/// Other servers' keys; clones share everything.
#[derive(Clone, Debug)]
pub struct Keys {
    inner: Arc<KeysShared>,
}

#[derive(Debug)]
struct KeysShared {
    fetcher: Fetcher,
    clock: Arc<dyn Clock>,
    cache: KeyCache,
    by_key: KeyedSemaphore,
    by_host: KeyedSemaphore,
    by_family: KeyedSemaphore,
    slots: Semaphore,
    refreshes: Refreshes,
}

impl Keys {
    /// Creates a key store cached in `tables`.
    pub fn new(tables: FederationTables, fetcher: Fetcher, clock: Arc<dyn Clock>) -> Self {
        Self {
            inner: Arc::new(KeysShared {
                fetcher,
                clock,
                cache: KeyCache::new(tables),
                by_key: KeyedSemaphore::new(1),
                by_host: KeyedSemaphore::new(MAX_FETCHES_PER_HOST),
                by_family: KeyedSemaphore::new(MAX_FETCHES_PER_FAMILY),
                slots: Semaphore::new(MAX_FETCHES),
                refreshes: Refreshes::default(),
            }),
        }
    }

    /// The key if it is cached and fresh; fetches nothing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn cached(&self, key_id: &KeyId) -> Result<Option<KeyOwner>, StoreError> {
        let inner = &self.inner;
        match inner.cache.get(key_id.as_str(), inner.clock.now()).await? {
            Some(CachedKey::Key(key)) => Ok(Some(key)),
            Some(CachedKey::Absent(_)) | None => Ok(None),
        }
    }

    /// The key, fetched if it is not cached.
    ///
    /// # Errors
    /// See [`KeyError`]; the absence of a key is cached for a while, too.
    pub async fn resolve(
        &self,
        key_id: &KeyId,
        budget: &FetchBudget,
    ) -> Result<KeyOwner, KeyError> {
        if let Some(known) = self.inner.known(key_id).await? {
            return known.into_result();
        }
        let _turn = self.inner.by_key.take(key_id.as_str()).await;
        // The previous holder of the turn may have fetched it.
        match self.inner.known(key_id).await? {
            Some(known) => known.into_result(),
            None => self.inner.fetch(key_id, budget).await,
        }
    }

    /// Refetches a key because a signature does not match the cached one.
    ///
    /// # Errors
    /// [`KeyError::TooSoon`] if that was done less than [`REFETCH_PAUSE`] ago, otherwise as [`Keys::resolve`].
    pub async fn refresh(
        &self,
        key_id: &KeyId,
        budget: &FetchBudget,
    ) -> Result<KeyOwner, KeyError> {
        let inner = &self.inner;
        let asked_at = inner.clock.now();
        let _turn = inner.by_key.take(key_id.as_str()).await;
        match inner.refreshes.begin(key_id.as_str(), inner.clock.uptime()) {
            RefetchDecision::Granted => {}
            RefetchDecision::Unanswered => return Err(KeyError::Unreachable),
            // A key that arrived while we waited is new to us as well.
            RefetchDecision::TooSoon => {
                return match inner.known(key_id).await? {
                    Some(CachedKey::Key(key)) if key.fetched_at >= asked_at => Ok(key),
                    _ => Err(KeyError::TooSoon),
                };
            }
        }
        let fetched = inner.fetch(key_id, budget).await;
        if !fetched.as_ref().is_err_and(KeyError::is_passing) {
            inner.refreshes.note_answer(key_id.as_str());
        }
        fetched
    }

    /// Forgets an actor's keys, because the actor has changed or is gone.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_owner(&self, owner: &str) -> Result<(), StoreError> {
        self.inner.cache.forget_owner(owner).await
    }
}

impl KeysShared {
    async fn known(&self, key_id: &KeyId) -> Result<Option<CachedKey>, StoreError> {
        self.cache.get(key_id.as_str(), self.clock.now()).await
    }

    async fn fetch(&self, key_id: &KeyId, budget: &FetchBudget) -> Result<KeyOwner, KeyError> {
        if self.fetcher.refuses(key_id.host()) {
            return Err(KeyError::Refused(key_id.host().to_owned()));
        }
        let waiting = async {
            // The host's turn first: whatever waits for a slow host must not keep others waiting.
            let turn = self.by_host.take(key_id.host()).await;
            // Subdomains cost nothing, so all of them together have a limit, too.
            let family = self.by_family.take(family(key_id.host())).await;
            (turn, family, self.slots.acquire().await)
        };
        let (_turn, _family, _slot) = tokio::time::timeout(PATIENCE, waiting)
            .await
            .map_err(|_| KeyError::Busy)?;
        let fetching = tokio::time::timeout(KEY_DEADLINE, self.fetch_now(key_id, budget)).await;
        match fetching.unwrap_or(Err(KeyError::Unreachable)) {
            Ok((key, text)) => {
                self.cache.put(key.clone(), text).await?;
                Ok(key)
            }
            Err(error) => {
                if let Some(absence) = absence_of(&error) {
                    let now = self.clock.now();
                    let is_kept = matches!(error, KeyError::Unreachable | KeyError::Denied(_))
                        && matches!(self.known(key_id).await?, Some(CachedKey::Key(_)));
                    // Anybody who forges a signature makes us ask again: a host that shows nothing at that moment does
                    // not remove a key that is still fresh. Only its owner does, by no longer naming it.
                    if !is_kept {
                        self.cache
                            .put_absence(key_id.as_str(), absence, now)
                            .await?;
                    }
                }
                Err(error)
            }
        }
    }

    /// Fetches the key, and the text it was read from.
    async fn fetch_now(
        &self,
        key_id: &KeyId,
        budget: &FetchBudget,
    ) -> Result<(KeyOwner, String), KeyError> {
        let document = self.fetcher.document(key_id.document(), budget).await?;
        let (owner, text) = match document::read(&document, key_id).map_err(KeyError::Missing)? {
            Candidate::Confirmed { owner, text } => (owner, text),
            Candidate::Claimed { owner, text } => {
                let actor = self.fetcher.named(&owner, budget).await?;
                let text = document::confirm(&actor, key_id, text).map_err(KeyError::Missing)?;
                (actor.id, text)
            }
        };
        let key = PublicKey::parse(&text).map_err(|_| KeyError::Missing("it cannot be read"))?;
        let key = KeyOwner {
            key_id: key_id.as_str().to_owned(),
            owner,
            key,
            fetched_at: self.clock.now(),
        };
        Ok((key, text))
    }
}

/// The last two labels of a host name; an IP address counts as a whole.
fn family(host: &str) -> &str {
    let name = host.split(':').next().unwrap_or(host);
    if host.starts_with('[') || name.ends_with(|sign: char| sign.is_ascii_digit()) {
        return host;
    }
    let mut dots = name.rmatch_indices('.').map(|(at, _)| at);
    match dots.nth(1) {
        Some(at) => &name[at + 1..],
        None => name,
    }
}

impl From<FetchProblem> for KeyError {
    fn from(problem: FetchProblem) -> Self {
        if problem.is_gone() {
            return Self::Gone;
        }
        if problem.is_out_of_budget() {
            return Self::OutOfBudget;
        }
        let is_passing = problem.retry() != Retry::Never;
        match problem {
            FetchProblem::Refused(host) => Self::Refused(host),
            _ if is_passing => Self::Unreachable,
            FetchProblem::ContentType => Self::Denied("it is not served as activity JSON"),
            FetchProblem::Id(reason) | FetchProblem::Redirect(reason) => Self::Denied(reason),
            FetchProblem::Unreadable(_) => Self::Denied("its document cannot be read"),
            _ => Self::Denied("its host does not give it"),
        }
    }
}
