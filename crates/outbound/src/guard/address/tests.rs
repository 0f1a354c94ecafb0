//! Every row of the table, tested at its first, last and neighbouring addresses.

#![allow(clippy::unwrap_used)]

use super::*;

fn of(text: &str) -> Reach {
    reach(text.parse().unwrap())
}

fn expect(wanted: Reach, texts: &[&str]) {
    for text in texts {
        assert_eq!(of(text), wanted, "{text}");
    }
}

#[test]
fn each_ipv4_block_ends_where_the_registry_says() {
    use Reach::{Internal, Never, Public};
    // (address before, first, last, address after), and the reach of the block itself.
    let rows = [
        (None, "0.0.0.0", "0.255.255.255", Some("1.0.0.0"), Never),
        (
            Some("9.255.255.255"),
            "10.0.0.0",
            "10.255.255.255",
            Some("11.0.0.0"),
            Internal,
        ),
        (
            Some("100.63.255.255"),
            "100.64.0.0",
            "100.127.255.255",
            Some("100.128.0.0"),
            Internal,
        ),
        (
            Some("126.255.255.255"),
            "127.0.0.0",
            "127.255.255.255",
            Some("128.0.0.0"),
            Internal,
        ),
        (
            Some("169.253.255.255"),
            "169.254.0.0",
            "169.254.255.255",
            Some("169.255.0.0"),
            Never,
        ),
        (
            Some("172.15.255.255"),
            "172.16.0.0",
            "172.31.255.255",
            Some("172.32.0.0"),
            Internal,
        ),
        (
            Some("191.255.255.255"),
            "192.0.0.0",
            "192.0.0.255",
            Some("192.0.1.0"),
            Never,
        ),
        (
            Some("192.0.1.255"),
            "192.0.2.0",
            "192.0.2.255",
            Some("192.0.3.0"),
            Never,
        ),
        (
            Some("192.31.195.255"),
            "192.31.196.0",
            "192.31.196.255",
            Some("192.31.197.0"),
            Never,
        ),
        (
            Some("192.52.192.255"),
            "192.52.193.0",
            "192.52.193.255",
            Some("192.52.194.0"),
            Never,
        ),
        (
            Some("192.88.98.255"),
            "192.88.99.0",
            "192.88.99.255",
            Some("192.88.100.0"),
            Never,
        ),
        (
            Some("192.167.255.255"),
            "192.168.0.0",
            "192.168.255.255",
            Some("192.169.0.0"),
            Internal,
        ),
        (
            Some("192.175.47.255"),
            "192.175.48.0",
            "192.175.48.255",
            Some("192.175.49.0"),
            Never,
        ),
        (
            Some("198.17.255.255"),
            "198.18.0.0",
            "198.19.255.255",
            Some("198.20.0.0"),
            Never,
        ),
        (
            Some("198.51.99.255"),
            "198.51.100.0",
            "198.51.100.255",
            Some("198.51.101.0"),
            Never,
        ),
        (
            Some("203.0.112.255"),
            "203.0.113.0",
            "203.0.113.255",
            Some("203.0.114.0"),
            Never,
        ),
        (
            Some("223.255.255.255"),
            "224.0.0.0",
            "239.255.255.255",
            None,
            Never,
        ),
        (None, "240.0.0.0", "255.255.255.255", None, Never),
        (
            Some("168.63.129.15"),
            "168.63.129.16",
            "168.63.129.16",
            Some("168.63.129.17"),
            Never,
        ),
    ];
    for (before, first, last, after, wanted) in rows {
        assert_eq!(of(first), wanted, "{first}");
        assert_eq!(of(last), wanted, "{last}");
        for neighbour in [before, after].into_iter().flatten() {
            assert_eq!(of(neighbour), Public, "{neighbour}");
        }
    }
}

#[test]
fn platform_metadata_services_stay_closed_even_to_an_operator_who_opts_in() {
    expect(
        Reach::Never,
        &[
            "169.254.169.254",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "fd00:ec2::254",
            "fd20:ce::254",
            "::ffff:169.254.169.254",
        ],
    );
    expect(
        Reach::Internal,
        &[
            "100.100.100.199",
            "100.100.100.201",
            "fd00:ec2::253",
            "fd00:ec2::255",
            "fd20:ce::253",
        ],
    );
}

#[test]
fn ipv6_is_closed_outside_global_unicast() {
    expect(
        Reach::Never,
        &[
            "::",
            "::2",
            "100::1",
            "100:0:0:1::1",
            "1fff:ffff::1",
            "4000::1",
            "5f00::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "fe00::1",
            "ff02::1",
            "ff0e::1",
        ],
    );
    expect(Reach::Internal, &["::1", "fc00::1", "fdff:ffff::1"]);
    expect(
        Reach::Public,
        &[
            "2000::1",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2606:4700::1111",
            "2a00:1450::1",
            "3ffd::1",
            "3fff:1000::1",
        ],
    );
}

#[test]
fn reserved_parts_of_global_unicast_are_refused() {
    expect(
        Reach::Never,
        &[
            "2001::1",
            "2001:1::1",
            "2001:20::1",
            "2001:1ff:ffff::1",
            "2001:db8::1",
            "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            "2002::1",
            "2002:808:808::1",
            "2620:4f:8000::1",
            "2620:4f:8000:ffff::1",
            "3ffe::1",
            "3ffe:831f::1",
            "3fff::1",
            "3fff:fff:ffff::1",
        ],
    );
    expect(
        Reach::Public,
        &[
            "2001:db7:ffff::1",
            "2001:db9::1",
            "2003::1",
            "2620:4f:7fff::1",
            "2620:4f:8001::1",
        ],
    );
}

#[test]
fn embedded_ipv4_addresses_are_found() {
    let inner = Ipv4Addr::new(127, 0, 0, 1);
    for text in [
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b:1::127.0.0.1",
        "64:ff9b:1:7f00:0:100::",
        "2002:7f00:1::",
        "2001:0:808:808::80ff:fffe",
        "2001:0:7f00:1::f7f7:f7f7",
    ] {
        let found = embedded_v4(text.parse().unwrap());
        assert!(found.contains(&Some(inner)), "{text}: {found:?}");
        let wanted = if text.starts_with("::ffff") {
            Reach::Internal
        } else {
            Reach::Never
        };
        assert_eq!(of(text), wanted, "{text}");
    }
    for text in [
        "::",
        "::1",
        "2606:4700::1111",
        "fe80::1",
        "64:ff9b:2::1",
        "2003::1",
    ] {
        assert_eq!(embedded_v4(text.parse().unwrap()), [None, None], "{text}");
    }
}

#[test]
fn only_forms_that_really_reach_ipv4_peers_are_public() {
    expect(Reach::Public, &["::ffff:8.8.8.8", "64:ff9b::8.8.8.8"]);
    expect(
        Reach::Never,
        &[
            "::8.8.8.8",
            "64:ff9b:1::8.8.8.8",
            "64:ff9b::1:0:808:808",
            "2002:808:808::",
            "64:ff9b::10.0.0.1",
        ],
    );
    expect(Reach::Internal, &["::ffff:10.0.0.1"]);
}
