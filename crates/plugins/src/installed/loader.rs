//! What the plugin manager needs of whoever runs plugins.

use std::fmt::Debug;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use serde::Serialize;

use crate::manifest::{ChatCommand, Slug};
use crate::package::Package;
use crate::permission::Permissions;

/// Runs plugins. An error is a text for the operator, a traceback among others.
pub trait Loader: Debug + Send + Sync {
    /// Loads a package in an instance of its own that is thrown away, without any effect outside.
    fn try_load<'a>(&'a self, package: &'a Arc<Package>) -> BoxFuture<'a, Result<(), String>>;

    /// Starts the package with these permissions in place of the one that runs under its slug. When that fails, what
    /// ran before goes on.
    fn load<'a>(
        &'a self,
        package: &'a Arc<Package>,
        granted: Permissions,
    ) -> BoxFuture<'a, Result<(), String>>;

    /// Ends the plugin with its timers and streams; it need not run.
    fn unload<'a>(&'a self, slug: &'a Slug) -> BoxFuture<'a, ()>;

    /// Forgets what it keeps for itself about all plugins but these, which are those that are there.
    fn retain<'a>(&'a self, _present: &'a [Slug]) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    /// How a plugin that was loaded is doing; `None` for one that was not, or that was ended.
    fn facts(&self, slug: &Slug) -> Option<RunFacts>;
}

/// How a plugin is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFacts {
    /// It takes calls now; not so while it starts again or after it crashed too often.
    pub is_running: bool,
    /// It failed as a filter too often, and is switched off for a while.
    pub is_auto_disabled: bool,
    /// When it comes back from that.
    pub returns_at: Option<Timestamp>,
    /// Why it failed last.
    pub last_error: Option<String>,
    /// What is odd about its code.
    pub warnings: Vec<String>,
    /// The chat commands it declared, those of the manifest among them.
    pub commands: Vec<ChatCommand>,
    /// Bytes of memory it holds.
    pub memory_bytes: u64,
    /// Failures as a filter in a row.
    pub strikes: u32,
    /// Lines of chat that went on without its filter, because it was busy or too slow.
    pub unfiltered_lines: u64,
    /// Events it was too slow for.
    pub dropped_events: u64,
    /// What it was called for.
    pub calls: CallFacts,
}

/// Numbers about calls since the plugin was loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallFacts {
    /// How many there were.
    pub total: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many of those ended the instance: by a trap, the time or the memory.
    pub fatal: u64,
    /// Microseconds it computed.
    pub cpu_micros: u64,
    /// Microseconds within which half of the newest calls were over.
    pub median_micros: u64,
    /// Microseconds within which 99 of 100 of the newest calls were over.
    pub p99_micros: u64,
}
