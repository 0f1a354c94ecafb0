//! A mock server: it returns prepared answers and records all calls.
//!
//! The runtime tries a package on it before it loads it, and plugin tests run on it, with the same checks before every
//! call as on a real server.

mod initial_state;
mod network;
mod services;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use model::{Clock, Sleep};
use serde_json::Value;

use crate::host::events::EmittedEvent;
use crate::host::fetch::FetchRequest;
use crate::host::log::Level;
use crate::host::parts::{HostParts, SqlStorage};
use crate::host::rate_limit::RateLimitMode;
use crate::host::services::{Identity, Push, SocialNotice};
use crate::manifest::Action;
use crate::permission::Permission;

pub use initial_state::{HttpFixture, InitialState};

/// Everything a plugin did, in order.
#[derive(Clone, Debug, Default)]
pub struct RecordedCalls {
    pub chat_sends: Vec<String>,
    pub chat_actions: Vec<String>,
    pub chat_systems: Vec<String>,
    pub chat_to: Vec<(u64, String)>,
    pub deleted_messages: Vec<String>,
    pub kicked_clients: Vec<u64>,
    pub banned_ips: Vec<String>,
    /// User, enabled or not, and the reason.
    pub user_moderations: Vec<(String, bool, String)>,
    pub user_registrations: Vec<Identity>,
    /// The users for whom a session token was requested.
    pub session_tokens: Vec<String>,
    pub uploads: Vec<(String, Vec<u8>)>,
    /// Requested changes of the video settings.
    pub video_config_writes: Vec<Value>,
    pub discord_posts: Vec<String>,
    pub browser_pushes: Vec<Push>,
    /// Fediverse-style entries in the chat.
    pub fediverse_posts: Vec<SocialNotice>,
    /// Posts from the server's account.
    pub fediverse_outbox: Vec<String>,
    /// Emitted events.
    pub emits: Vec<EmittedEvent>,
    /// Channel, event and data of server-sent events.
    pub sse_sends: Vec<(String, String, String)>,
    pub http_requests: Vec<FetchRequest>,
    /// Requests without a matching fixture.
    pub unanswered: Vec<String>,
    /// Plugin, level and message.
    pub logs: Vec<(String, Level, String)>,
    /// Plugin, function and the permission it lacks.
    pub denials: Vec<(String, String, Permission)>,
    pub kv: BTreeMap<String, String>,
    /// Action buttons it added.
    pub actions: Vec<Action>,
}

/// A mock server.
#[derive(Debug)]
pub struct Mock {
    given: InitialState,
    recorded: Mutex<RecordedCalls>,
    /// How many more times each fixture may answer.
    left: Mutex<Vec<Option<u32>>>,
}

impl Mock {
    /// A server with this initial state.
    #[must_use]
    pub fn new(given: InitialState) -> Arc<Self> {
        let recorded = RecordedCalls {
            kv: given.kv.clone(),
            ..RecordedCalls::default()
        };
        let left = given.http_responses.iter().map(|fixture| fixture.times);
        Arc::new(Self {
            recorded: Mutex::new(recorded),
            left: Mutex::new(left.collect()),
            given,
        })
    }

    /// Everything recorded so far.
    #[must_use]
    pub fn recorded(&self) -> RecordedCalls {
        self.record().clone()
    }

    /// Everything a [`Host`](super::Host) needs: files below `storage`, the rest in memory, and a clock stopped at
    /// `now`.
    #[must_use]
    pub fn parts(self: &Arc<Self>, storage: PathBuf, now: Timestamp) -> HostParts {
        HostParts {
            services: Arc::<Self>::clone(self),
            plugin_data: Arc::<Self>::clone(self),
            network: Arc::<Self>::clone(self),
            streams: Arc::default(),
            deliveries: Arc::<Self>::clone(self),
            clock: Arc::new(StillClock { now }),
            storage,
            sql: SqlStorage::Memory,
            rate_limit_mode: RateLimitMode::Call,
        }
    }

    fn record(&self) -> MutexGuard<'_, RecordedCalls> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A clock on which nothing is ever due: tests fire timers by hand.
#[derive(Clone, Copy, Debug)]
pub struct StillClock {
    now: Timestamp,
}

impl Clock for StillClock {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn uptime(&self) -> Duration {
        Duration::ZERO
    }

    fn sleep_until(&self, _deadline: Timestamp) -> Sleep<'_> {
        Box::pin(std::future::pending())
    }
}
