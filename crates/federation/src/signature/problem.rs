//! Why a request is not trusted.

/// Why a request is not trusted. The sender can fix all of these by signing again, so the answer is 401.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureProblem {
    /// There is no signature.
    #[error("the request is not signed")]
    Unsigned,
    /// The signature's headers are invalid.
    #[error("the signature cannot be read: {0}")]
    Malformed(&'static str),
    /// The key id cannot lead to a key.
    #[error("the key id cannot be used: {0}")]
    KeyId(&'static str),
    /// We do not support the algorithm.
    #[error("the algorithm is not supported")]
    Algorithm,
    /// Something that must be signed is not.
    #[error("the signature does not cover {0}")]
    NotCovered(&'static str),
    /// A signed header did not arrive.
    #[error("a signed header is missing: {0}")]
    Missing(String),
    /// The body is not the one that was signed.
    #[error("the digest is wrong: {0}")]
    Digest(&'static str),
    /// The request is too old or from the future.
    #[error("the time is wrong: {0}")]
    Time(&'static str),
    /// The key does not match the signature.
    #[error("the signature does not match")]
    Mismatch,
}
