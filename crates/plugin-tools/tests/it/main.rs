//! The tools for authors, with the engine that servers have.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    // JSON that is written where it is used.
    clippy::needless_pass_by_value
)]

mod engine_kit;
mod scenario;
