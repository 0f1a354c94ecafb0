//! The parts of a [`Host`](super::Host).

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use model::Clock;
use serde_json::Value;

use crate::host::assets::Assets;
use crate::host::events::EmittedEvent;
use crate::host::fetch::Network;
use crate::host::rate_limit::RateLimitMode;
use crate::host::services::{HostServices, ServiceFuture};
use crate::host::sse::SseHub;
use crate::manifest::{Action, Manifest};
use crate::permission::Permissions;

/// The calling plugin, as the operator's side knows it.
#[derive(Clone, Debug)]
pub struct Plugin {
    pub manifest: Arc<Manifest>,
    /// What the operator approved.
    pub permissions: Permissions,
    /// The files in its package.
    pub assets: Assets,
}

/// What the hosts of all plugins share.
#[derive(Clone, Debug)]
pub struct HostParts {
    pub services: Arc<dyn HostServices>,
    /// Where keys, settings and buttons are stored.
    pub plugin_data: Arc<dyn PluginData>,
    pub network: Arc<dyn Network>,
    /// The listening pages.
    pub streams: Arc<SseHub>,
    /// Where events and timers are delivered.
    pub deliveries: Arc<dyn Deliveries>,
    pub clock: Arc<dyn Clock>,
    /// The folder with one subfolder for each plugin's files.
    pub storage: PathBuf,
    /// Where a plugin's own database is stored.
    pub sql: SqlStorage,
    /// How a plugin's chat rate limit is counted.
    pub rate_limit_mode: RateLimitMode,
}

/// Where a plugin's own database is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlStorage {
    /// Beside its files.
    Disk,
    /// In memory, until the plugin is unloaded.
    Memory,
}

/// A plugin's data in the server's database; its own keys are separate from data about it.
pub trait PluginData: Send + Sync + Debug {
    /// The value of a key.
    fn kv_get<'a>(&'a self, slug: &'a str, key: &'a str) -> ServiceFuture<'a, Option<String>>;
    /// Stores a value; an empty one deletes the key.
    fn kv_set<'a>(&'a self, slug: &'a str, key: &'a str, value: &'a str) -> ServiceFuture<'a, ()>;
    /// The operator's settings for the plugin.
    fn config<'a>(&'a self, slug: &'a str) -> ServiceFuture<'a, BTreeMap<String, Value>>;
    /// The buttons the plugin added at run time.
    fn actions<'a>(&'a self, slug: &'a str) -> ServiceFuture<'a, Vec<Action>>;
    /// Replaces them.
    fn set_actions<'a>(&'a self, slug: &'a str, actions: &'a [Action]) -> ServiceFuture<'a, ()>;
}

/// Delivers what a plugin sets off, to other plugins or back to itself.
pub trait Deliveries: Send + Sync + Debug {
    /// Relays an emitted event. Must not wait for anybody.
    fn emitted(&self, event: EmittedEvent);

    /// Runs a due timer; completes once the plugin's callback has returned, or will not be called at all.
    fn timer_due<'a>(&'a self, slug: &'a str, id: i64) -> BoxFuture<'a, ()>;
}
