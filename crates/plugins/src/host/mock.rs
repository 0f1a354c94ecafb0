//! A server in memory: it answers what it was given and records what it was asked to do.
//!
//! Tests of plugins run on it, with the same checks before every call as on a real server.

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

/// Everything a plugin did, in the order in which it did it.
#[derive(Clone, Debug, Default)]
pub struct RecordedCalls {
    /// Said in the chat.
    pub chat_sends: Vec<String>,
    /// Done in the chat.
    pub chat_actions: Vec<String>,
    /// Announced in the chat.
    pub chat_systems: Vec<String>,
    /// Said to one connection.
    pub chat_to: Vec<(u64, String)>,
    /// Hidden messages.
    pub deleted_messages: Vec<String>,
    /// Ended connections.
    pub kicked_clients: Vec<u64>,
    /// Addresses that were kept out.
    pub banned_ips: Vec<String>,
    /// Who was let in or kept out, and why.
    pub user_moderations: Vec<(String, bool, String)>,
    /// Who was vouched for.
    pub user_registrations: Vec<Identity>,
    /// For whom a session was asked.
    pub session_tokens: Vec<String>,
    /// Public files.
    pub uploads: Vec<(String, Vec<u8>)>,
    /// Changes of the video settings it asked for.
    pub video_config_writes: Vec<Value>,
    /// Written to Discord.
    pub discord_posts: Vec<String>,
    /// Put on screens.
    pub browser_pushes: Vec<Push>,
    /// Put into the chat in the Fediverse's style.
    pub fediverse_posts: Vec<SocialNotice>,
    /// Posted as the server.
    pub fediverse_outbox: Vec<String>,
    /// Events of its own.
    pub emits: Vec<EmittedEvent>,
    /// Channel, event and data of frames for pages that listen.
    pub sse_sends: Vec<(String, String, String)>,
    /// Requests to other servers.
    pub http_requests: Vec<FetchRequest>,
    /// Requests nobody had an answer for.
    pub unanswered: Vec<String>,
    /// Plugin, level and message.
    pub logs: Vec<(String, Level, String)>,
    /// Plugin, function and the permission it lacks.
    pub denials: Vec<(String, String, Permission)>,
    pub kv: BTreeMap<String, String>,
    /// Buttons it put up.
    pub actions: Vec<Action>,
}

/// A server in memory.
#[derive(Debug)]
pub struct Mock {
    given: InitialState,
    recorded: Mutex<RecordedCalls>,
    /// How often each fixture may still answer.
    left: Mutex<Vec<Option<u32>>>,
}

impl Mock {
    /// A server that answers with `given`.
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

    /// What happened so far.
    #[must_use]
    pub fn recorded(&self) -> RecordedCalls {
        self.record().clone()
    }

    /// Everything a [`Host`](super::Host) needs: files below `storage`, the rest in memory, and a clock that stands
    /// still at `now`.
    #[must_use]
    pub fn parts(self: &Arc<Self>, storage: PathBuf, now: Timestamp) -> HostParts {
        HostParts {
            services: Arc::<Self>::clone(self),
            plugin_data: Arc::<Self>::clone(self),
            network: Arc::<Self>::clone(self),
            streams: Arc::<Self>::clone(self),
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
