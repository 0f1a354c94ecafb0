//! What a host may look like before it is resolved.
//!
//! The URL parser has already done the dangerous part: for http and https it turns every spelling
//! of an IPv4 address (decimal, hexadecimal, octal, short, percent-encoded, full-width, trailing
//! dot) into an address, and international names into ASCII.
//! So a literal is recognised by type, never by pattern; the checks on text that follow are a
//! second line for names that a resolver library might still read as an address.

use url::Host;

use crate::error::RefusalReason;
use crate::guard::address::{Reach, reach};

/// Longest host name, by the DNS itself (RFC 1035 2.3.4).
const MAX_NAME_BYTES: usize = 253;
/// Longest label of a host name, by the DNS itself (RFC 1035 2.3.4).
const MAX_LABEL_BYTES: usize = 63;

/// Last labels that name something on the operator's own network.
const INTERNAL_SUFFIXES: [&str; 9] = [
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
];
/// Last labels that no resolver should ever be asked about.
const NEVER_SUFFIXES: [&str; 5] = ["arpa", "onion", "i2p", "alt", "invalid"];
/// The one name under `arpa` that means a network at home (RFC 8375).
const HOME_NETWORK: &str = "home.arpa";

/// Checks a parsed host against the caller's reach.
pub(super) fn check(
    host: &Host<&str>,
    allowed: Reach,
    takes_literals: bool,
) -> Result<(), RefusalReason> {
    match host {
        Host::Ipv4(v4) => check_literal((*v4).into(), allowed, takes_literals),
        Host::Ipv6(v6) => check_literal((*v6).into(), allowed, takes_literals),
        Host::Domain(name) => check_name(name, allowed),
    }
}

/// Literals are only for the operator's own network and for individually allowed addresses; strangers are addressed by
/// name.
fn check_literal(
    address: std::net::IpAddr,
    allowed: Reach,
    takes_literals: bool,
) -> Result<(), RefusalReason> {
    if !takes_literals {
        return Err(RefusalReason::AddressLiteral);
    }
    if reach(address) > allowed {
        return Err(RefusalReason::Address(address));
    }
    Ok(())
}

fn check_name(name: &str, allowed: Reach) -> Result<(), RefusalReason> {
    if name.len() > MAX_NAME_BYTES || !name.split('.').all(is_label) {
        return Err(RefusalReason::MalformedHost);
    }
    let last = name.rsplit('.').next().unwrap_or(name);
    if looks_numeric(last) {
        return Err(RefusalReason::MalformedHost);
    }
    let is_home = name == HOME_NETWORK || name.ends_with(".home.arpa");
    if NEVER_SUFFIXES.contains(&last) && !is_home {
        return Err(RefusalReason::ReservedName);
    }
    let is_internal = is_home || INTERNAL_SUFFIXES.contains(&last) || !name.contains('.');
    if is_internal && allowed == Reach::Public {
        return Err(RefusalReason::InternalName);
    }
    Ok(())
}

fn is_label(label: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    !label.is_empty() && label.len() <= MAX_LABEL_BYTES && label.bytes().all(is_plain)
}

/// Whether some resolver could read a name with this last label as an IPv4 address.
/// Every real top-level label has a letter in it.
fn looks_numeric(label: &str) -> bool {
    let has_letter = label.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_hexadecimal = label
        .strip_prefix("0x")
        .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    !has_letter || is_hexadecimal
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn name(text: &str, allowed: Reach) -> Result<(), RefusalReason> {
        check(&Host::Domain(text), allowed, allowed != Reach::Public)
    }

    #[test]
    fn refuses_names_of_the_own_network_unless_opted_in() {
        for text in [
            "localhost",
            "a.localhost",
            "peer",
            "nas.local",
            "metadata.google.internal",
            "x.lan",
            "x.home",
            "x.corp",
            "x.intranet",
            "x.private",
            "x.localdomain",
            "home.arpa",
            "nas.home.arpa",
        ] {
            assert_eq!(
                name(text, Reach::Public),
                Err(RefusalReason::InternalName),
                "{text}"
            );
            assert_eq!(name(text, Reach::Internal), Ok(()), "{text}");
        }
    }

    #[test]
    fn refuses_names_that_must_not_be_resolved_even_with_opt_in() {
        for text in [
            "x.onion",
            "x.i2p",
            "x.alt",
            "x.invalid",
            "1.0.0.127.in-addr.arpa",
            "nothome.arpa",
        ] {
            assert_eq!(
                name(text, Reach::Public),
                Err(RefusalReason::ReservedName),
                "{text}"
            );
            assert_eq!(
                name(text, Reach::Internal),
                Err(RefusalReason::ReservedName),
                "{text}"
            );
        }
    }

    #[test]
    fn refuses_names_a_resolver_might_read_as_an_address() {
        for text in [
            "127.0.0.1",
            "127.1",
            "peer.0x7f",
            "peer.1-",
            "peer._",
            "peer.1_0",
            "peer.1",
            "0x",
            "peer.0x",
            "1",
        ] {
            assert_eq!(
                name(text, Reach::Internal),
                Err(RefusalReason::MalformedHost),
                "{text}"
            );
        }
        for text in [
            "1.peer.example",
            "0x7f.example",
            "peer.0xyz",
            "127.0.0.1.nip.example",
        ] {
            assert_eq!(name(text, Reach::Public), Ok(()), "{text}");
        }
    }

    #[test]
    fn refuses_malformed_names() {
        let long_label = format!("{}.example", "a".repeat(64));
        let long_name = format!("{}.example", vec!["abcdefghi"; 25].join("."));
        for text in [
            "",
            ".",
            "peer.example.",
            "peer..example",
            ".peer.example",
            "pe%72.example",
            "peer.exa mple",
            "Peer.example",
            "peer.example:80",
            "a@b.example",
            &long_label,
            &long_name,
        ] {
            assert_eq!(
                name(text, Reach::Public),
                Err(RefusalReason::MalformedHost),
                "{text}"
            );
        }
        let longest_label = format!("{}.example", "a".repeat(63));
        assert_eq!(name(&longest_label, Reach::Public), Ok(()));
    }

    #[test]
    fn literals_need_the_opt_in_and_still_obey_the_table() {
        let check_v4 = |text: &str, allowed| {
            check(
                &Host::Ipv4(text.parse().unwrap()),
                allowed,
                allowed != Reach::Public,
            )
        };
        assert_eq!(
            check_v4("8.8.8.8", Reach::Public),
            Err(RefusalReason::AddressLiteral)
        );
        assert_eq!(
            check_v4("10.0.0.1", Reach::Public),
            Err(RefusalReason::AddressLiteral)
        );
        assert_eq!(check_v4("10.0.0.1", Reach::Internal), Ok(()));
        let metadata = "169.254.169.254";
        assert_eq!(
            check_v4(metadata, Reach::Internal),
            Err(RefusalReason::Address(metadata.parse().unwrap()))
        );
        let v6 = Host::Ipv6("::ffff:0.0.0.0".parse().unwrap());
        assert!(matches!(
            check(&v6, Reach::Internal, true),
            Err(RefusalReason::Address(_))
        ));
    }
}
