//! RTMP as bytes: handshake, chunks, messages, AMF0. Synchronous, without IO, and total: any input gives a value or an
//! error, within the limits of [`limits`].
//!
//! Follows "Adobe's Real Time Messaging Protocol 1.0"; comments mark where publishers in practice differ from it.

pub mod amf0;
pub mod chunk;
mod digest;
pub mod handshake;
mod headers;
pub mod limits;
pub mod message;

/// Why a connection cannot continue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// The first byte is not the version of plain RTMP.
    #[error("the first byte is {0:#04x}, which does not begin RTMP")]
    NotRtmp(u8),
    /// A compressed header refers to one that was never sent.
    #[error("chunk stream {0} begins without a full header")]
    UnknownChunkStream(u32),
    #[error("more than {0} chunk streams")]
    TooManyChunkStreams(usize),
    #[error("a message of {length} bytes where {limit} are allowed")]
    MessageTooLong {
        length: usize,
        /// What is allowed at this point.
        limit: usize,
    },
    /// Incomplete messages use too much memory.
    #[error("unfinished messages hold more than {0} bytes")]
    TooMuchUnfinished(usize),
    /// Zero, or more than 31 bits.
    #[error("a chunk size of {0}")]
    BadChunkSize(u32),
    /// Too many chunk headers for their payload.
    #[error("too many chunk headers for what they carry")]
    TooManyHeaders,
    /// A peer keeps sending without publishing.
    #[error("more than {0} bytes before anything was published")]
    TooMuchBeforePublishing(u64),
    #[error("unreadable command: {0}")]
    Command(#[from] amf0::Amf0Error),
    /// A command that requires `connect` first.
    #[error("{0} before connect")]
    NotConnected(&'static str),
    /// A player wants to watch; viewers are served over HTTP.
    #[error("a player asked for the stream, but this port only receives streams")]
    Player,
}
