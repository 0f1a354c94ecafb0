//! Properties in the shapes they come in: single or list, embedded or by id, with or without a language.

use jiff::Timestamp;
use serde_json::{Map, Value};

/// Members of a list that are looked at; what comes after them is not read.
const MAX_MEMBERS: usize = 256;

/// A text and its language, if stated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalizedText {
    /// As received, not sanitised.
    pub value: String,
    pub language: Option<String>,
}

/// The id of a single thing, whether given by id, embedded, or alone in a list. An id with invisible characters is
/// rejected: not every database accepts it.
pub fn id_of(value: &Value) -> Option<&str> {
    let visible = |iri: &&str| !iri.contains(char::is_control);
    match value {
        Value::String(iri) => Some(iri.as_str()).filter(visible),
        Value::Object(object) => object.get("id")?.as_str().filter(visible),
        Value::Array(members) => match members.as_slice() {
            [only] if !only.is_array() => id_of(only),
            _ => None,
        },
        _ => None,
    }
}

/// As [`id_of`]; for several members, only if all are the same.
pub fn shared_id_of(value: &Value) -> Option<&str> {
    let Value::Array(members) = value else {
        return id_of(value);
    };
    let mut ids = members.iter().map(|member| match member {
        Value::Array(_) => None,
        other => id_of(other),
    });
    let first = ids.next()??;
    ids.all(|id| id == Some(first)).then_some(first)
}

/// All members, for a list of any length.
pub fn list_of(value: Option<&Value>) -> &[Value] {
    match value {
        None | Some(Value::Null) => &[],
        Some(Value::Array(members)) => &members[..members.len().min(MAX_MEMBERS)],
        Some(one) => std::slice::from_ref(one),
    }
}

/// The types of an object.
pub fn types_of(object: &Map<String, Value>) -> impl Iterator<Item = &str> {
    list_of(object.get("type")).iter().filter_map(Value::as_str)
}

/// Whether an object has this type.
pub fn has_type(object: &Map<String, Value>, name: &str) -> bool {
    types_of(object).any(|kind| kind == name)
}

/// The first text of a property.
pub fn string_of(value: Option<&Value>) -> Option<&str> {
    list_of(value).iter().find_map(|value| match value {
        Value::String(text) => Some(text.as_str()),
        Value::Object(object) => object.get("@value")?.as_str(),
        _ => None,
    })
}

/// The text of a property, or of its variant with languages: `content` and `contentMap`.
pub fn text_of(object: &Map<String, Value>, name: &str) -> Option<LocalizedText> {
    let map = object.get(&format!("{name}Map")).and_then(Value::as_object);
    // The first language by name; the order in the document means nothing.
    let translated = map.and_then(|map| {
        let texts = map
            .iter()
            .filter_map(|(tag, text)| Some((tag, text.as_str()?)));
        texts.min_by_key(|(tag, _)| tag.as_str())
    });
    let plain = string_of(object.get(name)).filter(|text| !text.is_empty());
    match (plain, translated) {
        (Some(value), translated) => Some(LocalizedText {
            value: value.to_owned(),
            language: translated
                .filter(|(_, text)| *text == value)
                .map(|(tag, _)| tag.clone()),
        }),
        (None, Some((tag, value))) => Some(LocalizedText {
            value: value.to_owned(),
            language: Some(tag.clone()),
        }),
        (None, None) => None,
    }
}

/// The time in a property, if it holds one.
pub fn time_of(value: Option<&Value>) -> Option<Timestamp> {
    string_of(value)?.parse().ok()
}

/// Whether an address means everybody, under any of its names.
pub fn is_public(iri: &str) -> bool {
    matches!(
        iri,
        "https://www.w3.org/ns/activitystreams#Public" | "as:Public" | "Public"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_thing_is_found_in_every_shape() {
        for one in [
            json!("x"),
            json!({"id": "x"}),
            json!(["x"]),
            json!([{"id": "x"}]),
        ] {
            assert_eq!(id_of(&one), Some("x"), "{one}");
        }
        for none in [
            json!(null),
            json!(3),
            json!([]),
            json!(["x", "y"]),
            json!({"id": 1}),
            json!("x\u{0}"),
            json!({"id": "x\n"}),
            json!(["x\u{7f}"]),
            json!([["x"]]),
        ] {
            assert_eq!(id_of(&none), None, "{none}");
        }
        assert_eq!(shared_id_of(&json!(["x", {"id": "x"}])), Some("x"));
        assert_eq!(shared_id_of(&json!(["x", "y"])), None);
        assert_eq!(shared_id_of(&json!([])), None);
    }

    #[test]
    fn a_text_is_found_in_every_shape() {
        let text = |document: Value| {
            text_of(document.as_object().unwrap(), "content")
                .map(|text| (text.value, text.language))
        };
        let plain = |value: &str| Some((value.to_owned(), None));
        assert_eq!(text(json!({"content": "a"})), plain("a"));
        assert_eq!(text(json!({"content": [1, "a", "b"]})), plain("a"));
        assert_eq!(text(json!({"content": {"@value": "a"}})), plain("a"));
        assert_eq!(text(json!({})), None);
        let two = json!({"contentMap": {"en": "b", "de": "a"}});
        assert_eq!(text(two), Some(("a".into(), Some("de".into()))));
        let both = json!({"content": "b", "contentMap": {"en": "b"}});
        assert_eq!(text(both), Some(("b".into(), Some("en".into()))));
    }

    #[test]
    fn a_list_is_read_whatever_its_length() {
        assert!(list_of(None).is_empty());
        assert!(list_of(Some(&Value::Null)).is_empty());
        assert_eq!(list_of(Some(&json!("x"))).len(), 1);
        assert_eq!(list_of(Some(&json!(vec![0; 1000]))).len(), MAX_MEMBERS);
    }
}
