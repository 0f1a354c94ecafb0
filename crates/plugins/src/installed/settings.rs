//! The operator's values for a plugin's settings.

use serde_json::{Map, Value};

use super::PluginManagerError;
use crate::manifest::ConfigSchema;

/// The values in force: the operator's, else the default, else nothing. Every declared setting is present.
pub fn effective(schema: &ConfigSchema, given: &Map<String, Value>) -> Map<String, Value> {
    let fields = schema.iter();
    fields
        .map(|(key, field)| {
            let value = given.get(key).or(field.default.as_ref());
            (key.clone(), value.cloned().unwrap_or(Value::Null))
        })
        .collect()
}

/// Validates values that replace all previous ones; null resets a setting to its default.
pub(super) fn accept(
    schema: &ConfigSchema,
    mut given: Map<String, Value>,
) -> Result<Map<String, Value>, PluginManagerError> {
    given.retain(|_, value| !value.is_null());
    for (key, value) in &given {
        let Some(field) = schema.get(key) else {
            return Err(PluginManagerError::Config(format!(
                "there is no setting {key:?}"
            )));
        };
        if !field.accepts(value) {
            let kind = &field.kind;
            return Err(PluginManagerError::Config(format!(
                "{key:?} must be a {kind}"
            )));
        }
    }
    Ok(given)
}
