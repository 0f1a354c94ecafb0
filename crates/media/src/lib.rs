//! Turns a publisher's stream into playlists.
//!
//! The path of a frame, and the order to read this crate in:
//!
//! 1. [`rtmp`] talks to the publisher: `wire` turns bytes into messages, `session` runs the protocol, `connection`
//!    and `listener` drive both over sockets;
//! 2. [`flv`] reads the tags inside the messages, [`codec`] their codec headers;
//! 3. [`ingest`] puts frames on one [`timeline`], whatever the publisher's clock does;
//! 4. [`hls`] cuts them into parts and segments, has [`cmaf`] write them, and renders each playlist once;
//! 5. [`stream`] runs the life cycle of a broadcast: who may publish, going live, a dropped connection, the end;
//! 6. [`thumbnails`] has pictures of it drawn for places that do not play it, by an [`ffmpeg`] with limits;
//! 7. [`transcoder`] has an ffmpeg encode other qualities, and sound for players that cannot play the publisher's.
//!
//! It must not:
//!
//! - speak HTTP: viewers and their requests belong to `web`, which reads an immutable [`hls::Snapshot`];
//! - know chat, federation, plugins or notices: they learn about a stream from `model::Event`;
//! - decide who may publish: it asks through [`stream::PublishGate`], which `server` implements;
//! - wait for any of the above: video comes first.
//!
//! It may use `store` and `model`. `web` and `server` may use it.

#![forbid(unsafe_code)]

pub mod cmaf;
pub mod codec;
pub mod demo;
pub mod ffmpeg;
pub mod flv;
#[doc(hidden)]
pub mod fuzzing;
pub mod hls;
pub mod ingest;
pub mod rtmp;
pub mod stream;
pub mod thumbnails;
pub mod timeline;
pub mod transcoder;
