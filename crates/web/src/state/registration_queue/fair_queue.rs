//! A queue in which no network blocks another.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// The order of admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Priority {
    /// Plays the stream, or has been here before.
    Known,
    Stranger,
}

/// Known users come first; among them, and among strangers, networks take turns.
#[derive(Debug)]
pub(super) struct FairQueue<N, T> {
    known: RoundRobin<N, T>,
    strangers: RoundRobin<N, T>,
    capacity: usize,
}

impl<N: Clone + Eq + Hash, T> FairQueue<N, T> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            known: RoundRobin::default(),
            strangers: RoundRobin::default(),
            capacity,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn len(&self) -> usize {
        self.known.len + self.strangers.len
    }

    /// Adds an entry. When the queue is full, the newest entry of the network with the most entries is evicted:
    /// strangers before known users.
    pub(super) fn push(&mut self, priority: Priority, network: N, one: T) {
        match priority {
            Priority::Known => self.known.push(network, one),
            Priority::Stranger => self.strangers.push(network, one),
        }
        if self.len() > self.capacity && !self.strangers.drop_last_of_longest() {
            self.known.drop_last_of_longest();
        }
    }

    /// Takes the next entry.
    pub(super) fn pop(&mut self) -> Option<T> {
        self.known.pop().or_else(|| self.strangers.pop())
    }

    /// Removes entries for which this is false.
    pub(super) fn retain(&mut self, stays: impl Fn(&T) -> bool) {
        self.known.retain(&stays);
        self.strangers.retain(&stays);
    }

    pub(super) fn is_full(&self) -> bool {
        self.len() >= self.capacity
    }
}

#[derive(Debug)]
struct RoundRobin<N, T> {
    /// Networks with waiting entries, in the order of their turns.
    turns: VecDeque<N>,
    waiting: HashMap<N, VecDeque<T>>,
    len: usize,
}

impl<N, T> Default for RoundRobin<N, T> {
    fn default() -> Self {
        Self {
            turns: VecDeque::new(),
            waiting: HashMap::new(),
            len: 0,
        }
    }
}

impl<N: Clone + Eq + Hash, T> RoundRobin<N, T> {
    fn push(&mut self, network: N, one: T) {
        let line = self.waiting.entry(network.clone()).or_default();
        if line.is_empty() {
            self.turns.push_back(network);
        }
        line.push_back(one);
        self.len += 1;
    }

    fn pop(&mut self) -> Option<T> {
        let network = self.turns.pop_front()?;
        let line = self.waiting.get_mut(&network)?;
        let one = line.pop_front()?;
        self.len -= 1;
        if line.is_empty() {
            self.waiting.remove(&network);
        } else {
            self.turns.push_back(network);
        }
        Some(one)
    }

    /// Returns whether there was one to drop.
    fn drop_last_of_longest(&mut self) -> bool {
        let length = |network: &N| self.waiting.get(network).map_or(0, VecDeque::len);
        // Among equals, the last one.
        let longest = (0..self.turns.len()).max_by_key(|turn| length(&self.turns[*turn]));
        let Some(turn) = longest else { return false };
        let Some(line) = self.waiting.get_mut(&self.turns[turn]) else {
            return false;
        };
        line.pop_back();
        self.len -= 1;
        if line.is_empty() {
            self.waiting.remove(&self.turns[turn]);
            self.turns.remove(turn);
        }
        true
    }

    fn retain(&mut self, stays: impl Fn(&T) -> bool) {
        self.waiting.retain(|_, line| {
            line.retain(&stays);
            !line.is_empty()
        });
        self.turns
            .retain(|network| self.waiting.contains_key(network));
        self.len = self.waiting.values().map(VecDeque::len).sum();
    }
}

#[cfg(test)]
mod tests {
    use Priority::{Known, Stranger};
    use proptest::prelude::*;

    use super::*;

    fn all<T>(mut queue: FairQueue<u8, T>) -> Vec<T> {
        std::iter::from_fn(|| queue.pop()).collect()
    }

    #[test]
    fn each_network_has_its_turn_whoever_else_is_waiting() {
        let mut queue = FairQueue::new(100);
        for number in 0..50 {
            queue.push(Stranger, 1, number);
        }
        queue.push(Stranger, 2, 1_000);
        queue.push(Stranger, 3, 2_000);
        assert_eq!(all(queue)[..5], [0, 1_000, 2_000, 1, 2]);
    }

    #[test]
    fn those_who_are_known_go_first() {
        let mut queue = FairQueue::new(100);
        queue.push(Stranger, 1, "stranger");
        queue.push(Known, 1, "known");
        assert_eq!(all(queue), ["known", "stranger"]);
    }

    #[test]
    fn a_full_queue_sends_away_the_last_one_of_whoever_takes_up_most_of_it() {
        let mut queue = FairQueue::new(3);
        queue.push(Stranger, 1, "first of a crowd");
        queue.push(Stranger, 1, "second of a crowd");
        queue.push(Stranger, 1, "third of a crowd");
        queue.push(Stranger, 2, "alone");
        queue.push(Known, 3, "known");
        assert_eq!(all(queue), ["known", "first of a crowd", "alone"]);
    }

    #[test]
    fn among_equals_whoever_comes_to_a_full_queue_is_sent_away() {
        let mut queue = FairQueue::new(2);
        for network in 1..=3 {
            queue.push(Stranger, network, network);
        }
        assert_eq!(all(queue), [1, 2]);
    }

    proptest! {
        #[test]
        fn nobody_is_lost_or_let_in_twice_and_order_holds_within_a_network(
            steps in proptest::collection::vec((any::<bool>(), 0u8..4, 0u8..4), 0..200),
        ) {
            const CAPACITY: usize = 12;
            let mut queue = FairQueue::new(CAPACITY);
            let mut let_in = Vec::new();
            for (number, (is_known, network, pops)) in steps.into_iter().enumerate() {
                let priority = if is_known { Known } else { Stranger };
                queue.push(priority, network, (is_known, network, number));
                prop_assert!(queue.len() <= CAPACITY);
                if pops == 0 {
                    queue.retain(|(_, _, number)| number % 3 != 0);
                }
                let_in.extend((0..pops).filter_map(|_| queue.pop()));
            }
            let_in.extend(all(queue));
            for is_known in [false, true] {
                for network in 0..4 {
                    let theirs = let_in.iter().filter(|one| (one.0, one.1) == (is_known, network));
                    let numbers: Vec<usize> = theirs.map(|one| one.2).collect();
                    prop_assert!(numbers.is_sorted_by(|earlier, later| earlier < later));
                }
            }
        }
    }
}
