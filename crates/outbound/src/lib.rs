//! The only HTTP client for untrusted hosts.
//!
//! Whoever follows us, quotes us or registers a webhook makes this server open connections to hosts they chose. All of
//! these connections go through this crate, and it keeps four promises:
//!
//! 1. **Where**: the host in the URL and every address it resolves to are checked, and the
//!    connection goes to an address that was checked; nothing is resolved twice.
//! 2. **How much**: a byte cap, a header cap and a total deadline hold from the first packet to
//!    the last byte of the body.
//! 3. **How often**: every request, redirects included, is paid for from a [`FetchBudget`].
//! 4. **What next**: every error says whether and when retrying makes sense ([`Retry`]).
//!
//! It must not know what is fetched or why (no ActivityPub, no webhooks, no plugins), must not
//! read the environment for proxies, must not decompress, and must not follow a redirect on its
//! own beyond the single hop a [`Policy`] grants.
//!
//! Where to start: [`Client::builder`], then [`Client::get`] and [`Client::post`].
//! The rules about addresses and names are in [`guard`], which does no IO.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use outbound::{Client, FetchBudget, Policy, Url, http::HeaderMap};
//!
//! let client = Client::builder()
//!     .user_agent("rillcast/0.3.0; https://rillcast.example")
//!     .build()?;
//! let budget = FetchBudget::new(3);
//! let url = Url::parse("https://peer.example/users/live")?;
//! let answer = client
//!     .get(&url, &Policy::federation(), HeaderMap::new(), &budget)
//!     .await?
//!     .require_success()?;
//! assert_eq!(answer.final_url.host_str(), Some("peer.example"));
//! # Ok(())
//! # }
//! ```

pub mod guard;

mod budget;
mod client;
mod error;
#[doc(hidden)]
pub mod fuzzing;
mod policy;
mod resolve;
mod response;

pub use budget::FetchBudget;
pub use client::{
    CONNECT_TIMEOUT, Client, ClientBuilder, OutgoingRequest, TOTAL_DEADLINE, host_header,
};
pub use error::{BuildError, FetchError, RefusalReason, Retry};
pub use http;
pub use policy::{MAX_RESPONSE_BYTES, Policy};
pub use resolve::{Dialer, Lookup, Resolver, SystemResolver};
pub use response::Response;
pub use url::Url;
