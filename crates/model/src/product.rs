//! The product's names.

/// The name on the wire: lower case, fixed.
pub const NAME: &str = "rillcast";

/// The name in prose.
pub const TITLE: &str = "Rillcast";

/// The version of this build.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The namespace of what we say about a stream beside ActivityStreams' own words, without the `#`. A place holder: an
/// address nobody owns must not be claimed for good, so the setting `federation_namespace` can name another.
pub const NAMESPACE: &str = "https://rillcast.example/ns";
