//! The rules of leases, without a clock and without a database: the caller says what time it is and what came back.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::lease::{LeaseName, LeaseRow};

/// Between two renewals.
pub(super) const RENEW_EVERY: Duration = Duration::from_secs(2);
/// A holder stops this long after it sent its last good renewal.
pub(super) const VALID_FOR: Duration = Duration::from_secs(5);
/// Between two looks at leases of others.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A row that was seen unchanged for this long belongs to nobody any more. What it has above [`VALID_FOR`] covers clocks
/// that run at different speeds.
pub(super) const SILENT_FOR: Duration = Duration::from_secs(7);

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LeaseStep {
    /// Renew these, given with their fences.
    Renew(Vec<(LeaseName, i64)>),
    /// Read the rows.
    Look,
    /// Take this one, whose row is as it was last seen.
    Take(LeaseName, Option<LeaseRow>),
    /// Nothing before then; `None` if there is nothing to wait for.
    Wait(Option<Duration>),
}

/// The leases of one process. All times are its uptime.
#[derive(Debug)]
pub(super) struct LeaseRules {
    /// Names this process, and no other one ever.
    holder: String,
    held: BTreeMap<LeaseName, HeldLease>,
    wanted: BTreeSet<LeaseName>,
    seen: BTreeMap<LeaseName, SeenRow>,
    /// Found free by the last look.
    to_take: BTreeSet<LeaseName>,
    renew_at: Duration,
    look_at: Duration,
}

#[derive(Debug)]
struct HeldLease {
    fence: i64,
    valid_until: Duration,
}

/// A row, and when the answer came that showed it like this for the first time.
#[derive(Debug)]
struct SeenRow {
    row: Option<LeaseRow>,
    since: Duration,
}

impl LeaseRules {
    pub(super) fn new(holder: String) -> Self {
        Self {
            holder,
            held: BTreeMap::new(),
            wanted: BTreeSet::new(),
            seen: BTreeMap::new(),
            to_take: BTreeSet::new(),
            renew_at: Duration::ZERO,
            look_at: Duration::ZERO,
        }
    }

    pub(super) fn holder(&self) -> &str {
        &self.holder
    }

    /// Competes for a lease from now on, until it is taken.
    pub(super) fn want(&mut self, name: LeaseName) {
        self.wanted.insert(name);
        // What was seen long ago says nothing about how long the row has been silent: nobody looked in between.
        self.seen.remove(&name);
        self.look_at = Duration::ZERO;
    }

    /// Competes for it no longer.
    pub(super) fn stop_wanting(&mut self, name: LeaseName) {
        self.wanted.remove(&name);
        self.to_take.remove(&name);
    }

    pub(super) fn want_nothing(&mut self) {
        self.wanted.clear();
        self.to_take.clear();
    }

    /// The work has ended; the caller releases the row.
    pub(super) fn give_back(&mut self, name: LeaseName, fence: i64) {
        if self.held.get(&name).is_some_and(|held| held.fence == fence) {
            self.held.remove(&name);
        }
    }

    pub(super) fn holds_nothing(&self) -> bool {
        self.held.is_empty()
    }

    /// The fence of a lease that is held at this time.
    #[cfg(test)]
    pub(super) fn fence_at(&self, name: LeaseName, now: Duration) -> Option<i64> {
        let held = self.held.get(&name)?;
        (now < held.valid_until).then_some(held.fence)
    }

    pub(super) fn next(&mut self, now: Duration) -> LeaseStep {
        if !self.held.is_empty() && now >= self.renew_at {
            self.renew_at = now + RENEW_EVERY;
            let held = self.held.iter();
            return LeaseStep::Renew(held.map(|(name, held)| (*name, held.fence)).collect());
        }
        if let Some(name) = self.to_take.pop_first() {
            let seen = self.seen.get(&name).and_then(|seen| seen.row.clone());
            return LeaseStep::Take(name, seen);
        }
        if !self.wanted.is_empty() && now >= self.look_at {
            self.look_at = now + LOOK_EVERY;
            return LeaseStep::Look;
        }
        let renewal = (!self.held.is_empty()).then_some(self.renew_at);
        let look = (!self.wanted.is_empty()).then_some(self.look_at);
        let times = [renewal, look, self.next_end()];
        LeaseStep::Wait(times.into_iter().flatten().min())
    }

    /// When the first lease ends unless it is renewed.
    pub(super) fn next_end(&self) -> Option<Duration> {
        self.held.values().map(|held| held.valid_until).min()
    }

    /// Ends what was not renewed in time; returns it.
    pub(super) fn expire(&mut self, now: Duration) -> Vec<LeaseName> {
        let mut lost = Vec::new();
        self.held.retain(|name, held| {
            let is_over = now >= held.valid_until;
            lost.extend(is_over.then_some(*name));
            !is_over
        });
        lost
    }

    /// A renewal of `asked`, sent at `sent_at`, found only `kept` still ours. Returns the others, which are lost.
    pub(super) fn renewed(
        &mut self,
        sent_at: Duration,
        asked: &[(LeaseName, i64)],
        kept: &[LeaseName],
    ) -> Vec<LeaseName> {
        let mut lost = Vec::new();
        for (name, fence) in asked {
            // It may have ended while the answer was on its way, and then it stays ended.
            let Some(held) = self.held.get_mut(name).filter(|held| held.fence == *fence) else {
                continue;
            };
            if kept.contains(name) {
                held.valid_until = held.valid_until.max(sent_at + VALID_FOR);
            } else {
                self.held.remove(name);
                lost.push(*name);
            }
        }
        lost
    }

    /// No answer to a renewal: there is time for another one.
    pub(super) fn not_renewed(&mut self, now: Duration) {
        self.renew_at = self.renew_at.min(now + LOOK_EVERY);
    }

    /// The rows as they were at some moment between these two times.
    pub(super) fn looked(
        &mut self,
        asked_at: Duration,
        answered_at: Duration,
        rows: &[(LeaseName, LeaseRow)],
    ) {
        self.to_take.clear();
        for name in &self.wanted {
            // Its former work has not ended yet.
            if self.held.contains_key(name) {
                continue;
            }
            let found = rows.iter().find(|(other, _)| other == name);
            let row = found.map(|(_, row)| row.clone());
            // Measured so that it is never longer than it was: from the answer that first showed it to the question that
            // found it the same.
            let silent_for = match self.seen.get(name) {
                Some(seen) if seen.row == row => asked_at.saturating_sub(seen.since),
                _ => {
                    let since = answered_at;
                    let row = row.clone();
                    self.seen.insert(*name, SeenRow { row, since });
                    Duration::ZERO
                }
            };
            // Whoever holds it by our name is what we were before it lapsed, and that has ended.
            let is_free = row
                .as_ref()
                .is_none_or(|row| row.holder.is_empty() || row.holder == self.holder);
            if is_free || silent_for >= SILENT_FOR {
                self.to_take.insert(*name);
            }
        }
    }

    /// What came of taking a lease, sent at `sent_at`: the fence, or `None` if somebody else was first. Returns until
    /// when it is held; `None` also if the answer came so late that it is over.
    pub(super) fn taken(
        &mut self,
        sent_at: Duration,
        now: Duration,
        name: LeaseName,
        fence: Option<i64>,
    ) -> Option<Duration> {
        self.seen.remove(&name);
        let fence = fence?;
        let valid_until = sent_at + VALID_FOR;
        if now >= valid_until || !self.wanted.remove(&name) {
            return None;
        }
        if self.held.is_empty() {
            self.renew_at = sent_at + RENEW_EVERY;
        }
        self.held.insert(name, HeldLease { fence, valid_until });
        Some(valid_until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: LeaseName = LeaseName::Webhooks;

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn row(holder: &str, fence: i64, renewals: i64) -> Vec<(LeaseName, LeaseRow)> {
        let holder = holder.into();
        let row = LeaseRow {
            holder,
            fence,
            renewals,
        };
        vec![(NAME, row)]
    }

    fn challenger() -> LeaseRules {
        let mut rules = LeaseRules::new("b".into());
        rules.want(NAME);
        rules
    }

    fn takes(rules: &mut LeaseRules, now: Duration) -> bool {
        matches!(rules.next(now), LeaseStep::Take(..))
    }

    fn holder() -> LeaseRules {
        let mut rules = challenger();
        rules.looked(at(0), at(1), &[]);
        assert_eq!(rules.next(at(1)), LeaseStep::Take(NAME, None));
        assert_eq!(rules.taken(at(1), at(2), NAME, Some(1)), Some(at(5_001)));
        rules
    }

    #[test]
    fn a_row_that_was_given_back_is_taken_at_once() {
        let mut rules = challenger();
        rules.looked(at(0), at(1), &row("", 4, 9));
        assert!(takes(&mut rules, at(1)));
    }

    #[test]
    fn a_row_is_taken_when_it_was_seen_unchanged_for_seven_seconds_and_not_before() {
        let mut rules = challenger();
        rules.looked(at(0), at(100), &row("a", 1, 5));
        rules.looked(at(7_099), at(7_200), &row("a", 1, 5));
        assert!(!takes(&mut rules, at(7_200)));
        rules.looked(at(7_100), at(7_200), &row("a", 1, 5));
        assert!(takes(&mut rules, at(7_200)));
    }

    #[test]
    fn every_renewal_that_is_seen_starts_the_wait_anew() {
        let mut rules = challenger();
        for second in 0..60 {
            let now = at(second * 1_000);
            rules.looked(now, now, &row("a", 1, second.cast_signed() / 6));
            assert!(!takes(&mut rules, now), "{second}");
        }
    }

    #[test]
    fn a_holder_stops_five_seconds_after_it_sent_its_last_good_renewal() {
        let mut rules = holder();
        let asked = vec![(NAME, 1)];
        assert_eq!(rules.next(at(2_001)), LeaseStep::Renew(asked.clone()));
        // The answer takes long, and counts from when it was asked for.
        assert!(rules.renewed(at(2_001), &asked, &[NAME]).is_empty());
        assert!(rules.expire(at(7_000)).is_empty());
        assert_eq!(rules.expire(at(7_001)), [NAME]);
    }

    #[test]
    fn an_answer_that_comes_after_the_end_brings_nothing_back() {
        let mut rules = holder();
        let asked = vec![(NAME, 1)];
        assert_eq!(rules.expire(at(5_001)), [NAME]);
        assert!(rules.renewed(at(5_000), &asked, &[NAME]).is_empty());
        assert!(rules.holds_nothing());
        let mut late = challenger();
        late.looked(at(0), at(1), &[]);
        assert_eq!(late.taken(at(1), at(5_001), NAME, Some(1)), None);
    }

    #[test]
    fn a_lease_that_somebody_else_has_taken_is_lost_at_once() {
        let mut rules = holder();
        assert_eq!(rules.renewed(at(2_001), &[(NAME, 1)], &[]), [NAME]);
        assert!(rules.holds_nothing());
    }

    #[test]
    fn whoever_holds_and_wants_nothing_asks_the_database_nothing() {
        let mut rules = LeaseRules::new("a".into());
        assert_eq!(rules.next(at(60_000)), LeaseStep::Wait(None));
    }
}
