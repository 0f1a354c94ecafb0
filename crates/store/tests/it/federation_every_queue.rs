//! A story about every queue: whatever is queued, claimed, finished, put back and lost, deliveries are handed out in
//! order and within limits.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use store::federation::{
    DeliveryAudience, DeliveryKind, DeliveryOutcome, FederationTables, HostFailure, Settlement,
};

use crate::federation::{inbox, outgoing, sending};
use crate::support::{Home, at};

/// The number of generated queues.
const QUEUES: usize = 25;
/// Deliveries one host may have under way.
const PER_HOST: u32 = 2;

/// A step in the life of a queue.
#[derive(Clone, Debug)]
enum Step {
    /// An activity is queued for an inbox of a host.
    Send { host: u8, person: u8 },
    /// Some deliveries are claimed.
    Claim { limit: u32 },
    /// Many are claimed for one quick host.
    Run { host: u8, at_most: u32 },
    /// A claimed delivery is put back, and its host has failed.
    PutBack { which: usize, delay: i64 },
    /// A delivery under way ends.
    Finish { which: usize, delay: Option<i64> },
    /// Time passes.
    Wait { seconds: i64 },
    /// The process is killed and restarted.
    Crash,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..4_u8, 0..4_u8).prop_map(|(host, person)| Step::Send { host, person }),
        4 => (1..9_u32).prop_map(|limit| Step::Claim { limit }),
        2 => (0..4_u8, 1..5_u32).prop_map(|(host, at_most)| Step::Run { host, at_most }),
        1 => (any::<prop::sample::Index>(), 0..40_i64)
            .prop_map(|(which, delay)| Step::PutBack { which: which.index(64), delay }),
        5 => (any::<prop::sample::Index>(), prop::option::of(0..40_i64))
            .prop_map(|(which, delay)| Step::Finish { which: which.index(64), delay }),
        2 => (1..30_i64).prop_map(|seconds| Step::Wait { seconds }),
        1 => Just(Step::Crash),
    ]
}

/// A delivery in the model.
#[derive(Clone, Debug)]
struct Thought {
    host: String,
    inbox: String,
    /// It must stay in order with other deliveries of ordered kinds.
    keeps_order: bool,
    is_under_way: bool,
    attempts: i64,
    next: i64,
}

/// The model of the queue: unfinished deliveries, in order.
#[derive(Default)]
struct Thoughts {
    open: std::collections::BTreeMap<String, Thought>,
    ids: HashMap<String, i64>,
    /// Until when a failed host is held back; afterwards it gets one delivery at a time, until one arrives.
    held: HashMap<String, i64>,
}

impl Thoughts {
    fn all_under_way(&self) -> Vec<String> {
        let under_way = self.open.iter().filter(|(_, one)| one.is_under_way);
        under_way.map(|(name, _)| name.clone()).collect()
    }

    fn one_under_way(&self, which: usize) -> Option<String> {
        let names = self.all_under_way();
        let place = which.checked_rem(names.len())?;
        names.into_iter().nth(place)
    }

    fn under_way(&self, host: &str) -> u32 {
        let busy = self.open.values().filter(|one| one.is_under_way);
        u32::try_from(busy.filter(|one| one.host == host).count()).unwrap()
    }

    /// Deliveries that could be claimed now: due, first of the due ones of their inbox, not behind anything they must
    /// not overtake, with nothing under way for the inbox and capacity at the host.
    fn claimable(&self, now: i64) -> Vec<String> {
        let mut found = self.first_of_each_inbox(now);
        found.retain(|name| self.under_way(&self.open[name].host) < PER_HOST);
        found.extend(self.held.keys().filter_map(|host| self.probe(host, now)));
        found
    }

    /// The delivery that shows whether a held host is back: the newest untried one, unless an ordered kind waits for
    /// the same inbox; otherwise the retry that has been due longest.
    fn probe(&self, host: &str, now: i64) -> Option<String> {
        if self.held[host] > now || self.under_way(host) > 0 {
            return None;
        }
        let older = |name: &str, one: &Thought| {
            let others = self
                .open
                .iter()
                .take_while(|(other, _)| other.as_str() < name);
            let others = others.filter(|(_, other)| other.inbox == one.inbox);
            others.map(|(_, other)| other).collect::<Vec<_>>()
        };
        let is_behind = |name: &str, one: &Thought| {
            one.keeps_order && older(name, one).iter().any(|other| other.keeps_order)
        };
        let overtakes = |name: &str, one: &Thought| {
            let older = older(name, one);
            older
                .iter()
                .any(|other| other.keeps_order && other.next <= now)
        };
        let due = || {
            let here = self.open.iter().filter(|(_, one)| one.host == host);
            here.filter(|(name, one)| one.next <= now && !is_behind(name, one))
        };
        let fresh = due()
            .filter(|(name, one)| one.attempts == 0 && !overtakes(name, one))
            .max_by_key(|(name, one)| (one.next, *name));
        let tried = due()
            .filter(|(_, one)| one.attempts > 0)
            .min_by_key(|(name, one)| (one.next, *name));
        fresh.or(tried).map(|(name, _)| name.clone())
    }

    /// The same, however many are under way for the host.
    fn first_of_each_inbox(&self, now: i64) -> Vec<String> {
        let mut served: HashSet<&str> = HashSet::new();
        let mut kept: HashSet<&str> = HashSet::new();
        let mut found = Vec::new();
        let busy: HashSet<&str> = self
            .open
            .values()
            .filter(|one| one.is_under_way)
            .map(|one| one.inbox.as_str())
            .collect();
        for (name, one) in &self.open {
            let is_behind = one.keeps_order && !kept.insert(&one.inbox);
            let is_turn = one.next <= now && !is_behind && served.insert(&one.inbox);
            let is_free = !busy.contains(one.inbox.as_str()) && !self.held.contains_key(&one.host);
            if is_turn && is_free {
                found.push(name.clone());
            }
        }
        found
    }
}

async fn check_claim(fediverse: &FederationTables, thoughts: &mut Thoughts, limit: u32, now: i64) {
    let claimed = fediverse.claim(limit, PER_HOST, at(now)).await.unwrap();
    let mut has_backlog = false;
    for one in &claimed {
        let name = one.activity_id.clone();
        assert!(
            thoughts.claimable(now).contains(&name),
            "it is not the turn of {name}: it is not due, behind another, or its inbox or host is busy"
        );
        let thought = thoughts.open.get_mut(&name).unwrap();
        assert_eq!(one.attempts, thought.attempts);
        let is_probe = thoughts.held.contains_key(&one.host);
        assert!(
            is_probe || thought.attempts > 0 || !has_backlog,
            "new before backlog"
        );
        has_backlog |= thought.attempts > 0 && !is_probe;
        thought.is_under_way = true;
        thoughts.ids.insert(name, one.id);
    }
    let left = thoughts.claimable(now);
    if claimed.len() < limit as usize {
        assert!(left.is_empty(), "there was room for {left:?}");
    }
    if has_backlog {
        let fresh = left.iter().find(|name| thoughts.open[*name].attempts == 0);
        assert_eq!(fresh, None, "backlog was taken, and this was not");
    }
}

async fn check_run(
    fediverse: &FederationTables,
    thoughts: &mut Thoughts,
    host: String,
    at_most: u32,
    now: i64,
) {
    let mut wanted = thoughts.first_of_each_inbox(now);
    wanted.retain(|name| thoughts.open[name].host == host);
    wanted.sort_by_key(|name| {
        let one = &thoughts.open[name];
        (one.attempts > 0, one.next, name.clone())
    });
    wanted.truncate(at_most as usize);
    let claimed = fediverse.claim_runs(vec![host], at_most, at(now)).await;
    let claimed = claimed.unwrap();
    let names: Vec<String> = claimed.iter().map(|one| one.activity_id.clone()).collect();
    assert_eq!(names, wanted);
    for one in claimed {
        let thought = thoughts.open.get_mut(&one.activity_id).unwrap();
        thought.is_under_way = true;
        thoughts.ids.insert(one.activity_id, one.id);
    }
}

/// A delivery that is put back is held as long as its host is.
async fn put_back(
    fediverse: &FederationTables,
    thoughts: &mut Thoughts,
    name: &str,
    delay: i64,
    now: i64,
) {
    let host = thoughts.open[name].host.clone();
    let failure = HostFailure {
        host: host.clone(),
        held_until: at(now + delay),
        error: "away".into(),
    };
    let settlement = Settlement {
        put_back: vec![thoughts.ids[name]],
        failures: vec![failure],
        ..Settlement::default()
    };
    fediverse.settle(settlement, at(now)).await.unwrap();
    thoughts.open.get_mut(name).unwrap().is_under_way = false;
    for one in thoughts.open.values_mut() {
        if one.host == host && !one.is_under_way {
            one.next = one.next.max(now + delay);
        }
    }
    thoughts.held.insert(host, now + delay);
}

async fn finish(
    fediverse: &FederationTables,
    thoughts: &mut Thoughts,
    name: &str,
    end: Option<i64>,
    now: i64,
) {
    let outcome = match end {
        None => DeliveryOutcome::Delivered { status: 202 },
        Some(delay) => DeliveryOutcome::Retry {
            next_at: at(now + delay),
            status: None,
            error: "away".into(),
        },
    };
    let id = thoughts.ids[name];
    fediverse
        .finish(vec![(id, outcome)], at(now))
        .await
        .unwrap();
    let Some(delay) = end else {
        let host = thoughts.open.remove(name).unwrap().host;
        if thoughts.held.remove(&host).is_some() {
            fediverse.note_success(&host, at(now)).await.unwrap();
            let here = thoughts.open.values_mut().filter(|one| one.host == host);
            here.filter(|one| !one.is_under_way)
                .for_each(|one| one.next = one.next.min(now));
        }
        return;
    };
    let one = thoughts.open.get_mut(name).unwrap();
    one.is_under_way = false;
    one.attempts += 1;
    one.next = now + delay;
    if !one.keeps_order {
        return;
    }
    let (inbox, next) = (one.inbox.clone(), one.next);
    for (other, behind) in &mut thoughts.open {
        if behind.inbox == inbox && behind.keeps_order && other.as_str() > name {
            behind.next = behind.next.max(next);
        }
    }
}

async fn follow(fediverse: &FederationTables, steps: &[Step], queue: usize) {
    let mut thoughts = Thoughts::default();
    let mut now = 0;
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Send { host, person } => {
                let host = format!("h{host}.q{queue}.example");
                let to = inbox(&format!("u{person}"), &host);
                let keeps_order = number % 3 == 0;
                let kind = match keeps_order {
                    true => DeliveryKind::Accept,
                    false => DeliveryKind::Post,
                };
                let id = format!("{queue:03}-{number:03}");
                let one = outgoing(&id, kind, DeliveryAudience::Inbox(to.clone()));
                let held = thoughts.held.get(&host).copied().unwrap_or(now);
                let thought = Thought {
                    host,
                    inbox: to,
                    keeps_order,
                    is_under_way: false,
                    attempts: 0,
                    next: held.max(now),
                };
                thoughts.open.insert(one.id.clone(), thought);
                fediverse.send(sending(one), at(now)).await.unwrap();
            }
            Step::Claim { limit } => check_claim(fediverse, &mut thoughts, *limit, now).await,
            Step::Run { host, at_most } => {
                let host = format!("h{host}.q{queue}.example");
                check_run(fediverse, &mut thoughts, host, *at_most, now).await;
            }
            Step::PutBack { which, delay } => {
                if let Some(name) = thoughts.one_under_way(*which) {
                    put_back(fediverse, &mut thoughts, &name, *delay, now).await;
                }
            }
            Step::Finish { which, delay } => {
                if let Some(name) = thoughts.one_under_way(*which) {
                    finish(fediverse, &mut thoughts, &name, *delay, now).await;
                }
            }
            Step::Wait { seconds } => now += seconds,
            Step::Crash => {
                fediverse.release_all().await.unwrap();
                for one in thoughts.open.values_mut() {
                    one.is_under_way = false;
                }
            }
        }
    }
    // In the end everything arrives.
    while !thoughts.open.is_empty() {
        now += 50;
        check_claim(fediverse, &mut thoughts, 8, now).await;
        let names = thoughts.all_under_way();
        assert!(!names.is_empty(), "something waits and cannot be claimed");
        for name in names {
            finish(fediverse, &mut thoughts, &name, None, now).await;
        }
    }
}

pub(crate) async fn every_queue_is_handed_out_in_order_and_within_bounds(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let mut runner = TestRunner::deterministic();
    let strategy = prop::collection::vec(step(), 10..80);
    for queue in 0..QUEUES {
        let steps = strategy.new_tree(&mut runner).unwrap().current();
        eprintln!("queue {queue}: {steps:?}");
        follow(&fediverse, &steps, queue).await;
    }
}
