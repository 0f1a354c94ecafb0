//! The commands besides `serve`.
#![expect(
    clippy::print_stdout,
    reason = "what these commands print is their result"
)]

mod backup;
mod checks;
mod password;
mod restore;

pub use backup::backup;
pub use checks::doctor;
pub use password::reset_password;
pub use restore::restore;
