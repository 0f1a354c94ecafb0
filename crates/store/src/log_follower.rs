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
            self.goal = self.goal.max(last);
            return vec![];
        }
        let read = std::mem::replace(&mut self.read, last);
        let news = group.events.iter().filter(|logged| logged.seq > read);
        news.cloned().collect()
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
            if self.place.read < self.place.goal {
                match read_after(&self.readers, self.place.read, MAX_READ).await {
                    Ok(events) => {
                        // Without events those up to the goal were pruned meanwhile.
                        let last = events.last().map(|logged| logged.seq);
                        self.place.read = last.unwrap_or(self.place.goal);
                        if last.is_some() {
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
                    self.place.goal = self.place.goal.max(end);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use model::Event;

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
}
