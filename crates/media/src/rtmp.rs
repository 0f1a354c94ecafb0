//! RTMP and RTMPS in: a publisher becomes calls on a [`Sink`].
//!
//! [`wire`] turns bytes into messages, [`session`] messages into events, both without IO; the listener and its
//! connections move bytes and keep time. Who may publish and what becomes of the media is decided behind [`PublishHandler`].
//! Nothing here knows codecs, HLS or storage. Start with [`serve`].

mod connection;
mod connection_limit;
mod listener;
mod publish_handler;
pub mod session;
mod stall_detector;
mod transport;
pub mod wire;

pub use listener::serve;
pub use publish_handler::{
    MediaRejection, PublicationEnd, PublishHandler, PublishRefusal, PublishRequest, RefusalCode,
    Sink,
};
pub use transport::{TlsUpgrade, Transport};
