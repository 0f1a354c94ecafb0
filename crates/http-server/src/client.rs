//! The sender of a request, as far as it can be trusted.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};

use http::{Extensions, HeaderMap, Request, header};
use ipnet::IpNet;
use model::address::client_address;

/// The proxies whose forwarding headers are trusted.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(pub Vec<IpNet>);

impl TrustedProxies {
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// The peer of the connection a request arrived on; set by the accept loop.
#[derive(Clone, Copy, Debug)]
pub struct PeerInfo {
    pub peer: SocketAddr,
    pub is_tls: bool,
}

/// The client behind a request.
#[derive(Clone, Debug)]
pub struct ClientInfo {
    /// Determined by the trusted-proxy rule.
    pub address: IpAddr,
    /// Encrypted from the browser's point of view: here, or at a trusted proxy.
    pub is_secure: bool,
    /// The names this server was addressed by: by the client, and as a trusted proxy reports it.
    pub hosts: Vec<String>,
}

/// A header as text, empty when absent or unreadable.
pub fn text(headers: &HeaderMap, name: impl header::AsHeaderName) -> &str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// The user agent as sent, empty when absent.
pub fn user_agent(headers: &HeaderMap) -> &[u8] {
    let agent = headers.get(header::USER_AGENT);
    agent.map(http::HeaderValue::as_bytes).unwrap_or_default()
}

/// Whether a browser may have sent this. If so, somebody else's page may have triggered it, with a password the browser
/// has stored. Over plain HTTP browsers omit the headers made for this, and a page can set some of the others itself,
/// but not the browser's user agent. Node's `fetch` sends `Sec-Fetch-Mode: cors` and none of the others; a browser that
/// sends it also says where the page is from.
pub fn may_be_browser(headers: &HeaderMap) -> bool {
    let is_named_so = text(headers, header::USER_AGENT).starts_with("Mozilla/");
    let has = |name: &str| headers.contains_key(name);
    let mode = text(headers, "sec-fetch-mode");
    is_named_so
        || ["origin", "referer", "cookie"].into_iter().any(has)
        || ["sec-fetch-site", "sec-fetch-dest", "sec-fetch-user"]
            .into_iter()
            .any(has)
        || (has("sec-fetch-mode") && mode != "cors")
}

/// The address behind a request, by the trusted-proxy rule, for routes without [`identify`].
pub fn address(trusted: &TrustedProxies, extensions: &Extensions, headers: &HeaderMap) -> IpAddr {
    let connection = connection(extensions);
    let peer = connection.peer.ip();
    if !trusted.contains(peer) {
        return peer;
    }
    read(trusted, connection, None, headers).address
}

fn connection(extensions: &Extensions) -> PeerInfo {
    let nobody = PeerInfo {
        peer: SocketAddr::from(([0, 0, 0, 0], 0)),
        is_tls: false,
    };
    extensions.get::<PeerInfo>().copied().unwrap_or(nobody)
}

/// Determines the client of a request and adds it to the request's extensions.
pub fn identify<B>(trusted: &TrustedProxies, request: &mut Request<B>) {
    let connection = connection(request.extensions());
    // HTTP/2 has the host in the request's URI; in HTTP/1 an absolute URI overrides the header (RFC 9112 §3.2.2).
    let authority = request.uri().authority().map(http::uri::Authority::as_str);
    let client = read(trusted, connection, authority, request.headers());
    request.extensions_mut().insert(client);
}

fn read(
    trusted: &TrustedProxies,
    connection: PeerInfo,
    authority: Option<&str>,
    headers: &HeaderMap,
) -> ClientInfo {
    let peer = connection.peer.ip();
    // Bytes that are not text become a character no address contains: the entry is unreadable and ends the walk there.
    let forwarded = headers.get_all("x-forwarded-for").iter();
    let forwarded: Vec<Cow<'_, str>> = forwarded
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    let by_proxy = trusted.contains(peer);
    if !by_proxy && !forwarded.is_empty() {
        warn_once(peer);
    }
    let address = client_address(peer, forwarded.iter().map(AsRef::as_ref), |address| {
        trusted.contains(address)
    });
    let last = |name: &'static str| {
        text(headers, name)
            .rsplit(',')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let is_secure =
        connection.is_tls || (by_proxy && last("x-forwarded-proto").eq_ignore_ascii_case("https"));
    let mut hosts =
        vec![authority.map_or_else(|| text(headers, header::HOST).to_owned(), str::to_owned)];
    if by_proxy {
        hosts.push(last("x-forwarded-host"));
    }
    hosts.retain(|host| !host.is_empty());
    ClientInfo {
        address,
        is_secure,
        hosts,
    }
}

/// Warn the operator only once: a stranger must not be able to fill the log.
fn warn_once(peer: IpAddr) {
    static WARNED: std::sync::Once = std::sync::Once::new();
    WARNED.call_once(|| {
        tracing::warn!(
            %peer,
            "ignoring X-Forwarded-For from a peer that is not a trusted proxy; if it is yours, start with --trusted-proxies {peer}"
        );
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, headers: &[(&'static str, &'static str)]) -> ClientInfo {
        let trusted = TrustedProxies(vec!["10.0.0.0/8".parse().unwrap()]);
        let connection = PeerInfo {
            peer: peer.parse().unwrap(),
            is_tls: false,
        };
        let headers = headers.iter().map(|(name, value)| {
            (
                header::HeaderName::from_static(name),
                header::HeaderValue::from_static(value),
            )
        });
        read(&trusted, connection, None, &headers.collect())
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let headers = [
            ("x-forwarded-for", "198.51.100.7"),
            ("x-forwarded-proto", "https"),
        ];
        let stranger = client("203.0.113.1:5", &headers);
        assert_eq!(
            (stranger.address.to_string().as_str(), stranger.is_secure),
            ("203.0.113.1", false)
        );
        let proxied = client("10.1.2.3:5", &headers);
        assert!(proxied.hosts.is_empty());
        assert_eq!(
            (proxied.address.to_string().as_str(), proxied.is_secure),
            ("198.51.100.7", true)
        );
    }
    #[test]
    fn an_unreadable_line_of_the_header_ends_the_walk_at_its_place() {
        let trusted = TrustedProxies(vec!["10.0.0.0/8".parse().unwrap()]);
        let connection = PeerInfo {
            peer: "10.1.2.3:5".parse().unwrap(),
            is_tls: false,
        };
        let mut headers = HeaderMap::new();
        headers.append(
            "x-forwarded-for",
            header::HeaderValue::from_static("9.9.9.9"),
        );
        headers.append(
            "x-forwarded-for",
            header::HeaderValue::from_bytes(b"\xff, 5.6.7.8").unwrap(),
        );
        assert_eq!(
            read(&trusted, connection, None, &headers)
                .address
                .to_string(),
            "5.6.7.8"
        );
    }
}
