//! The sandbox: CPython as one WebAssembly component, compiled once, instantiated for every plugin.
//!
//! A plugin's source is data that is handed to an instance; no machine code ever comes from a plugin. Read in this order:
//! [`Source`] is where the component comes from, [`Cache`] keeps what it was compiled to, [`prepare`] has the engine ready
//! without anybody waiting, [`Engine::start`] makes an [`Instance`] with what `kept` has of its code, and
//! [`Instance::call`] runs it inside its [`Budget`].

mod cache;
mod compiled;
mod guest;
mod host_call;
mod instance;
mod kept;
mod limits;
mod meter;
mod output;
mod prepare;
mod registration;
mod source;
mod start;
mod ticker;

pub use cache::{Cache, CacheError};
pub use compiled::EngineError;
pub use host_call::WaitingLines;
pub use instance::{CallError, Instance};
pub use kept::{CodeFolder, CodePlace};
pub use limits::{Budget, CallKind, Limits};
pub use output::{LogSink, OutputKind, SilentLog};
pub use prepare::{EngineState, prepare};
pub use registration::{FilterSubscription, Registration, Subscription, Subscriptions};
pub use source::{Source, SourceError};
pub use start::{Engine, Spec, StartError};
