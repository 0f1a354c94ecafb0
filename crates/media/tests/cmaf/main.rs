//! Reads the output of the codec and CMAF modules with other programs: mp4-atom, ffprobe and ffmpeg.
#![allow(clippy::unwrap_used)]

mod clips;
mod fragments;
mod further_inits;
mod inits;
mod replay;
mod support;
