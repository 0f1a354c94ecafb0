//! The key-value store.

use serde::Deserialize;
use store::plugins::{KvRefusal, MAX_KEY_BYTES, MAX_VALUE_BYTES};

use super::args;
use crate::host::plugin_host::Host;

#[derive(Deserialize)]
struct KeyArgs {
    #[serde(deserialize_with = "args::text")]
    key: String,
}

#[derive(Deserialize)]
struct KeyValueArgs {
    #[serde(deserialize_with = "args::text")]
    key: String,
    #[serde(deserialize_with = "args::text")]
    value: String,
}

pub(super) async fn get(host: &Host, args: &str) -> Result<String, String> {
    let KeyArgs { key } = args::read(args)?;
    let value = host.parts.plugin_data.kv_get(host.slug(), &key).await?;
    // Setting an empty value deletes a key, so an empty value reads as absent.
    args::answer(&value.filter(|value| !value.is_empty()))
}

pub(super) async fn set(host: &Host, args: &str) -> Result<String, String> {
    let KeyValueArgs { key, value } = args::read(args)?;
    // The database checks the same, but plugins are also tested without one.
    if key.is_empty() || key.len() > MAX_KEY_BYTES {
        return Err(KvRefusal::Key.to_string());
    }
    if value.len() > MAX_VALUE_BYTES {
        return Err(KvRefusal::Value.to_string());
    }
    host.parts
        .plugin_data
        .kv_set(host.slug(), &key, &value)
        .await?;
    Ok(args::nothing())
}
