//! The body of the guard's fuzz target, shared with the stable replay test.
//!
//! [`guard_holds`] reads arbitrary bytes as a URL and as addresses, and panics if the guard lets something through that
//! an independent check based on `std::net` considers not global. That oracle deliberately shares no table and no code
//! with [`crate::guard`].

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use crate::guard::{Reach, check_url, reach};
use crate::policy::Policy;

/// Runs every rule of the guard on `input`.
///
/// # Panics
/// When the guard admits what it must not.
pub fn guard_holds(input: &[u8]) {
    if let Ok(text) = std::str::from_utf8(input) {
        url_is_judged_well(text);
        // Otherwise most mutations of a bare host would be rejected as relative URLs.
        url_is_judged_well(&format!("https://{text}/"));
        url_is_judged_well(&format!("http://{text}:8080/"));
        if let Ok(address) = text.parse::<IpAddr>() {
            address_is_judged_well(address);
        }
    }
    if let Some(bytes) = input.first_chunk::<4>() {
        address_is_judged_well(Ipv4Addr::from(*bytes).into());
    }
    if let Some(bytes) = input.first_chunk::<16>() {
        address_is_judged_well(Ipv6Addr::from(*bytes).into());
    }
}

fn url_is_judged_well(text: &str) {
    let Ok(url) = Url::parse(text) else { return };
    for policy in [Policy::federation(), Policy::webhook(), Policy::plugin()] {
        if check_url(&url, &policy).is_ok() {
            admitted_url_is_harmless(&url, &policy);
        }
        let widened = policy.reaching_internal_addresses();
        if check_url(&url, &widened).is_ok()
            && let Some(address) = literal(&url)
        {
            assert!(!is_never(address), "{address} admitted with opt-in");
        }
    }
}

fn admitted_url_is_harmless(url: &Url, policy: &Policy) {
    let Some(Host::Domain(name)) = url.host() else {
        panic!("an address was admitted as a host: {url}");
    };
    assert!(
        name.parse::<IpAddr>().is_err(),
        "an address hid in a name: {url}"
    );
    assert!(
        name.contains('.') && !name.ends_with('.'),
        "not a full name: {url}"
    );
    assert!(name.is_ascii(), "not in ascii form: {url}");
    assert!(
        name != "localhost" && !name.ends_with(".localhost"),
        "loopback by name: {url}"
    );
    let last = name.rsplit('.').next().unwrap_or_default();
    assert!(
        !last.starts_with(|c: char| c.is_ascii_digit())
            || last.bytes().any(|b| b.is_ascii_alphabetic())
    );
    assert!(
        url.username().is_empty() && url.password().is_none(),
        "userinfo: {url}"
    );
    let port = url.port_or_known_default().unwrap_or_default();
    let allows_http = policy.allows_scheme("http");
    assert!(
        port == 443 || port >= 1024 || (allows_http && port == 80),
        "port: {url}"
    );
    assert!(
        url.scheme() == "https" || (allows_http && url.scheme() == "http"),
        "scheme: {url}"
    );
}

fn literal(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(v4) => Some(v4.into()),
        Host::Ipv6(v6) => Some(v6.into()),
        Host::Domain(_) => None,
    }
}

fn address_is_judged_well(address: IpAddr) {
    match reach(address) {
        Reach::Public => assert!(is_global(address), "{address} admitted"),
        Reach::Internal => assert!(!is_never(address), "{address} admitted with opt-in"),
        Reach::Never => {}
    }
}

/// Addresses that stay blocked even if the operator opts in.
fn is_never(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            v4.is_unspecified() || v4.is_multicast() || v4.is_broadcast() || v4.is_link_local()
        }
        IpAddr::V6(v6) => v6.is_unspecified() || v6.is_multicast() || v6.is_unicast_link_local(),
    }
}

/// An independent check whether an address is on the public internet.
#[must_use]
pub fn is_global(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_global_v4(v4),
        IpAddr::V6(v6) => is_global_v6(v6),
    }
}

fn is_global_v4(v4: Ipv4Addr) -> bool {
    let [a, b, c, _] = v4.octets();
    let special = v4.is_private()
        || v4.is_loopback()
        || v4.is_link_local()
        || v4.is_broadcast()
        || v4.is_documentation()
        || v4.is_multicast()
        || v4.is_unspecified();
    let shared = a == 100 && (64..128).contains(&b);
    let assignments = (a, b, c) == (192, 0, 0);
    let benchmarking = a == 198 && (b == 18 || b == 19);
    let anycast = matches!(
        (a, b, c),
        (192, 31, 196) | (192, 52, 193) | (192, 88, 99) | (192, 175, 48)
    );
    !(special || shared || assignments || benchmarking || anycast || a == 0 || a >= 240)
}

fn is_global_v6(v6: Ipv6Addr) -> bool {
    let segments = v6.segments();
    let tail = Ipv4Addr::new(
        v6.octets()[12],
        v6.octets()[13],
        v6.octets()[14],
        v6.octets()[15],
    );
    if let [0, 0, 0, 0, 0, 0xffff, _, _] | [0x64, 0xff9b, 0, 0, 0, 0, _, _] = segments {
        return is_global_v4(tail);
    }
    let unicast = !(v6.is_loopback()
        || v6.is_unspecified()
        || v6.is_multicast()
        || v6.is_unique_local()
        || v6.is_unicast_link_local());
    let reserved = match segments {
        [0x2001, second, ..] => second < 0x200 || second == 0xdb8,
        [0x2620, 0x4f, 0x8000, ..] | [0x2002 | 0x3ffe, ..] => true,
        [0x3fff, second, ..] => second < 0x1000,
        [first, ..] => !(0x2000..0x4000).contains(&first),
    };
    unicast && !reserved
}
