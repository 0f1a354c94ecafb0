//! Frames in, playlists out, checked by independent rules.
#![allow(clippy::unwrap_used)]

mod alone;
mod clips;
mod cutting;
mod encoded_sound;
mod enhanced;
mod hardware;
mod hostile;
mod ladder;
mod paths;
mod replica;
mod resuming;
mod rig;
mod robustness;
mod room;
mod rung_cuts;
mod rungs;
mod sharing;
mod sound_cuts;
mod sound_frames;
mod stills;
