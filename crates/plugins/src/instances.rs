//! Plugin instances: one task and one instance per plugin, behind a bounded mailbox.
//!
//! Calls into one plugin are sequential, different plugins run in parallel. An instance that ends (time, memory, a
//! crash) is replaced by a fresh one a few times; nothing requires a restart of the server. [`PluginHandle`] is the
//! interface to a plugin, `task` runs it.

mod backoff;
mod error;
mod filters;
mod handle;
mod mailbox;
mod report;
mod task;
mod usage;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::Clock;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

pub use backoff::MOST_RESTARTS;
pub use error::AskError;
pub use handle::{PluginHandle, PluginStatus};
pub use mailbox::{CallOutput, MAILBOX, MAILBOX_BYTES, Mail};
pub use usage::Usage;

use crate::engine::{Engine, EngineState, InstanceSpec, Registration};

/// All enabled plugins. Cheap to clone.
#[derive(Clone, Debug)]
pub struct PluginInstances {
    engine: watch::Receiver<EngineState>,
    runtime: Handle,
    clock: Arc<dyn Clock>,
    tasks: TaskTracker,
    handles: Arc<Mutex<BTreeMap<Arc<str>, PluginHandle>>>,
}

impl PluginInstances {
    /// An empty set. Instances will run on the given runtime.
    pub fn new(
        engine: watch::Receiver<EngineState>,
        runtime: Handle,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            engine,
            runtime,
            clock,
            tasks: TaskTracker::new(),
            handles: Arc::default(),
        }
    }

    /// Adds a plugin, replacing one with the same slug. It starts when the engine is ready.
    pub fn open(&self, spec: InstanceSpec) -> PluginHandle {
        let handle = PluginHandle::new(Arc::clone(&spec.slug));
        let clock = Arc::clone(&self.clock);
        let life = task::supervise(handle.clone(), self.engine.clone(), spec, clock);
        self.add(&handle, life);
        handle
    }

    /// Adds a plugin without an instance: `answer` takes its mail. For tests of what calls plugins.
    pub fn open_scripted(
        &self,
        slug: Arc<str>,
        registration: Registration,
        answer: impl FnMut(Mail) + Send + 'static,
    ) -> PluginHandle {
        let handle = PluginHandle::new(slug);
        self.add(&handle, task::script(handle.clone(), registration, answer));
        handle
    }

    fn add(&self, handle: &PluginHandle, life: impl Future<Output = ()> + Send + 'static) {
        let former = self
            .lock()
            .insert(Arc::clone(handle.slug()), handle.clone());
        if let Some(former) = former {
            former.stop();
        }
        self.tasks.spawn_on(life, &self.runtime);
    }

    /// Stops a plugin, and waits until it has ended.
    pub async fn close(&self, slug: &str) {
        let former = self.lock().remove(slug);
        if let Some(former) = former {
            former.stop();
            former.ended().await;
        }
    }

    /// Stops all plugins, for server shutdown.
    pub async fn close_all(&self) {
        let all = std::mem::take(&mut *self.lock());
        for handle in all.values() {
            handle.stop();
        }
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// A plugin by its slug.
    pub fn handle(&self, slug: &str) -> Option<PluginHandle> {
        self.lock().get(slug).cloned()
    }

    /// All plugins, by slug.
    pub fn handles(&self) -> Vec<PluginHandle> {
        self.lock().values().cloned().collect()
    }

    /// Starts a plugin temporarily to see whether it would start.
    pub async fn try_out(&self, spec: InstanceSpec) -> Result<Registration, String> {
        let engine = ready(self.engine.clone()).await?;
        // On the plugins' runtime, so that its module body does not delay the caller.
        let trial = self.runtime.spawn(async move { engine.start(spec).await });
        match trial.await {
            Ok(Ok((_instance, registration))) => Ok(registration),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_panic) => Err("the plugin engine failed".to_owned()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, PluginHandle>> {
        self.handles.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for the engine.
async fn ready(mut engine: watch::Receiver<EngineState>) -> Result<Engine, String> {
    let state = engine
        .wait_for(|state| !matches!(state, EngineState::Opening))
        .await
        .map(|state| state.clone());
    match state {
        Ok(EngineState::Ready(engine)) => Ok(engine),
        Ok(EngineState::Failed(why)) => Err(why.to_string()),
        Ok(EngineState::Opening) | Err(_) => Err("the plugin engine was never ready".to_owned()),
    }
}
