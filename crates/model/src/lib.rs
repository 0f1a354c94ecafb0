//! The terms of the product, and the rules that need no IO.
//!
//! Every other crate depends on this one and it depends on none of them.
//! It does no IO, reads no clock and draws no randomness: time arrives through [`Clock`], everything else
//! through arguments. So a rule here can be tested with nothing but data.
//!
//! Start with [`settings`] (the one table of everything an operator can set) and [`Event`] (the facts that crates
//! tell each other).

pub mod address;
pub mod chat;
mod clock;
mod event;
pub mod fediverse;
mod ids;
pub mod product;
pub mod rate_limit;
pub mod recording;
pub mod schedule;
mod scope;
mod secret;
pub mod sentence;
pub mod settings;
pub mod social;
pub mod stranger;
mod stream;
pub mod typo;

pub use clock::{Clock, Sleep};
pub use event::{Event, LoggedEvent};
pub use ids::{InvalidId, MessageId, ScheduleId, TokenId, UserId};
pub use scope::{Scope, UnknownScope};
pub use secret::Secret;
pub use stream::{StreamState, StreamStatus};
