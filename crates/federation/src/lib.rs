//! One ActivityPub actor of type `Service`: the stream, as other servers see it.
//!
//! It serves the actor and its documents, signs and verifies requests, takes in what others send, and delivers posts to
//! followers from a durable queue.
//!
//! What it must not do:
//!
//! - open a socket: everything it fetches or delivers leaves through `outbound`, which checks the address;
//! - process JSON-LD: documents are plain JSON with a fixed, small set of properties;
//! - believe an activity before its signature, digest and owner are checked;
//! - know chat, media or plugins: they meet only through `model::Event`;
//! - hold up video or chat: its work is queued and may be late.
//!
//! It may use `store`, `outbound` and `model`; `web` and `server` may use it.

pub mod blocks;
pub mod codes;
pub mod delivery;
pub mod document;
pub mod featured;
pub mod fetch;
pub mod followers;
mod handle;
pub mod identity;
pub mod inbox;
pub mod keys;
pub mod lookup;
pub mod names;
pub mod negotiate;
pub mod profile;
pub mod publishing;
pub mod quotes;
mod readiness;
mod rotation;
pub mod signature;
pub mod wire;

pub use handle::{Federation, FederationDeps};
pub use readiness::Unready;
pub use rotation::{KeyStatus, RotationCause, RotationProblem};
