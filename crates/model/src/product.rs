//! What the product calls itself.

/// The name on the wire: lower case, fixed.
pub const NAME: &str = "rillcast";

/// The name in prose.
pub const TITLE: &str = "Rillcast";

/// The version of this build.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
