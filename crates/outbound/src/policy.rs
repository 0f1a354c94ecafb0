//! What one kind of caller may do.
//!
//! A policy is a value: start from the caller's profile and narrow or widen it for one call. It never holds secrets and
//! knows nothing about what is fetched.

use std::time::Duration;

use crate::guard::address::Reach;

/// Largest response body, unless a policy says otherwise.
/// Protects memory against endless answers; actor documents and webhook replies are a few KiB.
pub const MAX_RESPONSE_BYTES: usize = 1024 * 1024;

/// First port that needs no privilege to listen on.
/// Protects mail, SSH and other system services from being spoken to; the usual Unix border.
const FIRST_UNPRIVILEGED_PORT: u16 = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Schemes {
    HttpsOnly,
    HttpAndHttps,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Redirects {
    Return,
    FollowOne,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    Whole,
    Start,
}

/// Schemes, ports, redirects, reach and size that one request may use.
#[derive(Debug, Clone)]
pub struct Policy {
    schemes: Schemes,
    redirects: Redirects,
    reach: Reach,
    takes_literals: bool,
    max_response_bytes: usize,
    body: Body,
    deadline: Option<Duration>,
}

impl Policy {
    /// For documents and deliveries of other servers: https on 443 or an unprivileged port,
    /// one redirect on GET.
    #[must_use]
    pub fn federation() -> Self {
        Self {
            schemes: Schemes::HttpsOnly,
            redirects: Redirects::FollowOne,
            reach: Reach::Public,
            takes_literals: false,
            max_response_bytes: MAX_RESPONSE_BYTES,
            body: Body::Whole,
            deadline: None,
        }
    }

    /// For URLs the operator registered: http and https on 80, 443 or an unprivileged port,
    /// no redirects.
    #[must_use]
    pub fn webhook() -> Self {
        Self {
            schemes: Schemes::HttpAndHttps,
            redirects: Redirects::Return,
            ..Self::federation()
        }
    }

    /// For requests of plugins: like webhooks, with one redirect on GET.
    #[must_use]
    pub fn plugin() -> Self {
        Self {
            redirects: Redirects::FollowOne,
            ..Self::webhook()
        }
    }

    /// For the bucket that the operator gave this server: http and https, also on loopback and in private networks.
    /// Redirects are handed back, because what is signed is signed for one host.
    #[must_use]
    pub fn bucket() -> Self {
        Self::webhook().reaching_internal_addresses()
    }

    /// Lets this call reach loopback and private networks, by address or local name.
    ///
    /// Only for a URL the operator typed and confirmed; never for one a stranger supplied.
    /// Link-local, multicast, reserved and metadata addresses stay closed.
    #[must_use]
    pub fn reaching_internal_addresses(mut self) -> Self {
        self.reach = Reach::Internal;
        self
    }

    /// Allows hosts that are addresses instead of names, as far as the addresses are within reach.
    ///
    /// Only for addresses that were each allowed individually: whoever allows a name can look it up, a number says
    /// nothing.
    #[must_use]
    pub fn taking_literal_addresses(mut self) -> Self {
        self.takes_literals = true;
        self
    }

    /// Hands redirects back as ordinary responses instead of following one.
    #[must_use]
    pub fn returning_redirects(mut self) -> Self {
        self.redirects = Redirects::Return;
        self
    }

    /// Replaces the cap on the response body.
    #[must_use]
    pub fn with_max_response_bytes(mut self, limit: usize) -> Self {
        self.max_response_bytes = limit;
        self
    }

    /// Keeps only the first `limit` bytes of the body, for callers that only need the status.
    ///
    /// A body that is longer, broken off, slow or compressed is then not an error.
    #[must_use]
    pub fn keeping_the_start(mut self, limit: usize) -> Self {
        self.max_response_bytes = limit;
        self.body = Body::Start;
        self
    }

    /// Replaces the client's total deadline for this call.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// How far this policy reaches.
    #[must_use]
    pub fn reach(&self) -> Reach {
        self.reach
    }

    pub(crate) fn takes_literals(&self) -> bool {
        self.takes_literals || self.reach != Reach::Public
    }

    /// The cap on the response body.
    #[must_use]
    pub fn max_response_bytes(&self) -> usize {
        self.max_response_bytes
    }

    pub(crate) fn keeps_only_the_start(&self) -> bool {
        self.body == Body::Start
    }

    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    pub(crate) fn follows_redirects(&self) -> bool {
        self.redirects == Redirects::FollowOne
    }

    pub(crate) fn allows_scheme(&self, scheme: &str) -> bool {
        match self.schemes {
            Schemes::HttpsOnly => scheme == "https",
            Schemes::HttpAndHttps => matches!(scheme, "http" | "https"),
        }
    }

    pub(crate) fn allows_port(&self, port: u16) -> bool {
        let is_well_known = match self.schemes {
            Schemes::HttpsOnly => port == 443,
            Schemes::HttpAndHttps => matches!(port, 80 | 443),
        };
        is_well_known || port >= FIRST_UNPRIVILEGED_PORT
    }
}
