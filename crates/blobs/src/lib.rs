//! Files by name, in a folder or in an S3-compatible bucket.
//!
//! Whole files only, of up to [`MAX_BLOB_BYTES`]: they are read into memory and written at once. Nothing is tried twice
//! here; whoever asks knows better whether and when to ask again. Requests go out through `outbound` as all others do,
//! under a bound of time and of size, so a bucket can be away, slow or hostile without more harm than an error.
//!
//! The crate knows names and bytes, and not what they mean. Start with [`Blobs`].

mod connector;
mod error;
mod key;
mod store;

pub use error::BlobError;
pub use store::{BlobInfo, Blobs, BucketOptions, DEADLINE, MAX_BLOB_BYTES};
