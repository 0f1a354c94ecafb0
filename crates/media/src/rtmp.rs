//! RTMP and RTMPS ingest: turns a publisher into calls on a [`Sink`].
//!
//! What publishers say is parsed and answered by [`media_formats::rtmp`], without IO; the listener and its connections
//! here do IO and timing. Who may publish and where the media goes is decided behind [`PublishHandler`].
//! Nothing here knows codecs, HLS or storage. Start with [`serve`].

mod connection;
mod connection_limit;
mod listener;
mod publish_handler;
mod stall_detector;
mod transport;

pub use listener::serve;
// In every answer of a [`PublishHandler`].
pub use media_formats::rtmp::session::RefusalCode;
pub use publish_handler::{
    MediaRejection, PublicationEnd, PublishHandler, PublishRefusal, PublishRequest, Sink,
};
pub use transport::{TlsUpgrade, Transport};
