//! Parses a plugin's arguments.
//!
//! Python converts values before it calls (texts with `str`, ids with `int`), but we do not depend on it: the same
//! conversions happen here, and the error for an argument that cannot be converted says what was expected.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Reads the arguments of one call.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    // A function without arguments may be called with an empty text.
    let text = if text.trim().is_empty() { "{}" } else { text };
    serde_json::from_str(text).map_err(|error| format!("wrong arguments: {error}"))
}

/// Serializes the answer of a call.
pub(super) fn answer<T: serde::Serialize>(value: &T) -> Result<String, String> {
    serde_json::to_string(value)
        .map_err(|error| format!("the answer cannot be written as JSON: {error}"))
}

/// The answer of a call without a result.
pub(super) fn nothing() -> String {
    "null".into()
}

/// The answer of a call that only reports success.
pub(super) fn done() -> String {
    r#"{"ok":true}"#.into()
}

/// A text; numbers and booleans are formatted as in Python.
pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    match Value::deserialize(from)? {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(true) => Ok("True".into()),
        Value::Bool(false) => Ok("False".into()),
        other => Err(wanted("a text", &other)),
    }
}

/// A text that may be absent or null.
pub(super) fn maybe_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(None),
        other => text(other).map(Some).map_err(serde::de::Error::custom),
    }
}

/// An integer; numeric texts and floats without a fraction are accepted.
pub(super) fn int<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    let value = Value::deserialize(from)?;
    whole(&value).ok_or_else(|| wanted("a whole number", &value))
}

/// An integer, 0 if absent or null.
pub(super) fn int_or_zero<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(0),
        value => whole(&value).ok_or_else(|| wanted("a whole number", &value)),
    }
}

/// A boolean; numbers count as in Python.
pub(super) fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(false),
        Value::Bool(flag) => Ok(flag),
        Value::Number(number) => Ok(number.as_f64() != Some(0.0)),
        other => Err(wanted("true or false", &other)),
    }
}

/// Bytes, transferred as base64.
pub(super) fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(from)?;
    BASE64_STANDARD.decode(text).map_err(|error| {
        serde::de::Error::custom(format_args!("the bytes are not base64: {error}"))
    })
}

/// Bytes for the plugin.
#[derive(serde::Serialize)]
pub(super) struct Bytes {
    base64: String,
}

impl Bytes {
    pub(super) fn new(bytes: &[u8]) -> Self {
        Self {
            base64: BASE64_STANDARD.encode(bytes),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "checked against the range just before"
)]
pub(super) fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            let float = number.as_f64()?;
            // Every integer of this size is exact in a float.
            let is_whole = float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0;
            is_whole.then_some(float as i64)
        }),
        Value::String(text) => text.trim().parse().ok(),
        Value::Bool(flag) => Some(i64::from(*flag)),
        _ => None,
    }
}

fn wanted<E: serde::de::Error>(what: &str, got: &Value) -> E {
    let kind = match got {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    E::custom(format_args!("expected {what}, got {kind}"))
}
