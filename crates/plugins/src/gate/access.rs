//! Decides which requests may pass.

/// Which parts of the server need a session, besides its pages. The operator chooses; the plugin does not know the
/// choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessMode {
    #[default]
    WebsiteOnly,
    /// The pages and the video.
    WebsiteAndStream,
    /// The pages, the video and the stream status; directories learn nothing.
    WebsiteStreamAndStatus,
}

impl AccessMode {
    /// All of them, from the most open one.
    pub const ALL: [Self; 3] = [
        Self::WebsiteOnly,
        Self::WebsiteAndStream,
        Self::WebsiteStreamAndStatus,
    ];

    /// Its name in the admin API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WebsiteOnly => "website-only",
            Self::WebsiteAndStream => "website-and-stream",
            Self::WebsiteStreamAndStatus => "website-stream-and-status",
        }
    }

    /// The mode with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }

    /// Whether the video is behind the gate too.
    #[must_use]
    pub fn guards_media(self) -> bool {
        self >= Self::WebsiteAndStream
    }

    /// Whether directories may list the stream.
    #[must_use]
    pub fn is_listed(self) -> bool {
        self < Self::WebsiteStreamAndStatus
    }
}

/// The gate's current state.
#[derive(Clone, Debug)]
pub struct AccessGate {
    /// The gate's plugin.
    pub slug: String,
    /// What the gate guards.
    pub mode: AccessMode,
    /// Whether the plugin is running and sessions can be signed.
    pub is_ready: bool,
}

/// A request at the gate.
#[derive(Clone, Copy, Debug)]
pub struct GateRequest<'a> {
    /// The method is GET or HEAD.
    pub only_reads: bool,
    /// The path, decoded and normalized.
    pub path: &'a str,
    /// Path and query as sent.
    pub uri: &'a str,
    /// The request has a valid session.
    pub has_session: bool,
    /// The path is a file of the built-in pages but not a page itself.
    pub is_built_in_asset: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateVerdict {
    /// The request may pass.
    Allow,
    /// Nobody can sign in at the moment: 503.
    Unavailable,
    /// Redirect to this address, 302.
    SignIn(String),
    /// Sign-in required: 401.
    Refuse,
}

impl AccessGate {
    /// Decides about a request.
    #[must_use]
    pub fn decide(&self, request: &GateRequest<'_>) -> GateVerdict {
        // A valid session counts even while the plugin is down.
        let passes = request.has_session
            || request.is_built_in_asset
            || is_exempt(request.path, &self.slug, self.mode);
        if passes {
            return GateVerdict::Allow;
        }
        if !self.is_ready {
            return GateVerdict::Unavailable;
        }
        match request.only_reads {
            true => GateVerdict::SignIn(self.sign_in(request.uri)),
            false => GateVerdict::Refuse,
        }
    }

    /// The sign-in address, which leads back to `uri`.
    #[must_use]
    pub fn sign_in(&self, uri: &str) -> String {
        let back: String = url::form_urlencoded::byte_serialize(uri.as_bytes()).collect();
        format!("/plugins/{}/?return_to={back}", self.slug)
    }
}

/// Paths that never need a session.
#[must_use]
pub fn is_exempt(path: &str, slug: &str, mode: AccessMode) -> bool {
    let own = format!("/plugins/{slug}");
    let below = [
        "/.well-known",
        "/nodeinfo",
        "/federation",
        own.as_str(),
        "/admin",
        "/api/admin",
        "/api/integrations",
    ];
    let exactly = ["/api/v1/instance", "/api/yp", "/logo", "/logo/external"];
    let video = !mode.guards_media() && is_below(path, "/hls");
    let status = mode < AccessMode::WebsiteStreamAndStatus && path == "/api/status";
    below.iter().any(|root| is_below(path, root)) || exactly.contains(&path) || video || status
}

fn is_below(path: &str, root: &str) -> bool {
    let rest = path.strip_prefix(root);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access_gate(mode: AccessMode) -> AccessGate {
        AccessGate {
            slug: "gate".into(),
            mode,
            is_ready: true,
        }
    }

    fn request(path: &str) -> GateRequest<'_> {
        GateRequest {
            only_reads: true,
            path,
            uri: path,
            has_session: false,
            is_built_in_asset: false,
        }
    }

    #[test]
    fn a_viewer_without_a_session_is_sent_to_the_sign_in_and_back() {
        let access_gate = access_gate(AccessMode::WebsiteOnly);
        let there = GateRequest {
            uri: "/x?a=1&b=ü",
            ..request("/x")
        };
        assert_eq!(
            access_gate.decide(&there),
            GateVerdict::SignIn("/plugins/gate/?return_to=%2Fx%3Fa%3D1%26b%3D%C3%BC".into())
        );
        let posts = GateRequest {
            only_reads: false,
            ..there
        };
        assert_eq!(access_gate.decide(&posts), GateVerdict::Refuse);
    }

    #[test]
    fn a_gate_that_is_down_stays_shut_for_newcomers_only() {
        let down = AccessGate {
            is_ready: false,
            ..access_gate(AccessMode::WebsiteOnly)
        };
        assert_eq!(down.decide(&request("/")), GateVerdict::Unavailable);
        let known = GateRequest {
            has_session: true,
            ..request("/")
        };
        assert_eq!(down.decide(&known), GateVerdict::Allow);
        assert_eq!(
            down.decide(&request("/federation/inbox")),
            GateVerdict::Allow
        );
    }

    #[test]
    fn what_other_servers_and_the_operator_need_is_never_behind_the_gate() {
        let strict = access_gate(AccessMode::WebsiteStreamAndStatus);
        for path in [
            "/.well-known/webfinger",
            "/nodeinfo/2.0",
            "/api/v1/instance",
            "/federation/user/live",
            "/plugins/gate/",
            "/plugins/gate/login",
            "/admin",
            "/admin/chat",
            "/api/admin/status",
            "/api/integrations/chat/send",
            "/api/yp",
            "/logo",
            "/logo/external",
        ] {
            assert_eq!(strict.decide(&request(path)), GateVerdict::Allow, "{path}");
        }
        for path in [
            "/",
            "/plugins/gate-two/",
            "/plugins/other/",
            "/administrator",
            "/api/v1/instances",
            "/api/config",
            "/federations",
            "/ws",
        ] {
            assert_ne!(strict.decide(&request(path)), GateVerdict::Allow, "{path}");
        }
    }

    #[test]
    fn the_modes_shut_more_and_more() {
        let passes = |mode, path| access_gate(mode).decide(&request(path)) == GateVerdict::Allow;
        let table = [
            (AccessMode::WebsiteOnly, true, true, true),
            (AccessMode::WebsiteAndStream, false, true, true),
            (AccessMode::WebsiteStreamAndStatus, false, false, false),
        ];
        for (mode, video, status, listed) in table {
            assert_eq!(passes(mode, "/hls/stream.m3u8"), video, "{mode:?}");
            assert_eq!(passes(mode, "/api/status"), status, "{mode:?}");
            assert_eq!(mode.is_listed(), listed, "{mode:?}");
            assert_eq!(AccessMode::parse(mode.as_str()), Some(mode));
        }
    }
}
