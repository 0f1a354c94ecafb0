//! All parts at work together: a plugin is loaded, told of things, asked about things, and ended.
//!
//! [`Runtime`] is the handle the server and its pages have; a [`LoadedPlugin`] is one plugin that runs. The plugin manager decides what
//! runs and asks the runtime to load it (`load`); dispatch hands it events, lines of chat and timers (`roles`).

mod load;
mod loaded_plugin;
mod roles;

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

/// What a runtime is made of.
#[derive(Debug)]
pub struct RuntimeParts {
    /// The instances of plugins.
    pub instances: PluginInstances,
    /// What the rest of the server does for them.
    pub services: Arc<dyn HostServices>,
    /// Where their keys, settings and buttons are kept.
    pub plugin_data: Arc<dyn PluginData>,
    pub network: Arc<dyn Network>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The folder with one folder for each plugin's files.
    pub storage: PathBuf,
    /// Where their compiled code is kept, if it is.
    pub code: Option<PathBuf>,
    /// Where a plugin's own database is.
    pub sql: SqlStorage,
}

/// Plugins that run. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Runtime(Arc<RuntimeInner>);

#[derive(Debug)]
struct RuntimeInner {
    instances: PluginInstances,
    parts: HostParts,
    streams: Arc<SseHub>,
    code: Option<CodeCache>,
    plugins: Mutex<BTreeMap<Arc<str>, LoadedPlugin>>,
    /// Those of them that take calls, as dispatch sees them.
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

    /// A plugin that takes calls; `None` for one that is not loaded, starts again, has crashed or was switched off.
    #[must_use]
    pub fn running_plugin(&self, slug: &str) -> Option<LoadedPlugin> {
        let plugin = self.0.plugins().get(slug).cloned();
        plugin.filter(LoadedPlugin::is_running)
    }

    /// All plugins that take calls, by slug.
    #[must_use]
    pub fn running_plugins(&self) -> Vec<LoadedPlugin> {
        let plugins = self.0.plugins();
        let running = plugins.values().filter(|plugin| plugin.is_running());
        running.cloned().collect()
    }

    /// Pages that listen to plugins.
    #[must_use]
    pub fn streams(&self) -> &Arc<SseHub> {
        &self.0.streams
    }

    /// Ends all plugins; for the end of the server.
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

    /// Who takes calls has changed.
    fn count_listeners(&self) {
        let plugins = self.plugins();
        let listeners = plugins.values().filter_map(LoadedPlugin::listener);
        let listeners: Arc<[EventListener]> = listeners.collect();
        // Still under the first lock, so that an older count cannot come last.
        *self.listening() = listeners;
    }

    fn listening(&self) -> MutexGuard<'_, Arc<[EventListener]>> {
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts the listeners anew whenever a plugin's status changes, until it has ended.
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
