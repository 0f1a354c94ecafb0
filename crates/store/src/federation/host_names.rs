//! Names of hosts, as they stand in addresses.

/// The authority of an address: lower case, with its port if it names one. Stored addresses were checked before.
pub fn host_of(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    host.to_ascii_lowercase()
}

/// Whether a host is this domain or a subdomain of it.
pub(super) fn is_within(host: &str, domain: &str) -> bool {
    let name = host.split(':').next().unwrap_or(host);
    name == domain
        || name
            .strip_suffix(domain)
            .is_some_and(|rest| rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::{host_of, is_within};

    #[test]
    fn a_host_is_read_from_an_address() {
        for (address, host) in [
            ("https://Remote.Example/users/alice", "remote.example"),
            (
                "https://remote.example:8443/inbox?x=/",
                "remote.example:8443",
            ),
            ("https://remote.example", "remote.example"),
            ("https://u@remote.example#x", "remote.example"),
        ] {
            assert_eq!(host_of(address), host);
        }
    }

    // Case 63 of docs/federation-cases.md.
    #[test]
    fn a_domain_covers_what_is_below_it_and_nothing_beside_it() {
        assert!(is_within("example.com", "example.com"));
        assert!(is_within("a.example.com", "example.com"));
        assert!(is_within("a.example.com:8443", "example.com"));
        assert!(!is_within("notexample.com", "example.com"));
        assert!(!is_within("example.com.evil", "example.com"));
    }
}
