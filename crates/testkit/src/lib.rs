//! Test support that depends on no crate except the model.
//!
//! [`archive`] writes ZIP archives, correct and malformed; [`clips`] are the committed clips, and a publisher that sends
//! them; [`ManualClock`] is a clock under the test's control; [`eventually`] waits for a condition instead of sleeping;
//! `https`, a feature, has certificates and a scripted server for tests of what goes out;
//! [`picture`] decodes pictures; [`playlist`] checks live HLS and LL-HLS playlists of any origin; [`rtmp`] is a scripted
//! publisher; [`replay`] replays fuzz corpora.

pub mod archive;
pub mod clips;
mod clock;
mod eventually;
#[cfg(feature = "https")]
pub mod https;
pub mod picture;
pub mod playlist;
pub mod replay;
pub mod rtmp;

pub use clock::ManualClock;
pub use eventually::{DEADLINE, LONG_DEADLINE, eventually, within};
