//! Parses JSON under limits: serde_json alone would allow deeper nesting than we want and keep the last of two equal
//! keys.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Limit (fediverse): size of a request to the inbox, or of a document we fetch; a larger one gets 413 or is ignored.
pub const MAX_DOCUMENT_BYTES: usize = 1024 * 1024;
/// Limit (fediverse): nesting of a JSON document; a deeper one is refused. No reader of it runs out of stack.
pub const MAX_DEPTH: usize = 32;
/// Keys that change what other keys mean. We read plain JSON, and a document in which others see something else than
/// we do is refused.
const LINKED_DATA_KEYS: [&str; 4] = ["@graph", "@included", "@reverse", "@base"];

/// Why a document cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// More than [`MAX_DOCUMENT_BYTES`].
    #[error("the document is too large")]
    TooLarge,
    /// Not JSON, nested too deeply, or with a duplicate key.
    #[error("the document is not JSON that we accept: {0}")]
    NotJson(String),
    /// A list, a string, a number.
    #[error("the document is not an object")]
    NotAnObject,
}

/// Parses exactly one JSON object with nothing after it.
///
/// # Errors
/// See [`Unreadable`].
pub fn parse(bytes: &[u8]) -> Result<Map<String, Value>, Unreadable> {
    if bytes.len() > MAX_DOCUMENT_BYTES {
        return Err(Unreadable::TooLarge);
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = Node { depth: 0 }.deserialize(&mut reader);
    let value = read.and_then(|value| reader.end().map(|()| value));
    match value.map_err(|error| Unreadable::NotJson(error.to_string()))? {
        Value::Object(object) => Ok(object),
        _ => Err(Unreadable::NotAnObject),
    }
}

/// A value nested in `depth` others.
#[derive(Clone, Copy)]
struct Node {
    depth: usize,
}

impl Node {
    fn inner<E: Error>(self) -> Result<Node, E> {
        match self.depth < MAX_DEPTH {
            true => Ok(Node {
                depth: self.depth + 1,
            }),
            false => Err(E::custom(format_args!("nested deeper than {MAX_DEPTH}"))),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Node {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        // No real text contains it, and not every database can store it.
        match value.contains('\0') {
            true => Err(E::custom("a text has a NUL in it")),
            false => Ok(value.into()),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(inner)? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if key.contains('\0') {
                return Err(A::Error::custom("a key has a NUL in it"));
            }
            if object.contains_key(&key) {
                return Err(A::Error::custom("a key is there twice"));
            }
            if LINKED_DATA_KEYS.contains(&key.as_str()) {
                return Err(A::Error::custom(
                    "it uses linked data that we do not process",
                ));
            }
            object.insert(key, map.next_value_seed(inner)?);
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> String {
        format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth))
    }

    // Case 38 of docs/federation-cases.md, as far as it is about reading.
    #[test]
    fn what_is_too_deep_no_object_or_no_text_is_refused() {
        assert!(parse(nested(MAX_DEPTH).as_bytes()).is_ok());
        assert!(parse(nested(MAX_DEPTH + 1).as_bytes()).is_err());
        let lists = format!("{{\"a\":{}{}}}", "[".repeat(32), "]".repeat(32));
        assert!(parse(lists.as_bytes()).is_err());
        assert_eq!(parse(b"[{}]"), Err(Unreadable::NotAnObject));
        assert_eq!(parse(b"\"text\""), Err(Unreadable::NotAnObject));
        assert!(parse(b"{\"a\":\"\xff\xfe\"}").is_err());
        assert!(parse(b"{} {}").is_err());
        assert!(parse(b"").is_err());
    }

    #[test]
    fn a_nest_of_many_thousands_does_not_exhaust_the_stack() {
        for open in ["[", "{\"a\":"] {
            assert!(parse(open.repeat(100_000).as_bytes()).is_err());
        }
    }

    #[test]
    fn a_key_that_is_there_twice_is_refused_at_every_depth() {
        assert!(parse(br#"{"id":"https://a.example/1","id":"https://b.example/1"}"#).is_err());
        assert!(parse(br#"{"object":[{"x":{"a":1,"\u0061":2}}]}"#).is_err());
        assert!(parse(br#"{"a":{"a":{"a":1}}}"#).is_ok());
    }

    #[test]
    fn linked_data_that_would_mean_something_else_to_others_is_refused() {
        for key in LINKED_DATA_KEYS {
            assert!(
                parse(format!("{{\"{key}\":[]}}").as_bytes()).is_err(),
                "{key}"
            );
            assert!(parse(format!("{{\"@context\":[{{\"{key}\":\"x\"}}]}}").as_bytes()).is_err());
        }
    }

    #[test]
    fn a_sign_that_no_text_has_is_refused() {
        assert!(parse(br#"{"a":["b\u0000"]}"#).is_err());
        assert!(parse(br#"{"a\u0000":1}"#).is_err());
    }

    #[test]
    fn a_document_above_the_cap_is_not_read() {
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_DOCUMENT_BYTES));
        assert_eq!(parse(long.as_bytes()), Err(Unreadable::TooLarge));
    }

    #[test]
    fn numbers_texts_and_the_rest_are_read_as_they_are() {
        let text = r#"{"a":[null,true,-1,18446744073709551615,0.5,"é\n"],"b":{}}"#;
        let ours = Value::Object(parse(text.as_bytes()).unwrap());
        assert_eq!(ours, serde_json::from_str::<Value>(text).unwrap());
    }
}
