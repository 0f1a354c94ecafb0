//! Shapes described in prose.

use serde_json::Value;

use super::{prose, text};
use crate::html::escaped;

/// What a value is, in a few words; named shapes become links.
pub(super) fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = escaped(reference.rsplit('/').next().unwrap_or_default());
        return format!("<a href=\"#shape-{name}\">{name}</a>");
    }
    if let Some(schemas) = schema["oneOf"].as_array() {
        let kinds: Vec<String> = schemas.iter().map(kind).collect();
        return kinds.join(" or ");
    }
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<String> = words
            .iter()
            .map(|word| format!("<code>{}</code>", escaped(&word.to_string())))
            .collect();
        return words.join(", ");
    }
    match &schema["type"] {
        Value::String(name) => of_type(name, schema),
        Value::Array(names) => {
            let kinds: Vec<String> = names
                .iter()
                .map(|name| of_type(text(name), schema))
                .collect();
            kinds.join(" or ")
        }
        _ => "anything".into(),
    }
}

fn of_type(name: &str, schema: &Value) -> String {
    match name {
        "array" => format!("list of {}", kind(&schema["items"])),
        "object" if schema["additionalProperties"].is_object() => {
            format!("map of {}", kind(&schema["additionalProperties"]))
        }
        "string" if schema["format"] == "date-time" => "time (RFC 3339)".into(),
        "string" => match schema["maxLength"].as_u64() {
            Some(max) => format!("text of at most {max} characters"),
            None => "text".into(),
        },
        "integer" => match (schema["minimum"].as_u64(), schema["maximum"].as_u64()) {
            (Some(min), Some(max)) => format!("whole number from {min} to {max}"),
            _ => "whole number".into(),
        },
        "boolean" => "true or false".into(),
        other => escaped(other),
    }
}

/// A shape in prose with its fields, even if it is a named one.
pub(super) fn shape(schema: &Value, document: &Value) -> String {
    let found = resolved(schema, document);
    format!("<p class=\"type\">{}</p>\n{}", kind(schema), fields(found))
}

/// The target of a reference; anything else is returned as it is.
pub(super) fn resolved<'a>(part: &'a Value, document: &'a Value) -> &'a Value {
    let reference = part["$ref"].as_str();
    let found = reference.and_then(|name| document.pointer(name.trim_start_matches('#')));
    found.unwrap_or(part)
}

/// One alternative of a composite shape.
fn part(schema: &Value) -> String {
    match schema["$ref"].is_string() {
        true => format!("<p class=\"type\">{}</p>\n", kind(schema)),
        false => fields(schema),
    }
}

/// The description of a value; for a nullable shape it is beside the reference.
fn about(schema: &Value) -> &str {
    let alternatives = schema["oneOf"].as_array().into_iter().flatten();
    let descriptions = std::iter::once(schema).chain(alternatives);
    let mut texts = descriptions.map(|schema| text(&schema["description"]));
    texts.find(|text| !text.is_empty()).unwrap_or_default()
}

/// The fields of an object, at any depth; empty for anything else.
pub(super) fn fields(schema: &Value) -> String {
    if schema["type"] == "array" {
        return fields(&schema["items"]);
    }
    if let Some(alternatives) = schema["oneOf"].as_array() {
        return alternatives.iter().map(fields).collect();
    }
    if let Some(parts) = schema["allOf"].as_array() {
        return parts.iter().map(part).collect();
    }
    let Some(properties) = schema["properties"].as_object() else {
        return String::new();
    };
    let required = schema["required"].as_array();
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    let entries: String = properties
        .iter()
        .map(|(name, property)| {
            let presence = if is_required(name) { "" } else { ", may be absent" };
            let about = match about(property) {
                "" => String::new(),
                about => format!("<p>{}</p>", prose(about)),
            };
            format!(
                "<dt><code>{}</code> <span class=\"type\">{}{presence}</span></dt><dd>{about}{}</dd>\n",
                escaped(name),
                kind(property),
                fields(property),
            )
        })
        .collect();
    format!("<dl>\n{entries}</dl>\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shapes_are_told_in_words() {
        for (schema, words) in [
            (
                json!({ "type": ["string", "null"], "format": "date-time" }),
                "time (RFC 3339) or null",
            ),
            (
                json!({ "type": "array", "items": { "type": "boolean" } }),
                "list of true or false",
            ),
            (
                json!({ "type": "integer", "minimum": 0, "maximum": 4 }),
                "whole number from 0 to 4",
            ),
            (
                json!({ "oneOf": [{ "type": "null" }, { "$ref": "#/components/schemas/User" }] }),
                "null or <a href=\"#shape-User\">User</a>",
            ),
            (json!({}), "anything"),
        ] {
            assert_eq!(kind(&schema), words);
        }
        let object = json!({ "type": "object", "properties": { "a<b": { "type": "string" } } });
        assert!(
            fields(&object)
                .contains("<code>a&lt;b</code> <span class=\"type\">text, may be absent")
        );
    }
}
