//! Claimed deliveries that wait for a slot: one queue per host.

use std::collections::{HashMap, HashSet, VecDeque};

use store::federation::ClaimedDelivery;

/// Limit (fediverse): concurrent deliveries to one server; further ones wait.
pub(super) const PER_HOST: u32 = 2;
/// Deliveries of one host that are taken in one go, when it answers at once and nobody else waits; further ones wait in
/// the database.
pub(super) const RUN: u32 = 64;
/// A queue that is shorter is filled up before it is empty.
const LOW: usize = 16;

/// The deliveries that wait for one host, and how the host is doing.
#[derive(Debug, Default)]
struct HostQueue {
    waiting: VecDeque<ClaimedDelivery>,
    /// Requests under way, the slow ones included.
    running: u32,
    /// How many of them have stepped aside.
    aside: u32,
    /// Requests that ended and are not recorded yet.
    unkept: u32,
    /// It answers at once, without faults.
    is_quick: bool,
    /// The database may hold more for it.
    has_more: bool,
}

impl HostQueue {
    fn may_start(&self) -> bool {
        self.running < PER_HOST && !self.waiting.is_empty()
    }

    fn wants_run(&self) -> bool {
        self.is_quick && self.has_more && self.aside == 0 && self.waiting.len() < LOW
    }
}

/// How a request ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestEnd {
    /// The request had stepped aside.
    pub(super) was_aside: bool,
    /// The host showed no fault.
    pub(super) is_well: bool,
}

/// The queues of all hosts that something was claimed for.
#[derive(Debug, Default)]
pub(super) struct HostQueues {
    by_host: HashMap<String, HostQueue>,
    /// Hosts whose turn it is to be sent something, in order.
    turns: VecDeque<String>,
    /// Hosts whose queue needs filling up.
    short: HashSet<String>,
    waiting: usize,
}

impl HostQueues {
    /// How many deliveries wait for a slot.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Whether something could be sent if a slot were free.
    pub(super) fn has_turn(&self) -> bool {
        !self.turns.is_empty()
    }

    /// Adds claimed deliveries.
    pub(super) fn take_in(&mut self, claimed: Vec<ClaimedDelivery>) {
        for one in claimed {
            let queue = self.by_host.entry(one.host.clone()).or_default();
            let could_start = queue.may_start();
            queue.waiting.push_back(one);
            self.waiting += 1;
            if !could_start && queue.may_start() {
                let host = queue.waiting.back().map(|one| one.host.clone());
                self.turns.extend(host);
            }
        }
    }

    /// The next delivery to send; it counts as under way from now on.
    pub(super) fn next(&mut self) -> Option<ClaimedDelivery> {
        let host = self.turns.pop_front()?;
        let queue = self.by_host.get_mut(&host)?;
        let one = queue.waiting.pop_front()?;
        queue.running += 1;
        self.waiting -= 1;
        if queue.wants_run() {
            self.short.insert(host.clone());
        }
        if queue.may_start() {
            self.turns.push_back(host);
        }
        Some(one)
    }

    /// A request to this host has stepped aside. Returns the deliveries waiting for the host, which are put back.
    pub(super) fn stepped_aside(&mut self, host: &str) -> Vec<i64> {
        let Some(queue) = self.by_host.get_mut(host) else {
            return Vec::new();
        };
        queue.aside += 1;
        self.give_up_queue(host)
    }

    /// A request has ended. Returns what is put back if the host has a fault. While `others_wait` in the database, no
    /// host is given a run.
    pub(super) fn ended(&mut self, host: &str, end: RequestEnd, others_wait: bool) -> Vec<i64> {
        let Some(queue) = self.by_host.get_mut(host) else {
            return Vec::new();
        };
        let could_start = queue.may_start();
        queue.running = queue.running.saturating_sub(1);
        queue.unkept += 1;
        queue.aside = queue.aside.saturating_sub(u32::from(end.was_aside));
        if !end.is_well {
            return self.give_up_queue(host);
        }
        queue.is_quick |= !end.was_aside && !others_wait;
        if !could_start && queue.may_start() {
            self.turns.push_back(host.to_owned());
        }
        Vec::new()
    }

    /// Outcomes of these hosts are in the database, so deliveries waiting there can be claimed: as a run where the host
    /// is quick. Returns whether there are hosts that are not quick.
    pub(super) fn kept(&mut self, hosts: &[String]) -> bool {
        let mut has_others = false;
        for host in hosts {
            let Some(queue) = self.by_host.get_mut(host) else {
                continue;
            };
            queue.unkept = queue.unkept.saturating_sub(1);
            queue.has_more = queue.is_quick;
            has_others |= !queue.is_quick;
            if queue.wants_run() {
                self.short.insert(host.clone());
            }
            self.forget_if_idle(host);
        }
        has_others
    }

    /// At most `at_most` quick hosts with little waiting here. The caller fills up their queues and reports it through
    /// [`HostQueues::filled_up`].
    pub(super) fn short_queues(&mut self, at_most: usize) -> Vec<String> {
        let mut hosts = Vec::new();
        while hosts.len() < at_most {
            let Some(host) = self.short.iter().next().cloned() else {
                break;
            };
            self.short.remove(&host);
            if self.by_host.get(&host).is_some_and(HostQueue::wants_run) {
                hosts.push(host);
            }
        }
        hosts
    }

    pub(super) fn has_short_queues(&self) -> bool {
        !self.short.is_empty()
    }

    /// `claimed` holds everything there was for these hosts, up to a run each. Returns what is put back because its
    /// host has become slow or failed meanwhile.
    pub(super) fn filled_up(
        &mut self,
        hosts: &[String],
        claimed: Vec<ClaimedDelivery>,
    ) -> Vec<i64> {
        let mut found: HashMap<&str, u32> = HashMap::new();
        for one in &claimed {
            *found.entry(&one.host).or_default() += 1;
        }
        for host in hosts {
            let is_full = found.get(host.as_str()).is_some_and(|count| *count >= RUN);
            if let Some(queue) = self.by_host.get_mut(host) {
                queue.has_more = is_full;
            }
        }
        let (kept, unwanted): (Vec<_>, Vec<_>) = claimed.into_iter().partition(|one| {
            self.by_host
                .get(&one.host)
                .is_some_and(|queue| queue.is_quick && queue.aside == 0)
        });
        self.take_in(kept);
        for host in hosts {
            self.forget_if_idle(host);
        }
        unwanted.into_iter().map(|one| one.id).collect()
    }

    /// The database may hold something new for any host.
    pub(super) fn look_again(&mut self) {
        for (host, queue) in &mut self.by_host {
            queue.has_more = queue.is_quick;
            if queue.wants_run() {
                self.short.insert(host.clone());
            }
        }
    }

    /// Takes everything that waits; the queues are empty afterwards.
    pub(super) fn clear(&mut self) -> Vec<i64> {
        self.turns.clear();
        self.short.clear();
        self.waiting = 0;
        let by_host = self.by_host.values_mut();
        by_host
            .flat_map(|queue| queue.waiting.drain(..))
            .map(|one| one.id)
            .collect()
    }

    /// Deliveries for a slow or failing host go back to the database: they must not take the slots of others.
    fn give_up_queue(&mut self, host: &str) -> Vec<i64> {
        self.short.remove(host);
        let Some(queue) = self.by_host.get_mut(host) else {
            return Vec::new();
        };
        queue.is_quick = false;
        let put_back: Vec<i64> = queue.waiting.drain(..).map(|one| one.id).collect();
        self.waiting -= put_back.len();
        if !put_back.is_empty() {
            self.turns.retain(|turn| turn != host);
        }
        put_back
    }

    fn forget_if_idle(&mut self, host: &str) {
        let is_idle = |queue: &HostQueue| {
            queue.running == 0
                && queue.unkept == 0
                && queue.waiting.is_empty()
                && !queue.wants_run()
        };
        if self.by_host.get(host).is_some_and(is_idle) {
            self.by_host.remove(host);
            self.short.remove(host);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;
    use store::federation::DeliveryKind;

    use super::*;

    const WELL: RequestEnd = RequestEnd {
        was_aside: false,
        is_well: true,
    };
    const FAILED: RequestEnd = RequestEnd {
        was_aside: false,
        is_well: false,
    };

    fn claimed(id: i64, host: &str) -> ClaimedDelivery {
        ClaimedDelivery {
            id,
            activity_id: "https://a.test/1".into(),
            inbox: format!("https://{host}/{id}"),
            host: host.into(),
            kind: DeliveryKind::Post,
            json: Arc::from("{}"),
            signer: None,
            attempts: 0,
            created_at: Timestamp::UNIX_EPOCH,
            expires_at: Timestamp::MAX,
            failures: 0,
            scheme: None,
        }
    }

    fn run(host: &str, ids: std::ops::Range<i64>) -> Vec<ClaimedDelivery> {
        ids.map(|id| claimed(id, host)).collect()
    }

    fn hosts(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn next_ids(queues: &mut HostQueues) -> Vec<i64> {
        std::iter::from_fn(|| queues.next())
            .map(|one| one.id)
            .collect()
    }

    /// A host that has proven quick, with nothing under way.
    fn quick(host: &str) -> HostQueues {
        let mut queues = HostQueues::default();
        queues.take_in(run(host, 0..1));
        queues.next();
        queues.ended(host, WELL, false);
        queues.kept(&hosts(&[host]));
        queues
    }

    #[test]
    fn a_host_gets_two_requests_at_once_and_hosts_take_turns() {
        let mut queues = HostQueues::default();
        queues.take_in(run("a.test", 0..3));
        queues.take_in(run("b.test", 10..13));
        assert_eq!(next_ids(&mut queues), [0, 10, 1, 11]);
        assert!(!queues.has_turn());
        assert_eq!(queues.waiting(), 2);
        queues.ended("b.test", WELL, false);
        assert_eq!(next_ids(&mut queues), [12]);
    }

    #[test]
    fn what_waits_for_a_host_that_fails_or_is_slow_is_put_back() {
        let mut queues = HostQueues::default();
        queues.take_in(run("a.test", 0..4));
        queues.take_in(run("b.test", 10..14));
        assert_eq!(next_ids(&mut queues).len(), 4);
        assert_eq!(queues.ended("a.test", FAILED, false), [2, 3]);
        assert_eq!(queues.stepped_aside("b.test"), [12, 13]);
        assert_eq!(queues.waiting(), 0);
        assert!(!queues.has_turn());
    }

    #[test]
    fn a_host_that_answers_at_once_is_given_a_run_when_its_answer_is_kept() {
        let mut queues = quick("a.test");
        assert_eq!(queues.short_queues(9), ["a.test"]);
        assert!(!queues.has_short_queues());
        let run_of_it = run("a.test", 100..100 + i64::from(RUN));
        assert!(queues.filled_up(&hosts(&["a.test"]), run_of_it).is_empty());
        assert_eq!(next_ids(&mut queues), [100, 101]);
        queues.ended("a.test", WELL, false);
        queues.kept(&hosts(&["a.test"]));
        assert!(!queues.has_short_queues(), "enough of it waits here");
    }

    #[test]
    fn nobody_is_given_a_run_while_others_wait() {
        let mut queues = HostQueues::default();
        queues.take_in(run("a.test", 0..1));
        queues.next();
        queues.ended("a.test", WELL, true);
        assert!(
            queues.kept(&hosts(&["a.test"])),
            "it is looked for as the others are"
        );
        assert!(!queues.has_short_queues());
    }

    #[test]
    fn a_run_that_comes_when_its_host_has_become_slow_is_put_back() {
        let mut queues = quick("a.test");
        let asked = queues.short_queues(9);
        queues.take_in(run("a.test", 1..2));
        queues.next();
        queues.stepped_aside("a.test");
        assert_eq!(queues.filled_up(&asked, run("a.test", 5..8)), [5, 6, 7]);
        assert_eq!(queues.waiting(), 0);
    }

    #[test]
    fn a_host_nothing_waits_for_is_forgotten() {
        let mut queues = quick("a.test");
        let asked = queues.short_queues(9);
        queues.filled_up(&asked, Vec::new());
        assert!(queues.by_host.is_empty());
        queues.take_in(run("b.test", 0..1));
        queues.next();
        queues.ended("b.test", FAILED, false);
        queues.kept(&hosts(&["b.test"]));
        assert!(queues.by_host.is_empty());
        assert!(queues.short.is_empty());
    }

    #[test]
    fn everything_that_waits_is_given_back_when_the_desk_is_cleared() {
        let mut queues = HostQueues::default();
        queues.take_in(run("a.test", 0..3));
        queues.next();
        let mut waiting = queues.clear();
        waiting.sort_unstable();
        assert_eq!(waiting, [1, 2]);
        assert_eq!(queues.waiting(), 0);
        assert!(!queues.has_turn());
    }
}
