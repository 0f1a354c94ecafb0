//! Resolves a name to checked addresses.
//!
//! The HTTP stack calls [`GuardedResolver`] when it is about to connect. It resolves once, drops every address the
//! guard forbids and passes the rest straight to the connect call, so a name that changes its answer between check and
//! use gains nothing. It must not cache: a cached answer would be a second truth beside the connection pool.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::Semaphore;

use crate::guard::{Reach, reach};

/// Most addresses of one name that are tried.
/// Protects the connect deadline, which is divided among them; real hosts have two to four.
const MAX_ADDRESSES: usize = 8;

/// Most look-ups under way at once.
/// Protects the blocking threads that file and database work shares, since a look-up cannot be
/// cancelled and a slow name server holds its thread; half of a small machine's usual load.
const MAX_LOOKUPS: usize = 64;

/// The pending answer of a [`Resolver`].
pub type Lookup = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// What the system's resolver says, in its various libraries, when a name server has answered that there is no such name
/// or no address of it. Everything else may be better the next time.
const CERTAIN: [&str; 4] = [
    "Name or service not known",
    "No address associated with hostname",
    "Name does not resolve",
    "Name has no usable address",
];

/// Resolves a host name to addresses; tests script it.
pub trait Resolver: Send + Sync + 'static {
    /// Looks up all addresses of `host`. An error of kind [`io::ErrorKind::NotFound`], or no address, means that there
    /// is certainly none; any other error means that no name server could be asked.
    fn lookup(&self, host: String) -> Lookup;
}

/// The last step before the socket: where a checked address is actually dialled.
///
/// The default dials the checked address; tests send public-looking addresses to a local listener and record what was
/// dialled. A port of 0 means the port of the URL, and a port in the URL always wins.
pub trait Dialer: Send + Sync + 'static {
    /// The address to connect to instead of `checked`.
    fn target(&self, checked: SocketAddr) -> SocketAddr;
}

/// Dials the address that was checked.
#[derive(Debug)]
pub(crate) struct DirectDialer;

impl Dialer for DirectDialer {
    fn target(&self, checked: SocketAddr) -> SocketAddr {
        checked
    }
}

/// The system's own resolver, with a bound on concurrent look-ups.
#[derive(Debug, Clone)]
pub struct SystemResolver {
    slots: Arc<Semaphore>,
}

impl SystemResolver {
    /// A resolver that honours the operator's own name service configuration.
    #[must_use]
    pub fn new() -> Self {
        Self {
            slots: Arc::new(Semaphore::new(MAX_LOOKUPS)),
        }
    }
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self::new()
    }
}

impl Resolver for SystemResolver {
    fn lookup(&self, host: String) -> Lookup {
        let slots = Arc::clone(&self.slots);
        Box::pin(async move {
            let slot = slots.acquire_owned().await.map_err(io::Error::other)?;
            // The permit moves into the thread: dropping this future does not end the look-up.
            tokio::task::spawn_blocking(move || {
                let _slot = slot;
                let addresses = (host.as_str(), 0).to_socket_addrs().map_err(sorted)?;
                Ok(addresses.map(|address| address.ip()).collect())
            })
            .await
            .map_err(io::Error::other)?
        })
    }
}

/// Sorts errors by their text: the standard library offers nothing else to tell failures apart.
fn sorted(error: io::Error) -> io::Error {
    let text = error.to_string();
    match CERTAIN.iter().any(|certain| text.ends_with(certain)) {
        true => io::Error::new(io::ErrorKind::NotFound, error),
        false => error,
    }
}

/// Hosts the operator mapped by hand (`--danger-resolve`); they are exempt from the table.
pub(crate) type Mappings = HashMap<String, SocketAddr>;

/// Why a look-up gave no usable address.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LookupError {
    #[error("the name has no address")]
    NoAddress,
    #[error("the name resolves to {0} only, which may not be contacted")]
    Forbidden(IpAddr),
    #[error("the look-up failed")]
    Failed(#[source] io::Error),
}

/// Combines resolver, guard and dialer in the one place where the HTTP stack asks before it connects.
pub(crate) struct GuardedResolver {
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) dialer: Arc<dyn Dialer>,
    pub(crate) mappings: Arc<Mappings>,
    pub(crate) allowed: Reach,
}

impl fmt::Debug for GuardedResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedResolver")
            .field("allowed", &self.allowed)
            .finish_non_exhaustive()
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_ascii_lowercase();
        if let Some(mapped) = self.mappings.get(&host) {
            let addrs: Addrs = Box::new(std::iter::once(*mapped));
            return Box::pin(std::future::ready(Ok(addrs)));
        }
        let looking_up = self.resolver.lookup(host);
        let dialer = Arc::clone(&self.dialer);
        let allowed = self.allowed;
        Box::pin(async move {
            let answers = looking_up.await.map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => LookupError::NoAddress,
                _ => LookupError::Failed(error),
            })?;
            let admitted = admit(&answers, allowed)?;
            let dialled = admitted
                .into_iter()
                .map(move |ip| dialer.target(SocketAddr::new(ip, 0)));
            let addrs: Addrs = Box::new(dialled);
            Ok(addrs)
        })
    }
}

/// The addresses that may be contacted, in order and in canonical form.
fn admit(answers: &[IpAddr], allowed: Reach) -> Result<Vec<IpAddr>, LookupError> {
    let first = answers.first().ok_or(LookupError::NoAddress)?;
    let admitted: Vec<IpAddr> = answers
        .iter()
        .filter(|ip| reach(**ip) <= allowed)
        .map(IpAddr::to_canonical)
        .take(MAX_ADDRESSES)
        .collect();
    if admitted.is_empty() {
        return Err(LookupError::Forbidden(*first));
    }
    Ok(admitted)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn ips(texts: &[&str]) -> Vec<IpAddr> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn keeps_only_addresses_within_reach_and_their_order() {
        let answers = ips(&[
            "127.0.0.1",
            "2606:4700::1",
            "::1",
            "8.8.8.8",
            "::ffff:9.9.9.9",
            "169.254.1.1",
        ]);
        let public = admit(&answers, Reach::Public).unwrap();
        assert_eq!(public, ips(&["2606:4700::1", "8.8.8.8", "9.9.9.9"]));
        let internal = admit(&answers, Reach::Internal).unwrap();
        assert_eq!(
            internal,
            ips(&["127.0.0.1", "2606:4700::1", "::1", "8.8.8.8", "9.9.9.9"])
        );
    }

    #[test]
    fn says_which_address_was_forbidden_when_nothing_is_left() {
        let refused = admit(&ips(&["10.0.0.1", "::1"]), Reach::Public).unwrap_err();
        assert!(matches!(refused, LookupError::Forbidden(ip) if ip.to_string() == "10.0.0.1"));
        assert!(matches!(
            admit(&[], Reach::Internal),
            Err(LookupError::NoAddress)
        ));
    }

    #[test]
    fn a_flood_of_answers_is_cut() {
        let answers: Vec<IpAddr> = (0..1000u32)
            .map(|n| IpAddr::from((0x0808_0000 + n).to_be_bytes()))
            .collect();
        assert_eq!(admit(&answers, Reach::Public).unwrap().len(), MAX_ADDRESSES);
    }

    #[test]
    fn what_a_name_server_said_is_told_from_what_nobody_could_say() {
        let kind = |text: &str| {
            let text = format!("failed to lookup address information: {text}");
            sorted(io::Error::other(text)).kind()
        };
        for certain in CERTAIN {
            assert_eq!(kind(certain), io::ErrorKind::NotFound, "{certain}");
        }
        for passing in [
            "Temporary failure in name resolution",
            "Try again",
            "System error",
            "something else",
        ] {
            assert_ne!(kind(passing), io::ErrorKind::NotFound, "{passing}");
        }
    }

    #[tokio::test]
    async fn the_system_resolver_knows_this_machine() {
        let found = SystemResolver::new()
            .lookup("localhost".to_owned())
            .await
            .unwrap();
        assert!(
            found.iter().all(IpAddr::is_loopback) && !found.is_empty(),
            "{found:?}"
        );
    }
}
