//! A person in the room, with any number of connections.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use jiff::Timestamp;
use model::chat::ChatUser;
use store::User;

use crate::rate_limit::MemberRateLimiter;

/// One person, shared by all of their connections.
#[derive(Debug)]
pub(crate) struct Member {
    profile: ArcSwap<MemberProfile>,
    limiter: Mutex<MemberRateLimiter>,
}

/// A person as stored and as shown.
#[derive(Debug)]
pub(crate) struct MemberProfile {
    pub(crate) user: User,
    pub(crate) public: Arc<ChatUser>,
}

impl From<User> for MemberProfile {
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
            profile: ArcSwap::from_pointee(user.into()),
            limiter: Mutex::default(),
        }
    }

    pub(crate) fn now(&self) -> Arc<MemberProfile> {
        self.profile.load_full()
    }

    pub(crate) fn set(&self, user: User) {
        self.profile.store(Arc::new(user.into()));
    }

    /// Records that they have written their first line.
    pub(crate) fn spoke(&self, at: Timestamp) {
        if self.profile.load().user.spoke_at.is_some() {
            return;
        }
        self.profile.rcu(|profile| MemberProfile {
            user: User {
                spoke_at: Some(at),
                ..profile.user.clone()
            },
            public: Arc::clone(&profile.public),
        });
    }

    pub(crate) fn limiter(&self) -> MutexGuard<'_, MemberRateLimiter> {
        self.limiter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
