//! What one transaction of the writer added to the event log, for those who follow it, here and on other servers.
//!
//! Only a store that shares its database with other servers has this: alone, nobody is handed anything.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::LoggedEvent;
use tokio::sync::{Notify, mpsc, watch};

/// Groups that wait for one follower; beyond that they are dropped, and it reads the database.
const FOLLOWER_INBOX: usize = 1024;

/// The events of one transaction, and where they stand in the log.
///
/// No event will ever appear between `prev` and the first of them: the transaction held the lock under which numbers
/// are drawn and committed, and looked at the log after it got it.
#[derive(Clone, Debug)]
pub struct GroupCommit {
    /// The newest event before the transaction; 0 if there was none.
    pub prev: i64,
    /// Oldest first; may be empty.
    pub events: Vec<LoggedEvent>,
    pub wake: Wake,
}

/// The queues that a transaction put something into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wake {
    /// Something is to be sent to other servers.
    pub deliveries: bool,
    /// Something arrived from other servers.
    pub inbox: bool,
}

impl GroupCommit {
    /// The newest of its events.
    pub fn last(&self) -> Option<i64> {
        self.events.last().map(|logged| logged.seq)
    }
}

/// Somebody who is handed groups.
#[derive(Debug)]
struct Listener {
    groups: mpsc::Sender<Arc<GroupCommit>>,
    /// It tells other servers, who know of their own.
    is_only_for_own: bool,
}

/// Hands groups to the followers of this process.
#[derive(Debug)]
pub(crate) struct GroupFeed {
    /// Another one in every process, so that a server knows what it told itself.
    pub(crate) id: u64,
    /// Empty once the store is closed.
    listeners: Mutex<Option<Vec<Listener>>>,
    /// The end of the newest group that was handed out.
    pub(crate) told: watch::Sender<i64>,
    /// The end of the log, as it was when the database was last asked.
    pub(crate) seen: watch::Sender<i64>,
    /// Asks for a look at the end of the log, without waiting for silence.
    pub(crate) look: Arc<Notify>,
}

impl Default for GroupFeed {
    fn default() -> Self {
        Self {
            id: RandomState::new().hash_one(0_u8),
            listeners: Mutex::new(Some(Vec::new())),
            told: watch::Sender::new(0),
            seen: watch::Sender::new(0),
            look: Arc::default(),
        }
    }
}

impl GroupFeed {
    /// The groups from now on, whoever committed them.
    pub(crate) fn subscribe(&self) -> mpsc::Receiver<Arc<GroupCommit>> {
        self.listen(false)
    }

    /// The groups that this process commits from now on.
    pub(crate) fn subscribe_to_own(&self) -> mpsc::Receiver<Arc<GroupCommit>> {
        self.listen(true)
    }

    fn listen(&self, is_only_for_own: bool) -> mpsc::Receiver<Arc<GroupCommit>> {
        let (sender, groups) = mpsc::channel(FOLLOWER_INBOX);
        if let Some(listeners) = self.lock().as_mut() {
            listeners.push(Listener {
                groups: sender,
                is_only_for_own,
            });
        }
        groups
    }

    /// Hands everybody a group that this process has committed. Who has no capacity left finds the gap and reads the
    /// database.
    pub(crate) fn hand_out(&self, group: GroupCommit) {
        self.hand(group, true);
    }

    /// The same with a group of another server.
    pub(crate) fn hand_on(&self, group: GroupCommit) {
        self.hand(group, false);
    }

    fn hand(&self, group: GroupCommit, is_own: bool) {
        let Some(last) = group.last() else {
            return;
        };
        let group = Arc::new(group);
        if let Some(listeners) = self.lock().as_mut() {
            listeners.retain(|listener| {
                if listener.is_only_for_own && !is_own {
                    return true;
                }
                let sent = listener.groups.try_send(Arc::clone(&group));
                !matches!(sent, Err(mpsc::error::TrySendError::Closed(_)))
            });
        }
        // What is told again is no news: the end of the log is looked at as if nothing had been said.
        self.told.send_if_modified(|told| {
            let is_news = *told < last;
            *told = last.max(*told);
            is_news
        });
    }

    /// Ends every listener.
    pub(crate) fn close(&self) {
        *self.lock() = None;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_none()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Vec<Listener>>> {
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use model::Event;

    use super::*;

    fn group(seq: i64) -> GroupCommit {
        GroupCommit {
            prev: seq - 1,
            events: vec![LoggedEvent {
                seq,
                at: Timestamp::UNIX_EPOCH,
                event: Event::ChatPinChanged,
            }],
            wake: Wake::default(),
        }
    }

    #[test]
    fn a_follower_without_capacity_loses_groups_and_holds_up_nobody() {
        let feed = GroupFeed::default();
        let mut groups = feed.subscribe();
        let too_many = i64::try_from(FOLLOWER_INBOX).unwrap() + 5;
        for seq in 1..=too_many {
            feed.hand_out(group(seq));
        }
        let mut count = 0;
        while groups.try_recv().is_ok() {
            count += 1;
        }
        assert_eq!(count, FOLLOWER_INBOX);
        feed.hand_out(group(too_many + 1));
        assert_eq!(groups.try_recv().unwrap().prev, too_many);
    }

    #[test]
    fn whoever_tells_other_servers_hears_of_own_groups_alone() {
        let feed = GroupFeed::default();
        let (mut all, mut own) = (feed.subscribe(), feed.subscribe_to_own());
        feed.hand_on(group(1));
        feed.hand_out(group(2));
        assert_eq!(all.try_recv().unwrap().last(), Some(1));
        assert_eq!(all.try_recv().unwrap().last(), Some(2));
        assert_eq!(own.try_recv().unwrap().last(), Some(2));
        assert!(own.try_recv().is_err());
    }

    #[test]
    fn what_is_told_again_does_not_count_as_news() {
        let feed = GroupFeed::default();
        feed.hand_out(group(2));
        let mut news = feed.told.subscribe();
        feed.hand_on(group(1));
        assert!(!news.has_changed().unwrap());
        feed.hand_on(group(3));
        assert!(news.has_changed().unwrap());
        assert_eq!(*news.borrow_and_update(), 3);
    }

    #[test]
    fn closing_ends_the_followers_that_are_there_and_those_that_come() {
        let feed = GroupFeed::default();
        let mut before = feed.subscribe();
        feed.close();
        let mut after = feed.subscribe();
        for groups in [&mut before, &mut after] {
            let end = groups.try_recv().unwrap_err();
            assert_eq!(end, mpsc::error::TryRecvError::Disconnected);
        }
    }
}
