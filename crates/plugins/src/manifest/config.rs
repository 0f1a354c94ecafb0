//! A plugin's settings, and whether a value is valid.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::ManifestError;
use super::node::Node;

/// The settings of a plugin by name.
pub type ConfigSchema = BTreeMap<String, ConfigField>;

/// One setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConfigField {
    /// `string`, `number` or `boolean`; values of other types are not checked.
    #[serde(rename = "type")]
    pub kind: String,
    /// The value until the operator sets one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl ConfigField {
    /// Is the value of the declared type?
    pub fn accepts(&self, value: &Value) -> bool {
        match self.kind.as_str() {
            "string" => value.is_string(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            _ => true,
        }
    }
}

/// Should the value be hidden while it is typed?
pub fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key == "key"
        || ["secret", "password", "token", "apikey", "api_key"]
            .iter()
            .any(|word| key.contains(word))
}

pub(super) fn read(node: &Node<'_>) -> Result<(ConfigSchema, Vec<String>), ManifestError> {
    let (mut schema, mut remarks) = (ConfigSchema::new(), Vec::new());
    for (key, field) in node.members()? {
        if key.starts_with("__") {
            return Err(field.refuse("names that begin with __ are reserved: choose another one"));
        }
        let kind = field.optional_text("type")?;
        if kind.is_none() {
            remarks.push(field.remark("has no type: its values are not checked"));
        }
        remarks.extend(field.strangers(&["type", "default", "description"])?);
        let read = ConfigField {
            kind: kind.unwrap_or_default(),
            default: field.get("default")?.map(|node| node.value().clone()),
            description: field.optional_text("description")?,
        };
        if let Some(default) = &read.default
            && !read.accepts(default)
        {
            let kind = &read.kind;
            remarks.push(field.remark(format_args!("the default is not a {kind}")));
        }
        schema.insert(key.to_owned(), read);
    }
    Ok((schema, remarks))
}
