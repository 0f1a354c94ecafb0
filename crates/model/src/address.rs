//! The client's address behind trusted proxies, and what counts as one address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The address of the client of a request, given the TCP peer and the `X-Forwarded-For` values.
///
/// The header is trusted only when the peer itself is a trusted proxy; then the list is read from the right, and the
/// first address that is not a trusted proxy is the client. Anything unreadable ends the search: whatever is to the
/// left of it comes from an unknown sender.
pub fn client_address<'a>(
    peer: IpAddr,
    forwarded_for: impl DoubleEndedIterator<Item = &'a str>,
    is_trusted: impl Fn(IpAddr) -> bool,
) -> IpAddr {
    let mut client = peer.to_canonical();
    for entry in forwarded_for.rev().flat_map(|value| value.rsplit(',')) {
        if !is_trusted(client) {
            return client;
        }
        match parse_entry(entry) {
            Some(address) => client = address,
            None => return client,
        }
    }
    client
}

/// What counts as one address for limits: an IPv4 address, or the /64 that an IPv6 household or server
/// usually has to itself.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if !v6.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX)))
        }
        other => other,
    }
}

/// The network that usually has one owner: the /24 around an IPv4 address, the /48 around an IPv6 address.
pub fn neighbourhood(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() & !0xff)),
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> 80 << 80)),
    }
}

/// One list entry: an address, possibly bracketed or with a port.
fn parse_entry(entry: &str) -> Option<IpAddr> {
    let entry = entry.trim();
    let address = entry
        .parse::<IpAddr>()
        .or_else(|_| {
            entry
                .parse::<std::net::SocketAddr>()
                .map(|socket| socket.ip())
        })
        .or_else(|_| entry.trim_matches(['[', ']']).parse::<IpAddr>());
    address.ok().map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, header: &[&str]) -> String {
        let trusted = |ip: IpAddr| ip.is_loopback() || ip.to_string().starts_with("10.");
        client_address(peer.parse().unwrap(), header.iter().copied(), trusted).to_string()
    }

    #[test]
    fn a_stranger_cannot_choose_its_address() {
        assert_eq!(client("203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
    }

    #[test]
    fn a_trusted_proxy_names_its_client() {
        assert_eq!(client("127.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(
            client("127.0.0.1", &["6.6.6.6, 198.51.100.1, 10.0.0.7"]),
            "198.51.100.1"
        );
        assert_eq!(
            client("127.0.0.1", &["6.6.6.6", "198.51.100.1:4711"]),
            "198.51.100.1"
        );
        assert_eq!(
            client("::ffff:127.0.0.1", &["[2001:db8::1]:443"]),
            "2001:db8::1"
        );
    }

    #[test]
    fn a_whole_ipv6_network_counts_as_one_address() {
        let network = |text: &str| network(text.parse().unwrap()).to_string();
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(network("::ffff:192.0.2.1"), "192.0.2.1");
        assert_eq!(network("::1"), "::1");
    }

    #[test]
    fn a_neighbourhood_is_a_24_of_ipv4_or_a_48_of_ipv6() {
        let around = |text: &str| neighbourhood(text.parse().unwrap()).to_string();
        assert_eq!(around("192.0.2.77"), "192.0.2.0");
        assert_eq!(around("::ffff:192.0.2.77"), "192.0.2.0");
        assert_eq!(around("2001:db8:1:2:3:4:5:6"), "2001:db8:1::");
    }

    #[test]
    fn unreadable_entries_end_the_walk() {
        assert_eq!(client("127.0.0.1", &["198.51.100.1, unknown"]), "127.0.0.1");
        assert_eq!(client("127.0.0.1", &[]), "127.0.0.1");
    }
    proptest::proptest! {
        #[test]
        fn whatever_the_header_says_a_stranger_stays_who_they_are(lines in proptest::collection::vec("\\PC{0,60}", 0..5)) {
            let peer: IpAddr = "203.0.113.9".parse().unwrap();
            let lines = lines.iter().map(String::as_str);
            proptest::prop_assert_eq!(client_address(peer, lines, |_| false), peer);
        }

        #[test]
        fn the_client_is_never_left_of_an_entry_that_is_not_trusted(left in "[0-9a-f.:, ]{0,40}") {
            let line = format!("{left},198.51.100.7, 10.0.0.1");
            proptest::prop_assert_eq!(client("10.9.9.9", &[&line]), "198.51.100.7");
        }
    }
}
