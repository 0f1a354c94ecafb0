//! The settings: one operation for each, and the shapes of their values.

use http_server::envelope::Envelope;
use model::settings::table::federation::USERNAME;
use model::settings::{AnySetting, Applies, SettingFormat, SettingKind, TABLE};
use serde_json::{Map, Value, json};

use super::components::Components;
use super::operation::{OperationTraits, add, as_json, id_of, implied};
use crate::route::{Access, Shape};

/// The row of the route table that stands for all of them.
pub(super) const PATH: &str = "/api/admin/config/{*path}";

/// Path and operation of every setting.
pub(super) fn operations(tag: &str, components: &mut Components) -> Vec<(String, Value)> {
    let settings = TABLE.iter();
    settings
        .map(|setting| {
            let path = format!("/api/admin/config/{}", setting.meta().path);
            let operation = operation(&path, *setting, tag, components);
            (path, operation)
        })
        .collect()
}

fn operation(
    path: &str,
    setting: &dyn AnySetting,
    tag: &str,
    components: &mut Components,
) -> Value {
    let meta = setting.meta();
    let when = match meta.applies {
        Applies::Now => "It takes effect at once.",
        Applies::NextStream => "It takes effect with the next broadcast.",
        Applies::NotYet => "The server itself does nothing with it yet, and the answer says so.",
    };
    let mut body = json!({
        "type": "object",
        "required": ["value"],
        "properties": { "value": asked(setting) },
    });
    if meta.key == USERNAME.meta.key {
        let doc = "To take a name that the account had before, which is refused without it.";
        body["properties"]["confirmed"] = json!({ "type": "boolean", "description": doc });
    }
    let traits = OperationTraits {
        access: Access::Admin,
        has_body: true,
        has_parameters: false,
        is_limited: false,
    };
    let mut answers = implied(&traits);
    let envelope = as_json(&components.refer(Shape::of::<Envelope>()));
    add(&mut answers, 200, "Done", envelope.clone());
    add(
        &mut answers,
        409,
        "The value is given outside the database and locked, or has to be confirmed",
        envelope,
    );
    json!({
        "operationId": id_of("POST", path),
        "tags": [tag],
        "summary": format!("Set `{}`", meta.key),
        "description": format!("{} {when} Only the operator may call this.", meta.doc),
        "security": [{ "adminPassword": [] }, { "adminSession": [] }],
        "requestBody": { "required": true, "content": as_json(&body) },
        "responses": answers,
    })
}

/// One line: no control characters.
const LINE: &str = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$";
/// One line with something in it.
const FILLED_LINE: &str = "^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$";
/// Any text a database can keep.
const TEXT: &str = "^[^\\u0000]*$";
/// The name of a variable of CSS, with its dashes or without.
const VARIABLE: &str = "^-*[A-Za-z0-9_][A-Za-z0-9_-]*$";
/// A value that stays in its declaration.
const PLAIN_CSS: &str = "^(?!.*/\\*)[^{};<>\\\\@\\u0000-\\u001f\\u007f-\\u009f]*$";

/// What a setter accepts: the shape of the value and the parts of its rule that can be expressed here.
fn asked(setting: &dyn AnySetting) -> Value {
    let meta = setting.meta();
    let mut schema = value_of(setting);
    match (meta.kind, meta.form) {
        (SettingKind::Text, SettingFormat::NotBlank) => schema["pattern"] = json!(FILLED_LINE),
        (SettingKind::Text, SettingFormat::Like(pattern)) => schema["pattern"] = json!(pattern),
        (SettingKind::Text | SettingKind::Url, _) => schema["pattern"] = json!(LINE),
        (SettingKind::Markdown | SettingKind::Css | SettingKind::JavaScript, _) => {
            schema["pattern"] = json!(TEXT)
        }
        (SettingKind::Number { .. }, SettingFormat::Numbers(numbers)) => {
            schema["enum"] = json!(numbers)
        }
        (SettingKind::Texts, SettingFormat::Lines(max_chars, max_count)) => {
            schema["maxItems"] = json!(max_count);
            schema["items"]["maxLength"] = json!(max_chars);
            schema["items"]["pattern"] = json!(LINE);
        }
        (SettingKind::Map, _) => {
            schema["maxProperties"] = json!(100);
            schema["propertyNames"] = json!({ "maxLength": 100, "pattern": VARIABLE });
            schema["additionalProperties"] =
                json!({ "type": "string", "maxLength": 200, "pattern": PLAIN_CSS });
        }
        _ => {}
    }
    schema
}

/// The shape of a setting's value.
fn value_of(setting: &dyn AnySetting) -> Value {
    let meta = setting.meta();
    match meta.kind {
        SettingKind::Text
        | SettingKind::Markdown
        | SettingKind::Css
        | SettingKind::JavaScript
        | SettingKind::Url => text(meta.max_chars),
        SettingKind::Bool => json!({ "type": "boolean" }),
        SettingKind::Number { min, max } => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
        SettingKind::Choice(choices) => json!({ "type": "string", "enum": choices }),
        SettingKind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        SettingKind::Map => {
            json!({ "type": "object", "additionalProperties": { "type": "string" } })
        }
        SettingKind::Social => list_of(
            &[("platform", text(None)), ("url", text(None))],
            &["platform", "url"],
        ),
        SettingKind::StreamKeys => {
            let flag = json!({ "type": "boolean" });
            list_of(
                &[
                    ("key", text(None)),
                    ("comment", text(None)),
                    ("takeOver", flag.clone()),
                    ("record", flag),
                ],
                &["key"],
            )
        }
        SettingKind::Actions => {
            let texts = ["url", "html", "title", "description", "icon", "color"];
            let mut fields: Vec<(&str, Value)> = texts.map(|name| (name, text(None))).into();
            fields.push(("openExternally", json!({ "type": "boolean" })));
            list_of(&fields, &["title"])
        }
        SettingKind::Json => like(&setting.default_value().json),
    }
}

/// `GET /api/admin/serverconfig`: every setting at its place, and a few facts beside them.
pub(crate) const SERVER_CONFIG: Shape = Shape {
    name: || "ServerConfig".into(),
    schema: server_config,
    parts: Vec::new,
};

fn server_config() -> Value {
    let mut whole = json!({ "type": "object", "description": "The settings in the shape existing admin tools read." });
    for (name, kind) in [
        ("adminPassword", "string"),
        ("webServerIP", "string"),
        ("webServerPort", "integer"),
        ("rtmpServerAddress", "string"),
        ("rtmpServerPort", "integer"),
        ("streamKeyOverridden", "boolean"),
        ("instanceDetails/logo", "string"),
        ("instanceDetails/version", "string"),
    ] {
        put(&mut whole, name, json!({ "type": kind }));
    }
    for setting in TABLE {
        let place = setting.meta().pointer.trim_start_matches('/');
        put(&mut whole, place, value_of(*setting));
    }
    // An empty list is omitted.
    if let Some(required) = whole["required"].as_array_mut() {
        required.retain(|name| name != "socketHostOverride");
    }
    whole
}

/// Inserts a schema at `a/b/c` as a required property.
fn put(schema: &mut Value, pointer: &str, found: Value) {
    let (name, rest) = match pointer.split_once('/') {
        Some((name, rest)) => (name, Some(rest)),
        None => (pointer, None),
    };
    if schema["required"].is_null() {
        schema["required"] = json!([]);
    }
    if let Some(required) = schema["required"].as_array_mut()
        && !required.iter().any(|known| known == name)
    {
        required.push(json!(name));
    }
    let place = &mut schema["properties"][name];
    let Some(rest) = rest else {
        *place = found;
        return;
    };
    if place.is_null() {
        *place = json!({ "type": "object" });
    }
    put(place, rest, found);
}

/// The shape of a value like this one.
fn like(value: &Value) -> Value {
    match value {
        Value::Null => json!({}),
        Value::Bool(_) => json!({ "type": "boolean" }),
        Value::Number(number) if number.is_f64() => json!({ "type": "number" }),
        Value::Number(_) => json!({ "type": "integer" }),
        Value::String(_) => json!({ "type": "string" }),
        Value::Array(entries) => {
            json!({ "type": "array", "items": entries.first().map(like).unwrap_or(json!({})) })
        }
        Value::Object(fields) => {
            let properties: Map<String, Value> = fields
                .iter()
                .map(|(name, value)| (name.clone(), like(value)))
                .collect();
            json!({ "type": "object", "properties": properties })
        }
    }
}

fn text(max_chars: Option<usize>) -> Value {
    match max_chars {
        Some(max) => json!({ "type": "string", "maxLength": max }),
        None => json!({ "type": "string" }),
    }
}

fn list_of(fields: &[(&str, Value)], required: &[&str]) -> Value {
    let fields = fields
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()));
    let properties: Map<String, Value> = fields.collect();
    let entry = json!({ "type": "object", "required": required, "properties": properties });
    json!({ "type": "array", "items": entry })
}
