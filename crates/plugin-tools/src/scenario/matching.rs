//! Matches actual values against expected ones.

use serde_json::Value;

/// Every expected key exists and matches; lists have the same length; anything else is equal.
pub(super) fn fits(wanted: &Value, got: &Value) -> bool {
    match (wanted, got) {
        (Value::Object(wanted), Value::Object(got)) => wanted
            .iter()
            .all(|(key, value)| got.get(key).is_some_and(|got| fits(value, got))),
        (Value::Array(wanted), Value::Array(got)) => {
            wanted.len() == got.len() && wanted.iter().zip(got).all(|(one, other)| fits(one, other))
        }
        (Value::Number(wanted), Value::Number(got)) => {
            wanted == got || wanted.as_f64() == got.as_f64()
        }
        _ => wanted == got,
    }
}

/// As text on one line.
pub(super) fn shown<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn more_than_was_wanted_is_fine_and_less_is_not() {
        assert!(fits(
            &json!({"a": {"b": 1}}),
            &json!({"a": {"b": 1.0, "c": 2}, "d": 3})
        ));
        assert!(!fits(&json!({"a": {"b": 1}}), &json!({"a": {}})));
        assert!(!fits(&json!([1]), &json!([1, 2])));
        assert!(fits(&json!([{"a": 1}]), &json!([{"a": 1, "b": 2}])));
        assert!(!fits(&json!({}), &json!([])));
    }
}
