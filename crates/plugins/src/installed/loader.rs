//! What the plugin manager needs from the plugin runtime.

use std::fmt::Debug;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use serde::Serialize;

use crate::manifest::{ChatCommand, Slug};
use crate::package::Package;
use crate::permission::Permissions;

/// Runs plugins. An error is a text for the operator, possibly a traceback.
pub trait Loader: Debug + Send + Sync {
    /// Loads a package in a temporary instance, without side effects.
    fn try_load<'a>(&'a self, package: &'a Arc<Package>) -> BoxFuture<'a, Result<(), String>>;

    /// Starts the package with these permissions, replacing the one that runs under its slug. If that fails, the old
    /// one keeps running.
    fn load<'a>(
        &'a self,
        package: &'a Arc<Package>,
        granted: Permissions,
    ) -> BoxFuture<'a, Result<(), String>>;

    /// Stops the plugin with its timers and streams; it need not be running.
    fn unload<'a>(&'a self, slug: &'a Slug) -> BoxFuture<'a, ()>;

    /// Deletes what the loader caches about plugins other than these installed ones.
    fn retain<'a>(&'a self, _present: &'a [Slug]) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    /// The state of a loaded plugin; `None` for one that was never loaded or was ended.
    fn facts(&self, slug: &Slug) -> Option<RunFacts>;
}

/// A plugin's run-time state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFacts {
    /// It accepts calls now; false while it restarts or after it crashed too often.
    pub is_running: bool,
    /// Its filter failed too often, and it is disabled for a while.
    pub is_auto_disabled: bool,
    /// When it is re-enabled.
    pub returns_at: Option<Timestamp>,
    /// Its last failure.
    pub last_error: Option<String>,
    /// Remarks on its code.
    pub warnings: Vec<String>,
    /// Its chat commands, including those of the manifest.
    pub commands: Vec<ChatCommand>,
    /// Memory used, in bytes.
    pub memory_bytes: u64,
    /// Consecutive failures of its filter.
    pub strikes: u32,
    /// Chat lines that skipped its filter because it was busy or too slow.
    pub unfiltered_lines: u64,
    /// Events dropped because it was too slow.
    pub dropped_events: u64,
    /// Call statistics.
    pub calls: CallFacts,
}

/// Call statistics since the plugin was loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallFacts {
    pub total: u64,
    pub failed: u64,
    /// Failed calls that ended the instance: by a trap, the time or the memory.
    pub fatal: u64,
    /// Processor time in microseconds.
    pub cpu_micros: u64,
    /// Median duration of the newest calls in microseconds.
    pub median_micros: u64,
    /// 99th percentile of the newest calls in microseconds.
    pub p99_micros: u64,
}
