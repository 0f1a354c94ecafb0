//! What can go wrong on the way, named after what the caller can do about it.

use thiserror::Error;

#[derive(Debug, Error)]
pub enum BusError {
    /// The options cannot be used; trying again is of no use.
    #[error("{0}")]
    Options(String),
    /// NATS does not answer, or refuses us.
    #[error("cannot connect to NATS: {0}")]
    Connect(String),
    /// There is no connection right now; it comes back by itself.
    #[error("NATS is away")]
    Away,
    /// The message is larger than its subject allows, or than the NATS server does.
    #[error("a message of {bytes} bytes is too large for {subject}, which takes {most}")]
    TooLarge {
        subject: String,
        bytes: usize,
        most: usize,
    },
    /// Nobody listens there.
    #[error("nobody answers at {0}")]
    Nobody(String),
    /// There was no answer in time.
    #[error("no answer from {0} in time")]
    Late(String),
    /// An answer that is none of ours.
    #[error("the answer from {0} is of another version")]
    Foreign(String),
    /// What may only travel sealed cannot be sealed.
    #[error("a message for {0} cannot be sealed")]
    Sealing(String),
    /// NATS refused a request.
    #[error("NATS refuses: {0}")]
    Refused(String),
}
