//! `rillcast plugin`: commands for plugin authors.

mod package;
mod serve;
mod test;

pub use package::package_plugin;
pub use serve::serve_plugin;
pub use test::{TestOptions, test_plugin};

/// There is nothing to work on.
const NO_PROJECT: u8 = 2;
