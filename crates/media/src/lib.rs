//! A publisher becomes playlists. This room has no code yet.
//!
//! It will take in the one stream (RTMP first), read its codecs, cut it into fragments and keep the playlists and
//! parts that `web` hands to viewers. Transcoding will be a child process with limits of its own, never a library
//! linked into the server.
//!
//! What it must not do:
//!
//! - speak HTTP: viewers and their requests belong to `web`;
//! - know chat, federation, plugins or notices: they learn about a stream from `model::Event`;
//! - decide who may publish: it will ask through a trait of its own that `server` implements;
//! - wait for any of the above: video comes first.
//!
//! Doors: it may use `store` and `model`. `web` and `server` may use it.
//!
//! Until then `server` binds the broadcasters' port and turns connections away with a line in the log, and the
//! stream's state, `model::StreamStatus`, stays offline.
