//! What can go wrong, named after what the caller can do about it.

use std::io;

use store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// There is no such recording, rendition, chunk or byte.
    #[error("there is no {0}")]
    Missing(String),
    /// The file is there and is not what was written.
    #[error("{0}")]
    Damaged(String),
    /// Too many read at once.
    #[error("too many files are read at once")]
    Busy,
    /// There is no broadcast on air here that could be recorded.
    #[error("no broadcast is on air on this server")]
    NotLive,
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What is said of a thread that did not end as it should.
pub(crate) fn panicked() -> ArchiveError {
    ArchiveError::Damaged("the files of a recording cannot be read".into())
}
