//! The rate limit on failed logins (password guesses), per address and per account. `web` answers 429 to those it refuses.

use std::collections::{HashMap, HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use model::address::network;

/// Limit (clients): wrong passwords from one address within [`WINDOW`]; then one attempt per [`SLOW_INTERVAL`] is let
/// through and the others get 429.
const FREE_FAILURES: usize = 5;
/// How long a failure counts.
const WINDOW: Duration = Duration::from_secs(15 * 60);
/// After that, one try per this long.
const SLOW_INTERVAL: Duration = Duration::from_secs(30);
/// Addresses remembered; beyond that the one seen longest ago is forgotten, so memory is bounded.
pub const MAX_TRACKED_ADDRESSES: usize = 10_000;

/// Counts failures; cheap enough to ask before any hashing.
#[derive(Debug, Default)]
pub struct Throttle {
    state: Mutex<ThrottleState>,
}

#[derive(Debug, Default)]
struct ThrottleState {
    account: GuessRecord,
    addresses: HashMap<IpAddr, GuessRecord>,
    /// Addresses that have signed in: a flood from elsewhere must not lock the operator out.
    welcome: HashSet<IpAddr>,
    /// Browsers that have signed in, by the hash of their cookie. There are as many as the operator has.
    devices: HashMap<[u8; 32], GuessRecord>,
}

#[derive(Debug, Default)]
struct GuessRecord {
    /// Times of the newest failures, at most [`FREE_FAILURES`].
    failures: VecDeque<Duration>,
    last_try: Duration,
}

impl GuessRecord {
    /// How long the next attempt has to wait.
    fn wait(&mut self, now: Duration) -> Option<Duration> {
        while self.failures.front().is_some_and(|at| *at + WINDOW <= now) {
            self.failures.pop_front();
        }
        let next = self.last_try + SLOW_INTERVAL;
        (self.failures.len() >= FREE_FAILURES && next > now).then(|| next - now)
    }

    fn count(&mut self, now: Duration) {
        self.last_try = now;
        self.failures.push_back(now);
        if self.failures.len() > FREE_FAILURES {
            self.failures.pop_front();
        }
    }
}

/// Who makes an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guesser {
    /// An address that may be anybody's.
    Address(IpAddr),
    /// A browser the operator has signed in with before. Its attempts are limited on their own: floods from its address
    /// or elsewhere do not delay it, and it delays nobody else.
    Device([u8; 32]),
}

impl Throttle {
    /// Asks for an attempt at `now` (uptime). It counts as a failure until [`Throttle::succeeded`], so parallel guesses
    /// cannot slip through; the error is how long to wait.
    pub fn admit(&self, guesser: Guesser, now: Duration) -> Result<(), Duration> {
        let mut state = self
            .state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let state = &mut *state;
        let address = match guesser {
            Guesser::Address(address) => network(address),
            Guesser::Device(device) => {
                let record = state.devices.entry(device).or_default();
                if let Some(wait) = record.wait(now) {
                    return Err(wait);
                }
                record.count(now);
                return Ok(());
            }
        };
        let is_welcome = state.welcome.contains(&address);
        if !is_welcome && let Some(wait) = state.account.wait(now) {
            return Err(wait);
        }
        if !state.addresses.contains_key(&address) && state.addresses.len() >= MAX_TRACKED_ADDRESSES
        {
            forget_oldest(&mut state.addresses);
        }
        let record = state.addresses.entry(address).or_default();
        if let Some(wait) = record.wait(now) {
            return Err(wait);
        }
        record.count(now);
        if !is_welcome {
            state.account.count(now);
        }
        Ok(())
    }

    /// Exempts an address from the account's limit; its own limit stays.
    pub fn welcome(&self, address: IpAddr) {
        let mut state = self
            .state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if state.welcome.len() < MAX_TRACKED_ADDRESSES {
            state.welcome.insert(network(address));
        }
    }

    /// Takes back the failure that [`Throttle::admit`] counted, and exempts the address.
    pub fn succeeded(&self, guesser: Guesser) {
        let mut state = self
            .state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let address = match guesser {
            Guesser::Address(address) => network(address),
            Guesser::Device(device) => {
                state.devices.remove(&device);
                return;
            }
        };
        state.addresses.remove(&address);
        if !state.welcome.contains(&address) {
            state.account.failures.pop_back();
            if state.welcome.len() < MAX_TRACKED_ADDRESSES {
                state.welcome.insert(address);
            }
        }
    }
}

fn forget_oldest(addresses: &mut HashMap<IpAddr, GuessRecord>) {
    let oldest = addresses
        .iter()
        .min_by_key(|(_, record)| record.last_try)
        .map(|(address, _)| *address);
    if let Some(address) = oldest {
        addresses.remove(&address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    fn from(last: u8) -> Guesser {
        Guesser::Address(address(last))
    }

    fn evaluated(throttle: &Throttle, tries: impl Iterator<Item = (IpAddr, Duration)>) -> usize {
        tries
            .filter(|(from, now)| throttle.admit(Guesser::Address(*from), *now).is_ok())
            .count()
    }

    #[test]
    fn five_failures_are_free_and_then_one_per_thirty_seconds() {
        let throttle = Throttle::default();
        assert_eq!(
            evaluated(&throttle, (0..100).map(|_| (address(1), MINUTE))),
            5
        );
        let wait = throttle.admit(from(1), MINUTE).unwrap_err();
        assert_eq!(wait, SLOW_INTERVAL);
        assert_eq!(throttle.admit(from(1), MINUTE + wait), Ok(()));
        assert!(throttle.admit(from(1), MINUTE + wait).is_err());
        assert_eq!(throttle.admit(from(1), MINUTE * 30), Ok(()));
    }

    #[test]
    fn many_addresses_share_the_limit_of_the_account() {
        let throttle = Throttle::default();
        let tries = (0..50).flat_map(|last| (0..20).map(move |_| (address(last), MINUTE)));
        assert_eq!(evaluated(&throttle, tries), 5);
    }

    #[test]
    fn a_flood_from_elsewhere_does_not_lock_the_operator_out() {
        let throttle = Throttle::default();
        throttle.admit(from(1), MINUTE).unwrap();
        throttle.succeeded(from(1));
        evaluated(&throttle, (2..200).map(|last| (address(last), MINUTE)));
        assert_eq!(throttle.admit(from(1), MINUTE), Ok(()));
    }

    #[test]
    fn a_browser_that_signed_in_before_has_tries_of_its_own() {
        let throttle = Throttle::default();
        evaluated(&throttle, (0..200).map(|_| (address(1), MINUTE)));
        let device = Guesser::Device([7; 32]);
        for _ in 0..FREE_FAILURES {
            assert_eq!(throttle.admit(device, MINUTE), Ok(()));
        }
        assert_eq!(throttle.admit(device, MINUTE), Err(SLOW_INTERVAL));
        assert_eq!(throttle.admit(Guesser::Device([8; 32]), MINUTE), Ok(()));
        throttle.succeeded(device);
        assert_eq!(throttle.admit(device, MINUTE), Ok(()));
    }

    #[test]
    fn success_takes_its_own_failure_back() {
        let throttle = Throttle::default();
        for _ in 0..50 {
            throttle.admit(from(1), MINUTE).unwrap();
            throttle.succeeded(from(1));
        }
    }

    #[test]
    fn a_whole_ipv6_network_counts_as_one_address() {
        let throttle = Throttle::default();
        let tries =
            (0..100u16).map(|host| (IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, host]), MINUTE));
        assert_eq!(evaluated(&throttle, tries), 5);
        assert_eq!(throttle.state.lock().unwrap().addresses.len(), 1);
    }

    #[test]
    fn memory_is_bounded() {
        let throttle = Throttle::default();
        for number in 0..11_000u32 {
            let now = SLOW_INTERVAL * number;
            assert_eq!(
                throttle.admit(Guesser::Address(IpAddr::from(number.to_be_bytes())), now),
                Ok(())
            );
        }
        assert_eq!(
            throttle.state.lock().unwrap().addresses.len(),
            MAX_TRACKED_ADDRESSES
        );
    }
}
