//! Rate limits per address for operations that cost us or others something. That of logins is `access::throttle`, that of
//! chat lines `chat::rate_limit`.

use std::net::IpAddr;
use std::time::Duration;

use model::address::network;
use model::rate_limit::{Rate, RateLimiter};

const MINUTE: Duration = Duration::from_secs(60);
/// Limit (viewers): attempts from one address to follow, and to sign in with a Fediverse account; further ones get 429.
const QUESTIONS: Rate = Rate::new(5, MINUTE);
/// Limit (viewers): links for moderators that are tried from one address; further ones get 429.
const INVITATIONS: Rate = Rate::new(10, MINUTE);
/// Limit (fediverse): documents read from one address; further requests get 429. A busy server reads a few of ours a
/// day, so this stops only programs that run in a circle.
const FEDERATION_READS: Rate = Rate::new(300, MINUTE);
/// Limit (viewers): new chatters from one address; further ones get 429. A whole school gets in, a machine that makes
/// accounts does not.
const REGISTRATIONS: Rate = Rate::new(60, MINUTE);

/// Limit (viewers): visits of the page from one address that are counted by where they came from; further ones are left
/// out. Nobody fills that list alone.
const COUNTED_VISITS: Rate = Rate::new(10, Duration::from_secs(600));

/// One limiter per operation.
#[derive(Debug)]
pub(crate) struct RateLimits {
    /// Remote follows, which make this server contact another one.
    pub(crate) follow: AddressLimiter,
    /// Sign-in codes, which make this server send to another one.
    pub(crate) codes: AddressLimiter,
    /// Reads of federation documents.
    pub(crate) federation_reads: AddressLimiter,
    /// New chat users.
    pub(crate) registrations: AddressLimiter,
    /// Links that make somebody a moderator: a wrong one is a guess.
    pub(crate) invitations: AddressLimiter,
    /// Visits that are counted by where they came from.
    pub(crate) counted_visits: AddressLimiter,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            follow: AddressLimiter::of_all(QUESTIONS),
            codes: AddressLimiter::of_all(QUESTIONS),
            federation_reads: AddressLimiter::of_the_outside(FEDERATION_READS),
            registrations: AddressLimiter::of_the_outside(REGISTRATIONS),
            invitations: AddressLimiter::of_all(INVITATIONS),
            counted_visits: AddressLimiter::of_the_outside(COUNTED_VISITS),
        }
    }
}

/// Limits what one address does, or one IPv6 network.
#[derive(Debug)]
pub(crate) struct AddressLimiter {
    rate: Rate,
    counts_loopback: bool,
    limiter: RateLimiter<IpAddr>,
}

impl AddressLimiter {
    /// Loopback counts like any other address: the limit protects others, so an unconfigured proxy does not lift it.
    fn of_all(rate: Rate) -> Self {
        Self {
            rate,
            counts_loopback: true,
            limiter: RateLimiter::default(),
        }
    }

    /// Loopback is exempt: it is a proxy that is not configured, and the whole world comes from there.
    fn of_the_outside(rate: Rate) -> Self {
        Self {
            counts_loopback: false,
            ..Self::of_all(rate)
        }
    }

    /// Counts one operation; the error is how long to wait.
    pub(crate) fn admit(&self, address: IpAddr, now: Duration) -> Result<(), Duration> {
        if !self.counts_loopback && address.to_canonical().is_loopback() {
            return Ok(());
        }
        self.limiter.take(&network(address), 1, self.rate, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(
        limiter: &AddressLimiter,
        addresses: impl IntoIterator<Item = IpAddr>,
        now: Duration,
    ) -> usize {
        let admitted = addresses.into_iter();
        admitted
            .filter(|address| limiter.admit(*address, now).is_ok())
            .count()
    }

    fn many_times(address: [u8; 4]) -> impl Iterator<Item = IpAddr> {
        std::iter::repeat_n(IpAddr::from(address), 1_000)
    }

    #[test]
    fn an_address_makes_us_ask_others_five_times_a_minute() {
        let limits = RateLimits::default();
        for limiter in [&limits.follow, &limits.codes] {
            assert_eq!(admitted(limiter, many_times([192, 0, 2, 1]), MINUTE), 5);
            assert_eq!(admitted(limiter, many_times([127, 0, 0, 1]), MINUTE), 5);
        }
    }

    #[test]
    fn an_address_reads_three_hundred_documents_a_minute() {
        let reads = RateLimits::default().federation_reads;
        let address = [192, 0, 2, 1];
        assert_eq!(admitted(&reads, many_times(address), MINUTE), 300);
        assert_eq!(admitted(&reads, many_times(address), MINUTE * 2), 300);
        assert_eq!(admitted(&reads, many_times([192, 0, 2, 2]), MINUTE), 300);
        assert_eq!(admitted(&reads, many_times([127, 0, 0, 1]), MINUTE), 1_000);
    }

    #[test]
    fn a_crowd_comes_in_and_a_machine_does_not() {
        let registrations = RateLimits::default().registrations;
        let address = [192, 0, 2, 1];
        assert_eq!(admitted(&registrations, many_times(address), MINUTE), 60);
        let wait = registrations.admit(IpAddr::from(address), MINUTE);
        assert_eq!(wait, Err(Duration::from_secs(1)));
    }

    #[test]
    fn an_address_tries_ten_invitations_a_minute_even_a_local_one() {
        let invitations = RateLimits::default().invitations;
        for address in [[192, 0, 2, 1], [127, 0, 0, 1]] {
            assert_eq!(admitted(&invitations, many_times(address), MINUTE), 10);
        }
    }

    #[test]
    fn a_whole_ipv6_network_counts_as_one() {
        let limits = RateLimits::default();
        let hosts = (0..100u16).map(|host| IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, host]));
        assert_eq!(admitted(&limits.follow, hosts, MINUTE), 5);
    }
}
