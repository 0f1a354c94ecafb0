//! What the machines of a cluster tell each other at once, over NATS.
//!
//! Nothing here is the truth: the database is, and whatever is lost on this way is read there. So a message may be lost,
//! nothing waits for NATS to come back, and everything received is data of another version perhaps: each message begins
//! with a byte that says of which one, and its size has a bound.
//!
//! The crate knows subjects and bytes, and not what they mean. Start with [`Bus`], then `subject.rs`; `media.rs` is the
//! way of the stream itself, which is too much for messages that nobody keeps, and `plugin.rs` is how the machine that
//! runs the plugins is spoken to. What decides anything is sealed (`seal.rs`), so that only machines of the cluster can
//! make it.

mod connection;
mod error;
mod media;
mod message;
mod plugin;
mod seal;
mod subject;

pub use connection::{Bus, BusOptions, BusState, Subscription};
pub use error::BusError;
pub use media::{MediaLimits, MediaLosses, MediaQueue, MediaReader, MediaStream};
pub use message::{BusMessage, FORMAT};
pub use plugin::{
    ExchangeAsk, ExchangeId, ExchangeReply, FilterReply, GateAsk, GateReply, MAX_HEAD_BYTES,
    MAX_PIECE_BYTES, MAX_QUESTION_BYTES,
};
pub use seal::Seal;
pub use subject::{NodeSubject, Subject};
