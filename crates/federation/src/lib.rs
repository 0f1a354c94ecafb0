//! One ActivityPub actor of type `Service`: the stream, as other servers see it. This room has no code yet.
//!
//! It will make the actor and its documents, sign and verify requests, take in what others send, and deliver posts
//! to followers from a durable queue.
//!
//! What it must not do:
//!
//! - open a socket: everything it fetches or delivers leaves through `outbound`, which checks the address;
//! - process JSON-LD: documents are plain JSON with a fixed, small set of properties;
//! - believe an activity before its signature, digest and owner are checked;
//! - know chat, media or plugins: they meet through `model::Event` only;
//! - hold up video or chat: its work is queued and may be late.
//!
//! Doors: it may use `store`, `outbound` and `model`. `web` and `server` may use it.
//!
//! Until then no federation path exists and `/api/config` says `federation.enabled: false`.
