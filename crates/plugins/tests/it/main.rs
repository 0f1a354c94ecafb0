//! Plugins in the sandbox: what they can do, and what they cannot.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    // JSON that is written where it is used.
    clippy::needless_pass_by_value
)]

mod busy_filters;
mod engine_kit;
mod engine_library;
mod engine_malice;
mod engine_source;
mod host;
mod included;
mod instances;
mod kept_code;
mod runtime;
