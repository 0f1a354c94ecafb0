//! Builds the client.
//!
//! Everything that makes the client safe is set here once and cannot be changed per request:
//! no proxies, no automatic redirects or retries, the guarded resolver, the header caps.

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use reqwest::{Certificate, redirect, retry, tls};
use url::Host;

use crate::client::body::{MAX_HEADER_BYTES, MAX_HEADERS};
use crate::client::{Client, ClientInner, UserAgent};
use crate::error::{BuildError, shorten};
use crate::guard::Reach;
use crate::resolve::{Dialer, DirectDialer, GuardedResolver, Mappings, Resolver, SystemResolver};

/// Longest time for name, connection and TLS together.
/// Protects workers from hosts that swallow packets; a healthy host needs well under a second.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Longest time for a whole exchange, redirect and body included.
/// Protects workers from peers that trickle; an idle timeout would let them go on for ever.
pub const TOTAL_DEADLINE: Duration = Duration::from_secs(10);

/// Idle connections kept per host.
/// Protects file descriptors; deliveries run two at a time per host.
const MAX_IDLE_PER_HOST: usize = 2;

/// How long an idle connection is kept.
/// Protects memory: a post to ten thousand servers would keep as many connections, and one that is used again is used at once.
const IDLE_TIMEOUT: Duration = Duration::from_secs(1);

/// HTTP/2 bytes a peer may send ahead on one stream.
/// Protects memory per fetch; a quarter of the body cap keeps a pipe full at 10 Mb/s and 200 ms.
const HTTP2_STREAM_WINDOW: u32 = 256 * 1024;

/// HTTP/2 bytes a peer may send ahead on one connection, all streams together.
/// Protects memory per host; four streams' worth.
const HTTP2_CONNECTION_WINDOW: u32 = 1024 * 1024;

/// Settings of a [`Client`] being built.
pub struct ClientBuilder {
    user_agent: Option<Arc<UserAgent>>,
    extra_ca: Vec<Vec<u8>>,
    resolver: Arc<dyn Resolver>,
    dialer: Arc<dyn Dialer>,
    connect_timeout: Duration,
    deadline: Duration,
    mappings: Vec<(String, SocketAddr)>,
    widest: Reach,
    verifies_tls: bool,
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("extra_ca", &self.extra_ca.len())
            .field("mappings", &self.mappings)
            .field("widest", &self.widest)
            .field("verifies_tls", &self.verifies_tls)
            .finish_non_exhaustive()
    }
}

impl ClientBuilder {
    pub(super) fn new() -> Self {
        Self {
            user_agent: None,
            extra_ca: Vec::new(),
            resolver: Arc::new(SystemResolver::new()),
            dialer: Arc::new(DirectDialer),
            connect_timeout: CONNECT_TIMEOUT,
            deadline: TOTAL_DEADLINE,
            mappings: Vec::new(),
            widest: Reach::Public,
            verifies_tls: true,
        }
    }

    /// Our user agent, sent with every request.
    #[must_use]
    pub fn user_agent(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.user_agent_of(move || text.clone())
    }

    /// The same for a user agent that can change: called before every request.
    #[must_use]
    pub fn user_agent_of(mut self, text: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.user_agent = Some(Arc::new(text));
        self
    }

    /// Trusts the certificate authorities in `pem`, in addition to the system's.
    #[must_use]
    pub fn extra_ca(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.extra_ca.push(pem.into());
        self
    }

    /// Replaces the system's resolver.
    #[must_use]
    pub fn resolver(mut self, resolver: impl Resolver) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// Replaces the dialer of checked addresses; for tests.
    #[must_use]
    pub fn dialer(mut self, dialer: impl Dialer) -> Self {
        self.dialer = Arc::new(dialer);
        self
    }

    /// Replaces [`CONNECT_TIMEOUT`].
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Replaces [`TOTAL_DEADLINE`].
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sends `host` to `address`, past the name rules and the address table; for tests.
    ///
    /// The exemption covers this one address and port: a URL that names another port is refused.
    #[must_use]
    pub fn danger_resolve(mut self, host: impl Into<String>, address: SocketAddr) -> Self {
        self.mappings.push((host.into(), address));
        self
    }

    /// Lets every request reach loopback and private networks; for tests.
    #[must_use]
    pub fn danger_allow_internal_addresses(mut self) -> Self {
        self.widest = Reach::Internal;
        self
    }

    /// Accepts any certificate; for tests.
    #[must_use]
    pub fn danger_skip_tls_verify(mut self) -> Self {
        self.verifies_tls = false;
        self
    }

    /// Builds the client.
    ///
    /// # Errors
    /// When a setting is unusable or TLS cannot be set up.
    pub fn build(self) -> Result<Client, BuildError> {
        let mappings = Arc::new(self.parsed_mappings()?);
        self.warn_of_dangers(&mappings);
        let user_agent = self.checked_user_agent()?;
        Ok(Client {
            inner: Arc::new(ClientInner {
                user_agent,
                public: self.pool(Reach::Public.max(self.widest), &mappings)?,
                internal: self.pool(Reach::Internal, &mappings)?,
                mappings,
                deadline: self.deadline,
                widest: self.widest,
            }),
        })
    }

    fn pool(
        &self,
        allowed: Reach,
        mappings: &Arc<Mappings>,
    ) -> Result<reqwest::Client, BuildError> {
        let extra = self.parsed_extra_ca()?;
        let usual = self.guarded(allowed, mappings);
        let usual = usual.tls_certs_merge(extra.iter().cloned()).build();
        let made = usual.or_else(|error| {
            // A server can do much without other hosts; but every peer's certificate will be rejected, and this says
            // so.
            tracing::warn!(
                %error,
                "no certificate authorities on this machine, so no other server can be reached by https: \
                 install ca-certificates"
            );
            self.guarded(allowed, mappings).tls_certs_only(extra).build()
        });
        made.map_err(|error| BuildError::Tls(error.into()))
    }

    fn guarded(&self, allowed: Reach, mappings: &Arc<Mappings>) -> reqwest::ClientBuilder {
        let guarded = GuardedResolver {
            resolver: Arc::clone(&self.resolver),
            dialer: Arc::clone(&self.dialer),
            mappings: Arc::clone(mappings),
            allowed,
        };
        reqwest::Client::builder()
            .dns_resolver(guarded)
            .no_proxy()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .connect_timeout(self.connect_timeout)
            .pool_max_idle_per_host(MAX_IDLE_PER_HOST)
            .pool_idle_timeout(IDLE_TIMEOUT)
            .http1_max_headers(MAX_HEADERS)
            .http2_max_header_list_size(MAX_HEADER_BYTES)
            .http2_initial_stream_window_size(HTTP2_STREAM_WINDOW)
            .http2_initial_connection_window_size(HTTP2_CONNECTION_WINDOW)
            .tls_backend_rustls()
            .tls_version_min(tls::Version::TLS_1_2)
            .tls_danger_accept_invalid_certs(!self.verifies_tls)
    }

    fn checked_user_agent(&self) -> Result<Arc<UserAgent>, BuildError> {
        let user_agent = self.user_agent.as_ref().ok_or(BuildError::UserAgent)?;
        let text = user_agent();
        if text.trim().is_empty() || HeaderValue::from_str(&text).is_err() {
            return Err(BuildError::UserAgent);
        }
        Ok(Arc::clone(user_agent))
    }

    fn parsed_extra_ca(&self) -> Result<Vec<Certificate>, BuildError> {
        let mut certificates = Vec::new();
        for pem in &self.extra_ca {
            let bundle = Certificate::from_pem_bundle(pem).map_err(|_| BuildError::ExtraCa)?;
            if bundle.is_empty() {
                return Err(BuildError::ExtraCa);
            }
            certificates.extend(bundle);
        }
        Ok(certificates)
    }

    fn parsed_mappings(&self) -> Result<Mappings, BuildError> {
        let mut mappings = HashMap::new();
        for (host, address) in &self.mappings {
            // IP addresses never reach the resolver, so mapping one would silently do nothing.
            let name = match Host::parse(host) {
                Ok(Host::Domain(name)) if address.port() != 0 => name,
                _ => {
                    return Err(BuildError::Mapping {
                        host: shorten(host),
                    });
                }
            };
            mappings.insert(name, *address);
        }
        Ok(mappings)
    }

    fn warn_of_dangers(&self, mappings: &Mappings) {
        for (host, address) in mappings {
            tracing::warn!(%host, %address, "danger: this host is mapped by hand and not checked");
        }
        if self.widest > Reach::Public {
            tracing::warn!("danger: strangers can make this server contact internal addresses");
        }
        if !self.verifies_tls {
            tracing::warn!("danger: certificates of other servers are not verified");
        }
    }
}
