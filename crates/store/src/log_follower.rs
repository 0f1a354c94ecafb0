//! Reads the event log in its order, without gaps and without doubles, while other servers write to it as well.

use std::sync::Arc;

use model::LoggedEvent;
use sqlx::AnyPool;
use tokio::sync::{mpsc, watch};

use crate::database::Store;
use crate::error::StoreError;
use crate::group_commit::{GroupCommit, GroupFeed};
use crate::log_rows::{MAX_READ, read_after};
use crate::log_watch::QUIET;

/// A reader of the log with a place in it.
#[derive(Debug)]
pub struct LogFollower {
    feed: Arc<GroupFeed>,
    readers: AnyPool,
    groups: mpsc::Receiver<Arc<GroupCommit>>,
    seen: watch::Receiver<i64>,
    place: LogPlace,
}

/// How far somebody has read, and how far they know that there is something to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LogPlace {
    /// Everything up to here was handed on.
    read: i64,
    /// The database has something up to here.
    goal: i64,
}

impl LogPlace {
    /// What of a group comes next. Nothing, if it is known already or if events before it are missing.
    fn advance(&mut self, group: &GroupCommit) -> Vec<LoggedEvent> {
        let Some(last) = group.last().filter(|last| *last > self.read) else {
            return vec![];
        };
        if group.prev > self.read {
            self.look_to(last);
            return vec![];
        }
        let read = std::mem::replace(&mut self.read, last);
        let news = group.events.iter().filter(|logged| logged.seq > read);
        news.cloned().collect()
    }

    /// Whether the database has something that was not handed on yet.
    fn is_behind(&self) -> bool {
        self.read < self.goal
    }

    /// The database was seen to have something up to here.
    fn look_to(&mut self, end: i64) {
        self.goal = self.goal.max(end);
    }

    /// These were read after the place. Without any, what was to be read there is gone: it was pruned, and what comes is
    /// judged by where it stands.
    fn take(&mut self, events: &[LoggedEvent]) {
        match events.last() {
            Some(last) => self.read = last.seq,
            None => self.goal = self.read,
        }
    }
}

impl Store {
    /// Whether other servers may write to the same database.
    pub fn is_shared(&self) -> bool {
        self.feed.is_some()
    }

    /// Follows the log from its present end; `None` if no other server writes to the database, because then what is done
    /// here is all there is. Whoever reads a state after this call and then follows misses nothing.
    pub async fn follow_log(&self) -> Result<Option<LogFollower>, StoreError> {
        let Some(feed) = &self.feed else {
            return Ok(None);
        };
        // Before the end is read, or a group could fall between the two.
        let (groups, seen) = (feed.subscribe(), feed.seen.subscribe());
        let end = self.newest_event().await?;
        Ok(Some(LogFollower {
            feed: Arc::clone(feed),
            readers: self.readers.clone(),
            groups,
            seen,
            place: LogPlace {
                read: end,
                goal: end,
            },
        }))
    }
}

impl LogFollower {
    /// Everything up to here was returned by [`next`](Self::next).
    pub fn place(&self) -> i64 {
        self.place.read
    }

    /// Whether the store is closed, so that nothing more will come.
    pub fn is_closed(&self) -> bool {
        self.feed.is_closed()
    }

    /// The next events, in the order of the log; `None` once the store is closed. Nothing is lost if the future is
    /// dropped.
    pub async fn next(&mut self) -> Option<Vec<LoggedEvent>> {
        loop {
            if self.place.is_behind() {
                match read_after(&self.readers, self.place.read, MAX_READ).await {
                    Ok(events) => {
                        self.place.take(&events);
                        if !events.is_empty() {
                            return Some(events);
                        }
                    }
                    Err(_) if self.feed.is_closed() => return None,
                    Err(error) => {
                        tracing::debug!(%error, "cannot read the event log; trying again");
                        tokio::time::sleep(QUIET).await;
                    }
                }
                continue;
            }
            tokio::select! {
                biased;
                group = self.groups.recv() => {
                    let group = group?;
                    let events = self.place.advance(&group);
                    if !events.is_empty() {
                        return Some(events);
                    }
                }
                changed = self.seen.changed() => {
                    changed.ok()?;
                    let end = *self.seen.borrow_and_update();
                    self.place.look_to(end);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use model::Event;
    use proptest::prelude::*;

    use super::*;
    use crate::group_commit::Wake;

    fn group(prev: i64, seqs: &[i64]) -> GroupCommit {
        let events = seqs.iter().map(|seq| LoggedEvent {
            seq: *seq,
            at: Timestamp::UNIX_EPOCH,
            event: Event::ChatPinChanged,
        });
        GroupCommit {
            prev,
            events: events.collect(),
            wake: Wake::default(),
        }
    }

    fn seqs(events: &[LoggedEvent]) -> Vec<i64> {
        events.iter().map(|logged| logged.seq).collect()
    }

    #[test]
    fn a_group_is_taken_once_and_only_where_nothing_is_missing_before_it() {
        let mut place = LogPlace { read: 5, goal: 5 };
        assert!(place.advance(&group(3, &[4, 5])).is_empty());
        assert_eq!(seqs(&place.advance(&group(3, &[4, 5, 6]))), [6]);
        // Numbers of transactions that were rolled back stay free.
        assert_eq!(seqs(&place.advance(&group(6, &[9, 10]))), [9, 10]);
        assert_eq!(place, LogPlace { read: 10, goal: 5 });
        assert!(place.advance(&group(12, &[13])).is_empty());
        assert_eq!(place, LogPlace { read: 10, goal: 13 });
        assert!(place.advance(&group(10, &[])).is_empty());
    }

    /// What happens around a follower.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        /// Some server commits the next group, so that the database has it.
        Commit,
        /// News of one of the committed groups arrives: late, twice or never, as NATS may do.
        Hear(usize),
        /// The end of the log is looked at.
        Look,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            3 => Just(Step::Commit),
            6 => (0..64_usize).prop_map(Step::Hear),
            1 => Just(Step::Look),
        ];
        prop::collection::vec(step, 0..120)
    }

    /// Groups of one to three events, with numbers left free between and inside them.
    fn log(shapes: &[(i64, Vec<i64>)]) -> Vec<GroupCommit> {
        let mut prev = 0;
        let groups = shapes.iter().map(|(skipped, steps)| {
            let mut seq = prev + skipped;
            let numbers: Vec<i64> = steps
                .iter()
                .map(|step| {
                    seq += step;
                    seq
                })
                .collect();
            let group = group(prev, &numbers);
            prev = seq;
            group
        });
        groups.collect()
    }

    /// A follower without a database behind it.
    struct Virtual {
        place: LogPlace,
        committed: Vec<LoggedEvent>,
        handed_on: Vec<LoggedEvent>,
        /// Events of one read.
        most: usize,
    }

    impl Virtual {
        /// What [`LogFollower::next`] does between two pieces of news.
        fn catch_up(&mut self) {
            while self.place.is_behind() {
                let read = self.place.read;
                let rest = self.committed.iter().filter(|logged| logged.seq > read);
                let events: Vec<LoggedEvent> = rest.take(self.most).cloned().collect();
                self.place.take(&events);
                self.handed_on.extend(events);
            }
        }

        fn hear(&mut self, group: &GroupCommit) {
            self.handed_on.extend(self.place.advance(group));
            self.catch_up();
        }

        fn look(&mut self) {
            let end = self.committed.last().map_or(0, |logged| logged.seq);
            self.place.look_to(end);
            self.catch_up();
        }
    }

    proptest! {
        #[test]
        fn everything_is_handed_on_once_and_in_order_whatever_becomes_of_the_news(
            shapes in prop::collection::vec((0..3_i64, prop::collection::vec(1..4_i64, 1..4)), 1..24),
            steps in steps(),
            most in 1..5_usize,
        ) {
            let groups = log(&shapes);
            let mut follower = Virtual {
                place: LogPlace { read: 0, goal: 0 },
                committed: vec![],
                handed_on: vec![],
                most,
            };
            let mut there = 0;
            for step in steps {
                match step {
                    Step::Commit => {
                        if let Some(group) = groups.get(there) {
                            follower.committed.extend(group.events.iter().cloned());
                            there += 1;
                        }
                    }
                    Step::Hear(number) if there > 0 => follower.hear(&groups[number % there]),
                    Step::Hear(_) => {}
                    Step::Look => follower.look(),
                }
                // At every moment it is the beginning of the log.
                let count = follower.handed_on.len();
                prop_assert!(count <= follower.committed.len());
                prop_assert_eq!(&follower.handed_on[..], &follower.committed[..count]);
            }
            follower.look();
            prop_assert_eq!(follower.handed_on, follower.committed);
        }
    }

    #[test]
    fn the_last_group_is_found_by_looking_if_no_news_of_it_comes() {
        let groups = log(&[(0, vec![1]), (2, vec![1, 1]), (0, vec![1])]);
        let mut follower = Virtual {
            place: LogPlace { read: 0, goal: 0 },
            committed: groups
                .iter()
                .flat_map(|group| group.events.clone())
                .collect(),
            handed_on: vec![],
            most: 500,
        };
        follower.hear(&groups[0]);
        assert_eq!(seqs(&follower.handed_on), [1]);
        follower.look();
        assert_eq!(seqs(&follower.handed_on), [1, 4, 5, 6]);
        // News that comes after all is old.
        for group in &groups {
            follower.hear(group);
        }
        assert_eq!(follower.handed_on.len(), 4);
    }

    #[test]
    fn news_of_what_the_database_does_not_have_moves_nothing() {
        let mut follower = Virtual {
            place: LogPlace { read: 5, goal: 5 },
            committed: vec![],
            handed_on: vec![],
            most: 500,
        };
        follower.hear(&group(70, &[71]));
        assert_eq!(follower.place, LogPlace { read: 5, goal: 5 });
        follower.hear(&group(5, &[6]));
        assert_eq!(seqs(&follower.handed_on), [6]);
    }
}
