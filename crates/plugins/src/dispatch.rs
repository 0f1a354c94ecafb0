//! Who is told what: from the facts of the server to the mailboxes of the plugins that asked for them.
//!
//! [`follow`] reads the log of facts from its newest entry on. [`EventTranslator`] translates a fact into the events plugins know,
//! [`Commands`] finds the commands in a line of chat, and both hand [`EventDelivery`]s to the [`EventListeners`].
//! [`FilterChain`] is asked before a line is taken, [`relay`] passes on what plugins emit, and [`tick`] tells the time.
//!
//! Nothing here waits for a plugin but the chain, and that within its budget.

mod agreement;
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
pub(crate) use commands::is_moderator;
pub use commands::{Commands, MAX_COOLDOWNS};
pub(crate) use custom::BUILT_IN;
pub use custom::{is_built_in, relay};
pub(crate) use filter::check_verdict;
pub use filter::{
    CHAIN_BUDGET, FilterChain, FilterError, FilterRunner, Judgement, MAX_FILTER_OUTPUT,
};
pub use follow::{Announcer, follow};
pub use help::{help, is_call_for_help};
pub use listener::{EventDelivery, EventListener, EventListeners};
pub use payload::{CurrentStream, EventTranslator, PluginEvent, sse_connection};
pub use ticks::tick;
