//! The mapped engine, and starting a plugin in it.

use std::path::Path;
use std::sync::Arc;

use model::Clock;
use wasmtime::component::InstancePre;

use super::code_cache::{CachedCode, CodeOrigin};
use super::compiled::{self, EngineError};
use super::instance::{CallError, Instance};
use super::limits::{Budget, InstanceLimits};
use super::output::LogSink;
use super::registration::Registration;
use super::source::{EngineSource, EngineSourceError};
use super::store_data::{StoreData, build_linker};
use super::ticker::Ticker;
use crate::host::HostCalls;

/// The engine shared by all plugins. Cheap to clone.
#[derive(Clone)]
pub struct Engine(pub(super) Arc<MappedEngine>);

pub(super) struct MappedEngine {
    pub(super) engine: wasmtime::Engine,
    pub(super) guest: InstancePre<StoreData>,
    pub(super) ticker: Ticker,
    hash: Arc<str>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

/// Everything needed to start an instance.
#[derive(Clone, Debug)]
pub struct InstanceSpec {
    pub slug: Arc<str>,
    /// Its manifest, as JSON.
    pub manifest: String,
    pub source: String,
    /// Its host calls.
    pub host: Arc<dyn HostCalls>,
    /// The host calls of its filter, if that has an instance of its own; otherwise one instance does everything.
    pub filter_host: Option<Arc<dyn HostCalls>>,
    /// Where its output goes.
    pub log: Arc<dyn LogSink>,
    /// Its resource limits.
    pub limits: InstanceLimits,
    /// Its code cache entry; without one it is compiled at every load.
    pub code: Option<CachedCode>,
    /// The clock it sees; the system clock if `None`.
    pub clock: Option<Arc<dyn Clock>>,
}

/// Why the engine cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Its code is unavailable.
    #[error(transparent)]
    Source(#[from] EngineSourceError),
    /// Its code cannot run.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Why a plugin did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its module body raised, ran too long or used too much.
    #[error(transparent)]
    Plugin(#[from] CallError),
    /// The engine's answer cannot be parsed.
    #[error("the plugin registered something unreadable: {0}")]
    Registration(#[from] serde_json::Error),
    /// Its registration does not match what the operator approved.
    #[error("{0}")]
    Refused(String),
    /// No instance could be created: a fault of the server, not the plugin.
    #[error("no instance could be made: {0}")]
    Instance(String),
}

/// A plugin that started.
struct StartedInstance {
    instance: Instance,
    registration: Registration,
    code: String,
}

impl StartedInstance {
    fn parts(self) -> (Instance, Registration) {
        (self.instance, self.registration)
    }
}

impl Engine {
    /// Maps the engine. An embedded engine is unpacked into `folder`, which is created if missing.
    pub fn open(source: &EngineSource, folder: &Path) -> Result<Self, OpenError> {
        let engine = compiled::engine()?;
        let code = source.provide(folder)?;
        let component = compiled::map(&engine, &code.path())?;
        let linked = build_linker(&component).and_then(|linker| linker.instantiate_pre(&component));
        let guest = linked.map_err(|error| EngineError::new("linked", format!("{error:#}")))?;
        let ticker = Ticker::start(engine.weak())
            .map_err(|error| EngineError::new("given its pulse", error))?;
        Ok(Self(Arc::new(MappedEngine {
            engine,
            guest,
            ticker,
            hash: code.hash.into(),
        })))
    }

    /// Creates an instance and runs the plugin's module body in it. The registration is checked every time: a module
    /// body may behave differently in its second instance.
    ///
    /// Cached code avoids compilation. A load that fails with cached code deletes it, so that the next load does not
    /// fail for that reason; a load that crashed is retried without it. One that raised or timed out is not retried:
    /// its module body would print and write everything twice.
    pub async fn start(&self, spec: InstanceSpec) -> Result<(Instance, Registration), StartError> {
        let Some(cached_code) = &spec.code else {
            return self
                .load(&spec, String::new())
                .await
                .map(StartedInstance::parts);
        };
        let origin = CodeOrigin {
            engine: Arc::clone(&self.0.hash),
            slug: Arc::clone(&spec.slug),
            source: spec.source.as_str().into(),
        };
        let cached = cached_code.read(&origin).await.unwrap_or_default();
        let had_code = !cached.is_empty();
        let mut started = self.load(&spec, cached).await;
        if let Err(error) = &started
            && had_code
        {
            cached_code.forget().await;
            use CallError::{OutOfMemory, Trapped};
            if matches!(error, StartError::Plugin(Trapped(_) | OutOfMemory { .. })) {
                spec.host.instance_ended();
                started = self.load(&spec, String::new()).await;
            }
        }
        let mut started = started?;
        let code = std::mem::take(&mut started.code);
        if !code.is_empty() {
            cached_code.write(&origin, code).await;
        }
        Ok(started.parts())
    }

    async fn load(&self, spec: &InstanceSpec, code: String) -> Result<StartedInstance, StartError> {
        let mut instance = Instance::make(self.clone(), spec).await?;
        let (json, code) = instance.load(spec, code, Budget::LOAD).await?;
        let registration = Registration::read(json)?;
        spec.host
            .agree(&registration)
            .map_err(StartError::Refused)?;
        Ok(StartedInstance {
            instance,
            registration,
            code,
        })
    }
}
