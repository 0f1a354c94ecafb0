//! The sandbox: CPython as one WebAssembly component, compiled when the program is built, instantiated for every
//! plugin.
//!
//! A plugin's source is data that is passed to an instance; no machine code ever comes from a plugin. Read in this
//! order: [`EngineSource`] provides the machine code, [`open_engine`] maps it in the background, [`Engine::start`]
//! makes an [`Instance`], reusing the plugin's code from `code_cache`, and [`Instance::call`] runs it within its
//! [`Budget`].

mod code_cache;
mod compiled;
mod host_call;
mod instance;
mod limits;
mod meter;
mod opening;
mod output;
mod registration;
mod source;
mod start;
mod store_data;
mod ticker;
mod wasi;

pub use code_cache::{CachedCode, CodeCache};
pub use compiled::EngineError;
pub use host_call::WaitingLines;
pub use instance::{CallError, Instance};
pub use limits::{Budget, CallKind, InstanceLimits};
pub use opening::{EngineState, open_engine};
pub use output::{LogSink, OutputKind, SilentLog};
pub use registration::{FilterSubscription, Registration, Subscription, Subscriptions};
pub use source::{EmbeddedEngine, EngineSource, EngineSourceError};
pub use start::{Engine, InstanceSpec, OpenError, StartError};
