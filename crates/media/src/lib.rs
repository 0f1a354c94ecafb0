//! Turns a publisher's stream into playlists.
//!
//! What needs no IO of its own is in `media-formats`: the protocol and the formats of what comes in and goes out.
//! The path of a frame, and the order to read this crate in:
//!
//! 1. [`rtmp`] talks to the publisher: `connection` and `listener` drive [`media_formats::rtmp`] over sockets;
//! 2. [`ingest`] parses the tags ([`media_formats::flv`], [`media_formats::codec`]) and puts frames on one
//!    [`media_formats::timeline`], whatever the publisher's clock does;
//! 3. [`hls`] cuts them into parts and segments, has [`media_formats::cmaf`] write them, and renders each playlist once;
//! 4. [`stream`] runs the life cycle of a broadcast: who may publish, going live, a dropped connection, the end;
//! 5. [`thumbnails`] has pictures of it drawn for places that do not play it, by an [`ffmpeg`] with limits;
//! 6. [`transcoder`] has an ffmpeg encode other qualities, and sound for players that cannot play the publisher's.
//!
//! It must not:
//!
//! - speak HTTP: viewers and their requests belong to `web`, which reads an immutable [`hls::Snapshot`];
//! - know chat, federation, plugins or notices: they learn about a stream from `model::Event`;
//! - decide who may publish: it asks through [`stream::PublishGate`], which `server` implements;
//! - wait for any of the above: video comes first.
//!
//! It may use `media-formats`, `store` and `model`. `web` and `server` may use it.

#![forbid(unsafe_code)]

pub mod demo;
pub mod ffmpeg;
pub mod hls;
pub mod ingest;
pub mod rtmp;
pub mod stream;
pub mod thumbnails;
pub mod transcoder;
