//! The plugin's settings.

use serde::Deserialize;

use super::args;
use crate::host::plugin_host::Host;

#[derive(Deserialize)]
struct KeyArgs {
    #[serde(deserialize_with = "args::text")]
    key: String,
}

/// The operator's value, else the manifest's default, else nothing: the caller's fallback applies in Python.
pub(super) async fn get(host: &Host, args: &str) -> Result<String, String> {
    let KeyArgs { key } = args::read(args)?;
    // A key that the manifest does not declare is never answered, even if an older version stored a value.
    let Some(field) = host.plugin.manifest.config.get(&key) else {
        return Ok(args::nothing());
    };
    let set = host.parts.plugin_data.config(host.slug()).await?;
    args::answer(&set.get(&key).or(field.default.as_ref()))
}
