//! How much memory a peer may use. A stranger gets a budget that a port scanner cannot exploit; a peer with an accepted
//! stream key gets one that fits any camera.

/// Most chunk streams of a stranger; one more ends the connection. Encoders use five.
pub const STRANGER_CHUNK_STREAMS: usize = 8;
/// Longest message of a stranger; a longer one ends the connection. A `connect` takes about 500 bytes.
pub const STRANGER_MESSAGE_BYTES: usize = 16 * 1024;
/// Bytes held in a stranger's unfinished messages; more ends the connection.
pub const STRANGER_UNFINISHED_BYTES: usize = 64 * 1024;
/// Limit (broadcasters): data sent before publishing; with more the connection is closed. A whole dialogue takes about
/// 5 KB.
pub const STRANGER_TOTAL_BYTES: u64 = 64 * 1024;
/// Longest `connect` command; a longer one ends the connection.
pub const MAX_CONNECT_BYTES: usize = 8 * 1024;

/// Most chunk streams of a publisher; one more ends the publication.
pub const PUBLISHER_CHUNK_STREAMS: usize = 16;
/// Limit (broadcasters): size of one RTMP message, such as a key frame; a larger one ends the stream. A key frame of 8K
/// video stays below.
pub const PUBLISHER_MESSAGE_BYTES: usize = 8 * 1024 * 1024;
/// Bytes held in a publisher's unfinished messages; more ends the publication. Two of the longest messages.
pub const PUBLISHER_UNFINISHED_BYTES: usize = 16 * 1024 * 1024;

/// The limits of one phase of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkLimits {
    /// Most chunk streams.
    pub chunk_streams: usize,
    /// Longest message.
    pub message_bytes: usize,
    /// Most memory in unfinished messages.
    pub unfinished_bytes: usize,
}

/// Until a stream key was accepted.
pub const STRANGER: ChunkLimits = ChunkLimits {
    chunk_streams: STRANGER_CHUNK_STREAMS,
    message_bytes: STRANGER_MESSAGE_BYTES,
    unfinished_bytes: STRANGER_UNFINISHED_BYTES,
};

/// Afterwards.
pub const PUBLISHER: ChunkLimits = ChunkLimits {
    chunk_streams: PUBLISHER_CHUNK_STREAMS,
    message_bytes: PUBLISHER_MESSAGE_BYTES,
    unfinished_bytes: PUBLISHER_UNFINISHED_BYTES,
};
