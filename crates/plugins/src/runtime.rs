//! The plugin runtime: loads plugins, delivers events, makes calls, and stops them.
//!
//! [`Runtime`] is the handle used by the server and its pages; a [`LoadedPlugin`] is one running plugin. The plugin
//! manager decides what runs and asks the runtime to load it (`load`); dispatch passes it events, chat lines and timers
//! (`roles`). Tests of what calls plugins load them without an engine (`scripted`).

mod load;
mod loaded_plugin;
mod roles;
mod scripted;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use model::Clock;

use crate::dispatch::EventListener;
use crate::engine::CodeCache;
use crate::host::{
    HostParts, HostServices, Network, PluginData, RateLimitMode, SqlStorage, SseHub,
};
use crate::instances::PluginInstances;
use roles::WeakRuntime;

pub use loaded_plugin::{HttpAnswer, LoadedPlugin};

#[derive(Debug)]
pub struct RuntimeParts {
    pub instances: PluginInstances,
    /// The server's services for plugins.
    pub services: Arc<dyn HostServices>,
    /// Where keys, settings and buttons are stored.
    pub plugin_data: Arc<dyn PluginData>,
    pub network: Arc<dyn Network>,
    pub clock: Arc<dyn Clock>,
    /// The folder with one subfolder for each plugin's files.
    pub storage: PathBuf,
    /// The cache of compiled code, if there is one.
    pub code: Option<PathBuf>,
    /// Where a plugin's own database is stored.
    pub sql: SqlStorage,
}

/// The running plugins. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Runtime(Arc<RuntimeInner>);

#[derive(Debug)]
struct RuntimeInner {
    instances: PluginInstances,
    parts: HostParts,
    streams: Arc<SseHub>,
    code: Option<CodeCache>,
    plugins: Mutex<BTreeMap<Arc<str>, LoadedPlugin>>,
    /// The plugins that accept calls, as dispatch sees them.
    listeners: Mutex<Arc<[EventListener]>>,
}

impl Runtime {
    /// A runtime without plugins.
    #[must_use]
    pub fn new(parts: RuntimeParts) -> Self {
        let streams = Arc::new(SseHub::default());
        Self(Arc::new_cyclic(|inner: &Weak<RuntimeInner>| RuntimeInner {
            parts: HostParts {
                services: parts.services,
                plugin_data: parts.plugin_data,
                network: parts.network,
                streams: Arc::<SseHub>::clone(&streams),
                deliveries: Arc::new(WeakRuntime(Weak::clone(inner))),
                clock: parts.clock,
                storage: parts.storage,
                sql: parts.sql,
                rate_limit_mode: RateLimitMode::Clock,
            },
            instances: parts.instances,
            streams,
            code: parts.code.map(CodeCache::new),
            plugins: Mutex::default(),
            listeners: Mutex::new(Arc::from([])),
        }))
    }

    /// A plugin that accepts calls; `None` if it is not loaded, is restarting, has crashed or was disabled.
    #[must_use]
    pub fn running_plugin(&self, slug: &str) -> Option<LoadedPlugin> {
        let plugin = self.0.plugins().get(slug).cloned();
        plugin.filter(LoadedPlugin::is_running)
    }

    /// All plugins that accept calls, sorted by slug.
    #[must_use]
    pub fn running_plugins(&self) -> Vec<LoadedPlugin> {
        let plugins = self.0.plugins();
        let running = plugins.values().filter(|plugin| plugin.is_running());
        running.cloned().collect()
    }

    /// The listening pages.
    #[must_use]
    pub fn streams(&self) -> &Arc<SseHub> {
        &self.0.streams
    }

    /// Stops all plugins, for server shutdown.
    pub async fn close(&self) {
        let plugins = std::mem::take(&mut *self.0.plugins());
        for plugin in plugins.values() {
            plugin.host.close();
        }
        self.0.instances.close_all().await;
    }
}

impl RuntimeInner {
    fn plugins(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, LoadedPlugin>> {
        self.plugins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates the list of plugins that accept calls.
    fn count_listeners(&self) {
        let plugins = self.plugins();
        let listeners = plugins.values().filter_map(LoadedPlugin::listener);
        let listeners: Arc<[EventListener]> = listeners.collect();
        // Still under the first lock, so that an older list cannot be stored last.
        *self.listening() = listeners;
    }

    fn listening(&self) -> MutexGuard<'_, Arc<[EventListener]>> {
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Updates the listeners on every status change of a plugin, until it has ended.
async fn watch(inner: Weak<RuntimeInner>, plugin: LoadedPlugin) {
    let mut status = plugin.handle.watch();
    loop {
        let is_over = status.borrow_and_update().is_final();
        let Some(inner) = inner.upgrade() else { return };
        inner.count_listeners();
        drop(inner);
        if is_over || status.changed().await.is_err() {
            return;
        }
    }
}
