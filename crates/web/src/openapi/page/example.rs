//! How to call an operation from a shell.

use serde_json::{Map, Value, json};

use super::shape::resolved;

/// How deep examples of bodies go; what is deeper is shown as `null`.
const MAX_DEPTH: usize = 4;

/// A command line to copy.
pub(super) fn curl(method: &str, path: &str, says: &Value, document: &Value) -> String {
    let scheme = says["security"][0]
        .as_object()
        .and_then(|schemes| schemes.keys().next());
    let mut address = format!("https://live.example.org{path}");
    let mut options = match method {
        "GET" | "POST" => String::new(),
        other => format!(" -X {other}"),
    };
    match scheme.map(String::as_str) {
        Some("adminPassword") => options.push_str(" -u admin"),
        Some("chatToken") => address.push_str("?accessToken=TOKEN"),
        Some(_) => options.push_str(" -H 'Authorization: Bearer TOKEN'"),
        None => {}
    }
    options.push_str(&body_options(
        method,
        &says["requestBody"]["content"],
        document,
    ));
    let needs_quotes = address.contains(['?', '{']);
    if needs_quotes {
        address = format!("'{address}'");
    }
    format!("curl{options} {address}")
}

/// The options that send the body.
fn body_options(method: &str, content: &Value, document: &Value) -> String {
    let fields = |media_type: &str| content[media_type]["schema"]["properties"].as_object();
    if let Some(fields) = fields("application/x-www-form-urlencoded") {
        return fields.keys().map(|name| format!(" -d {name}=…")).collect();
    }
    if let Some(fields) = fields("multipart/form-data") {
        return fields
            .keys()
            .map(|name| format!(" -F {name}=@FILE"))
            .collect();
    }
    match &content["application/json"]["schema"] {
        Value::Null if method == "POST" => " -X POST".into(),
        Value::Null => String::new(),
        schema => format!(" --json '{}'", example(schema, document, 0)),
    }
}

/// An example value of this shape with the required members.
fn example(schema: &Value, document: &Value, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    let schema = resolved(schema, document);
    if let Some(first) = schema["oneOf"].get(0) {
        return example(first, document, depth + 1);
    }
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    let name = schema["type"]
        .as_str()
        .or_else(|| schema["type"][0].as_str());
    match name {
        Some("string") => json!("…"),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(0)),
        Some("boolean") => json!(true),
        Some("array") => json!([example(&schema["items"], document, depth + 1)]),
        Some("object") => object(schema, document, depth),
        _ => Value::Null,
    }
}

fn object(schema: &Value, document: &Value, depth: usize) -> Value {
    let mut fields = Map::new();
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        let value = example(&schema["properties"][name], document, depth + 1);
        fields.insert(name.to_owned(), value);
    }
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_shown_with_what_it_needs() {
        let body = json!({
            "type": "object",
            "required": ["ids", "mode"],
            "properties": {
                "ids": { "type": "array", "items": { "$ref": "#/a" } },
                "mode": { "enum": ["on", "off"] },
                "more": { "type": "string" },
            },
        });
        let document = json!({ "a": { "type": "integer", "minimum": 3 } });
        assert_eq!(
            example(&body, &document, 0),
            json!({ "ids": [3], "mode": "on" })
        );
        let says =
            json!({ "requestBody": { "content": { "application/json": { "schema": body } } } });
        assert_eq!(
            curl("POST", "/api/x", &says, &document),
            "curl --json '{\"ids\":[3],\"mode\":\"on\"}' https://live.example.org/api/x"
        );
    }
}
