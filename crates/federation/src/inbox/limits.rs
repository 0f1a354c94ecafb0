//! How often somebody may send.
//!
//! Addresses are counted when they knock. A server is counted only for what it has signed, or for what we fetch from it
//! because of a request: a stranger who writes somebody else's key id on a request must not use up their share.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use model::address::network;
use model::settings::Layers;
use model::settings::table::federation::{INBOX_PER_ADDRESS, INBOX_PER_HOST};

/// Requests a minute from one address for whose key we would have to ask another server; more are answered with 429.
const KEY_FETCHES_PER_ADDRESS: u32 = 30;
/// KiB of unproven requests from one address within [`BYTES_WINDOW`]; more are answered with 429. It is a part of what
/// may wait of them, so that one address does not take the room of all.
const UNPROVEN_KIB_PER_ADDRESS: u32 = 4 * 1024;
/// See [`UNPROVEN_KIB_PER_ADDRESS`]; about as long as one may wait.
const BYTES_WINDOW: Duration = Duration::from_secs(40 * 60);
/// Requests a minute, of all addresses together, for whose key we would have to ask; beyond that servers get the smaller share.
const KEY_FETCHES: u32 = 600;
/// Requests a minute with keys of one server that we would have to ask for; more are answered with 429. Whoever forges
/// requests chooses which server is asked, and it is not to suffer from it.
const KEY_FETCHES_PER_HOST: u32 = 60;
/// The same while there are more than [`KEY_FETCHES`]: in a flood every server gets a little, so that somebody who is new
/// gets through.
const KEY_FETCHES_IN_A_FLOOD: u32 = 6;
/// Addresses or servers whose counts are remembered; beyond that those heard of longest ago are forgotten.
const MAX_TRACKED: usize = 10_000;
/// What every other limit is counted by.
const WINDOW: Duration = Duration::from_secs(60);

/// Follows of one actor within [`FLAP_WINDOW`]; who begins and ends more often than that is ignored for a while.
const MAX_FOLLOWS: u32 = 5;
/// See [`MAX_FOLLOWS`].
const FLAP_WINDOW: Duration = Duration::from_secs(3600);
/// For how long somebody who flaps is ignored.
const FLAP_PAUSE: Duration = Duration::from_secs(24 * 3600);

/// Wishes to quote of one actor within [`FLAP_WINDOW`]; more are not answered.
const QUOTES_PER_ACTOR: u32 = 20;

/// All counts of the inbox.
#[derive(Debug)]
pub(crate) struct Limits {
    addresses: Buckets<IpAddr>,
    fetches: Buckets<IpAddr>,
    unproven: Buckets<IpAddr>,
    hosts: Buckets<String>,
    asked: Buckets<String>,
    asked_in_flood: Buckets<String>,
    asked_of_all: Buckets<()>,
    quotes: Buckets<String>,
    flaps: Mutex<HashMap<String, Flaps>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            addresses: Buckets::over(WINDOW),
            fetches: Buckets::over(WINDOW),
            unproven: Buckets::over(BYTES_WINDOW),
            hosts: Buckets::over(WINDOW),
            asked: Buckets::over(WINDOW),
            asked_in_flood: Buckets::over(WINDOW),
            asked_of_all: Buckets::over(WINDOW),
            quotes: Buckets::over(FLAP_WINDOW),
            flaps: Mutex::default(),
        }
    }
}

impl Limits {
    /// Counts a request; the error is how long to wait.
    pub(crate) fn knock(
        &self,
        address: IpAddr,
        settings: &Layers,
        now: Duration,
    ) -> Result<(), Duration> {
        let most = *settings.get(&INBOX_PER_ADDRESS);
        self.addresses.take(&network(address), 1, most, now)
    }

    /// Counts a request whose key has to be fetched from `host`, and how much room it takes until then.
    pub(crate) fn ask_for_key(
        &self,
        address: IpAddr,
        host: &str,
        bytes: usize,
        now: Duration,
    ) -> Result<(), Duration> {
        let address = network(address);
        let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
        self.fetches
            .take(&address, 1, KEY_FETCHES_PER_ADDRESS, now)?;
        self.ask_host(host, now)?;
        self.unproven
            .take(&address, kib, UNPROVEN_KIB_PER_ADDRESS, now)
    }

    fn ask_host(&self, host: &str, now: Duration) -> Result<(), Duration> {
        let host = host.to_owned();
        if self.asked_of_all.take(&(), 1, KEY_FETCHES, now).is_err() {
            let most = KEY_FETCHES_IN_A_FLOOD;
            self.asked_in_flood.take(&host, 1, most, now)?;
        }
        self.asked.take(&host, 1, KEY_FETCHES_PER_HOST, now)
    }

    /// Whether a server has used up its share; counts nothing.
    pub(crate) fn check_host(
        &self,
        host: &str,
        settings: &Layers,
        now: Duration,
    ) -> Result<(), Duration> {
        let most = *settings.get(&INBOX_PER_HOST);
        self.hosts.check(&host.to_owned(), most, now)
    }

    /// Counts something a server has signed, or that we fetched from it.
    pub(crate) fn count_host(&self, host: &str, settings: &Layers, now: Duration) {
        let most = *settings.get(&INBOX_PER_HOST);
        // Over the limit already: the next request is told so.
        self.hosts.take(&host.to_owned(), 1, most, now).ok();
    }

    /// False when this actor has asked often enough lately. Counts nothing.
    pub(crate) fn may_ask_to_quote(&self, actor: &str, now: Duration) -> bool {
        let asked = self.quotes.check(&actor.to_owned(), QUOTES_PER_ACTOR, now);
        asked.is_ok()
    }

    /// Counts that this actor was answered.
    pub(crate) fn note_wish_to_quote(&self, actor: &str, now: Duration) {
        // Several at once may be one too many, and the next one is told so.
        let actor = actor.to_owned();
        self.quotes.take(&actor, 1, QUOTES_PER_ACTOR, now).ok();
    }

    /// False while this actor is ignored for beginning and ending too often. Counts nothing.
    pub(crate) fn may_follow(&self, actor: &str, now: Duration) -> bool {
        let mut flaps = self.flaps.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(entry) = flaps.get_mut(actor) else {
            return true;
        };
        if now < entry.ignored_until {
            return false;
        }
        let is_over = entry.since + FLAP_WINDOW <= now;
        if !is_over && entry.follows >= MAX_FOLLOWS {
            entry.ignored_until = now + FLAP_PAUSE;
            return false;
        }
        true
    }

    /// Counts that this actor began to follow, once that is stored: neither a repetition nor an attempt that failed is
    /// a change of mind.
    pub(crate) fn note_follow(&self, actor: &str, now: Duration) {
        let mut flaps = self.flaps.lock().unwrap_or_else(PoisonError::into_inner);
        make_room(&mut flaps, |entry| entry.since);
        let entry = flaps.entry(actor.to_owned()).or_insert(Flaps {
            since: now,
            follows: 0,
            ignored_until: Duration::ZERO,
        });
        if entry.since + FLAP_WINDOW <= now {
            (entry.since, entry.follows) = (now, 0);
        }
        entry.follows += 1;
    }
}

#[derive(Debug)]
struct Flaps {
    since: Duration,
    follows: u32,
    ignored_until: Duration,
}

/// A bucket for each key that empties at a steady pace.
#[derive(Debug)]
struct Buckets<K> {
    /// In which a full one empties.
    window: Duration,
    levels: Mutex<HashMap<K, Bucket>>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    level: f64,
    at: Duration,
}

impl Bucket {
    /// How full it is by now.
    fn level(&self, most: u32, window: Duration, now: Duration) -> f64 {
        let passed = now.saturating_sub(self.at).as_secs_f64();
        (self.level - passed * f64::from(most) / window.as_secs_f64()).max(0.0)
    }
}

impl<K: Clone + Eq + Hash> Buckets<K> {
    fn over(window: Duration) -> Self {
        Self {
            window,
            levels: Mutex::default(),
        }
    }

    /// How long until there is room for so much more.
    fn wait(&self, level: f64, amount: u32, most: u32) -> Result<(), Duration> {
        let over = level + f64::from(amount) - f64::from(most);
        if over <= 0.0 {
            return Ok(());
        }
        let seconds = over * self.window.as_secs_f64() / f64::from(most.max(1));
        Err(Duration::from_secs_f64(seconds.clamp(1.0, 3600.0)))
    }

    fn take(&self, key: &K, amount: u32, most: u32, now: Duration) -> Result<(), Duration> {
        let mut buckets = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        if !buckets.contains_key(key) {
            make_room(&mut buckets, |bucket| bucket.at);
        }
        let empty = Bucket {
            level: 0.0,
            at: now,
        };
        let bucket = buckets.entry(key.clone()).or_insert(empty);
        let level = bucket.level(most, self.window, now);
        self.wait(level, amount, most)?;
        *bucket = Bucket {
            level: level + f64::from(amount),
            at: now,
        };
        Ok(())
    }

    fn check(&self, key: &K, most: u32, now: Duration) -> Result<(), Duration> {
        let buckets = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        match buckets.get(key) {
            Some(bucket) => self.wait(bucket.level(most, self.window, now), 1, most),
            None => Ok(()),
        }
    }
}

/// Forgets the older half once there are too many.
fn make_room<K: Clone + Eq + Hash, V>(entries: &mut HashMap<K, V>, heard: impl Fn(&V) -> Duration) {
    if entries.len() < MAX_TRACKED {
        return;
    }
    let mut times: Vec<Duration> = entries.values().map(&heard).collect();
    let middle = times.len() / 2;
    let (_, median, _) = times.select_nth_unstable(middle);
    let median = *median;
    entries.retain(|_, entry| heard(entry) > median);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_bucket_lets_so_many_through_and_empties_by_itself() {
        let buckets = Buckets::<u8>::over(WINDOW);
        for _ in 0..30 {
            buckets.take(&1, 2, 60, SECOND).unwrap();
        }
        let pause = buckets.take(&1, 1, 60, SECOND).unwrap_err();
        assert_eq!(pause, SECOND);
        buckets.take(&2, 1, 60, SECOND).unwrap();
        buckets.take(&1, 1, 60, SECOND + pause).unwrap();
        buckets.check(&1, 60, SECOND * 2).unwrap_err();
        buckets.check(&1, 60, SECOND * 4).unwrap();
    }

    fn asks(limits: &Limits, number: u16, host: &str, now: Duration) -> bool {
        let [high, low] = number.to_be_bytes();
        let address = IpAddr::from([127, 20, high, low]);
        limits.ask_for_key(address, host, 1, now).is_ok()
    }

    #[test]
    fn a_server_is_asked_for_few_keys_a_minute_whoever_names_it() {
        let limits = Limits::default();
        let asked = |now| {
            let many = 0..300;
            many.filter(|number| asks(&limits, *number, "framed.example", now))
                .count()
        };
        assert_eq!(asked(SECOND), KEY_FETCHES_PER_HOST as usize);
        assert_eq!(asked(31 * SECOND), KEY_FETCHES_PER_HOST as usize / 2);
    }

    #[test]
    fn in_a_flood_every_server_gets_a_little_and_a_new_one_gets_through() {
        let limits = Limits::default();
        let mut asked = [0; 100];
        for number in 0..20_000_u16 {
            let one = usize::from(number % 100);
            if asks(&limits, number, &format!("other{one}.example"), SECOND) {
                asked[one] += 1;
            }
        }
        let fair = KEY_FETCHES / 100 + KEY_FETCHES_IN_A_FLOOD;
        assert_eq!(asked, [fair; 100]);
        assert!(asks(&limits, 30_000, "friend.example", SECOND));
    }

    #[test]
    fn who_was_heard_of_long_ago_is_forgotten_first() {
        let buckets = Buckets::<usize>::over(WINDOW);
        for key in 0..MAX_TRACKED * 3 {
            buckets
                .take(&key, 1, 1, SECOND * u32::try_from(key).unwrap())
                .unwrap();
        }
        let kept = buckets.levels.lock().unwrap();
        assert!(kept.len() <= MAX_TRACKED);
        assert!(kept.contains_key(&(MAX_TRACKED * 3 - 1)));
        assert!(!kept.contains_key(&0));
    }

    #[test]
    fn who_begins_and_ends_to_follow_again_and_again_is_ignored_for_a_day() {
        let limits = Limits::default();
        let alice = "https://a.example/alice";
        let follow = |at: u64| limits.may_follow(alice, Duration::from_secs(at));
        // Only what was done counts, however often it is asked for.
        assert!((0..9).all(follow));
        for at in 0..5 {
            assert!(follow(at));
            limits.note_follow(alice, Duration::from_secs(at));
        }
        assert!(!follow(6));
        assert!(!follow(3700));
        assert!(follow(24 * 3600 + 10));
        assert!(limits.may_follow("https://a.example/bob", SECOND));
    }
}
