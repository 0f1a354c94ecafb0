//! What the codec and CMAF modules write, read back by others: mp4-atom, ffprobe and ffmpeg.
#![allow(clippy::unwrap_used)]

mod clips;
mod fragments;
mod further_inits;
mod inits;
mod replay;
mod support;
