//! One running plugin.

use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::{ComponentNamedList, ComponentType, Lift, Lower, TypedFunc};
use wasmtime::{Store, Trap, UpdateDeadline};

use super::host_call::{HostCaller, WaitingLines};
use super::limits::{Budget, CallKind, ERROR_TEXT, InstanceLimits, REGISTER_OUTPUT};
use super::meter::{Meter, MeteredCall, OutOfTime};
use super::output::OutputCapture;
use super::start::{Engine, InstanceSpec, StartError};
use super::store_data::{CROSSING_BYTES, StoreData};

/// The result of both exports: the answer or the traceback.
type CallReturn<T> = (Result<T, String>,);
/// Slug, manifest, source, and the cached code.
type LoadArguments = (String, String, String, String);

/// The result of `load`; see `engine/python/world.wit`.
#[derive(ComponentType, Lift)]
#[component(record)]
struct LoadResult {
    registration: String,
    compiled: u32,
    code: String,
}

/// A plugin in its sandbox. One call at a time; state persists between calls and is lost with the instance.
pub struct Instance {
    store: Store<StoreData>,
    load: TypedFunc<LoadArguments, CallReturn<LoadResult>>,
    call: TypedFunc<(&'static str, String), CallReturn<String>>,
    meter: Arc<Meter>,
    printed: OutputCapture,
    limits: InstanceLimits,
    compiled: u32,
    /// Also true during a call, so that a call dropped midway leaves nothing that could continue.
    is_dead: bool,
    engine: Engine,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance")
            .field("is_dead", &self.is_dead)
            .finish_non_exhaustive()
    }
}

/// Why a call gave no answer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CallError {
    /// The plugin's code raised; the text is the traceback. The instance survives.
    #[error("{0}")]
    Raised(String),
    /// The answer was too large. The instance survives.
    #[error("the answer has {size} bytes, {allowed} are allowed")]
    TooLarge {
        /// Size of the answer in bytes.
        size: usize,
        /// The limit in bytes.
        allowed: usize,
    },
    /// It computed or slept for too long and was ended.
    #[error("it took longer than {} ms and was ended", .0.as_millis())]
    OutOfTime(Duration),
    /// It exceeded its memory limit and was ended.
    #[error("it needed more than its {allowed} bytes of memory and was ended: {cause}")]
    OutOfMemory {
        /// The limit in bytes.
        allowed: usize,
        /// The traceback or trap.
        cause: String,
    },
    /// The sandbox ended it: a stack overflow, a Python abort or the like.
    #[error("it crashed and was ended: {0}")]
    Trapped(String),
    /// An earlier call ended the instance.
    #[error("the instance has ended")]
    Dead,
}

impl CallError {
    /// Whether the error ended the instance.
    pub fn is_fatal(&self) -> bool {
        !matches!(self, Self::Raised(_) | Self::TooLarge { .. })
    }
}

impl Instance {
    pub(super) async fn make(engine: Engine, spec: &InstanceSpec) -> Result<Self, StartError> {
        let meter = Arc::new(Meter::new());
        let printed = OutputCapture::new(Arc::clone(&spec.log));
        let guest = StoreData::new(
            Arc::clone(&spec.host),
            Arc::clone(&meter),
            &printed,
            spec.limits,
            spec.clock.as_ref(),
        );
        let mut store = Store::new(&engine.0.engine, guest);
        store.limiter(|guest| &mut guest.memory);
        store.set_hostcall_fuel(CROSSING_BYTES);
        store.epoch_deadline_callback(|store| {
            store.data().meter.interrupt()?;
            Ok(UpdateDeadline::Yield(1))
        });
        store.set_epoch_deadline(1);
        meter.begin(Budget::LOAD, 0);
        let made = async {
            let instance = engine.0.guest.instantiate_async(&mut store).await?;
            let load = instance.get_typed_func(&mut store, "load")?;
            let call = instance.get_typed_func(&mut store, "call")?;
            Ok::<_, wasmtime::Error>((load, call))
        };
        let held = engine.0.ticker.hold();
        let made = MeteredCall::new(&meter, made).await;
        drop(held);
        let (load, call) = made
            .map_err(|over| StartError::Instance(over.to_string()))?
            .map_err(|error| StartError::Instance(format!("{error:#}")))?;
        Ok(Self {
            store,
            load,
            call,
            meter,
            printed,
            limits: spec.limits,
            compiled: 0,
            is_dead: false,
            engine,
        })
    }

    /// Runs the module body. Returns its registration and the code to cache.
    pub(super) async fn load(
        &mut self,
        spec: &InstanceSpec,
        code: String,
        budget: Budget,
    ) -> Result<(String, String), CallError> {
        let (slug, manifest) = (spec.slug.as_ref().to_owned(), spec.manifest.clone());
        let arguments = (slug, manifest, spec.source.clone(), code);
        let loaded = self.run(self.load, arguments, budget, None).await?;
        self.compiled = loaded.compiled;
        Ok((checked(loaded.registration, REGISTER_OUTPUT)?, loaded.code))
    }

    /// Calls the plugin. The answer is text in the format of the call kind; see `engine/python/world.wit`.
    pub async fn call(
        &mut self,
        kind: CallKind,
        input: &str,
        budget: Budget,
    ) -> Result<String, CallError> {
        let arguments = (kind.name(), input.to_owned());
        let answer = self.run(self.call, arguments, budget, Some(kind)).await?;
        checked(answer, kind.largest_output())
    }

    async fn run<P, T>(
        &mut self,
        function: TypedFunc<P, CallReturn<T>>,
        arguments: P,
        budget: Budget,
        kind: Option<CallKind>,
    ) -> Result<T, CallError>
    where
        P: ComponentNamedList + Lower + Send + Sync + 'static,
        T: ComponentType + Lift + Send + Sync + 'static,
    {
        if self.is_dead {
            return Err(CallError::Dead);
        }
        self.is_dead = true;
        self.meter.begin(budget, self.limits.host_calls);
        self.printed.begin();
        self.host_caller().begin(kind);
        self.store.data_mut().memory.was_refused = false;
        self.store.set_epoch_deadline(1);
        let held = self.engine.0.ticker.hold();
        let running = function.call_async(&mut self.store, arguments);
        let outcome = MeteredCall::new(&self.meter, running).await;
        drop(held);
        self.printed.end();
        self.host_caller().end();
        // Not the call's own budget if its filter ran in the middle of it and took too long.
        let budget = self.meter.budget();
        let answer = match outcome {
            Ok(Ok((answer,))) => answer.map_err(|text| CallError::Raised(cut(&text))),
            Ok(Err(error)) => Err(ended(&error, budget)),
            Err(OutOfTime) => Err(CallError::OutOfTime(budget.running)),
        };
        let answer = answer.map_err(|error| self.blame_memory(error));
        self.is_dead = answer.as_ref().is_err_and(CallError::is_fatal);
        answer
    }

    /// An error after a refused allocation is most likely about memory, and too little is left to go on with.
    fn blame_memory(&self, error: CallError) -> CallError {
        match error {
            CallError::Raised(cause) | CallError::Trapped(cause)
                if self.store.data().memory.was_refused =>
            {
                CallError::OutOfMemory {
                    allowed: self.limits.memory,
                    cause,
                }
            }
            other => other,
        }
    }

    /// Sets the source of lines for its filter while one of its handlers waits for the host.
    pub fn filter_meanwhile(&self, lines: Arc<dyn WaitingLines>) {
        self.host_caller().set_lines(lines);
    }

    /// Whether a host call of its last call timed out, or was not started because no waiting time was left.
    pub(crate) fn was_kept_waiting(&self) -> bool {
        self.host_caller().was_kept_waiting()
    }

    fn host_caller(&self) -> &HostCaller {
        &self.store.data().host_caller
    }

    /// Whether an earlier call ended it.
    pub fn is_dead(&self) -> bool {
        self.is_dead
    }

    /// Size of its linear memory in bytes. Pages it has not changed are shared by all plugins.
    pub fn memory(&self) -> usize {
        self.store.data().memory.used
    }

    /// The number of texts that Python compiled at load: its source, and modules inside it. 0 if everything was cached.
    pub fn compiled(&self) -> u32 {
        self.compiled
    }

    /// Time used by its last call: computing, sleeping and waiting for the host.
    pub fn last_call_used(&self) -> Duration {
        self.meter.used()
    }

    /// Processor time used so far.
    pub fn processor_time(&self) -> Duration {
        self.meter.processor()
    }
}

fn checked(text: String, largest: usize) -> Result<String, CallError> {
    match text.len() > largest {
        true => Err(CallError::TooLarge {
            size: text.len(),
            allowed: largest,
        }),
        false => Ok(text),
    }
}

fn ended(error: &wasmtime::Error, budget: Budget) -> CallError {
    if error.downcast_ref::<OutOfTime>().is_some() {
        return CallError::OutOfTime(budget.running);
    }
    match error.downcast_ref::<Trap>() {
        Some(trap) => CallError::Trapped(trap.to_string()),
        None => CallError::Trapped(cut(&format!("{error:#}"))),
    }
}

/// Truncates a text at a character boundary.
pub(super) fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(ERROR_TEXT)].to_owned()
}
