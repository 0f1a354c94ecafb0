//! Test support that knows no crate but the model.
//!
//! [`archive`] writes ZIP archives, honest ones and others; [`ManualClock`] makes time a variable; [`eventually`] waits for a condition instead of sleeping;
//! [`picture`] decodes pictures; [`playlist`] judges live HLS and LL-HLS playlists, whoever wrote them; [`rtmp`] is a scripted publisher; [`replay`] tries fuzz corpora on every run.

pub mod archive;
mod clock;
mod eventually;
pub mod picture;
pub mod playlist;
pub mod replay;
pub mod rtmp;

pub use clock::ManualClock;
pub use eventually::{DEADLINE, LONG_DEADLINE, eventually, within};
