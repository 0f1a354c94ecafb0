//! Properties of the address table against an independent oracle.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use outbound::fuzzing::is_global;
use outbound::guard::{Reach, reach};
use proptest::prelude::*;

/// Any IPv4 address, with a good share close to the edges of special blocks.
fn v4() -> impl Strategy<Value = Ipv4Addr> {
    let first = prop::sample::select(vec![
        0u8, 10, 100, 127, 168, 169, 172, 192, 198, 203, 224, 240, 255,
    ]);
    let second = prop::sample::select(vec![0u8, 16, 18, 31, 51, 52, 64, 88, 168, 175, 254]);
    prop_oneof![
        any::<u32>().prop_map(Ipv4Addr::from),
        (first.clone(), any::<[u8; 3]>()).prop_map(|(a, [b, c, d])| Ipv4Addr::new(a, b, c, d)),
        (first, second, any::<[u8; 2]>()).prop_map(|(a, b, [c, d])| Ipv4Addr::new(a, b, c, d)),
    ]
}

/// Any IPv6 address, with a good share inside special prefixes.
fn v6() -> impl Strategy<Value = Ipv6Addr> {
    let prefix = prop::sample::select(vec![
        (0u128, 80),
        (0x2001 << 112, 16),
        (0x2001_0000 << 96, 32),
        (0x2001_0db8 << 96, 32),
        (0x2002 << 112, 16),
        (0x2620_004f_8000 << 80, 48),
        (0x3fff << 112, 20),
        (0x3ffe << 112, 16),
        (0x0064_ff9b << 96, 64),
        (0xfc << 120, 7),
        (0xfe80 << 112, 10),
        (0xff << 120, 8),
        (0x2 << 124, 3),
    ]);
    prop_oneof![
        any::<u128>().prop_map(Ipv6Addr::from),
        (prefix, any::<u128>())
            .prop_map(|((head, bits), rest)| Ipv6Addr::from(head | (rest >> bits))),
    ]
}

/// Every form in which an IPv6 address carries an IPv4 one.
fn forms(v4: Ipv4Addr) -> Vec<Ipv6Addr> {
    let [a, b] = [(v4.to_bits() >> 16) as u16, v4.to_bits() as u16];
    let [x, y] = [!a, !b];
    vec![
        Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, a, b),
        Ipv6Addr::new(0, 0, 0, 0, 0, 0, a, b),
        Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, a, b),
        Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, a, b),
        Ipv6Addr::new(0x64, 0xff9b, 1, a, b >> 8, b << 8, 0, 0),
        Ipv6Addr::new(0x2002, a, b, 0, 0, 0, 0, 1),
        Ipv6Addr::new(0x2001, 0, a, b, 0, 0, 0xf7f7, 0xf7f7),
        Ipv6Addr::new(0x2001, 0, 0x0808, 0x0808, 0, 0, x, y),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_ipv4_address_is_public_that_the_oracle_calls_special(address in v4()) {
        if reach(address.into()) == Reach::Public {
            prop_assert!(is_global(address.into()), "{address}");
        }
    }

    #[test]
    fn no_ipv6_address_is_public_that_the_oracle_calls_special(address in v6()) {
        if reach(address.into()) == Reach::Public {
            prop_assert!(is_global(address.into()), "{address}");
        }
    }

    #[test]
    fn no_embedded_form_opens_what_the_inner_address_closes(inner in v4()) {
        for form in forms(inner) {
            let outer = reach(form.into());
            prop_assert!(outer >= reach(inner.into()), "{form} embeds {inner}");
        }
    }

    #[test]
    fn what_the_oracle_calls_global_is_public(address in prop_oneof![v4().prop_map(IpAddr::V4), v6().prop_map(IpAddr::V6)]) {
        // The guard blocks a few addresses of hosting platforms that are public on paper.
        let is_platform = address.to_canonical() == IpAddr::from([168, 63, 129, 16])
            || matches!(address, IpAddr::V6(v6) if outbound::guard::embedded_v4(v6).contains(&Some(Ipv4Addr::new(168, 63, 129, 16))));
        if is_global(address) && !is_platform {
            prop_assert_eq!(reach(address), Reach::Public, "{}", address);
        }
    }
}
