//! The address table: IANA's special-purpose registries for IPv4 and IPv6, spelled out.
//!
//! IPv4 is open except for what the registry reserves; IPv6 is closed except for `2000::/3`, inside which reserved
//! blocks are closed again.
//! Forms of IPv6 that carry an IPv4 address (mapped, compatible, 6to4, NAT64, Teredo) are unwrapped first: exactly
//! these have bypassed the guards of other servers.
//! Blocks whose registry entry says "globally reachable" but that serve no web (AS112, AMT,
//! ORCHID) are refused as well.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How far an address reaches; the order is from harmless to forbidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Unicast on the public internet.
    Public,
    /// This machine or the operator's own network; contacted only if the operator opts in.
    Internal,
    /// Never contacted: multicast, reserved, link-local, platform metadata services.
    Never,
}

/// IPv4 blocks that are not public.
/// The last two are no registry entries: they are where hosting platforms answer with credentials.
const V4_BLOCKS: [(Ipv4Addr, u32, Reach); 20] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, Reach::Never), // "this network"; 0.0.0.0 reaches loopback
    (Ipv4Addr::new(10, 0, 0, 0), 8, Reach::Internal), // private use
    (Ipv4Addr::new(100, 64, 0, 0), 10, Reach::Internal), // shared address space, overlay networks
    (Ipv4Addr::new(127, 0, 0, 0), 8, Reach::Internal), // loopback
    (Ipv4Addr::new(169, 254, 0, 0), 16, Reach::Never), // link-local, metadata services
    (Ipv4Addr::new(172, 16, 0, 0), 12, Reach::Internal), // private use
    (Ipv4Addr::new(192, 0, 0, 0), 24, Reach::Never), // IETF protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24, Reach::Never), // documentation
    (Ipv4Addr::new(192, 31, 196, 0), 24, Reach::Never), // AS112
    (Ipv4Addr::new(192, 52, 193, 0), 24, Reach::Never), // AMT
    (Ipv4Addr::new(192, 88, 99, 0), 24, Reach::Never), // 6to4 relay anycast, deprecated
    (Ipv4Addr::new(192, 168, 0, 0), 16, Reach::Internal), // private use
    (Ipv4Addr::new(192, 175, 48, 0), 24, Reach::Never), // AS112
    (Ipv4Addr::new(198, 18, 0, 0), 15, Reach::Never), // benchmarking
    (Ipv4Addr::new(198, 51, 100, 0), 24, Reach::Never), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24, Reach::Never), // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4, Reach::Never), // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4, Reach::Never), // reserved, broadcast
    (Ipv4Addr::new(100, 100, 100, 200), 32, Reach::Never), // metadata service (Alibaba)
    (Ipv4Addr::new(168, 63, 129, 16), 32, Reach::Never), // platform agent (Azure)
];

/// The only part of IPv6 that is handed out to the public.
const V6_GLOBAL_UNICAST: (Ipv6Addr, u32) = (v6(0x2000, 0, 0), 3);

/// IPv6 blocks outside the public part that an operator may open.
const V6_INTERNAL: [(Ipv6Addr, u32); 2] = [
    (Ipv6Addr::LOCALHOST, 128),
    (v6(0xfc00, 0, 0), 7), // unique local
];

/// IPv6 blocks that are refused although a wider rule would admit them.
const V6_NEVER: [(Ipv6Addr, u32); 8] = [
    (v6(0x2001, 0, 0), 23),     // IETF protocol assignments, Teredo, ORCHID, AMT
    (v6(0x2001, 0xdb8, 0), 32), // documentation
    (v6(0x2002, 0, 0), 16),     // 6to4
    (v6(0x2620, 0x4f, 0x8000), 48), // AS112
    (v6(0x3ffe, 0, 0), 16),     // returned 6bone space, early Teredo
    (v6(0x3fff, 0, 0), 20),     // documentation
    (Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), 128), // metadata service (AWS)
    (Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254), 128), // metadata service (Google)
];

const NAT64: (Ipv6Addr, u32) = (v6(0x64, 0xff9b, 0), 96);
const NAT64_LOCAL: (Ipv6Addr, u32) = (v6(0x64, 0xff9b, 1), 48);
const SIX_TO_FOUR: (Ipv6Addr, u32) = (v6(0x2002, 0, 0), 16);
const TEREDO: (Ipv6Addr, u32) = (v6(0x2001, 0, 0), 32);
const V4_COMPATIBLE: (Ipv6Addr, u32) = (Ipv6Addr::UNSPECIFIED, 96);

const fn v6(a: u16, b: u16, c: u16) -> Ipv6Addr {
    Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0)
}

/// How far an address reaches.
#[must_use]
pub fn reach(address: IpAddr) -> Reach {
    match address {
        IpAddr::V4(v4) => reach_v4(v4),
        IpAddr::V6(v6) => reach_v6(v6),
    }
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    // Blocks overlap; the strictest one that matches wins.
    V4_BLOCKS
        .iter()
        .filter(|(net, bits, _)| same_prefix_v4(address, *net, *bits))
        .map(|(_, _, reach)| *reach)
        .max()
        .unwrap_or(Reach::Public)
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    if let Some(v4) = address.to_ipv4_mapped() {
        return reach_v4(v4);
    }
    let embedded = embedded_v4(address);
    let all_public = embedded
        .iter()
        .flatten()
        .all(|v4| reach_v4(*v4) == Reach::Public);
    if !all_public {
        return Reach::Never;
    }
    // On IPv6-only hosts the resolver answers with this prefix for every IPv4 peer.
    if inside(address, NAT64) {
        return Reach::Public;
    }
    if V6_NEVER.iter().any(|block| inside(address, *block)) {
        return Reach::Never;
    }
    if V6_INTERNAL.iter().any(|block| inside(address, *block)) {
        return Reach::Internal;
    }
    if inside(address, V6_GLOBAL_UNICAST) {
        return Reach::Public;
    }
    Reach::Never
}

/// The IPv4 addresses an IPv6 address carries, whatever the form.
///
/// Teredo carries two (relay server and client), local-use NAT64 may carry one in either of two
/// places; every other form carries one.
#[must_use]
pub fn embedded_v4(address: Ipv6Addr) -> [Option<Ipv4Addr>; 2] {
    let bits = address.to_bits();
    let last = v4_at(bits, 96);
    if address.to_ipv4_mapped().is_some() || inside(address, NAT64) {
        return [Some(last), None];
    }
    if inside(address, SIX_TO_FOUR) {
        return [Some(v4_at(bits, 16)), None];
    }
    if inside(address, TEREDO) {
        // The client's address is stored inverted (RFC 4380 4).
        return [Some(v4_at(bits, 32)), Some(v4_at(!bits, 96))];
    }
    if inside(address, NAT64_LOCAL) {
        // A /48 prefix splits the address around the reserved octet 64..72 (RFC 6052 2.2).
        let head = v4_at(bits, 48).to_bits() & 0xffff_0000;
        let tail = v4_at(bits, 72).to_bits() >> 16;
        return [Some(last), Some(Ipv4Addr::from_bits(head | tail))];
    }
    let is_compatible = inside(address, V4_COMPATIBLE) && bits > 1;
    if is_compatible {
        return [Some(last), None];
    }
    [None, None]
}

/// Thirty-two bits of an IPv6 address, counted from the front.
fn v4_at(bits: u128, start: u32) -> Ipv4Addr {
    let window = (bits >> (96 - start)) & u128::from(u32::MAX);
    Ipv4Addr::from_bits(u32::try_from(window).unwrap_or(0))
}

fn same_prefix_v4(address: Ipv4Addr, net: Ipv4Addr, prefix: u32) -> bool {
    (address.to_bits() ^ net.to_bits()) >> (32 - prefix) == 0
}

fn inside(address: Ipv6Addr, (net, prefix): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ net.to_bits()) >> (128 - prefix) == 0
}

#[cfg(test)]
mod tests;
