//! Limits how often each key may do something: the one rate limiter of all crates.
//!
//! A token bucket for each key (GCRA: a bucket stores only the time when it will be full again).

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Addresses, servers or tokens remembered by each limiter; beyond that the one that is nearest to having everything back
/// is forgotten.
pub const MAX_TRACKED: usize = 10_000;

/// The size of a bucket, and how fast it refills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// How much can be taken at once.
    pub burst: u32,
    /// How long an empty bucket takes to refill.
    pub window: Duration,
}

impl Rate {
    /// A bucket of `burst` that refills within `window`.
    pub const fn new(burst: u32, window: Duration) -> Self {
        Self { burst, window }
    }

    /// How long it takes to refill this much.
    fn cost(self, amount: u32) -> Duration {
        self.window * amount / self.burst.max(1)
    }

    /// How long to wait, when the bucket is full again after `missing`.
    fn check(self, missing: Duration, amount: u32) -> Result<Duration, Duration> {
        let missing = missing + self.cost(amount);
        // A rate of zero allows nothing, but still says when to ask again.
        let capacity = if self.burst == 0 {
            Duration::ZERO
        } else {
            self.window
        };
        match missing.checked_sub(capacity) {
            None | Some(Duration::ZERO) => Ok(missing),
            Some(wait) => Err(wait),
        }
    }
}

/// A bucket for each key.
///
/// Strangers choose keys, so the number of buckets is bounded. Beyond the bound, the bucket nearest to full is
/// dropped, which gives away the least: a client with thousands of addresses pushes out its own buckets,
/// never one that is used up.
#[derive(Debug)]
pub struct RateLimiter<K>(Mutex<Buckets<K>>);

#[derive(Debug)]
struct Buckets<K> {
    full_at: HashMap<K, Duration>,
    /// The same, fullest first.
    order: BTreeSet<(Duration, K)>,
}

impl<K> Default for RateLimiter<K> {
    fn default() -> Self {
        Self(Mutex::new(Buckets {
            full_at: HashMap::new(),
            order: BTreeSet::new(),
        }))
    }
}

impl<K: Clone + Eq + Hash + Ord> RateLimiter<K> {
    /// Takes `amount` out of a bucket at `now` (uptime); the error is how long to wait, and then nothing is taken.
    pub fn take(&self, key: &K, amount: u32, rate: Rate, now: Duration) -> Result<(), Duration> {
        let mut buckets = self.lock();
        let missing = buckets.missing(key, now);
        let missing = rate.check(missing, amount)?;
        buckets.set(key, now + missing);
        Ok(())
    }

    /// Whether one more can be taken; takes nothing.
    pub fn check<Q>(&self, key: &Q, rate: Rate, now: Duration) -> Result<(), Duration>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let missing = self.lock().missing(key, now);
        rate.check(missing, 1).map(drop)
    }

    /// Forgets a key that will not be used again.
    pub fn forget(&self, key: &K) {
        let mut buckets = self.lock();
        if let Some(full_at) = buckets.full_at.remove(key) {
            buckets.order.remove(&(full_at, key.clone()));
        }
    }

    /// How many keys are remembered.
    pub fn tracked(&self) -> usize {
        self.lock().full_at.len()
    }

    fn lock(&self) -> MutexGuard<'_, Buckets<K>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Clone + Eq + Hash + Ord> Buckets<K> {
    fn missing<Q>(&self, key: &Q, now: Duration) -> Duration
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let full_at = self.full_at.get(key);
        full_at.map_or(Duration::ZERO, |full_at| full_at.saturating_sub(now))
    }

    fn set(&mut self, key: &K, full_at: Duration) {
        if let Some(before) = self.full_at.insert(key.clone(), full_at) {
            self.order.remove(&(before, key.clone()));
        } else if self.full_at.len() > MAX_TRACKED
            && let Some((_, fullest)) = self.order.pop_first()
        {
            self.full_at.remove(&fullest);
        }
        self.order.insert((full_at, key.clone()));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const RATE: Rate = Rate::new(5, Duration::from_secs(60));

    #[test]
    fn five_at_once_and_then_one_in_twelve_seconds_and_the_wait_is_told() {
        let limiter = RateLimiter::default();
        let taken = (0..50).filter(|_| limiter.take(&1, 1, RATE, SECOND).is_ok());
        assert_eq!(taken.count(), 5);
        let wait = limiter.take(&1, 1, RATE, SECOND).unwrap_err();
        assert_eq!(wait, 12 * SECOND);
        assert_eq!(limiter.check(&1, RATE, SECOND), Err(wait));
        assert_eq!(limiter.take(&1, 1, RATE, SECOND + wait), Ok(()));
        assert!(limiter.take(&1, 1, RATE, SECOND + wait).is_err());
        assert_eq!(limiter.take(&2, 1, RATE, SECOND), Ok(()));
        limiter.forget(&1);
        assert_eq!(limiter.take(&1, 5, RATE, SECOND), Ok(()));
    }

    #[test]
    fn a_rate_of_nothing_lets_nobody_through_and_says_when_to_ask_again() {
        let limiter = RateLimiter::default();
        let nothing = Rate::new(0, 60 * SECOND);
        assert_eq!(limiter.take(&1, 1, nothing, SECOND), Err(60 * SECOND));
        assert_eq!(limiter.tracked(), 0);
    }

    #[test]
    fn whoever_has_thousands_of_networks_lifts_the_limit_of_nobody() {
        let limiter = RateLimiter::default();
        assert_eq!(limiter.take(&0, 5, RATE, SECOND), Ok(()));
        for key in 1..25_000 {
            assert_eq!(limiter.take(&key, 1, RATE, SECOND), Ok(()));
        }
        assert_eq!(limiter.tracked(), MAX_TRACKED);
        assert!(limiter.take(&0, 1, RATE, SECOND).is_err());
        // The last of the thousands are still counted.
        assert_eq!(limiter.take(&24_999, 4, RATE, SECOND), Ok(()));
        assert!(limiter.take(&24_999, 1, RATE, SECOND).is_err());
    }

    proptest! {
        #[test]
        fn nobody_gets_more_than_a_burst_and_what_came_back_since(
            steps in proptest::collection::vec((0_u64..40, 1_u32..4), 1..80),
        ) {
            let limiter = RateLimiter::default();
            let (mut now, mut taken) = (Duration::ZERO, 0);
            for (pause, amount) in steps {
                now += Duration::from_secs(pause);
                match limiter.take(&(), amount, RATE, now) {
                    Ok(()) => taken += amount,
                    // The returned wait is enough, and no longer than needed.
                    Err(wait) => {
                        let soon = now + wait - Duration::from_nanos(1);
                        prop_assert!(limiter.take(&(), amount, RATE, soon).is_err());
                        now += wait;
                        prop_assert!(limiter.take(&(), amount, RATE, now).is_ok());
                        taken += amount;
                    }
                }
                let came_back = now.as_secs_f64() / 12.0;
                prop_assert!(f64::from(taken) <= 5.0 + came_back + 1e-6);
            }
            let buckets = limiter.lock();
            prop_assert_eq!(buckets.full_at.len(), buckets.order.len());
        }
    }
}
