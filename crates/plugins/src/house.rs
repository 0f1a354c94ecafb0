//! Where plugins live: one task and one instance for each, a bounded mailbox in front of it.
//!
//! Calls into one plugin come one after the other, different plugins run beside each other. An instance that ends (too
//! long, too much, a crash) is replaced by a fresh one, a few times; nothing needs a restart of the server. Read
//! [`Resident`] for what can be asked of a plugin, `life` for what happens to it.

mod filters;
mod life;
mod mailbox;
mod resident;
mod restarts;
mod usage;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::Clock;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

pub use mailbox::{Answered, MAILBOX, MAILBOX_BYTES, Mail};
pub use resident::{AskError, Resident, Status};
pub use restarts::MOST_RESTARTS;
pub use usage::Usage;

use crate::engine::{Engine, EngineState, Registration, Spec};

/// All plugins that are enabled. Cheap to clone.
#[derive(Clone, Debug)]
pub struct House {
    engine: watch::Receiver<EngineState>,
    runtime: Handle,
    clock: Arc<dyn Clock>,
    tasks: TaskTracker,
    residents: Arc<Mutex<BTreeMap<Arc<str>, Resident>>>,
}

impl House {
    /// An empty house. Its plugins run on the given runtime.
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
            residents: Arc::default(),
        }
    }

    /// Lets a plugin move in. It starts when the engine is ready; one of the same name moves out.
    pub fn open(&self, spec: Spec) -> Resident {
        let resident = Resident::new(Arc::clone(&spec.slug));
        let clock = Arc::clone(&self.clock);
        let life = life::live(resident.clone(), self.engine.clone(), spec, clock);
        let former = self
            .lock()
            .insert(Arc::clone(resident.slug()), resident.clone());
        if let Some(former) = former {
            former.stop();
        }
        self.tasks.spawn_on(life, &self.runtime);
        resident
    }

    /// Lets a plugin move out, and waits until it has.
    pub async fn close(&self, slug: &str) {
        let former = self.lock().remove(slug);
        if let Some(former) = former {
            former.stop();
            former.ended().await;
        }
    }

    /// Everybody moves out; used when the server stops.
    pub async fn close_all(&self) {
        let all = std::mem::take(&mut *self.lock());
        for resident in all.values() {
            resident.stop();
        }
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// A plugin by its slug.
    pub fn resident(&self, slug: &str) -> Option<Resident> {
        self.lock().get(slug).cloned()
    }

    /// All plugins, by slug.
    pub fn residents(&self) -> Vec<Resident> {
        self.lock().values().cloned().collect()
    }

    /// Loads a plugin for a look and forgets it: would it start?
    pub async fn try_out(&self, spec: Spec) -> Result<Registration, String> {
        let engine = ready(self.engine.clone()).await?;
        // On the runtime of plugins: its module body must not delay who asks.
        let trial = self.runtime.spawn(async move { engine.start(spec).await });
        match trial.await {
            Ok(Ok((_instance, registration))) => Ok(registration),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_panic) => Err("the plugin engine failed".to_owned()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Resident>> {
        self.residents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
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
