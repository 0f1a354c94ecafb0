//! How often each of many may do something: the one rate limiter of all crates.
//!
//! A token bucket for each key (GCRA: all that is kept of a bucket is when it will be full again).

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Addresses, servers or tokens remembered by each limiter; beyond that the one that is nearest to having everything back
/// is forgotten.
pub const MAX_TRACKED: usize = 10_000;

/// What a bucket holds, and how fast it fills up again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// So much at once.
    pub burst: u32,
    /// In which an empty bucket fills up.
    pub window: Duration,
}

impl Rate {
    /// So much at once, and again after so long.
    pub const fn new(burst: u32, window: Duration) -> Self {
        Self { burst, window }
    }

    /// How long it takes to get this much back.
    fn cost(self, amount: u32) -> Duration {
        self.window * amount / self.burst.max(1)
    }

    /// What has to be waited for, when the bucket is full again after `missing`.
    fn check(self, missing: Duration, amount: u32) -> Result<Duration, Duration> {
        let missing = missing + self.cost(amount);
        // Whoever may do nothing at all may ask again after a while.
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
/// Strangers choose keys, so there is an end to how many are remembered. Then the bucket that is nearest to full is
/// forgotten, which is the least that can be given away: whoever comes with thousands of addresses pushes out their own,
/// and never somebody who has used up theirs.
#[derive(Debug)]
pub struct RateLimiter<K>(Mutex<Buckets<K>>);

#[derive(Debug)]
struct Buckets<K> {
    full_at: HashMap<K, Duration>,
    /// The same, the fullest first.
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
    /// Takes so much out of a bucket at `now` (uptime); the error is how long to wait, and then nothing was taken.
    pub fn take(&self, key: &K, amount: u32, rate: Rate, now: Duration) -> Result<(), Duration> {
        let mut buckets = self.lock();
        let missing = buckets.missing(key, now);
        let missing = rate.check(missing, amount)?;
        buckets.set(key, now + missing);
        Ok(())
    }

    /// Whether one more could be taken; takes nothing.
    pub fn check<Q>(&self, key: &Q, rate: Rate, now: Duration) -> Result<(), Duration>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let missing = self.lock().missing(key, now);
        rate.check(missing, 1).map(drop)
    }

    /// Forgets a key that will not come again.
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
        // And the last of the thousands are still counted.
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
                    // What was told is enough, and not a moment more than needed.
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
