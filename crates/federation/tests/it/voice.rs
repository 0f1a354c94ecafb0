//! What the stream publishes by itself, and what its operator publishes.

mod live;
mod pings;
mod posts;
mod profile;
mod tidy;
