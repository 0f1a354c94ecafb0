//! Finds an account or a server by its name.
//!
//! People type `@alice@remote.example`; WebFinger (RFC 7033) says which actor that is and where its owner follows
//! others. Operators type `https://other.example`; NodeInfo says which software answers there and what its account is
//! called.
//!
//! This lets any stranger make this server contact any host. So nothing is requested that [`outbound`] would refuse,
//! answers are small and have a deadline, a redirect may lead only to the same host or a related one, and errors are
//! reported in general terms, because the details would tell a stranger about the operator's network; the log has them.
//!
//! It must not decide who an actor is. It finds addresses; documents are fetched and judged elsewhere.

mod account;
#[doc(hidden)]
pub mod fuzzing;
mod nodeinfo;
mod request;
mod webfinger;

use std::sync::Arc;
use std::time::Duration;

use outbound::{Client, FetchBudget, FetchError, Url};

use crate::fetch::FetchPolicy;
use crate::{Federation, Unready};

pub use account::{Account, MAX_ACCOUNT_BYTES};
pub use nodeinfo::NodeInfo;
pub use webfinger::AccountLocation;

/// Requests for finding one account or one server, redirects included; the next one fails.
pub const FETCHES: u32 = 6;

/// Longest time for finding one account or one server, all requests together; then it has failed. Whoever typed the
/// name is waiting.
const DEADLINE: Duration = Duration::from_secs(10);

/// Why something was not found; the texts are for the person who typed the name.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// What was typed is not an account.
    #[error("enter an account such as @name@server.example")]
    Account,
    /// What was typed is not an address we would contact.
    #[error("enter the https address of a server, such as https://server.example")]
    Address,
    /// The server did not answer, or not in an acceptable way.
    #[error("the server could not be reached, or did not answer as expected")]
    Unreachable(#[source] FetchError),
    /// It is this server, or one the operator blocks.
    #[error("accounts of this server cannot be used here")]
    Refused,
    /// No such account or document.
    #[error("the server does not know this account")]
    Unknown,
    /// The answer makes no sense, or points where it must not.
    #[error("the server sent an answer that cannot be used: {0}")]
    Answer(&'static str),
}

/// Why there is no page to follow from; the texts are for the visitor.
#[derive(Debug, thiserror::Error)]
pub enum FollowFromError {
    /// The account was not found.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The account's server names no page for following others, or one that must not be opened.
    #[error("your server does not say where you can follow others; search for {0} there instead")]
    NoPage(String),
    /// The stream has no name in the Fediverse.
    #[error(transparent)]
    Unready(#[from] Unready),
}

impl Federation {
    /// The page where the owner of an account can follow the stream.
    pub async fn follow_from(&self, typed: &str) -> Result<Url, FollowFromError> {
        let profile = self.ready().await?;
        let account = Account::parse(typed).ok_or(LookupError::Account)?;
        let located = self.0.lookup.account(&account).await?;
        let page = located.follow_address(&profile.names.actor());
        page.ok_or_else(|| FollowFromError::NoPage(format!("@{}", profile.names.account())))
    }
}

/// Queries other servers about names; clones share connections.
#[derive(Clone, Debug)]
pub struct Lookup {
    client: Client,
    fetch_policy: Arc<dyn FetchPolicy>,
}

impl Lookup {
    /// Creates a look-up that uses `client`, and never asks hosts that `fetch_policy` refuses.
    #[must_use]
    pub fn new(client: Client, fetch_policy: Arc<dyn FetchPolicy>) -> Self {
        Self {
            client,
            fetch_policy,
        }
    }

    /// Finds an account's actor and the page where its owner follows others.
    pub async fn account(&self, account: &Account) -> Result<AccountLocation, LookupError> {
        let budget = FetchBudget::new(FETCHES);
        let locating = webfinger::locate(self, account, &budget);
        in_time(account.host(), locating).await
    }

    /// Describes the server at `base`, which is only scheme and host.
    pub async fn server(&self, base: &Url) -> Result<NodeInfo, LookupError> {
        let budget = FetchBudget::new(FETCHES);
        let reading = nodeinfo::read(self, base, &budget);
        in_time(base.host_str().unwrap_or_default(), reading).await
    }

    /// The server an operator means, as scheme and host, after every check that needs no network.
    pub fn address(&self, typed: &str) -> Result<Url, LookupError> {
        request::server_address(self, typed)
    }
}

async fn in_time<T>(
    host: &str,
    asking: impl Future<Output = Result<T, LookupError>>,
) -> Result<T, LookupError> {
    let late = |_| {
        let host = host.to_owned();
        LookupError::Unreachable(FetchError::DeadlinePassed { host })
    };
    tokio::time::timeout(DEADLINE, asking).await.map_err(late)?
}
