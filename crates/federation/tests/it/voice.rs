//! What the stream says by itself and what its operator says.

mod live;
mod pings;
mod posts;
mod profile;
mod tidy;
