//! Why the bytes of a codec cannot be used.

/// Why bytes could not be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// They end too early: the publisher or the network cut them off.
    #[error("the data ends early")]
    Truncated,
    /// They have no content: skip them.
    #[error("the data holds nothing to show or play")]
    Empty,
    /// They break a rule of their format.
    #[error("the data is malformed: {0}")]
    Malformed(&'static str),
    /// They are well formed, but cannot be carried: tell the publisher.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
}
