//! A person in the room, however many connections they have.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use jiff::Timestamp;
use model::chat::ChatUser;
use store::User;

use crate::pace::Limiter;

/// Shared by all connections of one person.
#[derive(Debug)]
pub(crate) struct Member {
    known: ArcSwap<Known>,
    pace: Mutex<Limiter>,
}

/// A person as stored and as shown.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) user: User,
    pub(crate) public: Arc<ChatUser>,
}

impl From<User> for Known {
    fn from(user: User) -> Self {
        Self {
            public: Arc::new(user.public()),
            user,
        }
    }
}

impl Member {
    pub(crate) fn new(user: User) -> Self {
        Self {
            known: ArcSwap::from_pointee(user.into()),
            pace: Mutex::default(),
        }
    }

    pub(crate) fn now(&self) -> Arc<Known> {
        self.known.load_full()
    }

    pub(crate) fn set(&self, user: User) {
        self.known.store(Arc::new(user.into()));
    }

    /// They wrote something for the first time.
    pub(crate) fn spoke(&self, at: Timestamp) {
        if self.known.load().user.spoke_at.is_some() {
            return;
        }
        self.known.rcu(|known| Known {
            user: User {
                spoke_at: Some(at),
                ..known.user.clone()
            },
            public: Arc::clone(&known.public),
        });
    }

    pub(crate) fn pace(&self) -> MutexGuard<'_, Limiter> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
