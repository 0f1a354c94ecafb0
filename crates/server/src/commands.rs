//! The commands besides `serve`.
#![expect(
    clippy::print_stdout,
    reason = "what these commands print is their result"
)]

mod backup;
mod checks;
mod engine;
mod password;
mod plugin;
mod restore;
mod session;

pub use backup::backup;
pub use checks::doctor;
pub use engine::compile_engine;
pub use password::reset_password;
pub use plugin::{TestWish, package_plugin, serve_plugin, test_plugin};
pub use restore::restore;
pub use session::admin_session;
