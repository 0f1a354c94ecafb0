//! An IndieAuth provider for the one operator, who signs in elsewhere with this server's address.
//!
//! Another site sends the operator's browser here with an [`AuthorizationRequest`]. The operator is asked
//! ([`Provider::ask`]) and agrees ([`Provider::approve`]). The browser returns with a code, which the site exchanges
//! ([`Provider::redeem`]) for the confirmation that this server's address is theirs.
//! Implements the provider's side of <https://indieauth.spec.whatwg.org/> without access tokens (section 5.3.3), with
//! PKCE (RFC 7636, S256 only).
//!
//! It must not know HTTP handlers, or who the operator is; `web` checks that before it asks or grants.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::{Clock, Secret};
use serde::{Deserialize, Serialize};
use store::{ShortLivedLimits, Store};
use thiserror::Error;
use url::{Host, Url};

use crate::secrets::{challenge, random_token, same, sha256};
use crate::shared_memory::SharedMemory;

/// How long a code can be exchanged, and a question answered; then the other site has to begin again.
pub const CODE_LENGTH: Duration = Duration::from_secs(10 * 60);
/// Codes and questions that wait at a time, each; the oldest gives way. Only the operator can make them.
pub const MAX_WAITING: usize = 100;
/// Longest parameter of a request; a longer one is refused.
const MAX_PARAMETER_BYTES: usize = 2048;
/// Characters of a challenge: 256 bits in base64 without padding.
const CHALLENGE_CHARS: usize = 43;
/// Characters a verifier can have (RFC 7636 4.1); others are refused.
const VERIFIER_CHARS: std::ops::RangeInclusive<usize> = 43..=128;

/// Another site's request to confirm whose address this is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthorizationRequest {
    client_id: Url,
    redirect_uri: Url,
    state: String,
    challenge: String,
}

/// Why a request is not shown to the operator; the texts are for the author of the other site.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RequestProblem {
    #[error("the parameter {0} is missing")]
    Missing(&'static str),
    /// A parameter is not valid.
    #[error("the parameter {0} is invalid: {1}")]
    Wrong(&'static str, &'static str),
}

/// Why a code was not exchanged, as RFC 6749 5.2 names it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RedeemProblem {
    #[error("the parameter {0} is missing")]
    Missing(&'static str),
    #[error("grant_type must be authorization_code")]
    GrantType,
    /// The code was made for another client.
    #[error("the code was issued for another client_id")]
    Client,
    #[error("the code is unknown, already used or expired")]
    Code,
    /// The code was made for another redirect address, or the verifier is not the one it was made for.
    #[error("redirect_uri or code_verifier does not match the code")]
    Proof,
}

impl RedeemProblem {
    /// The error code on the wire.
    pub fn code(&self) -> &'static str {
        match self {
            RedeemProblem::Missing(_) => "invalid_request",
            RedeemProblem::GrantType => "unsupported_grant_type",
            RedeemProblem::Client => "invalid_client",
            RedeemProblem::Code | RedeemProblem::Proof => "invalid_grant",
        }
    }
}

impl AuthorizationRequest {
    /// Reads a request from its parameters; unknown ones are ignored.
    pub fn read(parameter: impl Fn(&str) -> Option<String>) -> Result<Self, RequestProblem> {
        let required = |name: &'static str| {
            let value = parameter(name).filter(|value| !value.is_empty());
            let value = value.ok_or(RequestProblem::Missing(name))?;
            match value.len() <= MAX_PARAMETER_BYTES {
                true => Ok(value),
                false => Err(RequestProblem::Wrong(name, "it is too long")),
            }
        };
        let client_id = address("client_id", &required("client_id")?)?;
        let redirect_uri = address("redirect_uri", &required("redirect_uri")?)?;
        // Otherwise a page elsewhere could fetch a code in the name of a site the operator knows.
        if client_id.origin() != redirect_uri.origin() {
            let why = "it must have the scheme, host and port of client_id";
            return Err(RequestProblem::Wrong("redirect_uri", why));
        }
        let expects =
            |name: &'static str, expected: &'static str, why: &'static str| match parameter(name) {
                Some(value) if !value.is_empty() && value != expected => {
                    Err(RequestProblem::Wrong(name, why))
                }
                _ => Ok(()),
            };
        expects("response_type", "code", "it must be code")?;
        expects("code_challenge_method", "S256", "it must be S256")?;
        let challenge = required("code_challenge")?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if challenge.len() != CHALLENGE_CHARS || !challenge.bytes().all(is_plain) {
            let why = "it must be the SHA-256 of the verifier in base64";
            return Err(RequestProblem::Wrong("code_challenge", why));
        }
        Ok(Self {
            client_id,
            redirect_uri,
            state: required("state")?,
            challenge,
        })
    }

    pub fn client_id(&self) -> &Url {
        &self.client_id
    }

    /// Where the browser returns to.
    pub fn redirect_uri(&self) -> &Url {
        &self.redirect_uri
    }

    fn answered(&self, name: &str, value: &str) -> Url {
        let mut url = self.redirect_uri.clone();
        url.query_pairs_mut()
            .append_pair(name, value)
            .append_pair("state", &self.state);
        url
    }

    /// Where the browser goes when the operator refuses.
    fn refused(&self) -> Url {
        self.answered("error", "access_denied")
    }
}

/// Requires https or the loopback address: what is sent there is as good as a password.
fn address(name: &'static str, text: &str) -> Result<Url, RequestProblem> {
    let wrong = |why| RequestProblem::Wrong(name, why);
    let url = Url::parse(text).map_err(|_| wrong("it is not a full address"))?;
    let is_this_machine = match url.host() {
        Some(Host::Domain(host)) => host == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_this_machine);
    if !is_safe {
        return Err(wrong("it must be an https address"));
    }
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return Err(wrong("it must not have a user name, password or fragment"));
    }
    Ok(url)
}

/// A request to redeem a code for the operator's address.
#[derive(Clone, Debug, Default)]
pub struct RedeemRequest {
    /// `authorization_code`, if present.
    pub grant_type: Option<String>,
    /// The code that the browser brought back.
    pub code: Option<String>,
    pub client_id: Option<String>,
    pub redirect_uri: Option<String>,
    /// What the challenge was derived from.
    pub code_verifier: Option<String>,
}

/// Pending questions to the operator, and codes waiting to be exchanged.
#[derive(Debug)]
pub struct Provider {
    clock: Arc<dyn Clock>,
    questions: WaitingRequests,
    codes: WaitingRequests,
}

impl Provider {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            questions: WaitingRequests::default(),
            codes: WaitingRequests::default(),
        }
    }

    /// What waits is known to all servers on this database, if there may be several.
    #[must_use]
    pub fn sharing(mut self, store: &Store) -> Self {
        let limits = ShortLivedLimits {
            most: MAX_WAITING,
            most_of_owner: MAX_WAITING,
            gives_way: true,
        };
        let shared = |kind| SharedMemory::of(store, &self.clock, kind, limits, CODE_LENGTH);
        let (questions, codes) = (shared("operator question"), shared("operator code"));
        self.questions.shared = questions;
        self.codes.shared = codes;
        self
    }

    /// Keeps a request while the operator decides. The answer must carry the returned secret and come from the
    /// same session, so that no other page can answer in the operator's name.
    pub async fn ask(&self, request: AuthorizationRequest, session: &Secret) -> Secret {
        let question = random_token();
        let key = question_key(&question, session);
        self.questions.put(key, request, self.clock.uptime()).await;
        question
    }

    /// The operator agrees; returns where the browser goes, with a code.
    pub async fn approve(&self, question: &Secret, session: &Secret) -> Option<Url> {
        let request = self.answer(question, session).await?;
        Some(self.grant(request).await)
    }

    /// The operator refuses; returns where the browser goes.
    pub async fn refuse(&self, question: &Secret, session: &Secret) -> Option<Url> {
        Some(self.answer(question, session).await?.refused())
    }

    async fn answer(&self, question: &Secret, session: &Secret) -> Option<AuthorizationRequest> {
        let key = question_key(question, session);
        self.questions.take(&key, self.clock.uptime()).await
    }

    /// Makes a code at once, for an operator who is known to agree.
    pub async fn grant(&self, request: AuthorizationRequest) -> Url {
        let code = random_token();
        let redirect = request.answered("code", code.expose());
        let key = sha256(code.expose());
        self.codes.put(key, request, self.clock.uptime()).await;
        redirect
    }

    /// Whether the caller may learn the operator's address. A code works once, whatever the outcome.
    pub async fn redeem(&self, redeem_request: &RedeemRequest) -> Result<(), RedeemProblem> {
        if redeem_request
            .grant_type
            .as_deref()
            .is_some_and(|kind| kind != "authorization_code")
        {
            return Err(RedeemProblem::GrantType);
        }
        let required = |name, value: &Option<String>| match value {
            Some(value) if !value.is_empty() => Ok(value.clone()),
            _ => Err(RedeemProblem::Missing(name)),
        };
        let code = required("code", &redeem_request.code)?;
        let client_id = required("client_id", &redeem_request.client_id)?;
        let redirect_uri = required("redirect_uri", &redeem_request.redirect_uri)?;
        let verifier = required("code_verifier", &redeem_request.code_verifier)?;
        let hash = sha256(&code);
        let taken = self.codes.take(&hash, self.clock.uptime());
        let request = taken.await.ok_or(RedeemProblem::Code)?;
        if Url::parse(&client_id).ok().as_ref() != Some(&request.client_id) {
            return Err(RedeemProblem::Client);
        }
        let is_place = Url::parse(&redirect_uri).ok().as_ref() == Some(&request.redirect_uri);
        let is_verifier = VERIFIER_CHARS.contains(&verifier.len()) && {
            let shown = challenge(&Secret::new(verifier));
            same(shown.as_bytes(), request.challenge.as_bytes())
        };
        match is_place && is_verifier {
            true => Ok(()),
            false => Err(RedeemProblem::Proof),
        }
    }
}

fn question_key(question: &Secret, session: &Secret) -> [u8; 32] {
    sha256(&format!("{}/{}", question.expose(), session.expose()))
}

/// Requests that wait, in memory or where other servers see them. One that cannot be stored there is unknown later: the
/// other site has to begin again.
#[derive(Debug, Default)]
struct WaitingRequests {
    memory: PendingAuthorizations,
    shared: Option<SharedMemory>,
}

impl WaitingRequests {
    async fn put(&self, key: [u8; 32], request: AuthorizationRequest, now: Duration) {
        let Some(shared) = &self.shared else {
            self.memory.put(key, request, now);
            return;
        };
        if let Err(error) = shared.put(&key, "operator", &request).await {
            model::stranger_line!(
                warn, "operator_request", %error,
                "cannot store that the operator signs in elsewhere"
            );
        }
    }

    async fn take(&self, key: &[u8; 32], now: Duration) -> Option<AuthorizationRequest> {
        let Some(shared) = &self.shared else {
            return self.memory.take(key, now);
        };
        let taken = shared.take(key).await;
        taken.unwrap_or_else(|error| {
            model::stranger_line!(
                warn, "operator_request", %error,
                "cannot read how the operator signs in elsewhere"
            );
            None
        })
    }
}

/// Requests by the hash of a secret.
#[derive(Default)]
struct PendingAuthorizations(Mutex<Vec<PendingAuthorization>>);

struct PendingAuthorization {
    key: [u8; 32],
    request: AuthorizationRequest,
    since: Duration,
}

impl fmt::Debug for PendingAuthorizations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PendingAuthorizations")
            .field(&self.lock().len())
            .finish()
    }
}

impl PendingAuthorizations {
    fn put(&self, key: [u8; 32], request: AuthorizationRequest, since: Duration) {
        let mut rows = self.lock();
        rows.retain(|row| since < row.since + CODE_LENGTH);
        if rows.len() >= MAX_WAITING {
            rows.remove(0);
        }
        rows.push(PendingAuthorization {
            key,
            request,
            since,
        });
    }

    fn take(&self, key: &[u8; 32], now: Duration) -> Option<AuthorizationRequest> {
        let mut rows = self.lock();
        rows.retain(|row| now < row.since + CODE_LENGTH);
        let place = rows.iter().position(|row| same(&row.key, key))?;
        Some(rows.remove(place).request)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<PendingAuthorization>> {
        // Plain values: a panic elsewhere leaves them whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
