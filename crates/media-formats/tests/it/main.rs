//! Other programs read what we write, and we read what they write: mp4-atom, ffprobe and ffmpeg, rtmp-rs. The corpora of
//! the fuzz targets are replayed.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod clips;
mod corpus;
mod fragments;
mod further_inits;
mod inits;
mod oracle;
mod replay;
mod support;
