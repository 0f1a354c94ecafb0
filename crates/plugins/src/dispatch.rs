//! Delivers the server's events to the mailboxes of the plugins that subscribed to them.
//!
//! [`follow`] reads the event log from its newest entry on. [`EventTranslator`] translates a log entry into plugin
//! events, [`Commands`] finds commands in chat lines, and both hand [`EventDelivery`]s to the [`RunningPlugins`].
//! [`FilterChain`] runs before a line is accepted, [`relay`] passes on the events that plugins emit, and [`tick`] emits
//! the time.
//!
//! Only the filter chain ever waits for a plugin, and only within its budget.

mod agreement;
mod built_in;
mod commands;
mod custom;
#[cfg(test)]
mod fake;
mod filter;
mod follow;
mod help;
mod listener;
mod payload;
mod social;
mod ticks;

pub use agreement::{Disagreement, agree};
pub use built_in::{BUILT_IN, is_built_in};
pub use commands::{Commands, MAX_COOLDOWNS, is_moderator};
pub use custom::relay;
pub(crate) use filter::check_verdict;
pub use filter::{CHAIN_BUDGET, FilterChain, Judgement, MAX_FILTER_OUTPUT};
pub use follow::follow;
pub use help::{help, is_call_for_help};
pub use listener::{EventDelivery, EventListener, FilterError, RunningPlugins};
pub use payload::{EventTranslator, PluginEvent, sse_connection};
pub use ticks::tick;
