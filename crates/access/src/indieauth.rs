//! Visitors prove in chat which web page is theirs: an IndieAuth client.
//!
//! A visitor types the address of their own page. The page names an authorization endpoint, the visitor's browser
//! goes there and returns with a code, and in exchange for the code the endpoint tells us whose page it is.
//! Implements the client's side of <https://indieauth.spec.whatwg.org/> without access tokens (section 5.3.3).
//!
//! Any stranger can make this server fetch the address they type, so everything goes through [`outbound`]: https
//! only, no internal hosts, capped responses, a deadline. Errors are worded in general terms, because details would
//! tell a stranger about the operator's network; the log has the details.
//!
//! It must not know HTTP handlers. `web` calls [`IndieAuth::begin`] and
//! [`IndieAuth::finish`], and passes the verified identity to the store.

mod discovery;
mod html;
mod link_header;
mod pending;

use std::sync::Arc;
use std::time::Duration;

use model::{Clock, Secret, UserId};
use outbound::http::{HeaderMap, HeaderValue, StatusCode, header};
use outbound::{Client, FetchBudget, FetchError, Policy, Url, guard};
use serde::{Deserialize, Serialize};
use store::{ShortLivedLimits, Store, StoreError};

use crate::secrets::{challenge, random_letters, sha256};
use crate::shared_memory::SharedMemory;
use pending::{PendingSignIns, SignInAttempt};

pub use pending::{MAX_PENDING, MAX_PENDING_PER_USER};

/// How long a visitor has from typing their address to coming back; then they have to begin again.
pub const SIGN_IN_LENGTH: Duration = Duration::from_secs(10 * 60);
/// Longest address a visitor may type; a longer one is refused.
const MAX_ADDRESS_BYTES: usize = 1024;
/// Longest code an endpoint may send; a longer one is refused.
const MAX_CODE_BYTES: usize = 2048;
/// Requests for one sign-in: page and metadata with a redirect each, or the exchange; then it fails.
const FETCHES: u32 = 4;
/// Largest answer to the exchange; a larger one fails.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// Letters of the state, 114 bits.
const STATE_LETTERS: usize = 20;
/// Letters of the verifier (RFC 7636 4.1 asks for 43 to 128).
const VERIFIER_LETTERS: usize = 50;

/// Where the browser comes back to, below the server's own address.
pub const CALLBACK_PATH: &str = "/api/auth/indieauth/callback";

/// The user who wants to prove an identity; returned unchanged in [`VerifiedIdentity`].
#[derive(Clone, Debug)]
pub struct SignInRequester {
    pub user: UserId,
    /// The hash of the chat token that was used; it is moved to another user if the identity belongs to one.
    pub token_hash: [u8; 32],
}

#[derive(Clone, Debug)]
pub struct VerifiedIdentity {
    /// The visitor's page in canonical spelling.
    pub me: Url,
    /// Who asked for the sign-in and holds the identity from now on.
    pub requester: SignInRequester,
}

/// Why a sign-in failed; the texts are for the visitor.
#[derive(Debug, thiserror::Error)]
pub enum SignInProblem {
    #[error("enter the https address of your own page, such as https://me.example")]
    Address,
    #[error("your page could not be reached")]
    Unreachable(#[source] FetchError),
    #[error("your page does not name a usable authorization endpoint")]
    NoEndpoint,
    /// [`MAX_PENDING`] is reached.
    #[error("too many people are signing in right now, please try again in a few minutes")]
    Busy,
    /// The user has [`MAX_PENDING_PER_USER`] requests under way.
    #[error("you have started several sign-ins at once, please wait a moment")]
    Hasty,
    /// Never begun, already used, or longer than [`SIGN_IN_LENGTH`] ago.
    #[error("this sign-in is unknown, already used or has expired; please start again")]
    UnknownState,
    /// The request to the endpoint failed.
    #[error("your provider could not be reached")]
    ProviderUnreachable(#[source] FetchError),
    /// The endpoint did not confirm, or its response makes no sense.
    #[error("your provider did not confirm the sign-in")]
    NotConfirmed,
    #[error("your provider confirmed a different address from the one you entered")]
    OtherIdentity,
}

/// The sign-ins under way.
#[derive(Debug)]
pub struct IndieAuth {
    client: Client,
    clock: Arc<dyn Clock>,
    pending: PendingSignIns,
    /// Where attempts wait for their browser if it may come back to another server.
    shared: Option<SharedMemory>,
}

/// An attempt as other servers find it, under the hash of its state.
#[derive(Debug, Serialize, Deserialize)]
struct StoredAttempt {
    verifier: String,
    me: Url,
    endpoint: Url,
    client_id: Url,
    user: UserId,
    token_hash: [u8; 32],
}

impl IndieAuth {
    pub fn new(client: Client, clock: Arc<dyn Clock>) -> Self {
        Self {
            client,
            clock,
            pending: PendingSignIns::default(),
            shared: None,
        }
    }

    /// Attempts are known to all servers on this database, if there may be several.
    #[must_use]
    pub fn sharing(mut self, store: &Store) -> Self {
        let limits = ShortLivedLimits {
            most: MAX_PENDING,
            most_of_owner: MAX_PENDING_PER_USER,
            gives_way: true,
        };
        self.shared = SharedMemory::of(store, &self.clock, "sign-in", limits, SIGN_IN_LENGTH);
        self
    }

    /// Finds the endpoint of the page at `auth_host` and returns where the visitor's browser has to go.
    ///
    /// The state in that address belongs to `requester`. Put it into a cookie too, to make sure that the same browser
    /// returns; otherwise a visitor can be talked into proving *their* page for somebody else.
    pub async fn begin(
        &self,
        auth_host: &str,
        requester: SignInRequester,
        server_url: &Url,
    ) -> Result<Url, SignInProblem> {
        let me = page_address(auth_host)?;
        let slot = self.pending.reserve(&requester.user, self.clock.uptime())?;
        let budget = FetchBudget::new(FETCHES);
        let endpoint = discovery::endpoint(&self.client, &me, &budget).await?;
        let attempt = SignInAttempt {
            state: random_letters(STATE_LETTERS),
            verifier: random_letters(VERIFIER_LETTERS),
            me,
            endpoint,
            client_id: server_url.clone(),
            requester,
        };
        let redirect = attempt.redirect();
        match &self.shared {
            None => slot.fill(attempt, self.clock.uptime()),
            Some(shared) => keep(shared, attempt).await?,
        }
        Ok(redirect)
    }

    async fn take(&self, state: &str) -> Result<SignInAttempt, SignInProblem> {
        let taken = match &self.shared {
            None => self.pending.take(state, self.clock.uptime()),
            Some(shared) => find(shared, state).await?,
        };
        taken.ok_or(SignInProblem::UnknownState)
    }

    /// Exchanges the code for the visitor's address. A state works once, whatever the outcome.
    pub async fn finish(&self, state: &str, code: &str) -> Result<VerifiedIdentity, SignInProblem> {
        let attempt = self.take(state).await?;
        if code.is_empty() || code.len() > MAX_CODE_BYTES {
            return Err(SignInProblem::NotConfirmed);
        }
        let confirmed = self.exchange(&attempt, code).await?;
        if spelling(&confirmed) != spelling(&attempt.me) {
            return Err(SignInProblem::OtherIdentity);
        }
        Ok(VerifiedIdentity {
            me: spelling(&attempt.me),
            requester: attempt.requester,
        })
    }

    /// The code goes to the endpoint the browser was sent to, so no endpoint learns another's code.
    async fn exchange(&self, attempt: &SignInAttempt, code: &str) -> Result<Url, SignInProblem> {
        let policy = Policy::federation()
            .returning_redirects()
            .with_max_response_bytes(MAX_ANSWER_BYTES);
        let mut headers = HeaderMap::new();
        let form = HeaderValue::from_static("application/x-www-form-urlencoded");
        headers.insert(header::CONTENT_TYPE, form);
        let json = HeaderValue::from_static("application/json");
        headers.insert(header::ACCEPT, json);
        let answer = self
            .client
            .post(
                &attempt.endpoint,
                &policy,
                headers,
                attempt.form(code).into(),
                &FetchBudget::new(1),
            )
            .await
            .inspect_err(|error| {
                model::stranger_line!(info, "sign_in_code", %error, "cannot exchange a sign-in code");
            })
            .map_err(SignInProblem::ProviderUnreachable)?;
        if answer.status != StatusCode::OK {
            model::stranger_line!(info, "sign_in_code", status = %answer.status, "a sign-in code was rejected");
            return Err(SignInProblem::NotConfirmed);
        }
        let answer: ProfileResponse =
            serde_json::from_slice(&answer.body).map_err(|_| SignInProblem::NotConfirmed)?;
        Url::parse(&answer.me).map_err(|_| SignInProblem::NotConfirmed)
    }
}

async fn keep(shared: &SharedMemory, attempt: SignInAttempt) -> Result<(), SignInProblem> {
    let key = sha256(attempt.state.expose());
    let owner = attempt.requester.user.clone();
    let stored = StoredAttempt {
        verifier: attempt.verifier.expose().to_owned(),
        me: attempt.me,
        endpoint: attempt.endpoint,
        client_id: attempt.client_id,
        user: attempt.requester.user,
        token_hash: attempt.requester.token_hash,
    };
    let kept = shared.put(&key, owner.as_str(), &stored).await;
    match kept.map_err(|error| not_shared(&error))? {
        true => Ok(()),
        false => Err(SignInProblem::Busy),
    }
}

async fn find(shared: &SharedMemory, state: &str) -> Result<Option<SignInAttempt>, SignInProblem> {
    let found = shared.take::<StoredAttempt>(&sha256(state)).await;
    let found = found.map_err(|error| not_shared(&error))?;
    Ok(found.map(|stored| SignInAttempt {
        state: Secret::new(state),
        verifier: Secret::new(stored.verifier),
        me: stored.me,
        endpoint: stored.endpoint,
        client_id: stored.client_id,
        requester: SignInRequester {
            user: stored.user,
            token_hash: stored.token_hash,
        },
    }))
}

/// For the visitor it is the same as too many others: later it will work.
fn not_shared(error: &StoreError) -> SignInProblem {
    model::stranger_line!(
        warn, "sign_in_shared", %error,
        "the database does not say which sign-ins are under way"
    );
    SignInProblem::Busy
}

/// What an endpoint returns for a code; further fields are ignored.
#[derive(Debug, Deserialize)]
struct ProfileResponse {
    me: String,
}

/// The page a visitor means, after all checks that need no network.
fn page_address(typed: &str) -> Result<Url, SignInProblem> {
    let typed = typed.trim();
    if typed.len() > MAX_ADDRESS_BYTES {
        return Err(SignInProblem::Address);
    }
    let url = if typed.contains("://") {
        Url::parse(typed)
    } else {
        Url::parse(&format!("https://{typed}"))
    };
    let mut url = url.map_err(|_| SignInProblem::Address)?;
    url.set_fragment(None);
    // The client checks again, including where the name resolves to; this check only saves a slot.
    match guard::check_url(&url, &Policy::federation()) {
        Ok(()) => Ok(url),
        Err(reason) => {
            model::stranger_line!(info, "sign_in_address", %reason, "an address was refused for signing in");
            Err(SignInProblem::Address)
        }
    }
}

/// Removes trailing slashes, which make no difference.
fn spelling(page: &Url) -> Url {
    let mut page = page.clone();
    let path = page.path().trim_end_matches('/').to_owned();
    page.set_path(&path);
    page
}

impl SignInAttempt {
    fn redirect(&self) -> Url {
        let mut url = self.endpoint.clone();
        url.set_fragment(None);
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", self.client_id.as_str())
            .append_pair("redirect_uri", &self.redirect_uri())
            .append_pair("state", self.state.expose())
            .append_pair("code_challenge", &challenge(&self.verifier))
            .append_pair("code_challenge_method", "S256")
            .append_pair("me", self.me.as_str());
        url
    }

    fn form(&self, code: &str) -> String {
        url::form_urlencoded::Serializer::new(String::new())
            .append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("client_id", self.client_id.as_str())
            .append_pair("redirect_uri", &self.redirect_uri())
            .append_pair("code_verifier", self.verifier.expose())
            .finish()
    }

    fn redirect_uri(&self) -> String {
        let server = self.client_id.as_str().trim_end_matches('/');
        format!("{server}{CALLBACK_PATH}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_may_be_typed_without_their_scheme() {
        for (typed, meant) in [
            ("https://me.example", "https://me.example/"),
            (" me.example ", "https://me.example/"),
            ("me.example/~ann#top", "https://me.example/~ann"),
            ("HTTPS://Me.Example/Ann", "https://me.example/Ann"),
        ] {
            assert_eq!(page_address(typed).unwrap().as_str(), meant);
        }
    }

    #[test]
    fn refuses_addresses_that_are_not_https_or_not_public() {
        let long = format!("https://me.example/{}", "a".repeat(MAX_ADDRESS_BYTES));
        for typed in [
            "",
            "http://me.example",
            "ftp://me.example",
            "javascript://me.example/%0aalert(1)",
            "file:///etc/passwd",
            "https://",
            "https://localhost",
            "https://127.0.0.1",
            "https://2130706433",
            "https://[::1]/",
            "https://[::ffff:169.254.169.254]/",
            "https://10.0.0.1:8443/",
            "https://printer.local",
            "https://router",
            "https://user:pw@me.example",
            "https://me.example:22",
            &long,
        ] {
            let refused = page_address(typed);
            assert!(
                matches!(refused, Err(SignInProblem::Address)),
                "{typed}: {refused:?}"
            );
        }
    }

    #[test]
    fn slashes_at_the_end_are_ignored_and_nothing_else() {
        let same = |a: &str, b: &str| {
            spelling(&Url::parse(a).unwrap()) == spelling(&Url::parse(b).unwrap())
        };
        assert!(same("https://me.example", "https://me.example///"));
        assert!(same("https://me.example/ann/", "https://ME.example/ann"));
        for other in [
            "https://me.example/bob",
            "https://me.example.evil.example",
            "https://evil.example/me.example",
            "http://me.example",
            "https://me.example:8443",
            "https://me.example/?x",
            "https://me.example/#x",
            "https://ann@me.example/",
            "https://www.me.example",
        ] {
            assert!(!same("https://me.example", other), "{other}");
        }
    }
}
