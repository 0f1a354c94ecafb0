//! What a [`Host`](super::Host) is made of.

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
use crate::host::sse::Streams;
use crate::manifest::{Action, Manifest};
use crate::permission::Permissions;

/// Who asks, as the operator's side knows it.
#[derive(Clone, Debug)]
pub struct Plugin {
    /// What it is and asks for.
    pub manifest: Arc<Manifest>,
    /// What the operator agreed to.
    pub permissions: Permissions,
    /// The files it brought along.
    pub assets: Arc<dyn Assets>,
}

/// What every plugin's host shares.
#[derive(Clone, Debug)]
pub struct HostParts {
    /// The rest of the server.
    pub services: Arc<dyn HostServices>,
    /// Where keys, settings and buttons are kept.
    pub plugin_data: Arc<dyn PluginData>,
    pub network: Arc<dyn Network>,
    /// Who listens to event streams.
    pub streams: Arc<dyn Streams>,
    /// Where events and timers go.
    pub deliveries: Arc<dyn Deliveries>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The folder with one folder for each plugin's files.
    pub storage: PathBuf,
    /// Where a plugin's own database is.
    pub sql: SqlStorage,
    /// How fast a plugin may speak in the chat.
    pub rate_limit_mode: RateLimitMode,
}

/// Where a plugin's own database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlStorage {
    /// Beside its files.
    Disk,
    /// In memory, for as long as the plugin is loaded.
    Memory,
}

/// What is kept for a plugin in the server's database; its own keys apart from what is kept about it.
pub trait PluginData: Send + Sync + Debug {
    /// The value of a key.
    fn kv_get<'a>(&'a self, slug: &'a str, key: &'a str) -> ServiceFuture<'a, Option<String>>;
    /// Keeps a value; an empty one forgets the key.
    fn kv_set<'a>(&'a self, slug: &'a str, key: &'a str, value: &'a str) -> ServiceFuture<'a, ()>;
    /// What the operator set.
    fn config<'a>(&'a self, slug: &'a str) -> ServiceFuture<'a, BTreeMap<String, Value>>;
    /// The buttons the plugin put up while it ran.
    fn actions<'a>(&'a self, slug: &'a str) -> ServiceFuture<'a, Vec<Action>>;
    /// Keeps these instead.
    fn set_actions<'a>(&'a self, slug: &'a str, actions: &'a [Action]) -> ServiceFuture<'a, ()>;
}

/// Where what a plugin sets off goes: to other plugins, or back to itself.
pub trait Deliveries: Send + Sync + Debug {
    /// A plugin emitted an event. Handing it on must not wait for anybody.
    fn emitted(&self, event: EmittedEvent);

    /// A timer is due; completes once the plugin's callback has returned, or will not be called at all.
    fn timer_due<'a>(&'a self, slug: &'a str, id: i64) -> BoxFuture<'a, ()>;
}
