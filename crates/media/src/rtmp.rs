//! RTMP and RTMPS in: a broadcaster becomes calls on a [`Sink`].
//!
//! [`wire`] turns bytes into messages, [`session`] messages into events, both without IO; the listener and its
//! connections move bytes and keep time. Who may publish and what becomes of the media is decided behind [`Desk`].
//! Nothing here knows codecs, HLS or storage. Start with [`serve`].

mod connection;
mod desk;
mod door;
mod listener;
mod pace;
pub mod session;
mod transport;
pub mod wire;

pub use desk::{Desk, End, PublishRequest, Refusal, RefusalCode, Rejected, Sink};
pub use listener::serve;
pub use transport::{Stream, Upgrade};
