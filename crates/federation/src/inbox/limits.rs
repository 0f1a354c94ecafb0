//! Rate limits of the inbox.
//!
//! Every request counts against its address. A server is charged only for requests it has signed, or for what we fetch
//! from it because of a request: a stranger who puts another server's key id on a request must not use up that server's
//! share.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use model::address::network;
use model::rate_limit::{MAX_TRACKED, Rate, RateLimiter};
use model::settings::Layers;
use model::settings::table::federation::{INBOX_PER_ADDRESS, INBOX_PER_HOST};

/// What most limits are counted by.
const WINDOW: Duration = Duration::from_secs(60);
/// See [`UNPROVEN_KIB_PER_ADDRESS`]; about as long as one may wait.
const BYTES_WINDOW: Duration = Duration::from_secs(40 * 60);

/// Limit (fediverse): requests from one address signed with a key we do not know yet; further ones get 429.
const KEY_FETCHES_PER_ADDRESS: Rate = Rate::new(30, WINDOW);
/// KiB of unproven requests from one address within [`BYTES_WINDOW`]; more are answered with 429. It is a part of what
/// may wait of them, so that one address does not take the room of all.
const UNPROVEN_KIB_PER_ADDRESS: Rate = Rate::new(4 * 1024, BYTES_WINDOW);
/// Requests a minute, of all addresses together, for whose key we would have to ask; beyond that servers get the smaller share.
const KEY_FETCHES: Rate = Rate::new(600, WINDOW);
/// Limit (fediverse): requests signed with keys of one server that we do not know yet; further ones get 429. Whoever
/// forges requests chooses which server is asked, and it is not to suffer from it.
const KEY_FETCHES_PER_HOST: Rate = Rate::new(60, WINDOW);
/// The same while there are more than [`KEY_FETCHES`]: in a flood every server gets a little, so that somebody who is new
/// gets through.
const KEY_FETCHES_IN_A_FLOOD: Rate = Rate::new(6, WINDOW);

/// Limit (fediverse): follows by one actor within [`FLAP_WINDOW`]; the next one is rejected.
const MAX_FOLLOWS: u32 = 5;
/// See [`MAX_FOLLOWS`].
const FLAP_WINDOW: Duration = Duration::from_secs(3600);

/// Limit (fediverse): quote requests from one actor; further ones are not answered.
const QUOTES_PER_ACTOR: Rate = Rate::new(20, FLAP_WINDOW);

/// The answer to a Follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FollowVerdict {
    /// The usual answer.
    Welcome,
    /// A Reject: this actor follows and unfollows too often.
    Reject,
    /// No answer: the actor was told within the hour.
    Rejected,
}

/// All counters of the inbox.
#[derive(Debug, Default)]
pub(crate) struct InboxLimits {
    addresses: RateLimiter<IpAddr>,
    fetches: RateLimiter<IpAddr>,
    unproven: RateLimiter<IpAddr>,
    hosts: RateLimiter<String>,
    asked: RateLimiter<String>,
    asked_in_flood: RateLimiter<String>,
    asked_of_all: RateLimiter<()>,
    quotes: RateLimiter<String>,
    flaps: Mutex<HashMap<String, Flaps>>,
}

impl InboxLimits {
    /// Counts a request; the error is how long to wait.
    pub(crate) fn count_request(
        &self,
        address: IpAddr,
        settings: &Layers,
        now: Duration,
    ) -> Result<(), Duration> {
        let rate = Rate::new(*settings.get(&INBOX_PER_ADDRESS), WINDOW);
        self.addresses.take(&network(address), 1, rate, now)
    }

    /// Counts a request whose key has to be fetched from `host`, and the space it takes until then.
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
            let rate = KEY_FETCHES_IN_A_FLOOD;
            self.asked_in_flood.take(&host, 1, rate, now)?;
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
        self.hosts.check(host, per_host(settings), now)
    }

    /// Counts something a server has signed, or that we fetched from it.
    pub(crate) fn count_host(&self, host: &str, settings: &Layers, now: Duration) {
        let rate = per_host(settings);
        // Already over the limit: the next request is told so.
        self.hosts.take(&host.to_owned(), 1, rate, now).ok();
    }

    /// False if this actor has asked often enough lately. Counts nothing.
    pub(crate) fn may_ask_to_quote(&self, actor: &str, now: Duration) -> bool {
        self.quotes.check(actor, QUOTES_PER_ACTOR, now).is_ok()
    }

    /// Counts a quote request that was answered.
    pub(crate) fn note_quote_request(&self, actor: &str, now: Duration) {
        // Concurrent requests may exceed the limit by one; the next one is refused.
        let actor = actor.to_owned();
        self.quotes.take(&actor, 1, QUOTES_PER_ACTOR, now).ok();
    }

    /// The answer to a Follow of an actor who does not follow yet. Counts nothing.
    pub(crate) fn judge_follow(&self, actor: &str, now: Duration) -> FollowVerdict {
        let flaps = self.flaps.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = flaps.get(actor).filter(|entry| now < entry.over_at());
        match entry {
            Some(entry) if entry.is_rejected => FollowVerdict::Rejected,
            Some(entry) if entry.follows >= MAX_FOLLOWS => FollowVerdict::Reject,
            _ => FollowVerdict::Welcome,
        }
    }

    /// Notes that this actor was told that it follows and unfollows too often.
    pub(crate) fn note_rejection(&self, actor: &str) {
        let mut flaps = self.flaps.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = flaps.get_mut(actor) {
            entry.is_rejected = true;
        }
    }

    /// Counts a new follow of this actor, once it is stored: neither a repetition nor a failed attempt counts.
    pub(crate) fn note_follow(&self, actor: &str, now: Duration) {
        let mut flaps = self.flaps.lock().unwrap_or_else(PoisonError::into_inner);
        if !flaps.contains_key(actor) {
            make_room(&mut flaps);
        }
        let entry = flaps.entry(actor.to_owned()).or_insert(Flaps {
            since: now,
            follows: 0,
            is_rejected: false,
        });
        if entry.over_at() <= now {
            *entry = Flaps {
                since: now,
                follows: 0,
                is_rejected: false,
            };
        }
        entry.follows += 1;
    }
}

fn per_host(settings: &Layers) -> Rate {
    Rate::new(*settings.get(&INBOX_PER_HOST), WINDOW)
}

#[derive(Debug)]
struct Flaps {
    since: Duration,
    follows: u32,
    /// The actor was told that this is too often.
    is_rejected: bool,
}

impl Flaps {
    /// When there is nothing left to remember.
    fn over_at(&self) -> Duration {
        self.since + FLAP_WINDOW
    }
}

/// Forgets the entry that would expire first, once there are too many.
fn make_room(flaps: &mut HashMap<String, Flaps>) {
    if flaps.len() < MAX_TRACKED {
        return;
    }
    let first = flaps.iter().min_by_key(|(_, entry)| entry.over_at());
    if let Some(actor) = first.map(|(actor, _)| actor.clone()) {
        flaps.remove(&actor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn asks(limits: &InboxLimits, number: u16, host: &str, now: Duration) -> bool {
        let [high, low] = number.to_be_bytes();
        let address = IpAddr::from([127, 20, high, low]);
        limits.ask_for_key(address, host, 1, now).is_ok()
    }

    #[test]
    fn a_server_is_asked_for_few_keys_a_minute_whoever_names_it() {
        let limits = InboxLimits::default();
        let asked = |now| {
            let many = 0..300;
            many.filter(|number| asks(&limits, *number, "framed.example", now))
                .count()
        };
        assert_eq!(asked(SECOND), KEY_FETCHES_PER_HOST.burst as usize);
        assert_eq!(asked(31 * SECOND), KEY_FETCHES_PER_HOST.burst as usize / 2);
    }

    #[test]
    fn in_a_flood_every_server_gets_a_little_and_a_new_one_gets_through() {
        let limits = InboxLimits::default();
        let mut asked = [0; 100];
        for number in 0..20_000_u16 {
            let one = usize::from(number % 100);
            if asks(&limits, number, &format!("other{one}.example"), SECOND) {
                asked[one] += 1;
            }
        }
        let fair = KEY_FETCHES.burst / 100 + KEY_FETCHES_IN_A_FLOOD.burst;
        assert_eq!(asked, [fair; 100]);
        assert!(asks(&limits, 30_000, "friend.example", SECOND));
    }

    #[test]
    fn the_sixth_follow_within_an_hour_is_rejected_once_and_after_the_hour_all_is_well() {
        use FollowVerdict::{Reject, Rejected, Welcome};
        let limits = InboxLimits::default();
        let alice = "https://a.example/alice";
        let follow = |at: u64| limits.judge_follow(alice, Duration::from_secs(at));
        // Only follows that happened count, however often they are requested.
        assert!((0..9).all(|at| follow(at) == Welcome));
        for at in 0..5 {
            assert_eq!(follow(at), Welcome);
            limits.note_follow(alice, Duration::from_secs(at));
        }
        assert_eq!(follow(6), Reject);
        // An answer that could not be given is given later.
        assert_eq!(follow(7), Reject);
        limits.note_rejection(alice);
        assert_eq!(follow(8), Rejected);
        assert_eq!(
            limits.judge_follow("https://a.example/bob", SECOND),
            Welcome
        );
        // However many others come in between.
        for number in 0..MAX_TRACKED + 20 {
            let other = format!("https://b.example/{number}");
            limits.note_follow(&other, Duration::from_secs(100));
        }
        assert_eq!(limits.flaps.lock().unwrap().len(), MAX_TRACKED);
        assert_eq!(follow(3600), Welcome);
        limits.note_follow(alice, Duration::from_secs(3600));
        assert_eq!(follow(3601), Welcome);
    }
}
