//! RTMP and RTMPS ingest: turns a publisher into calls on a [`Sink`].
//!
//! [`wire`] turns bytes into messages, [`session`] messages into events, both without IO; the listener and its
//! connections do IO and timing. Who may publish and where the media goes is decided behind [`PublishHandler`].
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
