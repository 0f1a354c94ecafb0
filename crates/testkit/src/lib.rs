//! Test support that knows no room but the model.
//!
//! [`ManualClock`] makes time a variable; [`eventually`] waits for a condition instead of sleeping;
//! [`playlist`] judges live HLS and LL-HLS playlists, whoever wrote them; [`rtmp`] is a scripted publisher; [`replay`] tries fuzz corpora on every run.

mod clock;
mod eventually;
pub mod playlist;
pub mod replay;
pub mod rtmp;

pub use clock::ManualClock;
pub use eventually::{DEADLINE, eventually};
