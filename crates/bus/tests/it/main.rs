//! What machines tell each other, by a real NATS.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod media;
mod nats;
mod plugins;
