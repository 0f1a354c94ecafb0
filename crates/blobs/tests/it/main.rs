//! Files in folders and buckets, and buckets that misbehave.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod contract;
mod hostile;
mod support;
