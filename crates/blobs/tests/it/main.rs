//! Files in folders and buckets, and buckets that misbehave.

#![allow(clippy::unwrap_used)]

mod contract;
mod hostile;
mod support;
