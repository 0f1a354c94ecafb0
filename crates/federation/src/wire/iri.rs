//! Which server an address belongs to, and whether two addresses are the same.

use url::Url;

/// Bytes of an IRI; longer ones name nothing.
const MAX_IRI_BYTES: usize = 2048;

/// Parses a web address used as an id: `http` or `https`, with a host, without a password.
pub fn web_iri(text: &str) -> Option<Url> {
    // The parser would drop some of these characters: two texts for one thing.
    if text.len() > MAX_IRI_BYTES || text.contains(char::is_control) {
        return None;
    }
    let url = Url::parse(text).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.host_str().is_some();
    let is_plain = url.username().is_empty() && url.password().is_none();
    (is_web && is_plain).then_some(url)
}

/// Host and port, the latter unless it is the default: addresses on one server have the same authority.
pub fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// [`authority`] of a text, if it is a web address.
pub fn authority_of(iri: &str) -> Option<String> {
    web_iri(iri).as_ref().map(authority)
}

/// The host alone, without a port.
pub fn host_of(iri: &str) -> Option<String> {
    web_iri(iri)?.host_str().map(str::to_owned)
}

/// Whether both addresses are on one server; port and scheme count.
pub fn same_host(one: &str, other: &str) -> bool {
    match (web_iri(one), web_iri(other)) {
        (Some(one), Some(other)) => {
            one.scheme() == other.scheme() && authority(&one) == authority(&other)
        }
        _ => false,
    }
}

/// Whether both identify the same thing, however the host is written; the fragment counts.
pub fn same_iri(one: &str, other: &str) -> bool {
    match (web_iri(one), web_iri(other)) {
        (Some(one), Some(other)) => one == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_equal_when_only_the_host_is_written_differently() {
        assert!(same_iri("https://A.example/x", "https://a.example/x"));
        assert!(same_iri("https://a.example:443/x", "https://a.example/x"));
        assert!(!same_iri("https://a.example/x", "https://a.example/X"));
        assert!(!same_iri("https://a.example/x#a", "https://a.example/x"));
        assert!(!same_iri("http://a.example/x", "https://a.example/x"));
        assert!(!same_iri("a", "a"));
    }

    #[test]
    fn signs_that_nobody_sees_are_in_no_address() {
        for sign in ['\0', '\t', '\n', '\r', '\u{1b}', '\u{7f}', '\u{85}'] {
            for text in [
                format!("https://a.example/x{sign}"),
                format!("{sign}https://a.example/x"),
                format!("https://a.exa{sign}mple/x"),
            ] {
                assert!(web_iri(&text).is_none(), "{text:?}");
            }
        }
    }

    #[test]
    fn the_port_is_part_of_a_server() {
        assert!(same_host("https://a.example/1", "https://A.example:443/2"));
        assert!(!same_host(
            "https://a.example/1",
            "https://a.example:8443/1"
        ));
        assert!(!same_host("http://a.example/1", "https://a.example/1"));
        assert!(!same_host("acct:a@a.example", "acct:a@a.example"));
        assert_eq!(
            authority_of("https://a.example:8443/x").unwrap(),
            "a.example:8443"
        );
        assert_eq!(authority_of("https://user@a.example/x"), None);
    }
}
