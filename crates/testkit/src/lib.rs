//! Test support that knows no room but the model.
//!
//! [`ManualClock`] makes time a variable; [`eventually`] waits for a condition instead of sleeping.

mod clock;
mod eventually;

pub use clock::ManualClock;
pub use eventually::{DEADLINE, eventually};
